package spans

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/trace"
	"github.com/assent-run/assent/internal/trace/otlp"
)

// memory is a log of runs.
type memory struct {
	log    []port.Record
	mark   int64
	set    bool
	forked map[string]string
	reads  int
}

func (m *memory) TraceMark(context.Context) (int64, bool, error) { return m.mark, m.set, nil }

func (m *memory) MoveTraceMark(_ context.Context, from, to int64) error {
	if from != m.mark {
		return fault.New(fault.Conflict, "moved", "")
	}
	m.mark, m.set = to, true
	return nil
}

func (m *memory) Feed(_ context.Context, after int64, limit int, _ port.FeedFilter) ([]port.Record, int64, error) {
	to := min(int(after)+limit, len(m.log))
	return m.log[after:to], int64(to), nil
}

func (m *memory) Head(context.Context) (int64, error) { return int64(len(m.log)), nil }

func (m *memory) Events(_ context.Context, id string, after int64, limit int) (out []port.Record, err error) {
	m.reads++
	for _, r := range m.log {
		if r.Run == id && r.Seq > after && len(out) < limit {
			out = append(out, r)
		}
	}
	return out, nil
}

func (m *memory) Run(_ context.Context, id string) (port.RunRow, error) {
	return port.RunRow{ID: id, ForkedFrom: m.forked[id]}, nil
}

func (m *memory) Bundle(context.Context, string) (json.RawMessage, error) {
	return json.RawMessage(`{"definition":{"name":"w","steps":[{"id":"a","agent":"x"},{"id":"b","tool":"t"},` +
		`{"id":"c","agent":"x","each":"list"}]}}`), nil
}

var start = time.Unix(1_000_000, 0)

// add appends facts to a run's log, a second apart.
func (m *memory) add(id string, facts ...run.Fact) {
	seq := int64(0)
	for _, r := range m.log {
		if r.Run == id {
			seq = r.Seq
		}
	}
	for _, f := range facts {
		seq++
		m.log = append(m.log, port.Record{Feed: int64(len(m.log) + 1), Event: run.Event{Run: id, Seq: seq,
			At: start.Add(time.Duration(len(m.log)) * time.Second), Fact: f}})
	}
}

// sent collects spans.
type sent struct {
	spans []otlp.Span
	fail  error
}

func (s *sent) send(_ context.Context, spans []otlp.Span) error {
	if s.fail == nil {
		s.spans = append(s.spans, spans...)
	}
	return s.fail
}

func host(m *memory, s *sent) *Host {
	m.set = true
	return New(Config{Store: m, Send: s.send, Batch: 3, Epoch: func() int64 { return 1 },
		Now: func() time.Time { return start.Add(time.Hour) }, Log: slog.New(slog.DiscardHandler),
		Options: Options{Sample: func(c trace.Context, _ bool) trace.Context { return c },
			Model: func(string) (string, string) { return "openai", "m" }}})
}

func (h *Host) drain(t *testing.T) {
	t.Helper()
	for more := true; more; {
		var err error
		if more, err = h.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// draw shows spans as lines: name, seconds, parent.
func draw(spans []otlp.Span) string {
	names := map[[8]byte]string{}
	for _, s := range spans {
		names[s.Context.Span] = s.Name
	}
	var out strings.Builder
	for _, s := range spans {
		fmt.Fprintf(&out, "%s %.0fs", s.Name, s.End.Sub(s.Start).Seconds())
		if s.Parent != [8]byte{} {
			out.WriteString(" < " + names[s.Parent])
		}
		for _, l := range s.Links {
			out.WriteString(" ~> " + names[l.Span])
		}
		if s.Failed {
			out.WriteString(" ! " + s.Error)
		}
		out.WriteString("\n")
	}
	return out.String()
}

func zero(n int) *int { return &n }

// story has a try that fails, a revision, a map, a tool and a consultation.
func story(m *memory) {
	m.add("run_1", &run.RunStarted{Workflow: "w"}, &run.StepStarted{Step: "a", Try: 1},
		&run.StepRetrying{Step: "a", Error: run.Failure{Code: "timeout", Message: "private"}},
		&run.StepStarted{Step: "a", Try: 2}, &run.StepReturned{Step: "a"},
		&run.ApprovalNeeded{Spot: run.Spot{At: run.AtAfter, Step: "a"}, Request: gate.Request{ID: "apr_1"}},
		&run.ApprovalResolved{ID: "apr_1", Spot: run.Spot{At: run.AtAfter, Step: "a"}},
		&run.StepRevised{Step: "a", Rev: 1}, &run.StepStarted{Step: "a", Rev: 1, Try: 1}, &run.StepCompleted{Step: "a"},
		&run.StepExpanded{Step: "c", Count: 2}, &run.StepStarted{Step: "c", Index: zero(0), Try: 1},
		&run.StepStarted{Step: "c", Index: zero(1), Try: 1}, &run.ElementCompleted{Step: "c", Index: 1},
		&run.ElementCompleted{Step: "c", Index: 0}, &run.StepCompleted{Step: "c"},
		&run.StepStarted{Step: "b", Try: 1}, &run.TurnStarted{Step: "b", Turn: 1, Try: 1},
		&run.TurnCompleted{Step: "b"}, &run.CallRequested{Step: "b", No: 1, Call: run.Call{Tool: "t"}},
		&run.CallStarted{Step: "b", No: 1, Try: 1}, &run.CallCompleted{Step: "b", No: 1,
			Result: run.CallResult{Error: "private"}},
		&run.ConsultStarted{N: 1, Agent: "p"}, &run.ConsultAnswered{N: 1},
		&run.StepFailed{Step: "b", Error: run.Failure{Code: "denied"}}, &run.RunFailed{Error: run.Failure{Code: "denied"}},
		&run.RunReopened{}, &run.RunCompleted{})
}

const told = `invoke_agent x 1s < step a ! timeout
invoke_agent x 1s < step a
step a 3s < run w
request_approval 0s < step a
settle_approval 0s < run w ~> request_approval
invoke_agent x 1s < step a ~> settle_approval
step a 1s < run w
invoke_agent x 1s < step c
invoke_agent x 3s < step c
step c 5s < run w
execute_tool t 1s < try ! tool_error
invoke_agent p 1s < run w
try 8s < step b ! denied
step b 8s < run w ! denied
run w 25s ! denied
resume w 1s < run w
`

func TestSpans(t *testing.T) {
	m, s := &memory{}, &sent{}
	story(m)
	host(m, s).drain(t)
	if got := draw(s.spans); got != told {
		t.Errorf("%s", got)
	}
	for _, span := range s.spans {
		if span.Trace != trace.OfRun("run_1", "").Trace || strings.Contains(fmt.Sprint(span.Attrs), "private") {
			t.Errorf("%+v", span)
		}
	}
	ids := map[[8]byte]bool{}
	for _, span := range s.spans {
		ids[span.Context.Span] = true
	}
	if len(ids) != len(s.spans) {
		t.Error("spans share an id")
	}
}

// A process may stop after any event: the next one sends the same spans.
func TestSpansAfterRestart(t *testing.T) {
	whole := &memory{}
	story(whole)
	for cut := range len(whole.log) {
		m, s := &memory{log: slices.Clone(whole.log[:cut])}, &sent{}
		host(m, s).drain(t)
		m.log = whole.log
		host(m, s).drain(t)
		if got := draw(s.spans); got != told {
			t.Fatalf("a restart after %d events: %s", cut, got)
		}
	}
}

// A collector that is away costs nothing but time; one that refuses costs the spans.
func TestSpansOfACollectorThatIsAway(t *testing.T) {
	m, s := &memory{}, &sent{fail: errors.New("away")}
	story(m)
	h := host(m, s)
	for range 3 {
		if more, err := h.Step(t.Context()); err == nil || more || m.mark != 0 || len(h.folds) != 0 {
			t.Fatalf("%t %v at %d", more, err, m.mark)
		}
	}
	s.fail = &otlp.Refused{Status: 503, After: time.Minute}
	if _, err := h.Step(t.Context()); after(err) != time.Minute {
		t.Errorf("%v", err)
	}
	s.fail = nil
	h.drain(t)
	if got := draw(s.spans); got != told {
		t.Errorf("%s", got)
	}
	m, s = &memory{}, &sent{fail: &otlp.Refused{Status: 400}}
	story(m)
	refused := 0
	h = host(m, s)
	h.Count = func(outcome string, n int) {
		if outcome == "refused" {
			refused += n
		}
	}
	h.drain(t)
	if refused != strings.Count(told, "\n") || m.mark != int64(len(m.log)) {
		t.Errorf("%d refused", refused)
	}
}

// A fork sends its own spans, and not those of the events that it copied.
func TestSpansOfAFork(t *testing.T) {
	m, s := &memory{forked: map[string]string{"run_2": "run_1"}}, &sent{}
	m.add("run_2", &run.RunStarted{Workflow: "w", Trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
		&run.StepStarted{Step: "a", Try: 1}, &run.StepCompleted{Step: "a"}, &run.RunForked{From: "run_1"},
		&run.StepStarted{Step: "b", Try: 1}, &run.RunCancelled{})
	host(m, s).drain(t)
	if got := draw(s.spans); got != "try 1s < step b\nstep b 1s < run w\nrun w 2s\n" {
		t.Errorf("%s", got)
	}
	if s.spans[0].Trace != trace.OfRun("run_2", "").Trace {
		t.Error("a fork is in the trace of another run's caller")
	}
}

// Runs that are not sampled, and what ended long ago, are not sent. Memory is bounded.
func TestSpansThatAreNotSent(t *testing.T) {
	m, s := &memory{}, &sent{}
	m.add("run_1", &run.RunStarted{Trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"}, &run.RunCompleted{})
	host(m, s).drain(t)
	story(m)
	h := host(m, s)
	h.Now = func() time.Time { return start.Add(late + time.Hour) }
	h.drain(t)
	if len(s.spans) > 0 {
		t.Errorf("%s", draw(s.spans))
	}
	for i := range foldsMax + 20 {
		m.add(fmt.Sprint("run_x", i), &run.RunStarted{Workflow: "w"})
	}
	h.Now = func() time.Time { return start }
	h.drain(t)
	if len(h.folds) != foldsMax || h.recent.Len() != foldsMax {
		t.Errorf("%d runs in memory", len(h.folds))
	}
	m.add("run_x0", &run.RunCompleted{})
	h.drain(t)
	if got := draw(s.spans); got != fmt.Sprintf("run w %ds\n", foldsMax+20) {
		t.Errorf("%s", got)
	}
	// Without a mark, what happened before is not traced.
	fresh := &memory{log: m.log}
	h = host(fresh, s)
	fresh.set = false
	n := len(s.spans)
	h.drain(t)
	if len(s.spans) != n || fresh.mark != int64(len(m.log)) {
		t.Errorf("%d spans of the past", len(s.spans)-n)
	}
}
