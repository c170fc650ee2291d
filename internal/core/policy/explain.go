package policy

import (
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/phrase"
)

// Stopped returns the policy with the emergency stop on: it asks wherever it would have approved.
func (s *Set) Stopped() *Set {
	if s == nil {
		return nil
	}
	stopped := *s
	stopped.stopped = true
	return &stopped
}

// Stops reports whether the emergency stop is on, or the policy sets it.
func (s *Set) Stops() bool { return s != nil && s.stopped }

// Step is the result of evaluating one rule on a subject.
type Step struct {
	Rule     string `json:"rule"` // The rule.
	Path     string `json:"path"`
	Priority *int   `json:"priority,omitempty"` // Lower is evaluated first; none under auto_approval.
	When     string `json:"when"`               // The condition, in words.
	Result   string `json:"result"`             // The result, in words.
	Decides  bool   `json:"decides,omitempty"`  // Whether this rule decides.
}

// Explain evaluates the rules as Judge does and reports the result of each, up to the one that settled the
// verdict. That is the rule that decides, or a later one if a rule that would approve was undetermined.
func (s *Set) Explain(now time.Time, sub Subject) (Verdict, []Step) {
	if s == nil {
		return Verdict{}, nil
	}
	var steps []Step
	verdict := s.judge(now, &sub, func(r *rule, v *view, says saying) {
		step := Step{Rule: r.name, Path: r.path, When: r.when.String(), Result: r.result(now, v, says)}
		if !r.auto {
			step.Priority = &r.priority
		}
		steps = append(steps, step)
	})
	for i := range steps {
		if steps[i].Rule == verdict.Rule {
			steps[i].Result, steps[i].Decides = "decides: "+verdict.Reason, true
		}
	}
	return verdict, steps
}

// result describes the result of a rule that does not decide.
func (r *rule) result(now time.Time, v *view, says saying) string {
	switch says {
	case idle:
		return r.idle(now, v.sub)
	case speaks:
		if r.passes(v.sub) {
			return "may not approve this, and does not ask about results"
		}
		return "would approve, but an earlier rule may apply"
	case stepsBack:
		return "would approve, but " + r.when.unknowns(v)
	}
	if truth, _ := r.when.match(v); truth == expr.Unknown {
		return "does not match: " + r.when.unknowns(v)
	}
	return "does not match: " + r.when.differs(v)
}

// idle explains why a rule does not apply to a subject at all.
func (r *rule) idle(now time.Time, sub *Subject) string {
	switch {
	case !r.enabled:
		return "is disabled"
	case !r.expires.IsZero() && !now.Before(r.expires):
		return "expired at " + r.expires.Format(time.RFC3339)
	case r.uses > 0 && sub.Uses != nil && sub.Uses(r.name) >= r.uses:
		return fmt.Sprintf("has been used %d times", r.uses)
	case sub.Result && r.when.results() == given:
		return "applies to results with a confidence; this one has none"
	case sub.Result:
		return "applies before something runs; this is a result"
	}
	return "applies to results; this has not run yet"
}

// differs names the first part of a trigger that is false, in match's order.
func (t *trigger) differs(v *view) string {
	no := func(one trigger) bool {
		truth, _ := one.match(v)
		return truth == expr.False
	}
	if no(trigger{risks: t.risks}) {
		return fmt.Sprintf("the risk is %s, not %s", orNone(string(v.sub.Risk)), either(t.risks))
	}
	for i, w := range v.sub.words() {
		one := trigger{}
		if one.words[i] = t.words[i]; no(one) {
			return fmt.Sprintf("%s is %s, not %s", wordNames[i], orNone(w), either(t.words[i]))
		}
	}
	for _, c := range t.confidences {
		if no(trigger{confidences: []confidence{c}}) {
			return fmt.Sprintf("confidence is not %s %s", c.op, decimal(c.value))
		}
	}
	for _, f := range t.fields {
		if f.sum != nil && no(trigger{fields: []field{f}}) {
			return fmt.Sprintf("%s, not %s %s", f.sum.tells(v.sumOf(f.sum)), f.op, phrase.Grouped(string(f.value)))
		}
		if no(trigger{fields: []field{f}}) {
			return fmt.Sprintf("%s is %s, not %s %s", f.path, orNone(short(string(v.field(f.path)))), f.op,
				short(string(f.value)))
		}
	}
	return short(t.when.String()) + " is false"
}

func orNone(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
