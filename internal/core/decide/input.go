package decide

import (
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/run"
)

// A tool may need input from people before it can continue. The call ends, people are asked at its place, and
// it runs again with their answer: the same piece of work, another attempt. So a question may stay open for
// days, across any number of restarts.

// needInput records a tool's question.
func (d *draft) needInput(i, k int, c *loop.Call, r run.CallResult) error {
	in, why := c.Sound(*r.Input)
	if why != "" {
		d.answerCall(i, k, c, run.CallResult{Error: why, Usage: r.Usage, Logs: r.Logs}, false)
		return nil
	}
	d.emit(run.Actor{Kind: run.Agent, Name: c.Agent}, &run.CallInputNeeded{
		Step: d.id(i), Index: d.IndexFor(i, k), No: c.No, Round: c.Round + 1, Input: in, Usage: r.Usage,
	})
	d.touch(i)
	return nil
}

// askInput puts a tool's question to people.
func (d *draft) askInput(i, k int, c *loop.Call) {
	d.open(d.CallSpot(i, k, c), d.asking().ToolInput(i, k, c).Wants)
}
