package schedule_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/schedule"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// begun is an engine that remembers what it was told to begin.
type begun struct {
	port.Engine
	start  run.Start
	by     run.Actor
	flow   string
	refuse error
}

func (b *begun) Begin(
	_ context.Context, id string, def *plan.Definition, c run.Command, _ port.Answering,
) (port.Receipt, error) {
	b.start, b.by, b.flow = c.Do.(run.Start), c.By, def.Workflow.Name
	return port.Receipt{}, b.refuse
}

// broken is a store whose reads fail.
type broken struct {
	schedule.Store
	err error
}

func (b broken) Firings(context.Context) ([]port.Firing, error)     { return nil, b.err }
func (b broken) Run(context.Context, string) (port.RunRow, error)   { return port.RunRow{}, b.err }
func (b broken) PutFiring(ctx context.Context, f port.Firing) error { return b.Store.PutFiring(ctx, f) }

// listed is a store with some runs.
type listed struct {
	schedule.Store
	runs  int
	asked port.RunQuery
}

func (l *listed) Runs(_ context.Context, q port.RunQuery) (port.Page[port.RunRow], error) {
	l.asked = q
	return port.Page[port.RunRow]{Items: make([]port.RunRow, l.runs)}, nil
}

// TestHost: the schedules in force are shown to those who may see them, with their next times and the last one, and a
// time starts the run of its schedule once.
func TestHost(t *testing.T) {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	docs := registry.New(registry.Config{Store: store, Now: func() time.Time { return now },
		Log: slog.New(slog.DiscardHandler), NewRunID: engine.NewRunID,
		Connect: func(*definition.Agent) (port.Agent, error) { return nil, nil }})
	set, problems := definition.Parse("all.yaml", []byte(`
workflow: w
steps: [{ id: ask, human: { title: Look } }]
---
schedule: daily
cron: "0 10 * * *"
timezone: UTC
workflow: w
input: { n: 1 }
---
schedule: plain
cron: "30 * * * *"
timezone: UTC
workflow: w
---
schedule: resting
cron: "0 10 * * *"
timezone: UTC
workflow: w
enabled: false
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if err := docs.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := docs.LoadSet(t.Context(), "ann", set); err != nil {
		t.Fatal(err)
	}
	host := &schedule.Host{Store: store, Registry: docs, RunIDOf: engine.RunIDOf, Now: func() time.Time { return now }}
	last := port.Firing{Schedule: "daily", At: now.Add(-23 * time.Hour), Outcome: port.FiringFailed, Cause: "refused"}
	if err := store.PutFiring(t.Context(), last); err != nil {
		t.Fatal(err)
	}

	views, err := host.Views(t.Context(), func(s *definition.Schedule) bool { return s.Name != "plain" })
	if err != nil || len(views) != 2 || views[0].Name != "daily" || views[1].Name != "resting" {
		t.Fatalf("%+v, %v", views, err)
	}
	daily, resting := views[0], views[1]
	if len(daily.Next) != 5 || !daily.Next[0].Equal(now.Add(time.Hour)) || !daily.Next[4].Equal(now.Add(97*time.Hour)) ||
		!daily.Enabled || daily.Workflow != "w" {
		t.Errorf("%+v", daily)
	}
	if f := daily.Last; f == nil || !f.At.Equal(last.At) || f.Outcome != port.FiringFailed || f.Cause != "refused" {
		t.Errorf("last: %+v", f)
	}
	if len(resting.Next) != 0 || resting.Enabled || resting.Last != nil {
		t.Errorf("%+v", resting)
	}
	for n := range 2 {
		list := &listed{Store: store, runs: n}
		host.Store = list
		if busy, err := host.Running(t.Context(), "daily"); err != nil || busy != (n > 0) {
			t.Errorf("with %d runs: %v, %v", n, busy, err)
		}
		daily := run.Actor{Kind: run.Schedule, Name: "daily"}
		if q := list.asked; q.Owner != daily.Key() || len(q.Status) != 3 || slices.ContainsFunc(q.Status, run.Status.Ended) {
			t.Errorf("asked for %+v", q)
		}
	}
	away := errors.New("away")
	host.Store = broken{store, away}
	if _, err := host.Views(t.Context(), func(*definition.Schedule) bool { return true }); !errors.Is(err, away) {
		t.Errorf("views: %v", err)
	}
	made := &begun{}
	host.Engine = made
	if _, err := host.Start(t.Context(), "daily", now); !errors.Is(err, away) || made.flow != "" {
		t.Errorf("started without knowing whether it was: %v", err)
	}
	host.Store = store
	if names := len(host.Entries()); names != 2 {
		t.Errorf("%d entries", names)
	}

	id, err := host.Start(t.Context(), "daily", now)
	if err != nil || id != engine.RunIDOf("daily", now) || made.flow != "w" || string(made.start.Input) != `{"n":1}` ||
		made.by.Kind != run.Schedule || made.by.Name != "daily" || made.start.Owner != made.by.Key() {
		t.Errorf("%s, %v: %+v", id, err, made)
	}
	if _, err := host.Start(t.Context(), "plain", now); err != nil || string(made.start.Input) != `{}` {
		t.Errorf("%v, input %s", err, made.start.Input)
	}
	made.flow = ""
	if _, err := host.Start(t.Context(), "gone", now); !fault.Is(err, fault.NotFound) || made.flow != "" {
		t.Errorf("%v", err)
	}
	made.refuse = fault.New(fault.Invalid, "no", "")
	if _, err := host.Start(t.Context(), "daily", now); !fault.Is(err, fault.Invalid) {
		t.Errorf("refused: %v", err)
	}
	// Another process was faster, or says so and has no such run.
	made.refuse = fault.New(fault.Conflict, "it exists", "")
	if _, err := host.Start(t.Context(), "daily", now); !fault.Is(err, fault.NotFound) {
		t.Errorf("conflict without a run: %v", err)
	}
}
