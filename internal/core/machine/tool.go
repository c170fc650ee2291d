package machine

import (
	"fmt"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Steps that call a tool.

// Element is the index of task k of step i, or -1 outside a map.
func (s *State) Element(i, k int) int {
	if s.IsMap(i) {
		return k
	}
	return -1
}

// OnlyCallAt reports whether a spot is at the call of a step that calls a tool.
func (s *State) OnlyCallAt(spot run.Spot) bool {
	i, ok := s.Plan().Step(spot.Step)
	return ok && spot.At == run.AtCall && s.Plan().Nodes[i].CallsTool()
}

// CallTries is how often a call is tried: for a step that is one call, as often as the step says.
func (s *State) CallTries(i int) int {
	n := &s.Plan().Nodes[i]
	if n.CallsTool() {
		return n.RetryPolicy().Max
	}
	return run.CallTries
}

// IfStepDenied tells approvers what a rejection does to a step that calls a tool.
func IfStepDenied(does gate.OnReject) string {
	switch does {
	case gate.RejectTells:
		return "The tool is not called, and the run continues without the step."
	case gate.RejectCancels:
		return "The tool is not called, and the run is cancelled."
	case gate.RejectRevises:
		return "The tool is not called, and the work is sent back."
	}
	return "The tool is not called, and the run fails."
}

// SampleOfCall is the answer to a call that a test run does not make.
func SampleOfCall(n *plan.Node, c *loop.Call) []byte {
	switch {
	case n.CallsTool() && n.Step.Sample != nil:
		return n.Step.Sample
	case c.Call.Spec.Sample != nil:
		return c.Call.Spec.Sample
	}
	return []byte(value.Object())
}

// RaiseTo raises the level of a call to the one that its step declares. It never lowers it: a step cannot
// declare a tool safe.
func RaiseTo(n *plan.Node, asks bool, level risk.Level, reasons []string) (bool, risk.Level, []string) {
	declared := n.Step.Risk
	if !n.CallsTool() || declared.Rank() <= level.Rank() {
		return asks, level, reasons
	}
	return asks || risk.Class(declared).Asks(), declared,
		append(reasons, fmt.Sprintf("%s is rated %s risk", run.StepName(n.Step), declared))
}
