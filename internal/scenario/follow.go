package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
)

// Follow executes one block of a script.
func (w *World) Follow(lines []string) error {
	t, more := &tokens{rest: lines[0]}, lines[1:]
	if w.s == nil && t.peek() != "define" {
		return fmt.Errorf("define a workflow first")
	}
	verb := t.peek()
	if !slices.Contains([]string{"recorded", "outstanding", "show"}, verb) {
		w.recent = nil
	}
	switch verb {
	case "define":
		return w.define(more)
	case "policy":
		raw, err := yamlToJSON([]byte(strings.Join(more, "\n")))
		if err != nil {
			return err
		}
		return w.setPolicy(raw)
	case "stop", "go": // the emergency stop, which the next command meets
		t.word()
		w.stopped = verb == "stop"
		return t.end()
	case "start", "retry":
		t.word()
		return w.start(t, verb == "retry")
	case "agent":
		t.word()
		return w.agent(t, more)
	case "model":
		t.word()
		return w.model(t, more)
	case "tool":
		t.word()
		return w.tool(t)
	case "publish":
		t.word()
		return w.publish(t)
	case "child":
		t.word()
		return w.child(t)
	case "planner":
		return w.planner(t, more)
	case "adviser":
		t.word()
		return w.adviser(t)
	case "wait":
		t.word()
		d, err := quantity.ParseDuration(t.word())
		if err != nil {
			return err
		}
		return w.wait(d.Std())
	case "again":
		return w.do(*w.last)
	case "crash":
		return w.crash()
	case "snapshot":
		return w.do(w.command("ann", run.TakeSnapshot{}))
	case "fork":
		t.word()
		return w.fork(t, more)
	case "recorded":
		t.word()
		return w.recorded(t)
	case "outstanding":
		w.outstanding()
	case "show":
		t.word()
		return w.show(t)
	default:
		return w.person(t, more)
	}
	return nil
}

// command is a person's command, with an id that makes it idempotent.
func (w *World) command(by string, do run.Operation) run.Command {
	w.commands++
	return run.Command{ID: fmt.Sprintf("cmd_%d", w.commands), By: run.Actor{Kind: run.Person, Name: by}, Do: do}
}

// report is a command of the host, once its line has been read to the end.
func (w *World) report(t *tokens, do run.Operation) error {
	if err := t.end(); err != nil {
		return err
	}
	return w.do(run.Command{By: run.Actor{Kind: run.System}, Do: do})
}

// start ann {"input":1} [as run_2] [in test mode]; retry ann as run_2.
func (w *World) start(t *tokens, retry bool) error {
	by := t.word()
	do := run.Start{Owner: by}
	if retry {
		t.skip("as")
		do.Input, do.RetryOf = w.s.Started.Input, w.s.ID
		w.s, w.log, w.keys = machine.New(t.word(), w.plan), nil, map[string][]run.Key{}
	} else {
		do.Input = t.json()
	}
	if t.is("as") { // a new run in the same world
		w.s, w.log, w.keys = machine.New(t.word(), w.plan), nil, map[string][]run.Key{}
	}
	if t.is("in") {
		t.skip("test")
		t.skip("mode")
		do.TestMode = true
	}
	if err := t.end(); err != nil {
		return err
	}
	return w.do(w.command(by, do))
}

// key finds the effect for a name, or the newest there ever was: its answer is then late.
func (w *World) key(name string, t *tokens) (run.Key, error) {
	known := w.keys[name]
	if len(known) == 0 {
		return run.Key{}, fmt.Errorf("%s was never outstanding", name)
	}
	key := known[len(known)-1]
	if t.is("try") {
		try := int(t.number())
		for _, k := range known {
			if k.Try == try {
				return k, nil
			}
		}
		return run.Key{}, fmt.Errorf("there was no try %d of %s", try, name)
	}
	return key, nil
}

// agent STEP [try N] answers {…} [confidence 0.6] [because "…"] [cost 0.1] [deliverable "…"]
// agent STEP [try N] fails "…" [transient] [stack "…"] [retry after 30s]
func (w *World) agent(t *tokens, _ []string) error {
	key, err := w.key("agent "+t.word(), t)
	if err != nil {
		return err
	}
	if t.is("fails") {
		return w.fails(t, key)
	}
	if t.is("changed") {
		return w.changed(t, key)
	}
	t.skip("answers")
	r := run.Result{Output: t.json()}
	for t.more() {
		switch word := t.word(); word {
		case "confidence":
			c := t.number()
			r.Confidence = &c
		case "because":
			r.Reasoning = t.word()
		case "cost":
			r.Usage = run.Usage{LLMCalls: 1, CostUSD: t.money()}
		case "deliverable":
			r.Deliverables = append(r.Deliverables, run.Deliverable{Name: t.word(), Type: "document", Status: "draft"})
		case "writes":
			r.Messages = append(r.Messages, run.Outgoing{To: t.word(), Text: t.word()})
		default:
			t.unknown(word)
		}
	}
	return w.report(t, run.Complete{Key: key, Result: r})
}

// changed makes the host notice, when it is about to call an agent, that another version is in force.
func (w *World) changed(t *tokens, key run.Key) error {
	if err := t.end(); err != nil {
		return err
	}
	i, _ := w.s.Plan().Step(key.Step)
	now := w.inForce("agent", w.s.Plan().Nodes[i].Step.Agent)
	return w.do(run.Command{By: run.Actor{Kind: run.System}, Do: run.Rebind{Key: key, Implementation: now}})
}

func (w *World) fails(t *tokens, key run.Key) error {
	f := run.Failure{Message: t.word()}
	for t.more() {
		switch word := t.word(); word {
		case "transient":
			f.Transient = true
		case "busy":
			f.Transient, f.Busy = true, true
		case "stack":
			f.Stack = t.word()
		case "retry":
			t.skip("after")
			d, err := quantity.ParseDuration(t.word())
			if err != nil {
				return err
			}
			f.RetryAfter = d
		default:
			t.unknown(word)
		}
	}
	return w.report(t, run.Fail{Key: key, Failure: f})
}

// model STEP says "…" [cost 0.30], with lines of calls below it;
// model STEP answers {…} [confidence 0.8] [because "…"] [cost 0.30]; model STEP fails "…"
func (w *World) model(t *tokens, lines []string) error {
	key, err := w.key("model "+t.word(), t)
	if err != nil {
		return err
	}
	if t.is("changed") {
		return w.changed(t, key)
	}
	turn := run.Turn{Usage: run.Usage{LLMCalls: 1}}
	switch word := t.word(); word {
	case "fails":
		return w.fails(t, key)
	case "says":
		turn.Text = t.word()
	case "answers":
		turn.Output = t.json()
	default:
		t.unknown(word)
	}
	for t.more() {
		switch word := t.word(); word {
		case "confidence":
			c := t.number()
			turn.Confidence = &c
		case "because":
			turn.Reasoning = t.word()
		case "cost":
			turn.Usage.CostUSD = t.money()
		default:
			t.unknown(word)
		}
	}
	for _, line := range lines {
		call, err := readCall(&tokens{rest: line})
		if err != nil {
			return err
		}
		turn.Calls = append(turn.Calls, call)
	}
	return w.report(t, run.CompleteTurn{Key: key, Turn: turn})
}

// call ID TOOL {args} [class safe] [operation …] [cost 0.05] [meaning "…"] [schema {…}]
// [sample {…}] [otherwise "…"] [unknown]
func readCall(t *tokens) (run.Call, error) {
	t.skip("call")
	c := run.Call{ID: t.word(), Tool: t.word(), Args: t.json()}
	for t.more() {
		switch word := t.word(); word {
		case "class":
			c.Spec.Class = riskClass(t.word())
		case "operation":
			c.Spec.Operation = t.word()
		case "cost":
			c.Spec.CostUSD = t.money()
		case "meaning":
			c.Spec.Description = t.word()
		case "schema":
			c.Spec.ArgsSchema = t.json()
		case "sample":
			c.Spec.Sample = t.json()
		case "otherwise":
			c.Spec.IfDenied = t.word()
		case "undone":
			t.skip("by")
			c.Spec.ReversibleBy = t.word()
		case "unknown":
			c.Spec.Unknown = true
		case "version":
			c.Spec.Implementation = []gate.Implementation{{Kind: "tool", Name: c.Tool, Version: int(t.number())}}
		default:
			t.unknown(word)
		}
	}
	return c, t.err
}

// publish agent NAME 2: another version is in force.
func (w *World) publish(t *tokens) error {
	kind, name, version := t.word(), t.word(), int(t.number())
	if w.versions == nil {
		w.versions = map[string]int{}
	}
	w.versions[kind+" "+name] = version
	return t.end()
}

// inForce is what a host would use now.
func (w *World) inForce(kind, name string) []gate.Implementation {
	if n, ok := w.versions[kind+" "+name]; ok {
		return []gate.Implementation{{Kind: kind, Name: name, Version: n}}
	}
	return nil
}

// tool CALL answers {…} [cost 0.1] [deliverable "…"] [updating NAME "…"] [marking NAME
// STATUS]; tool CALL refuses "…"; tool CALL fails "…" [transient];
// tool CALL asks "…" [as "…"] [form {schema}] [carrying {state}]
func (w *World) tool(t *tokens) error {
	key, err := w.key("tool "+t.word(), t)
	if err != nil {
		return err
	}
	var r run.CallResult
	switch word := t.word(); word {
	case "fails":
		return w.fails(t, key)
	case "refuses":
		r.Error = t.word()
	case "answers":
		r.Output = t.json()
	case "asks":
		r.Input = &run.CallInput{Message: t.word()}
	case "changed": // tool CALL changed TOOL [version 2] [class …] …: noticed when it is about to run
		call, err := readCall(&tokens{rest: "call x " + t.word() + " {} " + t.rest})
		if err != nil {
			return err
		}
		return w.do(run.Command{By: run.Actor{Kind: run.System}, Do: run.Rebind{Key: key, Spec: &call.Spec}})
	default:
		t.unknown(word)
	}
	for t.more() {
		switch word := t.word(); word {
		case "as":
			r.Input.From = t.word()
		case "form":
			r.Input.Schema = t.json()
		case "carrying":
			r.Input.State = t.json()
		case "cost":
			r.Usage = run.Usage{CostUSD: t.money()}
		case "deliverable":
			r.Deliverables = append(r.Deliverables, run.Deliverable{Name: t.word(), Type: "document", Status: "draft"})
		case "updating":
			r.Deliverables = append(r.Deliverables, run.Deliverable{Name: t.word(), Content: t.json(), Update: true})
		case "marking":
			r.Deliverables = append(r.Deliverables, run.Deliverable{Name: t.word(), Status: t.word(), Update: true})
		default:
			t.unknown(word)
		}
	}
	return w.report(t, run.CompleteCall{Key: key, Result: r})
}

// child STEP ends completed {…} | ends failed "…" | waits | continues
func (w *World) child(t *tokens) error {
	key, err := w.key("child "+t.word(), t)
	if err != nil {
		return err
	}
	var do run.Operation
	switch word := t.word(); word {
	case "waits":
		do = run.ChildWaits{Key: key, Waiting: true}
	case "continues":
		do = run.ChildWaits{Key: key}
	case "ends":
		end := run.EndChild{Key: key, Status: run.Status(t.word())}
		if end.Status == run.Completed {
			end.Output = t.json()
		} else if t.more() {
			end.Error = &run.Failure{Code: "failed", Message: t.word()}
		}
		do = end
	default:
		t.unknown(word)
	}
	return w.report(t, do)
}

// planner finds + YAML steps, or planner finds nothing "why"
func (w *World) planner(t *tokens, lines []string) error {
	key, err := w.key(t.word(), t)
	if err != nil {
		return err
	}
	t.skip("finds")
	do := run.AnswerReplan{Key: key}
	if t.is("nothing") {
		do.Reason = t.word()
	} else if do.Steps, do.Agents, err = readSteps(lines); err != nil {
		return err
	}
	return w.report(t, do)
}

// adviser says continue | replan "…" | abort | ask | anything else, [because "…"]; adviser writes "…";
// adviser reads NAME with RESULT; adviser fails "…" [transient]
func (w *World) adviser(t *tokens) error {
	key, err := w.key("adviser", t)
	if err != nil {
		return err
	}
	switch {
	case t.is("writes"):
		return w.report(t, run.AnswerConsult{Key: key, Summary: t.word()})
	case t.is("reads"):
		read := run.ReadCall{ID: "c1", Tool: run.ToolReadValue, Args: []byte(`{"of":"` + t.word() + `"}`)}
		t.skip("with")
		read.Output = t.json()
		return w.report(t, run.ReadForConsult{Key: key, Reads: []run.ReadCall{read}, Usage: run.Usage{LLMCalls: 1}})
	case t.is("fails"):
		f := run.Failure{Code: "failed", Message: t.word()}
		f.Transient = t.is("transient")
		return w.report(t, run.Fail{Key: key, Failure: f})
	}
	t.skip("says")
	a := run.AdviceRaw{Action: t.word()}
	if a.Action == "replan" {
		a.Requirement = t.word()
	}
	if t.is("because") {
		a.Reasoning = t.word()
	}
	if t.is("for") {
		a.Usage.CostUSD = t.money()
	}
	return w.report(t, run.AnswerConsult{Key: key, Advice: a})
}

func text(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "nothing"
	}
	return string(raw)
}
