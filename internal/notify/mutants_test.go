//go:build mutant

package notify_test

import (
	"testing"

	"github.com/assent-run/assent/internal/core/mutant"
)

// TestNotificationTestsCatchMutants plants one bug at a time; at least one scenario has to fail.
func TestNotificationTestsCatchMutants(t *testing.T) {
	defer func() { mutant.Active = "" }()
	for _, bug := range mutant.Notifications {
		t.Run(string(bug), func(t *testing.T) {
			mutant.Active = bug
			for name, scenario := range scenarios {
				if wrong := scenario(newWorld(t)); len(wrong) > 0 {
					t.Logf("%s: %s", name, wrong[0])
					return
				}
			}
			t.Errorf("no test noticed: %s", bug)
		})
	}
}
