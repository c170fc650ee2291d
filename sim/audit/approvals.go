package audit

import (
	"encoding/json"
	"strings"
	"time"
)

// approval is one approval with its decisions.
type approval struct {
	id, want, kind string
	spot           spot
	terms          terms
	opened         time.Time
	open           bool
	auto           bool
	rule           string // the rule that decided, if one did
	silent         bool   // was settled by its deadline
	version        int
	proposed       json.RawMessage // as it was shown first
	current        json.RawMessage // as it is proposed now
	votes          []vote
	delegations    []delegation
	also           []string // who else may decide after escalations
	rungs          int
	timedOut       bool // its deadline has passed
	paused         bool // repeated as it was asked under the emergency stop: a timeout pauses
	accepted       json.RawMessage
	said           json.RawMessage // what was submitted
	shown          []string        // the implementation that the approvers saw
	positive       bool
}

// vote is one person's approval of the current proposal.
type vote struct {
	by, behalf, option string
	roles              []string
	role               string // the role whose seat it took
}

type delegation struct {
	from, to string
	roles    []string
}

// approvalEvent checks and records events of approvals.
func (r *replay) approvalEvent() {
	f := &r.f
	switch r.e.Type {
	case "approval.needed":
		a := r.opened()
		a.open = true
	case "approval.auto_approved":
		a := r.opened()
		a.auto, a.rule, a.positive, a.accepted = true, r.e.Actor.Name, true, a.proposed
		r.checkAuto(a)
	case "gate.passed":
		r.checkPassed()
	default:
		a, ok := r.approvals[f.ID]
		if !ok {
			r.fail(readable, "there is no approval %s", f.ID)
		}
		if !a.open {
			r.fail(oneOutcome, "%s: %s was settled before", r.e.Type, f.ID)
		}
		switch r.e.Type {
		case "approval.decided":
			r.decided(a)
		case "approval.resolved":
			r.resolved(a)
		case "approval.escalated":
			r.escalated(a)
		case "approval.timed_out":
			r.timedOut(a)
		}
	}
}

func (r *replay) opened() *approval {
	f := &r.f
	q := f.Request
	if _, ok := r.approvals[q.ID]; ok {
		r.fail(oneOutcome, "%s is asked twice", q.ID)
	}
	a := &approval{
		id: q.ID, want: f.Want, kind: q.Kind, spot: f.Spot, opened: r.e.At, version: 1,
		proposed: q.Proposed, current: q.Proposed, terms: r.termsOf(f.Want, f.Spot), shown: words(q.Action.Implementation),
	}
	if f.Spot.At == "call" {
		if c := r.callAt(f.Spot); c == nil || c.ID != q.Call || c.status == "done" {
			r.fail(gated, "%s is about call %d, %s, which is not proposed", q.ID, f.Spot.Call, q.Call)
		}
	}
	if f.Spot.At == "before" {
		r.recall(f.Spot)
	}
	where := f.Spot.place()
	kept := r.places[where][:0:0]
	for _, had := range r.places[where] { // a new question replaces the old one
		if had.want != a.want {
			kept = append(kept, had)
			continue
		}
		a.paused = had.paused || had.terms.then == "pause" && proceeds(a.terms.then)
	}
	r.approvals[q.ID], r.places[where] = a, append(kept, a)
	return a
}

// recall: a retry has not begun if it is up for approval again.
func (r *replay) recall(at spot) {
	s := r.steps[at.Step]
	if s == nil {
		return
	}
	t := s.tasks[indexOf(at.Index)]
	if t == nil || t.status != "backoff" {
		return
	}
	if t.status = ""; at.Index == nil {
		s.status = "pending"
	}
}

func (r *replay) callAt(s spot) *tool {
	st, ok := r.steps[s.Step]
	if !ok {
		return nil
	}
	if t := st.tasks[indexOf(s.Index)]; t != nil && t.loop != nil {
		return t.loop.calls[s.Call]
	}
	return nil
}

// termsOf finds the terms: of the gate, the rule, or the default.
func (r *replay) termsOf(want string, at spot) terms {
	for i := range r.def.Workflow.Gates {
		if g := &r.def.Workflow.Gates[i]; g.ID == want {
			return r.filled(r.triedAgain(g), at)
		}
	}
	if s, ok := r.steps[at.Step]; ok && s.def.Human != nil && (want == s.def.Human.ID || want == s.def.ID) {
		return r.filled(s.def.Human.terms(), at)
	}
	if name, ok := strings.CutPrefix(want, "rule:"); ok {
		p := r.a.byHash(r.f.Request.Rule.Policy)
		if p == nil {
			r.fail(authority, "%s names the policy %q, which never was", r.f.Request.ID, r.f.Request.Rule.Policy)
		}
		for i := range p.Rules {
			if p.Rules[i].Name == name {
				return r.filled(r.asked(r.silence(p.terms(i)), false), at)
			}
		}
		r.fail(authority, "%s names the rule %q, which its policy does not have", r.f.Request.ID, name)
	}
	t := terms{needed: 1}
	switch want {
	case "confidence":
		t.onReject = "revise"
	case "if":
		t.onReject = "tell"
	}
	return r.filled(r.asked(t, want == "question" && r.f.Request.Kind == "input" || strings.HasPrefix(want, asksInput)),
		at)
}

// triedAgain are the terms of a gate. One that wants input only asks whether something may be retried: a
// timeout then substitutes nothing else.
func (r *replay) triedAgain(g *gateDef) terms {
	t := g.terms()
	if g.Kind == "input" && r.f.Request != nil && r.f.Request.Kind == "approval" && t.then == "default" {
		t.then = "pause"
	}
	return t
}

// asked is the default approver: as the workflow says, else the deployment's default role. One person submits
// what a tool or a model asks for.
func (r *replay) asked(t terms, submits bool) terms {
	if t.role != "" || len(t.roles) > 0 || len(t.assignees) > 0 || r.def.Workflow.OwnerOnly && t.needed <= 1 {
		return t
	}
	ask := r.def.Workflow.Ask
	if t.role = ask.Role; t.role == "" {
		t.role = r.def.DefaultRole
	}
	if !submits {
		t.needed = max(t.needed, ask.Quorum)
		t.excluded = t.excluded || t.needed >= 2
	}
	return t
}

// proceeds reports whether a timeout lets the work continue.
func proceeds(then string) bool { return then == "approve" || then == "default" }

// A timeout approves nothing while the emergency stop is on, and answers nothing.
func (r *replay) silence(t terms) terms {
	if r.law.stopped && proceeds(t.then) {
		t.then = "pause"
	}
	return t
}

func (r *replay) filled(t terms, at spot) terms {
	if t.onReject == "" {
		t.onReject = onReject[at.At]
	}
	return t
}

// checkAuto: a policy decides only where a rule approves, never for a gate that does not allow it, and never
// about low confidence.
func (r *replay) checkAuto(a *approval) {
	v := r.verdictAt(a.spot, a.proposed)
	if v.effect != "approve" {
		r.fail(quorum, "the policy approved %s (%s), although its rules say %q about %s", a.id, a.want, v.effect, a.proposed)
	}
	if a.want != "rule:"+v.rule && !a.terms.auto {
		r.fail(quorum, "the policy approved %s (%s), which only people may", a.id, a.want)
	}
}

// verdictAt evaluates the policy again for a spot.
func (r *replay) verdictAt(at spot, data json.RawMessage) verdict {
	s, ok := r.steps[at.Step]
	if !ok {
		return verdict{}
	}
	sub := subject{workflow: r.def.Workflow.Name, agent: s.def.Agent, operation: s.def.Operation,
		risk: s.def.Risk, data: data}
	switch at.At {
	case "after":
		sub.result = true
		if t := s.tasks[indexOf(at.Index)]; t != nil && t.result != nil {
			sub.confidence = t.result.Confidence
		}
	case "call":
		c := r.callAt(at)
		_, level, _ := r.strictest(s, c)
		sub.agent, sub.tool, sub.operation, sub.risk = c.agent, c.Tool, c.Spec.Operation, level
	}
	sub.granted = r.granted(at.place(), data) // for a gate and for itself: one use, which checkUses counts
	if r.f.Request.Subject != nil {
		sub.key = r.f.Request.Subject.Key
	}
	return r.law.judge(sub)
}

// resolved settles an approval, and checks that this is the right outcome.
func (r *replay) resolved(a *approval) {
	o := r.f.Outcome
	switch o.Status {
	case "approved", "modified", "chosen", "submitted":
		r.checkQuorum(a, o)
	case "rejected", "revision_requested":
		if r.e.Actor.Kind == "agent" {
			r.fail(authority, "an agent rejected %s", a.id)
		}
	case "timed_out":
		r.checkTimedOut(a, o)
	case "cancelled":
		if o.positive() {
			r.fail(quorum, "%s was withdrawn and counts as a yes", a.id)
		}
	default:
		r.fail(quorum, "%s became %s", a.id, o.Status)
	}
	a.open, a.positive, a.said, a.silent = false, o.positive(), o.Data, o.Status == "timed_out"
	if a.positive {
		a.accepted = a.proposed
		if o.Proposed != nil {
			a.accepted = o.Proposed
			r.propose(a.spot, o.Proposed)
		}
	} else if o.Status != "cancelled" && r.tells(a, o) {
		r.told[a.spot.place()] = true
	}
}

// tells reports whether the run continues in spite of a rejection.
func (r *replay) tells(a *approval, o *outcome) bool {
	if o.Cancel || o.Act == "request_revision" && a.spot.At != "start" {
		return false
	}
	return a.terms.onReject == "tell"
}

// propose replaces a proposal with the edited one.
func (r *replay) propose(at spot, v json.RawMessage) {
	index := indexOf(at.Index)
	switch at.At {
	case "start":
		r.input = v
	case "end":
		r.output = v
	case "before":
		if index >= 0 {
			r.steps[at.Step].task(index).changed = true
		}
		r.steps[at.Step].changed = true
	case "after":
		s := r.steps[at.Step]
		if index < 0 && s.def.Each != "" {
			s.output = v
			return
		}
		t := s.task(index)
		made := result{}
		if t.result != nil {
			made = *t.result
		}
		made.Output = v
		t.result = &made
	case "call":
		if c := r.callAt(at); c != nil {
			c.Args = v
		}
	}
}

// escalated: a chain is climbed when its time has come, not before.
func (r *replay) escalated(a *approval) {
	due := a.opened
	if a.rungs < len(a.terms.rungs) {
		due = due.Add(a.terms.rungs[a.rungs].after)
		if a.terms.rungs[a.rungs].to != string(r.f.To) {
			r.fail(deadline, "%s is escalated to %s, not to %s", a.id, r.f.To, a.terms.rungs[a.rungs].to)
		}
		a.rungs++
	}
	if r.e.At.Before(due) && !(a.timedOut && a.terms.then == "escalate") {
		r.fail(deadline, "%s is escalated at %s, before %s", a.id, r.e.At, due)
	}
	a.also = append(a.also, string(r.f.To))
}

// timedOut: a deadline passes once, and not before its time.
func (r *replay) timedOut(a *approval) {
	due := a.opened.Add(a.terms.after)
	switch {
	case a.terms.after == 0 || a.terms.then == "":
		r.fail(deadline, "%s times out and has no deadline", a.id)
	case r.e.At.Before(due):
		r.fail(deadline, "%s times out at %s, before %s", a.id, r.e.At, due)
	case proceeds(r.f.Then) && r.law.stopped:
		r.fail(deadline, "%s is settled by silence while the emergency stop is on", a.id)
	case r.f.Then == "pause" && proceeds(a.terms.then) && a.paused:
	case r.f.Then != r.silence(a.terms).then:
		r.fail(deadline, "%s does %s when its time is up, not %s", a.id, r.f.Then, a.terms.then)
	case a.timedOut:
		r.fail(deadline, "%s times out twice", a.id)
	}
	a.timedOut, a.terms.then = true, r.f.Then
}

func (r *replay) checkTimedOut(a *approval, o *outcome) {
	if !a.timedOut { // expired manually, which is always a rejection
		if p := r.a.people[r.e.Actor.Name]; r.e.Actor.Kind != "person" || p == nil || p.Kind != "person" {
			r.fail(authority, "%s %s let %s expire", r.e.Actor.Kind, r.e.Actor.Name, a.id)
		}
		if o.positive() {
			r.fail(deadline, "%s was settled by a deadline that had not passed", a.id)
		}
		return
	}
	want := map[string]bool{"approve": true, "default": true}[a.terms.then]
	if o.By != "" && !o.positive() {
		return // expired manually after its deadline
	}
	if o.positive() != want {
		r.fail(deadline, "%s was settled as %s when its time was up, but has to %s", a.id, o.Act, a.terms.then)
	}
	if (a.terms.then == "cancel") != o.Cancel {
		r.fail(deadline, "%s: cancels %v, but has to %s", a.id, o.Cancel, a.terms.then)
	}
}
