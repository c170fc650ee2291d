package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// TestLoop: the core runs a whole step on a provider that makes every mistake once: arguments that are not
// JSON, an unknown tool, a broken stream, an output that does not match.
func TestLoop(t *testing.T) {
	both(t, func(t *testing.T, d dialect) {
		turns := [][]string{
			d.whole(d.text("I look."), d.call(0, "c0", "mcp_files_read"), d.args(0, `{\"path\": oops`),
				d.call(1, "c1", "nobody"), d.args(1, `{}`)),
			{d.begin, d.text("half of")},
			d.whole(d.call(0, "c0", "mcp_files_read"), d.args(0, `{\"path\":`), d.args(0, `\"a\"}`)),
			d.whole(d.text("It is about whales.")),
			d.whole(d.text(`{\"summary\":\"whales\",\"confidence\":0.95,\"reasoning\":\"I read it\"}`)),
		}
		n := 0
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			n++
			says(turns[n-1]...)(w, r)
		})
		m := d.model(t, s.URL)
		state, r := loop(t, m.Think)
		if state.Status != run.Completed || string(state.Output) != `{"summary":"whales"}` || r == nil ||
			*r.Confidence != 0.95 || r.Reasoning != "I read it" {
			t.Fatalf("%s %s %+v %+v", state.Status, state.Output, state.Error, r)
		}
		// Four turns were answered; the known cost of the broken one is included.
		if u := state.Usage; u.LLMCalls != 5 || u.TokensOut < 12 {
			t.Errorf("%+v", u)
		}
		said := s.asked()
		for i, want := range map[int]string{1: "the arguments do not match the tool's schema", 2: `not found`,
			3: "all about whales", 4: "does not match the schema"} {
			if !strings.Contains(said[i], want) {
				t.Errorf("request %d does not say %q: %s", i, want, said[i])
			}
		}
		if said[1] != said[2] {
			t.Error("the second try of a turn asks something else")
		}
	})
}

// loop plays a host: it folds the log and executes effects.
func loop(t *testing.T, thinks func(ctx context.Context, th port.TurnRequest, tell func(port.Progress)) (run.Turn,
	error)) (*machine.State, *run.Result) {
	t.Helper()
	output := json.RawMessage(`{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"],"additionalProperties":false}`)
	p, problems := plan.Compile(&plan.Definition{
		Workflow: plan.Workflow{Name: "w", Steps: []plan.Step{{ID: "read", Agent: "reader"}}},
		Agents:   map[string]plan.Agent{"reader": {Name: "reader", Kind: plan.AgentLLM, Autonomy: risk.Full, Output: output}},
	})
	if p == nil {
		t.Fatal(problems)
	}
	state, now := machine.New("run_1", p), noon
	var result *run.Result
	handle := func(do run.Operation) {
		events, err := decide.Handle(state, decide.Env{Now: now},
			run.Command{ID: fmt.Sprint(state.Seq), By: run.Actor{Kind: run.Person, Name: "ann"}, Do: do})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			state.Apply(e)
			if f, ok := e.Fact.(*run.StepCompleted); ok {
				result = f.Result
			}
		}
	}
	handle(run.Start{Input: json.RawMessage(`{"file":"a"}`)})
	for range 50 {
		if state.Status.Ended() {
			return state, result
		}
		owed := state.Effects()
		if len(owed) == 0 {
			t.Fatalf("nothing is owed: %s", state.Status)
		}
		switch do := owed[0].Do.(type) {
		case run.Think:
			turn, err := thinks(t.Context(), port.TurnRequest{
				Agent: do.Agent, Turn: do.Turn, Key: owed[0].Key.Work(), Input: state.InputFor(do.Step, do.Index),
				Entries: do.Entries, Tools: []port.ToolInfo{filesTool}, Output: output,
			}, nil)
			if err != nil {
				handle(run.Fail{Key: owed[0].Key, Failure: port.FailureOf(err)})
				continue
			}
			for i := range turn.Calls {
				c := &turn.Calls[i]
				c.Spec = run.ToolSpec{Unknown: c.Tool != filesTool.Name, Class: risk.Safe, ArgsSchema: filesTool.Args}
			}
			handle(run.CompleteTurn{Key: owed[0].Key, Turn: turn})
		case run.CallTool:
			handle(run.CompleteCall{Key: owed[0].Key, Result: run.CallResult{Output: json.RawMessage(`"all about whales"`)}})
		case run.Wake:
			now = now.Add(time.Hour)
			handle(run.Tick{})
		default:
			t.Fatalf("%T is owed", do)
		}
	}
	t.Fatalf("it does not end: %s", state.Status)
	return nil, nil
}
