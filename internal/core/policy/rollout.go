package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/value"
)

// Rollout is the share of cases that a rule approves: fixed, or growing linearly from 0 to its target. It
// decodes 25 and {"to": 50, "over": "14d"}, and encodes the latter.
type Rollout struct {
	To   *float64 `json:"to"`
	Over Scalar   `json:"over,omitempty"`
	// From is when it starts to grow. The default is when the rule, as it is written now, came into force;
	// see Set.Since.
	From string `json:"from,omitempty"`
}

func (r *Rollout) UnmarshalJSON(raw []byte) error {
	if first(raw) == '{' {
		type plain Rollout
		return strict(raw, (*plain)(r))
	}
	*r = Rollout{}
	return json.Unmarshal(raw, &r.To)
}

// everything is the share of a rule without a rollout: 10,000 of 10,000.
const everything = 10_000

// ramp is a compiled rollout.
type ramp struct {
	to    int           // of 10,000
	over  time.Duration // 0: at once
	from  time.Time     // zero: unknown
	fixed bool          // the document sets the start
}

// at returns how many of 10,000 cases a rule approves at a given time. As long as it is unknown when the rule
// came into force, that is none.
func (r ramp) at(now time.Time) int {
	if r.over == 0 {
		return r.to
	}
	gone := now.Sub(r.from)
	switch {
	case r.from.IsZero() || gone <= 0:
		return 0
	case gone >= r.over:
		return r.to
	}
	return int(int64(r.to) * gone.Milliseconds() / r.over.Milliseconds())
}

func (c *compiler) rollout(path string, r *rule, in Action) {
	r.rollout = ramp{to: everything}
	if p := in.RolloutPercentage; p != nil {
		r.rollout.to = c.percentage(path+".rollout_percentage", r, *p)
	}
	if in.Rollout == nil {
		return
	}
	path += ".rollout"
	if in.RolloutPercentage != nil {
		c.bad(path, "give either rollout or rollout_percentage")
	}
	if in.Rollout.To == nil {
		c.bad(path+".to", "it is missing: write { to: 50, over: 14d }")
		return
	}
	r.rollout.to = c.percentage(path+".to", r, *in.Rollout.To)
	if in.Rollout.Over == "" {
		if in.Rollout.From != "" {
			c.bad(path+".over", "it is missing: say over how long the share grows, such as 14d")
		}
		return
	}
	over, err := quantity.ParseDuration(string(in.Rollout.Over))
	switch {
	case err != nil:
		c.bad(path+".over", "%v", err)
	case over.Std() < time.Minute || over.Std() > secondsMax*time.Second:
		c.bad(path+".over", "%s is not between 1m and %s", over, quantity.Duration(secondsMax*time.Second))
	}
	r.rollout.over = over.Std()
	if in.Rollout.From != "" {
		r.rollout.from, r.rollout.fixed = c.moment(path+".from", in.Rollout.From), true
	}
}

// percentage returns hundredths of a percent.
func (c *compiler) percentage(path string, r *rule, p float64) int {
	if !(p >= 0 && p <= 100) {
		c.bad(path, "%v is not between 0 and 100", p)
		return 0
	}
	if r.effect != Approves {
		c.warn(path, "it has no effect here: only rules with auto_approve: true approve some of the cases")
	}
	return int(math.Round(p * 100))
}

// Ramps returns the names of rules whose share grows from when they came into force.
func (s *Set) Ramps() (names []string) {
	if s == nil {
		return nil
	}
	for _, r := range s.rules {
		if r.rollout.over > 0 && !r.rollout.fixed {
			names = append(names, r.name)
		}
	}
	return names
}

// Since returns the policy with the times at which rules came into force, by name.
func (s *Set) Since(began map[string]time.Time) *Set {
	return s.ramped(func(r *rule) ramp {
		out := r.rollout
		if at, ok := began[r.name]; ok && !out.fixed {
			out.from = at
		}
		return out
	})
}

// AtTarget returns the policy with every share at its target: the most it will ever approve.
func (s *Set) AtTarget() *Set {
	return s.ramped(func(r *rule) ramp { return ramp{to: r.rollout.to} })
}

func (s *Set) ramped(change func(*rule) ramp) *Set {
	if s == nil {
		return nil
	}
	out := *s
	out.rules = make([]*rule, len(s.rules))
	for i, r := range s.rules {
		if out.rules[i] = r; r.rollout.over > 0 {
			other := *r
			other.rollout = change(r)
			out.rules[i] = &other
		}
	}
	return &out
}

// Unchanged reports whether two documents have the same rule under a name: its trigger, its action, and
// whether it is enabled. Its position and its descriptions do not matter.
func Unchanged(a, b Document, name string) bool {
	x, y := a.essence(name), b.essence(name)
	return x != nil && bytes.Equal(x, y)
}

func (d Document) essence(name string) []byte {
	for _, list := range [][]Rule{d.Rules, d.Checkpoints} {
		for _, r := range list {
			if r.Name == name {
				r.Description, r.Title, r.Priority = "", "", 0
				return canonical(r)
			}
		}
	}
	if d.AutoApproval == nil {
		return nil
	}
	for _, r := range d.AutoApproval.Rules {
		if r.Name == name {
			r.Description, r.Title = "", ""
			return canonical(r)
		}
	}
	return nil
}

func canonical(v any) []byte {
	raw, err := value.Marshal(v)
	if err != nil {
		return nil
	}
	return value.Canonical(raw)
}

func (r *rule) rolledOut(now time.Time, sub *Subject) bool {
	share := r.rollout.at(now)
	return share == everything || mutant.Is(mutant.RolloutIgnored) || bucket("rollout", r.name, sub.key()) < share
}

// notAmong reports that a subject is outside a rule's rollout.
func (r *rule) notAmong(now time.Time) string {
	share, to := percent(r.rollout.at(now)), percent(r.rollout.to)
	switch {
	case r.rollout.over == 0 || share == to:
		return fmt.Sprintf("this request is outside its %s %% rollout", to)
	case r.rollout.from.IsZero():
		return fmt.Sprintf("its rollout to %s %% has not started", to)
	}
	by := r.rollout.from.Add(r.rollout.over).UTC().Format("2006-01-02 15:04 MST")
	return fmt.Sprintf("this request is outside its rollout, which is at %s %% now (%s %% by %s)", share, to, by)
}

// percent formats hundredths of a percent.
func percent(hundredths int) string { return strconv.FormatFloat(float64(hundredths)/100, 'f', -1, 64) }
