package app

import (
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Notice shows an approval outside this program: values that are masked for anyone, or look like credentials, are
// masked. A caller without a name is a room with any readers: it has the acts that the approval has.
func (a *App) Notice(ctx context.Context, who Who, id string) (view.Approval, error) {
	row, err := a.lists.Approval(ctx, id)
	if err == nil && who.Name != "" {
		row, err = a.guard.Approval(ctx, who, access.See, id)
	}
	ap, veil := port.RunRow{}, (*view.Veil)(nil)
	if err == nil {
		ap, err = a.masking.Row(ctx, row.Run)
	}
	if err != nil {
		return view.Approval{}, err
	}
	s, err := a.masking.Of(ctx, ap, 0)
	if veil = s.Veil(nil); err != nil {
		return view.Approval{}, err
	}
	return a.outside(who, row, veil)
}

func (a *App) outside(who Who, row port.ApprovalRow, veil *view.Veil) (v view.Approval, err error) {
	ap, err := view.ReadApproval(row)
	if err != nil {
		return v, err
	}
	v, told := view.Hide(veil, view.ApprovalOf(row, ap, true))
	if v.Masking, v.Acts = told, ap.Terms.Acts; who.Name != "" {
		v.Acts = a.guard.Viewer(who).Acts(row.Workflow, ap)
	}
	for _, doc := range [][]byte{v.Proposed, v.Show} {
		v.Masked = v.Masked || mask.Credentials(string(doc)) != string(doc)
	}
	return v, nil
}

// RunNotice shows an event of a run outside this program, and the run as it is now: values that are masked for anyone,
// or look like credentials, are masked, and so is text that people wrote about approvals that the caller may not see. A
// caller without a name is a room with any readers.
func (a *App) RunNotice(ctx context.Context, who Who, id string, seq int64) (v view.RunSummary, e run.Event,
	err error) {
	row, err := a.lists.Run(ctx, id)
	if err == nil && who.Name != "" {
		row, err = a.guard.Run(ctx, who, access.See, id)
	}
	if err != nil {
		return v, e, err
	}
	records, err := a.log.Events(ctx, id, seq-1, 1)
	if err == nil && (len(records) == 0 || records[0].Seq != seq) {
		err = fault.Newf(fault.NotFound, "run %s has no event %d", id, seq)
	}
	if err != nil {
		return v, e, err
	}
	words, err := a.sight.Approvals(a.guard.Viewer(who)).Words(ctx, row)
	if err != nil {
		return v, e, err
	}
	s, err := a.masking.Of(ctx, row, 0)
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

// MayWrite refuses callers that may not change documents. MayLook refuses those that may not see them.
func (a *App) MayWrite(w Who) error { return a.guard.May(w, access.Write) }
func (a *App) MayLook(w Who) error  { return a.guard.May(w, access.Look) }
