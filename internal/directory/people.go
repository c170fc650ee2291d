package directory

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// Store is the part of a store that knows people.
type Store interface {
	Names
	port.StandIns
	Accounts(ctx context.Context) ([]port.Account, error)
	Tokens(ctx context.Context) ([]port.Token, error)
}

// People looks up people and their stand-ins. It is safe for concurrent use.
type People struct {
	store Store
	now   func() time.Time
	away  aways
}

// New creates a directory of the people in a store.
func New(store Store, now func() time.Time) *People { return &People{store: store, now: now} }

// Person is a person under the name that is used everywhere.
type Person struct {
	Name     string
	Known    bool // there is an account
	Disabled bool // the account is closed
}

// Name is the name of the person that a word stands for; see the function Name.
func (p *People) Name(ctx context.Context, word string) (string, error) {
	return Name(ctx, p.store, word)
}

// Account is the account of a name, in upper or lower case; fault.NotFound.
func (p *People) Account(ctx context.Context, name string) (port.Account, error) {
	return p.store.Account(ctx, strings.ToLower(strings.TrimSpace(name)))
}

const wrongName = "expected a person's name of 1 to 128 printable characters without commas"

// Person finds a person by name, label or account. Unknown people are returned under the given name: an identity
// provider may know them.
func (p *People) Person(ctx context.Context, name string) (Person, error) {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > nameMax || !utf8.ValidString(name) || strings.HasPrefix(name, "role:") ||
		strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == ',' }) >= 0 {
		return Person{}, fault.Of("not a person's name", []fault.Problem{{Path: "name", Message: wrongName}})
	}
	name, err := Name(ctx, p.store, name)
	if err != nil {
		return Person{}, err
	}
	account, err := p.store.Account(ctx, name)
	if fault.Is(err, fault.NotFound) {
		return Person{Name: name}, nil
	}
	return Person{account.Name, true, account.Disabled}, err
}

// programCalled is the kind of a program whose token has a name; empty if there is none.
func (p *People) programCalled(ctx context.Context, name string) (run.ActorKind, error) {
	tokens, err := p.store.Tokens(ctx)
	if err != nil {
		return "", err
	}
	for _, t := range tokens {
		if t.Name == name && t.Kind != run.Person {
			return t.Kind, nil
		}
	}
	return "", nil
}

// OnlyAProgram is the kind of the program with a name that, as far as is known, no person has: people of an identity
// provider have no account here.
func (p *People) OnlyAProgram(ctx context.Context, name string) (run.ActorKind, error) {
	found, err := p.Person(ctx, name)
	if fault.Is(err, fault.Invalid) || err == nil && found.Known {
		return "", nil // role:NAME and the like
	}
	if err != nil {
		return "", err
	}
	tokens, err := p.store.Tokens(ctx)
	own := func(t port.Token) bool { return t.Name == name && t.Kind == run.Person }
	if err != nil || slices.ContainsFunc(tokens, own) {
		return "", err
	}
	return p.programCalled(ctx, name)
}

// Article is the indefinite article of a kind of program.
func Article(kind run.ActorKind) string {
	if kind == run.Agent {
		return "an"
	}
	return "a"
}

// KnownPerson is a known person.
type KnownPerson struct {
	Label    string // at an identity provider; else the name
	Roles    []string
	Disabled bool
	// Reported are the roles that an identity provider reported last. They say who is told of what, and decide nothing.
	Reported []string

	account, provider bool // who vouches for them; otherwise only tokens do
}

func (k *KnownPerson) hasAccount() bool { return k != nil && k.account }

// reportedFor is how long reported roles count. People who have left do not sign in again, and are no longer told.
const reportedFor = 90 * 24 * time.Hour

// Everyone lists the known people: by an account, by a token of their own, or because they have signed in with an
// identity provider.
type Everyone struct {
	People   map[string]*KnownPerson
	SignIn   []string // those who sign in, with an account or a provider
	Provider bool     // there may be others, who have not signed in yet
}

// Everyone lists the known people.
func (p *People) Everyone(ctx context.Context) (Everyone, error) {
	out := Everyone{People: map[string]*KnownPerson{}}
	accounts, err := p.store.Accounts(ctx)
	if err != nil {
		return out, err
	}
	for _, x := range accounts {
		out.People[x.Name] = &KnownPerson{Label: x.Name, Roles: slices.Sorted(slices.Values(x.Roles)), Disabled: x.Disabled,
			account: true}
		out.SignIn = append(out.SignIn, x.Name)
	}
	subjects, err := p.store.Subjects(ctx)
	if err != nil {
		return out, err
	}
	for _, x := range subjects {
		if x.Issuer == "" {
			continue // an account, or a deleted one
		}
		out.Provider, out.SignIn = true, append(out.SignIn, x.Name)
		if out.People[x.Name] == nil {
			out.People[x.Name] = &KnownPerson{Label: x.Label, provider: true}
			if p.now().Sub(x.RolesAt) < reportedFor {
				out.People[x.Name].Reported = x.Roles
			}
		}
	}
	tokens, err := p.store.Tokens(ctx)
	for _, x := range tokens {
		if x.Kind != run.Person || !x.ExpiresAt.IsZero() && x.ExpiresAt.Before(p.now()) {
			continue
		}
		if out.People[strings.ToLower(x.Name)].hasAccount() {
			continue // a token has no roles that the account does not have
		}
		a, roles := out.People[x.Name], x.Roles
		switch {
		case a == nil:
			a = &KnownPerson{Label: x.Name}
			out.People[x.Name] = a
		case a.provider: // likewise
			roles = slices.DeleteFunc(slices.Clone(roles), func(r string) bool { return !slices.Contains(a.Reported, r) })
		}
		a.Roles = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(a.Roles), roles...))))
	}
	return out, err
}
