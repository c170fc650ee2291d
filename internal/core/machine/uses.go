package machine

import (
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
)

// RuleUse is an approval by a rule in place of people.
type RuleUse struct {
	Rule string
	Max  int // how often the rule may approve in total; 0: no limit
}

// Uses lists the approvals by rules in these events. A rule that decides for itself and for a gate about the
// same act is used once.
func Uses(events []run.Event) (out []RuleUse) {
	type act struct {
		rule  string
		spot  run.Spot
		index int
	}
	seen := map[act]bool{}
	for _, e := range events {
		f, ok := e.Fact.(*run.ApprovalAutoApproved)
		if !ok || f.Request.Rule == nil {
			continue
		}
		a := act{f.Request.Rule.Name, f.Spot, f.Spot.Element()}
		a.spot.Index = nil
		if !seen[a] && !mutant.Is(mutant.UsesIgnored) {
			seen[a] = true
			out = append(out, RuleUse{f.Request.Rule.Name, f.Request.Rule.MaxUses})
		}
	}
	return out
}

// UsedIn is how often a rule has approved in some events.
func UsedIn(events []run.Event, rule string) (n int) {
	for _, u := range Uses(events) {
		if u.Rule == rule {
			n++
		}
	}
	return n
}
