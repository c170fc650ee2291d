package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
)

// Limits of a loop: duration (waiting counts), cost and turns. At 80 % everybody
// is told, at 100 % the run stops or people are asked for more.

// loopLimits are those of the agent at work, with what people granted and raised.
func (s *State) loopLimits(i, k int) plan.Limits {
	return s.Steps[i].Tasks[k].Loop.limits(s.plan.Nodes[i].Agent, s.Steps[i].Raised)
}

// spent is what a loop has used of one of its limits at a moment.
func (s *State) spent(i, k int, kind LimitKind, now time.Time) gauge {
	return s.Steps[i].Tasks[k].Loop.spent(kind, s.loopLimits(i, k), now)
}

// Meter is how much of a limit an agent has used: nanoseconds, billionths of a
// dollar, or turns.
type Meter struct {
	Limit LimitKind
	Used  int64
	Max   int64
}

// Meters tells how an agent at work stands to its limits; nil if it is none
// that has any. Index is that of a map's element, -1 otherwise.
func (s *State) Meters(step string, index int, now time.Time) []Meter {
	i, ok := s.plan.Step(step)
	k := max(index, 0)
	if !ok || k >= len(s.Steps[i].Tasks) || s.Steps[i].Tasks[k].Loop == nil {
		return nil
	}
	if end := s.Steps[i].EndedAt; !end.IsZero() {
		now = end // the clock stopped there
	}
	var out []Meter
	for _, kind := range limitKinds {
		if g := s.spent(i, k, kind, now); g.limit > 0 {
			out = append(out, Meter{kind, max(g.used, 0), g.limit})
		}
	}
	return out
}

// watchLimits warns, stops or asks; it reports whether the loop may not go on.
func (d *draft) watchLimits(i, k int) bool {
	t := d.taskIf(i, k)
	if t == nil || t.Loop == nil {
		return true
	}
	if t.Loop.Limit != nil {
		return true
	}
	for _, kind := range limitKinds {
		g := d.spent(i, k, kind, d.env.Now)
		// also when one step passes 80 % and 100 % at once
		if near := g.near() && !slices.Contains(d.loopOf(i, k).Warned, kind); near {
			d.emit(system, &LimitWarning{Step: d.id(i), Index: d.indexFor(i, k), Limit: kind, Current: g.used, Max: g.limit,
				Percentage: g.percent()})
			d.emit(system, &NoteAdded{Step: d.id(i), Index: d.indexFor(i, k),
				Text: fmt.Sprintf("Approaching the %s limit: %d %% used.", kind, g.percent())})
		}
		if g.full() && !(kind == LimitIterations && d.loopOf(i, k).Thinking) {
			if d.Cancelling == nil {
				d.hitLimit(i, k, kind)
			} else if kind == LimitDuration { // do not ask for more or wait for the agent
				d.failTask(i, k, Failure{Code: "timeout", Message: "its time was up while the run was being cancelled"})
			}
			return true
		}
	}
	return false
}

func (d *draft) hitLimit(i, k int, kind LimitKind) {
	spot := Spot{At: AtLimit, Step: d.id(i), Index: d.indexFor(i, k)}
	a := d.Plan().Nodes[i].Agent
	if a.Limits == nil || a.Limits.OnLimit != "ask" {
		d.stopAt(spot, kind)
		return
	}
	var more LimitAmount
	switch kind {
	case LimitDuration:
		more.Duration = a.Limits.Duration
	case LimitCost:
		more.CostUSD = a.Limits.CostUSD
	case LimitIterations:
		more.Iterations = max(a.Limits.Iterations, 1)
	}
	q := d.newRequest(spot, gate.ReasonLimit)
	q.Kind = gate.KindInput
	q.Proposed, _ = value.Marshal(more)
	q.InputSchema = json.RawMessage(`{"type":"object","minProperties":1}`)
	q.Title = phrase.Sentence("%s has used up its %s", a.Name, kind.words())
	q.Description = "Approve to grant the same again, change how much, or reject to stop here."
	q.IfDenied = "The run stops here. Results so far are kept."
	q.Terms = d.termsFor(plan.Gate{Acts: []gate.Act{gate.Approve, gate.Modify, gate.Submit, gate.Reject, gate.Delegate}},
		spot)
	d.open(spot, []want{{id: "limit:" + string(kind), request: q}})
}

func (d *draft) stopAt(spot Spot, kind LimitKind) {
	d.closeApprovals("the run reached a limit")
	i, _ := d.Plan().Step(spot.Step)
	g := d.spent(i, max(indexOf(spot.Index), 0), kind, d.env.Now)
	d.emit(system, &RunLimitReached{Step: spot.Step, Index: spot.Index, Agent: d.Plan().Nodes[i].Agent.Name, Limit: kind,
		Current: g.used, Max: g.limit})
}

// stopAtLimit ends the run after people refused to grant more.
func (d *draft) stopAtLimit(spot Spot) {
	if l := d.loopAt(spot); l != nil {
		d.stopAt(spot, l.LimitKind)
	}
}

// grant gives a loop more of what ran out.
func (d *draft) grant(spot Spot, a *gate.Approval, o gate.Outcome) {
	amount := a.Current
	if o.Proposed != nil {
		amount = o.Proposed
	}
	more, err := parseGrant(amount)
	if err != nil { // checked before the answer was taken; a default in a file is the only way here
		d.stopAtLimit(spot)
		return
	}
	l := d.loopAt(spot)
	d.emit(Actor{Kind: Person, Name: o.By},
		&LimitGranted{Step: spot.Step, Index: spot.Index, Limit: l.LimitKind, More: more})
	i, _ := d.Plan().Step(spot.Step)
	d.touch(i)
}

func parseGrant(raw json.RawMessage) (LimitAmount, error) {
	var more LimitAmount
	err := plan.Decode(raw, &more)
	if err == nil && (more.Duration < 0 || more.Iterations < 0 || more.Iterations > 1_000_000 || more == LimitAmount{}) {
		err = fault.Of("this grants nothing", []fault.Problem{{Message: "grant a positive amount"}})
	}
	return more, err
}
