package policy

import (
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/expr"
)

// Stopped is the policy with the emergency stop pulled: it asks wherever it
// would have approved.
func (s *Set) Stopped() *Set {
	if s == nil {
		return nil
	}
	stopped := *s
	stopped.stopped = true
	return &stopped
}

// Step is what one rule said when it was asked about a subject.
type Step struct {
	Rule     string `json:"rule"`
	Path     string `json:"path"`
	Priority *int   `json:"priority,omitempty"`
	When     string `json:"when"`
	Result   string `json:"result"` // decides, does not match, is off …
	Decides  bool   `json:"decides,omitempty"`
}

// Explain goes through the rules as Judge does and says what each of them made
// of the subject, up to the one that decides.
func (s *Set) Explain(now time.Time, sub Subject) (Verdict, []Step) {
	if s == nil {
		return Verdict{}, nil
	}
	v := view{sub: &sub, roots: s.roots, paths: s.paths, budget: expr.Budget}
	var steps []Step
	for _, r := range s.rules {
		step := Step{Rule: r.name, Path: r.path, When: r.when.String()}
		if !r.auto {
			step.Priority = &r.priority
		}
		verdict, said := s.asked(now, r, &v)
		step.Result, step.Decides = said, verdict.Effect != None
		steps = append(steps, step)
		if step.Decides {
			return verdict, steps
		}
	}
	return Verdict{}, steps
}

// asked is one rule's word on a subject, and why.
func (s *Set) asked(now time.Time, r *rule, v *view) (Verdict, string) {
	if !r.applies(now, v.sub) {
		return Verdict{}, r.idle(now, v.sub)
	}
	switch m := r.when.match(v); {
	case m.holds:
		out := s.verdict(now, r, v)
		return out, "decides: " + out.Reason
	case m.doubt != "" && r.effect != Approves:
		out := s.ask(r, "cannot tell whether it applies and asks: "+m.doubt)
		return out, "decides: " + out.Reason
	case m.doubt != "":
		return Verdict{}, "does not match: " + m.doubt
	}
	return Verdict{}, "does not match: " + r.when.differs(v)
}

// idle says why a rule does not look at a subject at all.
func (r *rule) idle(now time.Time, sub *Subject) string {
	switch {
	case !r.enabled:
		return "is switched off"
	case !r.expires.IsZero() && !now.Before(r.expires):
		return "has ended at " + r.expires.Format(time.RFC3339)
	case r.uses > 0 && sub.Uses != nil && sub.Uses(r.name) >= r.uses:
		return fmt.Sprintf("has been used %d times", r.uses)
	case sub.Result:
		return "looks at what is about to run, and this is a result"
	}
	return "looks at results, and this is about to run"
}

// differs names the first part of a trigger that does not hold, as match looks at them.
func (t *trigger) differs(v *view) string {
	if len(t.risks) > 0 {
		one := trigger{risks: t.risks}
		if !one.match(v).holds {
			return fmt.Sprintf("the risk is %s, not %s", orNone(string(v.sub.Risk)), either(t.risks))
		}
	}
	for i, w := range v.sub.words() {
		one := trigger{}
		one.words[i] = t.words[i]
		if !one.match(v).holds {
			return fmt.Sprintf("%s is %s, not %s", wordNames[i], orNone(w), either(t.words[i]))
		}
	}
	for _, c := range t.confidences {
		one := trigger{confidences: []confidence{c}}
		if !one.match(v).holds {
			return fmt.Sprintf("confidence is not %s %s", c.op, decimal(c.value))
		}
	}
	for _, f := range t.fields {
		if ok, err := f.test.Test(&v.budget, v.operand(&f)); err != nil || !ok {
			return fmt.Sprintf("%s is %s, not %s %s", f.path, orNone(short(string(v.field(f.path)))), f.op, short(string(f.value)))
		}
	}
	return short(t.when.String()) + " does not hold"
}

func orNone(s string) string {
	if s == "" {
		return "not known"
	}
	return s
}
