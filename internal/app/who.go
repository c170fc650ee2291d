package app

import (
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
)

// Who is whoever asks for something.
type Who struct {
	Name  string
	Kind  run.ActorKind // person, service or agent
	Roles []string
	// SignedIn says that it is known who this is. Where nobody has to sign in,
	// who names no roles tries things out and is not held back by them; where
	// people do, no roles are no rights.
	SignedIn bool
}

// free reports whether roles do not matter for w.
func (w Who) free() bool { return len(w.Roles) == 0 && !w.SignedIn }

// LocalAdmin is who acts where nobody has to sign in.
var LocalAdmin = Who{Name: "admin", Kind: run.Person, Roles: []string{gate.RoleAdmin}}

func (w Who) actor() run.Actor { return run.Actor{Kind: w.Kind, Name: w.Name} }

func (w Who) admin() bool { return slices.Contains(w.Roles, gate.RoleAdmin) }

// Permission is one thing that a role may let its holders do. The acts of
// approvals are permissions, too.
type Permission string

const (
	View     Permission = "view"
	StartRun Permission = "start"
	Steer    Permission = "command"
	Remark   Permission = "comment"
	Admin    Permission = "admin"
)

// positive are the acts that the permission to approve stands for.
var positive = []Permission{Permission(gate.Approve), Permission(gate.Choose), Permission(gate.Submit)}

// grants reports whether a role that is written down lets its holders do p.
func grants(r *definition.Role, p Permission, workflow string, kind gate.Kind) bool {
	if workflow != "" && r.Workflows != nil && !slices.ContainsFunc(r.Workflows, func(w string) bool {
		prefix, wild := strings.CutSuffix(w, "*")
		return w == workflow || wild && strings.HasPrefix(workflow, prefix)
	}) {
		return false
	}
	if kind != "" && r.Kinds != nil && !slices.Contains(r.Kinds, kind) && !slices.Contains(r.Kinds, "*") {
		return false
	}
	rights := r.Rights()
	act := slices.Contains(gate.Acts, gate.Act(p))
	return slices.Contains(rights, string(p)) || slices.Contains(rights, "*") ||
		act && slices.Contains(rights, "decide") ||
		slices.Contains(positive, p) && slices.Contains(rights, string(gate.Approve))
}

// granting lists the roles of w that let them do p, and those that these may
// act as. A role that nobody wrote down is a name and no more: it lets its
// holders do everything that needs no administrator.
func (a *App) granting(w Who, p Permission, workflow string, kind gate.Kind) []string {
	known := a.registry.now().set.Roles
	var out []string
	for _, name := range w.Roles {
		role := known[name]
		switch {
		case name == gate.RoleAdmin:
			out = append(out, name)
		case role == nil && p != Admin:
			out = append(out, name)
		case role != nil && grants(role, p, workflow, kind):
			out = append(append(out, name), role.CanActAs...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// may refuses what none of somebody's roles lets them do.
func (a *App) may(w Who, p Permission, workflow string) error {
	if len(a.granting(w, p, workflow, "")) > 0 || w.free() && p != Admin {
		return nil
	}
	what := map[Permission]string{View: "see this", StartRun: "start runs", Steer: "steer runs", Remark: "comment", Admin: "do this: it needs an administrator"}[p]
	if what == "" {
		what = string(p)
	}
	return fault.New(fault.Forbidden, w.Name+" may not "+what, "roles held: "+orNone(w.Roles))
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// person is w as the core sees them for one act: with the roles that count for it.
func (a *App) person(w Who, act gate.Act, workflow string, kind gate.Kind) gate.Person {
	return gate.Person{Name: w.Name, Agent: w.Kind == run.Agent, Roles: a.granting(w, Permission(act), workflow, kind)}
}

// acts lists what w could do with an approval now.
func (a *App) acts(w Who, workflow string, ap *gate.Approval) []gate.Act {
	out := []gate.Act{}
	for _, act := range gate.Acts {
		if a.mayAct(w, act, workflow, ap) == nil && slices.Contains(ap.Allowed(a.person(w, act, workflow, ap.Kind)), act) {
			out = append(out, act)
		}
	}
	return out
}

// mayAct refuses an act that none of somebody's roles covers. Who is asked by
// name needs no role.
func (a *App) mayAct(w Who, act gate.Act, workflow string, ap *gate.Approval) error {
	if named(w, ap) || w.free() || len(a.granting(w, Permission(act), workflow, ap.Kind)) > 0 {
		return nil
	}
	return fault.New(fault.Forbidden, "none of the roles of "+w.Name+" covers "+string(act)+" here", "roles held: "+orNone(w.Roles))
}

// named reports whether an approval asks w by name.
func named(w Who, ap *gate.Approval) bool {
	return slices.Contains(ap.Terms.Assignees, w.Name) || slices.Contains(ap.Also, w.Name) ||
		slices.ContainsFunc(ap.Delegations, func(d gate.Delegation) bool { return d.To == w.Name })
}
