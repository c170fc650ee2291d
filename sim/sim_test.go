package sim_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
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
	times  = flag.Int("times", 1, "how often TestEngineSeed plays its seed until it fails")
	whole  = flag.Bool("whole", false, "print every operation, and do not shrink")
)

// TestSeed replays one seed and prints the trace.
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

// TestSeedsThatFailed runs the seeds that once found a bug: an agent that timed out in a cancelled run, an
// auditor that judged a second attempt by the policy of the first, an element done while its approval was
// pending, a map that asked about completed work, a failed step that was replaced after a fork had gone past it,
// and an auditor that held a call to the approval of one in an earlier revision, in a run that asked 63 times
// during a stop, and an answer to a tool that counted as the approval of another element's call.
func TestSeedsThatFailed(t *testing.T) {
	for _, seed := range []uint64{147296, 169193, 172168, 182532, 19486, 710648, 730958} {
		if r := sim.Run(sim.Options{Seed: seed}); r.Violation != nil {
			t.Error(oneLine(r))
		}
	}
}

// switchedOff are the faults that -off names.
func switchedOff() (out []sim.Fault) {
	for f := range strings.SplitSeq(*off, ",") {
		if f != "" {
			out = append(out, sim.Fault(f))
		}
	}
	return out
}

// TestSeeds runs SEEDS seeds (default 2,000), starting with FROM (default 1), on all cores. A failing seed
// does not stop the others: all of them are listed, and the first of each kind is shrunk.
func TestSeeds(t *testing.T) {
	count, from := number(t, "SEEDS", 2_000), number(t, "FROM", 1)
	cover, bad := many(from, count, math.MaxInt, sim.Run)
	shown := map[string]bool{}
	for _, r := range bad {
		t.Error(oneLine(r))
	}
	for _, r := range bad {
		if kind := r.Violation.Invariant; !shown[kind] && len(shown) < 3 {
			shown[kind] = true
			t.Log("\n" + sim.Shrink(r))
		}
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
	reached("fact", run.Types()...)
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
	reached("fork by", "person", "agent", "service")
	reached("command", "start", "decide", "expire", "cancel", "abort", "pause", "resume",
		"injectsteps", "replan", "skipstep",
		"modifyargs", "sendmessage", "comment", "consult", "takesnapshot", "fork")
}

// shapes are faults that depend on the definitions, not on chance.
var shapes = []sim.Fault{sim.Refusals, sim.Edits, sim.Forks, sim.Policies, sim.NewRules, sim.NewVersions, sim.LLM,
	sim.Maps, sim.SubWorkflows, sim.LoopPoints, sim.Ahead}

// number reads a number from the environment.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("%s is a number of seeds, not %q", name, s)
	}
	return n
}

// oneLine reports which seed fails and why.
func oneLine(r sim.Result) string {
	text, _, _ := strings.Cut(r.Violation.String(), "\n")
	return fmt.Sprintf("seed %d: %s", r.Options.Seed, text)
}

// many runs seeds on all cores until it has seen enough failures. Long runs report their progress and
// failures as they go.
func many(first, count uint64, enough int, run func(sim.Options) sim.Result) (sim.Cover, []sim.Result) {
	var (
		mu    sync.Mutex
		bad   []sim.Result
		cover = sim.Cover{}
		next  atomic.Uint64
		done  atomic.Uint64
		wg    sync.WaitGroup
		began = time.Now()
		told  = began
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
				r := run(sim.Options{Seed: first + n, Off: switchedOff()})
				own.Merge(r.Cover)
				d := done.Add(1)
				mu.Lock()
				if r.Violation != nil {
					bad = append(bad, r)
					if enough > 1 {
						fmt.Println(oneLine(r))
					}
				}
				if time.Since(told) > progressEvery {
					told = time.Now()
					fmt.Println(progress(d, count, len(bad), time.Since(began)))
				}
				mu.Unlock()
			}
			mu.Lock()
			cover.Merge(own)
			mu.Unlock()
		})
	}
	wg.Wait()
	slices.SortFunc(bad, func(a, b sim.Result) int { return cmp.Compare(a.Options.Seed, b.Options.Seed) })
	return cover, bad
}

// progressEvery is the interval of progress reports.
const progressEvery = 20 * time.Second

func progress(done, count uint64, bad int, took time.Duration) string {
	rate := float64(done) / took.Seconds()
	left := time.Duration(float64(count-done) / rate * float64(time.Second))
	return fmt.Sprintf("%d of %d seeds, %d failed, %.0f per second, %s left", done, count, bad, rate,
		left.Round(time.Second))
}
