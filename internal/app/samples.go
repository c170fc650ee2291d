package app

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// Samples lists automatic approvals that were selected for review afterwards.
func (a *App) Samples(ctx context.Context, who Who, since time.Time) (insight.Samples, error) {
	if err := a.guard.May(who, access.Look); err != nil {
		return insight.Samples{}, err
	}
	v, err := a.record.Samples(ctx, a.guard.Scope(who), since)
	for i := range v.Items {
		if err == nil {
			v.Items[i], err = sight.ShowIn(ctx, a.sight, a.guard.Viewer(who), v.Items[i].Run, v.Items[i],
				func(v *insight.Sample) *view.Masking { return &v.Masking })
		}
	}
	return v, err
}

// Review records whether a rule was right to approve something.
func (a *App) Review(ctx context.Context, who Who, approval string, agree bool,
	comment string) (_ insight.Review, err error) {
	defer a.guard.Refusing(ctx, who, "sample.reviewed", approval, &err)
	row, err := a.guard.Approval(ctx, who, access.Review, approval)
	if err != nil {
		return insight.Review{}, err
	}
	if row.Status != string(gate.AutoApproved) {
		return insight.Review{}, fault.New(fault.Conflict, "this was not approved by a rule",
			"only automatic approvals can be reviewed")
	}
	v := insight.Review{Agree: agree, Comment: comment, By: who.Key(), At: a.Now()}
	if err := v.Check(); err != nil {
		return insight.Review{}, err
	}
	body, err := value.Marshal(v)
	if err != nil {
		return v, err
	}
	kept := port.Version{
		ID: "doc" + a.newRunID(v.At)[len("run"):], Kind: insight.KindReview, Name: approval, Digest: value.Digest(body),
		Body: body, By: who.Key(), At: v.At,
	}
	_, _, err = a.notes.SaveVersion(ctx, kept,
		kept.Entry("sample.reviewed", approval, map[string]any{"agree": agree}, comment))
	return v, err
}
