package decide

import (
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/forking"
	"github.com/assent-run/assent/internal/core/loop"
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
	if err := forking.Check(s, log, &edits); err != nil {
		return nil, err
	}
	f := forking.Begin(s, from, edits, c.By)
	questions := func(e run.Edits) map[forking.Question]bool {
		f := *f
		f.Edits = e
		d := newDraft(s, env, &c)
		defer s.GiveBack(&d.State)
		d.emit(c.By, &f)
		return forking.Questions(&d.State, log, d.asks)
	}
	if err := forking.Unasked(s, log, &edits, questions); err != nil {
		return nil, err
	}
	d := newDraft(s, env, &c)
	d.emit(c.By, f)
	d.askAtStart()
	d.touchAll()
	d.advance()
	d.runAhead()
	return append(log, d.events...), nil
}

// asks lists what would be asked now at a place that has been passed, or about a call.
func (d *draft) asks(spot run.Spot, c *loop.Call) (ids []string) {
	now := d.asking()
	r := now.At(spot)
	if i, ok := d.Plan().Step(spot.Step); ok && c != nil {
		r = now.Call(i, max(spot.Element(), 0), c)
	}
	for _, w := range r.Wants {
		ids = append(ids, w.ID)
		if w.Auto != nil {
			ids[len(ids)-1] += ", decided by the rule"
		}
	}
	if r.Denied != nil {
		ids = append(ids, r.Denied.Message)
	}
	return ids
}

// bareID is a run's id without its prefix, for derived ids.
func bareID(run string) string { return strings.TrimPrefix(run, "run_") }
