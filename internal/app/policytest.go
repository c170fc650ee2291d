package app

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/registry"
)

// TestPolicy evaluates a policy, or the one in force, on a subject.
func (a *App) TestPolicy(_ context.Context, who Who, format definition.Format, body []byte,
	s insight.Subject) (insight.Verdict, error) {
	if err := a.guard.May(who, access.Look); err != nil {
		return insight.Verdict{}, err
	}
	if problems := s.Problems(); len(problems) > 0 {
		return insight.Verdict{}, fault.Of("the subject is not valid", problems)
	}
	set := a.registry.Current().Policy()
	if len(body) > 0 {
		var err error
		if set, err = a.candidate(format, body); err != nil {
			return insight.Verdict{}, err
		}
	}
	return s.Ask(set, a.Now(), a.registry.Current().Uses()), nil
}

// candidate compiles a policy that is not in force.
func (a *App) candidate(format definition.Format, body []byte) (*policy.Set, error) {
	doc, problems := a.registry.Parse(definition.KindPolicy, format, body)
	if doc == nil {
		return nil, registry.Refused("the policy", problems)
	}
	set, bad := a.registry.Compile(doc.(*definition.Policy))
	if set == nil {
		return nil, registry.Refused("the policy", []definition.Problem{{Problem: bad[0]}})
	}
	return set.AtTarget(), nil
}

// BacktestDocument is Backtest for a policy in source form.
func (a *App) BacktestDocument(ctx context.Context, who Who, format definition.Format, body []byte,
	since, until time.Time) (insight.Backtest, error) {
	set, err := a.candidate(format, body)
	if err != nil {
		return insight.Backtest{}, err
	}
	return a.Backtest(ctx, who, set, since, until)
}
