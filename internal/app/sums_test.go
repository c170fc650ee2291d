package app_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/view"
)

const adding = `
workflow: pay
steps:
  - { id: pay, agent: payer, operation: refund, risk: low, with: { amount: input.amount, to: input.to } }
---
workflow: two
steps:
  - { id: first, workflow: pay, with: { amount: input.amount, to: input.to } }
  - { id: second, workflow: pay, needs: [first], with: { amount: input.amount, to: input.to } }
---
agent: payer
kind: scripted
answers: [{ output: { paid: true } }]
---
policy: house
rules:
  - name: Much for one customer
    priority: 1
    trigger: { operation_type: refund, workflow: pay, data_threshold: { field: amount, sum: 24h, by: to, operator: ">", value: 1000 } }
    action: { role: approver }
  - name: Much in one run
    priority: 2
    trigger: { operation_type: refund, data_threshold: { field: amount, sum: run, operator: ">", value: 500 } }
    action: { role: approver }
`

// Runs that start at once do not pass a limit together, however many there are.
func TestSumsHoldUnderLoad(t *testing.T) {
	h := open(t, adding)
	const runs = 40
	var all sync.WaitGroup
	ids := make([]string, runs)
	for i := range ids {
		all.Go(func() { ids[i] = h.begin(ann, "pay", `{"amount":100,"to":"c-1"}`).ID })
	}
	all.Wait()
	done, asked := 0, ""
	for _, id := range ids {
		v := h.rests(id)
		if v.Status == run.Completed {
			done++
		} else {
			asked = id
		}
	}
	if done != 10 {
		t.Fatalf("%d of %d refunds of 100 were paid under a limit of 1,000", done, runs)
	}
	a := h.asked(asked)
	if !strings.Contains(a.Description, "11 refund actions in the last 24h for this to add up to 1,100 (amount).") {
		t.Errorf("the approval does not say what they add up to: %q", a.Description)
	}
	// What people let through counts for the next; another customer has a sum of its own.
	if _, err := h.Decide(t.Context(), bob, a.ID, app.Decision{Act: gate.Approve, Version: 1}, "", nil); err != nil {
		t.Fatal(err)
	}
	h.waits(asked, run.Completed)
	h.stop()
	h.start()
	a = h.asked(h.begin(ann, "pay", `{"amount":1,"to":"C-1"}`).ID)
	if !strings.Contains(a.Description, "12 refund actions in the last 24h for this to add up to 1,101 (amount).") {
		t.Errorf("after a restart: %q", a.Description)
	}
	h.waits(h.begin(ann, "pay", `{"amount":500,"to":"c-2"}`).ID, run.Completed)
}

// rests waits until a run has ended or waits for people.
func (h *home) rests(id string) view.Run {
	h.Helper()
	for {
		v, err := h.App.Run(h.Context(), ann, id, false)
		if err != nil {
			h.Fatal(err)
		}
		if v.Status != run.Running {
			return v
		}
	}
}

// Sub-runs, retries and forks are no way around the sum of a run: what belongs
// together counts together.
func TestSumsOfARunCountItsFamily(t *testing.T) {
	h := open(t, adding)
	id := h.begin(ann, "two", `{"amount":300,"to":"c-1"}`).ID
	if d := h.asked(id).Description; !strings.Contains(d, "2 refund actions in this run add up to 600 (amount).") {
		t.Errorf("a second sub-run: %q", d)
	}

	paid := h.begin(ann, "pay", `{"amount":300,"to":"c-2"}`).ID
	h.waits(paid, run.Completed)
	again, err := h.Retry(t.Context(), ann, paid, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := h.asked(again.ID).Description; !strings.Contains(d, "2 refund actions in this run add up to 600") {
		t.Errorf("a retry: %q", d)
	}
	forked, err := h.Fork(t.Context(), ann, paid, app.Fork{AtSeq: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := h.asked(forked.ID).Description; !strings.Contains(d, "2 refund actions in this run add up to 600") {
		t.Errorf("a fork: %q", d)
	}
	// A run of its own is none of them, and a test run counts for nothing.
	h.waits(h.begin(ann, "pay", `{"amount":300,"to":"c-2"}`).ID, run.Completed)
	test, err := h.Begin(t.Context(), ann, app.NewRun{Workflow: "pay",
		Input: []byte(`{"amount":450,"to":"c-2"}`), TestMode: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h.waits(test.ID, run.Completed)
	h.waits(h.begin(ann, "pay", `{"amount":400,"to":"c-2"}`).ID, run.Completed)
	h.asked(h.begin(ann, "pay", `{"amount":1,"to":"c-2"}`).ID)
}

// A policy is tested with the acts that are named, and tried on what was recorded.
func TestSumsAreTested(t *testing.T) {
	h := open(t, adding)
	for _, c := range []struct {
		earlier []string
		want    policy.Effect
		reason  string
	}{
		{nil, policy.Nothing, ""},
		{[]string{`{"amount":200}`}, policy.Nothing, ""},
		{[]string{`{"amount":200}`, `{"amount":1}`}, policy.Asks,
			"3 refund actions in this run add up to 501 (amount), which is over 500"},
		{[]string{`{"amount":"200"}`}, policy.Asks, "the amount of 1 earlier action is unknown"},
	} {
		sub := insight.Subject{Operation: "refund", Data: []byte(`{"amount":300,"to":"c-1"}`)}
		for _, e := range c.earlier {
			sub.Earlier = append(sub.Earlier, []byte(e))
		}
		v, err := h.Hindsight.TestPolicy(t.Context(), admin, definition.JSON, nil, sub)
		if err != nil {
			t.Fatal(err)
		}
		if v.Effect != c.want || !strings.Contains(v.Reason, c.reason) {
			t.Errorf("after %s: %s, %s", c.earlier, v.Effect, v.Reason)
		}
	}
	for i := range 4 {
		id := h.begin(ann, "pay", fmt.Sprintf(`{"amount":600,"to":"c-%d"}`, i%2)).ID
		if _, err := h.Decide(t.Context(), bob, h.asked(id).ID,
			app.Decision{Act: gate.Approve, Version: 1}, "", nil); err != nil {
			t.Fatal(err)
		}
		h.waits(id, run.Completed)
	}
	daily := `policy: house
rules:
  - { name: Daily, priority: 1, trigger: { operation_type: refund, data_threshold: { field: amount, sum: 24h, by: to, operator: "<=", value: 1000 } }, action: { auto_approve: true } }
  - { name: Rest, priority: 2, trigger: { operation_type: refund }, action: { role: approver } }
`
	v, err := h.Hindsight.BacktestDocument(t.Context(), admin, definition.YAML, []byte(daily),
		h.Now().AddDate(0, 0, -1), h.Now())
	if err != nil {
		t.Fatal(err)
	}
	if v.Subjects != 4 || v.AskedToAuto != 2 {
		t.Errorf("of %d refunds of 600 for two customers %d would pass under a limit of 1,000 a day",
			v.Subjects, v.AskedToAuto)
	}
}
