package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/port"
)

// notebook is a concurrent log buffer.
type notebook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notebook) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(b)
}

func (n *notebook) count(what string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Count(n.text.String(), what)
}

func (n *notebook) logger() *slog.Logger { return slog.New(slog.NewTextHandler(n, nil)) }

// troubled is a store whose answers a test sets; anything else fails.
type troubled struct {
	Store
	mu   sync.Mutex
	err  error
	head port.AuditHead
	keys port.Page[port.AuditRow]
	end  func(ctx context.Context)
}

func (s *troubled) now() (error, port.AuditHead) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err, s.head
}

func (s *troubled) set(err error, head port.AuditHead) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err, s.head = err, head
}

func (s *troubled) Head(context.Context) (int64, error) {
	err, _ := s.now()
	return 0, err
}

func (s *troubled) AuditEnd(ctx context.Context) (int64, string, error) {
	if s.end != nil {
		s.end(ctx)
	}
	err, _ := s.now()
	return 0, "", err
}

func (s *troubled) LastAuditHead(context.Context) (port.AuditHead, error) {
	err, head := s.now()
	return head, err
}

func (s *troubled) AuditEntries(context.Context, port.AuditQuery) (port.Page[port.AuditRow], error) {
	return s.keys, nil
}

var errAway = fmt.Errorf("away: %w", port.ErrUnavailable)

// The leader binds events every second, and once more when it stops. Errors are reported, except for an
// unavailable store.
func TestBindingGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, store := &notebook{}, &troubled{err: errBroken}
		var leads atomic.Bool
		leads.Store(true)
		s := New(Config{Store: store, Log: log.logger(), Key: func() (*Key, error) { return nil, errBroken },
			Anchor: AnchorIn("none"), Leads: leads.Load})
		over := make(chan struct{})
		go func() { s.keepBinding(); close(over) }()
		time.Sleep(3500 * time.Millisecond)
		if n := log.count("bind events to the audit log"); n != 3 {
			t.Errorf("told %d times in 3 seconds", n)
		}
		if n := log.count("store the end of the audit log"); n != 1 {
			t.Errorf("told %d times that the end cannot be kept, and it is always the same", n)
		}
		store.set(errAway, port.AuditHead{})
		time.Sleep(3 * time.Second)
		if n := log.count("bind events to the audit log"); n != 3 {
			t.Errorf("told %d times that the store is away", n-3)
		}
		store.set(errBroken, port.AuditHead{})
		s.stop()
		<-over
		if n := log.count("bind events to the audit log"); n != 5 { // binding and signing
			t.Errorf("told %d times at the end", n-3)
		}
		end := func(s *Service, after time.Duration, then func()) int {
			was := log.count("bind events to the audit log")
			go s.keepBinding()
			time.Sleep(after)
			then()
			s.stop()
			synctest.Wait()
			return log.count("bind events to the audit log") - was
		}
		if n := end(New(s.Config), 1500*time.Millisecond, func() { leads.Store(false) }); n != 3 {
			t.Errorf("who led until just now told %d times of trouble, once at work and twice at the end", n)
		}
		alone := s.Config
		alone.Leads = nil
		if n := end(New(alone), 0, func() {}); n != 2 {
			t.Errorf("who is alone told %d times of trouble at the end", n)
		}
		told := log.count("bind events to the audit log")
		again := New(s.Config)
		go again.keepBinding()
		time.Sleep(3 * time.Second)
		again.stop()
		synctest.Wait()
		if n := log.count("bind events to the audit log"); n != told {
			t.Error("only the leader binds events")
		}
		if again.untold != "" {
			t.Error("only the leader keeps the end of the log")
		}
	})
}

// A problem at the end of the log is reported when it is new.
func TestTroubleIsToldOnce(t *testing.T) {
	log := &notebook{}
	s := New(Config{Log: log.logger()})
	for i, c := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {errAway, 0}, {fmt.Errorf("over: %w", context.Canceled), 0}, {errBroken, 1}, {errBroken, 1}, {nil, 1},
		{errors.New("something else"), 2}, {errBroken, 3},
	} {
		s.tellOnce(c.err)
		if n := log.count("store the end of the audit log"); n != c.want {
			t.Errorf("%d, %v: told %d times, not %d", i, c.err, n, c.want)
		}
	}
}

// The log is checked a second after the start, and every ten seconds after that; Stop waits for the check to
// end.
func TestSigningGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, over := &notebook{}, false
		began := time.Now()
		var looked []time.Duration
		store := &troubled{err: errBroken}
		store.end = func(ctx context.Context) {
			if looked = append(looked, time.Since(began)); len(looked) == 4 {
				<-ctx.Done()
				time.Sleep(time.Second)
				over = true
			}
		}
		s := New(Config{Store: store, Log: log.logger(), Key: func() (*Key, error) { return nil, errBroken }})
		s.Start()
		time.Sleep(35 * time.Second)
		s.Stop()
		want := []time.Duration{time.Second, 11 * time.Second, 21 * time.Second, 31 * time.Second}
		if !slices.Equal(looked, want) || !over || log.count("sign the audit log") != 3 {
			t.Errorf("looked after %v, over %t, told %d times", looked, over, log.count("sign the audit log"))
		}
	})
}

// A new leader signs soon. An unavailable store is not reported.
func TestSigningWhenLeading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, began := &notebook{}, time.Now()
		var leads atomic.Bool
		var looked []time.Duration
		store := &troubled{err: errAway}
		store.end = func(context.Context) { looked = append(looked, time.Since(began)) }
		w := &shaky{began: began}
		s := New(Config{Store: store, Log: log.logger(), Key: func() (*Key, error) { return nil, errBroken },
			Leads: leads.Load, Witnesses: []Witness{w}})
		s.Start()
		time.Sleep(5500 * time.Millisecond)
		leads.Store(true)
		time.Sleep(15 * time.Second)
		store.set(nil, port.AuditHead{})
		time.Sleep(10 * time.Second)
		s.Stop()
		if want := []time.Duration{6 * time.Second, 16 * time.Second, 26 * time.Second}; !slices.Equal(looked, want) {
			t.Errorf("looked after %v", looked)
		}
		if n := log.count("sign the audit log"); n != 0 || len(w.asked) != 0 {
			t.Errorf("told %d times of trouble, and a witness %d times of nothing", n, len(w.asked))
		}
	})
}

// shaky is a witness that refuses heads for a while.
type shaky struct {
	began time.Time
	fails int
	asked []time.Duration
	heads []int64
}

func (w *shaky) String() string { return "shaky" }

func (w *shaky) Keep(_ context.Context, h port.AuditHead, _ string) error {
	w.asked, w.heads = append(w.asked, time.Since(w.began)), append(w.heads, h.N)
	if w.fails--; w.fails >= 0 {
		return errors.New("not now")
	}
	return nil
}

// A witness that refuses is retried with backoff, and one that knows a head does not get it twice.
func TestWitnessesAreToldAgain(t *testing.T) {
	s, real := open(t)
	head, err := s.Cut(t.Context())
	must(t, err)
	keys, err := real.AuditEntries(t.Context(), port.AuditQuery{Action: ActionKey, Limit: 1})
	must(t, err)
	synctest.Test(t, func(t *testing.T) {
		log, store := &notebook{}, &troubled{head: head, keys: keys}
		w := &shaky{began: time.Now(), fails: 8}
		var leads atomic.Bool
		leads.Store(true)
		s := New(Config{Store: store, Log: log.logger(), Leads: leads.Load})
		over := make(chan struct{})
		go func() { s.keepTelling(w); close(over) }()
		time.Sleep(time.Hour)
		synctest.Wait()
		var want []time.Duration
		at := sealEvery
		for _, pause := range []time.Duration{0, 10, 20, 40, 80, 160, 320, 600, 600} {
			at += pause * time.Second
			want = append(want, at)
		}
		if !slices.Equal(w.asked, want) || log.count("did not accept the head") != 8 {
			t.Errorf("told after %v, not %v; %d times in the log", w.asked, want, log.count("did not accept the head"))
		}
		// An unavailable store is not reported, and the next head is sent soon, with the backoff reset.
		store.set(errAway, head)
		time.Sleep(time.Minute)
		next := head
		next.N++
		w.fails = 1
		n := len(w.asked)
		store.set(nil, next)
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(w.asked) != n+2 || w.asked[n+1]-w.asked[n] != witnessAgain || w.heads[n] != next.N ||
			log.count("did not accept the head") != 9 {
			t.Errorf("told after %v of %v; %d times in the log", w.asked[n:], w.heads[n:], log.count("did not accept the head"))
		}
		// Another process leads, and notifies the witnesses.
		leads.Store(false)
		n = len(w.asked)
		next.N++
		store.set(nil, next)
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(w.asked) != n {
			t.Errorf("a process that does not lead told of %v", w.heads[n:])
		}
		s.stop()
		<-over
	})
}
