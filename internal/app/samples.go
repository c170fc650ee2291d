package app

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// SampleView is something that a rule approved and that people look at
// afterwards, to see whether the rule is right.
type SampleView struct {
	Approval string          `json:"approval" holds:"id"`
	Run      string          `json:"run" holds:"id"`
	Workflow string          `json:"workflow" holds:"id"`
	Step     string          `json:"step" holds:"id"`
	Title    string          `json:"title" holds:"line"`
	Rule     string          `json:"rule" holds:"id"`
	Proposed json.RawMessage `json:"proposed" holds:"payload"`
	At       time.Time       `json:"requested_at"`
	Review   *ReviewView     `json:"review"` // null until somebody looked
	view.Masking
}

// ReviewView is what somebody thought of it.
type ReviewView struct {
	Agree   bool      `json:"agree"`
	Comment string    `json:"comment" holds:"text"`
	By      string    `json:"by" holds:"id"`
	At      time.Time `json:"at"`
}

// SamplesView lists samples, newest first, with how often people agreed.
type SamplesView struct {
	view.List[SampleView]
	Accuracy []AccuracyView `json:"accuracy"`
}

// AccuracyView is how often people agreed with a rule.
type AccuracyView struct {
	Rule     string  `json:"rule"`
	Samples  int     `json:"samples"`
	Reviewed int     `json:"reviewed"`
	Agreed   int     `json:"agreed"`
	Share    float64 `json:"share"` // agreed of reviewed; 0 if none was
}

const (
	kindReview  = "review"
	samplesMost = 1000 // looked at, newest first
)

// Samples lists what rules approved and people were to look at afterwards.
func (a *App) Samples(ctx context.Context, who Who, since time.Time) (SamplesView, error) {
	if err := a.may(who, access.Look); err != nil {
		return SamplesView{}, err
	}
	v, err := a.samples(ctx, a.scope(who), since)
	for i := range v.Items {
		if err == nil {
			v.Items[i], err = showIn(ctx, a, who, v.Items[i].Run, v.Items[i], func(v *SampleView) *view.Masking { return &v.Masking })
		}
	}
	return v, err
}

func (a *App) samples(ctx context.Context, scope *port.Scope, since time.Time) (SamplesView, error) {
	q := port.ApprovalQuery{Status: []string{string(gate.AutoApproved)}, Since: since, Sort: port.ByNewest, Limit: samplesMost, Scope: scope}
	page, err := a.Store.Approvals(ctx, q)
	if err != nil {
		return SamplesView{}, err
	}
	var out []SampleView
	for _, row := range page.Items {
		ap, err := view.ReadApproval(row)
		if err != nil {
			return SamplesView{}, err
		}
		if !ap.Sample || ap.Rule == nil || ap.TestMode {
			continue
		}
		review, err := a.review(ctx, row.ID)
		if err != nil {
			return SamplesView{}, err
		}
		out = append(out, SampleView{
			Approval: row.ID, Run: row.Run, Workflow: row.Workflow, Step: row.Step, Title: row.Title, Rule: ap.Rule.Name,
			Proposed: view.Shortener(false)(view.OrNull(ap.Proposed)), At: row.RequestedAt, Review: review,
		})
	}
	return SamplesView{view.Whole(out), accuracy(out)}, nil
}

func (a *App) review(ctx context.Context, approval string) (*ReviewView, error) {
	saved, err := a.Store.Version(ctx, kindReview, approval, -1)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	v := &ReviewView{}
	if err == nil {
		err = json.Unmarshal(saved.Body, v)
	}
	return v, err
}

// Review says whether a rule was right to approve something.
func (a *App) Review(ctx context.Context, who Who, approval string, agree bool, comment string) (_ ReviewView, err error) {
	defer a.refusing(ctx, who, "sample.reviewed", approval, &err)
	row, err := a.approval(ctx, who, access.Review, approval)
	if err != nil {
		return ReviewView{}, err
	}
	if row.Status != string(gate.AutoApproved) {
		return ReviewView{}, fault.New(fault.Conflict, "no rule approved this", "only what a rule approved is reviewed afterwards")
	}
	if len(comment) > gate.CommentMax || !agree && comment == "" {
		return ReviewView{}, fault.Of("the review is not valid", []fault.Problem{{Path: "comment", Message: "explain what is wrong"}})
	}
	v := ReviewView{agree, comment, who.Key(), a.now()}
	body, err := value.Marshal(v)
	if err != nil {
		return v, err
	}
	kept := port.Version{
		ID: "doc" + a.NewRunID(v.At)[len("run"):], Kind: kindReview, Name: approval, Digest: value.Digest(body), Body: body, By: who.Key(), At: v.At,
	}
	_, _, err = a.Store.SaveVersion(ctx, kept, noted(kept, "sample.reviewed", approval, map[string]any{"agree": agree}, comment))
	return v, err
}

func accuracy(samples []SampleView) []AccuracyView {
	rules := map[string]*AccuracyView{}
	out := []AccuracyView{}
	for _, s := range samples {
		r := rules[s.Rule]
		if r == nil {
			r = &AccuracyView{Rule: s.Rule}
			rules[s.Rule] = r
		}
		r.Samples++
		if s.Review != nil {
			r.Reviewed++
			if s.Review.Agree {
				r.Agreed++
			}
		}
	}
	for _, r := range rules {
		if r.Reviewed > 0 {
			r.Share = float64(r.Agreed) / float64(r.Reviewed)
		}
		out = append(out, *r)
	}
	slices.SortFunc(out, func(x, y AccuracyView) int { return y.Samples - x.Samples })
	return out
}
