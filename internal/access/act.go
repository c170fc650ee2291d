package access

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// Act reports whether a subject's roles allow an act on an approval, and as whom: for themselves, or as a
// stand-in. Whether the approval asks them is decided by the core.
func (r *Rules) Act(s Subject, act gate.Act, o Object) (Verdict, gate.Person) {
	if !slices.Contains(gate.Acts, act) {
		act = "" // other actions are not acts on approvals
	}
	v := r.Decide(s, Action(act), o)
	me := gate.Person{Name: s.key(), Kind: string(s.Kind), Also: s.nameless()}
	if v.Allowed {
		me.Roles = v.Roles
		if slices.Contains(o.Approval.Allowed(me), act) {
			return v, me
		}
	}
	if s.Kind != run.Person {
		return v, me
	}
	mine := v
	for _, sub := range s.For {
		theirs := r.Decide(s.principal(sub), Action(act), o)
		if !theirs.Allowed {
			continue
		}
		stand := gate.Person{Name: s.Name, Roles: me.Roles, For: sub.Name, ForRoles: lent(theirs.Roles, o.Approval),
			Also: me.Also}
		if slices.Contains(o.Approval.Allowed(stand), act) {
			theirs.Because = s.Name + " stands in for " + sub.Name + ": " + theirs.Because
			return theirs, stand
		}
	}
	return r.heldInVain(mine, s, act, o, me), me
}

// Answering returns as whom a subject may approve an approval in a workflow, or why they may not.
func (r *Rules) Answering(s Subject) func(workflow string, a *gate.Approval) (gate.Person, error) {
	return func(workflow string, a *gate.Approval) (gate.Person, error) {
		v, p := r.Act(s, a.Kind.Positive(), Object{Workflow: workflow, Approval: a})
		return p, v.Refusal()
	}
}

// heldInVain corrects a verdict where the subject has a role that the approval asks for, but the role does not
// allow the act: reporting the role as missing would be wrong.
func (r *Rules) heldInVain(v Verdict, s Subject, act gate.Act, o Object, me gate.Person) Verdict {
	with := me
	with.Roles = r.answering(s)
	if !v.Allowed || o.Approval.Status != gate.Pending || slices.Contains(o.Approval.Allowed(me), act) ||
		!slices.Contains(o.Approval.Allowed(with), act) {
		return v
	}
	asked := s
	asked.Roles = slices.DeleteFunc(slices.Clone(s.Roles), func(name string) bool { return !asksRole(o.Approval, name) })
	why := r.Decide(asked, Action(act), o)
	if why.Allowed {
		return v
	}
	why.subject = s
	return why
}

// Deciding reports whether a subject is of a kind that may decide at all, whatever its roles.
func (r *Rules) Deciding(s Subject) Verdict {
	if rows[Action(gate.Approve)].By.include(s.Kind) {
		return Verdict{Allowed: true, subject: s}
	}
	return r.Decide(s, Action(gate.Approve), Object{})
}

// lent are the roles of a person that count for their stand-in. An administrator can answer every approval;
// their stand-in only those that ask for an administrator.
func lent(roles []string, ap *gate.Approval) []string {
	if asksRole(ap, gate.RoleAdmin) {
		return roles
	}
	return slices.DeleteFunc(slices.Clone(roles), func(role string) bool { return role == gate.RoleAdmin })
}

// Acts lists the acts available to a subject on an approval now.
func (r *Rules) Acts(s Subject, o Object) []gate.Act {
	out := []gate.Act{}
	if o.Approval.Status != gate.Pending {
		return out
	}
	for _, act := range gate.Acts {
		if v, person := r.Act(s, act, o); v.Allowed && slices.Contains(o.Approval.Allowed(person), act) {
			out = append(out, act)
		}
	}
	return out
}

// Finding explains whether a subject may do one thing, and why.
type Finding struct {
	Act     string   `json:"act"`     // The action: see, comment, or an act.
	Allowed bool     `json:"allowed"` // True if it is allowed now.
	Because string   `json:"because"` // The role or rule that allows it, or what is missing.
	Roles   []string `json:"roles"`   // The roles that allow it.
	// Administrators are shown the roles that would allow it. Empty if it is allowed, or if no role would.
	WithRole []string `json:"with_role"`
}

// Explain returns a Finding for every action on an approval.
func (r *Rules) Explain(s Subject, o Object) []Finding {
	out := r.explain(s, o)
	for _, name := range r.others(s, asked(o.Approval)...) {
		for i, with := range r.explain(s.with(name), o) {
			if with.Allowed && !out[i].Allowed {
				out[i].WithRole = append(out[i].WithRole, name)
			}
		}
	}
	return out
}

func (r *Rules) explain(s Subject, o Object) []Finding {
	var out []Finding
	for _, a := range []Action{See, Comment} {
		v := r.Decide(s, a, o)
		out = append(out, Finding{string(a), v.Allowed, v.Because, append([]string{}, v.Roles...), []string{}})
	}
	seen := out[0]
	for _, act := range gate.Acts {
		v, person := r.Act(s, act, o)
		one := Finding{string(act), v.Allowed, v.Because, append([]string{}, v.Roles...), []string{}}
		switch why := r.notNow(o.Approval, person, act); {
		case !seen.Allowed:
			one.Allowed, one.Because = false, seen.Because
		case one.Allowed && why != "":
			one.Allowed, one.Because = false, why
		}
		out = append(out, one)
	}
	return out
}

// notNow explains why an approval does not accept an act from a subject whose roles allow it; empty if it does.
func (r *Rules) notNow(ap *gate.Approval, p gate.Person, act gate.Act) string {
	switch {
	case ap.Status != gate.Pending:
		return "already settled: " + string(ap.Status)
	case !slices.Contains(ap.Terms.Acts, act):
		return "not available for this approval"
	case slices.Contains(ap.Allowed(p), act):
		return ""
	}
	// The core checks the actor before the content of the decision.
	if _, err := ap.Decide(gate.Answer{By: p, Act: act, Version: ap.Version},
		time.Time{}); fault.Is(err, fault.Forbidden) {
		return err.Error()
	}
	if act == gate.Delegate {
		return "only the run's owner can decide this, so it can't be delegated"
	}
	return p.Name + " has already voted"
}
