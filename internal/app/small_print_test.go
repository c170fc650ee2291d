package app_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// What cannot be a change of an object is refused, and changes nothing.
func TestChangesOfAnObjectAreAnObject(t *testing.T) {
	h := open(t, flow)
	a := h.asked(h.begin(ann, "refund", `{"amount":1}`).ID)
	for _, changes := range []string{`null`, `[1]`, `"x"`, `7`} {
		_, err := h.Decide(t.Context(), bob, a.ID,
			app.Decision{Act: gate.Modify, Changes: json.RawMessage(changes), Version: 1}, "", nil)
		wantFault(t, err, fault.Invalid, "changes")
	}
	for _, version := range []int{0, -1} {
		_, err := h.Decide(t.Context(), bob, a.ID, app.Decision{Act: gate.Approve, Version: version}, "", nil)
		wantFault(t, err, fault.Invalid, "version")
	}
	if now, err := h.Approval(t.Context(), bob, a.ID, false); err != nil || now.Version != 1 ||
		string(now.Proposed) != string(a.Proposed) {
		t.Errorf("%+v, %v", now, err)
	}
}

// After a modification the result and the original are there, also on record.
func TestAModificationKeepsBoth(t *testing.T) {
	h := open(t, flow)
	a := h.asked(h.begin(ann, "refund", `{"amount":1}`).ID)
	decided, err := h.Decide(t.Context(), bob, a.ID,
		app.Decision{Act: gate.Modify, Changes: json.RawMessage(`{"text":"dear"}`), Version: 1}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(decided.Proposed), "dear") || !strings.Contains(string(decided.Original), "hello") {
		t.Errorf("%s from %s", decided.Proposed, decided.Original)
	}
	page, err := h.Audit.Entries(t.Context(), admin, port.AuditQuery{Action: "approval.decided"})
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("%+v, %v", page, err)
	}
	raw, err := json.Marshal(page.Items[0])
	if err != nil || !strings.Contains(string(raw), "hello") || !strings.Contains(string(raw), "dear") {
		t.Errorf("%s, %v", raw, err)
	}
}

// The delegate is among the people who are asked by name.
func TestADelegateIsAnAssignee(t *testing.T) {
	h := open(t, flow)
	a := h.asked(h.begin(ann, "refund", `{"amount":1}`).ID)
	now, err := h.Decide(t.Context(), bob, a.ID, app.Decision{Act: gate.Delegate, To: "eve", Version: 1}, "", nil)
	if err != nil || !slices.Contains(now.Assignees, "eve") {
		t.Errorf("%v, %v", now.Assignees, err)
	}
}

// Expiring one approval may end the run of others: they did not fail to expire.
func TestExpiringSiblings(t *testing.T) {
	h := open(t, strings.Replace(flow, "  - { id: review, at: before send, title: Send it?, role: approver }",
		"  - { id: review, at: before send, title: Send it?, role: approver }\n  - { id: second, at: before send, title: "+
			"Really?, role: approver }", 1))
	id := h.begin(ann, "refund", `{"amount":1}`).ID
	h.waits(id, run.Waiting)
	v, err := h.Expire(t.Context(), admin, app.Expiry{OlderThan: time.Nanosecond})
	if err != nil || len(v.Results) != 2 {
		t.Fatalf("%+v, %v", v, err)
	}
	if first, second := v.Results[0], v.Results[1]; !first.OK || first.Status != gate.TimedOut || !second.OK ||
		second.Status != gate.Cancelled || second.Error != nil {
		t.Errorf("%+v", v.Results)
	}
}

// A layer that starts names the steps that run, not those that are left out.
func TestALayerNamesWhatRuns(t *testing.T) {
	h := open(t, `
workflow: two
steps:
  - { id: a, agent: w, needs: [] }
  - { id: b, agent: w, needs: [], if: input.b == true }
---
agent: w
kind: scripted
answers: [{ output: { ok: true } }]
`)
	id := h.begin(ann, "two", `{}`).ID
	h.waits(id, run.Completed)
	events, err := h.Events(t.Context(), admin, id, 0, 100, true)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(events)
	if err != nil || !strings.Contains(string(raw), `"steps":["a"]`) {
		t.Errorf("%s, %v", raw, err)
	}
}

// A rejected result is not used: on_reject tell, through the engine.
func TestARejectedResultIsNotUsed(t *testing.T) {
	h := open(t, `
workflow: letter
steps:
  - { id: draft, agent: writer }
  - { id: send, agent: mailer, with: { text: draft.text, why: context.good.comment } }
gates: [{ id: good, at: after draft, role: approver, on_reject: tell }]
---
agent: writer
kind: scripted
answers: [{ output: { text: rude words } }]
---
agent: mailer
kind: scripted
answers: [{ output: { sent: true } }]
`)
	id := h.begin(ann, "letter", `{}`).ID
	a := h.asked(id)
	if _, err := h.Decide(t.Context(), bob, a.ID,
		app.Decision{Act: gate.Reject, Comment: "too rude", Version: 1}, "", nil); err != nil {
		t.Fatal(err)
	}
	v := h.waits(id, run.Completed)
	if v.Steps[0].Status != run.SkippedStep || strings.Contains(string(v.Context), "rude words") ||
		!strings.Contains(string(v.Context), "too rude") {
		t.Errorf("%+v, %s", v.Steps, v.Context)
	}
	send, err := h.App.Step(t.Context(), admin, id, "send", 0, true)
	if err != nil || string(send.Input) != `{"why":"too rude"}` {
		t.Errorf("%s, %v", send.Input, err)
	}
}

// A run whose sub-run's sub-run waits names the approval.
func TestPendingApprovalsOfSubRuns(t *testing.T) {
	h := open(t, `
workflow: inner
steps: [{ id: pay, agent: w }]
gates: [{ id: sure, at: before pay, role: approver }]
---
agent: w
kind: scripted
answers: [{ output: { ok: true } }]
---
workflow: middle
steps: [{ id: deep, workflow: inner }]
---
workflow: outer
steps: [{ id: mid, workflow: middle }]
`)
	id := h.begin(ann, "outer", `{}`).ID
	a := h.asked(id)
	if a.Run == id || a.Gate != "sure" {
		t.Fatalf("%+v", a)
	}
	if _, err := h.Decide(t.Context(), bob, a.ID, app.Decision{Act: gate.Approve, Version: 1}, "", nil); err != nil {
		t.Fatal(err)
	}
	if v := h.waits(id, run.Completed); len(v.PendingApprovals) != 0 {
		t.Errorf("%v", v.PendingApprovals)
	}
}
