package access

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// Act says whether a subject's roles let them take an act on an approval, and as
// whom they would: for themselves, or else for somebody they stand in for. It
// does not say that the approval asks them; the core does.
func (r *Rules) Act(s Subject, act gate.Act, o Object) (Verdict, gate.Person) {
	if !slices.Contains(gate.Acts, act) {
		act = "" // other actions are none of ours
	}
	v := r.Decide(s, Action(act), o)
	me := gate.Person{Name: s.key(), Kind: string(s.Kind)}
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
		stand := gate.Person{Name: s.Name, Roles: me.Roles, For: sub.Name, ForRoles: lent(theirs.Roles, o.Approval)}
		if slices.Contains(o.Approval.Allowed(stand), act) {
			theirs.Because = s.Name + " stands in for " + sub.Name + ": " + theirs.Because
			return theirs, stand
		}
	}
	return r.heldInVain(mine, s, act, o, me), me
}

// heldInVain turns a verdict around where a role that the approval asks for is
// held, and does not let its holder take the act: to say that the role is missing
// would be wrong.
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

// Deciding says whether a subject is of a kind that decides at all, whatever is
// asked and whatever its roles.
func (r *Rules) Deciding(s Subject) Verdict {
	if rows[Action(gate.Approve)].By.include(s.Kind) {
		return Verdict{Allowed: true, subject: s}
	}
	return r.Decide(s, Action(gate.Approve), Object{})
}

// lent are the roles of somebody that count for their stand-in. An administrator
// may answer everything; who stands in for one answers what asks for one.
func lent(roles []string, ap *gate.Approval) []string {
	if asksRole(ap, gate.RoleAdmin) {
		return roles
	}
	return slices.DeleteFunc(slices.Clone(roles), func(role string) bool { return role == gate.RoleAdmin })
}

// Acts lists what a subject could do with an approval now.
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

// Finding says of one thing whether somebody may do it, and why or why not.
type Finding struct {
	Act     string   `json:"act"`     // What to do with it: see, comment, or an act.
	Allowed bool     `json:"allowed"` // True if it is possible now.
	Because string   `json:"because"` // By which role or rule, or what is missing.
	Roles   []string `json:"roles"`   // The roles that count for it.
}

// Explain says of everything that can be done with an approval whether a subject
// may, and why.
func (r *Rules) Explain(s Subject, o Object) []Finding {
	var out []Finding
	for _, a := range []Action{See, Comment} {
		v := r.Decide(s, a, o)
		out = append(out, Finding{string(a), v.Allowed, v.Because, append([]string{}, v.Roles...)})
	}
	seen := out[0]
	for _, act := range gate.Acts {
		v, person := r.Act(s, act, o)
		one := Finding{string(act), v.Allowed, v.Because, append([]string{}, v.Roles...)}
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

// notNow says why an approval does not take an act from somebody whose roles
// would let them; nothing if it does.
func (r *Rules) notNow(ap *gate.Approval, p gate.Person, act gate.Act) string {
	switch {
	case ap.Status != gate.Pending:
		return "it is settled: " + string(ap.Status)
	case !slices.Contains(ap.Terms.Acts, act):
		return "this approval does not offer it"
	case slices.Contains(ap.Allowed(p), act):
		return ""
	}
	// The core looks at who asks before it looks at what they say.
	if _, err := ap.Decide(gate.Answer{By: p, Act: act, Version: ap.Version},
		time.Time{}); fault.Is(err, fault.Forbidden) {
		return err.Error()
	}
	if act == gate.Delegate {
		return "only the run's owner can decide this, so it can't be delegated"
	}
	return p.Name + " has already voted"
}
