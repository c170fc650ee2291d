package documents

import (
	"cmp"
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/registry"
)

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
func (d *Documents) Save(
	ctx context.Context, who guard.Who, kind definition.Kind, name string, format definition.Format,
	body []byte, how Saving,
) (v registry.Document, created bool, err error) {
	defer d.guard.Refusing(ctx, who, "definition.saved", string(kind)+"/"+name, &err)
	if err := d.guard.May(who, access.Write); err != nil {
		return v, false, err
	}
	doc, problems, err := d.registry.Read(kind, name, format, body)
	if err != nil {
		return v, false, err
	}
	if err := cmp.Or(d.mayStart(ctx, who, doc), d.mayRelay(who, kind, name, doc)); err != nil {
		return v, false, err
	}
	if err := d.registry.Expect(ctx, doc, how.Over); err != nil { // before the long backtest
		return v, false, err
	}
	var broken []registry.Breakage
	if how.Publish {
		if broken, err = d.weigh(ctx, who, doc, how); err != nil {
			return v, false, err
		}
	}
	saved, created, err := d.registry.Save(ctx, doc, who.Key(), how.Publish,
		registry.Publishing{Broken: broken, Over: how.Over})
	v = registry.DocumentOf(saved, doc)
	v.Warnings = problems
	return v, created, err
}

// Publish puts a version in force.
func (d *Documents) Publish(
	ctx context.Context, who guard.Who, kind definition.Kind, name string, number int, how Saving,
) (out registry.Document, err error) {
	defer d.guard.Refusing(ctx, who, "definition.published", string(kind)+"/"+name, &err)
	if err := d.guard.May(who, access.Write); err != nil {
		return registry.Document{}, err
	}
	v, doc, warnings, err := d.registry.ReadVersion(ctx, kind, name, number)
	if err != nil {
		return registry.Document{}, d.guard.OrUnknown(err, who, kind, name)
	}
	if err := d.mayRelay(who, kind, name, doc); err != nil {
		return registry.Document{}, err
	}
	broken, err := d.weigh(ctx, who, doc, how)
	if err != nil {
		return registry.Document{}, err
	}
	saved, err := d.registry.Publish(ctx, v, who.Key(),
		registry.Publishing{Note: how.Note, Broken: broken, Over: how.Over})
	out = registry.DocumentOf(saved, doc)
	out.Warnings = warnings
	return out, err
}

// weigh refuses to publish a document that breaks others or is a risk, unless the caller
// accepts that. It returns the documents that it breaks.
func (d *Documents) weigh(
	ctx context.Context, who guard.Who, doc definition.Document, how Saving,
) ([]registry.Breakage, error) {
	broken, err := d.registry.Weigh(doc, how.Force)
	if err != nil {
		return nil, err
	}
	return broken, d.weighRisk(ctx, who, doc, how.AcceptRisk)
}

// mayStart refuses to save a schedule or a trigger of a workflow that the caller may not start.
func (d *Documents) mayStart(ctx context.Context, who guard.Who, doc definition.Document) error {
	switch of := doc.(type) {
	case *definition.Schedule:
		return d.guard.Workflow(ctx, who, access.Start, of.Workflow)
	case *definition.Trigger:
		return d.guard.Workflow(ctx, who, access.Start, of.Workflow)
	}
	return nil
}

// Withdraw takes a document out of force; its versions stay.
func (d *Documents) Withdraw(ctx context.Context, who guard.Who, kind definition.Kind, name string) error {
	return d.WithdrawShown(ctx, who, kind, name, func() error { return nil })
}

// WithdrawShown is Withdraw for a document that is shown first.
func (d *Documents) WithdrawShown(ctx context.Context, who guard.Who, kind definition.Kind, name string,
	show func() error) (err error) {
	defer d.guard.Refusing(ctx, who, "definition.withdrawn", string(kind)+"/"+name, &err)
	if err := cmp.Or(d.guard.May(who, access.Write), d.mayRelay(who, kind, name, nil)); err != nil {
		return err
	}
	if err := show(); err != nil {
		return err
	}
	return d.registry.Withdraw(ctx, kind, name, who.Key())
}

// mayRelay refuses to change a channel in which people decide, except to people who signed in and manage accounts.
func (d *Documents) mayRelay(who guard.Who, kind definition.Kind, name string, doc definition.Document) error {
	relays, err := d.registry.Relays(kind, name, doc)
	if relays && (who.ByToken || d.guard.MayGiveAccess(who) != nil) {
		return registry.NotRelayed()
	}
	return err
}
