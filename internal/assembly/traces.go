package assembly

import (
	"context"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/trace"
	"github.com/assent-run/assent/internal/trace/otlp"
	"github.com/assent-run/assent/internal/trace/spans"
)

// tracing names spans, and sends them if the settings say where to.
type tracing struct {
	settings *otlp.Settings // nil: they are not sent
	runs     *trace.Runs
	sender   *otlp.Sender
	host     *spans.Host
	cancel   context.CancelFunc
	loop     *sync.WaitGroup
}

// runsLogged is how many runs are logged with their traces.
const runsLogged = 10_000

func newTracing(settings *otlp.Settings) tracing {
	return tracing{settings: settings, runs: trace.NewRuns(runsLogged), loop: new(sync.WaitGroup)}
}

// of is the span of a run; the zero Context if there is none.
func (t *tracing) of(s *machine.State) trace.Context {
	caller, called := trace.Parse(s.Started.Trace)
	if t.settings == nil {
		return caller
	}
	return t.settings.Sample(trace.OfRun(s.ID, s.Started.Trace), called)
}

// span is the span of an effect. If spans are not sent, it is the caller's: the services called see the trace that
// led to the request.
func (t *tracing) span(s *machine.State, key run.Key) trace.Context {
	c := t.of(s)
	if t.settings == nil {
		return c
	}
	return c.Child(key.String())
}

// id is the trace of a run, if its spans are sent.
func (t *tracing) id(s *machine.State) string {
	if t.settings == nil {
		return ""
	}
	if c := t.of(s); c.Sampled {
		return c.TraceID()
	}
	return ""
}

// note remembers the trace of a run, for logs.
func (t *tracing) note(s *machine.State) {
	if c := t.of(s); c.Valid() {
		t.runs.Note(s.ID, c.TraceID())
	}
}

// export prepares to send the spans of all runs.
func (t *tracing) export(s *Server, c Config) {
	if t.settings == nil {
		return
	}
	t.sender = otlp.New(t.settings.Target)
	counted := s.Metrics.Counter("assent_spans_total", "Spans of traces: sent, refused by the collector, or too late.",
		"outcome")
	t.host = spans.New(spans.Config{
		Options: spans.Options{Sample: t.settings.Sample, Content: t.settings.Content, Model: s.modelOf},
		Store:   s.Store, Send: t.sender.Send, Batch: t.settings.Batch, Delay: t.settings.Delay,
		Epoch: s.engine.Epoch, Count: func(outcome string, n int) { counted.Of(outcome).Add(float64(n)) },
		Now: time.Now, Log: c.Log,
	})
}

// inTrace makes requests about a run part of its span, as far as its beginning can be read.
func (s *Server) inTrace(ctx context.Context, id string) context.Context {
	if s.traces.settings == nil || id == "" {
		return ctx
	}
	row, err := s.Store.Run(ctx, id)
	if err != nil {
		return ctx
	}
	caller := ""
	if row.ForkedFrom == "" { // a fork begins with a copy of another run's events
		first, err := s.Store.Events(ctx, id, 0, 1)
		if err != nil || len(first) == 0 {
			return ctx
		}
		if f, ok := first[0].Fact.(*run.RunStarted); ok {
			caller = f.Trace
		}
	}
	_, called := trace.Parse(caller)
	return trace.With(ctx, s.traces.settings.Sample(trace.OfRun(id, caller), called))
}

// modelOf is the provider and the model of an LLM agent in force.
func (s *Server) modelOf(agent string) (provider, model string) {
	doc := s.App.Supply.AgentDocuments()[agent]
	if doc == nil || doc.LLM == nil {
		return "", ""
	}
	return string(doc.LLM.Provider), doc.LLM.Model
}

func (t *tracing) start() {
	if t.host == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel = cancel
	t.loop.Go(func() { t.host.Run(ctx) })
}

func (t *tracing) stop() {
	if t.cancel != nil {
		t.cancel()
	}
	t.loop.Wait()
	if t.sender != nil {
		t.sender.Close()
	}
}
