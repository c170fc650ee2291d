package decide

import (
	"fmt"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Steps that call a tool. The host describes the tool in one turn, and from there on the call is one like any
// other: gates, rules, the risk of the tool and sums apply, and it is retried and recorded under a key of its
// own.

const (
	codeToolFailed  = "tool_failed"
	codeUnknownTool = "unknown_tool"
)

// onlyCall is the call of a step that calls a tool. The plan says which tool and with which arguments, whatever
// the host answered: only its knowledge of the tool is used.
func (d *draft) onlyCall(i, k int, proposed []run.Call) (run.Call, *run.Failure) {
	n := &d.Plan().Nodes[i]
	if len(proposed) != 1 || proposed[0].Tool != n.Step.Tool {
		return run.Call{}, &run.Failure{Code: "invalid_output",
			Message: fmt.Sprintf("the step calls %s once, and nothing else", n.Step.Tool)}
	}
	call := proposed[0]
	index := element(d, i, k)
	call.Args, _ = d.InputOf(i, index)
	call.Confidence, _ = d.ConfidenceBefore(i, index)
	return call, nil
}

// element is the index of task k of step i, or -1 outside a map.
func element(d *draft, i, k int) int {
	if d.IsMap(i) {
		return k
	}
	return -1
}

// finishCall turns the answer of a step's only call into the result of the step.
func (d *draft) finishCall(i, k int, c *loop.Call) {
	answer := d.loopOf(i, k).AnswerTo(c)
	if answer.Failed {
		d.failTask(i, k, run.Failure{Code: failedCode(c), Message: answer.Text})
		return
	}
	r := &run.Result{Output: answer.Output}
	if len(r.Output) == 0 {
		r.Output = []byte("null")
	}
	if d.IsMap(i) {
		d.finishElement(i, k, r)
	} else {
		d.finishStep(i, r)
	}
}

// failedCode says why a call failed. A denial ends the run, as that of a step does.
func failedCode(c *loop.Call) string {
	switch {
	case c.Denied && c.Place != nil && len(c.Place.Asks) > 0: // people were asked, so it is theirs
		return codeRejected
	case c.Denied:
		return codeDenied
	case c.Call.Spec.Unknown:
		return codeUnknownTool
	}
	return codeToolFailed
}

// onlyCallAt reports whether a spot is at the call of a step that calls a tool.
func (d *draft) onlyCallAt(spot run.Spot) bool {
	i, ok := d.Plan().Step(spot.Step)
	return ok && spot.At == run.AtCall && d.Plan().Nodes[i].CallsTool()
}

// ifStepDenied tells approvers what a rejection does to a step that calls a tool.
func ifStepDenied(does gate.OnReject) string {
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

// callTries is how often a call is tried: for a step that is one call, as often as the step says.
func (d *draft) callTries(i int) int {
	n := &d.Plan().Nodes[i]
	if n.CallsTool() {
		return n.RetryPolicy().Max
	}
	return run.CallTries
}

// raiseTo raises the level of a call to the one that its step declares. It never lowers it: a step cannot
// declare a tool safe.
func raiseTo(n *plan.Node, asks bool, level risk.Level, reasons []string) (bool, risk.Level, []string) {
	declared := n.Step.Risk
	if !n.CallsTool() || declared.Rank() <= level.Rank() {
		return asks, level, reasons
	}
	return asks || risk.Class(declared).Asks(), declared,
		append(reasons, fmt.Sprintf("step %s is rated %s risk", n.Step.ID, declared))
}

// sampleOfCall is the answer to a call that a test run does not make.
func sampleOfCall(n *plan.Node, c *loop.Call) []byte {
	switch {
	case n.CallsTool() && n.Step.Sample != nil:
		return n.Step.Sample
	case c.Call.Spec.Sample != nil:
		return c.Call.Spec.Sample
	}
	return []byte(value.Object())
}
