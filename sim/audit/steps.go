package audit

import (
	"encoding/json"
	"slices"
)

// stepEvent checks and records events of steps.
func (r *replay) stepEvent() {
	f := &r.f
	s, ok := r.steps[f.Step]
	if !ok {
		r.fail(readable, "there is no step %q", f.Step)
	}
	for _, id := range append([]string{f.Step}, f.Redo...) {
		if r.steps[id].replaced {
			r.fail(order, "step %s failed and was replaced, and now: %s", id, r.e.Type)
		}
	}
	index := indexOf(f.Index)
	if f.Result != nil {
		r.unsent = nil
		for _, m := range f.Result.Messages {
			r.unsent = append(r.unsent, f.Step+" "+m.To)
		}
	}
	switch r.e.Type {
	case "step.started":
		r.checkMayStart(s)
		r.started(s, index)
	case "step.expanded":
		r.checkMayStart(s)
		r.checkAsked(s, -1)
		s.status, s.rev = "running", f.Rev
		if !f.Keeps { // a new list: decisions about elements were about those of the old one
			r.clear(func(p spot) bool { return p.Step == f.Step && p.Index != nil })
			s.tasks, s.output = map[int]*task{}, nil
			for k := range f.Count {
				s.tasks[k] = &task{rev: f.Rev}
			}
		}
		s.begun, s.count = true, f.Count
	case "step.returned":
		r.checkProduced(s, index)
		t := s.task(index)
		t.status, t.result = "review", f.Result
	case "step.completed":
		r.completed(s)
	case "element.completed":
		r.elementCompleted(s, index)
	case "step.retrying":
		t := s.task(index)
		if t.status != "running" {
			r.fail(fenced, "step %s was not at work: %s", f.Step, t.status)
		}
		t.status = "backoff"
	case "step.failed":
		if s.settled() {
			r.fail(order, "step %s was %s before", f.Step, s.status)
		}
		s.status = "failed"
	case "step.skipped":
		r.skipped(s)
	case "step.revised":
		r.revised(s, index)
	case "step.args_changed":
		s.changed = true
		if s.status != "pending" {
			r.fail(order, "the arguments of step %s change while it is %s", f.Step, s.status)
		}
		r.clear(func(p spot) bool { return p.Step == f.Step && p.At == "before" })
	case "step.rebound":
		r.rebound(s, index)
	}
}

// rebound: a step's implementation changed. It has not begun, and earlier approvals were about something
// else.
func (r *replay) rebound(s *step, index int) {
	if s.settled() {
		r.fail(order, "step %s is taken back and was %s", s.def.ID, s.status)
	}
	for _, k := range []int{-1, index} {
		r.forgetRules(placeOf("before", s.def.ID, k, 0))
	}
	if t := s.tasks[index]; t != nil && t.status == "running" {
		if t.status = ""; t.loop != nil {
			t.loop.thinking = false
		}
		if index < 0 {
			s.status = "pending"
		}
	}
}

// checkMayStart: nothing starts in a run that is not active, before its needs are met, or before the run or
// layer is approved to start.
func (r *replay) checkMayStart(s *step) {
	if r.ended() || r.paused || r.cancelling {
		r.fail(order, "step %s starts in a run that is %s (paused: %v, cancelling: %v)", s.def.ID, r.status,
			r.paused, r.cancelling)
	}
	if s.settled() {
		r.fail(order, "step %s starts and was %s before", s.def.ID, s.status)
	}
	for _, n := range r.needsOf(s.def.ID) {
		if !r.steps[n].settled() {
			r.fail(order, "step %s starts before %s, which is %s", s.def.ID, n, r.steps[n].status)
		}
	}
	if r.forPeople && s.status == "pending" && !r.peopleDecided() { // what has begun may finish
		r.fail(gated, "step %s starts although the agent in the loop left that to people", s.def.ID)
	}
	if l := r.def.Workflow.Loops; l != nil {
		perLayer := l.Agent != nil && (l.Agent.At == "per_layer" || l.Agent.At == "")
		if at := r.layerOf(s.def.ID); (perLayer || l.Human == "always" || l.Human == "critical_only") && at > r.layer {
			r.fail(order, "step %s of layer %d starts before the decision point behind layer %d", s.def.ID, at, r.layer)
		}
	}
	r.checkNotAhead(s.def.ID)
	r.checkStartGates(s.def.ID)
}

// checkStartGates: the required start approvals are about the run's actual input.
func (r *replay) checkStartGates(step string) {
	if r.startOpen {
		return
	}
	where := placeOf("start", "", -1, 0)
	r.checkNotTold(where, "step "+step+" starts")
	for _, g := range r.gatesAt("start", "") {
		r.require(where, g.When, g.ID, r.input, "step "+step+" starts")
	}
	r.startOpen = true
}

// checkAsked: nothing starts while it is up for approval. What was approved is compared when the work is
// really started (see checkBefore).
func (r *replay) checkAsked(s *step, index int) {
	for _, k := range []int{-1, index} {
		for _, a := range r.places[placeOf("before", s.def.ID, k, 0)] {
			if a.open {
				r.fail(gated, "step %s starts while %s (%s) is open", s.def.ID, a.id, a.want)
			}
		}
	}
	for _, g := range r.gatesAt("before", s.def.ID) {
		if g.When == "" && !r.answered(placeOf("before", s.def.ID, -1, 0), g.ID) {
			r.fail(gated, "step %s starts without the approval of gate %s", s.def.ID, g.ID)
		}
	}
}

// forgetRules: a rule's approval was about something else. People are asked again; a rule is if it still
// applies.
func (r *replay) forgetRules(where string) {
	r.places[where] = slices.DeleteFunc(slices.Clone(r.places[where]), func(a *approval) bool { return a.auto })
}

func (r *replay) started(s *step, index int) {
	f := &r.f
	r.checkAsked(s, index)
	t := s.task(index)
	switch {
	case t.status == "running" || t.status == "done" || t.status == "review" && f.Rev <= t.rev:
		r.fail(order, "step %s starts and was %s", f.Step, t.status)
	case f.Rev < t.rev || f.Rev == t.rev && f.Try <= t.try:
		r.fail(fenced, "step %s starts as revision %d try %d after revision %d try %d", f.Step, f.Rev, f.Try, t.rev, t.try)
	}
	t.law = r.law // the policy is evaluated again before each attempt
	s.status, t.let = "running", r.places[placeOf("before", f.Step, -1, 0)]
	if s.rev < f.Rev {
		s.rev = f.Rev
	}
	if f.Rev > t.rev { // it is done differently now: an old conversation is over, and so are the approvals of its calls
		t.loop, t.result = nil, nil
		r.clear(func(p spot) bool {
			return p.Step == f.Step && indexOf(p.Index) == index && (p.At == "call" || p.At == "limit")
		})
	}
	t.status, t.rev, t.try, t.child = "running", f.Rev, f.Try, f.Child
	if r.def.isLoop(s.def) && t.loop == nil {
		t.loop = newLoop(s.def.performer())
	}
}

// checkProduced: a result comes from work that was started and is expected, from people, or from a test run.
func (r *replay) checkProduced(s *step, index int) {
	dry := r.f.Result != nil && r.f.Result.DryRun
	if dry && !r.testMode {
		r.fail(fenced, "step %s has a sample for a result, in a run that is no test", s.def.ID)
	}
	if s.def.Human != nil {
		where := placeOf("before", s.def.ID, -1, 0)
		if !r.answered(where, s.def.Human.ID) {
			r.fail(gated, "step %s completes without an answer", s.def.ID)
		}
		r.checkMayStart(s)
		return
	}
	t := s.task(index)
	if t.status != "running" && !dry {
		r.fail(fenced, "step %s has a result, but was not at work: %s", s.def.ID, t.status)
	}
	if t.child != "" && !dry {
		r.hires = append(r.hires, hire{t.child, r.e.Seq, r.f.Result.Output})
	}
	if dry {
		r.checkAsked(s, index)
	}
}

func (r *replay) completed(s *step) {
	f := &r.f
	if s.settled() {
		r.fail(order, "step %s completes and was %s before", f.Step, s.status)
	}
	where := placeOf("after", f.Step, -1, 0)
	switch {
	case s.def.Each != "":
		if !s.begun {
			r.fail(order, "step %s completes and has not begun", f.Step)
		}
		for k := range s.count {
			if s.tasks[k].status != "done" {
				r.fail(order, "step %s completes and element %d is %q", f.Step, k, s.tasks[k].status)
			}
		}
		r.checkNotTold(where, "step "+f.Step+" completes")
		out := r.mapOutput(s)
		for _, g := range r.gatesAt("after", f.Step) {
			r.require(where, g.When, g.ID, out, "step "+f.Step+" completes")
		}
	case f.Result != nil:
		r.checkProduced(s, -1)
		s.task(-1).result = f.Result
		r.checkResult(s, -1, f.Result, where)
	default:
		t := s.task(-1)
		if t.status != "review" {
			r.fail(fenced, "step %s completes without a result: %q", f.Step, t.status)
		}
		r.checkResult(s, -1, t.result, where)
	}
	s.status = "done"
	s.task(-1).status, s.task(-1).loop = "done", nil
	for _, id := range sorted(r.approvals) {
		if a := r.approvals[id]; a.open && a.spot.Step == f.Step {
			r.fail(completeness, "step %s completes while %s (%s) is open", f.Step, a.id, a.want)
		}
	}
}

func (r *replay) mapOutput(s *step) json.RawMessage {
	if s.output != nil {
		return s.output
	}
	outs := make([]json.RawMessage, s.count)
	for k := range outs {
		outs[k] = json.RawMessage("null")
		if res := s.tasks[k].result; res != nil && len(res.Output) > 0 {
			outs[k] = res.Output
		}
	}
	return write(outs)
}

func (r *replay) elementCompleted(s *step, index int) {
	f := &r.f
	t, where := s.task(index), placeOf("after", f.Step, index, 0)
	if t.status == "done" {
		r.fail(order, "element %d of step %s completes twice", index, f.Step)
	}
	switch {
	case f.Result != nil && (r.told[placeOf("before", f.Step, index, 0)] || r.told[where]): // left out
		if !equal(f.Result.Output, json.RawMessage("null")) {
			r.fail(gated, "element %d of step %s was rejected and counts as %s", index, f.Step, f.Result.Output)
		}
		t.result = f.Result
	case f.Result != nil:
		r.checkProduced(s, index)
		t.result = f.Result
		r.checkResult(s, index, f.Result, where)
	case t.status != "review":
		r.fail(fenced, "element %d of step %s completes without a result: %q", index, f.Step, t.status)
	default:
		r.checkResult(s, index, t.result, where)
	}
	t.status, t.loop = "done", nil
}

// skipped: only what has not started can be skipped.
func (r *replay) skipped(s *step) {
	rejected := r.f.Why == "rejected" && (r.told[placeOf("after", s.def.ID, -1, 0)] ||
		r.told[placeOf("before", s.def.ID, -1, 0)] || r.callTold(s))
	if s.status != "pending" && !(rejected && s.status == "running") {
		r.fail(order, "step %s is skipped and was %s", s.def.ID, s.status)
	}
	if r.f.Why == "command" {
		r.checkSkipper(s)
	}
	if rejected { // rejected data is not used
		for _, t := range s.tasks {
			t.status, t.loop = "done", nil
		}
	}
	s.status, s.skipped = "skipped", r.f.Why
	if r.f.Why == "need" {
		s.rev = -1 // comes back when the run is resumed
	}
}

// checkSkipper: leaving out what people have to answer is deciding it.
func (r *replay) checkSkipper(s *step) {
	var wants []string
	at := spot{At: "before", Step: s.def.ID}
	if s.def.Human != nil {
		wants = append(wants, s.def.Human.ID)
	}
	for _, g := range r.gatesAt("before", s.def.ID) {
		if g.When == "" && !r.answered(placeOf("before", s.def.ID, -1, 0), g.ID) {
			wants = append(wants, g.ID)
		}
	}
	for _, g := range r.gatesAt("after", s.def.ID) {
		wants = append(wants, g.ID)
	}
	for _, want := range wants {
		if r.e.Actor.Kind != "person" {
			r.fail(authority, "%s %s skipped %s, and people answer %s", r.e.Actor.Kind, r.e.Actor.Name, s.def.ID, want)
		}
		r.checkAuthority(r.questionAt(at, want), r.e.Actor.Name, r.f.Behalf)
	}
}

// questionAt is the newest approval of a want at a step, which may have been handed on, or the one that would open.
func (r *replay) questionAt(at spot, want string) *approval {
	newest := &approval{want: want, terms: r.termsOf(want, at)}
	for id, a := range r.approvals {
		later := len(id) > len(newest.id) || len(id) == len(newest.id) && id > newest.id
		if a.want == want && a.spot.Step == at.Step && later {
			newest = a
		}
	}
	return newest
}

// revised sends work back, with everything built on it.
func (r *replay) revised(s *step, index int) {
	f := &r.f
	if index >= 0 {
		t := s.task(index)
		if f.Rev <= t.rev {
			r.fail(fenced, "revision %d of element %d comes after revision %d", f.Rev, index, t.rev)
		}
		s.tasks[index] = &task{rev: f.Rev, changed: t.changed}
		s.rev = f.Rev
		r.clear(func(p spot) bool { return p.Step == f.Step && indexOf(p.Index) == index })
		return
	}
	if f.Rev <= s.rev && s.rev > 0 {
		r.fail(fenced, "revision %d of step %s comes after revision %d", f.Rev, f.Step, s.rev)
	}
	for _, id := range append([]string{f.Step}, f.Redo...) {
		again := r.steps[id]
		rev := again.rev
		for _, t := range again.tasks {
			rev = max(rev, t.rev)
		}
		*again = step{def: again.def, status: "pending", rev: rev, tasks: map[int]*task{}, raised: again.raised}
		if id != f.Step || rev >= 0 {
			again.tasks[-1] = &task{rev: rev, try: 1 << 30} // anything that starts now has a higher revision
		}
		if id != f.Step && again.def.Human != nil {
			again.rev = max(rev, 0) + 1 // people do not start: there is no event for it
		}
		r.clear(func(p spot) bool { return p.Step == id })
	}
	s.rev = f.Rev
	if t := s.tasks[-1]; t != nil {
		t.rev, t.try = f.Rev, 0
	}
	r.output = nil
	r.clear(func(p spot) bool { return p.At == "end" })
}

// callTold reports whether people rejected the call that a step is, and the run continues without the step.
func (r *replay) callTold(s *step) bool {
	for index, t := range s.tasks {
		if s.def.Tool == "" || t.loop == nil {
			continue
		}
		for no := range t.loop.calls {
			if r.told[placeOf("call", s.def.ID, index, no)] {
				return true
			}
		}
	}
	return false
}
