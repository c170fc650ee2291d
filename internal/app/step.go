package app

import (
	"context"
	"encoding/json"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/view"
)

// Step shows one step, as it is now (seq 0) or as it was at an event.
func (a *App) Step(ctx context.Context, who Who, id, step string, seq int64, full bool) (view.StepDetail, error) {
	moment, err := a.stateAt(ctx, who, id, seq)
	if err != nil {
		return view.StepDetail{}, err
	}
	veil, err := a.sight.Veil(ctx, a.guard.Viewer(who), view.RowOf(moment.state))
	if err != nil {
		return view.StepDetail{}, err
	}
	s, show := moment.state, view.Shortener(full || veil != nil)
	i, ok := s.Plan().Step(step)
	if !ok {
		return view.StepDetail{}, fault.Newf(fault.NotFound, "run %s has no step %q", id, step)
	}
	v := view.StepDetail{Step: view.StepOf(s, i, moment.at, show), Input: json.RawMessage("null")}
	v.TellTimes(s, moment.at)
	if v.StartedAt != nil && v.Skipped == "" {
		v.Input = show(s.InputFor(step, -1))
	}
	h := view.NewStepHistory(step, show)
	if err := a.eachEvent(ctx, id, s.Seq, h.Take); err != nil {
		return view.StepDetail{}, err
	}
	h.AddTo(&v)
	v, told := view.Hide(veil, v)
	v.Masking = told
	return view.Shorten(v, full), nil
}

// eachEvent reads a run's log from its beginning to an event.
func (a *App) eachEvent(ctx context.Context, id string, last int64, take func(run.Event)) error {
	for after := int64(0); after < last; {
		records, err := a.log.Events(ctx, id, after, 1000)
		if err != nil || len(records) == 0 {
			return err
		}
		for _, r := range records {
			if r.Seq <= last {
				take(r.Event)
			}
			after = r.Seq
		}
	}
	return nil
}
