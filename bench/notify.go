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
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/assent-run/assent/internal/definition"
)

// notifications measures how soon messages arrive, and what a dead mail server costs.
type notifications struct{}

func (notifications) name() string { return "notify" }

const askedEvery = 10 * time.Millisecond // 100 approvals a second

var sinkKinds = []string{"webhook", "slack", "teams", "email", "push"}

func (notifications) measure(ctx context.Context, b *bench, h home) error {
	if err := arrivals(ctx, b, h); err != nil {
		return err
	}
	if err := outage(ctx, b, h); err != nil {
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
	*pushService
	down atomic.Bool // webhooks are refused
}

var approvalID = regexp.MustCompile(`apr_\w+`)

func (s *sink) arrived(channel, text string, now time.Time) {
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
	now := time.Now()
	channel, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case channel == "webhook" && s.down.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case channel == "push":
		if body, err = s.decrypt(body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		defer w.WriteHeader(http.StatusCreated)
	}
	s.arrived(channel, string(body), now)
	if channel == "push" {
		return
	}
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
	var err error
	if s.pushService, err = newPushService(s); err != nil {
		return nil, err
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

func (s *sink) close() { // nothing is left to do
	_, _ = s.web.Close(), s.lis[1].Close()
	s.pushService.close()
}

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
			s.arrived("email", about, time.Now())
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
		"push":    "kind: push",
	}
}

func mailTo(address string) string {
	return "kind: email\nfrom: assent@example.com\n" + "to: [team@example.com]\nsmtp: smtp://" + address
}

// channels publishes channels that are told of approvals.
func (c *server) channels(ctx context.Context, docs map[string]string) error {
	if len(docs) == 0 {
		return nil
	}
	var names, all []string
	for name, doc := range docs {
		names, all = append(names, name), append(all, "channel: "+name+"\n"+doc+"\n")
	}
	all = append(all, fmt.Sprintf("notifications: default\ndigest: { off: true }\nevents: { approval.needed: [%s] }\n",
		strings.Join(names, ", ")))
	set, problems := definition.Parse("bench.yaml", []byte(strings.Join(all, "---\n")))
	if errs := definition.Errors(problems); len(errs) > 0 {
		return fmt.Errorf("%s", errs[0])
	}
	_, err := c.App.Documents.LoadSet(ctx, "bench", set)
	return err
}

// arrivals asks for 100 approvals a second and waits until each is announced on every channel.
func arrivals(ctx context.Context, b *bench, h home) (err error) {
	s, c, err := told(ctx, h)
	if err != nil {
		return err
	}
	defer func() { s.close(); err = errors.Join(err, c.close()) }()
	ids, asked, err := c.ask(ctx, b.saves)
	if err != nil {
		return err
	}
	for _, kind := range sinkKinds {
		if err := s.wait(kind, b.saves); err != nil {
			return err
		}
		var took []time.Duration
		for i, id := range ids {
			took = append(took, max(s.at[kind][id].Sub(asked[i]), 0))
		}
		b.report(latencies("approval asked → arrived by "+kind+", 100/s", took).below(worst, 5000))
	}
	return nil
}

// told starts a server with all channels, and their counterparts.
func told(ctx context.Context, h home) (*sink, *server, error) {
	s, err := newSink()
	if err != nil {
		return nil, nil, err
	}
	c, err := serve(ctx, h)
	if err != nil {
		s.close()
		return nil, nil, err
	}
	if err = s.subscribe(ctx, c.Push); err == nil {
		err = c.channels(ctx, s.documents())
	}
	if err != nil {
		s.close()
		return nil, nil, errors.Join(err, c.close())
	}
	return s, c, nil
}

// ask asks for 100 approvals a second.
func (c *server) ask(ctx context.Context, n int) (ids []string, asked []time.Time, err error) {
	asked, ids = make([]time.Time, n), make([]string, n)
	errs := make([]error, n)
	var all sync.WaitGroup
	ticks := time.NewTicker(askedEvery)
	defer ticks.Stop()
	for i := range n {
		<-ticks.C
		all.Go(func() {
			_, ids[i], errs[i] = c.waiting(ctx)
			asked[i] = time.Now()
		})
	}
	all.Wait()
	return ids, asked, errors.Join(errs...)
}

// wait waits until n approvals arrived on a channel.
func (s *sink) wait(kind string, n int) error {
	for end := time.Now().Add(time.Minute); s.count(kind) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("%d of %d approvals arrived by %s", s.count(kind), n, kind)
		}
	}
	return nil
}

// outageFor is how long the receiver of webhooks refuses them, at most.
const outageFor = 10 * time.Second

// outage asks for 100 approvals a second while webhooks are refused, and measures how long after the end of the outage
// each arrives.
func outage(ctx context.Context, b *bench, h home) (err error) {
	if !h.shared() {
		h = home(filepath.Join(string(h), "outage"))
	}
	s, c, err := told(ctx, h)
	if err != nil {
		return err
	}
	defer func() { s.close(); err = errors.Join(err, c.close()) }()
	n := min(b.saves, int(outageFor/askedEvery))
	lasts, began := time.Duration(n)*askedEvery, time.Now()
	s.down.Store(true)
	ids, _, err := c.ask(ctx, n)
	if err != nil {
		return err
	}
	time.Sleep(time.Until(began.Add(lasts)))
	s.down.Store(false)
	back := time.Now()
	if err := s.wait("webhook", n); err != nil {
		return err
	}
	var took []time.Duration
	for _, id := range ids {
		took = append(took, max(s.at["webhook"][id].Sub(back), 0))
	}
	b.report(latencies(fmt.Sprintf("webhooks refused for %s → arrived after that, 100/s", lasts), took))
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
	works, err := newSink()
	if err != nil {
		return err
	}
	defer works.close()
	kinds := []struct {
		name string
		docs map[string]string
	}{
		{"no channels", nil},
		{"mail server works", map[string]string{"email": mailTo(works.lis[1].Addr().String())}},
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
