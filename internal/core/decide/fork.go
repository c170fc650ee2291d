package decide

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Fork creates the log of a new run from the first events of another: history is copied, recorded results are
// reused, and from there it continues under its own keys.
func Fork(env Env, id string, p *plan.Plan, past []run.Event, edits run.Edits, c run.Command) ([]run.Event, error) {
	if len(past) == 0 {
		return nil, fault.New(fault.Invalid, "a fork needs at least one event", "")
	}
	from := past[0].Run
	log := make([]run.Event, len(past))
	for n, e := range past {
		e.Run, e.Cause = id, ""
		log[n] = e
	}
	s := machine.Fold(id, p, log)
	if s.Removed != nil {
		return nil, s.Removed.Refusal()
	}
	if err := machine.CheckEdits(s.Plan(), &edits); err != nil {
		return nil, err
	}
	if err := forged(s.Plan(), &edits); err != nil {
		return nil, err
	}
	d := newDraft(s, env, &c)
	d.emit(c.By, &run.RunForked{From: from, AtSeq: s.Seq, Owner: c.By.Key(), Edits: edits,
		Family: cmp.Or(s.Started.Family, from)})
	d.askAtStart()
	d.touchAll()
	d.advance()
	d.runAhead()
	return append(log, d.events...), nil
}

// forged rejects results of steps that people do: a fork asks them again.
func forged(p *plan.Plan, e *run.Edits) error {
	var ps []fault.Problem
	for _, id := range slices.Sorted(maps.Keys(e.Outputs)) {
		if i, _ := p.Step(id); p.Nodes[i].Human >= 0 {
			ps = append(ps, fault.Problem{Path: "/outputs/" + id,
				Message: "people answer in this step; fork from before it, and they are asked again"})
		}
	}
	if len(ps) > 0 {
		return fault.Of("the edits are not valid", ps)
	}
	return nil
}

// bareID is a run's id without its prefix, for derived ids.
func bareID(run string) string { return strings.TrimPrefix(run, "run_") }
