package decide

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/asking"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// watchLimits warns, stops or asks; it reports whether the loop has to stop.
func (d *draft) watchLimits(i, k int) bool {
	t := d.taskIf(i, k)
	if t == nil || t.Loop == nil {
		return true
	}
	if t.Loop.Limit != nil {
		return true
	}
	for _, kind := range run.LimitKinds {
		g := d.Spent(i, k, kind, d.env.Now)
		// also when one step passes 80 % and 100 % at once
		if near := g.Near() && !slices.Contains(d.loopOf(i, k).Warned, kind); near {
			d.emit(system, &run.LimitWarning{Step: d.id(i), Index: d.IndexFor(i, k), Agent: d.Plan().Nodes[i].Agent.Name,
				Limit: kind, Current: g.Used, Max: g.Limit, Percentage: g.Percent()})
			d.emit(system, &run.NoteAdded{Step: d.id(i), Index: d.IndexFor(i, k),
				Text: fmt.Sprintf("%d %% of the %s used.", g.Percent(), kind.Words())})
		}
		if g.Full() && !(kind == run.LimitIterations && d.loopOf(i, k).Thinking) {
			if d.Cancelling == nil {
				d.hitLimit(i, k, kind)
			} else if kind == run.LimitDuration { // do not ask for more or wait for the agent
				d.failTask(i, k, run.Failure{Code: "timeout", Message: "its time was up while the run was being cancelled"})
			}
			return true
		}
	}
	return false
}

func (d *draft) hitLimit(i, k int, kind run.LimitKind) {
	spot := run.Spot{At: run.AtLimit, Step: d.id(i), Index: d.IndexFor(i, k)}
	a := d.Plan().Nodes[i].Agent
	if a.Limits == nil || a.Limits.OnLimit != "ask" {
		d.stopAt(spot, kind)
		return
	}
	d.open(spot, []asking.Want{d.asking().Limit(spot, i, kind)})
}

func (d *draft) stopAt(spot run.Spot, kind run.LimitKind) {
	d.closeApprovals("the run reached a limit")
	i, _ := d.Plan().Step(spot.Step)
	g := d.Spent(i, max(spot.Element(), 0), kind, d.env.Now)
	d.emit(system, &run.RunLimitReached{Step: spot.Step, Index: spot.Index, Agent: d.Plan().Nodes[i].Agent.Name,
		Limit: kind, Current: g.Used, Max: g.Limit})
}

// stopAtLimit ends the run after people refused to grant more.
func (d *draft) stopAtLimit(spot run.Spot) {
	if l := d.LoopAt(spot); l != nil {
		d.stopAt(spot, l.LimitKind)
	}
}

// grant increases the limit that ran out.
func (d *draft) grant(spot run.Spot, a *gate.Approval, o gate.Outcome) {
	amount := a.Current
	if o.Proposed != nil {
		amount = o.Proposed
	}
	more, err := parseGrant(amount)
	if err != nil { // checked before the answer was accepted; only a default in a file can get here
		d.stopAtLimit(spot)
		return
	}
	l := d.LoopAt(spot)
	d.emit(run.Actor{Kind: run.Person, Name: o.By},
		&run.LimitGranted{Step: spot.Step, Index: spot.Index, Limit: l.LimitKind, More: more})
	i, _ := d.Plan().Step(spot.Step)
	d.touch(i)
}

func parseGrant(raw json.RawMessage) (run.LimitAmount, error) {
	var more run.LimitAmount
	err := plan.Decode(raw, &more)
	if err == nil && (more.Duration < 0 || more.Iterations < 0 || more.Iterations > 1_000_000 ||
		more == run.LimitAmount{}) {
		err = fault.Of("no amount was granted", []fault.Problem{{Message: "grant a positive amount"}})
	}
	return more, err
}
