package meter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/metrics"
	"github.com/assent-run/assent/internal/port"
)

func text(set *metrics.Set) string {
	w := httptest.NewRecorder()
	set.ServeHTTP(w, nil)
	return w.Body.String()
}

// counted is a store whose backlog is set by the test.
type counted struct {
	now   port.Backlog
	err   error
	asked int
}

func (c *counted) Backlog(context.Context) (port.Backlog, error) {
	c.asked++
	return c.now, c.err
}

// Names beyond the first ones share a series, and their counts are added up.
func TestNamesAreBounded(t *testing.T) {
	var n names
	for i := range namesMax + 50 {
		name := fmt.Sprint("w", i)
		if got := n.label(name); i < namesMax && got != name || i >= namesMax && got != other {
			t.Fatalf("%s is counted as %s", name, got)
		}
	}
	if n.label("w0") != "w0" {
		t.Error("the first name lost its series")
	}
}

// A store that fails does not empty the gauges, and is not asked at every scrape.
func TestBacklogIsCountedRarely(t *testing.T) {
	now := time.Unix(1000, 0)
	store := &counted{}
	store.now.Oldest = now.Add(-time.Minute)
	for i := range namesMax + 2 {
		store.now.Runs = append(store.now.Runs,
			port.OpenRuns{Workflow: fmt.Sprint("w", i), Status: "waiting", Count: 2})
	}
	set := new(metrics.Set)
	Watch(set, Sources{Store: store, Held: func() (int, int) { return 2, 1 },
		Running: func() map[string]int { return map[string]int{"http": 3, "go": 1} },
		Now:     func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
	want := func(lines ...string) {
		t.Helper()
		got := text(set)
		for _, line := range lines {
			if !strings.Contains(got, "\n"+line+"\n") {
				t.Errorf("%s is missing in:\n%.3000s", line, got)
			}
		}
	}
	want(`assent_runs_open{workflow="w7",status="waiting"} 2`, `assent_runs_open{workflow="other",status="waiting"} 4`,
		`assent_oldest_approval_seconds 60`, `assent_held_results 2`,
		`assent_effects_running{kind="go"} 1`, `assent_effects_running{kind="http"} 3`)
	store.err = errors.New("away")
	now = now.Add(countAgain - time.Second)
	want(`assent_oldest_approval_seconds 69`)
	now = now.Add(2 * time.Second)
	want(`assent_oldest_approval_seconds 71`)
	if store.asked != 2 {
		t.Errorf("counted %d times", store.asked)
	}
}

// A fork counts what happens in it, not what it copied.
func TestOwnEvents(t *testing.T) {
	past := []run.Event{{Fact: &run.RunStarted{}}, {Fact: &run.StepCompleted{}}}
	fork := append(past, run.Event{Fact: &run.RunForked{}}, run.Event{Fact: &run.StepStarted{}})
	if got := own(fork); len(got) != 2 {
		t.Errorf("%d events of a fork", len(got))
	}
	if got := own(past); len(got) != 2 {
		t.Errorf("%d events of a run", len(got))
	}
}
