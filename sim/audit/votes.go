package audit

import (
	"slices"
	"strings"
)

// decided checks who decided what on which version, and counts it.
func (r *replay) decided(a *approval) {
	d := r.f.Decision
	if d.Version != a.version {
		r.fail(quorum, "%s decided on version %d of %s, which is at %d", d.By, d.Version, a.id, a.version)
	}
	a.version++
	if r.e.Actor.Name != d.By || r.e.Actor.Kind != "person" {
		r.fail(authority, "%s %s recorded a decision of %s", r.e.Actor.Kind, r.e.Actor.Name, d.By)
	}
	roles := r.checkAuthority(a, d.By, d.OnBehalfOf)
	v := vote{by: d.By, behalf: d.OnBehalfOf, option: d.Option, roles: roles, role: d.Role}
	r.checkPlace(a, v, d.Act)
	switch d.Act {
	case "approve", "choose":
		for _, had := range a.votes {
			if same(had, v) {
				r.fail(quorum, "%s voted on %s before", d.By, a.id)
			}
		}
		a.votes = append(a.votes, v)
	case "modify":
		a.current = patch(a.current, d.Changes)
		if !equal(a.current, d.Proposed) {
			r.fail(quorum, "%s proposes %s, not %s", d.By, d.Proposed, a.current)
		}
		a.votes = []vote{v} // earlier votes were about something else
	case "submit":
		a.current = fill(a.current, d.Data)
		if !equal(a.current, d.Proposed) {
			r.fail(quorum, "%s proposes %s, not %s", d.By, d.Proposed, a.current)
		}
		a.votes = []vote{v}
	case "delegate":
		a.delegations = append(a.delegations, delegation{d.By, d.To, roles})
	case "escalate":
		a.also = append(a.also, d.To)
		if a.rungs < len(a.terms.rungs) && a.terms.rungs[a.rungs].to == d.To {
			a.rungs++
		}
	case "reject", "request_revision":
		if d.Comment == "" {
			r.fail(authority, "%s rejects %s without a reason", d.By, a.id)
		}
	}
}

// same reports whether two votes are one person's, directly or for each other.
func same(v, w vote) bool {
	return v.by == w.by || v.behalf != "" && (v.behalf == w.by || v.behalf == w.behalf) ||
		w.behalf != "" && w.behalf == v.by
}

// checkAuthority: people with the right role, assignees, and those it was escalated or delegated to; never an
// agent, never an excluded requester. It returns the roles whose seats the vote may take.
func (r *replay) checkAuthority(a *approval, by, behalf string) []string {
	p, ok := r.a.people[by]
	alone := r.def.Workflow.OwnerOnly && !a.terms.named
	switch {
	case !ok:
		r.fail(authority, "%s, who decided %s, is not a known person", by, a.id)
	case p.Kind != "person":
		r.fail(authority, "%s is a %s and decided %s", by, p.Kind, a.id)
	case a.terms.excluded && (by == r.owner || behalf == r.owner):
		r.fail(authority, "%s asked for it and decided %s", r.owner, a.id)
	case alone && by != r.owner && behalf != r.owner:
		r.fail(authority, "%s decided %s, which only %s may", by, a.id, r.owner)
	}
	for _, d := range a.delegations {
		if d.from == by {
			r.fail(authority, "%s decided %s and had handed it to %s", by, a.id, d.to)
		}
		role, isRole := strings.CutPrefix(d.to, "role:")
		if behalf != "" && behalf == p.StandsInFor && d.from == behalf && d.to != by && !(isRole && contains(p.Roles, role)) {
			r.fail(authority, "%s decided %s for %s, who had handed it to %s", by, a.id, behalf, d.to)
		}
	}
	if alone || r.mayAnswer(a, by, p.Roles) {
		return p.Roles
	}
	if s, ok := r.a.people[p.StandsInFor]; ok && behalf == s.Name && r.mayAnswer(a, s.Name, s.Roles) {
		return append(slices.Clone(p.Roles), s.Roles...)
	}
	for _, d := range a.delegations {
		role, isRole := strings.CutPrefix(d.to, "role:")
		if d.to == by || isRole && contains(p.Roles, role) {
			return append(slices.Clone(p.Roles), d.roles...)
		}
	}
	r.fail(authority, "%s (%v) decided %s, which needs %q %v %v", by, p.Roles, a.id, a.terms.role,
		a.terms.roles, a.terms.assignees)
	return nil
}

func (r *replay) mayAnswer(a *approval, name string, roles []string) bool {
	t := &a.terms
	if contains(roles, "admin") || contains(t.assignees, name) || contains(a.also, name) {
		return true
	}
	if t.role == "" && len(t.roles) == 0 && len(t.assignees) == 0 {
		return true
	}
	return slices.ContainsFunc(roles, func(role string) bool {
		return role == t.role || t.roles[role] > 0 || contains(a.also, "role:"+role) || contains(t.assignees, "role:"+role)
	})
}

// checkQuorum: enough different people, and every required role.
func (r *replay) checkQuorum(a *approval, o *outcome) {
	votes := a.votes
	if a.kind == "choice" {
		votes = nil
		for _, v := range a.votes {
			if v.option == o.Option {
				votes = append(votes, v)
			}
		}
	}
	if len(votes) < a.terms.needed {
		r.fail(quorum, "%s became %s with %d of %d votes", a.id, o.Status, len(votes), a.terms.needed)
	}
	for _, role := range sorted(a.terms.roles) {
		if got := placesTaken(votes, role); got < a.terms.roles[role] {
			r.fail(quorum, "%s became %s, but %d of %d places of %s were taken: %v", a.id, o.Status, got,
				a.terms.roles[role], role, votes)
		}
	}
	if a.want == "question" || strings.HasPrefix(a.want, asksInput) {
		return // the answer is the result; the agent's question does not change
	}
	want := a.current
	if o.Proposed != nil && !equal(o.Proposed, want) || o.Proposed == nil && !equal(a.proposed, want) {
		r.fail(quorum, "%s continues with %s, but the votes were for %s", a.id, o.Proposed, want)
	}
}

// checkPlace: if votes are counted by role, a vote takes a free seat of its roles; it takes none only if
// there was none.
func (r *replay) checkPlace(a *approval, v vote, act string) {
	if len(a.terms.roles) == 0 {
		if v.role != "" {
			r.fail(quorum, "%s voted on %s as %s, which it does not ask for", v.by, a.id, v.role)
		}
		return
	}
	var before []vote
	switch act {
	case "modify", "submit": // earlier votes were about something else
	case "approve", "choose":
		for _, had := range a.votes {
			if had.option == v.option {
				before = append(before, had)
			}
		}
	default:
		return
	}
	for _, role := range sorted(a.terms.roles) {
		open := placesTaken(before, role) < a.terms.roles[role]
		may := contains(v.roles, role) || contains(v.roles, "admin")
		if v.role == role && !(open && may) {
			r.fail(quorum, "%s (%v) voted on %s as %s: open %v", v.by, v.roles, a.id, role, open)
		}
		if _, named := a.terms.roles[v.role]; !named && open && may {
			r.fail(quorum, "%s (%v) voted on %s as %q, and %s was open", v.by, v.roles, a.id, v.role, role)
		}
	}
}

func placesTaken(votes []vote, role string) (n int) {
	for _, v := range votes {
		if v.role == role {
			n++
		}
	}
	return n
}

// seats tries every way to fill the slots, one person each.
func seats(slots []string, votes []vote) bool {
	if len(slots) == 0 {
		return true
	}
	for i, v := range votes {
		free := v.role == "" || v.role == "*" // not cast as any role
		if v.role == slots[0] || free && (contains(v.roles, slots[0]) || contains(v.roles, "admin")) {
			if seats(slots[1:], slices.Concat(votes[:i], votes[i+1:])) {
				return true
			}
		}
	}
	return false
}
