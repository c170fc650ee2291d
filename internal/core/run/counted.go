package run

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
)

// Acts that count in sums of the policy. What this run has begun is in its log;
// what others have begun, the host has to know.

// Counted is an act that has begun and counts in sums.
type Counted struct {
	Act       string         `json:"act" holds:"id"` // the key of the work: tries of it count once
	Operation string         `json:"operation" holds:"id"`
	At        time.Time      `json:"at,omitzero"` // when it began; events have a time of their own
	Counts    []policy.Count `json:"counts"`
}

// Counter is a policy with sums: it says what an act adds to them.
type Counter interface {
	Counts(policy.Subject) []policy.Count
}

// Elsewhere asks what acts of other runs add up to.
type Elsewhere struct {
	Run    string // this run, which does not count
	Sum    string
	Family string    // only runs that belong together: see Family
	Since  time.Time // or all runs, from then on
}

// Tally is what acts with one operation add up to.
type Tally struct {
	Operation string
	policy.Total
}

// pendingCounted is how many acts that people are asked about are added up. What
// is over that is counted when it begins.
const pendingCounted = 200

// Family names the runs that belong together, by the first of them: a run, its
// sub-runs, its forks and those that retry it.
func (s *State) Family() string {
	switch {
	case s.Started.Family != "":
		return s.Started.Family
	case s.Forked != nil:
		return s.Forked.From
	}
	return s.ID
}

// counted is what an act that begins now adds to sums, or nil.
func (d *draft) counted(sub policy.Subject) *Counted {
	counter, ok := d.env.Judge.(Counter)
	if !ok || sub.Operation == "" {
		return nil
	}
	sub.Run, sub.Workflow, sub.Test = d.ID, d.Plan().Definition.Workflow.Name, d.Started.TestMode
	counts := counter.Counts(sub)
	if len(counts) == 0 {
		return nil
	}
	return &Counted{Act: sub.Key, Operation: sub.Operation, Counts: counts}
}

// count remembers an act that has begun. Another try of it replaces it.
func (s *State) count(c *Counted, at time.Time, try int) {
	if c == nil {
		return
	}
	one := Counted{Act: c.Act, Operation: c.Operation, At: at, Counts: slices.Clone(c.Counts)}
	if n := s.begun(c.Act); try > 1 && n >= 0 {
		s.Counted = slices.Clone(s.Counted)
		s.Counted[n] = one
		return
	}
	s.Counted = append(s.Counted, one)
}

func (s *State) begun(act string) int {
	return slices.IndexFunc(s.Counted, func(c Counted) bool { return c.Act == act })
}

// uncount forgets an act that a host took back before it did anything.
func (s *State) uncount(act string) {
	if n := s.begun(act); n >= 0 {
		s.Counted = slices.Delete(slices.Clone(s.Counted), n, n+1)
	}
}

// totals adds up what counts besides one act: what has begun, here and
// elsewhere, and what people are asked about here since before it.
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

// elsewhere is what other runs have begun.
func (d *draft) elsewhere(q policy.SumQuery) (out policy.Total, known bool) {
	if d.env.Elsewhere == nil {
		return out, false
	}
	ask := Elsewhere{Run: d.ID, Sum: q.Sum, Since: q.Since}
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

// pendingTotal adds up what people are asked about. Of two acts that wait, the
// one that was asked about later counts the other.
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
		if seen[a.Subject.Key] = true; n > first || len(seen) > pendingCounted || d.begun(a.Subject.Key) >= 0 {
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

// subjectOf is what a policy was asked about an approval.
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
func (d *draft) stepSubject(i, k int, in json.RawMessage, sc *scope) policy.Subject {
	n := &d.Plan().Nodes[i]
	return policy.Subject{
		Step: n.Step.ID, Agent: n.Step.Agent, Operation: n.Step.Operation, Risk: n.Step.Risk, Data: in, Look: sc.judged(),
		Key:          d.keyOf(i, k).Work(),
		Irreversible: n.Step.ReversibleBy == plan.ReversibleNone,
	}
}

// countedStep is what task k of step i adds to sums when it begins.
func (d *draft) countedStep(i, k int) *Counted {
	if _, ok := d.env.Judge.(Counter); !ok || d.Plan().Nodes[i].Step.Operation == "" {
		return nil
	}
	in, _ := d.inputOf(i, k)
	return d.counted(d.stepSubject(i, k, in, d.stepScope(i, k, in)))
}

// countedCall is what a call adds to sums when it begins.
func (d *draft) countedCall(i, k int, c *CallState) *Counted {
	agent, level := d.agentSpec(i, c).Name, d.levelOf(i, c)
	sc := d.callScope(i, c.Call.Args, c.Call.Tool, agent, c.Call.Spec.Operation, level)
	return d.counted(policy.Subject{
		Step: d.id(i), Agent: agent, Tool: c.Call.Tool, Operation: c.operation(), Risk: level,
		Data: c.Call.Args, Look: sc.judged(), Key: d.callKey(i, k, c).Work(),
	})
}

// CountedIn lists the acts of a run that began in these events, and those that
// were taken back. What a fork copied from another run is that run's.
func CountedIn(s *State, events []Event) (begun []Counted, takenBack []string) {
	for _, e := range events {
		switch f := e.Fact.(type) {
		case *RunForked:
			begun, takenBack = nil, nil
		case *StepStarted:
			begun = appendCounted(begun, f.Counted, e.At)
		case *CallStarted:
			begun = appendCounted(begun, f.Counted, e.At)
		case *StepRebound:
			takenBack = append(takenBack, f.Act)
		case *CallRebound:
			takenBack = append(takenBack, f.Act)
		}
	}
	return begun, slices.DeleteFunc(takenBack, func(act string) bool { return act == "" || s.begun(act) >= 0 })
}

func appendCounted(list []Counted, c *Counted, at time.Time) []Counted {
	if c == nil {
		return list
	}
	one := *c
	one.At = at
	return append(slices.DeleteFunc(list, func(o Counted) bool { return o.Act == one.Act }), one)
}
