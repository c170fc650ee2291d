package documents

import (
	"context"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

// Workflows lists the workflows in force, by name.
func (d *Documents) Workflows(_ context.Context, who guard.Who) (view.List[registry.Document], error) {
	return d.inForce(who, definition.KindWorkflow)
}

// Agents lists the agents in force, by name.
func (d *Documents) Agents(_ context.Context, who guard.Who) (view.List[registry.Document], error) {
	return d.inForce(who, definition.KindAgent)
}

// Roles lists the documents of roles in force, by name.
func (d *Documents) Roles(_ context.Context, who guard.Who) (view.List[registry.Document], error) {
	return d.inForce(who, definition.KindRole)
}

func (d *Documents) inForce(who guard.Who, kind definition.Kind) (view.List[registry.Document], error) {
	if err := d.guard.May(who, access.Look); err != nil {
		return view.List[registry.Document]{}, err
	}
	return view.Whole(d.shown(who, kind, d.registry.InForce(kind))), nil
}

// shown filters documents to those that the caller may see.
func (d *Documents) shown(who guard.Who, kind definition.Kind, docs []registry.Document) []registry.Document {
	return slices.DeleteFunc(docs, func(v registry.Document) bool { return !d.guard.Shows(who, kind, v.Name) })
}

// WorkflowList lists the workflows in force and, after each, the newest version that was
// saved after it and has not been published; if a status is given, only those with it.
func (d *Documents) WorkflowList(
	ctx context.Context, who guard.Who, status registry.DocumentStatus,
) (view.List[registry.Document], error) {
	all, err := d.inForce(who, definition.KindWorkflow)
	if err != nil || status == registry.Published {
		return all, err
	}
	docs, err := d.registry.WithDrafts(ctx, definition.KindWorkflow)
	if err != nil {
		return view.List[registry.Document]{}, err
	}
	if status == registry.Draft {
		docs = slices.DeleteFunc(docs, func(v registry.Document) bool { return v.Published })
	}
	return view.Whole(d.shown(who, definition.KindWorkflow, docs)), nil
}

// Show shows a version; number 0 is the one in force, -1 the newest.
func (d *Documents) Show(
	ctx context.Context, who guard.Who, kind definition.Kind, name string, number int,
) (registry.Document, error) {
	if err := d.mayRead(ctx, who, kind, name); err != nil {
		return registry.Document{}, err
	}
	v, err := d.registry.Document(ctx, kind, name, number)
	return v, d.guard.OrUnknown(err, who, kind, name)
}

// mayRead refuses callers that may not see a document.
func (d *Documents) mayRead(ctx context.Context, who guard.Who, kind definition.Kind, name string) error {
	if err := d.guard.May(who, access.Look); err != nil || kind != definition.KindWorkflow {
		return err
	}
	return d.guard.Workflow(ctx, who, access.See, name)
}

// Versions lists all versions of a document, newest first.
func (d *Documents) Versions(
	ctx context.Context, who guard.Who, kind definition.Kind, name string,
) (view.List[registry.Revision], error) {
	if err := d.mayRead(ctx, who, kind, name); err != nil {
		return view.List[registry.Revision]{}, err
	}
	versions, err := d.registry.Versions(ctx, kind, name)
	if err != nil {
		return view.List[registry.Revision]{}, d.guard.OrUnknown(err, who, kind, name)
	}
	return view.Whole(versions), nil
}

// Diff compares two versions of a document; 0 is the one in force, -1 the newest.
func (d *Documents) Diff(
	ctx context.Context, who guard.Who, kind definition.Kind, name string, from, to int,
) (registry.Diff, error) {
	x, err := d.Show(ctx, who, kind, name, from)
	if err != nil {
		return registry.Diff{}, err
	}
	y, err := d.Show(ctx, who, kind, name, to)
	if err != nil {
		return registry.Diff{}, err
	}
	return registry.DiffOf(x, y), nil
}

// DiffWorkflow compares two versions of a workflow; 0 is the one in force, -1 the newest.
func (d *Documents) DiffWorkflow(
	ctx context.Context, who guard.Who, name string, from, to int,
) (registry.WorkflowDiff, error) {
	x, err := d.Show(ctx, who, definition.KindWorkflow, name, from)
	if fault.Is(err, fault.NotFound) && from == 0 {
		if _, err := d.Show(ctx, who, definition.KindWorkflow, name, -1); err == nil {
			return registry.WorkflowDiff{}, fault.New(fault.NotFound,
				fmt.Sprintf("no version of %q is published, so there is nothing to compare with", name),
				"compare two versions: from=1&to=2")
		}
	}
	if err != nil {
		return registry.WorkflowDiff{}, err
	}
	y, err := d.Show(ctx, who, definition.KindWorkflow, name, to)
	if err != nil {
		return registry.WorkflowDiff{}, err
	}
	return registry.DiffWorkflow(x, y), nil
}

// InForce are the documents in force. Callers do not modify them.
func (d *Documents) InForce() *definition.Set { return d.registry.Current().Documents() }

// OfKind lists the documents of a kind in force, by name.
func (d *Documents) OfKind(kind definition.Kind) []registry.Document { return d.registry.InForce(kind) }
