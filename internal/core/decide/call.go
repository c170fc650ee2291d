package decide

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// nudgeCall moves one call on.
func (d *draft) nudgeCall(i, k int, c *loop.Call) {
	switch c.Status {
	case loop.Asked:
		switch {
		case !d.mayStart():
		case c.MustAsk():
			d.askInput(i, k, c)
		default:
			d.beginCall(i, k, c)
		}
	case loop.Held:
		if d.mayStart() && d.passes(d.CallSpot(i, k, c), c.Place) {
			if c = d.loopOf(i, k).Call(c.No); c.MustAsk() {
				d.askInput(i, k, c)
			} else {
				d.runCall(i, k, c)
			}
		}
	case loop.Backoff:
		if d.mayStart() && !d.env.Now.Before(c.RetryAt) && d.mayRetry(d.CallSpot(i, k, c), c.Place) {
			d.startCall(i, k, c, c.Try+1)
		}
	}
}

// beginCall checks a call and requests approval where it is required.
func (d *draft) beginCall(i, k int, c *loop.Call) {
	if why := d.loopOf(i, k).Refuses(c); why != "" {
		d.answerCall(i, k, c, run.CallResult{Error: why}, false)
		return
	}
	if c.Place != nil { // it was approved before its tool changed
		if d.passes(d.CallSpot(i, k, c), c.Place) {
			d.runCall(i, k, d.loopOf(i, k).Call(c.No))
		}
		return
	}
	wants, denied := d.heed(d.asking().Call(i, k, c))
	switch {
	case denied != nil:
		d.answerCall(i, k, c, run.CallResult{Error: denied.Message}, true)
	case len(wants) > 0 && d.open(d.CallSpot(i, k, c), wants):
	default:
		d.runCall(i, k, c)
	}
}

// runCall executes a call that may run.
func (d *draft) runCall(i, k int, c *loop.Call) {
	switch c.Call.Tool {
	case run.ToolAskHuman:
		d.answerCall(i, k, c, run.CallResult{Output: d.humanAnswer(c)}, false)
		return
	case run.ToolMilestone:
		d.answerCall(i, k, c, run.CallResult{Output: json.RawMessage(`{"ok":true}`)}, false)
		return
	case run.ToolHandOff:
		d.handOff(i, k, c)
		return
	case run.ToolSendMessage:
		d.sendMessage(i, k, c)
		return
	}
	if d.Started.TestMode && !c.Harmless() && !mutant.Is(mutant.TestModeCalls) {
		d.emit(system, &run.CallCompleted{Step: d.id(i), Index: d.IndexFor(i, k), No: c.No, ID: c.Call.ID,
			Result: run.CallResult{Output: machine.SampleOfCall(&d.Plan().Nodes[i], c)}, DryRun: true})
		d.touch(i)
		return
	}
	d.startCall(i, k, c, c.Try+1)
}

func (d *draft) startCall(i, k int, c *loop.Call, try int) {
	f := &run.CallStarted{Step: d.id(i), Index: d.IndexFor(i, k), No: c.No, Try: try,
		Judged: c.Place != nil || c.Repeats || try > 1}
	if t := d.Plan().Nodes[i].Timeout(); t > 0 {
		f.Deadline = d.env.Now.Add(t)
	}
	f.Counted = d.asking().CountedCall(i, k, c)
	d.emit(system, f)
}

// answerCall ends a call; the model sees the answer at its next turn.
func (d *draft) answerCall(i, k int, c *loop.Call, r run.CallResult, denied bool) {
	d.emit(system, &run.CallCompleted{Step: d.id(i), Index: d.IndexFor(i, k), No: c.No, ID: c.Call.ID,
		Result: r, Denied: denied})
	d.touch(i)
}

// denyCall reports people's rejection to the model.
func (d *draft) denyCall(spot run.Spot, o gate.Outcome) {
	i, _ := d.Plan().Step(spot.Step)
	k := max(spot.Element(), 0)
	c := d.CallAt(spot)
	if c == nil || c.Status == loop.Done {
		return
	}
	d.withdrawAsks(c.Place, "the call was denied")
	if mutant.Is(mutant.DeniedCallRuns) {
		d.startCall(i, k, c, 1)
		return
	}
	why := "denied: " + o.Comment
	if o.By != "" {
		why = fmt.Sprintf("denied by %s: %s", o.By, o.Comment)
	}
	d.answerCall(i, k, c, run.CallResult{Error: why}, true)
}

// humanAnswer is a person's answer to an agent's question.
func (d *draft) humanAnswer(c *loop.Call) json.RawMessage {
	if c.Place != nil {
		for _, ask := range c.Place.Asks {
			if o := d.Approvals[ask.Approval].Outcome; ask.Want == "question" && o != nil {
				if o.Act == gate.Choose {
					return value.Object(value.Member{Key: "option", Value: value.Quote(o.Option)})
				}
				return o.Data
			}
		}
	}
	return json.RawMessage("null")
}

// handOff lets another agent continue. Only agents listed by the workflow, or by the requesting agent, may
// take over.
func (d *draft) handOff(i, k int, c *loop.Call) {
	l := d.loopOf(i, k)
	to := textArg(c.Call.Args, "to")
	may := slices.Concat(d.Plan().Definition.Workflow.HandOff, d.asking().AgentOfCall(i, c).HandOff)
	a, ok := d.Plan().Definition.Agents[to]
	switch {
	case c.Agent != l.Agent: // another call of this turn was faster
		d.answerCall(i, k, c, run.CallResult{Error: fmt.Sprintf("%s has already handed over to %s", c.Agent, l.Agent)}, false)
	case !slices.Contains(may, to) && !mutant.Is(mutant.HandOffAnywhere), !ok, to == l.Agent:
		d.answerCall(i, k, c, run.CallResult{Error: fmt.Sprintf("%s can't hand over to %q: %s", c.Agent,
			phrase.ClipBytes(to, plan.NameMax), mayBe(may))}, false)
	case a.Kind != plan.AgentLLM:
		d.answerCall(i, k, c, run.CallResult{Error: fmt.Sprintf("agent %q cannot take over a conversation", to)}, false)
	default:
		reason := cmp.Or(textArg(c.Call.Args, "reason"), textArg(c.Call.Args, "note"))
		d.emit(run.Actor{Kind: run.Agent, Name: l.Agent},
			&run.HandedOff{Step: d.id(i), Index: d.IndexFor(i, k), From: l.Agent, To: to,
				Reason: phrase.ClipBytes(reason, run.TextMax)})
		told := value.Object(value.Member{Key: "handed_to", Value: value.Quote(to)})
		d.answerCall(i, k, c, run.CallResult{Output: told}, false)
	}
}

// textArg is a text among the arguments of a call.
func textArg(args json.RawMessage, name string) string {
	raw, _ := value.Get(args, name)
	text, _ := value.Text(raw)
	return text
}

// mayBe lists the values that a model may use instead.
func mayBe(names []string) string {
	if len(names) == 0 {
		return "no agent is listed under hand_off"
	}
	return "it can hand over to " + strings.Join(names, ", ")
}

// runningCall finds the call for a key, if its result is still expected.
func (d *draft) runningCall(key run.Key) (i, k int, c *loop.Call, ok bool) {
	i, k, ok = d.locateTask(key, run.KeyCall)
	if !ok || d.Steps[i].Tasks[k].Loop == nil {
		return i, k, nil, false
	}
	c = d.loopOf(i, k).Call(key.N)
	return i, k, c, c != nil && c.Status == loop.Running && c.Try == key.Try
}

func (d *draft) completeCall(c run.CompleteCall) error {
	i, k, call, ok := d.runningCall(c.Key)
	if !ok {
		return stale()
	}
	r := c.Result
	if r.Input != nil {
		return d.needInput(i, k, call, r)
	}
	if r.Output != nil {
		out, err := value.Strict(r.Output)
		switch {
		case err != nil:
			out, r.Error = nil, "the tool's result is not valid: "+phrase.ClipBytes(err.Error(), 500)
		case len(out) > run.OutputMax:
			out, r.Error = nil, fmt.Sprintf("the tool's result is over the limit of %d bytes", run.OutputMax)
		}
		r.Output = out
	}
	if why := d.refusesUpdate(r.Deliverables); why != "" {
		r = run.CallResult{Error: why, Usage: r.Usage, Logs: r.Logs}
	}
	d.emit(run.Actor{Kind: run.Agent, Name: call.Agent},
		&run.CallCompleted{Step: d.id(i), Index: d.IndexFor(i, k), No: call.No, ID: call.Call.ID, Result: r})
	for _, dl := range r.Deliverables {
		d.deliver(run.Actor{Kind: run.Agent, Name: call.Agent}, i, dl)
	}
	d.touch(i)
	return nil
}

// failCall retries a failed call with the same arguments, or reports the failure to the model.
func (d *draft) failCall(i, k int, c *loop.Call, f run.Failure) {
	if f.Transient && c.Try-c.Tried < d.CallTries(i) {
		p := d.Plan().Nodes[i].RetryPolicy()
		at := d.env.Now.Add(d.CallKey(i, k, c).Backoff(p, f))
		d.emit(system, &run.CallRetrying{Step: d.id(i), Index: d.IndexFor(i, k), No: c.No, Error: f, RetryAt: at})
		return
	}
	d.answerCall(i, k, c, run.CallResult{Error: f.Message, Usage: f.Usage}, false)
}
