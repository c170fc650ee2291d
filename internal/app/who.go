package app

import (
	"context"
	"errors"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/sight"
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

// rules are the roles in force.
func (a *App) rules() *access.Rules { return a.registry.Current().Rules() }

// subject is w as access rules see them.
func (a *App) subject(w Who) access.Subject {
	return access.Subject{Name: w.Name, Kind: w.Kind, Issuer: w.Issuer, Subject: w.Subject, Roles: w.Roles,
		SignedIn: w.SignedIn, For: w.For}
}

// viewer is w under the rules in force, for packages that show what w may see.
func (a *App) viewer(w Who) sight.Viewer {
	return sight.Viewer{Subject: a.subject(w), Rules: a.rules()}
}

// may checks an action that concerns no particular run, workflow or person.
func (a *App) may(w Who, action access.Action) error {
	return a.rules().Decide(a.subject(w), action, access.Object{}).Refusal()
}

// onlyPeopleDecide refuses a principal that can't decide anything, whatever its roles.
func (a *App) onlyPeopleDecide(w Who) error {
	return a.rules().Deciding(a.subject(w)).Refusal()
}

// Permissions lists the caller's permissions anywhere, for pages that show only the links they can follow.
func (a *App) Permissions(w Who) []string { return a.rules().Permissions(a.subject(w)) }

// Ever reports whether the caller could do one of some actions anywhere, for lists of available actions.
func (a *App) Ever(w Who, actions ...access.Action) bool {
	return a.rules().Ever(a.subject(w), actions...)
}

// MayStart reports whether the caller could start runs of a workflow.
func (a *App) MayStart(w Who, workflow string) bool {
	return a.rules().Decide(a.subject(w), access.Start, access.Object{Workflow: workflow}).Allowed
}

// scope limits lists to the rows that the caller may see; nil: everything.
func (a *App) scope(w Who) *port.Scope { return a.viewer(w).Scope() }

// unseen is a refusal that does not reveal that the thing exists.
type unseen struct {
	told  error // not found
	meant error // the reason on record
}

func (u *unseen) Error() string { return u.told.Error() }
func (u *unseen) Unwrap() error { return u.told }

// thing is something with access rules.
type thing struct {
	kind, id string
	access.Object
	// more looks up what else may grant access when roles do not.
	more func(context.Context, *access.Object) error
}

// allow refuses an action on a thing. For callers who may not see it, it does not exist, whatever else they may do: if
// they could cancel a run that they cannot see, they would learn that it exists.
func (a *App) allow(ctx context.Context, w Who, action access.Action, t thing) error {
	s, rules := a.subject(w), a.rules()
	decide := func() (v, see access.Verdict) {
		v = rules.Decide(s, action, t.Object)
		if v.Allowed && action == access.Start { // submitting needs no view of the work of others
			return v, v
		}
		return v, rules.Decide(s, access.See, t.Object)
	}
	v, see := decide()
	if !(v.Allowed && see.Allowed) && t.more != nil {
		if err := t.more(ctx, &t.Object); err != nil {
			return err
		}
		v, see = decide()
	}
	switch {
	case v.Allowed && see.Allowed:
		return nil
	case see.Allowed:
		return v.Refusal()
	case v.Allowed:
		v = see
	}
	return &unseen{told: missing(t.kind, t.id), meant: v.Refusal()}
}

// where names, for each kind of thing, the list in which callers find theirs.
var where = map[string]string{
	"run":         "list the runs you can see with: assent runs",
	"approval":    "list your pending approvals with: assent inbox",
	"deliverable": "list the deliverables you can see with: assent deliverables",
}

// missing is the error for a thing that was not found, with the same wording whether it does not exist or the caller
// may not know of it.
func missing(kind, id string) error {
	e := fault.Newf(fault.NotFound, "%s %q not found", kind, clip(id))
	if list, ok := where[kind]; ok {
		e.Hint = "check the id; " + list
	}
	return e
}

// clip shortens text from a caller before it is repeated in a message.
func clip(s string) string { return phrase.ClipValid(s, 80) }

// orMissing translates the store's not-found error into ours.
func orMissing(err error, kind, id string) error {
	if fault.Is(err, fault.NotFound) {
		return missing(kind, id)
	}
	return err
}

// allowWorkflow refuses an action on a workflow.
func (a *App) allowWorkflow(ctx context.Context, w Who, action access.Action, name string) error {
	err := a.allow(ctx, w, action, thing{kind: string(definition.KindWorkflow), id: name,
		Object: access.Object{Workflow: name}})
	var hidden *unseen
	if errors.As(err, &hidden) {
		hidden.told = a.orUnknown(hidden.told, w, definition.KindWorkflow, name)
	}
	return err
}

// run returns the row of a run on which w may perform an action.
func (a *App) run(ctx context.Context, w Who, action access.Action, id string) (port.RunRow, error) {
	row, err := a.lists.Run(ctx, id)
	if err != nil {
		return port.RunRow{}, orMissing(err, "run", id)
	}
	err = a.allow(ctx, w, action, thing{
		kind: "run", id: id, Object: access.Object{Workflow: row.Workflow, Owner: row.Owner},
		more: func(ctx context.Context, o *access.Object) (err error) {
			o.Asked, err = a.sight.AskedIn(ctx, a.viewer(w), id)
			return err
		},
	})
	if err != nil {
		return port.RunRow{}, err
	}
	return row, nil
}

// approval returns the row of an approval on which w may perform an action.
func (a *App) approval(ctx context.Context, w Who, action access.Action, id string) (port.ApprovalRow, error) {
	row, err := a.lists.Approval(ctx, id)
	if err != nil {
		return port.ApprovalRow{}, orMissing(err, "approval", id)
	}
	o := access.Object{Workflow: row.Workflow}
	if a.rules().Tries(a.subject(w)) { // whether they see it depends on whom it asks
		if o, err = a.sight.About(ctx, row); err != nil {
			return port.ApprovalRow{}, err
		}
	}
	err = a.allow(ctx, w, action, thing{
		kind: "approval", id: id, Object: o,
		more: func(ctx context.Context, o *access.Object) (err error) {
			*o, err = a.sight.About(ctx, row)
			return err
		},
	})
	if err != nil {
		return port.ApprovalRow{}, err
	}
	return row, nil
}

// deliverable returns the row of a deliverable on which w may perform an action.
func (a *App) deliverable(ctx context.Context, w Who, action access.Action, id string) (port.DeliverableRow, error) {
	row, err := a.lists.Deliverable(ctx, id)
	if err != nil {
		return port.DeliverableRow{}, orMissing(err, "deliverable", id)
	}
	err = a.allow(ctx, w, action, thing{
		kind: "deliverable", id: id, Object: access.Object{Workflow: row.Workflow},
		more: func(ctx context.Context, o *access.Object) error {
			owned, err := a.lists.Run(ctx, row.Run)
			if err != nil {
				return err
			}
			o.Owner = owned.Owner
			o.Asked, err = a.sight.AskedIn(ctx, a.viewer(w), row.Run)
			return err
		},
	})
	if err != nil {
		return port.DeliverableRow{}, err
	}
	return row, nil
}
