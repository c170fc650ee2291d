package local

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/port"
)

// An alarm with mostly outdated entries is rebuilt, and rings in order as before.
func TestAlarmStartsAfresh(t *testing.T) {
	// In a synctest bubble, so that the real timer does not fire in between.
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct{ runs, most int }{{10, 64}, {20, 80}} {
			start := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
			now := start
			var rang, names []string
			a := &alarm{ring: func(id string) { rang = append(rang, id) },
				now: func() time.Time { return now }, near: 24 * time.Hour}
			at := func(n, round int) time.Time { return start.Add(time.Duration(n+1)*time.Minute + time.Duration(round)) }
			for n := range c.runs {
				names = append(names, fmt.Sprint("run ", n))
				a.set(names[n], at(n, 0))
			}
			most := len(a.heap)
			for n := 0; len(a.heap) >= most; n++ { // the first one never moves: outdated entries are after it
				most = len(a.heap)
				a.set(names[1+n%(c.runs-1)], at(1+n%(c.runs-1), 1+n))
			}
			if most != c.most || len(a.heap) != c.runs {
				t.Errorf("with %d runs it held %d moments, and %d when it started afresh", c.runs, most, len(a.heap))
			}
			for n := range c.runs {
				now = at(n, 1000)
				if a.ringAll(); !slices.Equal(rang, names[:n+1]) {
					t.Fatalf("after %d minutes it rang for %v", n+1, rang)
				}
			}
			a.stop()
		}
	})
}

// A run that has to be woken again at the time for which the alarm rang is woken again.
func TestAlarmRingsAgainForTheSameMoment(t *testing.T) {
	// In a synctest bubble, so that the real timer does not fire in between.
	synctest.Test(t, func(t *testing.T) {
		start := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
		now, rang := start, 0
		a := &alarm{ring: func(string) { rang++ }, now: func() time.Time { return now }, near: time.Hour}
		for n := range 2 {
			now = start
			a.set("run", start.Add(time.Minute))
			now = start.Add(time.Minute)
			if a.ringAll(); rang != n+1 {
				t.Errorf("it rang %d times", rang)
			}
		}
		a.stop()
	})
}

// begun is the state of a run that was just started.
func begun(t *testing.T, id, workflow string) *machine.State {
	t.Helper()
	p, problems := plan.Compile(enginetest.Define(t, workflow))
	if p == nil {
		t.Fatal(problems)
	}
	s := machine.New(id, p)
	events, err := decide.Handle(s, decide.Env{Now: time.Now()}, run.Command{Do: run.Start{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range events {
		s.Apply(ev)
	}
	return s
}

const asking = `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"start"}]}`

// Only a leader ticks runs; a tick that the store could not take is repeated.
func TestTick(t *testing.T) {
	fenced := fault.New(fault.Conflict, "another process leads", "").With("epoch", 4)
	for _, c := range []struct {
		name           string
		epoch          int64
		draining, over bool
		err            error
		asked, again   bool
	}{
		{"it does not lead", 0, false, false, errAway, false, false},
		{"it stops", 3, true, false, errAway, false, false},
		{"the store is away", 3, false, false, errAway, true, true},
		{"the store is away at the end", 3, false, true, errAway, true, false},
		{"the run is gone", 3, false, false, fault.New(fault.NotFound, "gone", ""), true, false},
		{"another process leads", 3, false, false, fenced, true, false},
	} {
		asked := false
		e := New(Config{Store: &told{run: func(string) (port.RunRow, error) { asked = true; return port.RunRow{}, c.err }}})
		e.leading.epoch.Store(c.epoch)
		e.draining.Store(c.draining)
		if c.over {
			e.stop()
		}
		e.tick("run_1")
		e.work.Wait()
		if _, again := e.clock.at["run_1"]; asked != c.asked || again != c.again {
			t.Errorf("%s: asked %t, again %t", c.name, asked, again)
		}
		e.clock.stop()
	}
	e := New(Config{Store: &told{}})
	e.leading.epoch.Store(3)
	r := e.runs.acquire("run_1")
	r.s = begun(t, "run_1", asking)
	e.tick("run_1")
	if e.work.Wait(); len(e.clock.at) != 0 {
		t.Error("a run that had nothing to do is woken again")
	}
}

// Alarms that become due soon are loaded from the store.
func TestAlarmsOfTheStore(t *testing.T) {
	soon := time.Now().Add(30 * time.Second)
	s := &told{due: func() ([]port.DueRun, error) {
		return []port.DueRun{{Run: "run_1", At: soon}, {Run: "run_2", At: soon}}, nil
	}}
	e := New(Config{Store: s})
	if err := e.loadAlarms(t.Context()); err != nil || len(e.clock.at) != 2 || !e.clock.at["run_2"].Equal(soon) {
		t.Errorf("%v, %v", e.clock.at, err)
	}
	e.clock.stop()
	s.due = func() ([]port.DueRun, error) { return nil, errAway }
	if err := e.loadAlarms(t.Context()); !errors.Is(err, errAway) {
		t.Error(err)
	}
}
