package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/view"
)

// AccessView explains a person's access to an approval.
type AccessView struct {
	User     string           `json:"user"` // The person.
	Kind     run.ActorKind    `json:"kind"`
	Roles    []string         `json:"roles"`    // The roles that were checked.
	Approval string           `json:"approval"` // The id of the approval.
	Workflow string           `json:"workflow"`
	Status   gate.Status      `json:"status"`
	Acts     []access.Finding `json:"acts"` // Seeing, commenting and every act.
}

// ExplainAccess explains why a person may or may not perform each action on an approval. Only administrators can ask
// about others.
func (a *App) ExplainAccess(ctx context.Context, who, about Who, id string) (AccessView, error) {
	row, err := a.guard.Approval(ctx, who, access.See, id)
	if err != nil {
		return AccessView{}, err
	}
	if err := a.MayExplain(who, about.Key()); err != nil {
		return AccessView{}, err
	}
	o, err := a.sight.About(ctx, row)
	if err != nil {
		return AccessView{}, err
	}
	if about, err = a.WithStandIns(ctx, about); err != nil {
		return AccessView{}, err
	}
	acts := a.guard.Rules().Explain(a.guard.Subject(about), o)
	for i := range acts {
		acts[i].WithRole = a.shownRoles(who, acts[i].WithRole)
	}
	return AccessView{
		User: about.Name, Kind: about.Kind, Roles: view.NotNil(about.Roles), Approval: row.ID, Workflow: row.Workflow,
		Status: o.Approval.Status,
		Acts:   acts,
	}, nil
}

// PermissionsView explains what someone may do in a case.
type PermissionsView struct {
	User    string           `json:"user"` // The person or program.
	Kind    run.ActorKind    `json:"kind"`
	Roles   []RoleOrigin     `json:"roles"`   // The roles that were checked.
	For     []string         `json:"for"`     // The people they stand in for now.
	Actions []access.Ability `json:"actions"` // Every action.
}

// RoleOrigin is where a role comes from. A role that is neither built in nor in a document is only a name.
type RoleOrigin struct {
	Name    string `json:"name"`
	BuiltIn bool   `json:"built_in"` // True for a built-in role without a document.
	Version int    `json:"version"`  // The version of its document; 0 if there is none.
	By      string `json:"by"`       // Who saved the document.
	// True if its document was withdrawn: it grants nothing.
	Withdrawn bool `json:"withdrawn"`
}

// ExplainPermissions explains for every action whether someone may take it. Only administrators can ask about others.
func (a *App) ExplainPermissions(ctx context.Context, who, about Who, c access.Case) (PermissionsView, error) {
	if err := a.MayExplain(who, about.Key()); err != nil {
		return PermissionsView{}, err
	}
	about, err := a.WithStandIns(ctx, about)
	if err != nil {
		return PermissionsView{}, err
	}
	out := PermissionsView{
		User: about.Name, Kind: about.Kind, Roles: []RoleOrigin{}, For: []string{},
		Actions: a.guard.Rules().May(a.guard.Subject(about), c),
	}
	for i := range out.Actions {
		out.Actions[i].WithRole = a.shownRoles(who, out.Actions[i].WithRole)
	}
	for _, sub := range about.For {
		out.For = append(out.For, sub.Name)
	}
	docs := a.registry.InForce(definition.KindRole)
	for _, name := range about.Roles {
		one := RoleOrigin{Name: name, BuiltIn: slices.ContainsFunc(access.BuiltIn,
			func(r definition.Role) bool { return r.Name == name })}
		one.Withdrawn = slices.Contains(a.guard.Rules().Withdrawn(), name)
		for _, doc := range docs {
			if doc.Name == name && name != gate.RoleAdmin {
				one.BuiltIn, one.Version, one.By = false, doc.Version, doc.By
			}
		}
		out.Roles = append(out.Roles, one)
	}
	return out, nil
}

// shownRoles are roles as a caller sees them: only administrators are told which roles exist.
func (a *App) shownRoles(who Who, roles []string) []string {
	if a.Access.MayGiveAccess(who) != nil {
		return []string{}
	}
	return roles
}

// MayExplain refuses callers that may not ask about the access of a person, given by their key.
func (a *App) MayExplain(who Who, about string) error {
	return a.guard.Decide(who, access.Explain, access.Object{Person: about}).Refusal()
}

// HolderOf is a person with the roles of their account.
func (a *App) HolderOf(ctx context.Context, name string) (Who, error) {
	account, err := a.people.Account(ctx, name)
	if fault.Is(err, fault.NotFound) {
		return Who{}, fault.New(fault.NotFound, fmt.Sprintf("%q has no account here, so their roles are unknown", name),
			"set the roles to check")
	}
	return Who{Name: account.Name, Kind: run.Person, Roles: account.Roles, SignedIn: true}, err
}
