package storekit

import (
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

// Outdated reports that a write was decided under other definitions.
func Outdated(given, current int64) error {
	return fault.New(fault.Outdated, "the definitions have changed since this was decided", "decide again").
		With("generation", given).With("current", current)
}

// UsedUp reports that a rule has used up its approvals.
func UsedUp(u port.Use) error {
	return fault.Newf(fault.Outdated, "rule %q has approved %d times, which is its limit", u.Rule, u.Max)
}

// Grants counts the uses of rules against earlier uses.
func Grants(uses []port.Use, before func(rule string) (int, error)) (map[string]int, error) {
	now := map[string]int{}
	for _, u := range uses {
		if _, seen := now[u.Rule]; !seen {
			n, err := before(u.Rule)
			if err != nil {
				return nil, err
			}
			now[u.Rule] = n
		}
		if now[u.Rule]++; now[u.Rule] > u.Max {
			return nil, UsedUp(u)
		}
	}
	return now, nil
}
