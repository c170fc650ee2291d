package hindsight

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// Samples lists automatic approvals that were selected for review afterwards.
func (h *Hindsight) Samples(ctx context.Context, who guard.Who, since time.Time) (insight.Samples, error) {
	if err := h.guard.May(who, access.Look); err != nil {
		return insight.Samples{}, err
	}
	v, err := h.record.Samples(ctx, h.guard.Scope(who), since)
	for i := range v.Items {
		if err == nil {
			v.Items[i], err = sight.ShowIn(ctx, h.sight, h.guard.Viewer(who), v.Items[i].Run, v.Items[i],
				func(v *insight.Sample) *view.Masking { return &v.Masking })
		}
	}
	return v, err
}

// Review records whether a rule was right to approve something.
func (h *Hindsight) Review(ctx context.Context, who guard.Who, approval string, agree bool,
	comment string) (_ insight.Review, err error) {
	defer h.guard.Refusing(ctx, who, "sample.reviewed", approval, &err)
	row, err := h.guard.Approval(ctx, who, access.Review, approval)
	if err != nil {
		return insight.Review{}, err
	}
	if row.Status != string(gate.AutoApproved) {
		return insight.Review{}, fault.New(fault.Conflict, "this was not approved by a rule",
			"only automatic approvals can be reviewed")
	}
	v := insight.Review{Agree: agree, Comment: comment, By: who.Key(), At: h.now()}
	if err := v.Check(); err != nil {
		return insight.Review{}, err
	}
	body, err := value.Marshal(v)
	if err != nil {
		return v, err
	}
	kept := port.Version{
		ID: "doc" + h.newID(v.At)[len("run"):], Kind: insight.KindReview, Name: approval, Digest: value.Digest(body),
		Body: body, By: who.Key(), At: v.At,
	}
	_, _, err = h.store.SaveVersion(ctx, kept,
		kept.Entry("sample.reviewed", approval, map[string]any{"agree": agree}, comment))
	return v, err
}
