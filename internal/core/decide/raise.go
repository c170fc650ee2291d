package decide

import (
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
)

// Raising a limit: a run that stopped at one continues where it stopped, with the limit that a person set.
// Completed work is not repeated, and pending approvals are asked again: a higher limit answers no question.

// raiseMax limits the turns that people may set.
const raiseMax = 1_000_000

// reopen resumes a run that failed, or stopped at a limit that is raised now.
func (d *draft) reopen(c run.Resume) error {
	var raised []run.LimitRaised
	switch {
	case d.Status == run.LimitReached:
		var err error
		if raised, err = d.raises(c.Limits); err != nil {
			return err
		}
	case c.Limits != (run.LimitAmount{}):
		return notAtLimit(d.Status)
	}
	d.emit(d.cmd.By, &run.RunReopened{})
	for _, f := range raised {
		d.emit(d.cmd.By, &f)
	}
	d.askAtStart()
	d.touchAll()
	return nil
}

func notAtLimit(s run.Status) error {
	return fault.New(fault.Conflict, fmt.Sprintf("limits can only be raised on a run that stopped at one: this run is %s",
		s),
		"leave limits out to resume it; if an approval asks for more, decide that instead")
}

// raises returns the limits to raise, or why the new ones do not suffice.
func (d *draft) raises(to run.LimitAmount) ([]run.LimitRaised, error) {
	if d.cmd.By.Kind != run.Person {
		return nil, fault.New(fault.Forbidden, "only people can raise a run's limits",
			"have a person resume it with a higher limit")
	}
	var out []run.LimitRaised
	var ps []fault.Problem
	stopped, _ := d.Plan().Step(d.Error.Step)
	for i := range d.Steps {
		for _, kind := range run.LimitKinds {
			g, used := d.fullest(i, kind)
			n := to.Of(kind)
			problem := ""
			switch {
			case !used, n == 0 && !g.Full(), i != stopped && !g.Full():
				continue
			case n == 0:
				problem = "required: "
			case n <= max(g.Used, g.Limit):
				problem = "too low: "
			case kind == run.LimitIterations && n > raiseMax:
				ps = append(ps, fault.Problem{Path: "/limits/" + string(kind), Message: fmt.Sprintf("the limit is %d", raiseMax)})
				continue
			default:
				out = append(out, run.LimitRaised{Step: d.id(i), Agent: d.Plan().Nodes[i].Agent.Name, Limit: kind,
					From: g.Limit, To: n})
				continue
			}
			ps = append(ps, fault.Problem{Path: "/limits/" + string(kind),
				Message: problem + fmt.Sprintf("%s has used %s of %s; set more than that",
					d.Plan().Nodes[i].Agent.Name, kind.Amount(g.Used), kind.Amount(g.Limit))})
		}
	}
	for _, kind := range run.LimitKinds {
		if _, used := d.fullest(stopped, kind); to.Of(kind) != 0 && !used {
			ps = append(ps, fault.Problem{Path: "/limits/" + string(kind),
				Message: d.Plan().Nodes[stopped].Agent.Name + " does not have this limit"})
		}
	}
	if len(ps) > 0 {
		return nil, fault.Of("the run stopped at a limit and needs a higher one", ps)
	}
	return out, nil
}

// fullest is the highest usage of a limit among the unfinished agents of a step when the run stopped; false
// if none of them has such a limit.
func (d *draft) fullest(i int, kind run.LimitKind) (most loop.Gauge, ok bool) {
	for k, t := range d.Steps[i].Tasks {
		if t.Loop == nil || t.Status == machine.TaskDone || t.Status == machine.TaskReview {
			continue
		}
		if g := d.Spent(i, k, kind, d.EndedAt); g.Limit > 0 && (!ok || g.Used-g.Limit > most.Used-most.Limit) {
			most, ok = g, true
		}
	}
	return most, ok
}
