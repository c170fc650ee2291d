//go:build mutant

package sim_test

import (
	"testing"

	"github.com/assent-run/assent/internal/core/mutant"
)

// seedsPerBug is how long a planted bug may hide.
const seedsPerBug = 3_000

// TestMutants plants one bug after the other and wants each to be noticed. It
// runs as `go test -tags mutant ./sim -run TestMutants`.
func TestMutants(t *testing.T) {
	defer func() { mutant.Active = "" }()
	for _, bug := range mutant.All {
		mutant.Active = bug
		_, bad := many(1, seedsPerBug, 1)
		if len(bad) == 0 {
			t.Errorf("nobody noticed within %d seeds: %s", seedsPerBug, bug)
			continue
		}
		t.Logf("%-50s noticed at seed %d: %s", bug, bad[0].Options.Seed, bad[0].Violation.Invariant)
	}
}
