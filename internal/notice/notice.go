// Package notice shows approvals and events to readers outside this program, such as people in a chat room. Values that
// are masked for anyone, or look like credentials, are masked for everyone there.
//
//	v, err := notices.Approval(ctx, who, "apr_…")
//	run, event, err := notices.Run(ctx, who, "run_…", 7)
//
// A caller without a name is a room with any readers. A caller with a name gets fault.NotFound for anything that they
// may not see.
package notice

import (
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// Store is the part of a store that notices are about.
type Store interface {
	Approval(ctx context.Context, id string) (port.ApprovalRow, error)
	Run(ctx context.Context, id string) (port.RunRow, error)
	Events(ctx context.Context, run string, after int64, limit int) ([]port.Record, error)
}

// Notices show approvals and events outside this program. Any number of goroutines may use it.
type Notices struct {
	guard   *guard.Guard
	sight   *sight.Sight
	masking *view.Sensitive
	store   Store
}

// New creates the use cases of notices.
func New(g *guard.Guard, s *sight.Sight, masking *view.Sensitive, store Store) *Notices {
	return &Notices{guard: g, sight: s, masking: masking, store: store}
}

// Approval shows an approval. A caller without a name is a room: it has the acts that the approval has.
func (n *Notices) Approval(ctx context.Context, who guard.Who, id string) (view.Approval, error) {
	row, err := n.store.Approval(ctx, id)
	if err == nil && who.Name != "" {
		row, err = n.guard.Approval(ctx, who, access.See, id)
	}
	ap, veil := port.RunRow{}, (*view.Veil)(nil)
	if err == nil {
		ap, err = n.masking.Row(ctx, row.Run)
	}
	if err != nil {
		return view.Approval{}, err
	}
	s, err := n.masking.Of(ctx, ap, 0)
	if veil = s.Veil(nil); err != nil {
		return view.Approval{}, err
	}
	return n.outside(who, row, veil)
}

func (n *Notices) outside(who guard.Who, row port.ApprovalRow, veil *view.Veil) (v view.Approval, err error) {
	ap, err := view.ReadApproval(row)
	if err != nil {
		return v, err
	}
	v, told := view.Hide(veil, view.ApprovalOf(row, ap, true))
	if v.Masking, v.Acts = told, ap.Terms.Acts; who.Name != "" {
		v.Acts = n.guard.Viewer(who).Acts(row.Workflow, ap)
	}
	for _, doc := range [][]byte{v.Proposed, v.Show} {
		v.Masked = v.Masked || mask.Credentials(string(doc)) != string(doc)
	}
	return v, nil
}

// Run shows an event of a run, and the run as it is now. Text that people wrote about approvals that the caller may not
// see is masked as well.
func (n *Notices) Run(ctx context.Context, who guard.Who, id string, seq int64) (v view.RunSummary, e run.Event,
	err error) {
	row, err := n.store.Run(ctx, id)
	if err == nil && who.Name != "" {
		row, err = n.guard.Run(ctx, who, access.See, id)
	}
	if err != nil {
		return v, e, err
	}
	records, err := n.store.Events(ctx, id, seq-1, 1)
	if err == nil && (len(records) == 0 || records[0].Seq != seq) {
		err = fault.Newf(fault.NotFound, "run %s has no event %d", id, seq)
	}
	if err != nil {
		return v, e, err
	}
	words, err := n.sight.Approvals(n.guard.Viewer(who)).Words(ctx, row)
	if err != nil {
		return v, e, err
	}
	s, err := n.masking.Of(ctx, row, 0)
	if err != nil {
		return v, e, err
	}
	if v, err = view.SummaryOf(row); err != nil {
		return v, e, err
	}
	veil := s.Veil(words)
	v, _ = view.Hide(veil, v)
	v.Subject = mask.Credentials(v.Subject)
	e = records[0].Event
	e.Fact, _ = view.Hide(veil, e.Fact)
	e.Fact = withoutCredentials(e.Fact)
	return v, e, nil
}

// withoutCredentials masks what looks like credentials in the texts of an event that messages contain. The event itself
// may be shared.
func withoutCredentials(fact run.Fact) run.Fact {
	switch f := fact.(type) {
	case *run.RunFailed:
		out := *f
		out.Error.Message = mask.Credentials(f.Error.Message)
		return &out
	case *run.RunPaused:
		out := *f
		out.Reason = mask.Credentials(f.Reason)
		return &out
	case *run.DeliverableCreated:
		out := *f
		out.Deliverable.Name = mask.Credentials(f.Deliverable.Name)
		out.Deliverable.Description = mask.Credentials(f.Deliverable.Description)
		return &out
	}
	return fact
}
