package insight

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Sample is an automatic approval that people review afterwards, to check the rule.
type Sample struct {
	Approval string          `json:"approval" holds:"id"`
	Run      string          `json:"run" holds:"id"`
	Workflow string          `json:"workflow" holds:"id"`
	Step     string          `json:"step" holds:"id"`
	Title    string          `json:"title" holds:"line"`
	Rule     string          `json:"rule" holds:"id"` // The rule.
	Proposed json.RawMessage `json:"proposed" holds:"payload"`
	At       time.Time       `json:"requested_at"` // When it was approved.
	Review   *Review         `json:"review"`       // Its review; null until then.
	view.Masking
}

// Review is a person's verdict on a sample.
type Review struct {
	Agree   bool      `json:"agree"` // Whether the rule was right.
	Comment string    `json:"comment" holds:"text"`
	By      string    `json:"by" holds:"id"`
	At      time.Time `json:"at"`
}

// Check refuses a review without its reason.
func (r Review) Check() error {
	if gate.TooLong(r.Comment) || !r.Agree && r.Comment == "" {
		return fault.Of("the review is not valid",
			[]fault.Problem{{Path: "comment", Message: "explain what is wrong"}})
	}
	return nil
}

// Samples lists samples, newest first, with how often people agreed.
type Samples struct {
	view.List[Sample]
	Accuracy []Accuracy `json:"accuracy"` // How often reviewers agreed, by rule.
}

// Accuracy is how often reviewers agreed with a rule.
type Accuracy struct {
	Rule     string  `json:"rule"`     // The rule.
	Samples  int     `json:"samples"`  // The number of samples.
	Reviewed int     `json:"reviewed"` // The number of reviewed samples.
	Agreed   int     `json:"agreed"`   // The number that reviewers agreed with.
	Share    float64 `json:"share"`    // Agreed divided by reviewed; 0 without reviews.
}

const (
	KindReview  = "review"
	samplesMost = 1000 // rows examined, newest first
)

// Samples lists the samples within a scope.
func (h *Record) Samples(ctx context.Context, scope *port.Scope, since time.Time) (Samples, error) {
	q := port.ApprovalQuery{Status: []string{string(gate.AutoApproved)}, Since: since, Sort: port.ByNewest,
		Limit: samplesMost, Scope: scope}
	page, err := h.store.Approvals(ctx, q)
	if err != nil {
		return Samples{}, err
	}
	var out []Sample
	for _, row := range page.Items {
		ap, err := view.ReadApproval(row)
		if err != nil {
			return Samples{}, err
		}
		if !ap.Sample || ap.Rule == nil || ap.TestMode {
			continue
		}
		review, err := h.review(ctx, row.ID)
		if err != nil {
			return Samples{}, err
		}
		out = append(out, Sample{
			Approval: row.ID, Run: row.Run, Workflow: row.Workflow, Step: row.Step, Title: row.Title, Rule: ap.Rule.Name,
			Proposed: view.Shortener(false)(view.OrNull(ap.Proposed)), At: row.RequestedAt, Review: review,
		})
	}
	return Samples{view.Whole(out), accuracy(out)}, nil
}

func (h *Record) review(ctx context.Context, approval string) (*Review, error) {
	saved, err := h.store.Version(ctx, KindReview, approval, -1)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	v := &Review{}
	if err == nil {
		err = json.Unmarshal(saved.Body, v)
	}
	return v, err
}

func accuracy(samples []Sample) []Accuracy {
	rules := map[string]*Accuracy{}
	out := []Accuracy{}
	for _, s := range samples {
		r := rules[s.Rule]
		if r == nil {
			r = &Accuracy{Rule: s.Rule}
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
	slices.SortFunc(out, func(x, y Accuracy) int { return y.Samples - x.Samples })
	return out
}
