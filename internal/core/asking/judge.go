package asking

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/sums"
	"github.com/assent-run/assent/internal/core/value"
)

// judgeStep asks the policy about a step that is about to run.
func (s Situation) judgeStep(i, k int, in json.RawMessage, sc *machine.Scope, sure *float64) policy.Verdict {
	sub := s.stepSubject(i, k, in, sc)
	sub.Confidence = sure
	return s.judge(sub)
}

// judgeResult asks the policy about a step's result.
func (s Situation) judgeResult(i, k int, r *run.Result, sc *machine.Scope) policy.Verdict {
	n := &s.Plan().Nodes[i]
	return s.judge(policy.Subject{
		Step: n.Step.ID, Agent: n.Step.Agent, Operation: n.Step.Operation, Risk: n.Step.Risk,
		Data: r.Output, Look: sc.Judged(),
		Confidence: r.Confidence, Result: true, Key: s.KeyOf(i, k).Work(),
	})
}

func (s Situation) judge(sub policy.Subject) policy.Verdict {
	if s.Judge == nil {
		return policy.Verdict{}
	}
	sub.Run, sub.Workflow, sub.Granted = s.ID, s.Plan().Definition.Workflow.Name, s.granted
	sub.Uses = func(rule string) int { return machine.UsedIn(s.Decided, rule) } // the store has not counted them yet
	sub.Total, sub.Test = s.ledger().Totals(sub.Key), s.Started.TestMode
	return s.Judge.Judge(s.Now, sub)
}

// ledger adds up the acts of the run for rules with sums.
func (s Situation) ledger() sums.Ledger {
	return sums.Ledger{State: s.State, Judge: s.Judge, Elsewhere: s.Elsewhere}
}

// stepSubject is a step about to run, as policies see it.
func (s Situation) stepSubject(i, k int, in json.RawMessage, sc *machine.Scope) policy.Subject {
	n := &s.Plan().Nodes[i]
	return policy.Subject{
		Step: n.Step.ID, Agent: n.Step.Agent, Operation: n.Step.Operation, Risk: n.Step.Risk, Data: in, Look: sc.Judged(),
		Key:          s.KeyOf(i, k).Work(),
		Irreversible: n.Step.ReversibleBy == plan.ReversibleNone,
	}
}

// CountedStep is the contribution of task k of step i when it begins.
func (s Situation) CountedStep(i, k int) *run.Counted {
	if _, ok := s.Judge.(sums.Counter); !ok || s.Plan().Nodes[i].Step.Operation == "" {
		return nil
	}
	in, _ := s.InputOf(i, k)
	return s.ledger().Contribution(s.stepSubject(i, k, in, s.StepScope(i, k, in)))
}

// CountedCall is the contribution of a call when it begins.
func (s Situation) CountedCall(i, k int, c *loop.Call) *run.Counted {
	agent, level := s.AgentOfCall(i, c).Name, s.levelOf(i, c)
	sc := s.CallScope(i, c.Call.Args, c.Call.Tool, agent, c.Call.Spec.Operation, level)
	return s.ledger().Contribution(policy.Subject{
		Step: s.id(i), Agent: agent, Tool: c.Call.Tool, Operation: c.Operation(), Risk: level,
		Data: c.Call.Args, Look: sc.Judged(), Key: s.CallKey(i, k, c).Work(),
	})
}

// MessageAsked reports whether a gate or a rule covers a message that comes with a result.
func (s Situation) MessageAsked(i, index int, from, to, text string) bool {
	if len(s.Plan().CallGates(run.ToolSendMessage)) > 0 {
		return true
	}
	args := value.Object(value.Member{Key: "to", Value: value.Quote(to)},
		value.Member{Key: "text", Value: value.Quote(text)})
	sc := s.CallScope(i, args, run.ToolSendMessage, from, "", "")
	v := s.judge(policy.Subject{Step: s.id(i), Agent: from, Tool: run.ToolSendMessage, Data: args, Look: sc.Judged(),
		Key: s.KeyOf(i, index).Work()})
	return v.Effect == policy.Asks || v.Effect == policy.Denies
}
