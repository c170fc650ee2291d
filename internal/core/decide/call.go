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
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
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
		if d.mayStart() && d.passes(d.callSpot(i, k, c), c.Place) {
			if c = d.loopOf(i, k).Call(c.No); c.MustAsk() {
				d.askInput(i, k, c)
			} else {
				d.runCall(i, k, c)
			}
		}
	case loop.Backoff:
		if d.mayStart() && !d.env.Now.Before(c.RetryAt) && d.mayRetry(d.callSpot(i, k, c), c.Place) {
			d.startCall(i, k, c, c.Try+1)
		}
	}
}

func (d *draft) callSpot(i, k int, c *loop.Call) run.Spot {
	return run.Spot{At: run.AtCall, Step: d.id(i), Index: d.IndexFor(i, k), Call: c.No}
}

// beginCall checks a call and requests approval where it is required.
func (d *draft) beginCall(i, k int, c *loop.Call) {
	if why := d.loopOf(i, k).Refuses(c); why != "" {
		d.answerCall(i, k, c, run.CallResult{Error: why}, false)
		return
	}
	if c.Place != nil { // it was approved before its tool changed
		if d.passes(d.callSpot(i, k, c), c.Place) {
			d.runCall(i, k, d.loopOf(i, k).Call(c.No))
		}
		return
	}
	wants, denied := d.wantsForCall(i, k, c)
	switch {
	case denied != nil:
		d.answerCall(i, k, c, run.CallResult{Error: denied.Message}, true)
	case len(wants) > 0 && d.open(d.callSpot(i, k, c), wants):
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
	f.Counted = d.countedCall(i, k, c)
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
	may := slices.Concat(d.Plan().Definition.Workflow.HandOff, d.agentSpec(i, c).HandOff)
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

// levelOf is the risk level of a call under the rules of the agents it is made for.
func (d *draft) levelOf(i int, c *loop.Call) risk.Level {
	rules, _ := d.rulesFor(i, c)
	asks, level, reasons := risk.Strictest(c.Tool(), rules...)
	_, level, _ = machine.RaiseTo(&d.Plan().Nodes[i], asks, level, reasons)
	return level
}

// wantsForCall lists the approvals a call needs: by gates at the tool, by policy rules, and by the agent's
// autonomy.
func (d *draft) wantsForCall(i, k int, c *loop.Call) (wants []want, denied *run.Failure) {
	spot, agent := d.callSpot(i, k, c), d.agentSpec(i, c)
	rules, firm := d.rulesFor(i, c)
	asks, level, reasons := risk.Strictest(c.Tool(), rules...)
	asks, level, reasons = machine.RaiseTo(&d.Plan().Nodes[i], asks, level, reasons)
	firm = firm || level == risk.Critical
	sc := d.CallScope(i, c.Call.Args, c.Call.Tool, agent.Name, c.Call.Spec.Operation, level)
	sc.SetConfidence(c.Call.Confidence)
	v := d.judge(policy.Subject{
		Step: spot.Step, Agent: agent.Name, Tool: c.Call.Tool, Operation: c.Operation(), Risk: level,
		Data: c.Call.Args, Look: sc.Judged(), Key: d.CallKey(i, k, c).Work(), Confidence: c.Call.Confidence,
		Irreversible: c.Call.Spec.ReversibleBy == plan.ReversibleNone,
	})
	if v.Effect == policy.Denies {
		return nil, &run.Failure{Code: codeDenied, Message: v.Deny}
	}
	if c.Input != nil || d.OnlyCallAt(spot) && mutant.Is(mutant.ToolStepUnasked) { // it was allowed to start
		return nil, nil
	}
	if v.Effect == policy.Approves && firm {
		v = policy.Verdict{} // review-every-call means every call, and critical calls always need people
	}
	repeats := d.repeats(i, k, c)
	if !repeats {
		wants = d.gateWants(nil, d.Plan().CallGates(c.Call.Tool), spot, sc, v)
	}
	wants = d.ruleWants(wants, spot, v, c.Call.Args)
	switch {
	case repeats:
		wants = slices.DeleteFunc(wants, func(w want) bool { return w.auto != nil || d.saidTo(spot, w) })
	case c.Call.Tool == run.ToolAskHuman:
		wants = append(wants, d.question(spot, c))
	case asks && len(wants) == 0:
		q := d.newRequest(spot, gate.ReasonCall)
		if c.Call.Tool == run.ToolMilestone {
			q.Reason = gate.ReasonMilestone
		}
		q.Proposed = c.Call.Args
		q.Terms = d.termsFor(plan.Gate{}, spot)
		wants = append(wants, want{id: "autonomy", request: q, firm: firm})
	}
	source := &gate.ConfidenceSource{Step: spot.Step, Agent: agent.Name, Confidence: c.Call.Confidence}
	if d.Plan().Nodes[i].CallsTool() {
		_, source = d.ConfidenceBefore(i, d.Element(i, k))
	}
	for n := range sureOf(wants, c.Call.Confidence, source) {
		q := &wants[n].request
		c.Describe(q, agent.Name, level, reasons)
		if d.OnlyCallAt(spot) && c.Call.Spec.IfDenied == "" {
			q.IfDenied = machine.IfStepDenied(q.Terms.OnReject)
		}
		if q.Rule != nil && q.Gate == "" && (v.Title != "" || c.Call.Spec.Description == "") {
			if title := d.Titled(spot, v.Title, c.Operation(), c.Call.Args); title != "" {
				q.Title = title
			}
		}
	}
	return about(wants, d.CallKey(i, k, c), false), nil
}

// saidTo reports whether a rule's question about a call was already answered for an equal one: by the same
// question, or by enough people for this one. Neither an answer to the tool nor one at a gate is an approval.
func (d *draft) saidTo(spot run.Spot, w want) bool {
	content := []byte(d.ContentAt(spot))
	return slices.ContainsFunc(d.Approvals, func(a *gate.Approval) bool {
		other := a.Step != spot.Step || (run.Spot{Index: a.Index}).Element() != spot.Element()
		if a.Outcome == nil || !a.Outcome.Positive() || a.Call == "" || isQuestion(a) || other {
			return false
		}
		rule := ""
		if a.Rule != nil {
			rule = a.Rule.Policy
		}
		if a.Action.Digest != value.Digest(content, []byte(rule)) {
			return false
		}
		return a.Rule != nil && w.id == "rule:"+a.Rule.Name && d.stands(a, w) || a.Gate == "" && a.Meets(w.request.Terms)
	})
}

// repeats reports whether people approved exactly this call before and it failed.
func (d *draft) repeats(i, k int, c *loop.Call) bool {
	l := d.loopOf(i, k)
	if mutant.Is(mutant.ChangedArgsPass) {
		return len(l.Repeatable) > 0
	}
	if mutant.Is(mutant.OldRevisionCounts) && c.Place == nil && d.ApprovedEarlier(d.CallKey(i, k, c), c.Call.ID) {
		return true
	}
	return c.Repeats || slices.Contains(l.Repeatable, d.ContentAt(d.callSpot(i, k, c)))
}

var answerSchema = json.RawMessage(`{"type":"object",` +
	`"properties":{"answer":{"type":"string","minLength":1}},"required":["answer"]}`)

// question is an agent's own question to people.
func (d *draft) question(spot run.Spot, c *loop.Call) want {
	q := d.newRequest(spot, gate.ReasonCall)
	q.Proposed = json.RawMessage("{}")
	if raw, ok := value.Get(c.Call.Args, "question"); ok {
		q.Title, _ = value.Text(raw)
	}
	g := plan.Gate{Kind: gate.KindInput}
	if raw, ok := value.Get(c.Call.Args, "options"); ok && len(value.Elements(raw)) > 0 {
		g.Kind = gate.KindChoice
		for _, e := range value.Elements(raw) {
			text, _ := value.Text(e)
			q.Options = append(q.Options, gate.Option{Value: text, Label: text})
		}
	} else {
		q.InputSchema = answerSchema
	}
	q.Kind = g.Kind
	q.Terms = d.termsFor(g, spot)
	q.Action.ArgsSchema = nil
	return want{id: "question", request: q, firm: true}
}

// isQuestion reports whether an approval is a question by an agent or a tool: its answer is passed on and
// does not change a proposal.
func isQuestion(a *gate.Approval) bool {
	asks := a.Action.Tool == run.ToolAskHuman || a.Reason == gate.ReasonCall && a.Kind == gate.KindInput
	return asks && a.Gate == "" && a.Rule == nil
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
