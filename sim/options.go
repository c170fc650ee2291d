package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/sim/audit"
)

// Fault is one kind of fault that can be turned off, which is how a failing seed is shrunk.
type Fault string

const (
	CrashBefore  Fault = "crash-before"  // a host dies before its append
	CrashAfter   Fault = "crash-after"   // a host dies after its append: the answer is lost
	AppendError  Fault = "append-error"  // the store refuses without committing
	LostAnswer   Fault = "lost-answer"   // committed, but the host gets an error
	StaleRead    Fault = "stale-read"    // a host reads a stale state
	Crash        Fault = "crash"         // a host dies between two operations
	Zombie       Fault = "zombie"        // a host that lost its epoch keeps believing that it leads
	ReadError    Fault = "read-error"    // a read fails; only real engines
	Skew         Fault = "skew"          // a host's clock jumps by up to an hour
	Duplicate    Fault = "duplicate"     // messages and commands arrive twice
	Late         Fault = "late"          // answers come after their timeout
	Silent       Fault = "silent"        // answers never come
	Transient    Fault = "transient"     // agents and tools fail temporarily
	Permanent    Fault = "permanent"     // agents fail permanently
	Refusals     Fault = "refusals"      // people reject, ask for revisions, cancel
	Edits        Fault = "edits"         // people modify, inject, skip, replan
	Forks        Fault = "forks"         // runs are forked, retried and resumed
	Policies     Fault = "policies"      // there is a policy
	NewRules     Fault = "new-rules"     // the policy changes, and the emergency stop is used
	StaleRules   Fault = "stale-rules"   // a host judges by an outdated policy
	NewVersions  Fault = "new-versions"  // agents, tools and workflows change while people decide
	LLM          Fault = "llm"           // agents with tool calls
	Maps         Fault = "maps"          // steps over lists
	SubWorkflows Fault = "sub-workflows" // steps that are runs
	LoopPoints   Fault = "loops"         // decision points between layers
	Ahead        Fault = "ahead"         // steps that run ahead of approvals
)

// Faults lists them all.
var Faults = []Fault{
	CrashBefore, CrashAfter, AppendError, LostAnswer, StaleRead, Crash, Zombie, Skew, Duplicate, Late,
	Silent, Transient, Permanent,
	StaleRules, Refusals, Edits, Forks, Policies, NewRules, NewVersions, LLM, Maps, SubWorkflows, LoopPoints, Ahead,
}

// EngineFaults lists those of simulations with real engines.
var EngineFaults = append(slices.Clip(Faults), ReadError)

// Options define what to simulate. Zero values mean: determined by the seed.
type Options struct {
	Seed   uint64
	Ops    int     // operations before the faults stop
	Steps  int     // maximum number of steps in a workflow
	Gates  int     // maximum number of gates plus one; 1 means none
	Runs   int     // maximum number of initial runs
	People int     // maximum number of operations by people; -1: none before the faults stop
	Off    []Fault // disabled faults
	Trace  bool    // keep the trace
}

// Flags formats the options for `go test ./sim -run TestSeed`.
func (o Options) Flags() string {
	out := []string{fmt.Sprintf("-seed=%d", o.Seed)}
	for _, f := range []struct {
		name  string
		value int
	}{{"ops", o.Ops}, {"steps", o.Steps}, {"gates", o.Gates}, {"runs", o.Runs}, {"people", o.People}} {
		if f.value != 0 {
			out = append(out, fmt.Sprintf("-%s=%d", f.name, f.value))
		}
	}
	if len(o.Off) > 0 {
		words := make([]string, len(o.Off))
		for i, f := range o.Off {
			words[i] = string(f)
		}
		out = append(out, "-off="+strings.Join(words, ","))
	}
	return strings.Join(out, " ")
}

func (o Options) off(f Fault) bool { return slices.Contains(o.Off, f) }

// Result is the result of a simulation.
type Result struct {
	Options   Options
	Violation *audit.Violation // nil: no violation
	Case      audit.Case       // the auditor's evidence
	Trace     []string         // the trace
	Ops       int              // operations before the faults stopped
	Engine    bool             // on real engines
	Cover     Cover
}
