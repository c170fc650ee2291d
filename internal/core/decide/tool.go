package decide

import (
	"fmt"

	"github.com/assent-run/assent/internal/core/asking"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/run"
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
	index := d.Element(i, k)
	call.Args, _ = d.InputOf(i, index)
	call.Confidence, _ = d.ConfidenceBefore(i, index)
	return call, nil
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
		return asking.CodeDenied
	case c.Call.Spec.Unknown:
		return codeUnknownTool
	}
	return codeToolFailed
}
