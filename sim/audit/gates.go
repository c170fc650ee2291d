package audit

import (
	"encoding/json"
	"maps"
	"strings"
)

// answered reports whether this want was approved at a place, whatever it was about.
func (r *replay) answered(where, want string) bool {
	for _, a := range r.places[where] {
		if a.want == want && a.positive {
			return true
		}
	}
	return false
}

func (r *replay) anyPositive(where string) bool {
	for _, a := range r.places[where] {
		if a.positive {
			return true
		}
	}
	return false
}

// covered reports whether this very content was approved, by anyone or by a person.
func (r *replay) covered(where string, content json.RawMessage, byPeople bool) bool {
	for _, a := range r.places[where] {
		if a.positive && equal(a.accepted, content) && !(byPeople && a.auto) && !strings.HasPrefix(a.want, asksInput) {
			return true
		}
	}
	return false
}

// require: if the condition is true for the data used, it was approved.
func (r *replay) require(where, condition, want string, content json.RawMessage, what string) {
	if test(condition, content) == no {
		return
	}
	for _, a := range r.places[where] {
		if a.want != want || !a.positive {
			continue
		}
		if equal(a.accepted, content) {
			return
		}
		r.fail(gated, "%s with %s; %s (%s) was about %s", what, content, a.id, want, a.accepted)
	}
	r.fail(gated, "%s with %s, and %s was not answered", what, content, want)
}

// requireRule: if a rule asks, people have approved this very content, and they are enough for the rule as it
// is now. It does not matter whether this rule, an earlier one or the agent asked them.
func (r *replay) requireRule(l law, where string, v verdict, content json.RawMessage, what string) {
	about, wanted := "nothing", r.asked(v.terms, false)
	for _, a := range r.places[where] {
		standing := strings.HasPrefix(a.want, "rule:") || a.want == "autonomy"
		switch {
		case !a.positive || a.auto || !standing:
			continue
		case !equal(a.accepted, content):
			about = string(a.accepted)
		case a.silent && !l.stopped && a.want == "rule:"+v.rule && a.terms.asks(wanted):
			return
		case !a.silent && (a.want == "rule:"+v.rule && a.terms.asks(wanted) || a.meets(wanted)):
			return
		}
	}
	r.fail(gated, "%s with %s, and rule %q was not answered about it, but about %s", what, content, v.rule, about)
}

// asks reports whether two questions go to the same people.
func (t terms) asks(other terms) bool {
	return t.role == other.role && t.needed == other.needed && maps.Equal(t.roles, other.roles)
}

// meets reports whether the approvers are enough for other terms.
func (a *approval) meets(t terms) bool {
	var votes []vote
	for _, v := range a.votes {
		may := t.role == "" && len(t.roles) == 0 || contains(v.roles, "admin") || contains(v.roles, t.role)
		for role := range t.roles {
			may = may || contains(v.roles, role)
		}
		if may {
			votes = append(votes, v)
		}
	}
	var slots []string
	for _, role := range sorted(t.roles) {
		for range t.roles[role] {
			slots = append(slots, role)
		}
	}
	return len(votes) >= t.needed && seats(slots, votes)
}

// granted is the rule that approved this very content at a place. After a change by people it would be
// another use.
func (r *replay) granted(where string, content json.RawMessage) string {
	for _, a := range r.places[where] {
		if a.auto && equal(a.accepted, content) {
			return a.rule
		}
	}
	return ""
}

// checkNotTold: rejected data is not used, even if the run continues.
func (r *replay) checkNotTold(where, what string) {
	if r.told[where] {
		r.fail(gated, "%s, and people rejected it", what)
	}
}

// checkPassed: a held run starts once its start gates have been passed.
func (r *replay) checkPassed() {
	where := placeOf("start", "", -1, 0)
	for _, a := range r.places[where] {
		if a.open {
			r.fail(gated, "the run starts while %s (%s) is open", a.id, a.want)
		}
	}
	r.checkNotTold(where, "the run starts")
	for _, g := range r.gatesAt("start", "") {
		r.require(where, g.When, g.ID, r.input, "the run starts")
	}
	r.startOpen = true
}

// checkPoint: a layer begins once all required approvals are there.
func (r *replay) checkPoint() {
	l := r.def.Workflow.Loops
	if l == nil {
		r.fail(order, "there are no decision points in this workflow")
	}
	wanted := l.Human == "always" || r.forPeople
	if l.Human == "critical_only" {
		for id, s := range r.steps {
			wanted = wanted || !s.settled() && s.def.Risk == "critical" && r.layerOf(id) == r.f.Layer
		}
	}
	where := placeOf("layer", "", -1, 0)
	for _, a := range r.places[where] {
		if a.open {
			r.fail(gated, "layer %d begins while %s is open", r.f.Layer, a.id)
		}
	}
	begins := r.f.Layer > r.layer // if people skipped all that is left, there is nothing to decide
	for _, s := range r.steps {
		begins = begins || !s.settled()
	}
	if wanted && begins && !r.anyPositive(where) && !r.told[where] {
		r.fail(gated, "layer %d begins without an approval", r.f.Layer)
	}
}

// checkResult: a result counts once all required approvals are there: gates after the step, rules about
// results, and low confidence.
func (r *replay) checkResult(s *step, index int, res *result, where string) {
	r.checkNotTold(where, "the result of "+s.def.ID+" counts")
	for _, a := range r.places[where] {
		if a.open {
			r.fail(gated, "the result of %s counts while %s (%s) is open", s.def.ID, a.id, a.want)
		}
	}
	what := "the result of " + s.def.ID + " counts"
	out := res.Output
	if index < 0 {
		for _, g := range r.gatesAt("after", s.def.ID) {
			r.require(where, g.When, g.ID, out, what)
		}
	}
	if res.DryRun {
		return
	}
	rev := max(s.task(index).rev, 0)
	if index < 0 { // elements have revisions of their own
		rev = max(rev, s.rev)
	}
	v := r.law.judge(subject{
		granted:  r.granted(where, out),
		key:      r.work("step", s.def.ID, index, rev, 0),
		workflow: r.def.Workflow.Name, agent: s.def.Agent, operation: s.def.Operation, risk: s.def.Risk, data: out,
		confidence: res.Confidence, result: true,
	})
	switch v.effect {
	case "deny":
		r.fail(denied, "%s, which %s forbids: %s", what, v.rule, out)
	case "ask":
		r.requireRule(r.law, where, v, out, what)
	}
	if res.Confidence == nil || *res.Confidence >= r.threshold(s) {
		return
	}
	for _, a := range r.places[where] {
		if a.positive && !a.auto && (a.want == "confidence" || a.kind == "approval") && equal(a.accepted, out) {
			return
		}
	}
	r.fail(gated, "%s with confidence %v, and no person reviewed it", what, *res.Confidence)
}

func (r *replay) threshold(s *step) float64 {
	if t := r.def.Agents[s.def.Agent].Threshold; t != nil {
		return *t
	}
	if t := r.def.Workflow.Threshold; t != nil {
		return *t
	}
	return 0.7
}
