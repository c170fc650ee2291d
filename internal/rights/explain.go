package rights

import (
	"context"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/guard"
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
func (r *Rights) ExplainAccess(ctx context.Context, who, about guard.Who, id string) (AccessView, error) {
	row, err := r.guard.Approval(ctx, who, access.See, id)
	if err != nil {
		return AccessView{}, err
	}
	if err := r.MayExplain(who, about.Key()); err != nil {
		return AccessView{}, err
	}
	o, err := r.sight.About(ctx, row)
	if err != nil {
		return AccessView{}, err
	}
	if about, err = r.WithStandIns(ctx, about); err != nil {
		return AccessView{}, err
	}
	acts := r.guard.Rules().Explain(r.guard.Subject(about), o)
	for i := range acts {
		acts[i].WithRole = r.shownRoles(who, acts[i].WithRole)
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
func (r *Rights) ExplainPermissions(ctx context.Context, who, about guard.Who,
	c access.Case) (PermissionsView, error) {
	if err := r.MayExplain(who, about.Key()); err != nil {
		return PermissionsView{}, err
	}
	about, err := r.WithStandIns(ctx, about)
	if err != nil {
		return PermissionsView{}, err
	}
	out := PermissionsView{
		User: about.Name, Kind: about.Kind, Roles: []RoleOrigin{}, For: []string{},
		Actions: r.guard.Rules().May(r.guard.Subject(about), c),
	}
	for i := range out.Actions {
		out.Actions[i].WithRole = r.shownRoles(who, out.Actions[i].WithRole)
	}
	for _, sub := range about.For {
		out.For = append(out.For, sub.Name)
	}
	docs := r.registry.InForce(definition.KindRole)
	for _, name := range about.Roles {
		one := RoleOrigin{Name: name, BuiltIn: slices.ContainsFunc(access.BuiltIn,
			func(role definition.Role) bool { return role.Name == name })}
		one.Withdrawn = slices.Contains(r.guard.Rules().Withdrawn(), name)
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
func (r *Rights) shownRoles(who guard.Who, roles []string) []string {
	if r.guard.MayGiveAccess(who) != nil {
		return []string{}
	}
	return roles
}

// MayExplain refuses callers that may not ask about the access of a person, given by their key.
func (r *Rights) MayExplain(who guard.Who, about string) error {
	return r.guard.Decide(who, access.Explain, access.Object{Person: about}).Refusal()
}

// HolderOf is a person with the roles of their account.
func (r *Rights) HolderOf(ctx context.Context, name string) (guard.Who, error) {
	account, err := r.people.Account(ctx, name)
	if fault.Is(err, fault.NotFound) {
		return guard.Who{}, fault.New(fault.NotFound,
			fmt.Sprintf("%q has no account here, so their roles are unknown", name),
			"set the roles to check")
	}
	return guard.Who{Name: account.Name, Kind: run.Person, Roles: account.Roles, SignedIn: true}, err
}
