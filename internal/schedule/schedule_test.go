package schedule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// world is what schedulers share: the store, the runs and the clock.
type world struct {
	t  *testing.T
	mu sync.Mutex
	// state of the store
	last map[string]port.Firing
	runs map[string]time.Time // id → when it was started
	ends map[string]time.Time // id → when it ends
	down bool
	// what happens to runs
	takes  time.Duration
	refuse error
	lose   func() bool // whether the answer to a write is lost

	schedules []Entry
	look      time.Duration
	leader    int
	process   int
}

func newWorld(t *testing.T, schedules ...Entry) *world {
	return &world{t: t, last: map[string]port.Firing{}, runs: map[string]time.Time{}, ends: map[string]time.Time{},
		schedules: schedules, look: time.Second, lose: func() bool { return false }}
}

func entry(name, times, zone string, late time.Duration, overlap definition.Overlap) Entry {
	return Entry{&definition.Schedule{Name: name, Cron: times, Timezone: zone, CatchUp: quantity.Of(late),
		Overlap: overlap}, time.Now()}
}

var errLost = errors.New("the connection was lost")

func (w *world) PutFiring(_ context.Context, f port.Firing) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		return port.ErrUnavailable
	}
	if old, ok := w.last[f.Schedule]; !ok || !old.At.After(f.At) {
		w.last[f.Schedule] = f
	}
	if w.lose() {
		return errLost
	}
	return nil
}

func (w *world) Firings(context.Context) (out []port.Firing, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		return nil, port.ErrUnavailable
	}
	for _, f := range w.last {
		out = append(out, f)
	}
	return out, nil
}

func (w *world) running(_ context.Context, schedule string) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		return false, port.ErrUnavailable
	}
	for id, end := range w.ends {
		if id[:len(schedule)+1] == schedule+"/" && time.Now().Before(end) {
			return true, nil
		}
	}
	return false, nil
}

func (w *world) start(_ context.Context, schedule string, at time.Time) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := schedule + "/" + at.UTC().Format(time.RFC3339)
	switch {
	case w.down:
		return "", port.ErrUnavailable
	case w.refuse != nil:
		return "", w.refuse
	}
	if _, begun := w.runs[id]; !begun {
		w.runs[id], w.ends[id] = time.Now(), time.Now().Add(w.takes)
	}
	if w.lose() {
		return "", errLost
	}
	return id, nil
}

// process is a scheduler that can be stopped.
type process struct {
	stop func()
	done sync.WaitGroup
}

func (p *process) Stop() {
	p.stop()
	p.done.Wait()
}

// begin starts a process, which leads from now on.
func (w *world) begin() *process {
	w.process++
	own := w.process
	w.mu.Lock()
	w.leader = own
	w.mu.Unlock()
	s := &Scheduler{Config: Config{Store: w, Look: w.look, Schedules: w.inForce,
		Running: w.running, Start: w.start, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Leads: func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.leader == own }}}
	ctx, stop := context.WithCancel(context.Background())
	p := &process{stop: stop}
	p.done.Go(func() { s.Run(ctx) })
	return p
}

func (w *world) inForce() []Entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.schedules
}

func (w *world) started(schedule string) (out []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.runs {
		if id[:len(schedule)+1] == schedule+"/" {
			out = append(out, id[len(schedule)+1:])
		}
	}
	slices.Sort(out)
	return out
}

func (w *world) wantStarted(schedule string, want ...string) {
	w.t.Helper()
	if got := w.started(schedule); !slices.Equal(got, want) {
		w.t.Errorf("%s started at %v, want %v", schedule, got, want)
	}
}

func (w *world) wantLast(schedule string, outcome port.FiringOutcome, at string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if f := w.last[schedule]; f.Outcome != outcome || f.At.UTC().Format(time.RFC3339) != at {
		w.t.Errorf("%s: last %v, want %s at %s", schedule, f, outcome, at)
	}
}

// The clock of a bubble starts at midnight UTC of 1 January 2000.

func TestEachTimeStartsARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, entry("a", "*/20 * * * *", "UTC", time.Hour, definition.OverlapSkip),
			entry("b", "30 0 * * *", "UTC", time.Hour, definition.OverlapSkip))
		s := w.begin()
		time.Sleep(59 * time.Minute)
		w.wantStarted("a", "2000-01-01T00:20:00Z", "2000-01-01T00:40:00Z")
		w.wantStarted("b", "2000-01-01T00:30:00Z")
		for id, at := range w.runs {
			if at.Second() != 0 || at.Nanosecond() != 0 {
				t.Errorf("%s started late: %s", id, at)
			}
		}
		s.Stop()
	})
}

func TestOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, entry("skip", "*/20 * * * *", "UTC", time.Hour, definition.OverlapSkip),
			entry("queue", "*/20 * * * *", "UTC", time.Hour, definition.OverlapQueue),
			entry("allow", "*/20 * * * *", "UTC", time.Hour, definition.OverlapAllow))
		w.takes = 30 * time.Minute
		s := w.begin()
		time.Sleep(79 * time.Minute)
		w.wantStarted("skip", "2000-01-01T00:20:00Z", "2000-01-01T01:00:00Z")
		w.wantStarted("queue", "2000-01-01T00:20:00Z", "2000-01-01T00:40:00Z") // the second one at 00:50
		w.wantStarted("allow", "2000-01-01T00:20:00Z", "2000-01-01T00:40:00Z", "2000-01-01T01:00:00Z")
		if at := w.runs["queue/2000-01-01T00:40:00Z"]; at.Minute() != 50 {
			t.Errorf("the queued run started at %s", at)
		}
		w.wantLast("queue", port.FiringStarted, "2000-01-01T00:40:00Z")
		s.Stop()
	})
}

// Times that passed while no process was running are made up for, unless that would be too late.
func TestCatchUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, entry("long", "0 * * * *", "UTC", 2*time.Hour, definition.OverlapAllow),
			entry("short", "0 * * * *", "UTC", 0, definition.OverlapAllow))
		first := w.begin()
		time.Sleep(90 * time.Minute)
		first.Stop()
		time.Sleep(4 * time.Hour) // 05:30
		w.begin().Stop()          // a process that ends before it has looked
		second := w.begin()
		time.Sleep(time.Minute)
		w.wantStarted("long", "2000-01-01T01:00:00Z", "2000-01-01T04:00:00Z", "2000-01-01T05:00:00Z")
		w.wantStarted("short", "2000-01-01T01:00:00Z")
		w.wantLast("short", port.FiringMissed, "2000-01-01T05:00:00Z")
		second.Stop()
	})
}

// Times before a schedule came into force do not count, even within its catch-up.
func TestANewVersionStartsNothingFromThePast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		s := w.begin()
		time.Sleep(90 * time.Minute)
		w.mu.Lock()
		w.schedules = []Entry{entry("a", "0 * * * *", "UTC", 24*time.Hour, definition.OverlapSkip)}
		w.mu.Unlock()
		time.Sleep(20 * time.Minute)
		w.wantStarted("a")
		time.Sleep(20 * time.Minute)
		w.wantStarted("a", "2000-01-01T02:00:00Z")
		s.Stop()
	})
}

// A run that is refused is not tried again; a store that is not available is.
func TestRefusedAndUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, entry("a", "0 * * * *", "UTC", time.Hour, definition.OverlapSkip))
		w.refuse = fault.Newf(fault.NotFound, "there is no workflow a")
		s := w.begin()
		time.Sleep(61 * time.Minute)
		w.wantLast("a", port.FiringFailed, "2000-01-01T01:00:00Z")
		w.mu.Lock()
		w.refuse = nil
		w.mu.Unlock()
		time.Sleep(58 * time.Minute)
		w.wantStarted("a")
		w.mu.Lock()
		w.down = true
		w.mu.Unlock()
		time.Sleep(5 * time.Minute)
		w.mu.Lock()
		w.down = false
		w.mu.Unlock()
		time.Sleep(2 * time.Second)
		w.wantStarted("a", "2000-01-01T02:00:00Z")
		s.Stop()
	})
}

// A process that leads again goes on where the other one stopped.
func TestLeadershipReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, entry("a", "*/20 * * * *", "UTC", time.Hour, definition.OverlapSkip))
		w.takes = 25 * time.Minute
		first := w.begin()
		time.Sleep(25 * time.Minute)
		second := w.begin()
		time.Sleep(25 * time.Minute) // 00:40 is skipped
		w.mu.Lock()
		w.leader = 1
		w.mu.Unlock()
		time.Sleep(5 * time.Minute)
		w.wantStarted("a", "2000-01-01T00:20:00Z")
		w.wantLast("a", port.FiringSkipped, "2000-01-01T00:40:00Z")
		first.Stop()
		second.Stop()
	})
}

// A process that was suspended for longer than the catch-up, and believes that it still leads, calls nothing missed
// that another one handled.
func TestSuspended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, entry("a", "0 * * * *", "UTC", 30*time.Minute, definition.OverlapAllow))
		suspended := &Scheduler{Config: Config{Store: w, Look: w.look, Schedules: w.inForce, Running: w.running,
			Start: w.start, Now: time.Now, Log: slog.New(slog.DiscardHandler)}}
		if _, err := suspended.handle(t.Context()); err != nil {
			t.Fatal(err)
		}
		other := w.begin()
		time.Sleep(3*time.Hour + time.Minute)
		other.Stop()
		time.Sleep(50 * time.Minute)
		if _, err := suspended.handle(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.wantLast("a", port.FiringStarted, "2000-01-01T03:00:00Z")
		w.wantStarted("a", "2000-01-01T01:00:00Z", "2000-01-01T02:00:00Z", "2000-01-01T03:00:00Z")
	})
}

// onTheWall looks at a clock on the wall each minute, and returns the minutes in which it is due: its hands reach a
// time that is, for the first time, or skip it.
func onTheWall(after, end time.Time, zone *time.Location, due func(hour, minute int) bool) (out []string) {
	shows := func(at time.Time) int { // minutes, by which clocks can be compared
		l := at.In(zone)
		return int(time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), 0, 0, time.UTC).Unix() / 60)
	}
	furthest := shows(after)
	for at := after.Add(time.Minute); !at.After(end); at = at.Add(time.Minute) {
		now, reached := shows(at), false
		for m := furthest + 1; m <= now; m++ {
			reached = reached || due(m/60%24, m%60)
		}
		furthest = max(furthest, now)
		if reached {
			out = append(out, at.UTC().Format(time.RFC3339))
		}
	}
	return out
}

// TestAYear is a year in five time zones, with two processes, of which one replaces the other at any time, and answers
// that are lost: each time starts exactly one run, when it is due. When that is, a clock on the wall says.
func TestAYear(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Casablanca"}
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var entries []Entry
		due := map[string]func(hour, minute int) bool{} // of each, on the clock on the wall
		for i, zone := range zones {
			nightly, often := fmt.Sprintf("nightly-%d", i), fmt.Sprintf("often-%d", i)
			entries = append(entries, entry(nightly, "30 2 * * *", zone, time.Hour, definition.OverlapAllow),
				entry(often, "*/30 1-3 * * *", zone, time.Hour, definition.OverlapAllow))
			due[nightly] = func(hour, minute int) bool { return hour == 2 && minute == 30 }
			due[often] = func(hour, minute int) bool { return hour >= 1 && hour <= 3 && minute%30 == 0 }
		}
		w := newWorld(t, entries...)
		random, losing := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 3)) // for people, and for processes
		w.lose = func() bool { return losing.IntN(10) == 0 }
		w.look = 10 * time.Minute // a second would be the same, and take an hour
		old := w.begin()
		for time.Since(begin) < 366*24*time.Hour {
			time.Sleep(time.Duration(random.IntN(5*24*3600)) * time.Second)
			next := w.begin() // from now on the other one does not lead, and may not know it yet
			old.Stop()
			old = next
		}
		end := time.Now()
		time.Sleep(time.Minute)
		old.Stop()
		for _, e := range entries {
			zone, err := time.LoadLocation(e.Timezone)
			if err != nil {
				t.Fatal(err)
			}
			want := onTheWall(begin, end, zone, due[e.Name])
			w.wantStarted(e.Name, want...)
			if len(want) < 366 {
				t.Errorf("%s has %d times", e.Name, len(want))
			}
		}
		for id, at := range w.runs {
			due, err := time.Parse(time.RFC3339, id[len(id)-20:])
			if late := at.Sub(due); err != nil || late < 0 || late > 5*w.look { // answers that are lost delay it
				t.Errorf("%s started at %s", id, at)
			}
		}
	})
}
