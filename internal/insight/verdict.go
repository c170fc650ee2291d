package insight

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/view"
)

// Subject is the subject of a policy test, as people write it.
type Subject struct {
	Workflow string `json:"workflow,omitempty"`
	Step     string `json:"step,omitempty"`
	Agent    string `json:"agent,omitempty"`
	Tool     string `json:"tool,omitempty"`
	// The operation.
	Operation string `json:"operation,omitempty"`
	// The risk.
	Risk       risk.Level `json:"risk,omitempty"`
	Confidence *float64   `json:"confidence,omitempty"`
	// Whether it is a step's result rather than an action about to run.
	Result bool `json:"result,omitempty"`
	// The input of the step, the arguments of the call, or the result.
	Data json.RawMessage `json:"data,omitempty"`
	// Other data that rules may refer to: input, outputs of steps.
	Context json.RawMessage `json:"context,omitempty"`
	// Identifies the case in rollouts.
	Key string `json:"key,omitempty"`
	// Whether it also applies to irreversible actions.
	Irreversible bool `json:"irreversible,omitempty"`
	// Data of earlier actions with the same operation, which count in sums; omitted fields are those of data.
	Earlier []json.RawMessage `json:"earlier,omitempty"`
	// The time; now if omitted.
	At time.Time `json:"at,omitzero"`
}

// Problems lists the values of a subject that could never match anything.
func (s *Subject) Problems() (out []fault.Problem) {
	if s.Risk != "" && !s.Risk.Valid() {
		out = append(out, fault.Problem{Path: "/subject/risk",
			Message: fmt.Sprintf("%q is not a risk level: write low, medium, high or critical", s.Risk)})
	}
	if c := s.Confidence; c != nil && !(*c >= 0 && *c <= 1) {
		out = append(out, fault.Problem{Path: "/subject/confidence", Message: fmt.Sprintf("%v is not between 0 and 1", *c)})
	}
	return out
}

// total adds up the earlier acts.
func (s *Subject) total(set *policy.Set, sub policy.Subject) func(policy.SumQuery) (policy.Total, bool) {
	return func(q policy.SumQuery) (out policy.Total, known bool) {
		for _, data := range s.Earlier {
			own := sub
			if own.Data = view.OrNull(data); value.KindOf(data) == value.KindObject &&
				value.KindOf(sub.Data) == value.KindObject {
				own.Data = value.Merge(sub.Data, data) // missing fields are as in this one
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

// Verdict is the verdict of a policy on a subject, rule by rule.
type Verdict struct {
	Effect policy.Effect `json:"effect"` // The result; none: no rule applies.
	Rule   string        `json:"rule"`   // The rule that decided.
	Reason string        `json:"reason"`
	Policy string        `json:"policy"` // Hash of the policy.
	Steps  []policy.Step `json:"steps"`  // The result of each rule, in order of evaluation.
}

// Ask evaluates a policy on the subject, given how often its rules were used.
func (s *Subject) Ask(set *policy.Set, now time.Time, uses map[string]int) Verdict {
	at := s.At
	if at.IsZero() {
		at = now
	}
	sub := policy.Subject{
		Workflow: s.Workflow, Step: s.Step, Agent: s.Agent, Tool: s.Tool, Operation: s.Operation, Risk: s.Risk,
		Confidence: s.Confidence,
		Result:     s.Result, Irreversible: s.Irreversible, Data: view.OrNull(s.Data), Key: s.Key,
		Uses: func(rule string) int { return uses[rule] },
		Look: func(name string) (json.RawMessage, bool) {
			if name == "context" {
				return view.OrNull(s.Context), true
			}
			return value.Get(s.Context, name)
		},
	}
	sub.Total = s.total(set, sub)
	v, steps := set.Explain(at, sub)
	return Verdict{cmp.Or(v.Effect, policy.Nothing), v.Rule, cmp.Or(v.Reason, "No rule matches."),
		set.Hash(), view.NotNil(steps)}
}
