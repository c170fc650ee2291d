package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/view"
)

// Subject is what a policy is asked about, as people write it.
type Subject struct {
	Workflow   string          `json:"workflow,omitempty"`
	Step       string          `json:"step,omitempty"`
	Agent      string          `json:"agent,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Operation  string          `json:"operation,omitempty"`
	Risk       risk.Level      `json:"risk,omitempty"`
	Confidence *float64        `json:"confidence,omitempty"`
	Result     bool            `json:"result,omitempty"`  // a step's result, rather than something about to run
	Data       json.RawMessage `json:"data,omitempty"`    // the step's input, the call's arguments or the result
	Context    json.RawMessage `json:"context,omitempty"` // what else rules may name: input, context, outputs of steps
	Key        string          `json:"key,omitempty"`     // stands for the same case in rollouts
	// Irreversible says that it cannot be undone: reversible_by is none.
	Irreversible bool `json:"irreversible,omitempty"`
	// Earlier are the data of acts with the same operation that count in sums: in the
	// same run, and within any time that a rule names. None if left out.
	Earlier []json.RawMessage `json:"earlier,omitempty"`
	At      time.Time         `json:"at,omitzero"` // when; now if left out
}

// problems lists the words of a subject that nothing could ever match.
func (s *Subject) problems() (out []fault.Problem) {
	if s.Risk != "" && !s.Risk.Valid() {
		out = append(out, fault.Problem{Path: "/subject/risk", Message: fmt.Sprintf("%q is not a risk level: write low, medium, high or critical", s.Risk)})
	}
	if c := s.Confidence; c != nil && !(*c >= 0 && *c <= 1) {
		out = append(out, fault.Problem{Path: "/subject/confidence", Message: fmt.Sprintf("%v is not between 0 and 1", *c)})
	}
	return out
}

// total adds up what the earlier acts come to.
func (s *Subject) total(set *policy.Set, sub policy.Subject) func(policy.SumQuery) (policy.Total, bool) {
	return func(q policy.SumQuery) (out policy.Total, known bool) {
		for _, data := range s.Earlier {
			own := sub
			if own.Data = view.OrNull(data); value.KindOf(data) == value.KindObject && value.KindOf(sub.Data) == value.KindObject {
				own.Data = value.Merge(sub.Data, data) // what is left out is as in this one
			}
			for _, c := range set.Counts(own) {
				if c.Sum == q.Sum {
					out = out.Add(&c)
				}
			}
		}
		return out, true
	}
}

// VerdictView is what a policy says about a subject, rule by rule.
type VerdictView struct {
	Effect policy.Effect `json:"effect"` // none: no rule applies
	Rule   string        `json:"rule"`
	Reason string        `json:"reason"`
	Policy string        `json:"policy"` // hash
	Steps  []policy.Step `json:"steps"`  // the rules in the order they were asked
}

// TestPolicy asks a policy, or the one in force, about a subject.
func (a *App) TestPolicy(_ context.Context, who Who, format definition.Format, body []byte, s Subject) (VerdictView, error) {
	if err := a.may(who, access.Look); err != nil {
		return VerdictView{}, err
	}
	if problems := s.problems(); len(problems) > 0 {
		return VerdictView{}, fault.Of("the subject is not valid", problems)
	}
	set := a.registry.now().policy
	if len(body) > 0 {
		var err error
		if set, err = a.candidate(format, body); err != nil {
			return VerdictView{}, err
		}
	}
	at := s.At
	if at.IsZero() {
		at = a.now()
	}
	sub := policy.Subject{
		Workflow: s.Workflow, Step: s.Step, Agent: s.Agent, Tool: s.Tool, Operation: s.Operation, Risk: s.Risk, Confidence: s.Confidence,
		Result: s.Result, Irreversible: s.Irreversible, Data: view.OrNull(s.Data), Key: s.Key, Uses: func(rule string) int { return a.registry.now().uses[rule] },
		Look: func(name string) (json.RawMessage, bool) {
			if name == "context" {
				return view.OrNull(s.Context), true
			}
			return value.Get(s.Context, name)
		},
	}
	sub.Total = s.total(set, sub)
	v, steps := set.Explain(at, sub)
	return VerdictView{cmp.Or(v.Effect, policy.Nothing), v.Rule, cmp.Or(v.Reason, "No rule matches."), set.Hash(), view.NotNil(steps)}, nil
}

// candidate compiles a policy that is not in force.
func (a *App) candidate(format definition.Format, body []byte) (*policy.Set, error) {
	doc, problems := a.registry.parse(definition.KindPolicy, format, body)
	if doc == nil {
		return nil, refused("the policy", problems)
	}
	set, bad := a.registry.compile(doc.(*definition.Policy))
	if set == nil {
		return nil, refused("the policy", []definition.Problem{{Problem: bad[0]}})
	}
	return set.AtTarget(), nil
}

// BacktestDocument is Backtest for a policy as people write it.
func (a *App) BacktestDocument(ctx context.Context, who Who, format definition.Format, body []byte, since, until time.Time) (BacktestView, error) {
	set, err := a.candidate(format, body)
	if err != nil {
		return BacktestView{}, err
	}
	return a.Backtest(ctx, who, set, since, until)
}
