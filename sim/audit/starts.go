package audit

import (
	"slices"
	"strings"
)

// checkReport: a result is accepted only for the expected attempt.
func (r *replay) checkReport(k *Ack) {
	rep := k.Report
	if rep == nil {
		return
	}
	s, ok := r.steps[rep.Step]
	if !ok {
		r.fail(fenced, "a result of step %q was taken, which does not exist", rep.Step)
	}
	if b := r.early[rep.Step]; b != nil && b.expects(rep.Kind, rep.Index, rep.Rev, rep.Try) {
		return
	}
	t := s.tasks[rep.Index]
	if t == nil || t.status != "running" || t.rev != rep.Rev {
		r.fail(fenced, "a result of step %s revision %d was taken, which is not awaited", rep.Step, rep.Rev)
	}
	switch rep.Kind {
	case "step":
		ok = t.try == rep.Try
	case "turn":
		ok = t.loop != nil && t.loop.thinking && t.loop.turn == rep.N && t.loop.try == rep.Try
	case "call":
		ok = t.loop != nil && t.loop.calls[rep.N] != nil && t.loop.calls[rep.N].status == "running" &&
			t.loop.calls[rep.N].try == rep.Try
	}
	if !ok {
		r.fail(fenced, "a result of %s %s %d try %d was taken, which is not awaited", rep.Kind, rep.Step, rep.N, rep.Try)
	}
}

// checkStart checks work that a host started when its state was here: is it owed, is it the work that its key
// identifies, and was it approved?
func (r *replay) checkStart(s *Start) {
	if had, ok := r.a.work[s.Work]; !ok {
		r.a.work[s.Work] = s
	} else if !equal(had.Content, s.Content) {
		r.fail(sameWork, "%s was %s before and is %s now", s.Work, had.Content, s.Content)
	}
	switch s.Kind {
	case "ahead":
		return
	case "consult":
		if !r.asking || r.consult != s.N {
			r.fail(onlyOwed, "advice %d is asked for", s.N)
		}
		return
	case "replan":
		if !r.replans[s.N] {
			r.fail(onlyOwed, "steps are searched for (%d)", s.N)
		}
		return
	}
	st, ok := r.steps[s.Step]
	if !ok || r.ended() {
		r.fail(onlyOwed, "%s is started in a run that is %s", s.Work, r.status)
	}
	if b := r.early[s.Step]; b != nil && b.expects(s.Kind, s.Index, s.Rev, s.Try) {
		if !equal(b.input, s.Content) {
			r.fail(sameWork, "%s is done with %s ahead, not with %s", s.Work, s.Content, b.input)
		}
		return
	}
	t := st.tasks[s.Index]
	if t == nil || t.status != "running" || t.rev != s.Rev {
		r.fail(onlyOwed, "%s is started, but is not at work", s.Work)
	}
	switch s.Kind {
	case "step":
		ok = t.try == s.Try && t.loop == nil && t.child == ""
	case "child":
		ok = t.try == s.Try && t.child == s.Child
	case "turn":
		ok = t.loop != nil && t.loop.thinking && t.loop.turn == s.N && t.loop.try == s.Try
	case "call":
		c := t.loop.calls[s.N]
		ok = c != nil && c.status == "running" && c.try == s.Try
		if ok && !equal(c.Args, s.Content) {
			r.fail(gated, "call %d runs with %s, not with %s", s.N, s.Content, c.Args)
		}
		if ok {
			r.checkTold(c, s)
		}
	}
	if !ok {
		r.fail(onlyOwed, "%s try %d is started, but is not owed", s.Work, s.Try)
	}
	r.checkHarmless(st, t, s)
	if s.Kind == "call" {
		r.checkBound(r.places[placeOf("call", s.Step, s.Index, s.N)], s)
		return
	}
	if s.Kind != "turn" || s.N == 1 { // a conversation that has begun continues
		r.checkBound(t.let, s)
		r.checkBound(r.places[placeOf("before", s.Step, s.Index, 0)], s)
	}
	r.checkBefore(st, t, s)
}

// checkBound: the approvers saw the implementation that is really used.
func (r *replay) checkBound(asked []*approval, s *Start) {
	for _, a := range asked {
		question := a.want == "question" || strings.HasPrefix(a.want, asksInput)
		if a.positive && !question && len(a.shown) > 0 && s.Used != nil && !slices.Equal(a.shown, s.Used) {
			r.fail(bound, "%s is done with %v; %s (%s) was about %v", s.Work, s.Used, a.id, a.want, a.shown)
		}
	}
}

// checkHarmless: a test run really executes only what is known to be harmless: scripted agents, what is
// declared to have no effects, and what reads at low risk. Models are called for real; their calls are
// checked one by one.
func (r *replay) checkHarmless(st *step, t *task, s *Start) {
	if !r.testMode {
		return
	}
	agent := r.def.Agents[st.def.Agent]
	ok := true
	switch s.Kind {
	case "step":
		ok = agent.Kind == "scripted" || agent.Effects == "none" || st.def.Effects == "none" ||
			reads(st.def.Risk, st.def.Operation)
	case "turn":
		ok = st.def.Tool != "" || agent.Effects == "none" || st.def.Effects == "none" || reads(st.def.Risk, st.def.Operation)
	case "call":
		spec := &t.loop.calls[s.N].Spec
		ok = spec.Effects == "none" || reads(spec.Class, spec.Operation)
	}
	if !ok {
		r.fail(harmless, "%s is really started in a test run", s.Work)
	}
}

func reads(class, operation string) bool {
	return (class == "safe" || class == "low") && operation == "read"
}

// checkBefore: a step's actual input is what people approved, and what no rule denies.
func (r *replay) checkBefore(st *step, t *task, s *Start) {
	what := "step " + st.def.ID + " works"
	where := placeOf("before", st.def.ID, -1, 0)
	for _, g := range r.gatesAt("before", st.def.ID) {
		if s.Index < 0 {
			r.require(where, g.When, g.ID, s.Content, what)
			continue
		}
		if g.When != "" || t.changed {
			continue // a list has no fields; people saw what they changed for one element
		}
		for _, a := range t.let {
			if a.want != g.ID {
				continue
			}
			if one, ok := element(a.accepted, s.Index); !ok || !a.positive || !equal(one, s.Content) {
				r.fail(gated, "element %d of step %s works on %s; %s (%s) was about %s", s.Index, st.def.ID, s.Content,
					a.id, a.want, a.accepted)
			}
		}
	}
	if st.def.Operation == "" && st.def.Risk == "" || st.def.Tool != "" { // a call is judged as such
		return
	}
	v := t.law.judge(subject{key: r.work("step", st.def.ID, s.Index, s.Rev, 0),
		granted: r.granted(placeOf("before", st.def.ID, s.Index, 0), s.Content), workflow: r.def.Workflow.Name,
		agent: st.def.Agent, operation: st.def.Operation, risk: st.def.Risk, data: s.Content})
	switch v.effect {
	case "deny":
		r.fail(denied, "%s on %s, which %s forbids", what, s.Content, v.rule)
	case "ask":
		r.requireRule(t.law, placeOf("before", st.def.ID, s.Index, 0), v, s.Content, what)
	}
}

// checkTold: a tool that asked gets people's answer, and no other tool gets anything.
func (r *replay) checkTold(c *tool, s *Start) {
	if !c.asks() {
		if s.Answer != nil {
			r.fail(gated, "call %d did not ask and is told %s", s.N, s.Answer)
		}
		return
	}
	for _, a := range r.places[placeOf("call", s.Step, s.Index, s.N)] {
		if a.want == c.question() && a.positive && equal(a.said, s.Answer) {
			return
		}
	}
	r.fail(gated, "call %d is told %s, which is not an answer to %s", s.N, s.Answer, c.question())
}
