package registry

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// rampsBegan finds when the rollout of each rule began: with the first publication in a
// row of versions that have the rule as it is now. Publishing a policy again, or changing
// another rule, does not restart it.
func (r *Registry) rampsBegan(ctx context.Context, p *Snapshot) (map[string]time.Time, error) {
	if p.set.Policy == nil {
		return nil, nil
	}
	set, _ := r.Compile(p.set.Policy)
	open := set.Ramps()
	if len(open) == 0 {
		return nil, nil
	}
	kind, name := Slot(p.set.Policy)
	now := p.versions[ident(kind, name)]
	began := map[string]time.Time{}
	for _, rule := range open {
		began[rule] = now.PublishedAt
	}
	versions, err := r.Store.Versions(ctx, string(kind), name)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(versions, func(x, y port.Version) int {
		return cmp.Or(y.PublishedAt.Compare(x.PublishedAt), y.Number-x.Number)
	})
	for _, v := range versions {
		if v.PublishedAt.IsZero() || v.Number == now.Number || v.PublishedAt.After(now.PublishedAt) {
			continue
		}
		earlier, err := r.policyOf(ctx, v)
		if err != nil {
			return nil, err
		}
		open = slices.DeleteFunc(open, func(rule string) bool {
			return !policy.Unchanged(p.set.Policy.Document, earlier, rule)
		})
		for _, rule := range open {
			began[rule] = v.PublishedAt
		}
		if len(open) == 0 {
			break
		}
	}
	return began, nil
}

// policyOf reads a policy that was in force. One that can no longer be read has no rules.
func (r *Registry) policyOf(ctx context.Context, v port.Version) (policy.Document, error) {
	full, err := r.Store.Version(ctx, v.Kind, v.Name, v.Number)
	if err != nil {
		return policy.Document{}, err
	}
	doc, _ := definition.ParseDocument(definition.JSON, full.Body)
	if p, ok := doc.(*definition.Policy); ok {
		return p.Document, nil
	}
	return policy.Document{}, nil
}
