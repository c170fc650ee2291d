package decide

import (
	"fmt"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
)

// The agent in the loop: an agent of any kind that is asked at decision points, and the one that writes
// summaries for people. It advises. Whatever it says passes the same gates, policy and limits as a command:
// it cannot approve, and it cannot skip a step. If it is slow, fails or answers nonsense, the run proceeds as
// loops.agent.fallback says.

// consulting reports whether a decision point is open that may change the plan.
func (d *draft) consulting() bool { return d.Point.Asking || d.Point.Ask != nil }

// consult asks the planning agent; failed is the step it is about, if any.
func (d *draft) consult(failed string) {
	l := d.Loops().Agent
	d.startConsult(l.Agent, "", failed, quantity.Or(l.Timeout, consultTimeout))
}

func (d *draft) startConsult(agent, purpose, failed string, within time.Duration) {
	if d.Point.Asking {
		return
	}
	limits := d.Plan().Definition.Agents[agent].Limits
	if limits != nil && limits.Duration > 0 {
		within = min(within, limits.Duration.Std())
	}
	d.emit(system, &run.ConsultStarted{N: d.Point.No + 1, Layer: d.Point.Open, Deadline: d.env.Now.Add(within),
		Failed: failed, Agent: agent, For: purpose})
	if why := d.spent(); why != "" {
		d.noAdvice(why, run.Usage{})
	}
}

// spent reports which limit of an agent its consultations have reached, if any.
func (d *draft) spent() string {
	limits, used := d.adviserLimits(), d.Point.Used[d.Adviser()].CostUSD
	if limits == nil || limits.CostUSD <= 0 || used < limits.CostUSD {
		return ""
	}
	return fmt.Sprintf("it has spent %s of its limit of %s US dollars", used, limits.CostUSD)
}

func (d *draft) adviserLimits() *plan.Limits {
	return d.Plan().Definition.Agents[d.Adviser()].Limits
}

func (d *draft) consultByHand() error {
	switch {
	case d.Loops().Agent == nil:
		return fault.New(fault.Unsupported, "this workflow has no agent in the loop", "add loops.agent to it")
	case d.Point.Asking:
		return fault.New(fault.Conflict, "the agent in the loop is already being asked", "")
	}
	d.consult("")
	return nil
}

// summarised reports whether the summary for people is there, if an agent is to write one.
func (d *draft) summarised() bool {
	h := d.Loops().Human
	by := h.SummaryBy()
	if by == "" || d.Point.Summed > d.Point.Open {
		return true
	}
	d.startConsult(by, run.ForSummary, "", consultTimeout)
	return !d.Point.Asking
}

// consulted reports whether the answer with that key is awaited.
func (d *draft) consulted(k run.Key) bool {
	return d.Point.Asking && d.Point.RetryAt.IsZero() && k == d.ConsultKey()
}

func (d *draft) answerConsult(c run.AnswerConsult) error {
	if !d.consulted(c.Key) {
		return stale()
	}
	if d.Point.For == run.ForSummary {
		if strings.TrimSpace(c.Summary) == "" || len(c.Summary) > run.TextMax {
			d.retryConsult(unusable("a summary is wanted", c.Advice.Usage), "")
			return nil
		}
		by := run.Actor{Kind: run.Agent, Name: d.Adviser()}
		d.emit(by, &run.ConsultAnswered{N: d.Point.No, Advice: run.AdviceRaw{Usage: c.Advice.Usage}, Summary: c.Summary})
		return nil
	}
	if why := c.Advice.Unusable(); why != "" {
		d.retryConsult(unusable(why, c.Advice.Usage), "")
		return nil
	}
	d.advised(c.Advice, run.Actor{Kind: run.Agent, Name: d.Adviser()})
	return nil
}

func unusable(why string, used run.Usage) run.Failure {
	return run.Failure{Code: run.CodeInvalidAnswer, Message: why, Usage: used}
}

// failConsult handles a failed attempt of the planning agent.
func (d *draft) failConsult(c run.Fail) error {
	if !d.consulted(c.Key) {
		return stale()
	}
	f := c.Failure
	said := f.Body
	if f.Code != run.CodeInvalidAnswer {
		said = ""
	}
	d.retryConsult(f, said)
	return nil
}

// retryConsult asks again, if that may help and there is time.
func (d *draft) retryConsult(f run.Failure, said string) {
	bad := f.Code == run.CodeInvalidAnswer
	again := run.ConsultRetrying{N: d.Point.No, Error: f, Said: said}
	again.Error.Body = ""
	if !bad {
		p := plan.RetryPolicy{Max: consultTries, Backoff: time.Second, Factor: 2, MaxBackoff: 10 * time.Second}
		again.RetryAt = d.env.Now.Add(d.ConsultKey().Backoff(p, f))
	}
	late := !again.RetryAt.IsZero() && !again.RetryAt.Before(d.Point.Deadline)
	if !bad && !f.Transient || d.Point.Try >= consultTries || late || d.Cancelling != nil {
		d.noAdvice(f.Message, f.Usage)
		return
	}
	d.emit(run.Actor{Kind: run.Agent, Name: d.Adviser()}, &again)
	if why := d.spent(); why != "" {
		d.noAdvice(why, run.Usage{})
	}
}

// readForConsult records what a model looked up before it answers.
func (d *draft) readForConsult(c run.ReadForConsult) error {
	if !d.consulted(c.Key) {
		return stale()
	}
	turns := consultTurns
	if limits := d.adviserLimits(); limits != nil && limits.Iterations > 0 {
		turns = limits.Iterations
	}
	read := &run.ConsultRead{N: d.Point.No, Text: c.Text, Usage: c.Usage}
	for _, r := range c.Reads {
		r.Args, r.Output = run.OrNull(r.Args), run.OrNull(r.Output)
		read.Reads = append(read.Reads, r)
	}
	d.emit(run.Actor{Kind: run.Agent, Name: d.Adviser()}, read)
	if why := d.spent(); why != "" {
		d.noAdvice(why, run.Usage{})
	} else if d.Point.Turn >= turns {
		d.noAdvice(fmt.Sprintf("no answer after %d turns", turns), run.Usage{})
	}
	return nil
}

// noAdvice proceeds without the planning agent. A summary that no agent has written is the one of the template.
func (d *draft) noAdvice(why string, used run.Usage) {
	if d.Point.For == run.ForSummary {
		d.emit(system, &run.ConsultAnswered{N: d.Point.No, Advice: run.AdviceRaw{Reasoning: why, Usage: used},
			Fallback: true})
		d.warn("no_summary", "loops.human.summary", "no agent wrote a summary: "+why)
		return
	}
	action, then := run.AdviceContinue, "the run continues"
	switch d.Loops().Agent.Fallback {
	case plan.FallbackPause:
		action, then = run.AdvicePause, "the run is paused"
	case plan.FallbackAsk:
		action, then = run.AdviceAsk, "people decide"
	}
	a := run.AdviceRaw{Action: action, Reasoning: why, Usage: used}
	d.emit(system, &run.ConsultAnswered{N: d.Point.No, Advice: a, Fallback: true})
	d.warn("no_advice", "loops.agent", fmt.Sprintf("the agent in the loop gave no usable answer; %s: %s", then, why))
	if action == run.AdvicePause && d.Pause == nil && d.Cancelling == nil {
		d.emit(system, &run.RunPaused{Reason: "the agent in the loop gave no usable answer: " + why})
	}
	d.touchAll()
}

// advised applies the planning agent's answer.
func (d *draft) advised(a run.AdviceRaw, by run.Actor) {
	failed := d.Point.Failed
	d.emit(by, &run.ConsultAnswered{N: d.Point.No, Advice: a})
	switch a.Action {
	case run.AdviceAbort:
		d.cancelRun(by, a.Reasoning)
	case run.AdviceReplan:
		_ = d.replan(a.Requirement, failed, by)
	}
	d.touchAll()
}
