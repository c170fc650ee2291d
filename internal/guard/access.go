package guard

import (
	"context"
	"errors"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/refusal"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/sight"
)

// Access is what callers may do under the roles in force. Any number of goroutines may use it.
type Access struct {
	registry *registry.Registry
	refusals *refusal.Log
}

// Rules are the roles in force.
func (a *Access) Rules() *access.Rules { return a.registry.Current().Rules() }

// Subject is w as access rules see them.
func (a *Access) Subject(w Who) access.Subject {
	return access.Subject{Name: w.Name, Kind: w.Kind, Issuer: w.Issuer, Subject: w.Subject, Roles: w.Roles,
		SignedIn: w.SignedIn, For: w.For}
}

// Viewer is w under the rules in force, for packages that show what w may see.
func (a *Access) Viewer(w Who) sight.Viewer {
	return sight.Viewer{Subject: a.Subject(w), Rules: a.Rules()}
}

// Decide is what the rules say about an action on something.
func (a *Access) Decide(w Who, action access.Action, o access.Object) access.Verdict {
	return a.Rules().Decide(a.Subject(w), action, o)
}

// May checks an action that concerns no particular run, workflow or person.
func (a *Access) May(w Who, action access.Action) error {
	return a.Decide(w, action, access.Object{}).Refusal()
}

// Deciding refuses a principal that can't decide anything, whatever its roles.
func (a *Access) Deciding(w Who) error {
	return a.Rules().Deciding(a.Subject(w)).Refusal()
}

// Permissions lists the caller's permissions anywhere, for pages that show only the links they can follow.
func (a *Access) Permissions(w Who) []string { return a.Rules().Permissions(a.Subject(w)) }

// Ever reports whether the caller could do one of some actions anywhere, for lists of available actions.
func (a *Access) Ever(w Who, actions ...access.Action) bool {
	return a.Rules().Ever(a.Subject(w), actions...)
}

// MayStart reports whether the caller could start runs of a workflow.
func (a *Access) MayStart(w Who, workflow string) bool {
	return a.Decide(w, access.Start, access.Object{Workflow: workflow}).Allowed
}

// Scope limits lists to the rows that the caller may see; nil: everything.
func (a *Access) Scope(w Who) *port.Scope { return a.Viewer(w).Scope() }

// MayGiveAccess refuses callers that may not manage accounts and tokens. Services and agents never may, whatever their
// roles: they could create a token that can decide.
func (a *Access) MayGiveAccess(w Who) error { return a.May(w, access.Access) }

// MayCreateToken refuses callers that may not create a token of a kind. One that acts as a person requires a person
// who signed in: a leaked token must not be able to create another name to decide under.
func (a *Access) MayCreateToken(w Who, kind run.ActorKind) error {
	if err := a.MayGiveAccess(w); err != nil {
		return err
	}
	if kind == run.Person && w.ByToken {
		return fault.New(fault.Forbidden, "a token cannot create a token of kind person",
			"sign in and create it, or run assent auth token add on the server's machine")
	}
	return nil
}

// Shows reports whether a caller who may read documents sees this one.
func (a *Access) Shows(who Who, kind definition.Kind, name string) bool {
	return kind != definition.KindWorkflow ||
		a.Decide(who, access.See, access.Object{Workflow: name}).Allowed
}

// OrUnknown adds the documents that the caller may see to an error about one that was
// not found.
func (a *Access) OrUnknown(err error, who Who, kind definition.Kind, name string) error {
	set := a.registry.Current().Documents()
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	if _, known := set.Get(kind, name); known && a.Shows(who, kind, name) {
		return err
	}
	var names []string
	for _, doc := range set.Documents() {
		if k, n := doc.Ident(); k == kind && a.Shows(who, k, n) {
			names = append(names, n)
		}
	}
	return registry.Unknown(kind, name, names)
}

// Refused records that the caller was refused. Errors of other kinds are ignored.
func (a *Access) Refused(ctx context.Context, who Who, action, target string, err error) {
	var hidden *unseen
	if errors.As(err, &hidden) {
		err = hidden.meant
	}
	a.refusals.Add(ctx, who.Actor(), action, target, err)
}

// RefusedCommand records a command to a run that could not be parsed.
func (a *Access) RefusedCommand(ctx context.Context, who Who, id string, err error) {
	a.Refused(ctx, who, refusal.Command, id, err)
}

// Refusing is Refused for a use case that is about to return.
func (a *Access) Refusing(ctx context.Context, who Who, action, target string, err *error) {
	if *err != nil {
		a.Refused(ctx, who, action, target, *err)
	}
}
