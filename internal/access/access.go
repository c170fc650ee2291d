// Package access decides who may do what. It is one function over two tables: the permissions each action
// requires, and the permissions each role grants. It knows neither store nor clock; the caller supplies the
// facts.
//
//	rules := access.New(roles)                       // of the documents in force
//	v := rules.Decide(ann, access.Start, access.Object{Workflow: "refund"})
//	if !v.Allowed { return v.Refusal() }
//
// Anything not in a table is refused.
package access

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// Subject is the identity that wants to do something.
type Subject struct {
	Name   string
	Kind   run.ActorKind // person, service or agent
	Issuer string        // the identity provider that knows them; empty: this server
	// Subject is their id at the issuer.
	Subject string
	Roles   []string
	// SignedIn reports whether the identity is authenticated. In local mode, a caller who names no roles is
	// not restricted by them.
	SignedIn bool
	For      []Substitute // the people the subject currently stands in for
}

// Substitute is a person the subject stands in for.
type Substitute struct {
	Name  string
	Roles []string
}

// key identifies s wherever identities are compared: two identities may share a name.
func (s Subject) key() string { return run.Actor{Kind: s.Kind, Name: s.Name, Issuer: s.Issuer}.Key() }

// nameless is the key under which a person's requests are recorded whose tokens leave out the name, before one
// that has it: they look like those of a program.
func (s Subject) nameless() string {
	if s.Kind != run.Person || s.Issuer == "" || s.Subject == "" {
		return ""
	}
	return run.Actor{Kind: run.Service, Issuer: s.Issuer, Subject: s.Subject}.Key()
}

// free reports whether s is not restricted by roles.
func (s Subject) free() bool { return len(s.Roles) == 0 && !s.SignedIn }

// principal is a person s stands in for, as a subject.
func (s Subject) principal(sub Substitute) Subject {
	return Subject{Name: sub.Name, Kind: run.Person, Roles: sub.Roles, SignedIn: s.SignedIn}
}

// Object is the target of an action. Fields that do not apply are empty.
type Object struct {
	Workflow string
	Owner    string         // of the run: an actor's key
	Approval *gate.Approval // if the action is on one
	// Asked is set if an approval of the run asks the subject, by name or by a role without a definition. The
	// caller has checked it.
	Asked  bool
	Person string // the person it concerns: a key
}

// Verdict is the answer of Decide, with an explanation for people.
type Verdict struct {
	Allowed bool
	Because string
	Roles   []string     // the roles that allow it, and the roles these may act as
	Missing []Permission // permissions that would allow it

	subject Subject
	hint    string
}

// Refusal is the verdict as an error; nil if the action is allowed.
func (v Verdict) Refusal() error {
	if v.Allowed {
		return nil
	}
	hint := cmp.Or(v.hint, "roles held: "+orNone(v.subject.Roles))
	e := fault.New(fault.Forbidden, v.Because, hint).With("who", v.subject.Name).With("roles_held", append([]string{},
		v.subject.Roles...))
	if len(v.Missing) > 0 {
		e = e.With("missing", v.Missing)
	}
	return e
}

// Decide reports whether a subject may take an action.
func (r *Rules) Decide(s Subject, a Action, o Object) Verdict {
	row, known := rows[a]
	v := Verdict{subject: s}
	switch {
	case !known:
		v.Because = string(a) + " is not a known action"
	case s.Name == "":
		v.Because = "an unknown caller may not " + row.Does
	case !row.By.include(s.Kind):
		v.Because = plain(s.Kind) + " never " + row.Does + ", whatever their roles"
		v.hint = "have a person do it: signed in, or with a token of kind person"
	case row.Self && o.Person == s.key():
		v.allow(s.Name + " acts on their own behalf")
	case row.Owner && o.Owner != "" && o.Owner == s.key():
		v.allow(s.Name + " owns the run")
	case row.Asked && named(o, s):
		v.Roles = r.giving(s, row, o)
		v.allow(s.Name + " is asked by name")
	default:
		r.byRoles(&v, s, row, o)
	}
	return v
}

// byRoles is Decide for subjects who need a role.
func (r *Rules) byRoles(v *Verdict, s Subject, row Row, o Object) {
	v.Roles = r.giving(s, row, o)
	switch {
	case len(v.Roles) > 0:
		v.allow(plural(v.Roles, "the role ", " grants ", "the roles ", " grant ") + words(row.Needs))
	case row.Tries && s.free():
		v.allow("in local mode, a caller without roles is not restricted by them")
	case row.Asked && o.Approval == nil && o.Asked:
		v.allow("an approval of the run asks " + s.Name)
	case row.Asked && r.standsIn(s, row, o):
		v.allow(s.Name + " stands in for an assignee")
	case row.Kinds:
		if v.Because = r.shortOf(s, row, o); v.Because == "" {
			v.Missing = row.Needs
			v.Because = "none of the roles of " + s.Name + " covers " + words(row.Needs) + " here"
		}
	default:
		v.Missing = row.Needs
		v.Because = s.Name + " may not " + row.Does + ": this requires " + needs(row.Needs)
	}
}

// shortOf explains why roles with the required permissions do not apply here: they cover other kinds of
// approvals, or other workflows. It is empty if no role has the permissions.
func (r *Rules) shortOf(s Subject, row Row, o Object) string {
	var elsewhere string
	for _, name := range s.Roles {
		role := r.roles[name]
		if role == nil || slices.ContainsFunc(row.Needs, func(p Permission) bool { return !role.rights[p] }) {
			continue
		}
		if role.covers(o.Workflow) && o.Approval != nil {
			kinds := make([]string, len(role.kinds))
			for i, k := range role.kinds {
				kinds[i] = string(k)
			}
			return "the role " + name + " of " + s.Name + " is for approvals of kind " + strings.Join(kinds, " and ") +
				", and this is of kind " + string(o.Approval.Kind)
		}
		elsewhere = "the role " + name + " of " + s.Name + " grants " + words(row.Needs) + ", but not for the workflow " +
			o.Workflow
	}
	return elsewhere
}

// plain is a kind of principal in the plural.
func plain(kind run.ActorKind) string {
	if kind == "" {
		return "callers of an unknown kind"
	}
	return string(kind) + "s"
}

func (v *Verdict) allow(because string) { v.Allowed, v.Because = true, because }

// giving lists the roles of s that grant what a row requires, and the roles these may act as.
func (r *Rules) giving(s Subject, row Row, o Object) []string {
	var out []string
	for _, name := range s.Roles {
		role := r.roles[name]
		switch {
		case role == nil && s.SignedIn:
			// A role without a definition counts only where an approval asks for it.
			if row.Asked && o.Approval != nil && asksRole(o.Approval, name) {
				out = append(out, name)
			}
		case role == nil:
			if row.Tries && !hidden(o.Approval, name) {
				out = append(out, name)
			}
		case role.gives(row, o):
			out = append(out, name)
			for _, other := range role.actAs {
				// A role that may act as an administrator can answer approvals that ask for one, and no others;
				// an administrator can answer all.
				if other != gate.RoleAdmin || o.Approval != nil && asksRole(o.Approval, other) {
					out = append(out, other)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// hidden reports whether an approval is private and does not ask a role, which therefore cannot see it.
func hidden(ap *gate.Approval, role string) bool {
	return ap != nil && ap.Terms.Private && !asksRole(ap, role)
}

// standsIn reports whether a person s stands in for is asked and could take the action. Acts on approvals
// (row.Kinds) are checked by Act.
func (r *Rules) standsIn(s Subject, row Row, o Object) bool {
	if row.Kinds || o.Approval == nil {
		return false
	}
	return slices.ContainsFunc(s.For, func(sub Substitute) bool {
		p := s.principal(sub)
		return r.asks(p, o.Approval) && r.Decide(p, row.Action, o).Allowed
	})
}

// Asked reports whether an approval asks s in a way that lets them see it and the run, whatever their roles:
// by name, by a role without a definition, or as a stand-in.
func (r *Rules) Asked(s Subject, o Object) bool {
	return named(o, s) || r.standsIn(s, rows[See], o) ||
		s.SignedIn && slices.ContainsFunc(s.Roles, func(name string) bool {
			return r.roles[name] == nil && asksRole(o.Approval, name)
		})
}

// asks reports whether an approval asks s, by name or by a role.
func (r *Rules) asks(s Subject, ap *gate.Approval) bool {
	return named(Object{Approval: ap}, s) ||
		slices.ContainsFunc(r.answering(s), func(role string) bool { return asksRole(ap, role) })
}

// named reports whether an approval asks a person by name.
func named(o Object, s Subject) bool {
	ap, key := o.Approval, s.key()
	switch {
	case ap == nil:
		return false
	case ap.Terms.OnlyOwner != "":
		return ap.Terms.OnlyOwner == key
	}
	return slices.Contains(ap.Terms.Assignees, key) || slices.Contains(ap.Also, key) ||
		slices.ContainsFunc(ap.Delegations, func(d gate.Delegation) bool { return d.To == key })
}

// asksRole reports whether an approval asks the holders of a role.
func asksRole(ap *gate.Approval, role string) bool {
	t, word := &ap.Terms, askedRole+role
	if t.OnlyOwner != "" {
		return false
	}
	return t.Role == role || t.Roles[role] > 0 || slices.Contains(t.Assignees, word) || slices.Contains(ap.Also, word) ||
		slices.ContainsFunc(ap.Delegations, func(d gate.Delegation) bool { return d.To == word })
}

// askedRole is the prefix of roles in an approval's assignees.
const askedRole = "role:"

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// plural joins names, with words for one or for several.
func plural(names []string, one, oneEnd, several, severalEnd string) string {
	if len(names) == 1 {
		return one + names[0] + oneEnd
	}
	return several + strings.Join(names, ", ") + severalEnd
}

func words(ps []Permission) string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = string(p)
	}
	return strings.Join(out, " and ")
}

// needs describes what is required, for people.
func needs(ps []Permission) string {
	if slices.Contains(ps, Admin) {
		return "an administrator"
	}
	return "the permission " + words(ps)
}
