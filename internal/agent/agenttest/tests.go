package agenttest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// odd are values that careless decoding changes.
var odd = []string{
	`9007199254740993`, `1E300`, `0.10`, `-0`, `1e-7`, `"\u0000"`, `"\/\u00e9"`, `"<&>\u2028"`, `"é🙂"`,
	`null`, `false`, `""`, `[]`, `{}`, `{"b":1,"a":2,"c":3}`, `{"\u0061":[1.0,{"Output":2}]}`, `{"output":{"output":1}}`,
	`{"$blob":"sha256:0"}`,
	strings.Repeat("[", 900) + strings.Repeat("]", 900),
}

func output(t *testing.T, mk Make) {
	for _, want := range odd {
		a := mk(t, Behaviour{Output: json.RawMessage(want)})
		if got := answered(t, a, Work()); string(got.Output) != want {
			t.Errorf("%.100s came back as %.100s", want, got.Output)
		}
	}
}

// text is a JSON string of that many bytes, quotes included.
func text(n int) json.RawMessage {
	return json.RawMessage(`"` + strings.Repeat("x", n-2) + `"`)
}

func large(t *testing.T, mk Make) {
	want := text(run.OutputMax)
	if got := answered(t, mk(t, Behaviour{Output: want}), Work()); !bytes.Equal(got.Output, want) {
		t.Errorf("%d bytes came back as %d", len(want), len(got.Output))
	}
}

func tooLarge(t *testing.T, mk Make) {
	f := failed(t, mk(t, Behaviour{Output: text(run.OutputMax + 1)}))
	if f.Code != "too_large" || f.Transient {
		t.Errorf("the failure is %s, transient %v: %s", f.Code, f.Transient, f.Message)
	}
}

// bodyMax is the maximum length of an answer, everything included.
const bodyMax = 16 << 20

func endless(t *testing.T, mk Make) {
	f := failed(t, mk(t, Behaviour{Raw: append([]byte(`{"output":1,"logs":`), text(bodyMax)...)}))
	if f.Code != "too_large" || f.Transient {
		t.Errorf("the failure is %s, transient %v: %s", f.Code, f.Transient, f.Message)
	}
}

func fields(t *testing.T, mk Make) {
	confidence := 0.87
	usage := run.Usage{LLMCalls: 2, TokensIn: 900, TokensOut: 350, CostUSD: 37_500_000}
	r := answered(t, mk(t, Behaviour{
		Output: json.RawMessage(`1`), Confidence: &confidence, Reasoning: "three claims in a week",
		Usage: &usage, Logs: "one\ntwo",
	}), Work())
	if r.Confidence == nil || *r.Confidence != confidence {
		t.Errorf("the confidence is %v", r.Confidence)
	}
	if r.Usage != usage {
		t.Errorf("the usage is %+v", r.Usage)
	}
	if r.Reasoning != "three claims in a week" || strings.TrimSpace(r.Logs) != "one\ntwo" {
		t.Errorf("the reasoning is %q, the logs are %q", r.Reasoning, r.Logs)
	}
	r = answered(t, mk(t, Behaviour{Output: json.RawMessage(`1`)}), Work())
	if r.Confidence != nil || r.Usage != (run.Usage{}) || r.Reasoning != "" || r.Logs != "" || len(r.Deliverables) != 0 ||
		r.DryRun {
		t.Errorf("more came than was said: %+v", r)
	}
}

func deliverables(t *testing.T, mk Make) {
	binary := []byte{0x89, 'P', 'N', 'G', 0, 0xff}
	a := mk(t, Behaviour{Output: json.RawMessage(`1`), Deliverables: []definition.Deliverable{
		{Name: "a.md", Type: "report", Content: "# é\n", MIME: "text/markdown", Description: "all of it", Status: "draft"},
		{Name: "b.txt", ContentBase64: base64.StdEncoding.EncodeToString([]byte("grüße"))},
		{Name: "c.png", ContentBase64: base64.StdEncoding.EncodeToString(binary)},
		{Name: "d", URL: "https://example.com/d"},
	}})
	want := []run.Deliverable{
		{Name: "a.md", Type: "report", Content: json.RawMessage(`"# é\n"`), MIME: "text/markdown",
			Description: "all of it", Status: "draft"},
		{Name: "b.txt", Content: json.RawMessage(`"grüße"`)},
		{Name: "c.png", Content: json.RawMessage(`{"$base64":"iVBORwD/"}`)},
		{Name: "d", URL: "https://example.com/d"},
	}
	for range 2 { // hosts modify what they get
		got := answered(t, a, Work()).Deliverables
		if len(got) != len(want) {
			t.Fatalf("there are %d deliverables, want %d", len(got), len(want))
		}
		for i := range want {
			if fmt.Sprintf("%+v", got[i]) != fmt.Sprintf("%+v", want[i]) {
				t.Errorf("deliverable %d is %+v, want %+v", i, got[i], want[i])
			}
			got[i].Content, got[i].Name = json.RawMessage(`{"$blob":"x"}`), "changed"
		}
	}
}

func failures(t *testing.T, mk Make) {
	for _, transient := range []bool{true, false} {
		f := failed(t, mk(t, Behaviour{Fail: "the claims database is closed", Transient: transient}))
		if f.Transient != transient {
			t.Errorf("transient is %v, want %v: %s", f.Transient, transient, f.Message)
		}
		if !strings.Contains(f.Message+f.Body, "the claims database is closed") {
			t.Errorf("what the agent said is lost: %+v", f)
		}
	}
}

func garbage(t *testing.T, mk Make) {
	for _, raw := range []string{
		"", " \n", "null", "true", "7", `"output"`, `[{"output":1}]`, "hello", "<html>nope</html>", `{"output":`,
		`{"output":1}{"output":2}`, `{"output":1} x`,
		`{}`, `{"Output":1}`, `{"result":1}`, `{"output":1,"confidence":"high"}`, `{"output":1,"confidence":1e999}`,
		`{"output":1,"usage":7}`,
		`{"output":1,"usage":{"tokens_in":"many"}}`, `{"output":1,"usage":{"tokens_in":1.5}}`,
		`{"output":1,"usage":{"cost_usd":"free"}}`,
		`{"output":1,"reasoning":{}}`, `{"output":1,"logs":[]}`, `{"output":1,"deliverables":{}}`,
		`{"output":1,"deliverables":[7]}`,
		`{"output":1,"deliverables":[{"content":"x"}]}`, `{"output":1,"deliverables":[{"name":"x"}]}`,
		`{"output":1,"deliverables":[{"name":"x","content":"x","url":"https://example.com"}]}`,
		`{"output":1,"deliverables":[{"name":"x","content_base64":"%"}]}`,
		`{"output":1,"deliverables":[{"name":"x","url":"javascript:alert(1)"}]}`,
		strings.Repeat("[", 2000), "\x00\xff\xfe", strings.Repeat("é", 10_000),
	} {
		f := failed(t, mk(t, Behaviour{Raw: []byte(raw), Empty: raw == ""}))
		if f.Transient || f.Code != "invalid_answer" {
			t.Errorf("%.100q is %s, transient %v", raw, f.Code, f.Transient)
		}
		if len(f.Message) > 1500 {
			t.Errorf("%.100q makes a message of %d bytes", raw, len(f.Message))
		}
		if start := strings.TrimSpace(raw); start != "" && start[0] < 0x80 && start[0] > ' ' &&
			!strings.Contains(f.Message, start[:1]) {
			t.Errorf("%.100q does not show in %q", raw, f.Message)
		}
	}
}

func question(t *testing.T, mk Make) {
	a := mk(t, Behaviour{Echo: true})
	w, index := Work(), 0
	w.Guidance, w.Index = []string{"shorter", "and <kinder>"}, &index
	w.Lessons = []port.Lesson{{Operation: "refund", Proposed: json.RawMessage(`{"amount":0.10}`),
		Changed: json.RawMessage(`{"amount":1E300}`), Comment: "less"}}
	got := answered(t, a, w).Output
	for path, want := range map[string]string{
		"run": `"run_1"`, "step": `"fraud"`, "try": `1`, "key": `"run_1/step/fraud#0"`, "index": `0`,
		"input":    string(w.Input),
		"guidance": `["shorter","and <kinder>"]`,
		"lessons":  `[{"operation":"refund","proposed":{"amount":0.10},"changed":{"amount":1E300},"comment":"less"}]`,
	} {
		if v, _ := value.Get(got, path); string(v) != want {
			t.Errorf("%s was seen as %s, want %s", path, v, want)
		}
	}
	got = answered(t, a, Work()).Output
	for path, want := range map[string]string{"guidance": `[]`, "lessons": `[]`, "index": ``} {
		if v, _ := value.Get(got, path); string(v) != want {
			t.Errorf("%s was seen as %q, want %q", path, v, want)
		}
	}
}

func again(t *testing.T, mk Make) {
	a := mk(t, Behaviour{Echo: true})
	first, second := answered(t, a, Work()), answered(t, a, Work())
	if !bytes.Equal(first.Output, second.Output) {
		t.Errorf("the same question was seen as %s and as %s", first.Output, second.Output)
	}
	w := Work()
	w.Try = 2
	third := answered(t, a, w)
	if key, _ := value.Get(third.Output, "key"); string(key) != `"`+w.Key+`"` {
		t.Errorf("the key of the second try was seen as %s", key)
	}
	if try, _ := value.Get(third.Output, "try"); string(try) != `2` {
		t.Errorf("the second try was seen as %s", try)
	}
}

func cancelledBefore(t *testing.T, mk Make) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stopped(t, mk(t, Behaviour{Output: json.RawMessage(`1`)}), ctx, context.Canceled)
}

func cancelled(t *testing.T, mk Make) {
	a := mk(t, Behaviour{Hang: true})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// Whenever this happens, the agent has to stop.
	timer := time.AfterFunc(50*time.Millisecond, cancel)
	defer timer.Stop()
	stopped(t, a, ctx, context.Canceled)
}

func deadline(t *testing.T, mk Make) {
	a := mk(t, Behaviour{Hang: true})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	stopped(t, a, ctx, context.DeadlineExceeded)
	_, err := a.Invoke(ctx, Work(), func(port.Progress) {})
	if f := port.FailureOf(err); f.Code != "timeout" || !f.Transient {
		t.Errorf("a deadline is told as %+v", f)
	}
}

func concurrent(t *testing.T, mk Make) {
	a := mk(t, Behaviour{Output: json.RawMessage(`{"n":0.10}`),
		Deliverables: []definition.Deliverable{{Name: "a", Content: "b"}}})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			w := Work()
			w.Key = fmt.Sprintf("run_%d/step/fraud#0", i)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			r, err := a.Invoke(ctx, w, func(port.Progress) {})
			if err != nil || string(r.Output) != `{"n":0.10}` || len(r.Deliverables) != 1 {
				t.Errorf("call %d: %s, %v", i, r.Output, err)
				return
			}
			r.Deliverables[0].Name = "changed"
		})
	}
	wg.Wait()
}
