package registry

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// idle is an agent that is only counted.
type idle struct{}

func (idle) Invoke(context.Context, port.Work, func(port.Progress)) (run.Result, error) {
	return run.Result{}, nil
}

// TestWorkersAreKeptForDocumentsInForce: a worker is made once per version of its
// document, and forgotten when another version is published.
func TestWorkersAreKeptForDocumentsInForce(t *testing.T) {
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	connected, ids := 0, 0
	r := New(Config{
		Store: store, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Connect:  func(*definition.Agent) (port.Agent, error) { connected++; return idle{}, nil },
		NewRunID: func(time.Time) string { ids++; return fmt.Sprintf("run_%d", ids) },
	})
	publish := func(name string, output int) {
		t.Helper()
		text := fmt.Sprintf("agent: %s\nkind: scripted\nanswers: [{ output: %d }]\n", name, output)
		doc, _, err := r.Read(definition.KindAgent, name, definition.YAML, []byte(text))
		if err == nil {
			_, _, err = r.Save(t.Context(), doc, "ann", true, Publishing{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	use := func(want int) {
		t.Helper()
		if _, ok := r.Agent("writer"); !ok || connected != want || len(r.agents.known) != 1 {
			t.Errorf("connected %d times, not %d; %d workers are kept", connected, want, len(r.agents.known))
		}
	}
	publish("writer", 1)
	use(1)
	publish("other", 1)
	use(1)
	for v := 2; v <= 4; v++ {
		publish("writer", v)
		use(v)
	}
}
