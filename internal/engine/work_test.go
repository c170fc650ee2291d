package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// newOffice is a run with every kind of step.
func newOffice(t *testing.T) *machine.State {
	t.Helper()
	steps := []plan.Step{{ID: "plain", Agent: "plain"}, {ID: "chat", Agent: "first"},
		{ID: "map", Agent: "plain", Each: "input.items"},
		{ID: "mails", Agent: "first", Each: "input.items"}, {ID: "call", Tool: "t"}, {ID: "sub", Workflow: "w"}}
	none := []string{}
	for i := range steps {
		steps[i].Needs = &none
	}
	p, problems := plan.Compile(&plan.Definition{Workflow: plan.Workflow{Name: "office", Steps: steps},
		Agents: map[string]plan.Agent{"plain": {Name: "plain", Kind: plan.AgentGo},
			"first": {Name: "first", Kind: plan.AgentLLM}, "second": {Name: "second", Kind: plan.AgentLLM}},
		Workflows: map[string]plan.Workflow{"w": {Name: "w", Steps: []plan.Step{{ID: "a", Agent: "plain"}}}},
	})
	if p == nil {
		t.Fatal(problems)
	}
	return machine.New("run_1", p)
}

// worked applies facts in one write and returns what is counted, a line for each event.
func worked(t *testing.T, s *machine.State, facts ...run.Fact) []string {
	t.Helper()
	p := NewProjector(s)
	var events []run.Event
	for _, f := range facts {
		e := event(s.Seq+1, f)
		p.Apply(e)
		events = append(events, e)
	}
	w, err := p.Write(events)
	if err != nil {
		t.Fatal(err)
	}
	return workLines(w.Worked)
}

func workLines(all []port.Worked) (out []string) {
	for _, w := range all {
		u := w.Usage
		out = append(out, fmt.Sprintf("%s %d/%d %d %d %d %s", w.Agent, w.Steps, w.Failed, u.LLMCalls, u.TokensIn, u.TokensOut,
			u.CostUSD))
	}
	return out
}

// TestWorkOfAgents: every fact that costs something or ends a step counts once, for the agent that did it.
func TestWorkOfAgents(t *testing.T) {
	one, none := 1, 0
	spent := func(n int64) run.Usage {
		return run.Usage{LLMCalls: n, TokensIn: n * 10, TokensOut: n * 2, CostUSD: 1e9 * 2}
	}
	failed := func(n int64) run.Failure { return run.Failure{Message: "no", Usage: spent(n)} }
	result := func(n int64) run.Result { return run.Result{Output: json.RawMessage(`{}`), Usage: spent(n)} }
	ptr := func(r run.Result) *run.Result { return &r }
	at := time.Unix(9, 0)
	s := newOffice(t)
	for _, c := range []struct {
		f    run.Fact
		want string
	}{
		{&run.RunStarted{Workflow: "office", Input: json.RawMessage(`{"items":[1,2]}`)}, ""},
		{&run.StepStarted{Step: "plain", Try: 1}, ""},
		{&run.StepRetrying{Step: "plain", Error: failed(1), RetryAt: at}, "plain 0/0 1 10 2 2"},
		{&run.StepStarted{Step: "plain", Try: 2}, ""},
		{&run.StepReturned{Step: "plain", Result: result(2)}, "plain 0/0 2 20 4 2"},
		{&run.StepCompleted{Step: "plain"}, "plain 1/0 0 0 0 0"},

		{&run.StepStarted{Step: "chat", Try: 1}, ""},
		{&run.TurnStarted{Step: "chat", Agent: "first", Turn: 1, Try: 1}, ""},
		{&run.TurnRetrying{Step: "chat", Error: failed(3), RetryAt: at}, "first 0/0 3 30 6 2"},
		{&run.TurnStarted{Step: "chat", Agent: "first", Turn: 1, Try: 2}, ""},
		{&run.TurnCompleted{Step: "chat", Agent: "first", Turn: run.Turn{Text: "hi", Usage: spent(4)}}, "first 0/0 4 40 8 2"},
		{&run.CallRequested{Step: "chat", No: 1, Call: run.Call{ID: "a", Tool: "t"}}, ""},
		{&run.CallRequested{Step: "chat", No: 2, Call: run.Call{ID: "b", Tool: run.ToolHandOff}}, ""},
		{&run.CallStarted{Step: "chat", No: 1, Try: 1}, ""},
		{&run.CallRetrying{Step: "chat", No: 1, Error: failed(5), RetryAt: at}, "first 0/0 5 50 10 2"},
		{&run.CallStarted{Step: "chat", No: 1, Try: 2}, ""},
		{&run.CallInputNeeded{Step: "chat", No: 1, Round: 1, Usage: spent(6)}, "first 0/0 6 60 12 2"},
		{&run.HandedOff{Step: "chat", From: "first", To: "second"}, ""},
		{&run.CallCompleted{Step: "chat", No: 1, ID: "a", Result: run.CallResult{Usage: spent(7)}}, "first 0/0 7 70 14 2"},
		{&run.TurnStarted{Step: "chat", Agent: "second", Turn: 2, Try: 1}, ""},
		{&run.TurnCompleted{Step: "chat", Agent: "second", Turn: run.Turn{Usage: spent(8)}}, "second 0/0 8 80 16 2"},
		{&run.StepCompleted{Step: "chat", Result: ptr(run.Result{Output: json.RawMessage(`{}`)})}, "second 1/0 0 0 0 0"},

		{&run.StepExpanded{Step: "map", Count: 2}, ""},
		{&run.StepStarted{Step: "map", Index: &none, Try: 1}, ""},
		{&run.ElementCompleted{Step: "map", Index: 0, Result: ptr(result(9))}, "plain 0/0 9 90 18 2"},
		{&run.StepFailed{Step: "map", Error: run.Failure{Index: &one, Usage: spent(1)}}, "plain 1/1 1 10 2 2"},

		{&run.StepExpanded{Step: "mails", Count: 2}, ""},
		{&run.StepStarted{Step: "mails", Index: &one, Try: 1}, ""},
		{&run.TurnStarted{Step: "mails", Index: &one, Agent: "first", Turn: 1, Try: 1}, ""},
		{&run.HandedOff{Step: "mails", Index: &one, From: "first", To: "second"}, ""},
		{&run.TurnRetrying{Step: "mails", Index: &one, Error: failed(2), RetryAt: at}, "second 0/0 2 20 4 2"},
		{&run.StepFailed{Step: "mails", Error: run.Failure{Index: &one}}, "second 1/1 0 0 0 0"},

		// The work of a sub-run counts there, and a step that calls a tool has no agent.
		{&run.StepStarted{Step: "sub", Try: 1, Child: "run_2"}, ""},
		{&run.StepCompleted{Step: "sub", Result: ptr(result(3))}, ""},
		{&run.StepStarted{Step: "call", Try: 1}, ""},
		{&run.TurnStarted{Step: "call", Agent: "tool:t", Turn: 1, Try: 1}, ""},
		{&run.TurnCompleted{Step: "call", Agent: "tool:t"}, ""},
		{&run.CallRequested{Step: "call", No: 1, Call: run.Call{ID: "a", Tool: "t"}}, ""},
		{&run.CallStarted{Step: "call", No: 1, Try: 1}, ""},
		{&run.CallCompleted{Step: "call", No: 1, ID: "a", Result: run.CallResult{Usage: spent(7)}}, ""},
		{&run.StepCompleted{Step: "call", Result: ptr(run.Result{Output: json.RawMessage(`{}`)})}, ""},

		{&run.ConsultStarted{N: 1, Agent: "second"}, ""},
		{&run.ConsultRetrying{N: 1, Error: failed(1)}, "second 0/0 1 10 2 2"},
		{&run.ConsultRead{N: 1, Usage: spent(2)}, "second 0/0 2 20 4 2"},
		{&run.ConsultAnswered{N: 1, Advice: run.AdviceRaw{Action: run.AdviceContinue, Usage: spent(3)}},
			"second 0/0 3 30 6 2"},
		{&run.RunCompleted{Output: json.RawMessage(`{}`)}, ""},
	} {
		if got := strings.Join(worked(t, s, c.f), "\n"); got != c.want {
			t.Errorf("%s %+v: %q, want %q", c.f.Type(), c.f, got, c.want)
		}
	}
}

// TestWorkAhead: a step that ran ahead counts when its result is used, or thrown away.
func TestWorkAhead(t *testing.T) {
	spent := run.Usage{LLMCalls: 1, CostUSD: 1e9}
	result := run.Result{Output: json.RawMessage(`{}`), Usage: spent}
	s := newOffice(t)
	start := func() []string {
		return worked(t, s, &run.StepSpeculated{Step: "plain", Input: json.RawMessage(`{}`)},
			&run.SpeculationReturned{Step: "plain", Result: result})
	}
	if got := worked(t, s, &run.RunStarted{Workflow: "office"}); got != nil {
		t.Error(got)
	}
	if got := start(); got != nil {
		t.Error(got)
	}
	got := worked(t, s, &run.SpeculationDiscarded{Step: "plain", Rev: 1, Why: run.AheadChanged, Usage: spent})
	if !slices.Equal(got, []string{"plain 0/0 2 0 0 2"}) {
		t.Error(got)
	}
	if got := start(); got != nil {
		t.Error(got)
	}
	got = worked(t, s, &run.SpeculationUsed{Step: "plain"}, &run.StepStarted{Step: "plain", Rev: 1, Try: 1},
		&run.StepReturned{Step: "plain", Result: result}, &run.StepCompleted{Step: "plain"})
	if !slices.Equal(got, []string{"plain 0/0 1 0 0 1", "plain 1/0 0 0 0 0"}) {
		t.Error(got)
	}
}

// TestWorkOfOthers: neither test runs nor the history of a fork count.
func TestWorkOfOthers(t *testing.T) {
	history := func(test bool) []run.Fact {
		return []run.Fact{&run.RunStarted{Workflow: "office", TestMode: test}, &run.StepStarted{Step: "plain", Try: 1},
			&run.StepCompleted{Step: "plain", Result: &run.Result{Output: json.RawMessage(`{}`), Usage: run.Usage{LLMCalls: 1}}}}
	}
	after := []run.Fact{&run.RunForked{From: "run_0", AtSeq: 3}, &run.StepStarted{Step: "chat", Try: 1},
		&run.StepFailed{Step: "chat"}}
	for _, c := range []struct {
		facts []run.Fact
		want  []string
	}{
		{history(false), []string{"plain 1/0 1 0 0 0"}},
		{history(true), nil},
		{append(history(false), after...), []string{"first 1/1 0 0 0 0"}},
		{append(history(true), after...), nil},
	} {
		if got := worked(t, newOffice(t), c.facts...); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
