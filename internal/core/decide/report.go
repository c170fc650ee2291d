package decide

import (
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Reports by hosts about their work. A report whose key is no longer owed is stale: its attempt timed out,
// was revised or cancelled.

// locateTask finds the running task that a key belongs to.
func (d *draft) locateTask(key run.Key, kind run.KeyKind) (i, k int, ok bool) {
	i, ok = d.Plan().Step(key.Step)
	if !ok || key.Run != d.ID || key.Kind != kind {
		return 0, 0, false
	}
	st := d.Steps[i]
	if d.IsMap(i) != (key.Index >= 0) {
		return 0, 0, false
	}
	k = max(key.Index, 0)
	if st.Status != run.RunningStep || k >= len(st.Tasks) {
		return 0, 0, false
	}
	t := st.Tasks[k]
	return i, k, t.Status == machine.TaskRunning && t.Rev == key.Rev
}

// runningTask finds the invocation for a key, if its result is still expected.
func (d *draft) runningTask(key run.Key) (i, k int, ok bool) {
	i, k, ok = d.locateTask(key, run.KeyStep)
	if ok {
		t := d.Steps[i].Tasks[k]
		ok = t.Try == key.Try && t.Loop == nil
	}
	return i, k, ok
}

// complete handles an agent's answer.
func (d *draft) complete(c run.Complete) error {
	i, k, ok := d.runningTask(c.Key)
	if a := d.aheadFor(c.Key); a != nil {
		d.returnedAhead(a, c.Result)
		return nil
	}
	if !ok || d.Steps[i].Tasks[k].Child != "" {
		return stale()
	}
	d.answer(i, k, c.Result)
	return nil
}

// answer takes an agent's result for a task.
func (d *draft) answer(i, k int, r run.Result) {
	if f := d.checkResult(i, &r); f != nil {
		f.Usage = r.Usage
		d.failTask(i, k, *f)
	} else if d.IsMap(i) {
		d.finishElement(i, k, &r)
	} else {
		d.finishStep(i, &r)
	}
}

// checkResult rejects unusable outputs.
func (d *draft) checkResult(i int, r *run.Result) *run.Failure {
	if len(r.Output) == 0 {
		r.Output = []byte("null")
	}
	out, err := value.Strict(r.Output)
	switch {
	case err != nil:
		return &run.Failure{Code: "invalid_output", Message: "the output is not valid: " + err.Error()}
	case len(out) > run.OutputMax:
		return &run.Failure{Code: "too_large", Message: fmt.Sprintf("the output has %d bytes; the limit is %d",
			len(out), run.OutputMax)}
	}
	r.Output, r.Confidence = out, sane(r.Confidence)
	if ps := d.Plan().Nodes[i].OutputSchema.Validate(out); len(ps) > 0 {
		return &run.Failure{Code: "invalid_output",
			Message: fault.Of("the output does not match the agent's schema", ps).Error()}
	}
	return nil
}

// sane clamps a confidence to between 0 and 1. One out of range is unreliable and counts as 0, so that people
// are asked.
func sane(c *float64) *float64 {
	if c == nil {
		return nil
	}
	if v := *c; v >= 0 && v <= 1 {
		return &v
	}
	return new(float64)
}

// fail handles a failed attempt of an agent, turn or call.
func (d *draft) fail(c run.Fail) error {
	switch c.Key.Kind {
	case run.KeyTurn:
		i, k, ok := d.thinking(c.Key)
		if !ok {
			return stale()
		}
		d.retryTurn(i, k, c.Failure)
		return nil
	case run.KeyCall:
		i, k, call, ok := d.runningCall(c.Key)
		if !ok {
			return stale()
		}
		d.failCall(i, k, call, c.Failure)
		return nil
	case run.KeyConsult:
		return d.failConsult(c)
	case run.KeyReplan:
		return d.answerReplan(run.AnswerReplan{Key: c.Key, Reason: c.Failure.Message})
	}
	if a := d.aheadFor(c.Key); a != nil {
		d.failedAhead(a, c.Failure.Usage)
		return nil
	}
	i, k, ok := d.runningTask(c.Key)
	if !ok {
		return stale()
	}
	d.failTry(i, k, c.Failure)
	return nil
}

// failTry retries after a transient failure, or fails the step.
func (d *draft) failTry(i, k int, f run.Failure) {
	p := d.Plan().Nodes[i].RetryPolicy()
	t := d.Steps[i].Tasks[k]
	f.Try = t.Try
	if !f.Transient || t.Try-t.Tried >= p.Max || d.Cancelling != nil {
		d.failTask(i, k, f)
		return
	}
	at := d.env.Now.Add(d.KeyOf(i, k).Backoff(p, f))
	d.emit(d.AgentOf(i), &run.StepRetrying{Step: d.id(i), Index: d.IndexFor(i, k), Error: f, RetryAt: at})
}

// endChild handles the end of a sub-run, including one that outlived its step.
func (d *draft) endChild(c run.EndChild) error {
	if i, k, ok := d.runningTask(c.Key); ok && !d.Status.Ended() && d.Steps[i].Tasks[k].Child != "" {
		return d.finishChild(i, k, c)
	}
	for _, o := range d.Children {
		if o.Key == c.Key {
			d.emit(system, &run.ChildEnded{Run: o.Run, Status: c.Status})
			return nil
		}
	}
	return stale()
}

func (d *draft) finishChild(i, k int, c run.EndChild) error {
	child := d.Steps[i].Tasks[k].Child
	if c.Status != run.Completed {
		d.emit(system, &run.ChildEnded{Run: child, Status: c.Status})
		f := run.Failure{Code: "child_" + string(c.Status), Message: "the sub-run was " + string(c.Status),
			Child: &run.ChildFailure{Run: child, Error: c.Error}, Usage: c.Usage}
		if c.Error != nil {
			f.Message = machine.SubRunMessage(c.Error)
		}
		d.failTask(i, k, f)
		return nil
	}
	r := run.Result{Output: c.Output, Usage: c.Usage}
	if f := d.checkResult(i, &r); f != nil {
		d.failTask(i, k, *f)
	} else if d.IsMap(i) {
		d.finishElement(i, k, &r)
	} else {
		d.finishStep(i, &r)
	}
	return nil
}

func (d *draft) childWaits(c run.ChildWaits) error {
	i, k, ok := d.runningTask(c.Key)
	if !ok || d.Steps[i].Tasks[k].Child == "" {
		return stale()
	}
	if d.Steps[i].Tasks[k].ChildWaiting != c.Waiting {
		d.emit(system, &run.ChildWaiting{Step: d.id(i), Index: d.IndexFor(i, k), Waiting: c.Waiting})
	}
	return nil
}
