package guard

import (
	"context"
	"errors"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/definition"
)

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
func (a *Access) allow(ctx context.Context, w Who, action access.Action, t thing) error {
	s, rules := a.Subject(w), a.Rules()
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

// Workflow refuses an action on a workflow.
func (a *Access) Workflow(ctx context.Context, w Who, action access.Action, name string) error {
	err := a.allow(ctx, w, action, thing{kind: string(definition.KindWorkflow), id: name,
		Object: access.Object{Workflow: name}})
	var hidden *unseen
	if errors.As(err, &hidden) {
		hidden.told = a.OrUnknown(hidden.told, w, definition.KindWorkflow, name)
	}
	return err
}
