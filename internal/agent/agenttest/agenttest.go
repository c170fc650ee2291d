// Package agenttest is the conformance suite for agents of every kind:
//
//	func TestAgent(t *testing.T) {
//		agenttest.Run(t, func(t *testing.T, b agenttest.Behaviour) port.Agent {
//			server := httptest.NewServer(…)     // behaves like b
//			t.Cleanup(server.Close)
//			return …                            // an agent that talks to it
//		})
//	}
//
// A Behaviour describes what the other end does. A kind of agent that does not support it (a script cannot
// repeat the question) skips the test.
package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/steady"
)

// Behaviour is how an agent responds. It is transferred as JSON, byte for byte, so that another process can
// follow it.
type Behaviour struct {
	Output       json.RawMessage          `json:"output,omitempty"`
	Confidence   *float64                 `json:"confidence,omitempty"`
	Reasoning    string                   `json:"reasoning,omitempty"`
	Usage        *run.Usage               `json:"usage,omitempty"`
	Logs         string                   `json:"logs,omitempty"`
	Deliverables []definition.Deliverable `json:"deliverables,omitempty"`

	Fail      string `json:"fail,omitempty"`      // it fails with this message …
	Transient bool   `json:"transient,omitempty"` // … and a retry may help
	Echo      bool   `json:"echo,omitempty"`      // the output is the question itself
	Hang      bool   `json:"hang,omitempty"`      // it works until it is stopped
	Raw       []byte `json:"raw,omitempty"`       // it writes this instead of an answer
	Empty     bool   `json:"empty,omitempty"`     // it writes nothing at all
}

// Garbled reports whether its output is not a valid answer.
func (b Behaviour) Garbled() bool { return b.Empty || len(b.Raw) > 0 }

// Answer is its output.
func (b Behaviour) Answer(question []byte) []byte {
	if b.Garbled() {
		return b.Raw
	}
	if b.Echo {
		b.Output = question
	}
	out, err := value.Marshal(struct {
		Output       json.RawMessage          `json:"output"`
		Confidence   *float64                 `json:"confidence,omitempty"`
		Reasoning    string                   `json:"reasoning,omitempty"`
		Usage        *run.Usage               `json:"usage,omitempty"`
		Logs         string                   `json:"logs,omitempty"`
		Deliverables []definition.Deliverable `json:"deliverables,omitempty"`
		More         string                   `json:"something_nobody_knows"`
	}{b.Output, b.Confidence, b.Reasoning, b.Usage, b.Logs, b.Deliverables, "ignored"})
	if err != nil {
		panic(err) // a test with a broken behaviour
	}
	return out
}

// Make creates an agent with that behaviour. Everything it starts ends with the test.
type Make func(t *testing.T, b Behaviour) port.Agent

// Run tests a kind of agent.
func Run(t *testing.T, mk Make) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Make)
	}{
		{"output keeps its bytes", output},
		{"output of 10 MiB", large},
		{"output over 10 MiB", tooLarge},
		{"answer without end", endless},
		{"what comes with an output", fields},
		{"deliverables", deliverables},
		{"failures", failures},
		{"answers that are none", garbage},
		{"the question", question},
		{"the same key again", again},
		{"cancelled before", cancelledBefore},
		{"cancelled", cancelled},
		{"deadline", deadline},
		{"many at once", concurrent},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			t.Cleanup(func() { steady.NoLeaks(t, before) }) // after the cleanups of Make
			c.test(t, mk)
		})
	}
}

// Work is a piece of work to request.
func Work() port.Work {
	return port.Work{
		Run: "run_1", Step: "fraud", Try: 1, Key: "run_1/step/fraud#0",
		Input: json.RawMessage(`{"amount":9007199254740993,"rate":0.10,"big":1E300,"who":"\ud83d\ude00","z":"<&>","a":null}`),
	}
}

func ask(t *testing.T, a port.Agent, w port.Work) (run.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	return a.Invoke(ctx, w, func(port.Progress) {})
}

func answered(t *testing.T, a port.Agent, w port.Work) run.Result {
	t.Helper()
	r, err := ask(t, a, w)
	if err != nil {
		t.Fatalf("the agent failed: %v", err)
	}
	return r
}

// failed requests work that must fail with a complete failure.
func failed(t *testing.T, a port.Agent) run.Failure {
	t.Helper()
	r, err := ask(t, a, Work())
	if err == nil {
		t.Fatalf("the agent answered %.200s", r.Output)
	}
	var f *port.Failed
	if !errors.As(err, &f) {
		t.Fatalf("the error says nothing about trying again: %v", err)
	}
	if f.Message == "" || f.Code == "" {
		t.Errorf("the failure has code %q and message %q", f.Code, f.Message)
	}
	return f.Failure
}

// stopped requests work that never ends, and expects the error of ctx.
func stopped(t *testing.T, a port.Agent, ctx context.Context, want error) {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := a.Invoke(ctx, Work(), func(port.Progress) {})
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, want) {
			t.Errorf("the error is %v, want %v", err, want)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("it does not stop")
	}
}
