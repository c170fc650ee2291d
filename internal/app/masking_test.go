package app_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/audit"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/feed"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
	"github.com/assent-run/assent/internal/view"
)

// What is hidden, and where it comes from: a setting, the workflow, the schema of
// its input, the schema of an agent's output, and a number.
const (
	plantedMail  = "ann.planted@example.com"
	plantedSSN   = "planted-ssn-0815"
	plantedPhone = "+47 555 planted"
	plantedIBAN  = "NO93 planted 8601"
	plantedPay   = "98761.25"
	plantedPIN   = "42" // too short to be looked for in texts
)

var planted = []string{plantedMail, plantedSSN, plantedPhone, plantedIBAN, plantedPay}

const secretive = `
workflow: payout
sensitive: [input.ssn, steps.lookup.output.pay]
labels: { team: payouts }
input: { type: object, properties: { phone: { type: string, x-sensitive: true } } }
steps:
  - { id: lookup, agent: bank }
  - { id: write, agent: writer, needs: [lookup], with: { to: input.customer.email, note: input.note, account: lookup.iban } }
  - { id: send, agent: mailer, operation: send_email }
gates:
  - { id: review, at: before send, title: "Send it to {lookup.iban}?", role: approver, show: [lookup.iban, input.ssn] }
---
agent: bank
kind: scripted
output: { type: object, properties: { iban: { type: string, x-sensitive: true } } }
answers:
  - { fail: "no answer for planted-ssn-0815", transient: true }
  - { output: { iban: NO93 planted 8601, pay: 98761.25, pin: "42", name: Ann }, confidence: 0.95, reasoning: "The account of ann.planted@example.com is NO93 planted 8601." }
---
agent: writer
kind: scripted
answers:
  - output: { text: "Dear ann.planted@example.com, 98761.25 goes to NO93 planted 8601" }
    deliverables:
      - { name: letter.md, type: document, content: "To ann.planted@example.com: your number is planted-ssn-0815", description: for ann.planted@example.com }
      - { name: data.json, type: data, content: '{"pin":"42","open":"yes"}', mime_type: application/json }
    logs: "wrote to +47 555 planted"
---
agent: mailer
kind: scripted
answers: [{ fail: "the address ann.planted@example.com is refused" }]
---
role: watcher
permissions: [view, audit, command, start, comment]
---
role: cleared
permissions: [view, sensitive]
---
role: elsewhere
workflows: [other]
permissions: [view, sensitive]
`

var (
	watcher = app.Who{Name: "wim", Kind: run.Person, Roles: []string{"watcher"}, SignedIn: true}
	cleared = app.Who{Name: "cleo", Kind: run.Person, Roles: []string{"cleared"}, SignedIn: true}
)

// masked opens an app that masks two fields, whatever the workflow.
func masked(t *testing.T) *home {
	t.Helper()
	h := &home{T: t, dir: sqlitetest.Dir(t)}
	s, err := assembly.Open(t.Context(), assembly.Config{Data: h.dir, Local: true,
		MaskFields: []string{"Customer.EMAIL", "pin"}})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	h.App, h.server = s.App, s
	t.Cleanup(h.stop)
	h.load(secretive)
	return h
}

// shown is an answer as the API would write it.
func shown(t *testing.T, v any) string {
	t.Helper()
	raw, err := value.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// hides fails if an answer holds something planted, and if it hides nothing.
func hides(t *testing.T, what string, v any, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	got := shown(t, v)
	for _, p := range planted {
		if strings.Contains(got, p) {
			t.Errorf("%s shows %q: %s", what, p, around(got, p))
		}
	}
	if strings.Contains(got, `"pin":"42"`) {
		t.Errorf("%s shows the short one", what)
	}
	if !strings.Contains(got, "•••") || !strings.Contains(got, `"masked":true`) {
		t.Errorf("%s does not say that something is hidden: %.500s", what, got)
	}
}

func around(text, word string) string {
	i := strings.Index(text, word)
	return text[max(i-150, 0):min(i+100, len(text))]
}

// shows fails if an answer hides something.
func shows(t *testing.T, what string, v any, err error, words ...string) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	got := shown(t, v)
	if strings.Contains(got, "•••") || strings.Contains(got, `"masked"`) {
		t.Errorf("%s hides something: %.800s", what, got)
	}
	for _, w := range words {
		if !strings.Contains(got, w) {
			t.Errorf("%s does not show %s", what, w)
		}
	}
}

// payout is a run that waits at its gate.
func payout(h *home) (id string, asked view.Approval) {
	h.Helper()
	input := `{"customer":{"email":"ann.planted@example.com"},"ssn":"planted-ssn-0815","phone":"+47 555 planted","pin":"42","note":"call +47 555 planted"}`
	v, err := h.Begin(h.Context(), ann, app.NewRun{Workflow: "payout", Input: json.RawMessage(input),
		Labels: map[string]string{"for": plantedMail}}, nil)
	if err != nil {
		h.Fatal(err)
	}
	shows(h.T, "the answer to its owner", v, nil, plantedMail, plantedSSN)
	return v.ID, h.asked(v.ID)
}

func TestMasking(t *testing.T) {
	h := masked(t)
	ctx := t.Context()
	id, ap := payout(h)
	shows(t, "the approval, to who decides", ap, nil, plantedMail, plantedIBAN, plantedSSN, plantedPay)
	seen, err := h.Approval(ctx, watcher, ap.ID, false)
	hides(t, "the approval, to who looks", seen, err)
	if seen.Action.Digest != "•••" || len(seen.Acts) != 0 || seen.Title != "Send it to •••?" || seen.Gate != "review" {
		t.Errorf("%+v", seen)
	}
	inbox, err := h.Lists(watcher).Approvals(ctx, port.ApprovalQuery{})
	hides(t, "the inbox", inbox, err)
	if _, err := h.Comment(ctx, watcher, ap.ID, "I know "+plantedMail, "", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Command(ctx, watcher, id,
		app.Command{Do: run.SendMessage{Text: "it is " + plantedIBAN}}, nil); err != nil {
		t.Fatal(err)
	}
	change := json.RawMessage(`{"text":"call ` + plantedPhone + `"}`)
	preview, err := h.PreviewChanges(ctx, watcher, ap.ID, json.RawMessage(`{"text":"x"}`))
	hides(t, "a preview of changes", preview, err)
	decided, err := h.Decide(ctx, bob, ap.ID,
		app.Decision{Act: gate.Modify, Changes: change, Comment: "for " + plantedMail, Version: ap.Version}, "", nil)
	shows(t, "the answer to who decided", decided, err, plantedPhone)
	h.waits(id, run.Failed)

	v, err := h.App.Run(ctx, watcher, id, false)
	hides(t, "the run", v, err)
	if v.Owner != "ann" || v.Workflow != "payout" || v.Steps[0].ID != "lookup" || v.Status != run.Failed ||
		v.Error == nil || !strings.Contains(v.Error.Message, "the address ••• is refused") {
		t.Errorf("too much is hidden: %+v", v)
	}
	if got := string(v.Steps[0].Output); got != `{"iban":"•••","pay":"•••","pin":"•••","name":"Ann"}` {
		t.Errorf("the output of a step is shown as %s", got)
	}
	at, err := h.RunAt(ctx, watcher, id, v.Seq-3, true)
	hides(t, "the run as it was", at, err)
	for _, step := range []string{"lookup", "write", "send"} {
		d, err := h.Step(ctx, watcher, id, step, 0, false)
		hides(t, "step "+step, d, err)
	}
	events, err := h.Events(ctx, watcher, id, 0, 1000, false)
	hides(t, "the events", events, err)
	runs, err := h.Lists(watcher).Runs(ctx, port.RunQuery{})
	hides(t, "the list of runs", runs, err)
	lessons, err := h.Hindsight.Lessons(ctx, watcher, insight.LessonQuery{})
	hides(t, "lessons", lessons, err)
	exported := &bytes.Buffer{}
	err = h.Hindsight.ExportLessons(ctx, watcher, insight.LessonQuery{}, exported)
	hides(t, "exported lessons", json.RawMessage(bytes.TrimSpace(exported.Bytes())), err)
	after, err := h.Approval(ctx, watcher, ap.ID, true)
	hides(t, "the settled approval", after, err)

	for what, who := range map[string]app.Who{"the owner": ann, "an administrator": admin, "who is cleared": cleared} {
		v, err := h.App.Run(ctx, who, id, false)
		shows(t, "the run, to "+what, v, err, plantedMail, plantedSSN, plantedIBAN, plantedPay)
		events, err := h.Events(ctx, who, id, 0, 1000, false)
		shows(t, "the events, to "+what, events, err, plantedMail)
	}
	mine, err := h.Approval(ctx, bob, ap.ID, false)
	shows(t, "what somebody decided", mine, err, plantedPhone)
}

// TestMaskedStream: what is told as it happens is masked like what is asked for.
func TestMaskedStream(t *testing.T) {
	h := masked(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	live, err := h.Follow(ctx, watcher, feed.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	id, _ := payout(h)
	zero := int64(0)
	stored, err := h.Follow(ctx, watcher, feed.Filter{After: &zero, Full: true})
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	last := h.waits(id, run.Waiting).Seq
	for what, stream := range map[string]*app.Stream{"the live stream": live, "the stream from the store": stored} {
		var all []view.Event
		for len(all) == 0 || all[len(all)-1].Seq < last {
			events, err := stream.Next(ctx)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			all = append(all, events...)
		}
		hides(t, what, all, nil)
	}
	mine, err := h.Follow(ctx, ann, feed.Filter{After: &zero})
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	events, err := mine.Next(ctx)
	shows(t, "the owner's stream", events, err, plantedMail)
}

// TestMaskedDeliverables: texts are shown without what is hidden, and nothing is
// handed out as it is.
func TestMaskedDeliverables(t *testing.T) {
	h := masked(t)
	ctx := t.Context()
	id, _ := payout(h)
	list, err := h.Lists(watcher).Deliverables(ctx, port.DeliverableQuery{Run: id})
	hides(t, "the list", list, err)
	if len(list.Items) != 2 {
		t.Fatalf("%d deliverables", len(list.Items))
	}
	for _, d := range list.Items {
		_, _, err := h.Deliverables.Content(ctx, watcher, d.ID)
		wantFault(t, err, fault.Forbidden, "masked")
		_, e, err := h.Deliverables.Preview(ctx, watcher, d.ID, false)
		if err != nil || !e.Masked {
			t.Errorf("%s: %v, %+v", d.Name, err, e)
		}
		want := map[string]string{"letter.md": "To •••: your number is •••",
			"data.json": `{"pin":"•••","open":"yes"}`}[d.Name]
		if string(e.Content) != want {
			t.Errorf("%s is shown as %s", d.Name, e.Content)
		}
		if _, content, err := h.Deliverables.Content(ctx, cleared, d.ID); err != nil {
			t.Error(err)
		} else {
			_ = content.Close()
		}
	}
	wantFault(t, h.Deliverables.Zip(ctx, watcher, id, &bytes.Buffer{}), fault.Forbidden, "masked")
	out := &bytes.Buffer{}
	if err := h.Deliverables.Zip(ctx, ann, id, out); err != nil {
		t.Fatal(err)
	}
	if z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len())); err != nil || len(z.File) != 2 {
		t.Errorf("%v", err)
	}
}

// TestMaskedAudit: what the audit log keeps beside its entries is hidden, and the
// log still verifies.
func TestMaskedAudit(t *testing.T) {
	h := masked(t)
	ctx := t.Context()
	id, ap := payout(h)
	if _, err := h.Decide(ctx, bob, ap.ID, app.Decision{Act: gate.Reject, Comment: "not to " + plantedMail,
		Version: ap.Version}, "", nil); err != nil {
		t.Fatal(err)
	}
	h.waits(id, run.Failed)
	entries, err := h.Audit.Entries(ctx, watcher, port.AuditQuery{Target: id})
	hides(t, "the audit log", entries, err)
	entries, err = h.Audit.Entries(ctx, admin, port.AuditQuery{Target: id})
	shows(t, "the audit log, to an administrator", entries, err, plantedMail)
	table, export, plain := &bytes.Buffer{}, &bytes.Buffer{}, &bytes.Buffer{}
	if err := h.Audit.Table(ctx, watcher, port.AuditQuery{}, table); err != nil {
		t.Fatal(err)
	}
	if err := h.Audit.Export(ctx, watcher, export); err != nil {
		t.Fatal(err)
	}
	if err := h.Audit.Export(ctx, admin, plain); err != nil {
		t.Fatal(err)
	}
	for what, out := range map[string]*bytes.Buffer{"the table": table, "the export": export} {
		for _, p := range planted {
			if strings.Contains(out.String(), p) {
				t.Errorf("%s shows %s", what, p)
			}
		}
	}
	if !strings.Contains(plain.String(), plantedMail) {
		t.Error("an administrator's export has no values")
	}
	verifies(t, export.Bytes())
	verifies(t, plain.Bytes())
	wantFault(t, h.Audit.ProveRun(ctx, watcher, id, &bytes.Buffer{}), fault.Forbidden, "masked")
	if err := h.Audit.ProveRun(ctx, admin, id, &bytes.Buffer{}); err != nil {
		t.Error(err)
	}
}

// TestACopyShowsNoMore: whoever starts or forks somebody else's run owns the copy
// and sees in it what they saw before.
func TestACopyShowsNoMore(t *testing.T) {
	h := masked(t)
	ctx := t.Context()
	id, ap := payout(h)
	forked, err := h.Fork(ctx, watcher, id, app.Fork{AtSeq: h.waits(id, run.Waiting).Seq}, nil)
	hides(t, "a fork of somebody else's run", forked, err)
	if _, err := h.Decide(ctx, bob, ap.ID, app.Decision{Act: gate.Reject, Comment: "no", Version: ap.Version},
		"", nil); err != nil {
		t.Fatal(err)
	}
	h.waits(id, run.Failed)
	retried, err := h.Retry(ctx, watcher, id, nil)
	hides(t, "a retry of somebody else's run", retried, err)
	if retried.Owner != "wim" {
		t.Errorf("%s owns it", retried.Owner)
	}
	again, err := h.App.Run(ctx, watcher, retried.ID, false)
	hides(t, "the retry, later", again, err)
	own, err := h.Retry(ctx, ann, id, nil)
	shows(t, "one's own retry", own, err, plantedMail)
}

// TestTheMarkerIsNeverWritten: what was hidden does not come back as a value.
func TestTheMarkerIsNeverWritten(t *testing.T) {
	h := masked(t)
	ctx := t.Context()
	id, ap := payout(h)
	marked := json.RawMessage(`{"customer":{"email":"•••"}}`)
	for what, err := range map[string]error{
		"modify": second(h.Decide(ctx, bob, ap.ID,
			app.Decision{Act: gate.Modify, Changes: marked, Version: ap.Version}, "", nil)),
		"submit": second(h.Decide(ctx, bob, ap.ID,
			app.Decision{Act: gate.Submit, Data: marked, Version: ap.Version}, "", nil)),
		"look":  second(h.PreviewChanges(ctx, bob, ap.ID, marked)),
		"start": second(h.Begin(ctx, ann, app.NewRun{Workflow: "payout", Input: marked}, nil)),
		"steer": second(h.Command(ctx, ann, id, app.Command{Do: run.ModifyArgs{Step: "send", Changes: marked}}, nil)),
		"fork": second(h.Fork(ctx, ann, id, app.Fork{AtSeq: 3,
			Edits: run.Edits{Outputs: map[string]json.RawMessage{"lookup": marked}}}, nil)),
	} {
		if !fault.Is(err, fault.Invalid) || !strings.Contains(shown(t, fault.DetailOf(err))+err.Error(), "masked value") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestARuleOfLater: a field that becomes sensitive today is hidden in the runs of
// yesterday.
func TestARuleOfLater(t *testing.T) {
	h := masked(t)
	id, _ := payout(h)
	v, err := h.App.Run(t.Context(), watcher, id, false)
	if err != nil || !strings.Contains(string(v.Steps[0].Output), `"name":"Ann"`) {
		t.Fatalf("%s, %v", v.Steps[0].Output, err)
	}
	h.load(strings.Replace(secretive, "sensitive: [input.ssn,", "sensitive: [name, input.ssn,", 1))
	v, err = h.App.Run(t.Context(), watcher, id, false)
	if err != nil || !strings.Contains(string(v.Steps[0].Output), `"name":"•••"`) {
		t.Errorf("%s, %v", v.Steps[0].Output, err)
	}
}

// TestNothingIsSensitive: without sensitive fields, nothing changes.
func TestNothingIsSensitive(t *testing.T) {
	h := open(t, flow+"---\nrole: watcher\npermissions: [view]\n")
	id := h.begin(ann, "refund", `{"amount":5}`).ID
	h.asked(id)
	v, err := h.App.Run(t.Context(), watcher, id, false)
	shows(t, "a run", v, err)
}

// verifies fails if an exported audit log is not as it was written.
func verifies(t *testing.T, file []byte) {
	t.Helper()
	r, err := audit.VerifyExport(bytes.NewReader(file), audit.Expected{})
	if err != nil || !r.OK {
		t.Errorf("%v: %s", err, r.Why)
	}
}

// TestMaskedAmounts: what an act adds to a sum is copied without the place it was
// at, so a rule about that place does not find it. It is hidden wherever the run
// holds something hidden, and so is the digest of whom it counts for.
func TestMaskedAmounts(t *testing.T) {
	h := masked(t)
	h.load(`
workflow: raise
sensitive: [person.pay]
steps:
  - { id: pay, agent: payer, operation: raise, risk: low, with: { person: input.person } }
---
agent: payer
kind: scripted
answers: [{ output: { paid: true } }]
---
policy: house
rules:
  - name: Much for one person
    priority: 1
    trigger: { operation_type: raise, data_threshold: { field: person.pay, sum: 24h, by: person.name, operator: ">", value: 1000 } }
    action: { role: approver }
`)
	id := h.begin(ann, "raise", `{"person":{"pay":317.25,"name":"Kim"}}`).ID
	h.waits(id, run.Completed)
	events, err := h.Events(t.Context(), watcher, id, 0, 1000, false)
	if err != nil {
		t.Fatal(err)
	}
	got := shown(t, events) // times and digests may contain 317, but not with a fraction
	if !strings.Contains(got, `"counts":[{"sum":"•••","of":"•••"}]`) || strings.Contains(got, "317.25") {
		t.Errorf("an amount is shown: %s", around(got, `"counted"`))
	}
	events, err = h.Events(t.Context(), ann, id, 0, 1000, false)
	shows(t, "the events, to the owner", events, err, `"of":{"pay":317.25}`)
}
