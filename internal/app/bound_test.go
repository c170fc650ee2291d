package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/view"
)

// desk is a workflow whose model calls a tool that is a program.
const desk = `
workflow: desk
steps: [{ id: work, agent: clerk }]
---
agent: clerk
kind: llm
provider: scripted
autonomy: approve_high_risk
tools: [pay]
turns:
  - { calls: [{ tool: pay, args: { amount: 35 } }] }
  - { answer: { done: true } }
---
tool: pay
kind: command
command: [sh, -c, 'cat >/dev/null; touch %s; echo "{\"output\":{\"paid\":true}}"']
description: Pay somebody
risk: approval_required
operation: payment
`

func (h *home) approve(who app.Who, a view.Approval) {
	h.Helper()
	if _, err := h.Decide(h.Context(), who, a.ID,
		app.Decision{Act: gate.Approve, Version: a.Version}, "", nil); err != nil {
		h.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// While an approval is pending, the tool's command is changed. The new program
// does not run on the old approval.
func TestACommandChangedWhileAnApprovalIsPendingIsAskedAboutAgain(t *testing.T) {
	dir := t.TempDir()
	old, other := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	h := open(t, fmt.Sprintf(desk, old))
	id := h.begin(ann, "desk", `{}`).ID
	first := h.asked(id)
	if len(first.Changed) != 0 || len(first.Action.Implementation) != 1 || first.Action.Implementation[0].Version != 1 {
		t.Fatalf("%+v, %+v", first.Changed, first.Action)
	}
	set, _ := definition.Parse("new.yaml", fmt.Appendf(nil, desk, other))
	h.save(definition.KindTool, "pay", string(set.Tools["pay"].YAMLWithSecrets()), true)
	h.approve(bob, first)
	second := h.askedAfter(id, first.ID)
	if exists(old) || exists(other) {
		t.Fatal("a program ran")
	}
	want := gate.VersionChange{Kind: "tool", Name: "pay", From: "1", To: "2"}
	if len(second.Changed) != 1 || second.Changed[0] != want || second.Action.Digest == first.Action.Digest {
		t.Fatalf("%+v", second)
	}
	h.approve(bob, second)
	h.waits(id, run.Completed)
	if exists(old) || !exists(other) {
		t.Error("not the program that was approved")
	}
}

// askedAfter is the one approval that a run waits for once another is settled.
func (h *home) askedAfter(id, before string) view.Approval {
	h.Helper()
	for {
		if a := h.asked(id); a.ID != before {
			return a
		}
	}
}

// The agent of a step is bound, too, also over a restart.
func TestAnAgentChangedWhileAnApprovalIsPendingIsAskedAboutAgain(t *testing.T) {
	h := open(t, flow)
	id := h.begin(ann, "refund", `{"amount":1}`).ID
	first := h.asked(id)
	h.save(definition.KindAgent, "mailer", "agent: mailer\nkind: scripted\nanswers: [{ output: { sent: false } }]\n", true)
	h.stop()
	h.start()
	h.approve(bob, first)
	second := h.askedAfter(id, first.ID)
	if len(second.Changed) != 1 || second.Changed[0] != (gate.VersionChange{Kind: "agent",
		Name: "mailer", From: "1", To: "2"}) {
		t.Fatalf("%+v", second.Changed)
	}
	h.approve(bob, second)
	if v := h.waits(id, run.Completed); string(v.Output) != `{"sent":false}` {
		t.Errorf("%s", v.Output)
	}
}

// A rule that refuses, published between the question and the answer, wins.
func TestARuleThatRefusesPublishedInBetweenWins(t *testing.T) {
	const deny = "policy: house\nrules: [{ name: Closed, priority: 1, trigger: { operation_type: [refund, payment] }, " +
		"action: { deny: closed this week } }]\n"
	h := open(t, payments)
	id := h.begin(ann, "pay", `{"amount":50,"to":"zoe"}`).ID
	a := h.asked(id)
	h.save(definition.KindPolicy, "house", deny, true)
	h.approve(bob, a)
	if v := h.waits(id, run.Failed); v.Error.Code != "denied" || !strings.Contains(v.Error.Message, "closed this week") {
		t.Errorf("%+v", v.Error)
	}

	paid := filepath.Join(t.TempDir(), "paid")
	h = open(t, fmt.Sprintf(desk, paid))
	id = h.begin(ann, "desk", `{}`).ID
	a = h.asked(id)
	h.save(definition.KindPolicy, "house", deny, true)
	h.approve(bob, a)
	h.waits(id, run.Completed)
	if exists(paid) {
		t.Error("it was paid")
	}
}

// An automatic approval that has not started when the stop comes asks people.
func TestTheEmergencyStopHoldsForWhatHasNotStarted(t *testing.T) {
	h := open(t, payments+"---\nworkflow: gated\nsteps: [{ id: pay, agent: payer, operation: refund, with: { amount: "+
		"input.amount } }]\ngates: [{ id: sure, at: before pay, role: approver }]\n")
	id := h.begin(ann, "gated", `{"amount":5}`).ID
	a := h.asked(id)
	if _, err := h.Documents.EmergencyStop(t.Context(), admin, true, "something is wrong"); err != nil {
		t.Fatal(err)
	}
	h.approve(bob, a)
	second := h.askedAfter(id, a.ID)
	if second.Rule == nil || second.Rule.Name != "Small" {
		t.Fatalf("%+v", second)
	}
	_, err := h.Decide(t.Context(), bob, a.ID, app.Decision{Act: gate.Approve, Version: 1}, "", nil)
	wantFault(t, err, fault.AlreadyDecided, "bob")
	h.approve(bob, second)
	h.waits(id, run.Completed)
}

// Approvals of one rule tell what they are about.
func TestApprovalsOfOneRuleReadDifferently(t *testing.T) {
	h := open(t, payments)
	seen := map[string]bool{}
	for n := range 22 {
		a := h.asked(h.begin(ann, "pay", fmt.Sprintf(`{"amount":%d,"to":"zoe"}`, 100+n)).ID)
		if seen[a.Title] || a.Title != fmt.Sprintf("Refund %d to zoe", 100+n) {
			t.Errorf("%q", a.Title)
		}
		seen[a.Title] = true
	}
}
