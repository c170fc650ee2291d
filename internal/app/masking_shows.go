package app

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// The views of each use case, masked for the caller.

// showRun shows a run to the caller.
func (a *App) showRun(ctx context.Context, who Who, s *machine.State, now time.Time, full bool) (view.Run, error) {
	v, err := a.veilFor(ctx, who, view.RowOf(s))
	if err != nil {
		return view.Run{}, err
	}
	shown := view.RunOf(s, now, full || v != nil) // masked values are shortened afterwards
	if v != nil {
		shown, shown.Masking = view.Hide(v, shown)
		shown = view.Shorten(shown, full)
	}
	ids, unseen := a.approvalsFor(who).Pending(s)
	shown.PendingApprovals, shown.Unseen = view.NotNil(ids), unseen
	return shown, nil
}

// showSummary shows one run in a list.
func (a *App) showSummary(ctx context.Context, who Who) func(port.RunRow) (view.RunSummary, error) {
	return func(row port.RunRow) (view.RunSummary, error) {
		shown, err := view.SummaryOf(row)
		if err != nil || row.Error == "" && row.Subject == "" && len(row.Labels) == 0 {
			return shown, err // it contains no text
		}
		v, err := a.veilFor(ctx, who, row)
		if err != nil {
			return view.RunSummary{}, err
		}
		shown, told := view.Hide(v, shown)
		shown.Masking = told
		return shown, nil
	}
}

// showEvents shows events of one or several runs.
func (a *App) showEvents(ctx context.Context, who Who, events []view.Event, full bool) ([]view.Event, error) {
	veils, discreet := map[string]*view.Veil{}, a.approvalsFor(who)
	var out []view.Event
	change := func(i int, shown view.Event) {
		if out == nil { // the list may be shared with other readers
			out = append([]view.Event{}, events...)
		}
		out[i] = shown
	}
	for i, e := range events {
		hidden, err := discreet.Hides(ctx, &e)
		if err != nil {
			return nil, err
		}
		if hidden {
			if e, err = a.blindEvent(ctx, e); err != nil {
				return nil, err
			}
			change(i, e)
			continue
		}
		v, known := veils[e.Run]
		if !known && e.Run != "" {
			var err error
			if v, err = a.veilOf(ctx, who, e.Run); err != nil {
				return nil, err
			}
			veils[e.Run] = v
		}
		if v == nil {
			continue
		}
		shown, err := a.showEvent(ctx, v, e, full)
		if err != nil {
			return nil, err
		}
		change(i, shown)
	}
	if out == nil {
		return events, nil
	}
	return out, nil
}

func (a *App) showEvent(ctx context.Context, v *view.Veil, e view.Event, full bool) (view.Event, error) {
	if e.Seq == 0 { // an agent's progress, or an event that belongs to no run
		data, told := view.Hide(v, e.Data)
		e.Data, e.Masking = data, told.Under("/data")
		return e, nil
	}
	fact, err := a.factOf(ctx, e)
	if err != nil {
		return e, err
	}
	fact, told := view.Hide(v, fact)
	data, err := run.EncodeFact(fact)
	if err != nil {
		return e, err
	}
	if !full {
		data = view.ShortenWithin(data, view.Shortener(false))
	}
	e.Data, e.Masking = data, told.Under("/data")
	return e, nil
}

// blindEvent is an event about an approval that the caller may not see: its type, time and actor, without anything
// that people or agents sent.
func (a *App) blindEvent(ctx context.Context, e view.Event) (view.Event, error) {
	fact, err := a.factOf(ctx, e)
	if err != nil {
		return e, err
	}
	fact, told := view.Blind(fact)
	if e.Data, err = run.EncodeFact(fact); err != nil {
		return e, err
	}
	e.Masking = told.Under("/data")
	return e, nil
}

// factOf is the complete fact of an event, even where its view is shortened: the beginning of a long value may end
// within something to be masked.
func (a *App) factOf(ctx context.Context, e view.Event) (run.Fact, error) {
	if _, short := view.FindShortened(e.Data); !short {
		return run.DecodeFact(e.Type, e.Data)
	}
	records, err := a.log.Events(ctx, e.Run, e.Seq-1, 1)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || records[0].Seq != e.Seq {
		return nil, fault.Newf(fault.NotFound, "run %s has no event %d", e.Run, e.Seq)
	}
	return records[0].Fact, nil
}

// showDeliverable shows a deliverable without its bytes.
func (a *App) showDeliverable(ctx context.Context, who Who) func(port.DeliverableRow) (view.Deliverable, error) {
	return func(row port.DeliverableRow) (view.Deliverable, error) {
		shown, err := view.DeliverableOf(row)
		if err != nil {
			return shown, err
		}
		v, err := a.veilOf(ctx, who, row.Run)
		if err != nil {
			return view.Deliverable{}, err
		}
		shown, told := view.Hide(v, shown)
		shown.Masking = told
		return shown, nil
	}
}

// handOut refuses to hand out the bytes of a run that contains masked values.
func (a *App) handOut(ctx context.Context, who Who, runID, what string) error {
	v, err := a.veilOf(ctx, who, runID)
	if err == nil && v.Holds() {
		err = errMasked(what)
	}
	return err
}

// showExcerpt masks an excerpt of a text.
func (a *App) showExcerpt(ctx context.Context, who Who, runID string, e Excerpt) (Excerpt, error) {
	v, err := a.veilOf(ctx, who, runID)
	if err != nil || v == nil {
		return e, err
	}
	if shown, masked := v.Excerpt(e.Content, !e.Cut); masked {
		e.Content, e.Masked = shown, true
	}
	return e, nil
}

// showIn masks a view of something that belongs to a run.
func showIn[T any](ctx context.Context, a *App, who Who, runID string, shown T,
	told func(*T) *view.Masking) (T, error) {
	v, err := a.veilOf(ctx, who, runID)
	if err != nil || v == nil {
		return shown, err
	}
	shown, hidden := view.Hide(v, shown)
	*told(&shown) = hidden
	return shown, nil
}

// showAudit shows an entry of the audit log to the caller.
func (a *App) showAudit(ctx context.Context, who Who) func(port.AuditRow) (AuditView, error) {
	return func(row port.AuditRow) (AuditView, error) {
		shown, err := a.audit.Entry(row)
		if err != nil || shown.Run == "" {
			return shown, err
		}
		v, err := a.veilOf(ctx, who, shown.Run)
		if fault.Is(err, fault.NotFound) { // the action named a run that does not exist
			return shown, nil
		}
		if err != nil {
			return AuditView{}, err
		}
		shown, told := view.Hide(v, shown)
		shown.Masked, shown.Paths = told.Masked, told.Paths
		return shown, nil
	}
}
