package guard

import (
	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// Who is the caller of a use case.
type Who struct {
	Name    string
	Kind    run.ActorKind // person, service or agent
	Issuer  string        // the identity provider that vouches for them; empty: this server
	Subject string        // their id at the issuer
	Roles   []string
	// SignedIn reports whether the caller is authenticated. Without sign-in, a caller that names no roles is trying
	// things out and is not restricted by roles; with sign-in, no roles means no rights.
	SignedIn bool
	// ByToken reports whether they sent a bearer token rather than signed in.
	ByToken bool
	Via     gate.Via            // the program that relays what they do; empty: none
	For     []access.Substitute // the people they stand in for now
}

// LocalAdmin is the caller where sign-in is not required.
var LocalAdmin = Who{Name: "admin", Kind: run.Person, Roles: []string{gate.RoleAdmin}}

// Actor is w as recorded in events.
func (w Who) Actor() run.Actor {
	return run.Actor{Kind: w.Kind, Name: w.Name, Issuer: w.Issuer, Subject: w.Subject}
}

// Key identifies w in comparisons and in storage.
func (w Who) Key() string { return w.Actor().Key() }

// Sender distinguishes w from others of the same kind, for the idempotency keys of a sender.
func (w Who) Sender() string {
	if w.Kind == run.Person || w.Issuer == "" {
		return w.Name
	}
	return w.Key()
}
