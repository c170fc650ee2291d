package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// TestSpoiledCommit: a job that fails in the middle of a group does not affect the others, and leaves nothing
// behind.
func TestSpoiledCommit(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // only a test
	spoiled := errors.New("spoiled")
	// The first job keeps the writer busy until all the others wait.
	hold, held := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		// holds only
		_ = s.writer.queue.Do(context.Background(), &job{do: func(*tx) error { close(held); <-hold; return nil }})
	})
	<-held
	errs := make([]error, 30)
	for i := range errs {
		wg.Go(func() {
			errs[i] = s.writer.queue.Do(context.Background(), &job{do: func(t *tx) error {
				if i%10 == 1 {
					return fault.Newf(fault.Conflict, "refused")
				}
				if err := t.exec(`INSERT INTO bundles (digest, bundle) VALUES (?, ?)`, fmt.Sprint(i), []byte("{}")); err != nil {
					return err
				}
				if i%10 == 2 {
					return spoiled
				}
				return nil
			}})
		})
	}
	close(hold)
	wg.Wait()
	for i, err := range errs {
		_, found := s.Bundle(t.Context(), fmt.Sprint(i))
		switch i % 10 {
		case 1:
			if !fault.Is(err, fault.Conflict) || found == nil {
				t.Errorf("job %d: %v, %v", i, err, found)
			}
		case 2:
			if !errors.Is(err, spoiled) || found == nil {
				t.Errorf("job %d: %v, %v", i, err, found)
			}
		default:
			if err != nil || found != nil {
				t.Errorf("job %d: %v, %v", i, err, found)
			}
		}
	}
}

// TestRolledBackIsForgotten: the writer's cache of runs and shares matches the database, even after a failed
// commit.
func TestRolledBackIsForgotten(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // only a test
	now := time.Now().UTC()
	write := func(after int64) port.Write {
		return port.Write{
			Run: "run_1", After: after,
			Events: []run.Event{{Run: "run_1", Seq: after + 1, At: now, Fact: &run.RunWaiting{}}},
			Row: port.RunRow{ID: "run_1", Workflow: "w", Status: run.Waiting, Seq: after + 1, StepsDone: int(after),
				DueAt: now, Busy: after > 0},
			Approvals: []port.ApprovalRow{{ID: "apr_1", Run: "run_1", Workflow: "w", Status: "pending",
				Version: int(after), RequestedAt: now}},
		}
	}
	spoiled := errors.New("spoiled")
	for after := range int64(3) {
		e, err := s.entry(write(after))
		if err != nil {
			t.Fatal(err)
		}
		err = s.writer.queue.Do(t.Context(), &job{do: func(t *tx) error { return errors.Join(e.store(t), spoiled) }})
		if !errors.Is(err, spoiled) {
			t.Fatal(err)
		}
		if _, err := s.Append(t.Context(), write(after)); err != nil {
			t.Fatalf("after %d: %v", after, err)
		}
		if _, err := s.Append(t.Context(), write(after)); !fault.Is(err, fault.Conflict) {
			t.Errorf("the same again: %v", err)
		}
		row, err := s.Run(t.Context(), "run_1")
		if err != nil || row.Seq != after+1 || row.StepsDone != int(after) || row.Busy != (after > 0) ||
			!row.DueAt.Equal(now) {
			t.Errorf("after %d: %+v, %v", after, row, err)
		}
	}
	page, err := s.Approvals(t.Context(), port.ApprovalQuery{Workflow: "w"})
	if err != nil || len(page.Items) != 1 {
		t.Errorf("%d found: %v", len(page.Items), err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestRolledBackEntries: entries of a failed commit leave nothing in the chain; the next ones follow the
// stored ones.
func TestRolledBackEntries(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // only a test
	draft := port.AuditDraft{At: time.Unix(1, 0), Actor: run.Actor{Kind: run.System}, Action: "x"}
	if _, err := s.AppendAudit(t.Context(), draft); err != nil {
		t.Fatal(err)
	}
	spoiled := errors.New("spoiled")
	err = s.writer.queue.Do(t.Context(), &job{do: func(t *tx) error {
		form, err := draft.Form()
		if err != nil {
			return err
		}
		t.audit([]*port.AuditForm{form})
		return spoiled
	}})
	if !errors.Is(err, spoiled) {
		t.Fatal(err)
	}
	n, err := s.AppendAudit(t.Context(), draft)
	if err != nil || n != 2 {
		t.Fatalf("%d, %v", n, err)
	}
	rows, err := s.AuditRows(t.Context(), 0, 10)
	if err != nil || len(rows) != 2 {
		t.Fatalf("%+v, %v", rows, err)
	}
	if port.AuditHash(rows[0].Hash, rows[1].Body) != rows[1].Hash {
		t.Error("the second entry does not follow the first")
	}
}
