package trace

import (
	"context"
	"log/slog"
	"strings"
	"sync"
)

// Runs knows the traces of the runs that this process has seen last.
type Runs struct {
	mu     sync.Mutex
	max    int
	traces map[string]string
	order  []string // a ring of their ids
	next   int
}

// NewRuns creates one that knows a number of runs.
func NewRuns(most int) *Runs { return &Runs{max: most, traces: map[string]string{}} }

// Note remembers the trace of a run.
func (r *Runs) Note(run, trace string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.traces[run]; known {
		return
	}
	r.traces[run] = trace
	if len(r.order) < r.max {
		r.order = append(r.order, run)
		return
	}
	delete(r.traces, r.order[r.next])
	r.order[r.next] = run
	r.next = (r.next + 1) % r.max
}

// Of is the trace of a run; empty if it is not known.
func (r *Runs) Of(run string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.traces[run]
}

// Log adds trace_id to what is logged about a run, and to what is logged in a span, with its span_id.
func Log(to slog.Handler, runs *Runs) slog.Handler { return &handler{to, runs, false} }

type handler struct {
	slog.Handler
	runs *Runs
	has  bool // trace_id was added
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if c := From(ctx); c.Valid() {
		r.AddAttrs(slog.String("trace_id", c.TraceID()), slog.String("span_id", c.SpanID()))
		return h.Handler.Handle(ctx, r)
	}
	if !h.has {
		found := ""
		r.Attrs(func(a slog.Attr) bool {
			found = h.of(a)
			return found == ""
		})
		if found != "" {
			r.AddAttrs(slog.String("trace_id", found))
		}
	}
	return h.Handler.Handle(ctx, r)
}

// of is the trace of the run that an attribute names, by its id or by the key of its work.
func (h *handler) of(a slog.Attr) string {
	if a.Key != "run" && a.Key != "key" || a.Value.Kind() != slog.KindString {
		return ""
	}
	id, _, _ := strings.Cut(a.Value.String(), "/")
	return h.runs.Of(id)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		if found := h.of(a); found != "" && !h.has {
			return &handler{h.Handler.WithAttrs(append(attrs[:len(attrs):len(attrs)],
				slog.String("trace_id", found))), h.runs, true}
		}
	}
	return &handler{h.Handler.WithAttrs(attrs), h.runs, h.has}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.Handler.WithGroup(name), h.runs, h.has}
}
