//go:build unix

package pgtest

import (
	"bytes"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Wire is the network between a program and PostgreSQL. It can be cut after the
// next commit, before its answer arrives.
type Wire struct {
	listener        net.Listener
	t               testing.TB
	network, server string
	armed, cut      atomic.Bool
}

// NewWire listens for connections to the database at url, and returns the address of the proxy.
func NewWire(t testing.TB, url string) (w *Wire, through string) {
	t.Helper()
	c, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	w = &Wire{t: t, network: "tcp", server: net.JoinHostPort(c.Host, fmt.Sprint(c.Port))}
	if strings.HasPrefix(c.Host, "/") {
		w.network, w.server = "unix", filepath.Join(c.Host, fmt.Sprintf(".s.PGSQL.%d", c.Port))
	}
	if w.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.listener.Close() }) //nolint:errcheck // the test is over
	go w.accept()
	at := w.listener.Addr().(*net.TCPAddr)
	return w, fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable", c.User, at.Port, c.Database)
}

// CutAfterCommit makes the answer to the next commit get lost.
func (w *Wire) CutAfterCommit() {
	w.cut.Store(false)
	w.armed.Store(true)
}

// WasCut reports whether the answer to a commit got lost.
func (w *Wire) WasCut() bool { return w.cut.Load() }

func (w *Wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(w.network, w.server)
		if err != nil {
			w.t.Error(err)
			client.Close() //nolint:errcheck // nothing was sent
			return
		}
		var swallow atomic.Bool
		go carry(server, client, func(b []byte) bool {
			if bytes.Contains(bytes.ToLower(b), []byte("commit\x00")) && w.armed.CompareAndSwap(true, false) {
				swallow.Store(true)
			}
			return true
		})
		go carry(client, server, func([]byte) bool {
			if swallow.Load() {
				w.cut.Store(true) // the commit is answered, so it was stored
			}
			return !swallow.Load()
		})
	}
}

// carry copies data, and closes both sides on an error.
func carry(to, from net.Conn, passes func([]byte) bool) {
	defer to.Close()   //nolint:errcheck // closed
	defer from.Close() //nolint:errcheck // closed
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if !passes(buf[:n]) {
				return
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
