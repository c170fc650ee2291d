package engine

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

// The table in docs/decisions/0025: days of slack by risk, and days before the deadline by the effect of the
// timeout.
func TestUrgency(t *testing.T) {
	opened, deadline := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC)
	days := func(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }
	for level, slack := range map[risk.Level]int{risk.Critical: 0, risk.High: 1, risk.Medium: 3, "": 3, risk.Low: 7} {
		a := &gate.Approval{Request: gate.Request{Risk: gate.Risk{Level: level}}, OpenedAt: opened}
		if got := urgentBy(a); !got.Equal(opened.Add(days(slack))) {
			t.Errorf("%q without a deadline: %s", level, got)
		}
		a.Terms.Deadline = deadline
		for then, before := range map[gate.Then]int{
			gate.ThenApprove: 14, gate.ThenDefault: 14, gate.ThenReject: 7, gate.ThenCancel: 7, gate.ThenPause: 2, "": 2,
		} {
			a.Terms.Then = then
			if got := urgentBy(a); !got.Equal(deadline.Add(days(slack - before))) {
				t.Errorf("%q, then %q: %s", level, then, got)
			}
		}
	}
}

// Every change to an approval changes its row.
func TestWhatChangesAnApproval(t *testing.T) {
	for _, f := range []run.Fact{
		&run.ApprovalCommented{ID: "apr_7_1"}, &run.ApprovalReminder{ID: "apr_7_1"}, &run.ApprovalPaused{ID: "apr_7_1"},
		&run.ApprovalEscalated{ID: "apr_7_1", To: "role:boss"},
	} {
		d := drive(t, "run_7", plan.Workflow{Name: "pay",
			Steps: []plan.Step{{ID: "ask", Human: &plan.Gate{Kind: gate.KindApproval}}}})
		d.do(1, "ann", run.Start{Input: json.RawMessage(`{}`)})
		w := d.project([]run.Event{{Run: "run_7", Seq: d.s.Seq + 1, At: time.Unix(2, 0), Fact: f}})
		if len(w.Approvals) != 1 || w.Approvals[0].ID != "apr_7_1" {
			t.Errorf("%s: %+v", f.Type(), w.Approvals)
		}
	}
	if id := approvalOf(&run.RunWaiting{}); id != "" {
		t.Errorf("%s is changed by a run that waits", id)
	}
}

// Effects are known after the write.
func TestOwed(t *testing.T) {
	d := drive(t, "run_7", plan.Workflow{Name: "pay", Steps: []plan.Step{{ID: "do", Agent: "x"}}})
	p := NewProjector(d.s)
	events, err := decide.Handle(d.s, decide.Env{Now: time.Unix(1, 0)},
		run.Command{By: run.Actor{Kind: run.Person, Name: "ann"}, Do: run.Start{Input: json.RawMessage(`{}`)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		p.Apply(e)
	}
	if p.Owed() != nil {
		t.Error("nothing was written yet")
	}
	if _, err := p.Write(events); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(p.Owed(), func(e run.Effect) bool { _, ok := e.Do.(run.Invoke); return ok }) {
		t.Errorf("%+v", p.Owed())
	}
}

// A fork's row names the original run.
func TestRowOfAFork(t *testing.T) {
	p := NewProjector(newRun(t))
	events := []run.Event{event(1, recorded[0]), event(2, &run.RunForked{From: "run_0", AtSeq: 1})}
	for _, e := range events {
		p.Apply(e)
	}
	if w, err := p.Write(events); err != nil || w.Row.ForkedFrom != "run_0" || w.Row.Parent != "run_0" {
		t.Errorf("%+v, %v", w.Row, err)
	}
}

// A settled approval is complete in its row, however it was settled; the state keeps less.
func TestRowsOfSettledApprovals(t *testing.T) {
	for name, do := range map[string]run.Operation{
		"approved": run.Decide{Approval: "apr_7_1",
			Answer: gate.Answer{By: gate.Person{Name: "bob"}, Act: gate.Approve, Version: 1}},
		"rejected": run.Decide{Approval: "apr_7_1",
			Answer: gate.Answer{By: gate.Person{Name: "bob"}, Act: gate.Reject, Version: 1, Comment: "no"}},
		"withdrawn": run.Cancel{Reason: "no"},
	} {
		d := drive(t, "run_7", plan.Workflow{Name: "pay",
			Steps: []plan.Step{{ID: "ask", Human: &plan.Gate{Kind: gate.KindApproval, Title: "Pay?"}}}})
		d.do(1, "ann", run.Start{Input: json.RawMessage(`{"amount":1}`)})
		a, _ := d.s.Approval("apr_7_1")
		proposed := string(a.Proposed)
		w := d.do(2, "bob", do)
		if proposed == "" || len(w.Approvals) != 1 || w.Approvals[0].Status == string(gate.Pending) ||
			!w.Approvals[0].SettledAt.Equal(time.Unix(2, 0)) {
			t.Fatalf("%s: %+v", name, w.Approvals)
		}
		var body gate.Approval
		if err := json.Unmarshal(w.Approvals[0].Body, &body); err != nil || string(body.Proposed) != proposed ||
			body.Outcome == nil {
			t.Errorf("%s: %s, %v", name, w.Approvals[0].Body, err)
		}
	}
}
