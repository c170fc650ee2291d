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
	"github.com/assent-run/assent/internal/core/run"
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

// RecipientView is a person or a role that an approval can be handed to.
type RecipientView struct {
	To    string   `json:"to" holds:"id"`    // what a decision takes as to
	Kind  string   `json:"kind" holds:"id"`  // person or role
	Name  string   `json:"name" holds:"id"`  // without role:
	Label string   `json:"label" holds:"id"` // what an identity provider calls them; else the name
	Roles []string `json:"roles" holds:"id"` // of a person, as far as the reader may know
}

// Kinds of recipients.
const (
	RecipientPerson = "person"
	RecipientRole   = "role"
)

// Recipients lists to whom somebody could hand an approval, or escalate it. Names
// are for those who may do that. Of others' roles they learn those that this
// approval asks; administrators learn all.
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
		return none, fault.New(fault.Forbidden, "you can neither hand this over nor escalate it", "")
	}
	known, err := a.everybody(ctx)
	if err != nil {
		return none, err
	}
	asked := rolesAsked(ap)
	all := slices.Contains(who.Roles, gate.RoleAdmin)
	out := []RecipientView{}
	for _, name := range slices.Sorted(maps.Keys(known.people)) {
		if p := known.people[name]; !p.disabled && !unable(ap, name) && name != who.Name {
			roles := slices.DeleteFunc(slices.Clone(p.roles), func(role string) bool { return !all && !slices.Contains(asked, role) })
			out = append(out, RecipientView{To: name, Kind: RecipientPerson, Name: name, Label: p.label, Roles: view.NotNil(roles)})
		}
	}
	deciding := a.rules().DecidingRoles(access.Object{Workflow: row.Workflow, Approval: ap})
	for _, role := range slices.Compact(slices.Sorted(slices.Values(append(deciding, asked...)))) {
		out = append(out, RecipientView{To: rolePrefix + role, Kind: RecipientRole, Name: role, Label: role, Roles: []string{}})
	}
	words := strings.Fields(strings.ToLower(text))
	out = slices.DeleteFunc(out, func(r RecipientView) bool { return !contains(append(r.Roles, r.Name, r.Label), words) })
	if limit <= 0 {
		limit = RecipientsDefault
	}
	total := len(out)
	return view.List[RecipientView]{Items: out[:min(limit, RecipientsMost, total)], Total: int64(total)}, nil
}

// unable reports whether somebody could not decide an approval that is handed to
// them.
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

// acquaintance is what is known of a person.
type acquaintance struct {
	label    string
	roles    []string
	disabled bool
}

// people are all who are known: by an account, a token of their own, or because
// they once signed in with an identity provider.
type people struct {
	people   map[string]*acquaintance
	signIn   []string // those who sign in, with an account or a provider
	provider bool     // there may be others, who have not signed in yet
}

func (a *App) everybody(ctx context.Context) (people, error) {
	out := people{people: map[string]*acquaintance{}}
	accounts, err := a.Store.Accounts(ctx)
	if err != nil {
		return out, err
	}
	for _, x := range accounts {
		out.people[x.Name] = &acquaintance{x.Name, slices.Sorted(slices.Values(x.Roles)), x.Disabled}
		out.signIn = append(out.signIn, x.Name)
	}
	subjects, err := a.Store.Subjects(ctx)
	if err != nil {
		return out, err
	}
	for _, x := range subjects {
		if x.Issuer == "" {
			continue // an account, or one that is gone
		}
		out.provider, out.signIn = true, append(out.signIn, x.Name)
		if out.people[x.Name] == nil {
			out.people[x.Name] = &acquaintance{label: x.Label}
		}
	}
	tokens, err := a.Store.Tokens(ctx)
	for _, x := range tokens {
		if x.Kind != run.Person || !x.ExpiresAt.IsZero() && x.ExpiresAt.Before(a.now()) {
			continue
		}
		if out.people[x.Name] == nil {
			out.people[x.Name] = &acquaintance{label: x.Name}
		}
		p := out.people[x.Name]
		p.roles = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(p.roles), x.Roles...))))
	}
	return out, err
}

// recipient is whom a word means, for somebody who hands an approval over. A word
// that is nearly the name of somebody who signs in was misspelt. One that is unlike
// all of them may be somebody of an identity provider who has not signed in yet.
func (a *App) recipient(ctx context.Context, ap *gate.Approval, to string) (string, error) {
	bad := func(format string, args ...any) error {
		return fault.Of("the decision is not valid", []fault.Problem{{Path: "to", Message: fmt.Sprintf(format, args...)}})
	}
	if gate.Automatic(to) {
		return "", bad("%s is not a person: only people decide", clip(to))
	}
	known, err := a.everybody(ctx)
	if err != nil {
		return "", err
	}
	if role, ok := strings.CutPrefix(to, rolePrefix); ok {
		roles := append(rolesAsked(ap), a.rules().Roles()...)
		for _, p := range known.people {
			roles = append(roles, p.roles...)
		}
		near := definition.DidYouMean(role, roles)
		if !slices.Contains(roles, role) && near != "" && !known.provider {
			return "", bad("the role %s is not known%s", clip(role), near)
		}
		return to, nil
	}
	name, err := directory.Name(ctx, a.Store, to)
	if err != nil {
		return "", err
	}
	if p := known.people[name]; p != nil {
		if p.disabled {
			return "", bad("the account of %s is disabled", clip(name))
		}
		return name, nil
	}
	if kind, err := a.onlyAProgram(ctx, name); err != nil || kind != "" {
		return "", cmp.Or(err, bad("%s is the token of %s %s: only people decide", clip(name), article(kind), kind))
	}
	if near := definition.DidYouMean(name, known.signIn); near != "" {
		return "", bad("%s is not known here%s", clip(to), near)
	}
	return name, nil
}
