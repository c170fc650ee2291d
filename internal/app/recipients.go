package app

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/view"
)

// How many recipients are listed.
const (
	RecipientsMost    = 100
	RecipientsDefault = 20
)

const rolePrefix = "role:"

// RecipientView is a person or a role that an approval can be delegated to.
type RecipientView struct {
	To    string   `json:"to" holds:"id"`    // The value for to in a decision: a name, or role:NAME.
	Kind  string   `json:"kind" holds:"id"`  // person or role.
	Name  string   `json:"name" holds:"id"`  // The name of the person or role.
	Label string   `json:"label" holds:"id"` // The name at the identity provider; otherwise the name.
	Roles []string `json:"roles" holds:"id"` // The person's roles that are visible to you.
}

// Kinds of recipients.
const (
	RecipientPerson = "person"
	RecipientRole   = "role"
)

// Recipients lists to whom the caller could delegate or escalate an approval. Only callers
// who may do that see names. Of others' roles they see those that this approval asks;
// administrators see all.
func (a *App) Recipients(ctx context.Context, who Who, id, text string, limit int) (view.List[RecipientView], error) {
	none := view.List[RecipientView]{}
	row, err := a.approval(ctx, who, access.See, id)
	if err != nil {
		return none, err
	}
	ap, err := view.ReadApproval(row)
	if err != nil {
		return none, err
	}
	acts := a.acts(who, row.Workflow, ap)
	if !slices.Contains(acts, gate.Delegate) && !slices.Contains(acts, gate.Escalate) {
		return none, fault.New(fault.Forbidden, "you can't delegate or escalate this approval", "")
	}
	known, err := a.people.Everyone(ctx)
	if err != nil {
		return none, err
	}
	asked := rolesAsked(ap)
	all := slices.Contains(who.Roles, gate.RoleAdmin)
	out := []RecipientView{}
	for _, name := range slices.Sorted(maps.Keys(known.People)) {
		if p := known.People[name]; !p.Disabled && !unable(ap, name) && name != who.Name {
			private := func(role string) bool { return !all && !slices.Contains(asked, role) }
			roles := view.NotNil(slices.DeleteFunc(slices.Clone(p.Roles), private))
			out = append(out, RecipientView{To: name, Kind: RecipientPerson, Name: name, Label: p.Label, Roles: roles})
		}
	}
	deciding := a.rules().DecidingRoles(access.Object{Workflow: row.Workflow, Approval: ap})
	for _, role := range slices.Compact(slices.Sorted(slices.Values(append(deciding, asked...)))) {
		out = append(out, RecipientView{To: rolePrefix + role, Kind: RecipientRole, Name: role,
			Label: role, Roles: []string{}})
	}
	words := strings.Fields(strings.ToLower(text))
	out = slices.DeleteFunc(out, func(r RecipientView) bool {
		return !view.Contains(append(r.Roles, r.Name, r.Label), words)
	})
	if limit <= 0 {
		limit = RecipientsDefault
	}
	total := len(out)
	return view.List[RecipientView]{Items: out[:min(limit, RecipientsMost, total)], Total: int64(total)}, nil
}

// unable reports whether a person could not decide an approval that is delegated to them.
func unable(ap *gate.Approval, name string) bool {
	handed := func(d gate.Delegation) bool { return d.From == name }
	return ap.Terms.ExcludeRequester && name == ap.Terms.Requester || slices.ContainsFunc(ap.Delegations, handed)
}

// rolesAsked are the roles that an approval names, those it escalates to among them.
func rolesAsked(ap *gate.Approval) []string {
	out := slices.Collect(maps.Keys(ap.Terms.Roles))
	if ap.Terms.Role != "" {
		out = append(out, ap.Terms.Role)
	}
	for _, rung := range ap.Terms.Escalate {
		if role, ok := strings.CutPrefix(rung.To, rolePrefix); ok {
			out = append(out, role)
		}
	}
	return out
}

// recipient resolves a name for a caller who delegates an approval. A word that is almost the name of a person who
// signs in is a misspelling. One that is unlike all of them may be a person of an identity provider who has not signed
// in yet.
func (a *App) recipient(ctx context.Context, ap *gate.Approval, to string) (string, error) {
	bad := func(format string, args ...any) error {
		return fault.Of("the decision is not valid", []fault.Problem{{Path: "to", Message: fmt.Sprintf(format, args...)}})
	}
	if gate.Automatic(to) {
		return "", bad("%s is not a person: only people decide", clip(to))
	}
	known, err := a.people.Everyone(ctx)
	if err != nil {
		return "", err
	}
	if role, ok := strings.CutPrefix(to, rolePrefix); ok {
		roles := append(rolesAsked(ap), a.rules().Roles()...)
		for _, p := range known.People {
			roles = append(roles, p.Roles...)
		}
		near := definition.DidYouMean(role, roles)
		if !slices.Contains(roles, role) && near != "" && !known.Provider {
			return "", bad("unknown role %s%s", clip(role), near)
		}
		return to, nil
	}
	name, err := a.people.Name(ctx, to)
	if err != nil {
		return "", err
	}
	if p := known.People[name]; p != nil {
		if p.Disabled {
			return "", bad("the account of %s is disabled", clip(name))
		}
		return name, nil
	}
	if kind, err := a.people.OnlyAProgram(ctx, name); err != nil || kind != "" {
		program := bad("%s is the token of %s %s: only people decide", clip(name), directory.Article(kind), kind)
		return "", cmp.Or(err, program)
	}
	if near := definition.DidYouMean(name, known.SignIn); near != "" {
		return "", bad("unknown person %s%s", clip(to), near)
	}
	return name, nil
}
