package spans

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/trace"
	"github.com/assent-run/assent/internal/trace/otlp"
)

// applyStep folds an event of a step, and returns the spans that it ends.
func (f *fold) applyStep(e *run.Event) []otlp.Span {
	switch fact := e.Fact.(type) {
	case *run.StepStarted:
		return f.begin(e.At, fact.Step, fact.Index, fact.Rev, fact.Try, fact.Child)
	case *run.StepSpeculated:
		out := f.begin(e.At, fact.Step, nil, fact.Rev, 1, "")
		f.at(fact.Step, nil).ahead = true
		return out
	case *run.StepExpanded:
		f.open(e.At, fact.Step, fact.Rev)
	case *run.StepRetrying:
		return f.endTry(fact.Step, fact.Index, e.At, nil, &fact.Error)
	case *run.StepRebound:
		return f.endTry(fact.Step, fact.Index, e.At, nil, nil)
	case *run.StepReturned:
		if fact.Index != nil {
			return f.endTry(fact.Step, fact.Index, e.At, &fact.Result, nil)
		}
		return f.endStep(fact.Step, nil, e.At, &fact.Result, nil)
	case *run.SpeculationReturned:
		return f.endTry(fact.Step, nil, e.At, &fact.Result, nil)
	case *run.SpeculationDiscarded:
		return f.endStep(fact.Step, nil, e.At, nil, nil)
	case *run.ElementCompleted:
		return f.endTry(fact.Step, &fact.Index, e.At, fact.Result, nil)
	case *run.StepCompleted:
		return f.endStep(fact.Step, nil, e.At, fact.Result, nil)
	case *run.StepFailed:
		return f.endStep(fact.Step, nil, e.At, nil, &fact.Error)
	case *run.StepRevised:
		return f.revise(e.At, fact)
	case *run.StepSkipped:
		return f.endStep(fact.Step, nil, e.At, nil, nil)
	}
	return f.applyLoop(e)
}

// open opens the span of a step, unless it is.
func (f *fold) open(at time.Time, name string, rev int) {
	st := f.at(name, nil)
	if st.began.IsZero() {
		st.began, st.rev = at, rev
	}
}

// begin begins a try at a step or an element.
func (f *fold) begin(at time.Time, name string, i *int, rev, try int, child string) []otlp.Span {
	f.open(at, name, rev)
	st := f.at(name, i)
	out := f.endTry(name, i, at, nil, nil)
	st.rev, st.try, st.tried, st.child, st.ahead = rev, try, at, child, false
	st.turn, st.calls = turn{}, map[int]*call{}
	st.links = f.taken(spot{slot: slot{name, index(i)}})
	return out
}

// taken are the approvals that something follows from, once.
func (f *fold) taken(at spot) []trace.Context {
	links := f.settled[at]
	delete(f.settled, at)
	return links
}

// revise ends what is sent back.
func (f *fold) revise(at time.Time, r *run.StepRevised) []otlp.Span {
	if r.Index != nil {
		return f.endTry(r.Step, r.Index, at, nil, nil)
	}
	out := f.endStep(r.Step, nil, at, nil, nil)
	for _, name := range r.Redo {
		out = append(out, f.endStep(name, nil, at, nil, nil)...)
	}
	return out
}

// endTry ends a try, and what is open in it.
func (f *fold) endTry(name string, i *int, at time.Time, r *run.Result, why *run.Failure) (out []otlp.Span) {
	st := f.steps[slot{name, index(i)}]
	if st == nil || st.tried.IsZero() {
		return nil
	}
	for _, no := range slices.Sorted(maps.Keys(st.calls)) {
		out = append(out, f.endCall(name, i, no, at, nil, nil)...)
	}
	out = append(out, f.endTurn(name, i, at, nil, why)...)
	who := f.doers[name]
	title, kind, attrs := "try", otlp.Internal, place(name, i)
	switch {
	case st.child != "":
		title, attrs = "run "+who.workflow, append(attrs, attr("assent.child.run.id", st.child))
	case who.agent != "":
		title, kind = "invoke_agent "+who.agent, otlp.Client
		attrs = append(attrs, attr("gen_ai.operation.name", "invoke_agent"), attr("gen_ai.agent.name", who.agent))
	case who.tool != "":
		attrs = append(attrs, attr("assent.tool.name", who.tool))
	}
	s := f.span(f.trySpan(name, i), f.stepSpan(name), title, kind, st.tried, at,
		append(attrs, attr("assent.try", int64(st.try)))...)
	if s.Links = st.links; st.ahead {
		s.Attrs = append(s.Attrs, attr("assent.ahead", true))
	}
	if r != nil {
		s.Attrs = append(s.Attrs, used(r.Usage)...)
	}
	if why != nil {
		f.failed(&s, *why)
	}
	st.tried, st.links = time.Time{}, nil
	if i != nil {
		delete(f.steps, slot{name, *i})
	}
	return append(out, s)
}

// endStep ends a step.
func (f *fold) endStep(name string, i *int, at time.Time, r *run.Result, why *run.Failure) []otlp.Span {
	out := f.endTry(name, i, at, r, why)
	st := f.steps[slot{name, index(i)}]
	if i != nil || st == nil || st.began.IsZero() {
		return out
	}
	s := f.span(f.stepSpan(name), f.root, "step "+name, otlp.Internal, st.began, at, place(name, nil)...)
	if why != nil {
		f.failed(&s, *why)
	}
	st.began = time.Time{}
	return append(out, s)
}

// used are the attributes of usage, as far as there was any.
func used(u run.Usage) (out []otlp.Attr) {
	if u.TokensIn > 0 {
		out = append(out, attr("gen_ai.usage.input_tokens", u.TokensIn))
	}
	if u.TokensOut > 0 {
		out = append(out, attr("gen_ai.usage.output_tokens", u.TokensOut))
	}
	if u.CostUSD > 0 {
		out = append(out, attr("assent.cost_usd", float64(u.CostUSD)/1e9))
	}
	return out
}

// applyLoop folds an event of an agent at work.
func (f *fold) applyLoop(e *run.Event) []otlp.Span {
	switch fact := e.Fact.(type) {
	case *run.TurnStarted:
		st := f.at(fact.Step, fact.Index)
		if st.turn.no != fact.Turn || st.turn.began.IsZero() {
			st.turn.began = e.At
		}
		st.turn.no, st.turn.try, st.turn.agent, st.turn.asked = fact.Turn, fact.Try, fact.Agent, e.At
		if f.doers[fact.Step].tool != "" {
			st.turn.agent = ""
		}
	case *run.TurnRetrying:
		return f.answer(fact.Step, fact.Index, e.At, nil, &fact.Error)
	case *run.TurnCompleted:
		return f.endTurn(fact.Step, fact.Index, e.At, &fact.Turn, nil)
	case *run.CallRequested:
		f.at(fact.Step, fact.Index).calls[fact.No] = &call{tool: fact.Call.Tool, id: fact.Call.ID,
			parent: f.turnSpan(fact.Step, fact.Index), args: f.kept(string(fact.Call.Args))}
	case *run.CallArgsChanged:
		if c := f.at(fact.Step, fact.Index).calls[fact.No]; c != nil {
			c.args = f.kept(string(fact.Args))
		}
	case *run.CallStarted:
		if c := f.at(fact.Step, fact.Index).calls[fact.No]; c != nil {
			c.began, c.try = e.At, fact.Try
			c.links = f.taken(spot{slot{fact.Step, index(fact.Index)}, fact.No})
		}
	case *run.CallRetrying:
		return f.endCall(fact.Step, fact.Index, fact.No, e.At, nil, &fact.Error)
	case *run.CallRebound:
		return f.endCall(fact.Step, fact.Index, fact.No, e.At, nil, nil)
	case *run.CallInputNeeded:
		return f.endCall(fact.Step, fact.Index, fact.No, e.At, &run.CallResult{Usage: fact.Usage}, nil)
	case *run.CallCompleted:
		out := f.endCall(fact.Step, fact.Index, fact.No, e.At, &fact.Result, nil)
		delete(f.at(fact.Step, fact.Index).calls, fact.No)
		return out
	}
	return nil
}

// kept is a text that is kept until the span that contains it ends.
func (f *fold) kept(text string) string {
	if !f.o.Content {
		return ""
	}
	return f.content(text)
}

// answer ends a request to a model.
func (f *fold) answer(name string, i *int, at time.Time, t *run.Turn, why *run.Failure) []otlp.Span {
	st := f.at(name, i)
	asked := st.turn.asked
	if st.turn.asked = (time.Time{}); asked.IsZero() || st.turn.agent == "" {
		return nil
	}
	provider, model := f.o.Model(st.turn.agent)
	attrs := append(place(name, i), attr("gen_ai.operation.name", "chat"), attr("gen_ai.agent.name", st.turn.agent),
		attr("gen_ai.conversation.id", f.id), attr("assent.try", int64(st.turn.try)))
	title := "chat"
	if model != "" {
		title += " " + model
		attrs = append(attrs, attr("gen_ai.request.model", model))
	}
	if provider != "" {
		attrs = append(attrs, attr("gen_ai.provider.name", provider))
	}
	s := f.span(f.root.Child(f.key(run.KeyTurn, name, i, st.turn.no, st.turn.try).String()), f.turnSpan(name, i), title,
		otlp.Client, asked, at, attrs...)
	if t != nil {
		s.Attrs = append(s.Attrs, used(t.Usage)...)
		if f.o.Content && t.Text != "" {
			s.Attrs = append(s.Attrs, attr("gen_ai.output.messages", spoken(f.content(t.Text))))
		}
	}
	if why != nil {
		f.failed(&s, *why)
	}
	return []otlp.Span{s}
}

// spoken is a message of a model in the form that the conventions ask for.
func spoken(text string) string {
	type part struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	type message struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}
	b, _ := json.Marshal([]message{{"assistant", []part{{"text", text}}}}) // strings can always be encoded
	return string(b)
}

// endTurn ends a turn.
func (f *fold) endTurn(name string, i *int, at time.Time, t *run.Turn, why *run.Failure) []otlp.Span {
	out := f.answer(name, i, at, t, why)
	st := f.at(name, i)
	began := st.turn.began
	if st.turn.began = (time.Time{}); began.IsZero() || st.turn.agent == "" {
		return out
	}
	s := f.span(f.turnSpan(name, i), f.trySpan(name, i), "turn", otlp.Internal, began, at,
		append(place(name, i), attr("assent.turn", int64(st.turn.no)), attr("gen_ai.agent.name", st.turn.agent))...)
	if why != nil {
		f.failed(&s, *why)
	}
	return append(out, s)
}

// endCall ends a try at a call. The call may begin again.
func (f *fold) endCall(name string, i *int, no int, at time.Time, r *run.CallResult, why *run.Failure) []otlp.Span {
	c := f.at(name, i).calls[no]
	if c == nil || c.began.IsZero() {
		return nil
	}
	s := f.span(f.root.Child(f.key(run.KeyCall, name, i, no, c.try).String()), c.parent, "execute_tool "+c.tool,
		otlp.Client, c.began, at, append(place(name, i), attr("gen_ai.operation.name", "execute_tool"),
			attr("gen_ai.tool.name", c.tool), attr("gen_ai.tool.call.id", c.id), attr("assent.try", int64(c.try)))...)
	s.Links = c.links
	f.said(&s, "gen_ai.tool.call.arguments", c.args)
	switch {
	case why != nil:
		f.failed(&s, *why)
	case r != nil && r.Error != "":
		f.failed(&s, run.Failure{Code: "tool_error", Message: r.Error})
	case r != nil:
		f.said(&s, "gen_ai.tool.call.result", string(r.Output))
	}
	c.began, c.links = time.Time{}, nil
	return []otlp.Span{s}
}
