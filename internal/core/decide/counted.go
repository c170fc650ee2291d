package decide

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
)

// Counter is a policy with sums: it returns an act's contributions to them.
type Counter interface {
	Counts(policy.Subject) []policy.Count
}

// pendingCounted limits how many acts awaiting approval are added up. Acts over the limit count when they
// begin.
const pendingCounted = 200

// counted is the contribution of an act that begins now, or nil.
func (d *draft) counted(sub policy.Subject) *run.Counted {
	counter, ok := d.env.Judge.(Counter)
	if !ok || sub.Operation == "" {
		return nil
	}
	sub.Run, sub.Workflow, sub.Test = d.ID, d.Plan().Definition.Workflow.Name, d.Started.TestMode
	counts := counter.Counts(sub)
	if len(counts) == 0 {
		return nil
	}
	return &run.Counted{Act: sub.Key, Operation: sub.Operation, Counts: counts}
}

// totals adds up all acts but one: those that have begun, here and elsewhere, and those here that have been
// awaiting approval for longer.
func (d *draft) totals(act string) func(policy.SumQuery) (policy.Total, bool) {
	return func(q policy.SumQuery) (policy.Total, bool) {
		out, known := d.elsewhere(q)
		if !known {
			return out, false
		}
		if mutant.Is(mutant.SumForgetsOthers) {
			return out, true
		}
		for n := range d.Counted {
			c := &d.Counted[n]
			if c.Act == act || c.At.Before(q.Since) || !q.Counts(c.Operation) {
				continue
			}
			out = addTo(out, c.Counts, q.Sum)
		}
		return out.Plus(d.pendingTotal(q, act)), true
	}
}

func addTo(t policy.Total, counts []policy.Count, sum string) policy.Total {
	for n := range counts {
		if counts[n].Sum == sum {
			t = t.Add(&counts[n])
		}
	}
	return t
}

// elsewhere returns the totals of other runs.
func (d *draft) elsewhere(q policy.SumQuery) (out policy.Total, known bool) {
	if d.env.Elsewhere == nil {
		return out, false
	}
	ask := run.Elsewhere{Run: d.ID, Sum: q.Sum, Since: q.Since}
	if q.Since.IsZero() {
		ask.Family = d.Family()
	}
	tallies, known := d.env.Elsewhere(ask)
	if mutant.Is(mutant.SumForgetsRuns) {
		return out, known
	}
	for _, t := range tallies {
		if q.Counts(t.Operation) {
			out = out.Plus(t.Total)
		}
	}
	return out, known
}

// pendingTotal adds up acts awaiting approval. Of two that wait, the later one includes the earlier one.
func (d *draft) pendingTotal(q policy.SumQuery, act string) (out policy.Total) {
	counter, ok := d.env.Judge.(Counter)
	if !ok {
		return out
	}
	first, seen := -1, map[string]bool{act: true}
	for _, n := range d.OpenApproval {
		a := d.Approvals[n]
		if a.Status != gate.Pending || a.Subject == nil || a.Subject.Result || !q.Counts(a.Action.Operation) ||
			seen[a.Subject.Key] {
			continue
		}
		if first < 0 {
			first = d.firstAsked(act)
		}
		if seen[a.Subject.Key] = true; n > first || len(seen) > pendingCounted || d.Begun(a.Subject.Key) >= 0 {
			continue
		}
		out = addTo(out, counter.Counts(d.subjectOf(a)), q.Sum)
	}
	return out
}

// firstAsked is the position of the first approval about an act.
func (d *draft) firstAsked(act string) int {
	for n, a := range d.Approvals {
		if a.Subject != nil && a.Subject.Key == act {
			return n
		}
	}
	return len(d.Approvals)
}

// subjectOf is the subject that a policy judged for an approval.
func (d *draft) subjectOf(a *gate.Approval) policy.Subject {
	return policy.Subject{
		Run: d.ID, Workflow: d.Plan().Definition.Workflow.Name, Step: a.Step, Agent: a.Agent, Tool: a.Action.Tool,
		Operation: a.Action.Operation,
		Risk:      a.Risk.Level, Confidence: a.Confidence, Data: a.Proposed, Look: d.Look(a), Key: a.Subject.Key,
		Test:         d.Started.TestMode,
		Irreversible: a.Action.ReversibleBy == plan.ReversibleNone,
	}
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
	if _, ok := d.env.Judge.(Counter); !ok || d.Plan().Nodes[i].Step.Operation == "" {
		return nil
	}
	in, _ := d.InputOf(i, k)
	return d.counted(d.stepSubject(i, k, in, d.StepScope(i, k, in)))
}

// countedCall is the contribution of a call when it begins.
func (d *draft) countedCall(i, k int, c *loop.Call) *run.Counted {
	agent, level := d.agentSpec(i, c).Name, d.levelOf(i, c)
	sc := d.CallScope(i, c.Call.Args, c.Call.Tool, agent, c.Call.Spec.Operation, level)
	return d.counted(policy.Subject{
		Step: d.id(i), Agent: agent, Tool: c.Call.Tool, Operation: c.Operation(), Risk: level,
		Data: c.Call.Args, Look: sc.Judged(), Key: d.CallKey(i, k, c).Work(),
	})
}

// usedHere is how often a rule has approved during this command. The store has not counted these uses yet.
func (d *draft) usedHere(rule string) (n int) {
	for _, u := range machine.Uses(d.events) {
		if u.Rule == rule {
			n++
		}
	}
	return n
}
