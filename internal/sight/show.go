package sight

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// ShowRun shows a run to the viewer.
func (s *Sight) ShowRun(ctx context.Context, v Viewer, state *machine.State, now time.Time,
	full bool) (view.Run, error) {
	veil, err := s.Veil(ctx, v, view.RowOf(state))
	if err != nil {
		return view.Run{}, err
	}
	shown := view.RunOf(state, now, full || veil != nil) // masked values are shortened afterwards
	if veil != nil {
		shown, shown.Masking = view.Hide(veil, shown)
		shown = view.Shorten(shown, full)
	}
	ids, unseen := s.Approvals(v).Pending(state)
	shown.PendingApprovals, shown.Unseen = view.NotNil(ids), unseen
	return shown, nil
}

// ShowSummary shows one run in a list.
func (s *Sight) ShowSummary(ctx context.Context, v Viewer) func(port.RunRow) (view.RunSummary, error) {
	return func(row port.RunRow) (view.RunSummary, error) {
		shown, err := view.SummaryOf(row)
		if err != nil || row.Error == "" && row.Subject == "" && len(row.Labels) == 0 {
			return shown, err // it contains no text
		}
		veil, err := s.Veil(ctx, v, row)
		if err != nil {
			return view.RunSummary{}, err
		}
		shown, told := view.Hide(veil, shown)
		shown.Masking = told
		return shown, nil
	}
}

// ShowEvents shows events of one or several runs.
func (s *Sight) ShowEvents(ctx context.Context, v Viewer, events []view.Event, full bool) ([]view.Event, error) {
	veils, discreet := map[string]*view.Veil{}, s.Approvals(v)
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
			if e, err = s.blindEvent(ctx, e); err != nil {
				return nil, err
			}
			change(i, e)
			continue
		}
		veil, known := veils[e.Run]
		if !known && e.Run != "" {
			var err error
			if veil, err = s.VeilOf(ctx, v, e.Run); err != nil {
				return nil, err
			}
			veils[e.Run] = veil
		}
		if veil == nil {
			continue
		}
		shown, err := s.showEvent(ctx, veil, e, full)
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

func (s *Sight) showEvent(ctx context.Context, veil *view.Veil, e view.Event, full bool) (view.Event, error) {
	if e.Seq == 0 { // an agent's progress, or an event that belongs to no run
		data, told := view.Hide(veil, e.Data)
		e.Data, e.Masking = data, told.Under("/data")
		return e, nil
	}
	fact, err := s.factOf(ctx, e)
	if err != nil {
		return e, err
	}
	fact, told := view.Hide(veil, fact)
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

// blindEvent is an event about an approval that the viewer may not see: its type, time and actor, without anything
// that people or agents sent.
func (s *Sight) blindEvent(ctx context.Context, e view.Event) (view.Event, error) {
	fact, err := s.factOf(ctx, e)
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
func (s *Sight) factOf(ctx context.Context, e view.Event) (run.Fact, error) {
	if _, short := view.FindShortened(e.Data); !short {
		return run.DecodeFact(e.Type, e.Data)
	}
	records, err := s.store.Events(ctx, e.Run, e.Seq-1, 1)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || records[0].Seq != e.Seq {
		return nil, fault.Newf(fault.NotFound, "run %s has no event %d", e.Run, e.Seq)
	}
	return records[0].Fact, nil
}

// ShowDeliverable shows a deliverable without its bytes.
func (s *Sight) ShowDeliverable(ctx context.Context, v Viewer) func(port.DeliverableRow) (view.Deliverable, error) {
	return func(row port.DeliverableRow) (view.Deliverable, error) {
		shown, err := view.DeliverableOf(row)
		if err != nil {
			return shown, err
		}
		veil, err := s.VeilOf(ctx, v, row.Run)
		if err != nil {
			return view.Deliverable{}, err
		}
		shown, told := view.Hide(veil, shown)
		shown.Masking = told
		return shown, nil
	}
}

// ShowIn masks a view of something that belongs to a run.
func ShowIn[T any](ctx context.Context, s *Sight, v Viewer, runID string, shown T,
	told func(*T) *view.Masking) (T, error) {
	veil, err := s.VeilOf(ctx, v, runID)
	if err != nil || veil == nil {
		return shown, err
	}
	shown, hidden := view.Hide(veil, shown)
	*told(&shown) = hidden
	return shown, nil
}

// ShowAudit shows an entry of the audit log.
func (s *Sight) ShowAudit(ctx context.Context, v Viewer, shown port.AuditEntry) (port.AuditEntry, error) {
	if shown.Run == "" {
		return shown, nil
	}
	veil, err := s.VeilOf(ctx, v, shown.Run)
	if fault.Is(err, fault.NotFound) { // the action named a run that does not exist
		return shown, nil
	}
	if err != nil {
		return port.AuditEntry{}, err
	}
	shown, told := view.Hide(veil, shown)
	shown.Masked, shown.Paths = told.Masked, told.Paths
	return shown, nil
}
