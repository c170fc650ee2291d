package plan

import (
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
)

// Defaults.
const (
	WidthDefault       = 8
	TimeoutDefault     = 15 * time.Minute // of a run
	StepTimeoutDefault = 5 * time.Minute
	PatienceDefault    = 15 * time.Minute // waiting for a busy model
	TriesDefault       = 3
	BackoffDefault     = time.Second
	FactorDefault      = 2
	BackoffMaxDefault  = time.Minute
)

// Plan is a compiled definition. It is immutable, so any number of runs may read it concurrently; callers
// must not modify the slices it returns.
type Plan struct {
	Definition  *Definition
	Nodes       []Node         // as listed; a node's index never changes
	Gates       []CompiledGate // as listed, then those of human steps
	Start, End  []int          // indices into Gates
	InputSchema *schema.Schema // of the run's input; nil accepts everything
	Output      []Assign       // nil: the output of the last steps

	nodeByID map[string]int
	gateByID map[string]int
	calls    []int // gates at calls
	order    []int
	layers   [][]int
	last     []int
	replaced map[int]int // steps that failed, and the steps in their place
	agents   map[string]*agentFacts
	subject  *phrase.Phrase // nil: derived from the input
	digest   string
	timeout  time.Duration
}

// Node is a step of the plan.
type Node struct {
	Step                      *Step
	Agent                     *Agent // nil for a sub-workflow or a human task
	Needs, Dependents         []int  // indices into Nodes, ascending
	Layer                     int    // length of the longest path to it, from 0
	Order                     int    // position in plan order
	If                        *expr.Program
	With                      []Assign   // nil: the step gets the context
	Each                      value.Path // nil: not a map
	Width                     int        // parallel elements of a map; 0: not a map
	Before, After             []int      // indices into Gates
	Human                     int        // index into Gates of a human step, else -1
	InputSchema, OutputSchema *schema.Schema
	Injected                  bool // added to a running plan
}

// CompiledGate is a gate attached to its spot. Gate is a copy of the definition with id and kind filled in.
type CompiledGate struct {
	Gate        *Gate
	Spot        Spot
	Step        int // the node of before, after and human, else -1
	When        *expr.Program
	Show        []value.Path
	InputSchema *schema.Schema
	Index       int
	revise      int // see Plan.Revises
}

// Step finds a node by its step's id.
func (p *Plan) Step(id string) (int, bool) {
	i, ok := p.nodeByID[id]
	return i, ok
}

// GateByID finds a gate; a human step's gate has the step's id unless it sets its own.
func (p *Plan) GateByID(id string) (int, bool) {
	i, ok := p.gateByID[id]
	return i, ok
}

// Digest is the content hash of the definition that was compiled.
func (p *Plan) Digest() string { return p.digest }

// Order lists all nodes in plan order.
func (p *Plan) Order() []int { return p.order }

// Layers groups the nodes by depth, each in document order.
func (p *Plan) Layers() [][]int { return p.layers }

// Last lists the steps that no other step needs, in plan order.
func (p *Plan) Last() []int { return p.last }

// CallGates lists the gates that a call of this tool has to pass, in document order.
func (p *Plan) CallGates(tool string) []int {
	var out []int
	for _, g := range p.calls {
		if p.Gates[g].Spot.matches(tool) {
			out = append(out, g)
		}
	}
	return out
}

// InPlaceOf returns the step that does the work of a step now: itself, unless it failed and another replaces it.
func (p *Plan) InPlaceOf(i int) int {
	for {
		by, ok := p.replaced[i]
		if !ok || mutant.Is(mutant.ReplacedReturns) {
			return i
		}
		i = by
	}
}

// Revises returns the step to redo when a reviewer at this gate asks for it: the one the gate names, else its
// own step (after), its only predecessor (before, human) or the last in plan order (end), or the step in its
// place. False means that the plan alone cannot tell: at start nothing has run, and at a call it is the calling
// step.
func (p *Plan) Revises(g int) (step int, ok bool) {
	gate := &p.Gates[g]
	if gate.Spot.Kind == SpotEnd && gate.revise < 0 && len(p.last) > 0 {
		return p.last[len(p.last)-1], true
	}
	return p.InPlaceOf(gate.revise), gate.revise >= 0
}

// Ancestors lists all ancestors of node i, in plan order.
func (p *Plan) Ancestors(i int) []int {
	seen := make([]bool, len(p.Nodes))
	var out []int
	stack := []int{i}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, need := range p.Nodes[n].Needs {
			if !seen[need] {
				seen[need] = true
				out = append(out, need)
				stack = append(stack, need)
			}
		}
	}
	slices.SortFunc(out, func(a, b int) int { return p.Nodes[a].Order - p.Nodes[b].Order })
	return out
}

// IsAncestor reports whether step a always ends before step b starts.
func (p *Plan) IsAncestor(a, b int) bool {
	if p.Nodes[a].Layer >= p.Nodes[b].Layer {
		return false
	}
	seen := make([]bool, len(p.Nodes))
	stack := []int{b}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, need := range p.Nodes[n].Needs {
			if need == a {
				return true
			}
			if !seen[need] && p.Nodes[need].Layer > p.Nodes[a].Layer {
				seen[need] = true
				stack = append(stack, need)
			}
		}
	}
	return false
}

// StopsOnError reports whether one failed step fails the run.
func (p *Plan) StopsOnError() bool {
	return p.Definition.Workflow.StopOnError == nil || *p.Definition.Workflow.StopOnError
}

// Timeout limits a run's working time; 0 is no limit.
func (p *Plan) Timeout() time.Duration { return p.timeout }

// workingTime computes Timeout. Language models have limits of their own and often work for hours, so with
// one of them there is no limit unless the workflow sets it.
func (p *Plan) workingTime() time.Duration {
	otherwise := TimeoutDefault
	for i := range p.Nodes {
		if a := p.Nodes[i].Agent; a != nil && a.Kind == AgentLLM {
			otherwise = 0
			break
		}
	}
	return quantity.Or(p.Definition.Workflow.Timeout, otherwise)
}

// Timeout limits one attempt of a step; 0 is no limit. A sub-workflow has its own, and human tasks have the
// gate's.
func (n *Node) Timeout() time.Duration {
	otherwise := StepTimeoutDefault
	if n.Step.Workflow != "" || n.Step.Human != nil {
		otherwise = 0
	}
	return quantity.Or(n.Step.Timeout, otherwise)
}

// Patience limits how long one turn waits for a busy model; 0 is no limit.
func (n *Node) Patience() time.Duration { return quantity.Or(n.Step.Timeout, PatienceDefault) }

// RetryPolicy is a Retry with its defaults filled in.
type RetryPolicy struct {
	Max        int // including the first attempt
	Backoff    time.Duration
	Factor     float64
	MaxBackoff time.Duration
	Counted    bool // set by the step itself: a busy model gets no more attempts than that
}

// RetryPolicy returns the step's retry policy with its defaults.
func (n *Node) RetryPolicy() RetryPolicy {
	r := n.Step.Retry
	if r == nil {
		r = &Retry{}
	}
	out := RetryPolicy{Max: TriesDefault, Backoff: quantity.Or(r.Backoff, BackoffDefault), Factor: FactorDefault}
	if r.Max > 0 {
		out.Max, out.Counted = r.Max, true
	}
	if r.Factor > 0 {
		out.Factor = r.Factor
	}
	// A configured delay of 5 minutes must not be capped by the default of one.
	out.MaxBackoff = quantity.Or(r.MaxBackoff, max(BackoffMaxDefault, out.Backoff))
	return out
}

// Delay is the pause after the given number of failed attempts.
func (r RetryPolicy) Delay(failed int) time.Duration {
	d := float64(r.Backoff)
	for range failed - 1 {
		if d *= r.Factor; d >= float64(r.MaxBackoff) {
			return r.MaxBackoff
		}
	}
	return min(time.Duration(d), r.MaxBackoff)
}
