package sim_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/sim"
)

var (
	seed   = flag.Uint64("seed", 0, "the seed of TestSeed")
	ops    = flag.Int("ops", 0, "operations before the faults stop")
	steps  = flag.Int("steps", 0, "steps of a workflow at most")
	gates  = flag.Int("gates", 0, "fewer gates than that in a workflow; 1: none")
	runs   = flag.Int("runs", 0, "runs at most")
	people = flag.Int("people", 0, "operations by people at most; -1: none")
	off    = flag.String("off", "", "kinds of trouble to switch off, separated by commas")
	whole  = flag.Bool("whole", false, "print every operation, and do not shrink")
)

// TestSeed replays one seed and prints what happened.
func TestSeed(t *testing.T) {
	if *seed == 0 {
		t.Skip("no -seed given")
	}
	o := sim.Options{Seed: *seed, Ops: *ops, Steps: *steps, Gates: *gates, Runs: *runs, People: *people, Trace: true}
	o.Off = switchedOff()
	r := sim.Run(o)
	if *whole {
		t.Log("\n" + strings.Join(r.Trace, "\n"))
	}
	if r.Violation != nil {
		t.Fatal(sim.Script(r))
	}
}

// switchedOff are the kinds of trouble that -off names.
func switchedOff() (out []sim.Fault) {
	for f := range strings.SplitSeq(*off, ",") {
		if f != "" {
			out = append(out, sim.Fault(f))
		}
	}
	return out
}

// TestSeeds runs SEEDS seeds (2,000 unless told), on all cores.
func TestSeeds(t *testing.T) {
	count, first := uint64(2_000), uint64(1)
	if s := os.Getenv("SEEDS"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		count = n
	}
	if s := os.Getenv("FIRST"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		first = n
	}
	cover, bad := many(first, count, 1)
	for _, r := range bad {
		t.Error(sim.Shrink(r))
	}
	if testing.Verbose() {
		t.Log("\n" + cover.String())
	}
	if count < 2_000 || t.Failed() {
		return
	}
	reached := func(kind string, names ...string) {
		for _, name := range names {
			if cover[kind][name] == 0 {
				t.Errorf("no simulation came to the %s %s: what is not reached is not tested", kind, name)
			}
		}
	}
	reached("fact", slices.DeleteFunc(run.Types(), func(t string) bool { return slices.Contains(oneVersion, t) })...)
	for _, f := range sim.Faults {
		if !slices.Contains(shapes, f) {
			reached("fault", string(f))
		}
	}
	for _, a := range gate.Acts {
		reached("act", string(a))
	}
	for _, then := range gate.Thens {
		reached("timeout", string(then))
	}
	reached("command", "start", "decide", "expire", "cancel", "abort", "pause", "resume", "injectsteps", "replan", "skipstep",
		"modifyargs", "sendmessage", "comment", "consult", "takesnapshot", "fork")
}

// oneVersion are facts about tools and agents that change while people decide.
// Hosts of a simulation have one version of everything; scenarios 21 and the
// escapes changed_tool and changed_agent in e2e are about them.
var oneVersion = []string{"step.rebound", "call.rebound"}

// shapes are kinds of trouble that lie in the definitions, not in the dice.
var shapes = []sim.Fault{sim.Refusals, sim.Edits, sim.Forks, sim.Policies, sim.NewRules, sim.LLM, sim.Maps, sim.SubWorkflows, sim.LoopPoints}

// many runs seeds on all cores until it has seen enough failures. For long runs
// it says how far it is.
func many(first, count uint64, enough int) (sim.Cover, []sim.Result) {
	var (
		mu    sync.Mutex
		bad   []sim.Result
		cover = sim.Cover{}
		next  atomic.Uint64
		done  atomic.Uint64
		wg    sync.WaitGroup
		began = time.Now()
	)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			own := sim.Cover{}
			for {
				n := next.Add(1) - 1
				mu.Lock()
				stop := len(bad) >= enough
				mu.Unlock()
				if n >= count || stop {
					break
				}
				r := sim.Run(sim.Options{Seed: first + n, Off: switchedOff()})
				own.Merge(r.Cover)
				if r.Violation != nil {
					mu.Lock()
					bad = append(bad, r)
					mu.Unlock()
				}
				if d := done.Add(1); d%5_000 == 0 {
					rate := float64(d) / time.Since(began).Seconds()
					left := time.Duration(float64(count-d)/rate) * time.Second
					fmt.Printf("%d of %d seeds, %.0f per second, %s left\n", d, count, rate, left.Round(time.Second))
				}
			}
			mu.Lock()
			cover.Merge(own)
			mu.Unlock()
		})
	}
	wg.Wait()
	slices.SortFunc(bad, func(a, b sim.Result) int { return int(a.Options.Seed) - int(b.Options.Seed) })
	return cover, bad
}
