package run

import (
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
)

// Raising a limit: a run that stopped at one goes on from where it stood, with
// the limit that a person set. Nothing that was done is done again, and what
// people had been asked is asked again: more money answers no question.

// raiseMax bounds the turns that people may set.
const raiseMax = 1_000_000

// limitFailure is what a run that stopped at a limit says about it. Logs of
// earlier releases name the step only.
func limitFailure(f *RunLimitReached) *Failure {
	out := &Failure{Code: "limit_reached", Step: f.Step, Agent: f.Agent, Index: f.Index}
	if f.Agent == "" {
		out.Message = phrase.Sentence("%s has used up its %s", f.Step, f.Limit.words())
		return out
	}
	out.Message = phrase.Sentence("%s has used up its %s: ", f.Agent, f.Limit.words()) +
		fmt.Sprintf("%s of %s. Resume the run with a higher limit to continue.",
			f.Limit.Amount(f.Current), f.Limit.Amount(f.Max))
	return out
}

// reopen takes up a run that failed, or stopped at a limit that is raised now.
func (d *draft) reopen(c Resume) error {
	var raised []LimitRaised
	switch {
	case d.Status == LimitReached:
		var err error
		if raised, err = d.raises(c.Limits); err != nil {
			return err
		}
	case c.Limits != (LimitAmount{}):
		return notAtLimit(d.Status)
	}
	d.emit(d.cmd.By, &RunReopened{})
	for _, f := range raised {
		d.emit(d.cmd.By, &f)
	}
	d.askAtStart()
	d.touchAll()
	return nil
}

func notAtLimit(s Status) error {
	return fault.New(fault.Conflict, fmt.Sprintf("limits can only be raised on a run that stopped at one: this run is %s",
		s),
		"leave limits out to resume it; if an approval asks for more, decide that instead")
}

// raises are the limits that new ones lift, or why they do not suffice.
func (d *draft) raises(to LimitAmount) ([]LimitRaised, error) {
	if d.cmd.By.Kind != Person {
		return nil, fault.New(fault.Forbidden, "only people can raise a run's limits",
			"have a person resume it with a higher limit")
	}
	var out []LimitRaised
	var ps []fault.Problem
	stopped, _ := d.Plan().Step(d.Error.Step)
	for i := range d.Steps {
		for _, kind := range limitKinds {
			g, used := d.fullest(i, kind)
			n := to.of(kind)
			problem := ""
			switch {
			case !used, n == 0 && !g.full(), i != stopped && !g.full():
				continue
			case n == 0:
				problem = "required: "
			case n <= g.used || n <= g.limit:
				problem = "too low: "
			case kind == LimitIterations && n > raiseMax:
				ps = append(ps, fault.Problem{Path: "/limits/" + string(kind), Message: fmt.Sprintf("the limit is %d", raiseMax)})
				continue
			default:
				out = append(out, LimitRaised{Step: d.id(i), Agent: d.Plan().Nodes[i].Agent.Name, Limit: kind, From: g.limit, To: n})
				continue
			}
			ps = append(ps, fault.Problem{Path: "/limits/" + string(kind),
				Message: problem + fmt.Sprintf("%s has used %s of %s; set more than that",
					d.Plan().Nodes[i].Agent.Name, kind.Amount(g.used), kind.Amount(g.limit))})
		}
	}
	for _, kind := range limitKinds {
		if _, used := d.fullest(stopped, kind); to.of(kind) != 0 && !used {
			ps = append(ps, fault.Problem{Path: "/limits/" + string(kind),
				Message: d.Plan().Nodes[stopped].Agent.Name + " has no such limit"})
		}
	}
	if len(ps) > 0 {
		return nil, fault.Of("the run stopped at a limit and needs a higher one", ps)
	}
	return out, nil
}

// fullest is how far the agents of a step that have not finished had used a limit
// when the run stopped; false if none of them has such a limit.
func (d *draft) fullest(i int, kind LimitKind) (most gauge, ok bool) {
	if d.Steps[i].Status == DoneStep {
		return gauge{}, false
	}
	for k, t := range d.Steps[i].Tasks {
		if t.Loop == nil || t.Status == TaskDone || t.Status == TaskReview {
			continue
		}
		if g := d.spent(i, k, kind, d.EndedAt); g.limit > 0 && (!ok || g.used-g.limit > most.used-most.limit) {
			most, ok = g, true
		}
	}
	return most, ok
}

// stoodStill keeps the time that a run had stopped out of its agents' durations.
func (s *State) stoodStill(d time.Duration) {
	for i := range s.Steps {
		for k, t := range s.Steps[i].Tasks {
			if t.Loop != nil && t.Status != TaskDone {
				l := s.loop(i, k)
				l.StartedAt = l.StartedAt.Add(d)
			}
		}
	}
}
