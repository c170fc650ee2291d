package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/run"
)

func sortedNames(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

func (w *World) tellLoop(e run.Event) string {
	switch f := e.Fact.(type) {
	case *run.TurnStarted:
		line := fmt.Sprintf("%s thinks (turn %d)", f.Agent, f.Turn)
		if f.Try > 1 {
			line = fmt.Sprintf("%s thinks (turn %d, try %d)", f.Agent, f.Turn, f.Try)
		}
		return line
	case *run.TurnCompleted:
		if f.Turn.Text != "" {
			return fmt.Sprintf("%s: %s", f.Agent, f.Turn.Text)
		}
	case *run.TurnRetrying:
		return fmt.Sprintf("the model fails, to be retried at %s: %s", clock(f.RetryAt), f.Error.Message)
	case *run.NoteAdded:
		return "the model is told: " + f.Text
	case *run.CallRequested:
		return fmt.Sprintf("%s requests %s: %s %s", e.Actor.Name, f.Call.ID, f.Call.Tool, f.Call.Args)
	case *run.CallRebound:
		return fmt.Sprintf("call %d is not made: %s", f.No, changes(f.Changed))
	case *run.CallStarted:
		line := fmt.Sprintf("call %d starts", f.No)
		if c := w.call(f.Step, f.Index, f.No); c != nil {
			line = fmt.Sprintf("%s starts: %s %s", c.Call.ID, c.Call.Tool, c.Call.Args)
		}
		if f.Try > 1 {
			line += fmt.Sprintf(" (try %d)", f.Try)
		}
		return line
	case *run.CallArgsChanged:
		return fmt.Sprintf("%s changes the arguments of call %d: %s", e.Actor.Name, f.No, f.Args)
	case *run.CallRetrying:
		return fmt.Sprintf("call %d fails, to be retried at %s: %s", f.No, clock(f.RetryAt), f.Error.Message)
	case *run.CallInputNeeded:
		return fmt.Sprintf("call %d needs an answer first: %s", f.No, f.Input.Message)
	case *run.CallCompleted:
		switch {
		case f.Denied:
			return fmt.Sprintf("%s does not run, and the model is told: %s", f.ID, f.Result.Error)
		case f.Result.Error != "":
			return fmt.Sprintf("%s failed, and the model is told: %s", f.ID, f.Result.Error)
		case f.DryRun:
			return fmt.Sprintf("%s answers: %s (a sample: test mode)", f.ID, text(f.Result.Output))
		}
		return fmt.Sprintf("%s answers: %s", f.ID, text(f.Result.Output))
	case *run.HandedOff:
		return fmt.Sprintf("%s hands over to %s", f.From, f.To)
	case *run.LimitWarning:
		return fmt.Sprintf("%s is close to its %s limit", at(f.Step, f.Index), f.Limit)
	case *run.LimitGranted:
		return fmt.Sprintf("%s is granted more %s", at(f.Step, f.Index), f.Limit)
	case *run.LimitRaised:
		return fmt.Sprintf("%s raises the %s limit of %s from %d to %d", e.Actor.Name, f.Limit, f.Agent, f.From, f.To)
	case *run.ConsultStarted:
		switch {
		case f.For == run.ForSummary:
			return f.Agent + " is asked for a summary"
		case f.Try > 1:
			return fmt.Sprintf("the agent in the loop is asked again, try %d", f.Try)
		}
		if f.Failed != "" {
			return "the agent in the loop is asked about the failure of " + f.Failed
		}
		return "the agent in the loop is asked"
	case *run.ConsultRetrying:
		line := "the agent in the loop is asked again: " + f.Error.Message
		if !f.RetryAt.IsZero() {
			line = "the agent in the loop failed and will be asked again: " + f.Error.Message
		}
		return line
	case *run.ConsultRead:
		return fmt.Sprintf("the agent in the loop reads %d values", len(f.Reads))
	case *run.ConsultAnswered:
		if f.Summary != "" {
			return "a summary is written: " + f.Summary
		}
		line := "the agent in the loop says " + f.Advice.Action
		if f.Fallback {
			line = "the agent in the loop gave no usable answer: " + f.Advice.Action
		}
		if f.Fallback {
			return line + reason(f.Advice.Reasoning)
		}
		return line + reason(f.Advice.Requirement)
	case *run.PointPassed:
		return fmt.Sprintf("layer %d starts", f.Layer)
	case *run.ReplanRequested:
		return "searching for steps: " + f.Requirement
	case *run.ReplanAnswered:
		return fmt.Sprintf("%d steps were found", f.Found)
	}
	return ""
}

func (w *World) call(step string, index *int, no int) *loop.Call {
	st, ok := w.s.StepByID(step)
	k := 0
	if index != nil {
		k = *index
	}
	if !ok || k >= len(st.Tasks) || st.Tasks[k].Loop == nil {
		return nil
	}
	for _, c := range st.Tasks[k].Loop.Calls {
		if c.No == no {
			return c
		}
	}
	return nil
}

func effectName(e run.Effect) string {
	switch do := e.Do.(type) {
	case run.Invoke:
		return "agent " + placed(do.Step, do.Index)
	case run.Think:
		return "model " + placed(do.Step, do.Index)
	case run.CallTool:
		return "tool " + do.Call.ID
	case run.StartRun:
		return "child " + placed(do.Step, do.Index)
	case run.Advise:
		return "adviser"
	case run.FindSteps:
		return "planner"
	case run.CancelRun:
		return "cancel " + do.Run
	}
	return "wake"
}

// outstanding lists the current effects.
func (w *World) outstanding() {
	for _, e := range w.s.Effects() {
		line := ""
		switch do := e.Do.(type) {
		case run.Invoke:
			line = fmt.Sprintf("agent %s works on %s with %s", do.Agent, placed(do.Step, do.Index),
				text(w.s.InputFor(do.Step, do.Index)))
			line += guided(do.Guidance) + bound(do.Approved)
			if do.Ahead {
				line += ", ahead"
			}
		case run.Think:
			line = fmt.Sprintf("model of %s thinks for %s, having seen %d entries", do.Agent,
				placed(do.Step, do.Index), len(do.Entries))
			line += guided(do.Guidance) + bound(do.Approved)
		case run.CallTool:
			line = fmt.Sprintf("tool %s runs with %s", do.Call.Tool, do.Call.Args)
			if do.Answer != nil {
				line += fmt.Sprintf(", the answer %s and the state %s", do.Answer, text(do.State))
			}
		case run.StartRun:
			line = fmt.Sprintf("run %s of %s works on %s with %s", do.Run, do.Workflow, placed(do.Step, do.Index),
				text(w.s.InputFor(do.Step, do.Index)))
			line += bound(do.Approved)
		case run.CancelRun:
			line = fmt.Sprintf("run %s is told to stop", do.Run)
		case run.Advise:
			line = fmt.Sprintf("agent %s advises on what is next, until %s", do.Agent, clock(do.Deadline))
		case run.FindSteps:
			line = fmt.Sprintf("a search for steps for %q, until %s", do.Requirement, clock(do.Deadline))
		case run.Wake:
			w.say("the clock is checked at %s", clock(do.At))
			continue
		}
		w.say("%s [%s]", line, e.Key)
	}
	if len(w.said) == 0 {
		w.say("nothing")
	}
}

// recorded [TYPE …] shows the facts of the last block in full: all, or those of some types.
func (w *World) recorded(t *tokens) error {
	var types []string
	for t.more() {
		types = append(types, t.word())
	}
	for _, e := range w.recent {
		if len(types) > 0 && !slices.Contains(types, e.Fact.Type()) {
			continue
		}
		data, err := run.EncodeFact(e.Fact)
		if err != nil {
			return err
		}
		w.say("%s by %s %s", e.Fact.Type(), strings.TrimSpace(string(e.Actor.Kind)+" "+e.Actor.Name), data)
	}
	if len(w.said) == 0 {
		w.say("nothing")
	}
	return t.end()
}

func guided(g []string) string {
	if len(g) == 0 {
		return ""
	}
	return " and the guidance " + strings.Join(g, " / ")
}

// bound returns the implementation that its approval is bound to.
func bound(approved []gate.Implementation) string {
	if len(approved) == 0 {
		return ""
	}
	names := make([]string, len(approved))
	for n, im := range approved {
		names[n] = fmt.Sprintf("%s %s %d", im.Kind, im.Name, im.Version)
	}
	return ", only by " + strings.Join(names, " and ")
}

// show [APPROVAL | what the model of STEP sees | error | thread]
func (w *World) show(t *tokens) error {
	switch {
	case !t.more():
		w.showRun()
	case t.is("error"):
		w.showError()
	case t.is("model"):
		return w.showModel(t.word())
	default:
		ref := t.word()
		a := w.find(ref)
		if a == nil {
			return fmt.Errorf("there is no approval %s", ref)
		}
		w.showApproval(a)
	}
	return t.end()
}

func (w *World) showRun() {
	w.say("%s: %s", w.s.ID, w.s.Status)
	for _, i := range w.s.Plan().Order() {
		st := w.s.Steps[i]
		line := fmt.Sprintf("  %s: %s", w.s.Plan().Nodes[i].Step.ID, st.Status)
		if st.Status == run.DoneStep {
			line += " " + text(st.Output)
		}
		if st.Status == run.FailedStep {
			line += fmt.Sprintf(" (%s)", st.Error.Code)
		}
		w.say("%s", line)
	}
	for _, a := range w.s.Pending() {
		q := a.Progress()
		line := fmt.Sprintf("  pending: %s %s, version %d, %d of %d", number(a.ID), a.Title, a.Version, q.Given, q.Needed)
		if !a.DeadlineAt.IsZero() {
			line += fmt.Sprintf(", until %s", clock(a.DeadlineAt))
		}
		w.say("%s", line)
	}
	if w.s.Output != nil {
		w.say("  output: %s", w.s.Output)
	}
	if u := w.s.Usage; u != (run.Usage{}) {
		w.say("  usage: %d model calls, %s USD", u.LLMCalls, u.CostUSD)
	}
	if u := w.s.AheadSpent(); u != (run.Usage{}) {
		w.say("  running ahead, apart from that: %d model calls, %s USD", u.LLMCalls, u.CostUSD)
	}
	for _, dl := range w.s.Deliverables {
		if w.s.Plan().Definition.Workflow.Speculate {
			w.say("  delivered: %s", dl.Name)
		}
	}
}

func (w *World) showError() {
	f := w.s.Error
	if f == nil {
		w.say("no error")
		return
	}
	who := ""
	if f.Agent != "" {
		who = ", agent " + f.Agent
	}
	w.say("code %s, step %s (%d of %d)%s, try %d, at %s", f.Code, at(f.Step, f.Index), f.StepIndex, f.StepCount, who,
		f.Try, clock(w.s.ErrorAt))
	w.say("message: %s", f.Message)
	if f.Stack != "" {
		w.say("stack: %s", f.Stack)
	}
	if f.Child != nil {
		w.say("sub-run: %s: %s", f.Child.Run, f.Child.Error.Message)
	}
	w.say("input: %s", text(f.Input))
}

// showModel is the model's input for its next turn.
func (w *World) showModel(name string) error {
	step, index, err := place(name)
	if err != nil {
		return err
	}
	for _, e := range w.s.Effects() {
		do, ok := e.Do.(run.Think)
		if !ok || do.Step != step || do.Index != index {
			continue
		}
		for _, x := range do.Entries {
			line := x.Role + reason(strings.TrimSpace(x.Name+" "+x.CallID)) + reason(x.Text)
			for _, c := range x.Calls {
				line += fmt.Sprintf(" [%s %s %s]", c.ID, c.Tool, c.Args)
			}
			if x.Output != nil {
				line += " → " + text(x.Output)
			}
			w.say("%s", line)
		}
		return nil
	}
	return fmt.Errorf("no model thinks for %s", name)
}

// changes describes what people have not approved.
func changes(list []gate.VersionChange) string {
	var out []string
	for _, c := range list {
		out = append(out, fmt.Sprintf("%s %s changed from %q to %q", c.Kind, c.Name, c.From, c.To))
	}
	return strings.Join(out, ", ")
}

func (w *World) showApproval(a *gate.Approval) {
	w.say("%s %s: %s, %s, because of %s, version %d", number(a.ID), a.Title, a.Kind, a.Status, a.Reason, a.Version)
	line := func(name, value string) {
		if value != "" {
			w.say("  %s: %s", name, strings.ReplaceAll(value, "\n", "\n    "))
		}
	}
	line("about", a.Description)
	line("changed", changes(a.Changed))
	line("proposed", string(a.Current))
	switch {
	case a.Confidence != nil && a.Source != nil:
		line("confidence", fmt.Sprintf("%v of %s", *a.Confidence, a.Source.Step))
	case a.Source != nil:
		line("confidence", "not reported by "+a.Source.Step)
	}
	line("reasoning", a.Reasoning)
	line("tool", a.Action.Tool)
	line("risk", strings.TrimSpace(string(a.Risk.Level)+" "+strings.Join(a.Risk.Reasons, ", ")))
	line("cost", a.CostUSD)
	line("shown", string(a.Show))
	line("so far", a.SoFar)
	line("if denied", a.IfDenied)
	if a.Rule != nil {
		line("rule", a.Rule.Reason)
	}
	acts := make([]string, len(a.Terms.Acts))
	for n, act := range a.Terms.Acts {
		acts[n] = string(act)
	}
	line("may", strings.Join(acts, ", "))
	line("if rejected", string(a.Terms.OnReject))
	if o := a.Outcome; o != nil {
		line("outcome", strings.TrimSpace(fmt.Sprintf("%s %s %s", o.Act, o.By, o.Comment)))
	}
}
