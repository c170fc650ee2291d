package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

// Workflows lists the workflows in force, by name.
func (a *App) Workflows(_ context.Context, who Who) (view.List[registry.Document], error) {
	return a.inForce(who, definition.KindWorkflow)
}

// Agents lists the agents in force, by name.
func (a *App) Agents(_ context.Context, who Who) (view.List[registry.Document], error) {
	return a.inForce(who, definition.KindAgent)
}

// Roles lists the documents of roles in force, by name.
func (a *App) Roles(_ context.Context, who Who) (view.List[registry.Document], error) {
	return a.inForce(who, definition.KindRole)
}

func (a *App) inForce(who Who, kind definition.Kind) (view.List[registry.Document], error) {
	if err := a.may(who, access.Look); err != nil {
		return view.List[registry.Document]{}, err
	}
	return view.Whole(a.shown(who, kind, a.registry.InForce(kind))), nil
}

// shown filters documents to those that the caller may see.
func (a *App) shown(who Who, kind definition.Kind, docs []registry.Document) []registry.Document {
	return slices.DeleteFunc(docs, func(v registry.Document) bool { return !a.shows(who, kind, v.Name) })
}

// WorkflowList lists the workflows in force and, after each, the newest version that was
// saved after it and has not been published; if a status is given, only those with it.
func (a *App) WorkflowList(
	ctx context.Context, who Who, status registry.DocumentStatus,
) (view.List[registry.Document], error) {
	all, err := a.inForce(who, definition.KindWorkflow)
	if err != nil || status == registry.Published {
		return all, err
	}
	docs, err := a.registry.WithDrafts(ctx, definition.KindWorkflow)
	if err != nil {
		return view.List[registry.Document]{}, err
	}
	if status == registry.Draft {
		docs = slices.DeleteFunc(docs, func(v registry.Document) bool { return v.Published })
	}
	return view.Whole(a.shown(who, definition.KindWorkflow, docs)), nil
}

// Document shows a version; number 0 is the one in force, -1 the newest.
func (a *App) Document(
	ctx context.Context, who Who, kind definition.Kind, name string, number int,
) (registry.Document, error) {
	if err := a.mayRead(ctx, who, kind, name); err != nil {
		return registry.Document{}, err
	}
	v, err := a.registry.Document(ctx, kind, name, number)
	return v, a.orUnknown(err, who, kind, name)
}

// mayRead refuses callers that may not see a document.
func (a *App) mayRead(ctx context.Context, who Who, kind definition.Kind, name string) error {
	if err := a.may(who, access.Look); err != nil || kind != definition.KindWorkflow {
		return err
	}
	return a.allowWorkflow(ctx, who, access.See, name)
}

// shows reports whether a caller who may read documents sees this one.
func (a *App) shows(who Who, kind definition.Kind, name string) bool {
	return kind != definition.KindWorkflow ||
		a.rules().Decide(a.subject(who), access.See, access.Object{Workflow: name}).Allowed
}

// orUnknown adds the documents that the caller may see to an error about one that was
// not found.
func (a *App) orUnknown(err error, who Who, kind definition.Kind, name string) error {
	set := a.registry.Current().Documents()
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	if _, known := set.Get(kind, name); known && a.shows(who, kind, name) {
		return err
	}
	var names []string
	for _, doc := range set.Documents() {
		if k, n := doc.Ident(); k == kind && a.shows(who, k, n) {
			names = append(names, n)
		}
	}
	return registry.Unknown(kind, name, names)
}

// Versions lists all versions of a document, newest first.
func (a *App) Versions(
	ctx context.Context, who Who, kind definition.Kind, name string,
) (view.List[registry.Revision], error) {
	if err := a.mayRead(ctx, who, kind, name); err != nil {
		return view.List[registry.Revision]{}, err
	}
	versions, err := a.registry.Versions(ctx, kind, name)
	if err != nil {
		return view.List[registry.Revision]{}, a.orUnknown(err, who, kind, name)
	}
	return view.Whole(versions), nil
}

// Saving holds the options for saving a document.
type Saving struct {
	Publish bool // put it in force for runs that start from now on
	// AcceptRisk is the reason to publish a policy that would have approved something that people rejected.
	AcceptRisk string
	Note       string // why, for the audit log
	Force      bool   // even if published workflows and agents would become invalid
	// Over is the version that must be in force, 0 if there must be none; nil: any.
	Over *int
}

// Save stores a document as the next version. An unchanged document keeps its version.
func (a *App) Save(
	ctx context.Context, who Who, kind definition.Kind, name string, format definition.Format, body []byte, how Saving,
) (v registry.Document, created bool, err error) {
	defer a.refusing(ctx, who, "definition.saved", string(kind)+"/"+name, &err)
	if err := a.may(who, access.Write); err != nil {
		return v, false, err
	}
	doc, problems, err := a.registry.Read(kind, name, format, body)
	if err != nil {
		return v, false, err
	}
	if err := cmp.Or(a.mayStart(ctx, who, doc), a.mayRelay(who, kind, name, doc)); err != nil {
		return v, false, err
	}
	if err := a.registry.Expect(ctx, doc, how.Over); err != nil { // before the long backtest
		return v, false, err
	}
	var broken []registry.Breakage
	if how.Publish {
		if broken, err = a.weigh(ctx, who, doc, how); err != nil {
			return v, false, err
		}
	}
	saved, created, err := a.registry.Save(ctx, doc, who.Key(), how.Publish,
		registry.Publishing{Broken: broken, Over: how.Over})
	v = registry.DocumentOf(saved, doc)
	v.Warnings = problems
	return v, created, err
}

// Publish puts a version in force.
func (a *App) Publish(
	ctx context.Context, who Who, kind definition.Kind, name string, number int, how Saving,
) (out registry.Document, err error) {
	defer a.refusing(ctx, who, "definition.published", string(kind)+"/"+name, &err)
	if err := a.may(who, access.Write); err != nil {
		return registry.Document{}, err
	}
	v, doc, warnings, err := a.registry.ReadVersion(ctx, kind, name, number)
	if err != nil {
		return registry.Document{}, a.orUnknown(err, who, kind, name)
	}
	if err := a.mayRelay(who, kind, name, doc); err != nil {
		return registry.Document{}, err
	}
	broken, err := a.weigh(ctx, who, doc, how)
	if err != nil {
		return registry.Document{}, err
	}
	saved, err := a.registry.Publish(ctx, v, who.Key(),
		registry.Publishing{Note: how.Note, Broken: broken, Over: how.Over})
	out = registry.DocumentOf(saved, doc)
	out.Warnings = warnings
	return out, err
}

// weigh refuses to publish a document that breaks others or is a risk, unless the caller
// accepts that. It returns the documents that it breaks.
func (a *App) weigh(
	ctx context.Context, who Who, doc definition.Document, how Saving,
) ([]registry.Breakage, error) {
	broken, err := a.registry.Weigh(doc, how.Force)
	if err != nil {
		return nil, err
	}
	return broken, a.weighRisk(ctx, who, doc, how.AcceptRisk)
}

// Diff compares two versions of a document; 0 is the one in force, -1 the newest.
func (a *App) Diff(
	ctx context.Context, who Who, kind definition.Kind, name string, from, to int,
) (registry.Diff, error) {
	x, err := a.Document(ctx, who, kind, name, from)
	if err != nil {
		return registry.Diff{}, err
	}
	y, err := a.Document(ctx, who, kind, name, to)
	if err != nil {
		return registry.Diff{}, err
	}
	return registry.DiffOf(x, y), nil
}

// DiffWorkflow compares two versions of a workflow; 0 is the one in force, -1 the newest.
func (a *App) DiffWorkflow(
	ctx context.Context, who Who, name string, from, to int,
) (registry.WorkflowDiff, error) {
	x, err := a.Document(ctx, who, definition.KindWorkflow, name, from)
	if fault.Is(err, fault.NotFound) && from == 0 {
		if _, err := a.Document(ctx, who, definition.KindWorkflow, name, -1); err == nil {
			return registry.WorkflowDiff{}, fault.New(fault.NotFound,
				fmt.Sprintf("no version of %q is published, so there is nothing to compare with", name),
				"compare two versions: from=1&to=2")
		}
	}
	if err != nil {
		return registry.WorkflowDiff{}, err
	}
	y, err := a.Document(ctx, who, definition.KindWorkflow, name, to)
	if err != nil {
		return registry.WorkflowDiff{}, err
	}
	return registry.DiffWorkflow(x, y), nil
}

// Validate checks a document against those in force, without saving it.
func (a *App) Validate(
	_ context.Context, who Who, kind definition.Kind, format definition.Format, body []byte,
) (registry.Validation, error) {
	if err := a.may(who, access.Look); err != nil {
		return registry.Validation{}, err
	}
	return a.registry.Validate(kind, format, body), nil
}

// Policy shows the policy in force; without one, an empty one.
func (a *App) Policy(ctx context.Context, who Who) (registry.Policy, error) {
	if err := a.may(who, access.Look); err != nil {
		return registry.Policy{}, err
	}
	return a.registry.Policy(ctx)
}

// EmergencyStop turns all automatic approvals off, or back on. When it returns, no process
// approves anything automatically, also after a restart.
func (a *App) EmergencyStop(ctx context.Context, who Who, on bool, reason string) (out registry.Stop, err error) {
	defer a.refusing(ctx, who, "policy.emergency_stop", string(definition.KindPolicy), &err)
	if err := a.may(who, access.Stop); err != nil {
		return registry.Stop{}, err
	}
	return a.registry.SetStop(ctx, on, reason, who.Key())
}

// Load publishes the documents of files and folders that changed since they were last
// loaded. The operator of the server calls it, so no permission is needed.
func (a *App) Load(ctx context.Context, by string, paths ...string) (registry.Loaded, error) {
	return a.registry.Load(ctx, by, false, paths...)
}

// LoadForced is Load for documents that make others in force invalid.
func (a *App) LoadForced(ctx context.Context, by string, paths ...string) (registry.Loaded, error) {
	return a.registry.Load(ctx, by, true, paths...)
}

// LoadSet is Load for documents that are not in files.
func (a *App) LoadSet(ctx context.Context, by string, set *definition.Set) (registry.Loaded, error) {
	return a.registry.LoadSet(ctx, by, set)
}

// Watch loads files whenever one of them changes, until ctx ends.
func (a *App) Watch(ctx context.Context, by string, told func(registry.Loaded, error), paths ...string) {
	a.registry.Watch(ctx, by, told, paths...)
}

// Gone lists the documents in force whose files were deleted since they were loaded.
func (a *App) Gone(ctx context.Context, paths ...string) ([]definition.Problem, error) {
	return a.registry.Gone(ctx, paths...)
}
