// Package spans turns the log of runs into spans and sends them to a collector:
//
//	host := spans.New(spans.Config{Store: store, Send: sender.Send, Epoch: engine.Epoch, …})
//	host.Run(ctx)
//
// The log is the queue. The process that leads reads it from a mark that is stored with it, sends the spans that have
// ended, and moves the mark. While the collector does not answer, nothing is kept in memory but one batch, nothing is
// lost, and no run waits. After a crash some spans are sent again: they have the same ids.
//
// Names of spans and attributes follow OpenTelemetry's conventions for generative AI where they have any.
package spans

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/trace/otlp"
)

// Store is the part of a store that spans are made from.
type Store interface {
	port.TraceMarks
	Feed(ctx context.Context, after int64, limit int, f port.FeedFilter) ([]port.Record, int64, error)
	Head(ctx context.Context) (int64, error)
	Events(ctx context.Context, run string, after int64, limit int) ([]port.Record, error)
	Run(ctx context.Context, id string) (port.RunRow, error)
	Bundle(ctx context.Context, digest string) (json.RawMessage, error)
}

// Config is the environment of a host.
type Config struct {
	Options
	Store Store
	// Send sends spans in one request; an error with a method Temporary that returns false is final.
	Send  func(context.Context, []otlp.Span) error
	Batch int           // spans in one request
	Delay time.Duration // between requests
	// Epoch is that of this process's leadership; 0: another process leads.
	Epoch func() int64
	// Count counts spans by outcome: sent, refused, late.
	Count func(outcome string, n int)
	Now   func() time.Time
	Log   *slog.Logger
}

// Host sends spans. Call Run.
type Host struct {
	Config
	folds  map[string]*list.Element // of *fold
	recent *list.List               // the most recently used one first
	began  *int64                   // head of the feed when Run was called
	warned time.Time
}

// New creates a host.
func New(c Config) *Host {
	if c.Count == nil {
		c.Count = func(string, int) {}
	}
	h := &Host{Config: c}
	h.forget()
	return h
}

const (
	foldsMax  = 1000 // runs that are followed in memory; others are read again
	readMax   = 500  // events that are read at a time
	late      = 24 * time.Hour
	waitFirst = time.Second
	waitMost  = time.Minute
	lastWait  = 2 * time.Second
	warnEvery = time.Minute
)

// Run sends spans whenever this process leads, until ctx ends. Then it tries once more, briefly.
func (h *Host) Run(ctx context.Context) {
	if head, err := h.Store.Head(ctx); err == nil {
		h.began = &head
	}
	led, wait := false, waitFirst
	for ctx.Err() == nil {
		pause := h.Delay
		if led = h.Epoch() != 0; led {
			more, err := h.Step(ctx)
			switch {
			case err != nil && ctx.Err() == nil:
				pause, wait = max(wait, after(err)), min(2*wait, waitMost)
				h.complain(err)
			case more:
				pause, wait = 0, waitFirst
			default:
				wait = waitFirst
			}
		} else {
			h.forget()
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	if led {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWait)
		defer cancel()
		for more := true; more && ctx.Err() == nil; {
			var err error
			if more, err = h.Step(ctx); err != nil {
				return // the next process that leads sends them
			}
		}
	}
}

// after is how long a collector wants to be left alone.
func after(err error) time.Duration {
	var r *otlp.Refused
	if errors.As(err, &r) {
		return r.After
	}
	return 0
}

func (h *Host) complain(err error) {
	if now := h.Now(); now.Sub(h.warned) >= warnEvery && !fault.Is(err, fault.Conflict) {
		h.warned = now
		h.Log.Warn("traces cannot be sent; retrying", "error", err)
	}
}

// Step sends the spans that ended in the next part of the log, and reports whether there is more.
func (h *Host) Step(ctx context.Context) (more bool, err error) {
	defer func() {
		if err != nil {
			h.forget() // what was folded is read again
		}
	}()
	mark, set, err := h.Store.TraceMark(ctx)
	if err != nil {
		return false, err
	}
	if !set { // what happened before is not traced
		head, err := h.Store.Head(ctx)
		if err != nil {
			return false, err
		}
		if h.began != nil {
			head = min(head, *h.began)
		}
		return true, h.Store.MoveTraceMark(ctx, 0, head)
	}
	records, next, err := h.Store.Feed(ctx, mark, readMax, port.FeedFilter{})
	if err != nil || next == mark {
		return false, err
	}
	var ended []otlp.Span
	for i := range records {
		some, err := h.event(ctx, &records[i])
		if err != nil {
			return false, err
		}
		ended = append(ended, some...)
	}
	for len(ended) > 0 {
		n := min(h.Batch, len(ended))
		if err := h.send(ctx, ended[:n]); err != nil {
			return false, err
		}
		ended = ended[n:]
	}
	return true, h.Store.MoveTraceMark(ctx, mark, next)
}

// send sends spans. Those that the collector does not want are given up.
func (h *Host) send(ctx context.Context, spans []otlp.Span) error {
	err := h.Send(ctx, spans)
	var r *otlp.Refused
	switch {
	case errors.As(err, &r) && !r.Temporary():
		h.Count("refused", len(spans))
		h.complain(err)
	case err != nil:
		return err
	default:
		h.Count("sent", len(spans))
	}
	return nil
}

// event follows a run by one event.
func (h *Host) event(ctx context.Context, r *port.Record) ([]otlp.Span, error) {
	f, err := h.fold(ctx, r.Run, r.Seq-1)
	if err != nil || f == nil {
		return nil, err
	}
	if err := h.name(ctx, f, &r.Event); err != nil {
		return nil, err
	}
	spans := f.apply(&r.Event)
	if len(spans) > 0 && h.Now().Sub(r.At) > late {
		h.Count("late", len(spans))
		return nil, nil
	}
	return spans, nil
}

// name learns who does the steps of a run.
func (h *Host) name(ctx context.Context, f *fold, e *run.Event) error {
	started, ok := e.Fact.(*run.RunStarted)
	if !ok {
		return nil
	}
	bundle, err := h.Store.Bundle(ctx, started.Definition)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the definition of %s: %w", f.id, err)
	}
	var def plan.Definition
	if err := json.Unmarshal(bundle, &def); err != nil {
		return fmt.Errorf("read the definition of %s: %w", f.id, err)
	}
	for _, s := range def.Workflow.Steps {
		f.doers[s.ID] = doer{s.Agent, s.Tool, s.Workflow}
	}
	return nil
}

// fold is a run up to a sequence number; nil: it is already further, or the run is not found.
func (h *Host) fold(ctx context.Context, id string, seq int64) (*fold, error) {
	if at, ok := h.folds[id]; ok {
		f := at.Value.(*fold)
		h.recent.MoveToFront(at)
		if f.seq == seq {
			return f, nil
		}
		if f.seq > seq {
			return nil, nil
		}
	}
	row, err := h.Store.Run(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f := newFold(id, row.ForkedFrom != "", &h.Options)
	for f.seq < seq {
		records, err := h.Store.Events(ctx, id, f.seq, int(min(seq-f.seq, readMax)))
		if err != nil {
			return nil, err
		}
		if len(records) == 0 {
			return nil, fmt.Errorf("the log of %s ends at %d, not %d", id, f.seq, seq)
		}
		for i := range records {
			if err := h.name(ctx, f, &records[i].Event); err != nil {
				return nil, err
			}
			f.apply(&records[i].Event)
		}
	}
	h.keep(f)
	return f, nil
}

func (h *Host) keep(f *fold) {
	if old, ok := h.folds[f.id]; ok {
		h.recent.Remove(old)
	}
	h.folds[f.id] = h.recent.PushFront(f)
	for h.recent.Len() > foldsMax {
		last := h.recent.Back()
		h.recent.Remove(last)
		delete(h.folds, last.Value.(*fold).id)
	}
}

// forget lets go of all runs: they are read again when something happens in them.
func (h *Host) forget() { h.folds, h.recent = map[string]*list.Element{}, list.New() }
