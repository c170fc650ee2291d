// Package sums adds up what a run has done and what is pending approval, for rules with sums:
//
//	ledger := sums.Ledger{State: state, Judge: policy, Elsewhere: otherRuns}
//	total, known := ledger.Totals(act)(query)
//
// It reads the state and changes nothing.
package sums

import (
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
)

// Ledger is a run with the policy in force.
type Ledger struct {
	*machine.State
	Judge any // a Counter, if the policy has sums
	// Elsewhere returns the totals of other runs, if known; nil: unknown.
	Elsewhere func(run.Elsewhere) (tallies []run.Tally, known bool)
}

// Counter is a policy with sums: it returns an act's contributions to them.
type Counter interface {
	Counts(policy.Subject) []policy.Count
}

// pendingCounted limits how many acts awaiting approval are added up. Acts over the limit count when they
// begin.
const pendingCounted = 200

// Contribution is the contribution of an act that begins now, or nil.
func (l Ledger) Contribution(sub policy.Subject) *run.Counted {
	counter, ok := l.Judge.(Counter)
	if !ok || sub.Operation == "" {
		return nil
	}
	sub.Run, sub.Workflow, sub.Test = l.ID, l.Plan().Definition.Workflow.Name, l.Started.TestMode
	counts := counter.Counts(sub)
	if len(counts) == 0 {
		return nil
	}
	return &run.Counted{Act: sub.Key, Operation: sub.Operation, Counts: counts}
}

// Totals adds up all acts but one: those that have begun, here and elsewhere, and those here that have been
// awaiting approval for longer.
func (l Ledger) Totals(act string) func(policy.SumQuery) (policy.Total, bool) {
	return func(q policy.SumQuery) (policy.Total, bool) {
		out, known := l.others(q)
		if !known {
			return out, false
		}
		if mutant.Is(mutant.SumForgetsOthers) {
			return out, true
		}
		for n := range l.Counted {
			c := &l.Counted[n]
			if c.Act == act || c.At.Before(q.Since) || !q.Counts(c.Operation) {
				continue
			}
			out = addTo(out, c.Counts, q.Sum)
		}
		return out.Plus(l.pendingTotal(q, act)), true
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

// others returns the totals of other runs.
func (l Ledger) others(q policy.SumQuery) (out policy.Total, known bool) {
	if l.Elsewhere == nil {
		return out, false
	}
	ask := run.Elsewhere{Run: l.ID, Sum: q.Sum, Since: q.Since}
	if q.Since.IsZero() {
		ask.Family = l.Family()
	}
	tallies, known := l.Elsewhere(ask)
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
func (l Ledger) pendingTotal(q policy.SumQuery, act string) (out policy.Total) {
	counter, ok := l.Judge.(Counter)
	if !ok {
		return out
	}
	first, seen := -1, map[string]bool{act: true}
	for _, n := range l.OpenApproval {
		a := l.Approvals[n]
		if a.Status != gate.Pending || a.Subject == nil || a.Subject.Result || !q.Counts(a.Action.Operation) ||
			seen[a.Subject.Key] {
			continue
		}
		if first < 0 {
			first = l.firstAsked(act)
		}
		if seen[a.Subject.Key] = true; n > first || len(seen) > pendingCounted || l.Begun(a.Subject.Key) >= 0 {
			continue
		}
		out = addTo(out, counter.Counts(l.subjectOf(a)), q.Sum)
	}
	return out
}

// firstAsked is the position of the first approval about an act.
func (l Ledger) firstAsked(act string) int {
	for n, a := range l.Approvals {
		if a.Subject != nil && a.Subject.Key == act {
			return n
		}
	}
	return len(l.Approvals)
}

// subjectOf is the subject that a policy judged for an approval.
func (l Ledger) subjectOf(a *gate.Approval) policy.Subject {
	return policy.Subject{
		Run: l.ID, Workflow: l.Plan().Definition.Workflow.Name, Step: a.Step, Agent: a.Agent, Tool: a.Action.Tool,
		Operation: a.Action.Operation,
		Risk:      a.Risk.Level, Confidence: a.Confidence, Data: a.Proposed, Look: l.Look(a), Key: a.Subject.Key,
		Test:         l.Started.TestMode,
		Irreversible: a.Action.ReversibleBy == plan.ReversibleNone,
	}
}
