package decide

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
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
	if err := checkEdits(s.Plan(), &edits); err != nil {
		return nil, err
	}
	d := newDraft(s, env, &c)
	d.emit(c.By, &run.RunForked{From: from, AtSeq: s.Seq, Owner: c.By.Key(), Edits: edits,
		Family: cmp.Or(s.Started.Family, from)})
	d.askAtStart()
	d.touchAll()
	d.advance()
	return append(log, d.events...), nil
}

// checkEdits rejects edits that the plan could not continue with.
func checkEdits(p *plan.Plan, e *run.Edits) error {
	var ps []fault.Problem
	check := func(path string, v *[]byte) {
		if *v == nil {
			return
		}
		out, err := value.Strict(*v)
		if err != nil {
			ps = append(ps, fault.Problem{Path: path, Message: err.Error()})
		}
		*v = out
	}
	in, ctx := []byte(e.Input), []byte(e.Context)
	check("/input", &in)
	check("/context", &ctx)
	e.Input, e.Context = in, ctx
	if e.Context != nil && value.KindOf(e.Context) != value.KindObject {
		ps = append(ps, fault.Problem{Path: "/context", Message: "it has to be an object"})
	}
	if e.Input != nil && len(ps) == 0 {
		for _, p := range p.InputSchema.Validate(e.Input) {
			ps = append(ps, fault.Problem{Path: "/input" + p.Path, Message: p.Message})
		}
	}
	for id, v := range e.Outputs {
		i, ok := p.Step(id)
		if !ok {
			ps = append(ps, fault.Problem{Path: "/outputs/" + id, Message: "step not found"})
			continue
		}
		out := []byte(v)
		check("/outputs/"+id, &out)
		e.Outputs[id] = out
		for _, p := range p.Nodes[i].OutputSchema.Validate(out) {
			ps = append(ps, fault.Problem{Path: "/outputs/" + id + p.Path, Message: p.Message})
		}
	}
	if len(ps) > 0 {
		slices.SortFunc(ps, func(a, b fault.Problem) int { return strings.Compare(a.Path, b.Path) })
		return fault.Of("the edits are not valid", ps)
	}
	return nil
}

// bareID is a run's id without its prefix, for derived ids.
func bareID(run string) string { return strings.TrimPrefix(run, "run_") }
