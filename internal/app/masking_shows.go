package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
)

// What each use case shows to somebody, with what is to be hidden hidden.

// showRun shows a run to somebody.
func (a *App) showRun(ctx context.Context, who Who, s *run.State, now time.Time, full bool) (RunView, error) {
	v, err := a.veilFor(ctx, who, rowOf(s))
	if err != nil {
		return RunView{}, err
	}
	var view RunView
	if v == nil {
		view = viewRun(s, now, full)
	} else {
		shown, told := hide(v, viewRun(s, now, true))
		shown.Masking = told
		view = shorten(shown, full)
	}
	ids, unseen := a.discretion(who).pending(s)
	view.PendingApprovals, view.Unseen = list(ids), unseen
	return view, nil
}

// showSummary is what a list of runs tells somebody about one.
func (a *App) showSummary(ctx context.Context, who Who) func(port.RunRow) (RunSummary, error) {
	return func(row port.RunRow) (RunSummary, error) {
		view, err := summarise(row)
		if err != nil || row.Error == "" && row.Subject == "" && len(row.Labels) == 0 {
			return view, err // there is no text in it
		}
		v, err := a.veilFor(ctx, who, row)
		if err != nil {
			return RunSummary{}, err
		}
		view, told := hide(v, view)
		view.Masking = told
		return view, nil
	}
}

// showEvents shows events of one or several runs.
func (a *App) showEvents(ctx context.Context, who Who, events []EventView, full bool) ([]EventView, error) {
	veils, discreet := map[string]*veil{}, a.discretion(who)
	var out []EventView
	change := func(i int, shown EventView) {
		if out == nil { // others may look at the list, too
			out = append([]EventView{}, events...)
		}
		out[i] = shown
	}
	for i, e := range events {
		hidden, err := discreet.hides(ctx, &e)
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

func (a *App) showEvent(ctx context.Context, v *veil, e EventView, full bool) (EventView, error) {
	if e.Seq == 0 { // what an agent says while it works, or something that belongs to no run
		data, told := hide(v, e.Data)
		e.Data, e.Masking = data, told.under("/data")
		return e, nil
	}
	fact, err := a.factOf(ctx, e)
	if err != nil {
		return e, err
	}
	fact, told := hide(v, fact)
	data, err := run.EncodeFact(fact)
	if err != nil {
		return e, err
	}
	if !full {
		data = shortenWithin(data, shortener(false))
	}
	e.Data, e.Masking = data, told.under("/data")
	return e, nil
}

// blindEvent is an event about an approval that may not be seen: what happened
// when and by whom, and nothing that people or agents sent.
func (a *App) blindEvent(ctx context.Context, e EventView) (EventView, error) {
	fact, err := a.factOf(ctx, e)
	if err != nil {
		return e, err
	}
	fact, told := blind(fact)
	if e.Data, err = run.EncodeFact(fact); err != nil {
		return e, err
	}
	e.Masking = told.under("/data")
	return e, nil
}

// factOf is the whole of what an event says, also where its view is shortened: the
// beginning of a long value may end within something to be hidden.
func (a *App) factOf(ctx context.Context, e EventView) (run.Fact, error) {
	if _, short := findShortened(e.Data); !short {
		return run.DecodeFact(e.Type, e.Data)
	}
	records, err := a.Store.Events(ctx, e.Run, e.Seq-1, 1)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || records[0].Seq != e.Seq {
		return nil, fault.Newf(fault.NotFound, "run %s has no event %d", e.Run, e.Seq)
	}
	return records[0].Fact, nil
}

// findShortened looks for what shortener leaves of a long value.
func findShortened(data json.RawMessage) (at string, found bool) {
	switch value.KindOf(data) {
	case value.KindObject:
		_, blob := value.Get(data, "$blob")
		_, preview := value.Get(data, "preview")
		if blob && preview {
			return "", true
		}
		for key, m := range value.Members(data) {
			if len(m) > previewMax {
				if at, found := findShortened(m); found {
					return "/" + key + at, true
				}
			}
		}
	}
	return "", false
}

// under says where in an answer a part of it was.
func (m Masking) under(at string) Masking {
	for i := range m.Paths {
		m.Paths[i] = at + m.Paths[i]
	}
	return m
}

// showDeliverable is what somebody sees of a deliverable besides its bytes.
func (a *App) showDeliverable(ctx context.Context, who Who) func(port.DeliverableRow) (DeliverableView, error) {
	return func(row port.DeliverableRow) (DeliverableView, error) {
		view, err := viewDeliverable(row)
		if err != nil {
			return view, err
		}
		v, err := a.veilOf(ctx, who, row.Run)
		if err != nil {
			return DeliverableView{}, err
		}
		view, told := hide(v, view)
		view.Masking = told
		return view, nil
	}
}

// handOut refuses to hand out the bytes of a run that holds something masked.
func (a *App) handOut(ctx context.Context, who Who, runID, what string) error {
	v, err := a.veilOf(ctx, who, runID)
	if err == nil && v != nil && v.held {
		err = errMasked(what)
	}
	return err
}

// showExcerpt hides what is to be hidden in a text that is shown; documents of
// JSON are looked at as such.
func (a *App) showExcerpt(ctx context.Context, who Who, runID string, e Excerpt) (Excerpt, error) {
	v, err := a.veilOf(ctx, who, runID)
	if err != nil || v == nil {
		return e, err
	}
	if !e.Cut && value.Valid(e.Content) {
		doc := json.RawMessage(e.Content)
		shown := v.with(doc).Doc(mask.Other, doc, nil)
		if string(shown) != string(doc) {
			e.Content, e.Masked = shown, true
		}
		return e, nil
	}
	if shown := v.mask.Text(string(e.Content)); shown != string(e.Content) {
		e.Content, e.Masked = []byte(shown), true
	}
	return e, nil
}

// showIn hides what is to be hidden in a view of something that belongs to a run.
func showIn[T any](ctx context.Context, a *App, who Who, runID string, view T, told func(*T) *Masking) (T, error) {
	v, err := a.veilOf(ctx, who, runID)
	if err != nil || v == nil {
		return view, err
	}
	view, hidden := hide(v, view)
	*told(&view) = hidden
	return view, nil
}

// showAudit is an entry of the audit log as somebody may see it.
func (a *App) showAudit(ctx context.Context, who Who) func(port.AuditRow) (AuditView, error) {
	return func(row port.AuditRow) (AuditView, error) {
		view, err := a.Audit.Entry(row)
		if err != nil || view.Run == "" {
			return view, err
		}
		v, err := a.veilOf(ctx, who, view.Run)
		if fault.Is(err, fault.NotFound) { // somebody tried something with a run that is none
			return view, nil
		}
		if err != nil {
			return AuditView{}, err
		}
		view, told := hide(v, view)
		view.Masked, view.Paths = told.Masked, told.Paths
		return view, nil
	}
}

// withoutValues leaves out the values that stand beside the entries of an
// exported audit log. What is left verifies: the chain knows their digests alone.
type withoutValues struct {
	to   io.Writer
	rest []byte // of a line that has not ended yet
}

// valuesMark begins the values in a line of an export; they are its last member.
var valuesMark = []byte(`,"open":{`)

func (w *withoutValues) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, ended := bytes.Cut(w.rest, []byte{'\n'})
		if !ended {
			return len(p), nil
		}
		if open, ok := value.Get(line, "open"); ok {
			if before, cut := bytes.CutSuffix(line, slices.Concat(valuesMark[:len(valuesMark)-1], open, []byte{'}'})); cut {
				line = append(bytes.Clone(before), '}')
			} else {
				return 0, fault.New(fault.Unsupported, "the audit log cannot be exported without its values", "")
			}
		}
		if _, err := w.to.Write(append(bytes.Clone(line), '\n')); err != nil {
			return 0, err
		}
		w.rest = bytes.Clone(rest)
	}
}
