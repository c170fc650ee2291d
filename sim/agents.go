package sim

import (
	"encoding/json"
	"fmt"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Answers of agents, models and tools: a small vocabulary in which gates and rules look at the number n.

func (w *world) number() int { return w.net.IntN(11) }

// output is an agent's output.
func (w *world) output() json.RawMessage {
	switch {
	case w.quiet:
		return json.RawMessage(fmt.Sprintf(`{"n":%d,"items":[{"n":1}]}`, w.number()))
	case w.net.IntN(12) == 0:
		return []json.RawMessage{[]byte(`null`), []byte(`[1,2]`), []byte(`"words"`), []byte(`{}`),
			[]byte(`{"n":"seven"}`)}[w.net.IntN(5)]
	}
	items := ""
	for k := range w.net.IntN(4) {
		if k > 0 {
			items += ","
		}
		items += fmt.Sprintf(`{"n":%d}`, w.number())
	}
	return json.RawMessage(fmt.Sprintf(`{"n":%d,"items":[%s],"k":"v%d"}`, w.number(), items, w.net.IntN(3)))
}

// confidence is high, low, or missing.
func (w *world) confidence() *float64 {
	if w.quiet || w.net.IntN(2) == 0 {
		return nil
	}
	c := []float64{0.3, 0.6, 0.75, 0.85, 0.95}[w.net.IntN(5)]
	return &c
}

func (w *world) usage() run.Usage {
	return run.Usage{LLMCalls: 1, TokensIn: 10, TokensOut: int64(w.net.IntN(100)), CostUSD: 20_000_000}
}

func (w *world) invoked() answer {
	res := run.Result{Output: w.output(), Confidence: w.confidence(), Reasoning: "because", Usage: w.usage()}
	if w.net.IntN(8) == 0 {
		res.Deliverables = []run.Deliverable{{Name: "report", Type: "text", Content: json.RawMessage(`"words"`)}}
	}
	return func(k run.Key) run.Operation { return run.Complete{Key: k, Result: res} }
}

// tools that models know, with a host's knowledge of them.
var tools = []run.Call{
	{Tool: "look", Spec: run.ToolSpec{Class: "safe", Operation: "read", ReadOnly: true}},
	{Tool: "note", Spec: run.ToolSpec{Class: "low"}},
	{Tool: "mail", Spec: run.ToolSpec{Class: "approval_required", Operation: "send_email", Description: "Sends a mail"}},
	{Tool: "pay", Spec: run.ToolSpec{
		Class: "high", Operation: "refund", CostUSD: 1_000_000,
		ArgsSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}}}`),
	}},
	{Tool: "wipe", Spec: run.ToolSpec{Class: "critical", Operation: "delete", Destructive: true}},
	{Tool: "nothing", Spec: run.ToolSpec{Unknown: true}},
}

// thought is a model's turn: text, calls or the end.
func (w *world) thought(do run.Think) answer {
	t := run.Turn{Usage: w.usage()}
	tool, calls := plan.CalledBy(do.Agent)
	switch {
	case calls: // a step that calls a tool proposes that call
		t.Calls = []run.Call{{ID: fmt.Sprintf("call_%d", do.Turn), Tool: tool, Spec: w.shelf.spec(tool),
			Args: json.RawMessage(`{"n":0}`)}} // the plan has the arguments
		if w.net.IntN(20) == 0 {
			t.Calls = append(t.Calls, w.toolCall(7)) // and nothing else
		}
	case !w.quiet && do.Turn < 6 && w.net.IntN(4) > 0:
		t.Text = "let me see"
		for n := range 1 + w.net.IntN(3) {
			t.Calls = append(t.Calls, w.toolCall(n))
		}
	case w.net.IntN(3) == 0:
		t.Text = "done"
	default:
		t.Output, t.Confidence, t.Reasoning = w.output(), w.confidence(), "because"
	}
	return func(k run.Key) run.Operation { return run.CompleteTurn{Key: k, Turn: t} }
}

func (w *world) toolCall(n int) run.Call {
	id := fmt.Sprintf("c%d", n)
	if w.net.IntN(25) == 0 {
		id = "c0" // models do that
	}
	switch w.net.IntN(18) {
	case 16, 17:
		to := []string{"thinker", "careful", "bold", "worker", "nobody"}[w.net.IntN(5)]
		return run.Call{ID: id, Tool: run.ToolSendMessage,
			Args: mustJSON(map[string]string{"to": to, "text": "approved, continue"}), Spec: run.ToolSpec{Class: "safe"}}
	case 0:
		args := `{"question":"which?","options":["a","b"]}`
		if w.net.IntN(2) == 0 {
			args = `{"question":"why?"}`
		}
		return run.Call{ID: id, Tool: run.ToolAskHuman, Args: json.RawMessage(args), Spec: run.ToolSpec{Class: "safe"}}
	case 1:
		return run.Call{ID: id, Tool: run.ToolMilestone, Args: json.RawMessage(`{"name":"half"}`),
			Spec: run.ToolSpec{Class: "safe"}}
	case 2:
		to := []string{"thinker", "careful", "bold", "worker", "nobody"}[w.net.IntN(5)]
		return run.Call{ID: id, Tool: run.ToolHandOff, Args: mustJSON(map[string]string{"to": to}),
			Spec: run.ToolSpec{Class: "safe"}}
	}
	c := tools[w.net.IntN(len(tools))]
	c.ID, c.Spec = id, w.shelf.spec(c.Tool)
	c.Args = json.RawMessage(fmt.Sprintf(`{"n":%d}`, 3*w.net.IntN(4))) // few values, so that calls repeat
	return c
}

func (w *world) called(do run.CallTool) answer {
	if in := w.asksBack(do); in != nil {
		return func(k run.Key) run.Operation { return run.CompleteCall{Key: k, Result: run.CallResult{Input: in}} }
	}
	res := run.CallResult{Output: json.RawMessage(fmt.Sprintf(`{"n":%d}`, w.number())),
		Usage: run.Usage{CostUSD: 10_000_000}}
	switch w.net.IntN(5) {
	case 0:
		res = run.CallResult{Error: "the tool does not want to"}
	case 1:
		res.Deliverables = []run.Deliverable{{Name: "file", Content: json.RawMessage(`"words"`)}}
	}
	return func(k run.Key) run.Operation { return run.CompleteCall{Key: k, Result: res} }
}

// asksBack is a tool's question to people, or nil.
func (w *world) asksBack(do run.CallTool) *run.CallInput {
	if w.quiet || w.net.IntN(6) > 0 {
		return nil
	}
	round := 0
	_ = json.Unmarshal(do.State, &round)
	in := &run.CallInput{From: "The tool " + do.Call.Tool, Message: "how many?", State: mustJSON(round + 1)}
	if w.net.IntN(2) == 0 {
		in.Schema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`)
	}
	w.cover.add("a tool asks people", fmt.Sprint("round ", round+1))
	return in
}

func (w *world) advised() answer {
	advice := run.AdviceRaw{Action: "continue", Reasoning: "looks good"}
	if !w.quiet {
		switch w.net.IntN(12) {
		case 0:
			advice.Action = "abort"
		case 1, 2, 3:
			advice.Action, advice.Requirement = "replan", "do more"
		case 4:
			advice.Action = "perhaps"
		case 5:
			advice.Action = "ask"
		case 6:
			read := []run.ReadCall{{ID: "r", Tool: run.ToolReadValue, Output: json.RawMessage(`{"value":1}`)}}
			return func(k run.Key) run.Operation { return run.ReadForConsult{Key: k, Reads: read} }
		}
	}
	return func(k run.Key) run.Operation { return run.AnswerConsult{Key: k, Advice: advice} }
}

func (w *world) replanned(r *record) answer {
	var steps []plan.Step
	if !w.quiet && w.net.IntN(4) > 0 {
		steps = w.newSteps(r.truth.Plan(), failedIn(r.truth))
	}
	harmless := w.net.IntN(2) == 0
	var because []run.Because
	for _, s := range steps {
		b := run.Because{Step: s.ID}
		if w.net.IntN(8) == 0 {
			b.Unset = []string{"n"}
		}
		because = append(because, b)
	}
	return func(k run.Key) run.Operation {
		return run.AnswerReplan{Key: k, Steps: steps, Agents: map[string]plan.Agent{"fresh": fresh}, Reason: "searched",
			Harmless: harmless, Because: because}
	}
}

// fresh is an agent that plans only get by edits.
var fresh = plan.Agent{Name: "fresh", Kind: plan.AgentScripted}

// newSteps are steps to add to a running plan.
func (w *world) newSteps(p *plan.Plan, failed []string) []plan.Step {
	var out []plan.Step
	for range 1 + w.net.IntN(2) {
		w.commands++
		s := plan.Step{ID: fmt.Sprintf("x%d", w.commands), Agent: []string{"worker", "fresh"}[w.net.IntN(2)]}
		if w.net.IntN(4) == 0 {
			s.Operation = "refund"
		}
		if w.net.IntN(6) == 0 {
			s.Agent, s.Operation, s.Human = "", "", &plan.Gate{Role: "approver"}
		}
		if w.net.IntN(4) == 0 && !w.opts.off(LLM) {
			s.Agent, s.Operation, s.Human = "", "", nil
			s.Tool = tools[w.net.IntN(len(tools))].Tool
			s.With = plan.Mapping{{Target: "n", Source: fmt.Sprint(w.net.IntN(11))}}
		}
		steps := p.Definition.Workflow.Steps
		if len(failed) > 0 && w.net.IntN(3) > 0 {
			s.Replaces, s.Needs = failed[w.net.IntN(len(failed))], &[]string{}
			out = append(out, s)
			continue
		}
		switch w.net.IntN(4) {
		case 0:
			s.NeededBy = []string{steps[w.net.IntN(len(steps))].ID}
			s.Needs = &[]string{}
		case 1:
			s.Needs = &[]string{steps[w.net.IntN(len(steps))].ID}
		}
		out = append(out, s)
	}
	return out
}

// failedIn lists the steps that failed: new ones may take their place.
func failedIn(s *machine.State) (out []string) {
	for i, st := range s.Steps {
		if st.Status == run.FailedStep {
			out = append(out, s.Plan().Nodes[i].Step.ID)
		}
	}
	return out
}
