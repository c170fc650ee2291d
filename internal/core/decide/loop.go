package decide

import (
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// nudgeLoop moves a loop on: calls, then the next turn once all are answered.
func (d *draft) nudgeLoop(i, k int) {
	if d.watchLimits(i, k) {
		return
	}
	for n := 0; n < len(d.loopOf(i, k).Calls); n++ {
		d.nudgeCall(i, k, d.loopOf(i, k).Calls[n])
		if t := d.taskIf(i, k); t == nil || t.Loop == nil || d.Status.Ended() {
			return
		}
	}
	l := d.loopOf(i, k)
	if d.Plan().Nodes[i].CallsTool() && len(l.Calls) > 0 {
		if c := l.Calls[0]; c.Status == loop.Done {
			d.finishCall(i, k, c)
		}
		return
	}
	if turn, try, ok := l.NextTurn(d.env.Now); ok && d.mayStart() {
		d.startTurn(i, k, turn, try)
	}
}

func (d *draft) startTurn(i, k, turn, try int) {
	n := &d.Plan().Nodes[i]
	f := &run.TurnStarted{Step: n.Step.ID, Index: d.IndexFor(i, k), Agent: d.loopOf(i, k).Agent, Turn: turn, Try: try}
	if t := n.Timeout(); t > 0 {
		f.Deadline = d.env.Now.Add(t)
	}
	d.emit(system, f)
}

func (d *draft) loopOf(i, k int) *loop.State { return d.Steps[i].Tasks[k].Loop }

// taskIf returns a task that is still in progress, or nil.
func (d *draft) taskIf(i, k int) *machine.Task {
	if st := d.Steps[i]; st.Status == run.RunningStep && k < len(st.Tasks) && st.Tasks[k].Status == machine.TaskRunning {
		return st.Tasks[k]
	}
	return nil
}

// thinking finds the turn for a key, if its answer is still expected.
func (d *draft) thinking(key run.Key) (i, k int, ok bool) {
	i, k, ok = d.locateTask(key, run.KeyTurn)
	if !ok {
		return
	}
	l := d.Steps[i].Tasks[k].Loop
	return i, k, l != nil && l.Thinking && l.Turn == key.N && l.Try == key.Try
}

// completeTurn handles a model's answer.
func (d *draft) completeTurn(c run.CompleteTurn) error {
	i, k, ok := d.thinking(c.Key)
	if !ok {
		return stale()
	}
	t := c.Turn
	calls := t.Calls
	t.Calls = nil
	if len(calls) > run.CallsMax {
		d.failTask(i, k, run.Failure{Code: "too_large",
			Message: fmt.Sprintf("the model asked for %d calls in one turn; the limit is %d", len(calls), run.CallsMax)})
		return nil
	}
	if d.Plan().Nodes[i].CallsTool() {
		only, failure := d.onlyCall(i, k, calls)
		if failure != nil {
			d.failTask(i, k, *failure)
			return nil
		}
		t, calls = run.Turn{Usage: t.Usage}, []run.Call{only}
	}
	unclear := ""
	if t.Output != nil {
		out, err := value.Strict(t.Output)
		if out == nil {
			d.retryTurn(i, k, run.Failure{Code: "invalid_output",
				Message:   "the model's output is not valid: " + err.Error(),
				Transient: true, Usage: t.Usage})
			return nil
		}
		if len(out) > run.OutputMax {
			d.retryTurn(i, k, run.Failure{Code: "invalid_output",
				Message:   fmt.Sprintf("the model's output has %d bytes; the limit is %d", len(out), run.OutputMax),
				Transient: true, Usage: t.Usage})
			return nil
		}
		if t.Output = out; err != nil { // passed to the model as text
			t.Text, t.Output, unclear = string(out), nil, "the output is not valid: "+phrase.ClipBytes(err.Error(), 500)
		}
	}
	l := d.loopOf(i, k)
	by := run.Actor{Kind: run.Agent, Name: l.Agent}
	d.emit(by, &run.TurnCompleted{Step: d.id(i), Index: d.IndexFor(i, k), Agent: l.Agent, Turn: t})
	for n, call := range calls {
		d.emit(by, &run.CallRequested{Step: d.id(i), Index: d.IndexFor(i, k), No: l.CallNo + 1 + n,
			Call: loop.Normalise(call)})
	}
	if len(calls) > 0 || len(d.loopOf(i, k).Inbox) > 0 {
		d.touch(i)
		return nil
	}
	d.finishLoop(i, k, t, unclear)
	return nil
}

// finishLoop turns a model's final answer into the step's result, unless it has a problem that the model can
// fix.
func (d *draft) finishLoop(i, k int, t run.Turn, problem string) {
	out := t.Output
	if out == nil {
		out = value.Object(value.Member{Key: "text", Value: value.Quote(t.Text)})
	}
	if ps := d.Plan().Nodes[i].OutputSchema.Validate(out); problem == "" && len(ps) > 0 {
		problem = fault.Of("the output does not match the schema", ps).Error()
	}
	if problem != "" {
		mends := d.loopOf(i, k).Mends
		d.emit(system, &run.NoteAdded{Step: d.id(i), Index: d.IndexFor(i, k),
			Text: problem + ". Answer again with an output that matches it.", Mend: true})
		if mends >= run.MendsMax { // the note is for when the run is resumed
			d.failTask(i, k, run.Failure{Code: "invalid_output", Message: problem})
			return
		}
		d.touch(i)
		return
	}
	if p := d.loopOf(i, k).Limit; p != nil { // it needs no more
		for _, ask := range p.Asks {
			if ask.Pending {
				d.withdraw(ask.Approval, "the agent has finished")
			}
		}
	}
	r := &run.Result{Output: out, Confidence: sane(t.Confidence), Reasoning: t.Reasoning}
	if d.IsMap(i) {
		d.finishElement(i, k, r)
	} else {
		d.finishStep(i, r)
	}
}

// retryTurn retries a failed turn, or gives up.
func (d *draft) retryTurn(i, k int, f run.Failure) {
	n := &d.Plan().Nodes[i]
	at, f, ok := d.loopOf(i, k).Retry(n.RetryPolicy(), n.Patience(), d.TurnKey(i, k), f, d.env.Now)
	if !ok {
		d.failTask(i, k, f)
		return
	}
	d.emit(system, &run.TurnRetrying{Step: d.id(i), Index: d.IndexFor(i, k), Error: f, RetryAt: at})
}

func (d *draft) failTask(i, k int, f run.Failure) {
	index := -1
	if d.IsMap(i) {
		index = k
	}
	d.failStep(i, index, f)
}
