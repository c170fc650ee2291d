package app

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
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// Suggest looks for rules that would have saved people work without approving anything that they rejected or changed.
func (a *App) Suggest(ctx context.Context, who Who, since time.Time) (view.List[insight.Suggestion], error) {
	if err := a.guard.May(who, access.Look); err != nil {
		return view.List[insight.Suggestion]{}, err
	}
	found, err := a.record.Suggest(ctx, a.guard.Scope(who), since, a.Now(), a.masking.RulesInForce, a.firstPriority())
	for _, s := range found {
		if err == nil {
			err = a.showCases(ctx, who, s)
		}
	}
	if err != nil {
		return view.List[insight.Suggestion]{}, err
	}
	return view.Whole(found), nil
}

// showCases masks the cases of a suggestion for the caller.
func (a *App) showCases(ctx context.Context, who Who, s insight.Suggestion) (err error) {
	for _, cases := range [][]insight.Case{s.Covers, s.Leaves} {
		for i := range cases {
			cases[i], err = sight.ShowIn(ctx, a.sight, a.guard.Viewer(who), cases[i].Run, cases[i],
				func(v *insight.Case) *view.Masking { return &v.Masking })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Adopt adds a suggested rule to the policy as a draft: it takes effect once it is published.
func (a *App) Adopt(ctx context.Context, who Who, id string, since time.Time) (_ registry.Document, err error) {
	defer a.guard.Refusing(ctx, who, "definition.saved", string(definition.KindPolicy), &err)
	if err := a.guard.May(who, access.Write); err != nil {
		return registry.Document{}, err
	}
	all, err := a.Suggest(ctx, who, since)
	if err != nil {
		return registry.Document{}, err
	}
	for _, s := range all.Items {
		if s.ID != id {
			continue
		}
		doc := a.draftPolicy()
		var rule policy.Rule
		if err := json.Unmarshal(s.Rule, &rule); err != nil {
			return registry.Document{}, err
		}
		doc.Rules = append(slices.Clone(doc.Rules), rule)
		body := (&definition.Policy{Document: doc}).JSON()
		v, _, err := a.Documents.Save(ctx, who, definition.KindPolicy, "", definition.JSON, body, documents.Saving{})
		return v, err
	}
	return registry.Document{}, fault.New(fault.NotFound, fmt.Sprintf("suggestion %q not found", id),
		"history may have changed: list the suggestions again")
}

// firstPriority is a priority ahead of all others.
func (a *App) firstPriority() int {
	first := 0
	doc := a.draftPolicy()
	for _, r := range slices.Concat(doc.Rules, doc.Checkpoints) {
		first = min(first, r.Priority-1)
	}
	return first
}

// draftPolicy is the policy in force, to be changed.
func (a *App) draftPolicy() policy.Document {
	if p := a.registry.Current().Documents().Policy; p != nil {
		return p.Document
	}
	return policy.Document{Name: "default"}
}
