package hindsight

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// Backtest evaluates a policy on everything that people or rules decided in a period, with the inputs of that time.
func (h *Hindsight) Backtest(ctx context.Context, who guard.Who, candidate *policy.Set,
	since, until time.Time) (insight.Backtest, error) {
	if err := h.guard.May(who, access.Look); err != nil {
		return insight.Backtest{}, err
	}
	v, err := h.record.Backtest(ctx, h.guard.Scope(who), candidate, since, until)
	for _, passed := range [][]insight.Passed{v.WouldPassRejected, v.WouldPassModified} {
		for i := range passed {
			if err == nil {
				passed[i], err = sight.ShowIn(ctx, h.sight, h.guard.Viewer(who), passed[i].Run, passed[i],
					func(v *insight.Passed) *view.Masking { return &v.Masking })
			}
		}
	}
	return v, err
}

// TestPolicy evaluates a policy, or the one in force, on a subject.
func (h *Hindsight) TestPolicy(_ context.Context, who guard.Who, format definition.Format, body []byte,
	s insight.Subject) (insight.Verdict, error) {
	if err := h.guard.May(who, access.Look); err != nil {
		return insight.Verdict{}, err
	}
	if problems := s.Problems(); len(problems) > 0 {
		return insight.Verdict{}, fault.Of("the subject is not valid", problems)
	}
	set := h.registry.Current().Policy()
	if len(body) > 0 {
		var err error
		if set, err = h.candidate(format, body); err != nil {
			return insight.Verdict{}, err
		}
	}
	return s.Ask(set, h.now(), h.registry.Current().Uses()), nil
}

// candidate compiles a policy that is not in force.
func (h *Hindsight) candidate(format definition.Format, body []byte) (*policy.Set, error) {
	doc, problems := h.registry.Parse(definition.KindPolicy, format, body)
	if doc == nil {
		return nil, registry.Refused("the policy", problems)
	}
	set, bad := h.registry.Compile(doc.(*definition.Policy))
	if set == nil {
		return nil, registry.Refused("the policy", []definition.Problem{{Problem: bad[0]}})
	}
	return set.AtTarget(), nil
}

// BacktestDocument is Backtest for a policy in source form.
func (h *Hindsight) BacktestDocument(ctx context.Context, who guard.Who, format definition.Format, body []byte,
	since, until time.Time) (insight.Backtest, error) {
	set, err := h.candidate(format, body)
	if err != nil {
		return insight.Backtest{}, err
	}
	return h.Backtest(ctx, who, set, since, until)
}

// Suggest looks for rules that would have saved people work without approving anything that they rejected or changed.
func (h *Hindsight) Suggest(ctx context.Context, who guard.Who,
	since time.Time) (view.List[insight.Suggestion], error) {
	if err := h.guard.May(who, access.Look); err != nil {
		return view.List[insight.Suggestion]{}, err
	}
	found, err := h.record.Suggest(ctx, h.guard.Scope(who), since, h.now(), h.masking.RulesInForce, h.firstPriority())
	for _, s := range found {
		if err == nil {
			err = h.showCases(ctx, who, s)
		}
	}
	if err != nil {
		return view.List[insight.Suggestion]{}, err
	}
	return view.Whole(found), nil
}

// showCases masks the cases of a suggestion for the caller.
func (h *Hindsight) showCases(ctx context.Context, who guard.Who, s insight.Suggestion) (err error) {
	for _, cases := range [][]insight.Case{s.Covers, s.Leaves} {
		for i := range cases {
			cases[i], err = sight.ShowIn(ctx, h.sight, h.guard.Viewer(who), cases[i].Run, cases[i],
				func(v *insight.Case) *view.Masking { return &v.Masking })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Adopt adds a suggested rule to the policy as a draft: it takes effect once it is published.
func (h *Hindsight) Adopt(ctx context.Context, who guard.Who, id string,
	since time.Time) (_ registry.Document, err error) {
	defer h.guard.Refusing(ctx, who, "definition.saved", string(definition.KindPolicy), &err)
	if err := h.guard.May(who, access.Write); err != nil {
		return registry.Document{}, err
	}
	all, err := h.Suggest(ctx, who, since)
	if err != nil {
		return registry.Document{}, err
	}
	for _, s := range all.Items {
		if s.ID != id {
			continue
		}
		doc := h.draftPolicy()
		var rule policy.Rule
		if err := json.Unmarshal(s.Rule, &rule); err != nil {
			return registry.Document{}, err
		}
		doc.Rules = append(slices.Clone(doc.Rules), rule)
		body := (&definition.Policy{Document: doc}).JSON()
		v, _, err := h.documents.Save(ctx, who, definition.KindPolicy, "", definition.JSON, body, documents.Saving{})
		return v, err
	}
	return registry.Document{}, fault.New(fault.NotFound, fmt.Sprintf("suggestion %q not found", id),
		"history may have changed: list the suggestions again")
}

// firstPriority is a priority ahead of all others.
func (h *Hindsight) firstPriority() int {
	first := 0
	doc := h.draftPolicy()
	for _, r := range slices.Concat(doc.Rules, doc.Checkpoints) {
		first = min(first, r.Priority-1)
	}
	return first
}

// draftPolicy is the policy in force, to be changed.
func (h *Hindsight) draftPolicy() policy.Document {
	if p := h.registry.Current().Documents().Policy; p != nil {
		return p.Document
	}
	return policy.Document{Name: "default"}
}
