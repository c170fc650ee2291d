package sim_test

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/sim"
	"github.com/assent-run/assent/sim/audit"
)

// TestSameSeedSameBytes: a seed is a script. Everything it leads to is the same each time, down to the last
// byte of every log.
func TestSameSeedSameBytes(t *testing.T) {
	for seed := uint64(1); seed <= 40; seed++ {
		o := sim.Options{Seed: seed, Trace: true}
		a, b := sim.Run(o), sim.Run(o)
		if !slices.Equal(a.Trace, b.Trace) {
			t.Fatalf("seed %d happened differently the second time", seed)
		}
		if len(a.Case.Runs) != len(b.Case.Runs) {
			t.Fatalf("seed %d made %d runs, then %d", seed, len(a.Case.Runs), len(b.Case.Runs))
		}
		for i, r := range a.Case.Runs {
			if again := b.Case.Runs[i]; !bytes.Equal(bytes.Join(r.Lines, nil), bytes.Join(again.Lines, nil)) {
				t.Fatalf("seed %d left another log of %s the second time", seed, r.ID)
			}
		}
	}
}

// TestExplicitOpsChangeNothing: -ops with the seed's own number is the same simulation, so a printed command
// reproduces a failure.
func TestExplicitOpsChangeNothing(t *testing.T) {
	a := sim.Run(sim.Options{Seed: 7, Trace: true})
	b := sim.Run(sim.Options{Seed: 7, Trace: true, Ops: a.Options.Ops})
	if !slices.Equal(a.Trace, b.Trace) {
		t.Fatalf("-ops=%d is not what the seed does by itself", a.Options.Ops)
	}
}

// TestAuditorSharesNothing: an auditor that used the core's code would be wrong in the same places.
func TestAuditorSharesNothing(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./audit").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	for _, pkg := range strings.Fields(string(out)) {
		if pkg != "github.com/assent-run/assent/sim/audit" && strings.Contains(strings.SplitN(pkg, "/", 2)[0], ".") {
			t.Errorf("the auditor imports %s: it may use the standard library and nothing else", pkg)
		}
	}
}

// TestPrintedCommandReplays: the command that a failure prints runs the simulation that failed.
func TestPrintedCommandReplays(t *testing.T) {
	for test, r := range map[string]sim.Result{
		"'TestSeed$'":       sim.Run(sim.Options{Seed: 7}),
		"'TestEngineSeed$'": inBubble(t, sim.Options{Seed: 7}),
	} {
		r.Violation = &audit.Violation{}
		if script := sim.Script(r); !strings.Contains(script, test+" "+r.Options.Flags()) {
			t.Errorf("%s should be replayed with %s", script[strings.Index(script, "replay:"):], test)
		}
	}
}
