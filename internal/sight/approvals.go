package sight

import (
	"context"
	"strings"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Approvals decides which approvals of runs the caller may see. Seeing a run does not mean seeing all its approvals:
// one that answers 404 is masked in the run's events and left out of the run's pending approvals. It serves one
// response.
type Approvals struct {
	all       *Sight
	viewer    Viewer
	runs      map[string]bool // whether all approvals of a run may be seen
	approvals map[string]bool
}

// Approvals are those that a viewer may see.
func (s *Sight) Approvals(v Viewer) *Approvals {
	return &Approvals{all: s, viewer: v, runs: map[string]bool{}, approvals: map[string]bool{}}
}

// whole reports whether the caller may see every approval of a run: by a role, or as the owner. Callers who try out
// roles see the approvals that they are asked.
func (d *Approvals) whole(workflow, owner string) bool {
	run := access.Object{Workflow: workflow, Owner: owner}
	return !d.viewer.Rules.Tries(d.viewer.Subject) && d.viewer.Sees(run)
}

// Pending splits a run's pending approvals into those that the caller may see and a count of the rest.
func (d *Approvals) Pending(s *machine.State) (ids []string, unseen int) {
	whole := d.whole(s.Started.Workflow, s.Started.Owner)
	for _, ap := range s.Pending() {
		o := access.Object{Workflow: s.Started.Workflow, Owner: s.Started.Owner, Approval: ap}
		if whole || d.viewer.Sees(o) {
			ids = append(ids, ap.ID)
		} else {
			unseen++
		}
	}
	return ids, unseen
}

// Hides reports whether an event is about an approval that the caller may not see.
func (d *Approvals) Hides(ctx context.Context, e *view.Event) (bool, error) {
	if e.Seq == 0 || !strings.HasPrefix(e.Type, "approval.") {
		return false, nil
	}
	whole, known := d.runs[e.Run]
	if !known {
		from, err := d.all.Origin(ctx, e.Run)
		if err != nil {
			return false, err
		}
		whole = d.whole(from.Workflow, from.Owner)
		d.runs[e.Run] = whole
	}
	if whole {
		return false, nil
	}
	id := approvalIn(e)
	seen, known := d.approvals[id]
	if !known {
		var err error
		if seen, err = d.sees(ctx, id); err != nil {
			return false, err
		}
		d.approvals[id] = seen
	}
	return !seen, nil
}

// Words collects the text that people wrote about approvals of a run that the caller may not see. The run passes a
// decision's comment on to its context and to agents, so it is masked there as well. Nil if there is nothing to mask.
func (d *Approvals) Words(ctx context.Context, row port.RunRow) (out *mask.Values, err error) {
	if d.whole(row.Workflow, row.Owner) {
		return nil, nil
	}
	q := port.ApprovalQuery{Run: row.ID, Sort: port.ByNewest, Limit: askedMost, NoTotal: true}
	for {
		page, err := d.all.store.Approvals(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, found := range page.Items {
			ap, err := view.ReadApproval(found)
			if err != nil {
				return nil, err
			}
			o := access.Object{Workflow: row.Workflow, Owner: row.Owner, Approval: ap}
			if d.viewer.Sees(o) {
				continue
			}
			if out == nil {
				out = mask.NewValues()
			}
			wroteAbout(ap, out)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return out, nil
		}
	}
}

// wroteAbout collects the text that people wrote about an approval.
func wroteAbout(ap *gate.Approval, words *mask.Values) {
	for i := range ap.Decisions {
		words.Words(ap.Decisions[i].Comment)
	}
	for i := range ap.Comments {
		words.Words(ap.Comments[i].Text)
	}
	if ap.Outcome != nil {
		words.Words(ap.Outcome.Comment)
	}
}

// sees looks an approval up. A missing one counts as not seen.
func (d *Approvals) sees(ctx context.Context, id string) (bool, error) {
	row, err := d.all.store.Approval(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	o, err := d.all.About(ctx, row)
	if err != nil {
		return false, err
	}
	return d.viewer.Sees(o), nil
}

// approvalIn is the id of the approval that an event is about.
func approvalIn(e *view.Event) string {
	at := e.Data
	if request, ok := value.Get(e.Data, "request"); ok {
		at = request
	}
	id, _ := value.Get(at, "id")
	text, _ := value.Text(id)
	return text
}
