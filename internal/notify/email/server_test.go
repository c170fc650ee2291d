package email

import (
	"bufio"
	"crypto/tls"
	"net"
	"net/http/httptest"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/outbound"
)

// script is what a server answers to a verb, the nth time it gets it: a reply, "drop" to disconnect, "" for the usual
// reply. "end" is the end of a mail, "hello" the greeting.
type script func(verb string, n int) string

// faulty is a mail server that answers as scripted.
type faulty struct {
	port   string
	tls    *tls.Config
	script script

	mu          sync.Mutex
	times       map[string]int
	mails       []string
	rcpts       []string
	connections int
	verbs       []string
	open        map[net.Conn]bool
}

func startFaulty(t *testing.T, config *tls.Config, s script) *faulty {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &faulty{tls: config, script: s, times: map[string]int{}, open: map[net.Conn]bool{}}
	_, f.port, _ = net.SplitHostPort(l.Addr().String())
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			f.mu.Lock()
			f.connections++
			f.open[conn] = true
			f.mu.Unlock()
			running.Go(func() { f.serve(conn) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); f.disconnect(); running.Wait() })
	return f
}

// disconnect ends all connections, as a server does that restarts.
func (f *faulty) disconnect() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for conn := range f.open {
		_ = conn.Close()
	}
}

func (f *faulty) answer(verb, usual string) string {
	f.mu.Lock()
	f.times[verb]++
	n := f.times[verb]
	f.verbs = append(f.verbs, verb)
	f.mu.Unlock()
	if f.script != nil {
		if said := f.script(verb, n); said != "" {
			return said
		}
	}
	return usual
}

// heard lists the verbs so far.
func (f *faulty) heard() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.verbs)
}

func (f *faulty) serve(conn net.Conn) {
	defer func() {
		_ = conn.Close()
		f.mu.Lock()
		delete(f.open, conn)
		f.mu.Unlock()
	}()
	raw := conn
	r := textproto.NewReader(bufio.NewReader(conn))
	say := func(verb, usual string) bool {
		said := f.answer(verb, usual)
		if said == "drop" {
			return false
		}
		_, err := conn.Write([]byte(said + "\r\n"))
		return err == nil
	}
	if !say("hello", "220 mail.test") {
		return
	}
	for {
		line, err := r.ReadLine()
		if err != nil {
			return
		}
		verb := strings.ToUpper(strings.Fields(line + " -")[0])
		usual := "250 2.0.0 fine"
		switch verb {
		case "EHLO":
			usual = "250-mail.test\r\n250-8BITMIME\r\n250-ENHANCEDSTATUSCODES\r\n250 AUTH PLAIN"
			if f.tls != nil && conn == raw {
				usual = "250-mail.test\r\n250-STARTTLS\r\n250 AUTH PLAIN"
			}
		case "STARTTLS":
			usual = "220 go"
		case "AUTH":
			usual = "235 welcome"
		case "RCPT":
			f.mu.Lock()
			f.rcpts = append(f.rcpts, line)
			f.mu.Unlock()
		case "DATA":
			usual = "354 go"
		case "QUIT":
			usual = "221 bye"
		}
		if !say(verb, usual) {
			return
		}
		switch {
		case verb == "QUIT":
			return
		case verb == "STARTTLS":
			conn = tls.Server(raw, f.tls)
			r = textproto.NewReader(bufio.NewReader(conn))
		case verb == "DATA" && f.last("DATA", usual):
			body, err := r.ReadDotBytes()
			if err != nil {
				return
			}
			f.mu.Lock()
			f.mails = append(f.mails, string(body))
			f.mu.Unlock()
			if !say("end", usual250) {
				return
			}
		}
	}
}

const usual250 = "250 2.0.0 queued"

// last reports whether the verb got its usual reply.
func (f *faulty) last(verb, usual string) bool {
	f.mu.Lock()
	n := f.times[verb]
	f.mu.Unlock()
	if f.script == nil {
		return true
	}
	said := f.script(verb, n)
	return said == "" || said == usual
}

func (f *faulty) got() (mails []string, connections int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.mails...), f.connections
}

// certificate is one for 127.0.0.1 and example.com, with a client that trusts it.
func certificate(t *testing.T) (*tls.Config, *outbound.Client) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	t.Cleanup(s.Close)
	config := &tls.Config{Certificates: s.TLS.Certificates}
	pool := s.Client().Transport.(interface{ CloseIdleConnections() })
	pool.CloseIdleConnections()
	return config, outbound.New(outbound.Options{AllowLoopback: true, RootCAs: poolOf(s)})
}
