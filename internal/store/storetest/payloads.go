package storetest

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
	"github.com/assent-run/assent/internal/store/storetest/list"
)

// held is everything that a store returns about a run, as text.
func held(t *testing.T, s store.Store, id string) string {
	t.Helper()
	ctx, bare := t.Context(), strings.TrimPrefix(id, "run_")
	var all strings.Builder
	add := func(v any, err error) {
		if err != nil && !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
		raw, err := value.Marshal(v)
		fixture.Must(t, err)
		all.Write(raw)
	}
	for after := int64(0); ; {
		events, err := s.Events(ctx, id, after, 10)
		fixture.Must(t, err)
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			add(e.Event, nil)
			after = e.Seq
		}
	}
	_, state, err := s.Snapshot(ctx, id, 1<<60)
	add(state, err)
	row, err := s.Run(ctx, id)
	add(row, err)
	ap, err := s.Approval(ctx, "apr_"+bare+"_1")
	add(ap, err)
	made, err := s.Deliverables(ctx, port.DeliverableQuery{Run: id, All: true})
	add(made, err)
	answer, _, err := s.Answer(ctx, "k-"+id)
	add(string(answer.Answer), err)
	review, err := s.Version(ctx, "review", "apr_"+bare+"_1", -1)
	add(review, err)
	for n := range 2 {
		lesson, err := s.Version(ctx, "lesson", "apr_"+bare+"_1", n+1)
		add(lesson, err)
	}
	for _, target := range []string{id, "apr_" + bare + "_1"} {
		entries, err := s.AuditEntries(ctx, port.AuditQuery{Target: target, Limit: 100})
		fixture.Must(t, err)
		for _, e := range entries.Items {
			all.Write(e.Open)
		}
	}
	return all.String()
}

// removePayloads: payloads are deleted, history stays, and other runs are not affected.
func removePayloads(t *testing.T, s store.Store) {
	ctx := t.Context()
	a, other := fixture.Holding(t, s, "run_gone"), fixture.Holding(t, s, "run_stays")
	if n := strings.Count(held(t, s, a.ID), fixture.Sent); n < 19 {
		t.Fatalf("it holds %d, which is too little to look at", n)
	}
	before, err := s.Events(ctx, a.ID, 0, 100)
	fixture.Must(t, err)
	fixture.WantCode(t, s.RemovePayloads(ctx, a.ID), fault.Conflict) // unreferenced
	order := port.Removal{Run: a.ID, By: run.Actor{Kind: run.Person, Name: "ann"}, Reason: "asked for",
		At: fixture.Began.Add(2 * time.Hour)}
	got, err := s.OrderRemoval(ctx, order)
	fixture.Must(t, err)
	fixture.WantEqual(t, "order", got, order)
	again := order
	again.Reason, again.By.Name = "another", "bob"
	got, err = s.OrderRemoval(ctx, again)
	fixture.Must(t, err)
	fixture.WantEqual(t, "the first order", got, order)
	open, err := s.OpenRemovals(ctx, 10)
	fixture.Must(t, err)
	fixture.WantEqual(t, "open", open, []port.Removal{order})
	blob := blobOf(t, before)
	for range 2 { // repeating it is fine
		fixture.Must(t, s.RemovePayloads(ctx, a.ID))
		if text := held(t, s, a.ID); strings.Contains(text, fixture.Sent) {
			i := strings.Index(text, fixture.Sent)
			t.Fatalf("something is left: %s", text[max(i-300, 0):min(i+50, len(text))])
		}
	}
	fixture.WantEqual(t, "left for a second look", list.LooksOf(t, s, port.SecondLookQuery{}),
		[]string{other.ID + " draft 0.8"})
	if r, _, err := s.OpenBlob(ctx, blob); !fault.Is(err, fault.NotFound) {
		t.Errorf("the bytes are left: %v", err)
		if err == nil {
			_ = r.Close()
		}
	}
	after, err := s.Events(ctx, a.ID, 0, 100)
	fixture.Must(t, err)
	if len(after) != len(before) {
		t.Fatalf("%d events, not %d", len(after), len(before))
	}
	for i := range after {
		if after[i].Feed != before[i].Feed || after[i].Seq != before[i].Seq || !after[i].At.Equal(before[i].At) ||
			after[i].Fact.Type() != before[i].Fact.Type() || after[i].Actor != before[i].Actor {
			t.Errorf("event %d is another: %+v", i+1, after[i])
		}
	}
	row, err := s.Run(ctx, a.ID)
	fixture.Must(t, err)
	if row.Subject != "" || row.Error != run.RemovedText || len(row.Labels) != 0 || row.Owner != a.Row.Owner ||
		row.Status != run.Completed || row.SnapshotSeq != 0 {
		t.Errorf("%+v", row)
	}
	order.Done = true
	got, err = s.OrderRemoval(ctx, again)
	fixture.Must(t, err)
	fixture.WantEqual(t, "done", got, order)
	if open, err = s.OpenRemovals(ctx, 10); err != nil || len(open) != 0 {
		t.Errorf("%v, %v", open, err)
	}
	if n := strings.Count(held(t, s, other.ID), fixture.Sent); n < 19 {
		t.Errorf("another run holds %d only", n)
	}
	kept, err := s.Events(ctx, other.ID, 0, 100)
	fixture.Must(t, err)
	r, _, err := s.OpenBlob(ctx, blobOf(t, kept))
	fixture.Must(t, err)
	content, err := io.ReadAll(r)
	fixture.Must(t, err)
	fixture.Must(t, r.Close())
	if !bytes.Contains(content, []byte(fixture.Sent)) {
		t.Errorf("its bytes are %s", content)
	}
	rows, err := s.AuditRows(ctx, 0, 100)
	fixture.Must(t, err)
	for i, e := range rows { // the chain is unchanged
		prev := port.AuditStart
		if i > 0 {
			prev = rows[i-1].Hash
		}
		if port.AuditHash(prev, e.Body) != e.Hash {
			t.Errorf("entry %d is not as it was", e.N)
		}
	}
}

func blobOf(t *testing.T, events []port.Record) string {
	t.Helper()
	for _, e := range events {
		if f, ok := e.Fact.(*run.DeliverableCreated); ok {
			id, _ := value.Get(f.Deliverable.Content, "$blob")
			text, _ := value.Text(id)
			return text
		}
	}
	t.Fatal("no blob")
	return ""
}

// removalGuards: what may be deleted, and what is found.
func removalGuards(t *testing.T, s store.Store) {
	ctx := t.Context()
	open := fixture.New("run_open")
	open.Store(t, s, open.Write(fixture.Started(`{}`)))
	child, late := fixture.Ended(fixture.New("run_child"), time.Hour), fixture.Ended(fixture.New("run_late"), 50*time.Hour)
	child.Row.Parent = open.ID
	old, fork := fixture.Ended(fixture.New("run_old"), time.Hour), fixture.Ended(fixture.New("run_fork"), time.Hour)
	retry := fixture.Ended(fixture.New("run_retry"), time.Hour)
	fork.Row.ForkedFrom, retry.Row.RetryOf = old.ID, old.ID
	sub := fixture.Ended(fixture.New("run_sub"), time.Hour)
	sub.Row.Parent = old.ID
	for _, a := range []*fixture.Author{child, late, old, fork, retry, sub} {
		a.Store(t, s, a.Write(fixture.Started(`{}`)))
	}
	_, err := s.OrderRemoval(ctx, port.Removal{Run: open.ID, Reason: "x", At: fixture.Began})
	fixture.WantCode(t, err, fault.Conflict)
	_, err = s.OrderRemoval(ctx, port.Removal{Run: "run_none", Reason: "x", At: fixture.Began})
	fixture.WantCode(t, err, fault.NotFound)
	find := func(ended time.Duration) string {
		ids, err := s.Removable(ctx, fixture.Began.Add(ended), 100)
		fixture.Must(t, err)
		return fmt.Sprint(ids)
	}
	fixture.WantEqual(t, "old ones", find(2*time.Hour), "[run_fork run_old run_retry run_sub]")
	fixture.WantEqual(t, "all", find(100*time.Hour), "[run_fork run_late run_old run_retry run_sub]")
	_, err = s.OrderRemoval(ctx, port.Removal{Run: old.ID, Reason: "x", At: fixture.Began})
	fixture.Must(t, err)
	fixture.WantEqual(t, "without those in order", find(2*time.Hour), "[run_fork run_retry run_sub]")
	fixture.Must(t, s.DropRemoval(ctx, old.ID))
	fixture.WantEqual(t, "taken back", find(2*time.Hour), "[run_fork run_old run_retry run_sub]")
	subs, copies, err := s.Relatives(ctx, old.ID)
	fixture.Must(t, err)
	fixture.WantEqual(t, "relatives", fmt.Sprint(subs, copies), "[run_sub] [run_fork run_retry]")
	if subs, copies, err = s.Relatives(ctx, late.ID); err != nil || len(subs)+len(copies) != 0 {
		t.Errorf("%v %v %v", subs, copies, err)
	}
}
