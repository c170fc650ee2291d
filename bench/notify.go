package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/definition"
)

// notifications measures how soon messages arrive, and what a dead mail server costs.
type notifications struct{}

func (notifications) name() string { return "notify" }

const askedEvery = 10 * time.Millisecond // 100 approvals a second

var sinkKinds = []string{"webhook", "slack", "teams", "email"}

func (notifications) measure(ctx context.Context, b *bench, h home) error {
	if err := arrivals(ctx, b, h); err != nil {
		return err
	}
	if h.shared() {
		return nil
	}
	return deadMail(ctx, b, h)
}

// sink counts as a counterpart of every channel. It remembers when a message about an approval arrived first.
type sink struct {
	mu  sync.Mutex
	at  map[string]map[string]time.Time // by channel and approval
	web *http.Server
	lis []net.Listener
}

var approvalID = regexp.MustCompile(`apr_\w+`)

func (s *sink) arrived(channel, text string) {
	now := time.Now()
	id := approvalID.FindString(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at[channel] == nil {
		s.at[channel] = map[string]time.Time{}
	}
	if _, again := s.at[channel][id]; id != "" && !again {
		s.at[channel][id] = now
	}
}

func (s *sink) count(channel string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.at[channel])
}

// ServeHTTP is a receiver of webhooks and cards, and Slack.
func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	channel, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	s.arrived(channel, string(body))
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"ok":true,"channel":"C1","ts":"1700000000.000001"}`) // the client may be gone
}

func newSink() (*sink, error) {
	s := &sink{at: map[string]map[string]time.Time{}}
	for range 2 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		s.lis = append(s.lis, l)
	}
	s.web = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go s.web.Serve(s.lis[0]) //nolint:errcheck // it ends with close
	go func() {
		for {
			c, err := s.lis[1].Accept()
			if err != nil {
				return
			}
			go s.mail(c)
		}
	}()
	return s, nil
}

func (s *sink) close() { _, _ = s.web.Close(), s.lis[1].Close() } // nothing is left to do

// mail is a mail server.
func (s *sink) mail(c net.Conn) {
	defer c.Close() //nolint:errcheck // nothing is left to do
	in := bufio.NewReader(c)
	say := func(line string) { _, _ = io.WriteString(c, line+"\r\n") }
	say("220 sink")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch strings.ToUpper(strings.TrimSpace(line) + "    ")[:4] {
		case "EHLO":
			say("250-sink\r\n250 8BITMIME")
		case "DATA":
			say("354 go ahead")
			var text strings.Builder
			for line != ".\r\n" && err == nil {
				line, err = in.ReadString('\n')
				text.WriteString(line)
			}
			_, about, _ := strings.Cut(text.String(), "X-Assent-Approval:")
			s.arrived("email", about)
			say("250 done")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (s *sink) documents() map[string]string {
	web, mail := "http://"+s.lis[0].Addr().String(), s.lis[1].Addr().String()
	return map[string]string{
		"webhook": "kind: webhook\nsecret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\nurl: " + web + "/webhook",
		"slack":   "kind: slack\ntoken: xoxb-bench\nsigning_secret: bench\nto: '#bench'\nbase_url: " + web + "/slack",
		"teams":   "kind: teams\nurl: " + web + "/teams",
		"email":   mailTo(mail),
	}
}

func mailTo(address string) string {
	return "kind: email\nfrom: assent@example.com\n" + "to: [team@example.com]\nsmtp: smtp://" + address
}

// channels publishes channels that are told of approvals.
func (c *server) channels(ctx context.Context, docs map[string]string) error {
	var names []string
	save := func(kind definition.Kind, name, text string) error {
		_, _, err := c.App.Save(ctx, app.LocalAdmin, kind, name, definition.YAML, []byte(text), app.Saving{Publish: true})
		return err
	}
	for name, doc := range docs {
		if err := save(definition.KindChannel, name, "channel: "+name+"\n"+doc+"\n"); err != nil {
			return err
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil
	}
	return save(definition.KindNotifications, "default",
		fmt.Sprintf("notifications: default\nevents: { approval.needed: [%s] }\n", strings.Join(names, ", ")))
}

// arrivals asks for 100 approvals a second and waits until each is announced on every channel.
func arrivals(ctx context.Context, b *bench, h home) (err error) {
	s, err := newSink()
	if err != nil {
		return err
	}
	defer s.close()
	c, err := serve(ctx, h)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := c.channels(ctx, s.documents()); err != nil {
		return err
	}
	asked := make([]time.Time, b.saves)
	ids := make([]string, b.saves)
	errs := make([]error, b.saves)
	var all sync.WaitGroup
	ticks := time.NewTicker(askedEvery)
	defer ticks.Stop()
	for i := range b.saves {
		<-ticks.C
		all.Go(func() {
			_, ids[i], errs[i] = c.waiting(ctx)
			asked[i] = time.Now()
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, kind := range sinkKinds {
		for end := time.Now().Add(time.Minute); s.count(kind) < b.saves; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				return fmt.Errorf("%d of %d approvals arrived by %s", s.count(kind), b.saves, kind)
			}
		}
		var took []time.Duration
		for i, id := range ids {
			took = append(took, max(s.at[kind][id].Sub(asked[i]), 0))
		}
		b.report(latencies("approval asked → arrived by "+kind+", 100/s", took).below(worst, 5000))
	}
	return nil
}

// deadMail compares the throughput of runs that ask for approval: without channels, with a mail server that refuses
// connections, and with one that never answers. Rounds alternate, each on a store of its own.
func deadMail(ctx context.Context, b *bench, h home) error {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer silent.Close() //nolint:errcheck // nothing is left to do
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	_ = gone.Close() // so that the port refuses connections
	kinds := []struct {
		name string
		docs map[string]string
	}{
		{"no channels", nil},
		{"mail server refuses connections", map[string]string{"email": mailTo(gone.Addr().String())}},
		{"mail server never answers", map[string]string{"email": mailTo(silent.Addr().String())}},
	}
	best, least := make([]float64, len(kinds)), make([]time.Duration, len(kinds))
	for round := range 3 {
		for i, kind := range kinds {
			dir := filepath.Join(string(h), fmt.Sprintf("mail-%d-%d", i, round))
			rate, busy, err := asking(ctx, home(dir), b.runs/10, kind.docs)
			if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
				return err
			}
			if best[i] = max(best[i], rate); round == 0 || busy < least[i] {
				least[i] = busy
			}
		}
	}
	for i, kind := range kinds {
		rate, busy := single("runs that ask, "+kind.name, "runs/s", best[i]),
			single("CPU time of one, "+kind.name, "ms", ms(least[i]))
		if i > 0 {
			rate, busy = rate.over("no channels", amount, best[0]), busy.over("no channels", amount, ms(least[0]))
		}
		b.report(rate)
		b.report(busy)
	}
	return nil
}

// asking is how many runs that ask for approval are started in a second, and the CPU time of one.
func asking(ctx context.Context, h home, n int, docs map[string]string) (rate float64, busy time.Duration, err error) {
	c, err := serve(ctx, h)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := c.channels(ctx, docs); err != nil {
		return 0, 0, err
	}
	began, before := time.Now(), processorTime()
	err = work.Many(n, atOnce, func(int) error { _, _, err := c.waiting(ctx); return err })
	return float64(n) / time.Since(began).Seconds(), (processorTime() - before) / time.Duration(n), err
}
