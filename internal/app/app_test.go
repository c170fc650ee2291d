package app_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/feed"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
	"github.com/assent-run/assent/internal/view"
)

var (
	admin = app.LocalAdmin
	ann   = app.Who{Name: "ann", Kind: run.Person}
	bob   = app.Who{Name: "bob", Kind: run.Person, Roles: []string{"approver"}}
)

const flow = `
workflow: refund
labels: { team: support, kind: usual }
input: { type: object, required: [amount], properties: { amount: { type: integer } } }
steps:
  - { id: draft, agent: writer }
  - { id: send, agent: mailer, operation: send_email }
gates:
  - { id: review, at: before send, title: Send it?, role: approver }
---
agent: writer
kind: scripted
answers: [{ output: { text: hello, amount: 5 }, confidence: 0.9 }]
---
agent: mailer
kind: scripted
output: { type: object, required: [sent], properties: { sent: { type: boolean } } }
answers: [{ output: { sent: true } }]
`

// home is an app on a store of its own.
type home struct {
	*testing.T
	*app.App
	dir    string
	server *assembly.Server
}

// open starts an app with the documents of a file.
func open(t *testing.T, documents string) *home {
	t.Helper()
	h := &home{T: t, dir: sqlitetest.Dir(t)}
	h.start()
	t.Cleanup(h.stop)
	h.load(documents)
	return h
}

// load puts the documents of a file in force.
func (h *home) load(documents string) {
	h.Helper()
	set, problems := definition.Parse("flow.yaml", []byte(documents))
	if len(problems) > 0 {
		h.Fatal(problems)
	}
	for _, kind := range []definition.Kind{definition.KindRole, definition.KindMCPServer, definition.KindTool,
		definition.KindAgent, definition.KindPolicy, definition.KindWorkflow} {
		for _, doc := range set.Documents() {
			if k, name := doc.Ident(); k == kind {
				h.save(k, name, string(doc.YAMLWithSecrets()), true)
			}
		}
	}
}

func (h *home) start() {
	h.Helper()
	s, err := assembly.Open(h.Context(), assembly.Config{Data: h.dir, Local: true, AllowCommands: true})
	if err != nil {
		h.Fatal(err)
	}
	s.Start()
	h.App, h.server = s.App, s
}

func (h *home) stop() {
	if h.server == nil {
		return
	}
	if err := h.server.Close(context.Background()); err != nil {
		h.Error(err)
	}
	h.server = nil
}

func (h *home) save(kind definition.Kind, name, body string, publish bool) (registry.Document, bool) {
	h.Helper()
	v, created, err := h.Documents.Save(h.Context(), admin, kind, name, definition.YAML, []byte(body),
		documents.Saving{Publish: publish})
	if err != nil {
		h.Fatalf("%s %s: %v", kind, name, err)
	}
	return v, created
}

func (h *home) begin(who app.Who, workflow, input string) view.Run {
	h.Helper()
	v, err := h.Begin(h.Context(), who, app.NewRun{Workflow: workflow, Input: json.RawMessage(input),
		Labels: map[string]string{"kind": "test"}}, nil)
	if err != nil {
		h.Fatal(err)
	}
	return v
}

// waits follows a run until it has a status, and returns it so.
func (h *home) waits(id string, want run.Status) view.Run {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), 2*time.Minute)
	defer cancel()
	zero := int64(0)
	stream, err := h.Follow(ctx, admin, feed.Filter{Run: id, After: &zero})
	if err != nil {
		h.Fatal(err)
	}
	defer stream.Close()
	for {
		v, err := h.App.Run(ctx, admin, id, true)
		if err != nil {
			h.Fatal(err)
		}
		if v.Status == want {
			return v
		}
		if _, err := stream.Next(ctx); err != nil {
			h.Fatalf("the run is %s, not %s: %v", v.Status, want, err)
		}
	}
}

// asked is the one approval that a run waits for.
func (h *home) asked(id string) view.Approval {
	h.Helper()
	v := h.waits(id, run.Waiting)
	if len(v.PendingApprovals) != 1 {
		h.Fatalf("%d approvals are open", len(v.PendingApprovals))
	}
	a, err := h.Approval(h.Context(), bob, v.PendingApprovals[0], false)
	if err != nil {
		h.Fatal(err)
	}
	return a
}

func wantFault(t *testing.T, err error, code fault.Code, word string) {
	t.Helper()
	if !fault.Is(err, code) || !strings.Contains(err.Error(), word) {
		t.Errorf("got %v (%s), not %s with %q", err, fault.CodeOf(err), code, word)
	}
}

func TestARunIsStartedDecidedAndEnds(t *testing.T) {
	h := open(t, flow)
	r := h.begin(ann, "refund", `{"amount":12345678901234567890}`)
	if r.Owner != "ann" || r.Version != 1 || r.Status != run.Running ||
		string(r.Input) != `{"amount":12345678901234567890}` {
		t.Errorf("%+v", r)
	}
	if r.Labels["team"] != "support" || r.Labels["kind"] != "test" {
		t.Errorf("%v", r.Labels)
	}
	a := h.asked(r.ID)
	if a.IfDenied == "" {
		t.Error("nobody says what a rejection does")
	}
	if len(a.Acts) != 4 {
		t.Errorf("bob may %v", a.Acts)
	}
	_, err := h.Decide(t.Context(), ann, a.ID, app.Decision{Act: gate.Approve, Version: 1}, "", nil)
	wantFault(t, err, fault.Forbidden, "needs the role approver")
	_, err = h.Decide(t.Context(), bob, a.ID, app.Decision{Act: gate.Approve}, "", nil)
	wantFault(t, err, fault.Invalid, "version")
	_, err = h.Decide(t.Context(), bob, a.ID, app.Decision{Act: gate.Approve, Version: 7}, "", nil)
	wantFault(t, err, fault.VersionMismatch, "")
	decided, err := h.Decide(t.Context(), bob, a.ID,
		app.Decision{Act: gate.Modify, Changes: json.RawMessage(`{"text":"dear"}`), Version: 1}, "k1", nil)
	if err != nil || decided.Status != gate.Modified || len(decided.Decisions) != 1 || len(decided.Acts) != 0 {
		t.Errorf("%+v, %v", decided, err)
	}
	// The same command again is told how it stands; another one is too late.
	if again, err := h.Decide(t.Context(), bob, a.ID, app.Decision{Act: gate.Modify, Version: 1}, "k1",
		nil); err != nil || again.Status != gate.Modified {
		t.Errorf("%+v, %v", again, err)
	}
	_, err = h.Decide(t.Context(), bob, a.ID, app.Decision{Act: gate.Approve, Version: 1}, "", nil)
	wantFault(t, err, fault.AlreadyDecided, "bob")
	if v := h.waits(r.ID, run.Completed); string(v.Output) != `{"sent":true}` {
		t.Errorf("%s", v.Output)
	}

	_, err = h.Begin(t.Context(), ann, app.NewRun{Workflow: "refnd"}, nil)
	wantFault(t, err, fault.NotFound, "refnd")
	_, err = h.Begin(t.Context(), ann, app.NewRun{Workflow: "refund", Input: json.RawMessage(`{"amount":"five"}`)}, nil)
	wantFault(t, err, fault.Invalid, "amount")
}

func TestThePastOfARun(t *testing.T) {
	h := open(t, flow)
	r := h.begin(ann, "refund", `{"amount":5}`)
	a := h.asked(r.ID)
	_, err := h.Retry(t.Context(), ann, r.ID, nil)
	wantFault(t, err, fault.Conflict, "not ended")
	forked, err := h.Fork(t.Context(), ann, r.ID, app.Fork{AtSeq: h.waits(r.ID, run.Waiting).Seq}, nil)
	if err != nil || forked.ForkedFrom == nil || *forked.ForkedFrom != r.ID {
		t.Fatalf("%+v, %v", forked, err)
	}
	if _, err := h.Decide(t.Context(), bob, a.ID,
		app.Decision{Act: gate.Reject, Comment: "no", Version: 1}, "", nil); err != nil {
		t.Fatal(err)
	}
	h.waits(r.ID, run.Failed)
	retried, err := h.Retry(t.Context(), ann, r.ID, nil)
	if err != nil || retried.RetryOf == nil || *retried.RetryOf != r.ID || string(retried.Input) != `{"amount":5}` {
		t.Fatalf("%+v, %v", retried, err)
	}
	if then, err := h.RunAt(t.Context(), ann, r.ID, 1, false); err != nil || then.Seq != 1 || then.Status != run.Running {
		t.Errorf("%+v, %v", then, err)
	}
	_, err = h.RunAt(t.Context(), ann, r.ID, 99, false)
	wantFault(t, err, fault.Invalid, "has no event 99")
	h.asked(retried.ID)
	done, err := h.Command(t.Context(), ann, retried.ID, app.Command{ID: "stop", Do: run.Cancel{Reason: "enough"}}, nil)
	if err != nil || !done.Accepted {
		t.Fatal(done, err)
	}
	if again, err := h.Command(t.Context(), ann, retried.ID, app.Command{ID: "stop", Do: run.Cancel{}},
		nil); err != nil || again != done {
		t.Errorf("%+v, %v", again, err)
	}
	h.waits(retried.ID, run.Cancelled)
}

func TestBatchesAndExpiry(t *testing.T) {
	h := open(t, flow)
	var ids []string
	for range 3 {
		ids = append(ids, h.asked(h.begin(ann, "refund", `{"amount":1}`).ID).ID)
	}
	out, err := h.DecideMany(t.Context(), bob,
		app.Batch{IDs: append(ids[:2:2], "apr_none"), Act: gate.Approve, Versions: map[string]int{ids[1]: 9}}, "b1")
	if err != nil || len(out.Results) != 3 || !out.Results[0].OK || out.Results[0].Status != gate.Approved {
		t.Fatalf("%+v, %v", out, err)
	}
	wantFault(t, out.Results[1].Error, fault.VersionMismatch, "")
	wantFault(t, out.Results[2].Error, fault.NotFound, "apr_none")
	_, err = h.Expire(t.Context(), bob, app.Expiry{OlderThan: time.Nanosecond})
	wantFault(t, err, fault.Forbidden, "administrator")
	out, err = h.Expire(t.Context(), admin, app.Expiry{OlderThan: time.Nanosecond, Comment: "too old"})
	if err != nil || len(out.Results) != 2 || !out.Results[0].OK || out.Results[0].Status == gate.Pending {
		t.Fatalf("%+v, %v", out, err)
	}
	preview, err := h.PreviewChanges(t.Context(), bob, ids[2], json.RawMessage(`{"text":null,"cc":"x"}`))
	if err != nil || !preview.Valid || len(preview.Diff) != 2 {
		t.Errorf("%+v, %v", preview, err)
	}
}

func TestOneOfManyDecidersWins(t *testing.T) {
	h := open(t, flow)
	a := h.asked(h.begin(ann, "refund", `{"amount":1}`).ID)
	var wins, late int
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			who := app.Who{Name: "p" + string(rune('0'+i)), Kind: run.Person, Roles: []string{"approver"}}
			_, err := h.Decide(t.Context(), who, a.ID, app.Decision{Act: gate.Approve, Version: 1}, "", nil)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				wins++
			case fault.Is(err, fault.AlreadyDecided) && fault.DetailOf(err)["decided_by"] != nil:
				late++
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if wins != 1 || late != 49 {
		t.Errorf("%d won, %d were late", wins, late)
	}
}

func TestRolesThatAreWrittenDownCount(t *testing.T) {
	h := open(t, flow+`
---
role: reader
permissions: [view]
---
role: approver
kinds: [choice]
permissions: [decide, view]
---
role: chief
permissions: [decide, view]
can_act_as: [approver]
`)
	reader, chief := app.Who{Name: "rea", Kind: run.Person, Roles: []string{"reader"}},
		app.Who{Name: "cleo", Kind: run.Person, Roles: []string{"chief"}}
	_, err := h.Begin(t.Context(), reader, app.NewRun{Workflow: "refund", Input: json.RawMessage(`{"amount":1}`)}, nil)
	wantFault(t, err, fault.Forbidden, "start runs")
	a := h.asked(h.begin(ann, "refund", `{"amount":1}`).ID)
	if len(a.Acts) != 0 { // bob's role answers choices only
		t.Errorf("bob may %v", a.Acts)
	}
	_, err = h.Decide(t.Context(), bob, a.ID, app.Decision{Act: gate.Approve, Version: 1}, "", nil)
	wantFault(t, err, fault.Forbidden, "approvals of kind choice")
	if _, err = h.Decide(t.Context(), chief, a.ID, app.Decision{Act: gate.Approve, Version: 1}, "", nil); err != nil {
		t.Error(err)
	}
	_, _, err = h.Documents.Save(t.Context(), chief, definition.KindWorkflow, "refund", definition.YAML, []byte(flow),
		documents.Saving{})
	wantFault(t, err, fault.Forbidden, "administrator")
}

func TestStreamsMissNothing(t *testing.T) {
	h := open(t, flow)
	zero := int64(0)
	first, err := h.Follow(t.Context(), ann, feed.Filter{After: &zero})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	const runs = 40
	var all sync.WaitGroup
	for range runs {
		all.Go(func() { h.begin(ann, "refund", `{"amount":1}`) })
	}
	seen := int64(0)
	for waiting := 0; waiting < runs; {
		events, err := first.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Feed != seen+1 {
				t.Fatalf("%d comes after %d", e.Feed, seen)
			}
			seen = e.Feed
			if e.Type == "run.waiting" {
				waiting++
			}
		}
	}
	all.Wait()
	// A late reader gets the same from the store, filtered.
	h.stop()
	h.start()
	late, err := h.Follow(t.Context(), ann, feed.Filter{After: &zero, Types: []string{"approval.needed"}, Full: true})
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	for n := 0; n < runs; {
		events, err := late.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n += len(events)
	}
	beyond := seen + 1_000_000
	_, err = h.Follow(t.Context(), ann, feed.Filter{After: &beyond})
	wantFault(t, err, fault.Invalid, "the feed has no event")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if events, err := late.Next(ctx); err == nil {
		t.Errorf("%+v came from nowhere", events)
	}
}

func TestListsAreShownToWhoMaySee(t *testing.T) {
	h := open(t, flow)
	id := h.begin(ann, "refund", `{"amount":1}`).ID
	h.asked(id)
	runs, err := h.Lists(ann).Runs(t.Context(), port.RunQuery{Limit: 10, Status: []run.Status{run.Waiting}})
	if err != nil || len(runs.Items) != 1 || runs.Items[0].Pending != 1 || runs.Items[0].Progress.Percent != 50 {
		t.Errorf("%+v, %v", runs, err)
	}
	inbox, err := h.Lists(bob).Approvals(t.Context(), port.ApprovalQuery{Asked: []string{"role:approver"}, Limit: 10})
	if err != nil || len(inbox.Items) != 1 || inbox.Total != 1 {
		t.Errorf("%+v, %v", inbox, err)
	}
	events, err := h.Events(t.Context(), ann, id, 0, 100, false)
	if err != nil || len(events.Items) == 0 || events.Items[0].Type != "run.started" ||
		events.Items[0].Actor.Name != "ann" {
		t.Errorf("%+v, %v", events, err)
	}
}
