package gofunc_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/agent/agenttest"
	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/agent/gofunc"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

func TestAgent(t *testing.T) {
	agenttest.Run(t, func(t *testing.T, b agenttest.Behaviour) port.Agent {
		if b.Garbled() {
			t.Skip("a function returns results, not bytes")
		}
		return gofunc.New(func(ctx context.Context, w port.Work) (run.Result, error) {
			switch {
			case b.Hang:
				<-ctx.Done()
				return run.Result{}, errors.New("I was not done") // not every function returns why it stopped
			case b.Fail != "":
				return run.Result{}, &port.Failed{Failure: run.Failure{Code: "failed", Message: b.Fail, Transient: b.Transient}}
			}
			r := run.Result{Output: b.Output, Confidence: b.Confidence, Reasoning: b.Reasoning, Logs: b.Logs}
			if b.Usage != nil {
				r.Usage = *b.Usage
			}
			if b.Echo {
				q, err := answer.Question(w)
				r.Output = q
				return r, err
			}
			var err error
			r.Deliverables, err = answer.Deliverables(b.Deliverables)
			return r, err
		})
	})
}

func invoke(a port.Agent, input string) (run.Result, error) {
	return a.Invoke(context.Background(), port.Work{Input: json.RawMessage(input)}, func(port.Progress) {})
}

func TestTyped(t *testing.T) {
	type claim struct {
		Amount json.Number     `json:"amount"`
		Rest   json.RawMessage `json:"rest"`
	}
	type verdict struct {
		Amount json.Number     `json:"amount"`
		Note   string          `json:"note"`
		Rest   json.RawMessage `json:"rest"`
	}
	a := gofunc.Typed(func(_ context.Context, c claim) (verdict, error) {
		return verdict{c.Amount, "<ok>", c.Rest}, nil
	})
	r, err := invoke(a, `{"amount":9007199254740993,"rest":{"n":1E300,"m":"\ud83d\ude00"},"more":1}`)
	if want := `{"amount":9007199254740993,"note":"<ok>","rest":{"n":1E300,"m":"\ud83d\ude00"}}`; err != nil ||
		string(r.Output) != want {
		t.Errorf("got %s, %v", r.Output, err)
	}
	for _, in := range []string{`[]`, `{"amount":"x"}`, `{`} {
		if _, err := invoke(a, in); port.FailureOf(err).Code != "invalid_input" || port.FailureOf(err).Transient {
			t.Errorf("%s: %v", in, err)
		}
	}
	whole := gofunc.Typed(func(_ context.Context, in json.RawMessage) (json.RawMessage, error) { return in, nil })
	if r, err := invoke(whole, `{"a":0.10}`); err != nil || string(r.Output) != `{"a":0.10}` {
		t.Errorf("got %s, %v", r.Output, err)
	}
	if r, err := invoke(whole, ``); err != nil || string(r.Output) != `null` {
		t.Errorf("got %s, %v", r.Output, err)
	}
}

func TestFailures(t *testing.T) {
	plain := errors.New("no")
	cases := []struct {
		name      string
		agent     *gofunc.Agent
		code      string
		transient bool
	}{
		{"error", gofunc.Typed(func(context.Context, any) (any, error) { return nil, plain }), "failed", true},
		{"no JSON", gofunc.Typed(func(context.Context, any) (any, error) { return math.Inf(1), nil }),
			"invalid_answer", false},
		{"bytes", gofunc.New(func(context.Context, port.Work) (run.Result, error) {
			return run.Result{Output: []byte(`{`)},
				nil
		}), "invalid_answer", false},
		{"panic", gofunc.New(func(context.Context, port.Work) (run.Result, error) { panic("ouch") }), "panic", false},
	}
	for _, c := range cases {
		_, err := invoke(c.agent, `1`)
		f := port.FailureOf(err)
		if err == nil || f.Code != c.code || f.Transient != c.transient {
			t.Errorf("%s: %v is %+v", c.name, err, f)
		}
		if c.name == "panic" && (!strings.Contains(f.Stack, "gofunc_test.go") || !strings.Contains(f.Message, "ouch")) {
			t.Errorf("the panic is told as %+v", f)
		}
		if c.name == "error" && !errors.Is(err, plain) {
			t.Errorf("the function's own error is lost: %v", err)
		}
	}
	if r, err := invoke(gofunc.New(func(context.Context, port.Work) (run.Result, error) { return run.Result{}, nil }),
		`1`); err != nil || string(r.Output) != "null" {
		t.Errorf("no output is %s, %v", r.Output, err)
	}
}
