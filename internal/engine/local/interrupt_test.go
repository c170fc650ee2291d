package local_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// interrupted is a store to which a deliverable is being written when the engine stops.
type interrupted struct {
	local.Store
	writing chan struct{}        // closed when a deliverable is being written
	agent   chan context.Context // that of the agent, which ends with the engine
	put     func(context.Context) error
}

func (s *interrupted) PutBlob(ctx context.Context, r io.Reader, most int64) (string, int64, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return "", 0, err
	}
	select {
	case <-s.writing:
	default:
		close(s.writing)
		<-(<-s.agent).Done()
	}
	if err := s.put(ctx); err != nil {
		return "", 0, err
	}
	return s.Store.PutBlob(ctx, bytes.NewReader(content), most)
}

// TestStoppingIsNobodysFailure: an agent has done its work, and its deliverable is being stored when the engine stops.
// The work is stored, or it stays owed and the next process requests it again. The agent did not fail.
func TestStoppingIsNobodysFailure(t *testing.T) {
	for name, c := range map[string]struct {
		put   func(context.Context) error
		calls int
	}{
		"the store takes it":        {context.Context.Err, 1},
		"the store is not there":    {func(context.Context) error { return fmt.Errorf("%w: gone", port.ErrUnavailable) }, 2},
		"the connection is stopped": {func(context.Context) error { return context.Canceled }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			status, blamed, calls := interrupt(t, c.put, c.calls > 1)
			if status != run.Completed || calls != c.calls || blamed != "" {
				t.Errorf("the run is %s after %d calls, not %d; blamed: %q", status, calls, c.calls, blamed)
			}
		})
	}
}

// interrupt stops an engine while it stores a deliverable, and lets another one finish if that one cannot. It returns
// what the agent was blamed for.
func interrupt(t *testing.T, put func(context.Context) error, again bool) (status run.Status, blamed string,
	calls int) {
	inner, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close() //nolint:errcheck // the test is over
	store := &interrupted{Store: inner, writing: make(chan struct{}), agent: make(chan context.Context, 1), put: put}
	recorded, ended := make(chan string, 10), make(chan run.Status, 1)
	committed := func(_ *machine.State, r port.Receipt) {
		for _, e := range r.Events {
			switch f := e.Fact.(type) {
			case *run.StepFailed:
				recorded <- f.Error.Message
			case *run.StepRetrying:
				recorded <- f.Error.Message
			case *run.RunCompleted:
				ended <- run.Completed
			case *run.RunFailed:
				ended <- run.Failed
			}
		}
	}
	asked := make(chan struct{}, 10)
	around := enginetest.Surroundings{Agent: func(ctx context.Context, _ port.Work) (run.Result, error) {
		asked <- struct{}{}
		select {
		case store.agent <- ctx:
		default:
		}
		return run.Result{Output: []byte(`1`),
			Deliverables: []run.Deliverable{{Name: "report.md", Type: "document", Content: []byte(`"# Paid"`)}}}, nil
	}}
	e := on(t, store, false, around, committed)
	def := enginetest.Define(t, `{"workflow":"pay","steps":[{"id":"a","agent":"x"}]}`)
	if _, err := e.Begin(t.Context(), engine.NewRunID(time.Now()), def, run.Command{Do: run.Start{}}, nil); err != nil {
		t.Fatal(err)
	}
	<-store.writing
	now, cancel := context.WithCancel(t.Context())
	cancel()
	_ = e.Stop(now) // it does not wait for what is under way
	if again {
		next := on(t, inner, false, around, committed)
		defer next.Stop(context.Background()) //nolint:errcheck // the test is over
	}
	select {
	case status = <-ended:
	case blamed = <-recorded:
		return status, blamed, len(asked)
	case <-time.After(2 * time.Minute):
		t.Fatal("the run did not end")
	}
	if len(recorded) > 0 {
		blamed = <-recorded
	}
	return status, blamed, len(asked)
}
