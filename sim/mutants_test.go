//go:build mutant

package sim_test

import (
	"os"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/sim"
	"github.com/assent-run/assent/sim/audit"
)

// seedsPerBug is the maximum number of seeds to detect a planted bug.
const seedsPerBug = 3_000

// byOthers are bugs that show before any log is written, so that the auditor has nothing to read: the fold,
// the hosts or the store detect them. Every other bug must be detected by the auditor itself.
var byOthers = map[mutant.Bug]string{
	mutant.SnapshotIncomplete: "the fold: a snapshot with its tail is another state",
	mutant.StaleAppend:        "the fold: two hosts hold different states",
	mutant.EffectsOnce:        "the hosts: a run stands still",
	mutant.DeadlineWins:       "the hosts: what wakes them is found by them",
	mutant.AnsweredTwice:      "the hosts: a command is answered differently",
}

// byScenarios are bugs that the simulator cannot detect: its rules only look at the confidence of results,
// none of them uses sums, nothing in it writes a duplicate key, and nothing is irreversible. Scenarios in
// internal/core/decide and the adversary's escapes in e2e catch them.
var byScenarios = map[mutant.Bug]bool{
	mutant.ConfidenceUnseen: true, mutant.KeysTwice: true, mutant.SumForgetsThis: true, mutant.SumForgetsOthers: true,
	mutant.SumForgetsRuns:    true,
	mutant.RuleSparesNothing: true, mutant.SilenceSparesNone: true,
	mutant.AnswersForged: true, mutant.ProgramsAreSure: true,
}

// detects are seeds that detect a bug, of those that the first few seeds do not. They are tried first; one that
// detects it no longer, because simulations have changed, costs the time of a search. -v lists those in use.
var detects = map[mutant.Bug]uint64{
	mutant.DoubleVote: 66, mutant.EffectsOnce: 73, mutant.DeadlineWins: 14, mutant.DeniedCallRuns: 17,
	mutant.OverrideIgnored: 36, mutant.CriticalIgnored: 74, mutant.HandOffLoosens: 836,
	mutant.HandOffAnywhere: 115, mutant.HoursIgnored: 40, mutant.StopIgnored: 52, mutant.SilenceDuringStop: 150,
	mutant.DefaultDuringStop: 150, mutant.NotAskedOnceMore: 16, mutant.RolloutIgnored: 29,
	mutant.ChangeUnnoticed: 46, mutant.RejectedIsUsed: 489, mutant.VotesMatchedAnew: 50, mutant.UsesIgnored: 152,
	mutant.OldRevisionCounts: 331, mutant.ReplanUnasked: 17, mutant.ReplanRejected: 37,
	mutant.ReplanOvertaken: 1949, mutant.ReplanUnset: 36, mutant.ReplaceUngated: 432, mutant.ReplacedReturns: 197,
	mutant.AheadAnyway: 185, mutant.AheadKeyKept: 26, mutant.AheadDelivers: 135, mutant.AheadCosts: 26,
	mutant.HarmAhead: 37, mutant.AheadPastGate: 185,
	// By simulations of engines:
	mutant.GenerationDropped: 256, mutant.UsesDropped: 152, mutant.FencingOff: 37, mutant.CancelledIsFailure: 32,
	mutant.ChildForgotten: 130, mutant.OutageFails: 164,
}

// detect returns the violations of the seed that is known to detect the planted bug, or of the first of count seeds.
func detect(bug mutant.Bug, count uint64, run func(sim.Options) sim.Result) []sim.Result {
	if seed, ok := detects[bug]; ok {
		if _, bad := many(seed, 1, 1, run); len(bad) > 0 {
			return bad
		}
	}
	_, bad := many(1, count, 1, run)
	return bad
}

// TestMutants plants one bug after the other and expects each to be detected, and by whom. It runs as `go
// test -tags mutant ./sim -run TestMutants`; MUTANT selects bugs by words in them.
func TestMutants(t *testing.T) {
	defer func() { mutant.Active = "" }()
	for _, bug := range mutant.All {
		if byScenarios[bug] || !strings.Contains(string(bug), os.Getenv("MUTANT")) {
			continue
		}
		mutant.Active = bug
		bad := detect(bug, seedsPerBug, sim.Run)
		if len(bad) == 0 {
			t.Errorf("nobody noticed within %d seeds: %s", seedsPerBug, bug)
			continue
		}
		v := bad[0].Violation
		t.Logf("%-66s seed %4d: %s", bug, bad[0].Options.Seed, v.Invariant)
		mutant.Active = ""
		if r := sim.Run(bad[0].Options); r.Violation != nil {
			t.Errorf("%s: seed %d breaks without it, too: %s", bug, r.Options.Seed, r.Violation)
		}
		if _, ok := byOthers[bug]; !ok && !audit.Knows(v.Invariant) {
			t.Errorf("%s: the auditor has to catch this, not only %q", bug, v.Invariant)
		}
	}
}
