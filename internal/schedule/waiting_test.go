package schedule

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// alone is a scheduler that leads, with a log.
func (w *world) alone(log *logged) *Scheduler {
	return &Scheduler{Config: Config{Store: w, Look: w.look, Schedules: w.inForce, Running: w.running, Start: w.start,
		Now: time.Now, Log: slog.New(log), Leads: func() bool { return true }}}
}

// logged keeps what is logged.
type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) Enabled(context.Context, slog.Level) bool { return true }
func (l *logged) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logged) WithGroup(string) slog.Handler            { return l }

func (l *logged) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, r.Message)
	return nil
}

func (l *logged) count(word string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, word) {
			n++
		}
	}
	return n
}

// A scheduler wakes up for the earliest time of all schedules, in whatever order it knows them.
func TestWaitsForTheEarliestTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := entry("a", "0 3 * * *", "UTC", time.Hour, definition.OverlapSkip)
		b := entry("b", "20 1 * * *", "UTC", time.Hour, definition.OverlapSkip)
		c := entry("c", "0 2 * * *", "UTC", time.Hour, definition.OverlapSkip)
		for _, order := range [][]Entry{{a, b, c}, {b, a, c}, {c, a, b}, {a, c, b}} {
			s := newWorld(t, order...).alone(&logged{})
			next, err := s.handle(t.Context())
			if len(s.clocks) != len(order) {
				t.Errorf("it keeps %d of %d clocks", len(s.clocks), len(order))
			}
			if want := time.Now().Add(80 * time.Minute); err != nil || !next.Equal(want) {
				t.Errorf("wakes up at %v, want %v; %v", next, want, err)
			}
		}
		if next, err := newWorld(t).alone(&logged{}).handle(t.Context()); err != nil || !next.IsZero() {
			t.Errorf("without a schedule: %v, %v", next, err)
		}
	})
}

// It wakes up at the time itself between two looks, and looks for new schedules although the next time is far.
func TestLooksInBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, entry("a", "20 0 * * *", "UTC", time.Hour, definition.OverlapSkip))
		w.look = time.Minute
		time.Sleep(30 * time.Second)
		s := w.begin()
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		w.mu.Lock()
		for id, at := range w.runs {
			if at.Second() != 0 || at.Minute() != 20 {
				t.Errorf("%s started at %s", id, at)
			}
		}
		w.schedules = append(slices.Clone(w.schedules), entry("b", "25 0 * * *", "UTC", time.Hour, definition.OverlapSkip))
		w.mu.Unlock()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		w.wantStarted("a", "2000-01-01T00:20:00Z")
		w.wantStarted("b", "2000-01-01T00:25:00Z")
		s.Stop()
	})
}

// A failure is logged and tried again a look later, and stops no other schedule. One because the process stops is no
// failure.
func TestFailuresAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, entry("a", "* * * * *", "UTC", time.Hour, definition.OverlapAllow),
			entry("b", "* * * * *", "UTC", time.Hour, definition.OverlapAllow))
		log := &logged{}
		s := w.alone(log)
		s.Start = func(ctx context.Context, schedule string, at time.Time) (string, error) {
			if schedule == "a" {
				return "", errors.Join(port.ErrUnavailable, ctx.Err())
			}
			return w.start(ctx, schedule, at)
		}
		ctx, stop := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() { s.Run(ctx) })
		time.Sleep(59*time.Second + 500*time.Millisecond)
		synctest.Wait()
		if n := log.count("retrying"); n != 0 {
			t.Errorf("%d failures before anything happened", n)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if n := log.count("retrying"); n != 3 {
			t.Errorf("%d failures in three seconds", n)
		}
		w.wantStarted("b", "2000-01-01T00:01:00Z")
		stop()
		done.Wait()

		quiet := &logged{}
		s = w.alone(quiet)
		ctx, stop = context.WithCancel(t.Context())
		s.Start = func(ctx context.Context, _ string, _ time.Time) (string, error) {
			stop()
			return "", ctx.Err()
		}
		s.Run(ctx)
		if n := quiet.count("retrying"); n != 0 {
			t.Error("stopping is logged as a failure")
		}
	})
}

// A schedule whose times are not known here stops no other one, and hides no failure of another one.
func TestUnknownTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, entry("a", "* * * * *", "UTC", time.Hour, definition.OverlapAllow),
			entry("odd", "* * * * *", "Europe/Atlantis", time.Hour, definition.OverlapAllow),
			entry("b", "* * * * *", "UTC", time.Hour, definition.OverlapAllow))
		s := w.alone(&logged{})
		broken := errors.New("broken")
		s.Start = func(ctx context.Context, schedule string, at time.Time) (string, error) {
			if schedule == "a" {
				return "", broken
			}
			return w.start(ctx, schedule, at)
		}
		time.Sleep(time.Minute)
		next, err := s.handle(t.Context())
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "schedule odd: unknown time zone Europe/Atlantis") {
			t.Errorf("got %v", err)
		}
		if !next.Equal(time.Now().Add(w.look)) {
			t.Errorf("looks again at %s", next)
		}
		w.wantStarted("b", "2000-01-01T00:01:00Z")
	})
}

// Whatever has to be tried again is a look later; time does not stand still, and does not jump to the next time.
func TestTriesAgainALookLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		broken := errors.New("broken")
		for name, spoil := range map[string]func(*world, *Scheduler){
			"the times cannot be read again": func(w *world, s *Scheduler) {
				time.Sleep(2 * time.Hour)
				w.down = true
			},
			"a missed time cannot be stored": func(w *world, s *Scheduler) {
				time.Sleep(2 * time.Hour)
				w.lose = func() bool { return true }
			},
			"a run cannot be stored": func(w *world, s *Scheduler) {
				time.Sleep(20 * time.Minute)
				w.lose = func() bool { return true }
				s.Start = func(context.Context, string, time.Time) (string, error) { return "run_1", nil }
			},
			"the previous runs are not known": func(w *world, s *Scheduler) {
				time.Sleep(20 * time.Minute)
				s.Running = func(context.Context, string) (bool, error) { return false, broken }
			},
			"the previous run has not ended": func(w *world, s *Scheduler) {
				time.Sleep(20 * time.Minute)
				s.Running = func(context.Context, string) (bool, error) { return true, nil }
			},
		} {
			e := entry("a", "*/20 * * * *", "UTC", 30*time.Minute, definition.OverlapQueue)
			w := newWorld(t, e)
			s := w.alone(&logged{})
			if next, err := s.handle(t.Context()); err != nil || !next.After(time.Now()) {
				t.Fatalf("%v, %v", next, err)
			}
			spoil(w, s)
			next, err := s.handle(t.Context())
			if waits := name == "the previous run has not ended"; (err == nil) != waits ||
				!next.Equal(time.Now().Add(w.look)) {
				t.Errorf("%s: again at %v, %v after now; %v", name, next, next.Sub(time.Now()), err)
			}
			if name != "a run cannot be stored" && len(w.runs) > 0 {
				t.Errorf("%s: started %v", name, w.runs)
			}
			time.Sleep(24*time.Hour - time.Since(began)%(24*time.Hour)) // to the next midnight
		}
	})
}
