package sim_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-run/assent/sim"
)

// inBubble runs a seed on real engines, in a synctest bubble.
func inBubble(t *testing.T, o sim.Options) (r sim.Result) {
	synctest.Test(t, func(*testing.T) { r = sim.RunEngine(o) })
	return r
}

// TestEngineSeed replays one seed on real engines and prints the trace. The goroutines are real, so that a seed may
// need some -times to fail again.
func TestEngineSeed(t *testing.T) {
	if *seed == 0 {
		t.Skip("no -seed given")
	}
	var r sim.Result
	for n := 0; n < max(*times, 1) && r.Violation == nil; n++ {
		r = inBubble(t, sim.Options{
			Seed: *seed, Ops: *ops, Steps: *steps, Gates: *gates, Runs: *runs, People: *people, Trace: true, Off: switchedOff(),
		})
	}
	if *whole {
		t.Log("\n" + strings.Join(r.Trace, "\n"))
	}
	if r.Violation != nil {
		t.Fatal(sim.Script(r))
	}
}

// TestEngineSeedsThatFailed runs the seeds that once found a bug: sub-runs that never began, a store that was
// unavailable when one began, an auditor that did not count how often a step was requested, and agents that
// continued to work for a run that another process had cancelled while the store was unavailable, an agent blamed
// for a deliverable that was being stored when its process stopped, a rejection that sent back a step that had
// been replaced, and an auditor that wanted a decision about skipped steps.
func TestEngineSeedsThatFailed(t *testing.T) {
	for _, seed := range []uint64{125, 156, 6951, 10218, 11682, 12018, 13504, 17860, 18597} {
		if r := inBubble(t, sim.Options{Seed: seed}); r.Violation != nil {
			t.Errorf("seed %d: %s", seed, r.Violation)
		}
	}
}

// TestEngineSeeds runs SEEDS seeds (default 100) on real engines, starting with FROM.
func TestEngineSeeds(t *testing.T) {
	count, from := number(t, "SEEDS", 100), number(t, "FROM", 1)
	cover, bad := many(from, count, math.MaxInt, func(o sim.Options) sim.Result { return inBubble(t, o) })
	for _, r := range bad {
		t.Error(oneLine(r))
	}
	if testing.Verbose() {
		t.Log("\n" + cover.String())
	}
	if count < 2_000 || t.Failed() {
		return
	}
	for _, f := range sim.EngineFaults {
		if !slices.Contains(shapes, f) && cover["fault"][string(f)] == 0 {
			t.Errorf("no simulation came to the fault %s: what is not reached is not tested", f)
		}
	}
}
