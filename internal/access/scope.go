package access

import (
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// Scope describes which rows of lists a subject may see: the same that Decide lets them see one by one.
func (r *Rules) Scope(s Subject) port.Scope {
	out := port.Scope{Name: s.key(), All: s.free()}
	for _, name := range s.Roles {
		role := r.roles[name]
		switch {
		case role == nil && s.SignedIn:
			out.Roles = append(out.Roles, name)
		case role == nil:
			out.All = true
		case !role.rights[View]:
		case role.workflows == nil:
			out.All = true
		default:
			out.Workflows = append(out.Workflows, role.workflows...)
		}
	}
	if out.All {
		return port.Scope{All: true, Name: s.key()}
	}
	for _, sub := range s.For {
		out.For = append(out.For, sub.Name)
		out.Roles = append(out.Roles, r.answering(s.principal(sub))...)
	}
	out.Workflows, out.Roles = distinct(out.Workflows), distinct(out.Roles)
	return out
}

// Asks are the words by which approvals ask a subject, or a person the subject stands in for: names, and roles
// as role:NAME.
func (r *Rules) Asks(s Subject) []string {
	out := []string{s.key()}
	for _, role := range r.answering(s) {
		out = append(out, askedRole+role)
	}
	for _, sub := range s.For {
		p := s.principal(sub)
		out = append(out, r.Asks(p)...)
	}
	return distinct(out)
}

// Roles are the names of the defined roles.
func (r *Rules) Roles() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.roles)),
		func(name string) bool { return r.roles[name].withdrawn })
}

// DecidingRoles are the roles that allow approving.
func (r *Rules) DecidingRoles(o Object) []string {
	row := rows[Action(gate.Approve)]
	return slices.DeleteFunc(r.Roles(), func(name string) bool { return !r.roles[name].gives(row, o) })
}

// Tries reports whether s tries out undefined roles where sign-in is off: the inbox of such a reader contains
// only approvals they may decide.
func (r *Rules) Tries(s Subject) bool {
	return !s.SignedIn && len(s.Roles) > 0 &&
		!slices.ContainsFunc(s.Roles, func(name string) bool { return r.roles[name] != nil })
}

// answering are the roles that s may answer for: their own, and the roles these may act as.
func (r *Rules) answering(s Subject) []string {
	out := slices.DeleteFunc(slices.Clone(s.Roles), func(name string) bool {
		return r.roles[name] != nil && r.roles[name].withdrawn
	})
	for _, name := range s.Roles {
		if role := r.roles[name]; role != nil {
			out = append(out, role.actAs...)
		}
	}
	return distinct(out)
}

// Permissions are what a subject may do on some workflow, sorted; * is spelled out. Permissions without effect
// for programs or agents are omitted for them.
func (r *Rules) Permissions(s Subject) []string {
	held := map[Permission]bool{}
	tries := s.free()
	for _, name := range s.Roles {
		role := r.roles[name]
		switch {
		case role == nil:
			tries = tries || !s.SignedIn
		case role.workflows == nil || len(role.workflows) > 0:
			for p := range role.rights {
				held[p] = true
			}
		}
	}
	if tries {
		for _, row := range Table {
			if row.Tries {
				for _, p := range row.Needs {
					held[p] = true
				}
			}
		}
	}
	out := []string{}
	for p := range held {
		if !withheld(p, s.Kind) {
			out = append(out, string(p))
		}
	}
	return distinct(out)
}

// withheld reports whether a permission has no effect for a kind of principal.
func withheld(p Permission, kind run.ActorKind) bool {
	switch {
	case kind == run.Person:
		return false
	case p == decides, p == Admin && kind == run.Agent: // an agent could only ask for explanations with it
		return true
	}
	return !slices.ContainsFunc(Table, func(row Row) bool { return row.By.include(kind) && slices.Contains(row.Needs, p) })
}

func distinct(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// Ever reports whether a subject could take one of these actions anywhere: by a permission, on a run of their
// own, or because an approval asks them. Decide answers whether they may here and now.
func (r *Rules) Ever(s Subject, actions ...Action) bool {
	held := r.Permissions(s)
	lacks := func(p Permission) bool { return !slices.Contains(held, string(p)) }
	return slices.ContainsFunc(actions, func(a Action) bool {
		row, known := rows[a]
		if !known || !row.By.include(s.Kind) {
			return false
		}
		return row.Asked || row.Owner && !lacks(Begin) || !slices.ContainsFunc(row.Needs, lacks)
	})
}
