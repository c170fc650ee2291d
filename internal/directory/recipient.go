package directory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// How many recipients are listed.
const (
	RecipientsMost    = 100
	RecipientsDefault = 20
)

const rolePrefix = "role:"

// Recipient is a person or a role that an approval can be delegated to.
type Recipient struct {
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

// RecipientQuery selects recipients.
type RecipientQuery struct {
	Except   string   // the person who delegates
	AllRoles bool     // show all roles of people, not only those that the approval asks
	Deciding []string // roles that may decide the approval
	Text     string   // only recipients with every word of it
	Limit    int
}

// Recipients lists to whom an approval could be delegated or escalated, and how many there are.
func (p *People) Recipients(ctx context.Context, ap *gate.Approval, q RecipientQuery) ([]Recipient, int, error) {
	known, err := p.Everyone(ctx)
	if err != nil {
		return nil, 0, err
	}
	asked := rolesAsked(ap)
	out := []Recipient{}
	for _, name := range slices.Sorted(maps.Keys(known.People)) {
		if one := known.People[name]; !one.Disabled && !unable(ap, name) && name != q.Except {
			private := func(role string) bool { return !q.AllRoles && !slices.Contains(asked, role) }
			roles := append([]string{}, slices.DeleteFunc(slices.Clone(one.Roles), private)...)
			out = append(out, Recipient{To: name, Kind: RecipientPerson, Name: name, Label: one.Label, Roles: roles})
		}
	}
	for _, role := range slices.Compact(slices.Sorted(slices.Values(append(q.Deciding, asked...)))) {
		out = append(out, Recipient{To: rolePrefix + role, Kind: RecipientRole, Name: role,
			Label: role, Roles: []string{}})
	}
	words := strings.Fields(strings.ToLower(q.Text))
	out = slices.DeleteFunc(out, func(r Recipient) bool {
		return !port.Matches(port.Words(append(r.Roles, r.Name, r.Label)...), words)
	})
	if q.Limit <= 0 {
		q.Limit = RecipientsDefault
	}
	return out[:min(q.Limit, RecipientsMost, len(out))], len(out), nil
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

// Recipient resolves a name to which an approval is to be delegated. A word that is almost the name of a person who
// signs in is a misspelling. One that is unlike all of them may be a person of an identity provider who has not signed
// in yet. Roles are those in force.
func (p *People) Recipient(ctx context.Context, ap *gate.Approval, to string, roles []string) (string, error) {
	bad := func(format string, args ...any) error {
		return fault.Of("the decision is not valid", []fault.Problem{{Path: "to", Message: fmt.Sprintf(format, args...)}})
	}
	clip := func(s string) string { return phrase.ClipValid(s, 80) }
	if gate.Automatic(to) {
		return "", bad("%s is not a person: only people decide", clip(to))
	}
	known, err := p.Everyone(ctx)
	if err != nil {
		return "", err
	}
	if role, ok := strings.CutPrefix(to, rolePrefix); ok {
		roles := append(rolesAsked(ap), roles...)
		for _, one := range known.People {
			roles = append(roles, one.Roles...)
		}
		near := definition.DidYouMean(role, roles)
		if !slices.Contains(roles, role) && near != "" && !known.Provider {
			return "", bad("unknown role %s%s", clip(role), near)
		}
		return to, nil
	}
	if !GoodName(to) { // a character that is not visible makes a name look like another
		return "", bad("%s", wrongName)
	}
	name, err := p.Name(ctx, to)
	if err != nil {
		return "", err
	}
	if one := known.People[name]; one != nil {
		if one.Disabled {
			return "", bad("the account of %s is disabled", clip(name))
		}
		return name, nil
	}
	if kind, err := p.OnlyAProgram(ctx, name); err != nil || kind != "" {
		program := bad("%s is the token of %s %s: only people decide", clip(name), Article(kind), kind)
		return "", cmp.Or(err, program)
	}
	if near := definition.DidYouMean(name, known.SignIn); near != "" {
		return "", bad("unknown person %s%s", clip(to), near)
	}
	return name, nil
}
