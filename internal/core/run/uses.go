package run

import "github.com/assent-run/assent/internal/core/mutant"

// RuleUse is something that a rule approved in people's stead.
type RuleUse struct {
	Rule string
	Max  int // how often the rule may do so in all; 0: any number
}

// Uses lists what rules approved in these events. A rule that answers for
// itself and for a gate about one and the same act is used once.
func Uses(events []Event) (out []RuleUse) {
	type act struct {
		rule  string
		spot  Spot
		index int
	}
	seen := map[act]bool{}
	for _, e := range events {
		f, ok := e.Fact.(*ApprovalAutoApproved)
		if !ok || f.Request.Rule == nil {
			continue
		}
		a := act{f.Request.Rule.Name, f.Spot, indexOf(f.Spot.Index)}
		a.spot.Index = nil
		if !seen[a] && !mutant.Is(mutant.UsesIgnored) {
			seen[a] = true
			out = append(out, RuleUse{f.Request.Rule.Name, f.Request.Rule.MaxUses})
		}
	}
	return out
}

// usedHere is how often a rule has approved since this command came. No store
// has counted these uses yet.
func (d *draft) usedHere(rule string) (n int) {
	for _, u := range Uses(d.events) {
		if u.Rule == rule {
			n++
		}
	}
	return n
}
