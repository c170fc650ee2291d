package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/agent/agenttest"
	"github.com/assent-run/assent/internal/agent/scripted"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

func TestAgent(t *testing.T) {
	agenttest.Run(t, func(t *testing.T, b agenttest.Behaviour) port.Agent {
		if b.Echo || b.Garbled() {
			t.Skip("a script has fixed answers, and proper ones")
		}
		if len(b.Output) > run.OutputMax {
			t.Skip("a script that is too long is refused when it is read")
		}
		a := definition.Answer{
			Output: b.Output, Confidence: b.Confidence, Reasoning: b.Reasoning, Usage: b.Usage, Logs: b.Logs,
			Deliverables: b.Deliverables, Fail: b.Fail, Transient: b.Transient,
		}
		if b.Hang {
			a.Delay = quantity.Duration(time.Hour)
		}
		return agent(t, a)
	})
}

func agent(t *testing.T, answers ...definition.Answer) *scripted.Agent {
	t.Helper()
	a, err := scripted.New(definition.Scripted{Answers: answers})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func says(output string) definition.Answer { return definition.Answer{Output: json.RawMessage(output)} }

func on(match, output string) definition.Answer {
	return definition.Answer{Match: match, Output: json.RawMessage(output)}
}

func fails(text string) definition.Answer { return definition.Answer{Fail: text, Transient: true} }

// heard is the output, or the message of the failure.
func heard(a port.Agent, w port.Work) string {
	r, err := a.Invoke(context.Background(), w, func(port.Progress) {})
	if err != nil {
		return err.Error()
	}
	return string(r.Output)
}

func TestTurns(t *testing.T) {
	a := agent(t, says(`1`), fails("two"), says(`3`), says(`4`))
	zero := 0
	for _, c := range []struct {
		name string
		work port.Work
		want string
	}{
		{"at first", port.Work{Key: "run_1/step/s#0", Try: 1}, `1`},
		{"the same again", port.Work{Key: "run_1/step/s#0", Try: 1}, `1`},
		{"another run", port.Work{Key: "run_2/step/s#0", Try: 1}, `1`},
		{"another step", port.Work{Key: "run_1/step/t#0", Try: 1}, `1`},
		{"second try", port.Work{Key: "run_1/step/s#0", Try: 2}, `two`},
		{"third try", port.Work{Key: "run_1/step/s#0", Try: 3}, `3`},
		{"tenth try", port.Work{Key: "run_1/step/s#0", Try: 10}, `4`},
		{"sent back", port.Work{Key: "run_1/step/s#1", Try: 1, Guidance: []string{"shorter"}}, `two`},
		{"sent back, second try", port.Work{Key: "run_1/step/s#1", Try: 2}, `3`},
		{"sent back twice goes on behind the answer, not the failure", port.Work{Key: "run_1/step/s#2", Try: 1}, `4`},
		{"sent back often", port.Work{Key: "run_1/step/s#2000000000", Try: 2000000000}, `4`},
		{"an element", port.Work{Key: "run_1/step/s[0]#0", Try: 1, Index: &zero}, `1`},
		{"an element while others were sent back",
			port.Work{Key: "run_1/step/s[0]#7", Try: 1, Index: &zero, Guidance: []string{"a"}}, `two`},
		{"first decision point", port.Work{Key: "run_1/consult/#0.1", Step: "loops.agent", Try: 1}, `1`},
		{"second decision point", port.Work{Key: "run_1/consult/#0.2", Step: "loops.agent", Try: 1}, `two`},
		{"an odd key", port.Work{Key: "what", Try: 1, Guidance: []string{"a"}}, `two`},
		{"no try at all", port.Work{}, `1`},
	} {
		if got := heard(a, c.work); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestMatch(t *testing.T) {
	a := agent(t,
		on(`input.amount > 1000`, `"high"`), says(`"low"`), on(`country == "NO" and amount > 1000`, `"norse"`),
		fails("no more"), on(`input == 3`, `"three"`))
	for _, c := range []struct {
		input string
		try   int
		want  string
	}{
		{`{"amount":2000}`, 1, `"high"`},
		{`{"amount":2000}`, 2, `"high"`}, // a matched answer stays matched
		{`{"amount":1000.00000000000000000001,"country":"NO"}`, 1, `"high"`},
		{`{"amount":2000,"country":"NO"}`, 2, `"norse"`},
		{`{"amount":5}`, 1, `"low"`},
		{`{"amount":5}`, 2, `no more`},
		{`{}`, 1, `"low"`},
		{`3`, 1, `"three"`},
		{`{"amount":"much"}`, 1, `cannot be evaluated`},
	} {
		got := heard(a, port.Work{Key: "run_1/step/s#0", Try: c.try, Input: json.RawMessage(c.input)})
		if got != c.want && !(strings.HasPrefix(c.want, "cannot") && strings.Contains(got, c.want)) {
			t.Errorf("%s, try %d: %s, want %s", c.input, c.try, got, c.want)
		}
	}
	_, err := agent(t, on(`a`, `1`)).Invoke(t.Context(), port.Work{Input: json.RawMessage(`{}`)}, nil)
	if f := port.FailureOf(err); f.Code != "no_answer" || f.Transient {
		t.Errorf("nothing fits: %+v", f)
	}
}

func TestFailureTellsAll(t *testing.T) {
	a := agent(t, definition.Answer{Fail: "broke", Usage: &run.Usage{TokensIn: 7}})
	_, err := a.Invoke(t.Context(), port.Work{}, nil)
	if f := port.FailureOf(err); f.Message != "broke" || f.Transient || f.Usage.TokensIn != 7 {
		t.Errorf("%+v", f)
	}
}

func TestDelay(t *testing.T) {
	a := agent(t, definition.Answer{Delay: quantity.Duration(20 * time.Millisecond), Output: json.RawMessage(`1`)})
	started := time.Now()
	if got := heard(a, port.Work{}); got != `1` {
		t.Errorf("got %s", got)
	}
	if took := time.Since(started); took < 20*time.Millisecond {
		t.Errorf("it took %v", took)
	}
}

func TestRefused(t *testing.T) {
	for want, s := range map[string][]definition.Answer{
		"/answers":          nil,
		"/answers/1/match":  {says(`1`), on(`amount >`, `1`)},
		"/answers/0/output": {says(`{`)},
		"/answers/0/fail":   {{Fail: "x", Output: json.RawMessage(`1`)}},
		"/answers/0/deliverables": {{Output: json.RawMessage(`1`),
			Deliverables: []definition.Deliverable{{Name: "x", URL: "ftp://x"}}}},
	} {
		_, err := scripted.New(definition.Scripted{Answers: s})
		var f *fault.Error
		if !errors.As(err, &f) || len(f.Problems) != 1 || f.Problems[0].Path != want {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if strings.HasSuffix(want, "match") && f.Problems[0].Column == 0 &&
			!strings.ContainsAny(f.Problems[0].Message, "0123456789") {
			t.Errorf("the place in the expression is lost: %+v", f.Problems[0])
		}
	}
}
