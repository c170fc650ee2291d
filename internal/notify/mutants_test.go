//go:build mutant

package notify_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/assent-run/assent/internal/core/mutant"
)

// shownBy are scenarios that notice a bug. They are played first; where one notices nothing, the others are.
var shownBy = map[mutant.Bug]string{
	mutant.ButtonsStay: "may not see", mutant.NotLookedUp: "a killed host", mutant.ClaimsStay: "a killed host",
	mutant.DigestDropped: "digest later", mutant.QuietIgnored: "quiet hours", mutant.ToldWithoutRight: "may not see",
	mutant.FallbackForgotten: "fallback", mutant.MaskedShown: "masked", mutant.ToldAgain: "escalation",
}

// TestNotificationTestsCatchMutants plants one bug at a time; at least one scenario has to fail.
func TestNotificationTestsCatchMutants(t *testing.T) {
	defer func() { mutant.Active = "" }()
	for _, bug := range mutant.Notifications {
		t.Run(string(bug), func(t *testing.T) {
			mutant.Active = bug
			order := slices.Sorted(maps.Keys(scenarios))
			if name, ok := shownBy[bug]; ok {
				order = append([]string{name}, order...)
			}
			for _, name := range order {
				if wrong := scenarios[name](newWorld(t)); len(wrong) > 0 {
					t.Logf("%s: %s", name, wrong[0])
					return
				}
			}
			t.Errorf("no test noticed: %s", bug)
		})
	}
}
