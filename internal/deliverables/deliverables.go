// Package deliverables holds the use cases of single deliverables: showing one with its versions, setting its status,
// and handing out its bytes, as they are, as a preview that a page may embed, or as the archive of a run.
//
//	v, content, err := d.Content(ctx, who, "dlv_…")
//	v, excerpt, err := d.Preview(ctx, who, "dlv_…", false)
//
// Each authorises the caller with package guard. Bytes are refused whole if anything in the run is masked for the
// caller; a preview of a text is masked instead. Lists of deliverables are in package browse.
package deliverables

import (
	"context"
	"io"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// Store is the part of a store that keeps deliverables and their bytes.
type Store interface {
	Deliverables(ctx context.Context, q port.DeliverableQuery) (port.Page[port.DeliverableRow], error)
	OpenBlob(ctx context.Context, id string) (io.ReadSeekCloser, int64, error)
}

// Keep creates the answer to store under an idempotency key from the response to the caller. It may be nil.
type Keep = func(shown any) (*port.Answer, error)

// Runs is how runs are commanded.
type Runs interface {
	// Send sends a caller's command to a run. Again reports that the caller has sent it before.
	Send(ctx context.Context, who guard.Who, to, id string, do run.Operation,
		answer port.Answering) (again bool, err error)
}

// Deliverables are deliverables as callers may see them. Any number of goroutines may use it.
type Deliverables struct {
	guard *guard.Guard
	sight *sight.Sight
	store Store
	runs  Runs
}

// New creates the use cases of deliverables.
func New(g *guard.Guard, s *sight.Sight, store Store, runs Runs) *Deliverables {
	return &Deliverables{guard: g, sight: s, store: store, runs: runs}
}

// Show shows one deliverable.
func (d *Deliverables) Show(ctx context.Context, who guard.Who, id string) (view.Deliverable, error) {
	row, err := d.guard.Deliverable(ctx, who, access.See, id)
	if err != nil {
		return view.Deliverable{}, err
	}
	return d.sight.ShowDeliverable(ctx, d.guard.Viewer(who))(row)
}

// Versions lists all versions of a deliverable, newest first. The id of any version identifies it.
func (d *Deliverables) Versions(ctx context.Context, who guard.Who, id, cursor string,
	limit int) (view.List[view.Deliverable], error) {
	row, err := d.guard.Deliverable(ctx, who, access.See, id)
	if err != nil {
		return view.List[view.Deliverable]{}, err
	}
	page, err := d.store.Deliverables(ctx, port.DeliverableQuery{Run: row.Run, Name: row.Name, All: true,
		Cursor: cursor, Limit: limit})
	if err != nil {
		return view.List[view.Deliverable]{}, err
	}
	return view.PageOf(page, d.sight.ShowDeliverable(ctx, d.guard.Viewer(who)))
}

// Mark is a request to set the status of a deliverable.
type Mark struct {
	Status  string `json:"status"`        // The new status: draft, final or archived.
	Version int    `json:"version"`       // The newest version that you saw. Required.
	Was     string `json:"was,omitempty"` // The status you saw; not checked if omitted.
}

// Mark sets the status of a deliverable: draft, final or archived. It also works after the end of the run.
func (d *Deliverables) Mark(ctx context.Context, who guard.Who, id string, m Mark, commandID string,
	k Keep) (v view.Deliverable, err error) {
	defer d.guard.Refusing(ctx, who, "deliverable.marked", id, &err)
	row, err := d.guard.Deliverable(ctx, who, access.Steer, id)
	if err != nil {
		return view.Deliverable{}, err
	}
	if m.Version == 0 {
		return view.Deliverable{}, fault.Of("the status is not valid",
			[]fault.Problem{{Path: "version", Message: "the version of the deliverable that you saw is required"}})
	}
	shown, err := d.sight.ShowDeliverable(ctx, d.guard.Viewer(who))(row)
	if err != nil {
		return shown, err
	}
	do := run.MarkDeliverable{Deliverable: id, Status: m.Status, Version: m.Version, Was: m.Was}
	again, err := d.runs.Send(ctx, who, row.Run, commandID, do,
		func(_ *machine.State, r port.Receipt) (*port.Answer, error) {
			shown.Status, shown.UpdatedAt = m.Status, r.Events[0].At
			if k == nil {
				return nil, nil
			}
			return k(shown)
		})
	if again {
		return d.Show(ctx, who, id)
	}
	return shown, err
}
