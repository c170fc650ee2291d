package decide

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/sums"
)

// ledger adds up the acts of the run for rules with sums.
func (d *draft) ledger() sums.Ledger {
	return sums.Ledger{State: &d.State, Judge: d.env.Judge, Elsewhere: d.env.Elsewhere}
}

// stepSubject is a step about to run, as policies see it.
func (d *draft) stepSubject(i, k int, in json.RawMessage, sc *machine.Scope) policy.Subject {
	n := &d.Plan().Nodes[i]
	return policy.Subject{
		Step: n.Step.ID, Agent: n.Step.Agent, Operation: n.Step.Operation, Risk: n.Step.Risk, Data: in, Look: sc.Judged(),
		Key:          d.KeyOf(i, k).Work(),
		Irreversible: n.Step.ReversibleBy == plan.ReversibleNone,
	}
}

// countedStep is the contribution of task k of step i when it begins.
func (d *draft) countedStep(i, k int) *run.Counted {
	if _, ok := d.env.Judge.(sums.Counter); !ok || d.Plan().Nodes[i].Step.Operation == "" {
		return nil
	}
	in, _ := d.InputOf(i, k)
	return d.ledger().Contribution(d.stepSubject(i, k, in, d.StepScope(i, k, in)))
}

// countedCall is the contribution of a call when it begins.
func (d *draft) countedCall(i, k int, c *loop.Call) *run.Counted {
	agent, level := d.agentSpec(i, c).Name, d.levelOf(i, c)
	sc := d.CallScope(i, c.Call.Args, c.Call.Tool, agent, c.Call.Spec.Operation, level)
	return d.ledger().Contribution(policy.Subject{
		Step: d.id(i), Agent: agent, Tool: c.Call.Tool, Operation: c.Operation(), Risk: level,
		Data: c.Call.Args, Look: sc.Judged(), Key: d.CallKey(i, k, c).Work(),
	})
}
