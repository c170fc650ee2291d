package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
	"github.com/assent-run/assent/internal/store/storetest/list"
)

func appendAndRead(t *testing.T, s store.Store) {
	a := fixture.New("run_1")
	if feed := a.Did(t, s, fixture.Started(`{"n":1}`), fixture.Said("one")); feed != 2 {
		t.Fatalf("the feed is at %d, want 2", feed)
	}
	if feed := a.Did(t, s, fixture.Said("two")); feed != 3 {
		t.Fatalf("the feed is at %d, want 3", feed)
	}
	all, err := s.Events(t.Context(), "run_1", 0, 100)
	fixture.Must(t, err)
	first, second := fixture.New("run_1"), fixture.New("run_1")
	second.Seq = 2
	want := append(first.Write(fixture.Started(`{"n":1}`), fixture.Said("one")).Events,
		second.Write(fixture.Said("two")).Events...)
	if len(all) != len(want) {
		t.Fatalf("got %d events, want %d", len(all), len(want))
	}
	for i, e := range want {
		fixture.WantEqual(t, "event", all[i], port.Record{Feed: int64(i) + 1, Event: e})
		if all[i].Feed != int64(i)+1 || all[i].Cause != "cmd_1" {
			t.Fatalf("event %d has feed %d and cause %q", i+1, all[i].Feed, all[i].Cause)
		}
	}
	part, err := s.Events(t.Context(), "run_1", 1, 1)
	fixture.Must(t, err)
	if len(part) != 1 || part[0].Seq != 2 {
		t.Fatalf("behind 1, one: got %v", part)
	}
	none, err := s.Events(t.Context(), "run_2", 0, 10)
	fixture.Must(t, err)
	if len(none) != 0 {
		t.Fatalf("events of no run: %v", none)
	}
	head, err := s.Head(t.Context())
	fixture.Must(t, err)
	if head != 3 {
		t.Fatalf("head is %d, want 3", head)
	}
}

func appendGuards(t *testing.T, s store.Store) {
	a := fixture.New("run_1")
	early := fixture.New("run_1")
	early.Seq = 4
	_, err := s.Append(t.Context(), early.Write(fixture.Said("too early")))
	fixture.WantCode(t, err, fault.Conflict)
	a.Did(t, s, fixture.Started(`{}`))
	_, err = s.Append(t.Context(), fixture.New("run_1").Write(fixture.Started(`{}`)))
	fixture.WantCode(t, err, fault.Conflict)
	a.Did(t, s, fixture.Said("one"))
	late := fixture.New("run_1")
	late.Seq = 1
	_, err = s.Append(t.Context(), late.Write(fixture.Said("too late")))
	fixture.WantCode(t, err, fault.Conflict)
	fixture.WantDense(t, s, "run_1", 2)
	head, err := s.Head(t.Context())
	fixture.Must(t, err)
	if head != 2 {
		t.Fatalf("refused writes moved the feed to %d", head)
	}
}

// appendRace lets 50 goroutines write to one run: each number has one winner.
func appendRace(t *testing.T, s store.Store) {
	const writers, rounds = 50, 20
	fixture.New("run_1").Did(t, s, fixture.Started(`{}`))
	var won [rounds]atomic.Int32
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			a := fixture.New("run_1")
			a.Seq = 1
			for round := range rounds {
				_, err := s.Append(context.Background(), a.Write(fixture.Said(fmt.Sprintf("%d in round %d", i, round))))
				switch {
				case err == nil:
					won[round].Add(1)
				case !fault.Is(err, fault.Conflict):
					t.Errorf("the loser got %v, want a conflict", err)
				}
				a.Seq++
			}
		})
	}
	wg.Wait()
	for round := range rounds {
		if n := won[round].Load(); n != 1 {
			t.Errorf("round %d was won by %d writers", round, n)
		}
	}
	fixture.WantDense(t, s, "run_1", 1+rounds)
	row, err := s.Run(t.Context(), "run_1")
	fixture.Must(t, err)
	if row.Seq != 1+rounds {
		t.Errorf("the row says %d", row.Seq)
	}
}

// appendAtomic: a write with anything invalid in it leaves nothing behind.
func appendAtomic(t *testing.T, s store.Store) {
	other := fixture.New("run_other")
	w := other.Write(fixture.Started(`{}`))
	w.Approvals = []port.ApprovalRow{list.Approval("apr_taken", "run_other")}
	w.Deliverables = []port.DeliverableRow{fixture.Deliverable("dlv_taken", "run_other", 0)}
	other.Store(t, s, w)
	bad := map[string]func(*port.Write){
		"event of another run":       func(w *port.Write) { w.Events[0].Run = "run_2" },
		"gap in the numbers":         func(w *port.Write) { w.Events[1].Seq++ },
		"row of another run":         func(w *port.Write) { w.Row.ID = "run_2" },
		"row behind the events":      func(w *port.Write) { w.Row.Seq-- },
		"no workflow":                func(w *port.Write) { w.Row.Workflow = "" },
		"approval of another run":    func(w *port.Write) { w.Approvals[0].Run = "run_2" },
		"approval without a status":  func(w *port.Write) { w.Approvals[0].Status = "" },
		"approval twice":             func(w *port.Write) { w.Approvals = append(w.Approvals, w.Approvals[0]) },
		"approval id taken":          func(w *port.Write) { w.Approvals[0].ID = "apr_taken" },
		"deliverable of another run": func(w *port.Write) { w.Deliverables[0].Run = "run_2" },
		"deliverable id taken":       func(w *port.Write) { w.Deliverables[0].ID = "dlv_taken" },
		"NUL in an id":               func(w *port.Write) { w.Approvals[0].ID = "apr_\x00" },
		"time before 1970":           func(w *port.Write) { w.Row.DueAt = time.Date(1, 2, 3, 0, 0, 0, 0, time.UTC) },
		"no fact":                    func(w *port.Write) { w.Events[1].Fact = nil },
		"negative":                   func(w *port.Write) { w.After = -1 },
		"empty answer key":           func(w *port.Write) { w.Answer = &port.Answer{At: fixture.Began} },
	}
	for name, spoil := range bad {
		a := fixture.New("run_1")
		w := a.Write(fixture.Started(`{}`), fixture.Said("x"))
		w.Approvals = []port.ApprovalRow{list.Approval("apr_1", "run_1")}
		w.Deliverables = []port.DeliverableRow{fixture.Deliverable("dlv_1", "run_1", 0)}
		w.Answer = &port.Answer{Key: "k", At: fixture.Began}
		w.Snapshot = []byte(`{}`)
		spoil(&w)
		if _, err := s.Append(t.Context(), w); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
	wantNothing(t, s)
}

// wantNothing checks that run_1 does not exist.
func wantNothing(t *testing.T, s store.Store) {
	t.Helper()
	_, err := s.Run(t.Context(), "run_1")
	fixture.WantCode(t, err, fault.NotFound)
	_, err = s.Approval(t.Context(), "apr_1")
	fixture.WantCode(t, err, fault.NotFound)
	_, err = s.Deliverable(t.Context(), "dlv_1")
	fixture.WantCode(t, err, fault.NotFound)
	if _, ok, err := s.Answer(t.Context(), "k"); ok || err != nil {
		t.Errorf("an answer is there: %v", err)
	}
	if seq, state, err := s.Snapshot(t.Context(), "run_1", 100); seq != 0 || state != nil || err != nil {
		t.Errorf("a snapshot is there: %d %s %v", seq, state, err)
	}
	fixture.WantDense(t, s, "run_1", 0)
	head, err := s.Head(t.Context())
	fixture.Must(t, err)
	if head != 1 {
		t.Errorf("the feed is at %d, want 1", head)
	}
}

// appendNeighbours: writes that share a commit with invalid ones are stored.
func appendNeighbours(t *testing.T, s store.Store) {
	owner := fixture.New("run_owner")
	w := owner.Write(fixture.Started(`{}`))
	w.Approvals = []port.ApprovalRow{list.Approval("apr_taken", "run_owner")}
	owner.Store(t, s, w)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			a := fixture.New(fixture.RunID(i))
			w := a.Write(fixture.Started(`{}`), fixture.Said("x"))
			if i%3 == 0 {
				w.Approvals = []port.ApprovalRow{list.Approval("apr_taken", a.ID)}
			} else {
				w.Approvals = []port.ApprovalRow{list.Approval("apr_"+a.ID, a.ID)}
			}
			_, err := s.Append(context.Background(), w)
			if bad := i%3 == 0; bad != fault.Is(err, fault.Invalid) || !bad && err != nil {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	all, end := fixture.ReadFeed(t, s, 0, 10, port.FeedFilter{})
	if end != 1+40*2 || len(all) != 1+40*2 {
		t.Errorf("the feed has %d events and ends at %d", len(all), end)
	}
}

func appendCancelled(t *testing.T, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Append(ctx, fixture.New("run_1").Write(fixture.Started(`{}`)))
	if err == nil {
		fixture.WantDense(t, s, "run_1", 1)
		return
	}
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	fixture.WantDense(t, s, "run_1", 0)
}
