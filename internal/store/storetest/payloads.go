package storetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

// sent is what people and agents sent; large ones do not fit into rows.
const sent = "sent-by-somebody"

// holding is a run that ended and holds something everywhere.
func holding(t *testing.T, s store.Store, id string) *author {
	t.Helper()
	a := ended(newAuthor(id), time.Hour)
	a.row.EndedAt = time.Now().UTC() // what was stored since may be for somebody else
	a.row.Subject = "refund for " + sent
	a.row.Error, a.row.Labels = "it failed because of "+sent, map[string]string{"for": sent}
	blob, size, err := s.PutBlob(t.Context(), strings.NewReader(sent+" in a file of "+id), 1000)
	must(t, err)
	bare := strings.TrimPrefix(id, "run_")
	quoted := json.RawMessage(`"` + sent + `"`)
	large := value.Quote(strings.Repeat(sent+" ", 200_000))
	ap := gate.Open(gate.Request{ID: "apr_" + bare + "_1", Title: sent, Reasoning: sent, Proposed: quoted,
		Terms: gate.Terms{Quorum: 1, Acts: []gate.Act{gate.Approve}}}, began)
	ap.Settle(gate.Outcome{Status: gate.Approved, Act: gate.Approve, By: "ann", Comment: sent}, began.Add(time.Minute))
	body, err := value.Marshal(ap)
	must(t, err)
	d := deliverable("dlv_"+bare+"_1", id, 0)
	d.Name, d.Description, d.URL, d.Blob, d.Size = sent, sent, "https://example.com/"+sent, blob, size
	w := a.write(&run.RunStarted{Workflow: "refund", Input: quoted, Owner: "ann", Labels: map[string]string{"for": sent}},
		&run.ApprovalNeeded{Request: ap.Request},
		&run.DeliverableCreated{Step: "draft",
			Deliverable: run.Deliverable{Name: sent, Content: json.RawMessage(`{"$blob":"` + blob + `"}`)}})
	w.Approvals = []port.ApprovalRow{{
		ID: ap.ID, Run: id, Workflow: "refund", Kind: "approval", Reason: "gate", Status: "approved", Title: sent,
		Version: 1, RequestedAt: began, SettledAt: began.Add(time.Minute), Body: body,
	}}
	w.Deliverables = []port.DeliverableRow{d}
	w.Answer = &port.Answer{Key: "k-" + id, Body: "digest", Status: 201,
		Answer: []byte(`{"id":"` + id + `","input":"` + sent + `"}`), At: began}
	w.Audit = []port.AuditDraft{{At: began, Actor: run.Actor{Kind: run.Person, Name: "ann"}, Action: "run.started",
		Target: id, Run: id, Sealed: []port.Sealed{{Name: "input", Value: quoted}}}}
	a.store(t, s, w)
	w = a.write(&run.StepCompleted{Step: "draft", Result: &run.Result{Output: large, Reasoning: sent}},
		&run.ReviewSuggested{Step: "draft", Confidence: 0.8}, &run.RunCompleted{Output: large})
	w.Snapshot = json.RawMessage(`{"state":` + string(large) + `}`)
	a.store(t, s, w)
	review := port.Version{ID: "doc_" + bare, Kind: "review", Name: ap.ID, Digest: "sha256:" + bare,
		Body: json.RawMessage(`{"agree":false,"comment":"` + sent + `","by":"ann"}`), By: "ann", At: began}
	_, _, err = s.SaveVersion(t.Context(), review, port.AuditDraft{
		At: began, Actor: run.Actor{Kind: run.Person, Name: "ann"}, Action: "sample.reviewed", Target: ap.ID,
		Sealed: []port.Sealed{{Name: "comment", Value: quoted}},
	})
	must(t, err)
	return a
}

// held is everything that a store tells about a run, as text.
func held(t *testing.T, s store.Store, id string) string {
	t.Helper()
	ctx, bare := t.Context(), strings.TrimPrefix(id, "run_")
	var all strings.Builder
	add := func(v any, err error) {
		if err != nil && !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
		raw, err := value.Marshal(v)
		must(t, err)
		all.Write(raw)
	}
	for after := int64(0); ; {
		events, err := s.Events(ctx, id, after, 10)
		must(t, err)
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
	for _, target := range []string{id, "apr_" + bare + "_1"} {
		entries, err := s.AuditEntries(ctx, port.AuditQuery{Target: target, Limit: 100})
		must(t, err)
		for _, e := range entries.Items {
			all.Write(e.Open)
		}
	}
	return all.String()
}

// removePayloads: what was sent is gone, what happened stays, and nobody else loses anything.
func removePayloads(t *testing.T, s store.Store) {
	ctx := t.Context()
	a, other := holding(t, s, "run_gone"), holding(t, s, "run_stays")
	if n := strings.Count(held(t, s, a.id), sent); n < 15 {
		t.Fatalf("it holds %d, which is too little to look at", n)
	}
	before, err := s.Events(ctx, a.id, 0, 100)
	must(t, err)
	wantCode(t, s.RemovePayloads(ctx, a.id), fault.Conflict) // nobody wants it
	order := port.Removal{Run: a.id, By: run.Actor{Kind: run.Person, Name: "ann"}, Reason: "asked for",
		At: began.Add(2 * time.Hour)}
	got, err := s.OrderRemoval(ctx, order)
	must(t, err)
	wantEqual(t, "order", got, order)
	again := order
	again.Reason, again.By.Name = "another", "bob"
	got, err = s.OrderRemoval(ctx, again)
	must(t, err)
	wantEqual(t, "the first order", got, order)
	open, err := s.OpenRemovals(ctx, 10)
	must(t, err)
	wantEqual(t, "open", open, []port.Removal{order})
	blob := blobOf(t, before)
	for range 2 { // again is fine
		must(t, s.RemovePayloads(ctx, a.id))
		if text := held(t, s, a.id); strings.Contains(text, sent) {
			i := strings.Index(text, sent)
			t.Fatalf("something is left: %s", text[max(i-300, 0):min(i+50, len(text))])
		}
	}
	wantEqual(t, "left for a second look", looksOf(t, s, port.SecondLookQuery{}), []string{other.id + " draft 0.8"})
	if r, _, err := s.OpenBlob(ctx, blob); !fault.Is(err, fault.NotFound) {
		t.Errorf("the bytes are left: %v", err)
		if err == nil {
			_ = r.Close()
		}
	}
	after, err := s.Events(ctx, a.id, 0, 100)
	must(t, err)
	if len(after) != len(before) {
		t.Fatalf("%d events, not %d", len(after), len(before))
	}
	for i := range after {
		if after[i].Feed != before[i].Feed || after[i].Seq != before[i].Seq || !after[i].At.Equal(before[i].At) ||
			after[i].Fact.Type() != before[i].Fact.Type() || after[i].Actor != before[i].Actor {
			t.Errorf("event %d is another: %+v", i+1, after[i])
		}
	}
	row, err := s.Run(ctx, a.id)
	must(t, err)
	if row.Subject != "" || row.Error != run.RemovedText || len(row.Labels) != 0 || row.Owner != a.row.Owner ||
		row.Status != run.Completed || row.SnapshotSeq != 0 {
		t.Errorf("%+v", row)
	}
	order.Done = true
	got, err = s.OrderRemoval(ctx, again)
	must(t, err)
	wantEqual(t, "done", got, order)
	if open, err = s.OpenRemovals(ctx, 10); err != nil || len(open) != 0 {
		t.Errorf("%v, %v", open, err)
	}
	if n := strings.Count(held(t, s, other.id), sent); n < 15 {
		t.Errorf("another run holds %d only", n)
	}
	kept, err := s.Events(ctx, other.id, 0, 100)
	must(t, err)
	r, _, err := s.OpenBlob(ctx, blobOf(t, kept))
	must(t, err)
	content, err := io.ReadAll(r)
	must(t, err)
	must(t, r.Close())
	if !bytes.Contains(content, []byte(sent)) {
		t.Errorf("its bytes are %s", content)
	}
	rows, err := s.AuditRows(ctx, 0, 100)
	must(t, err)
	for i, e := range rows { // the chain is as it was
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

// removalGuards: who may lose what, and what is found.
func removalGuards(t *testing.T, s store.Store) {
	ctx := t.Context()
	open := newAuthor("run_open")
	open.store(t, s, open.write(started(`{}`)))
	child, late := ended(newAuthor("run_child"), time.Hour), ended(newAuthor("run_late"), 50*time.Hour)
	child.row.Parent = open.id
	old, fork, retry := ended(newAuthor("run_old"), time.Hour), ended(newAuthor("run_fork"), time.Hour),
		ended(newAuthor("run_retry"), time.Hour)
	fork.row.ForkedFrom, retry.row.RetryOf = old.id, old.id
	sub := ended(newAuthor("run_sub"), time.Hour)
	sub.row.Parent = old.id
	for _, a := range []*author{child, late, old, fork, retry, sub} {
		a.store(t, s, a.write(started(`{}`)))
	}
	_, err := s.OrderRemoval(ctx, port.Removal{Run: open.id, Reason: "x", At: began})
	wantCode(t, err, fault.Conflict)
	_, err = s.OrderRemoval(ctx, port.Removal{Run: "run_none", Reason: "x", At: began})
	wantCode(t, err, fault.NotFound)
	find := func(ended time.Duration) string {
		ids, err := s.Removable(ctx, began.Add(ended), 100)
		must(t, err)
		return fmt.Sprint(ids)
	}
	wantEqual(t, "old ones", find(2*time.Hour), "[run_fork run_old run_retry run_sub]")
	wantEqual(t, "all", find(100*time.Hour), "[run_fork run_late run_old run_retry run_sub]")
	_, err = s.OrderRemoval(ctx, port.Removal{Run: old.id, Reason: "x", At: began})
	must(t, err)
	wantEqual(t, "without those in order", find(2*time.Hour), "[run_fork run_retry run_sub]")
	must(t, s.DropRemoval(ctx, old.id))
	wantEqual(t, "taken back", find(2*time.Hour), "[run_fork run_old run_retry run_sub]")
	subs, copies, err := s.Relatives(ctx, old.id)
	must(t, err)
	wantEqual(t, "relatives", fmt.Sprint(subs, copies), "[run_sub] [run_fork run_retry]")
	if subs, copies, err = s.Relatives(ctx, late.id); err != nil || len(subs)+len(copies) != 0 {
		t.Errorf("%v %v %v", subs, copies, err)
	}
}
