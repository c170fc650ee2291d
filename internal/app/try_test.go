package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/inventory"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/trial"
)

const tried = flow + `
---
agent: clerk
kind: llm
provider: scripted
tools: [read_file, mark, pay, wipe]
output: { type: object }
confidence_threshold: 0.9
turns:
  - say: I look first.
    calls:
      - { tool: read_file, args: { path: orders.csv } }
      - { tool: mark, args: { path: marked.txt, content: x } }
      - { tool: pay, args: { path: paid.txt, content: "12" } }
      - { tool: wipe, args: { path: wiped.txt, content: x } }
      - { tool: mark, args: { pathh: marked.txt } }
    usage: { tokens_in: 400, tokens_out: 20, cost_usd: 0.002 }
  - { answer: { done: true }, confidence: 0.5, reasoning: Because. }
---
tool: mark
kind: builtin
builtin: write_file
risk: safe
operation: read_marks
sample: { marked: true }
---
tool: pay
kind: builtin
builtin: write_file
operation: pay
sample: { paid: 12 }
---
tool: wipe
kind: builtin
builtin: write_file
operation: wipe
---
policy: default
rules:
  - { name: never-wipe, priority: 1, trigger: { operation_type: wipe }, action: { deny: "Nothing is wiped here." } }
  - { name: pay-here, priority: 2, trigger: { operation_type: pay, workflow: [refund] }, action: { auto_approve: true, irreversible: true } }
---
agent: service
kind: http
url: http://127.0.0.1:1/never
sample: { from: sample }
---
agent: fixed
kind: scripted
answers: [{ output: { n: 1 } }, { output: { n: 2 } }]
---
role: starter
permissions: [view, start]
workflows: [refund]
---
role: viewer
permissions: [view]
`

func verdicts(r trial.Report) (out []string) {
	for _, turn := range r.Turns {
		for _, c := range turn.Calls {
			out = append(out, c.Tool+" "+string(c.Verdict))
		}
	}
	return out
}

// A trial shows what an agent would do, with the verdict on each call. No tool runs, not even one that a test run would
// call; nothing is asked, and nothing is stored but the audit entry.
func TestTryingAnAgentHasNoConsequences(t *testing.T) {
	h := open(t, tried)
	ctx := t.Context()
	v, err := h.Inventory.TryAgent(ctx, admin, "clerk", inventory.Trial{Input: json.RawMessage(`{"order":"A-1"}`)})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(verdicts(v), ", ")
	if got != "read_file run, mark run, pay ask, wipe denied, mark refused" {
		t.Errorf("%s", got)
	}
	if v.Outcome != trial.Completed || string(v.Output) != `{"done":true}` || v.Version != 1 ||
		v.Reasoning != "Because." ||
		v.Usage.TokensIn != 400 || v.Usage.CostUSD != "0.002" || len(v.Turns) != 2 || v.Turns[0].Text != "I look first." {
		t.Errorf("%+v", v)
	}
	calls := v.Turns[0].Calls
	if string(calls[1].Answer) != `{"marked":true}` || calls[3].Why != "Nothing is wiped here." || calls[4].Why == "" ||
		len(calls[2].Asks) != 1 || calls[2].Asks[0].Role != "approver" || calls[2].Asks[0].Needed != 1 {
		t.Errorf("%+v", calls)
	}
	if len(v.Asks) != 1 || v.Asks[0].Reason != "low_confidence" {
		t.Errorf("its answer is not sure: %+v", v.Asks)
	}
	// As part of a workflow, the rules of that workflow apply.
	v, err = h.Inventory.TryAgent(ctx, admin, "clerk", inventory.Trial{Workflow: "refund"})
	if err != nil || v.Turns[0].Calls[2].Verdict != trial.Approved || v.Turns[0].Calls[2].Asks[0].Rule != "pay-here" {
		t.Errorf("%+v %v", v, err)
	}
	runs, err := h.Lists(admin).Runs(ctx, port.RunQuery{Limit: 10})
	if err != nil || len(runs.Items) != 0 {
		t.Errorf("%+v %v", runs, err)
	}
	waiting, err := h.Lists(admin).Approvals(ctx, port.ApprovalQuery{Limit: 10})
	if err != nil || len(waiting.Items) != 0 {
		t.Errorf("%+v %v", waiting, err)
	}
	err = filepath.WalkDir(h.dir, func(path string, _ os.DirEntry, err error) error {
		if name := filepath.Base(path); name == "marked.txt" || name == "paid.txt" || name == "wiped.txt" {
			t.Errorf("a tool wrote %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	log, err := h.Audit.Entries(ctx, admin, port.AuditQuery{Limit: 1})
	if err != nil || len(log.Items) != 1 || log.Items[0].Action != "agent.tried" ||
		log.Items[0].Target != "agent/clerk" || !strings.Contains(string(log.Items[0].Detail), `"calls":5`) {
		t.Errorf("%+v %v", log, err)
	}
	for range 2 { // it has not taken an answer from the agent in force
		v, err = h.Inventory.TryAgent(ctx, admin, "fixed", inventory.Trial{})
		if err != nil || string(v.Output) != `{"n":1}` || v.Sampled {
			t.Errorf("%+v %v", v, err)
		}
	}
	// What may have effects is not called.
	v, err = h.Inventory.TryAgent(ctx, admin, "service", inventory.Trial{})
	if err != nil || !v.Sampled || string(v.Output) != `{"from":"sample"}` {
		t.Errorf("%+v %v", v, err)
	}
}

// Who may start runs may try an agent in force; a draft can send secrets to any address, so it needs what saving needs.
func TestWhoMayTryAnAgent(t *testing.T) {
	h := open(t, tried)
	ctx := t.Context()
	starter := app.Who{Name: "sam", Kind: run.Person, Roles: []string{"starter"}}
	viewer := app.Who{Name: "vera", Kind: run.Person, Roles: []string{"viewer"}}
	const draft = "agent: clerk\nkind: scripted\nanswers: [{ output: { draft: true } }]\n"
	for _, c := range []struct {
		name string
		who  app.Who
		as   string
		try  inventory.Trial
		want fault.Code
	}{
		{"a viewer", viewer, "clerk", inventory.Trial{}, fault.Forbidden},
		{"a viewer, for a workflow", viewer, "clerk", inventory.Trial{Workflow: "refund"}, fault.Forbidden},
		{"a draft, with permission to start runs only", starter, "clerk", inventory.Trial{Workflow: "refund", YAML: draft},
			fault.Forbidden},
		{"within the role", starter, "clerk", inventory.Trial{Workflow: "refund"}, ""},
		{"outside of the role", starter, "clerk", inventory.Trial{}, fault.Forbidden},
		{"no such workflow", admin, "clerk", inventory.Trial{Workflow: "moon"}, fault.NotFound},
		{"no such agent", admin, "moon", inventory.Trial{}, fault.NotFound},
		{"a draft under another name", admin, "writer", inventory.Trial{YAML: draft}, fault.Invalid},
		{"a draft that cannot be read", admin, "clerk", inventory.Trial{YAML: "agent: ["}, fault.Invalid},
		{"a large input", admin, "clerk",
			inventory.Trial{Input: json.RawMessage(`"` + strings.Repeat("x", trial.InputMax) + `"`)}, fault.TooLarge},
		{"a masked value", admin, "clerk", inventory.Trial{Input: json.RawMessage(`["` + mask.Marker + `"]`)}, fault.Invalid},
		{"a draft", admin, "clerk", inventory.Trial{YAML: draft}, ""},
	} {
		v, err := h.Inventory.TryAgent(ctx, c.who, c.as, c.try)
		if fault.CodeOf(err) != c.want || (c.want == "") != (err == nil) {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.try.YAML == draft && err == nil && (string(v.Output) != `{"draft":true}` || v.Version != 0) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
	log, err := h.Audit.Entries(ctx, admin, port.AuditQuery{Limit: 50, Action: "agent.tried"})
	refused := 0
	for _, e := range log.Items {
		if e.Outcome == port.AuditRefused {
			refused++
		}
	}
	if err != nil || refused < 4 || strings.Contains(string(log.Items[0].Detail), "scripted") {
		t.Errorf("%d refusals, %v", refused, err)
	}
}

// A trial of an agent that would never finish ends at the limits of trials.
func TestTrialsEnd(t *testing.T) {
	const endless = "agent: clerk\nkind: llm\nprovider: scripted\ntools: [list_files]\n" +
		"turns: [{ calls: [{ tool: list_files, args: {} }], usage: { cost_usd: %s } }]\n"
	h := open(t, tried)
	for cost, want := range map[string]struct {
		turns int
		why   string
	}{"0.01": {trial.TurnsMax, "A trial ends after 12 turns."}, "0.5": {2, "The trial reached its cost limit of $1."}} {
		v, err := h.Inventory.TryAgent(t.Context(), admin, "clerk", inventory.Trial{YAML: fmt.Sprintf(endless, cost)})
		if err != nil || v.Outcome != trial.Stopped || len(v.Turns) != want.turns || v.Why != want.why {
			t.Errorf("%s: %d turns, %q, %v", cost, len(v.Turns), v.Why, err)
		}
	}
}
