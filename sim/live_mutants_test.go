//go:build mutant

package sim_test

import (
	"os"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/sim"
)

// engineSeedsPerBug is the maximum number of seeds to detect a planted bug of the engine.
const engineSeedsPerBug = 1000

// byEngineTests are bugs that simulations do not reach: tests of the engine catch them, see
// TestEngineTestsCatchMutants there.
var byEngineTests = map[mutant.Bug]bool{mutant.ManyNotCancelled: true, mutant.SilenceUnguarded: true,
	mutant.BlobInterrupted: true}

// TestEngineMutants plants one bug of the engine after the other and expects a simulation to detect each.
// MUTANT selects bugs by words in them.
func TestEngineMutants(t *testing.T) {
	defer func() { mutant.Active = "" }()
	for _, bug := range mutant.Engine {
		if byEngineTests[bug] || !strings.Contains(string(bug), os.Getenv("MUTANT")) {
			continue
		}
		mutant.Active = bug
		bad := detect(bug, engineSeedsPerBug, func(o sim.Options) sim.Result { return inBubble(t, o) })
		if len(bad) == 0 {
			t.Errorf("nobody noticed within %d seeds: %s", engineSeedsPerBug, bug)
			continue
		}
		t.Logf("%-66s seed %4d: %s", bug, bad[0].Options.Seed, bad[0].Violation)
		mutant.Active = ""
		if r := inBubble(t, bad[0].Options); r.Violation != nil {
			t.Errorf("%s: seed %d breaks without it, too: %s", bug, r.Options.Seed, r.Violation)
		}
	}
}
