package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/agent/llm"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// script parses the turns of a document.
func script(t *testing.T, turns string, o llm.Options) port.Model {
	t.Helper()
	set, problems := definition.Parse("a.yaml",
		[]byte("agent: reader\nkind: llm\nprovider: scripted\nmodel: m-1\nturns:\n"+turns))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	m, err := llm.Open(*set.Agents["reader"].LLM, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// talk plays the conversation in which each turn is followed by the next reply, and returns what the agent
// said.
func talk(t *testing.T, m port.Model, th port.TurnRequest, comes ...[]run.Entry) string {
	t.Helper()
	th.Agent = "reader"
	var said []string
	for n := 0; ; n++ {
		th.Turn = n + 1
		turn, err := m.Think(t.Context(), th, nil)
		if err != nil {
			return strings.Join(append(said, port.FailureOf(err).Code), " ")
		}
		again, _ := m.Think(t.Context(), th, nil)
		if fmt.Sprint(again) != fmt.Sprint(turn) {
			t.Errorf("asked again, turn %d is another: %v and %v", n+1, turn, again)
		}
		said = append(said, turn.Text)
		if n == len(comes) {
			return strings.Join(said, " ")
		}
		th.Entries = append(append(th.Entries, run.Entry{Role: "assistant", Name: "reader", Text: turn.Text}), comes[n]...)
	}
}

func gives(tool, out string) []run.Entry {
	return []run.Entry{{Role: "tool", Name: tool, Output: json.RawMessage(out)}}
}

func denies(tool, why string) []run.Entry {
	return []run.Entry{{Role: "tool", Name: tool, Text: "denied by ann: " + why, Failed: true}}
}

func somebody(text string) []run.Entry { return []run.Entry{{Role: "user", Name: "ann", Text: text}} }

func TestScriptTurns(t *testing.T) {
	const turns = `
  - { say: one, calls: [{ tool: look }] }
  - { when: errors.look startsWith "denied", say: denied }
  - { when: errors.look contains "twice", say: denied-again }
  - { when: results.look.n > 5, say: many }
  - { when: said contains "stop", say: stopping }
  - { when: guidance.length > 0 and turn == 1, say: revised }
  - { when: notes contains "limit", say: hurry }
  - { when: urgent == true and turn > 2, say: urgent }
  - { say: two }
  - { say: three }
`
	m := script(t, turns, llm.Options{})
	note := []run.Entry{{Role: "note", Text: "Approaching the cost limit: 80 % used."}}
	for name, c := range map[string]struct {
		th    port.TurnRequest
		comes [][]run.Entry
		want  string
	}{
		"in order, and the last repeats": {port.TurnRequest{}, [][]run.Entry{gives("look", `{"n":1}`), nil, nil, nil},
			"one two three three three"},
		"denied once": {port.TurnRequest{}, [][]run.Entry{denies("look", "no"), nil, nil},
			"one denied two three"},
		"each when is taken once": {port.TurnRequest{},
			[][]run.Entry{denies("look", "twice"), denies("look", "twice"), denies("look", "twice")},
			"one denied denied-again two"},
		"later": {port.TurnRequest{}, [][]run.Entry{nil, denies("look", "no"), nil},
			"one two denied three"},
		"a result": {port.TurnRequest{},
			[][]run.Entry{append(gives("look", `{"n":1}`), gives("look", `{"n":6}`)...), nil}, "one many two"},
		"not the last result of the tool": {port.TurnRequest{},
			[][]run.Entry{append(gives("look", `{"n":6}`), gives("look", `{"n":1}`)...), nil}, "one two three"},
		"a message at any time": {port.TurnRequest{}, [][]run.Entry{nil, somebody("please stop now"), nil},
			"one two stopping three"},
		"sent back": {port.TurnRequest{Guidance: []string{"shorter"}},
			[][]run.Entry{nil, nil}, "revised one two"},
		"a limit is near": {port.TurnRequest{}, [][]run.Entry{note, nil}, "one hurry two"},
		"a field of the input": {port.TurnRequest{Input: json.RawMessage(`{"urgent":true}`)},
			[][]run.Entry{nil, nil, nil}, "one two urgent three"},
		"another agent's turns are not its": {port.TurnRequest{Entries: []run.Entry{{Role: "assistant", Name: "other",
			Text: "x"}}}, [][]run.Entry{nil}, "one two"},
		"some of several went wrong": {port.TurnRequest{},
			[][]run.Entry{append(denies("look", "no"), gives("look", `{"n":6}`)...), nil, nil}, "one denied many two"},
		"words are for one turn": {port.TurnRequest{},
			[][]run.Entry{append(denies("look", "no"), somebody("stop")...), nil}, "one denied two"},
		"makes no sense": {port.TurnRequest{}, [][]run.Entry{gives("look", `{"n":"x"}`)}, "one invalid_when"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := talk(t, m, c.th, c.comes...); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	// A message does not clear a denial; only another call of the tool does.
	order := script(t, `
  - { when: said.length > 0, say: heard }
  - { when: errors.look != null, say: denied }
  - { say: one }
  - { say: two }
`, llm.Options{})
	if got := talk(t, order, port.TurnRequest{}, append(denies("look", "no"), somebody("hurry")...), nil,
		nil); got != "one heard denied two" {
		t.Error(got)
	}
	if got := talk(t, order, port.TurnRequest{}, append(denies("look", "no"), somebody("hurry")...), gives("look", `{}`),
		nil); got != "one heard two two" {
		t.Error(got)
	}
	if got := talk(t, script(t, `  - { when: turn == 1, say: hello }`, llm.Options{}), port.TurnRequest{},
		nil); got != "hello no_turn" {
		t.Error(got)
	}
}

func TestScriptTurn(t *testing.T) {
	m := script(t, `
  - { say: Look., calls: [{ tool: look, args: { id: 9007199254740993 } }, { tool: "mcp:files/list" }], usage: { tokens_in: 1000000, tokens_out: 2 } }
  - { answer: { n: 0.10 }, confidence: 0.6, reasoning: Two sources disagree., usage: { cost_usd: 0.25 } }
`, llm.Options{Prices: map[string]definition.Price{"m-1": {In: money(t, "2"), Out: money(t, "10")}}})
	turn, err := m.Think(t.Context(), port.TurnRequest{Agent: "reader", Turn: 1}, nil)
	if err != nil || turn.Text != "Look." || len(turn.Calls) != 2 || turn.Output != nil {
		t.Fatalf("%+v %v", turn, err)
	}
	if c := turn.Calls[0]; c.Tool != "look" || string(c.Args) != `{"id":9007199254740993}` || c.ID == turn.Calls[1].ID ||
		string(turn.Calls[1].Args) != "{}" {
		t.Errorf("%+v", turn.Calls)
	}
	if u := turn.Usage; u.LLMCalls != 1 || u.TokensIn != 1_000_000 || u.CostUSD.String() != "2.00002" {
		t.Errorf("%+v", u)
	}
	later, _ := m.Think(t.Context(), port.TurnRequest{Agent: "reader", Turn: 7}, nil)
	if later.Calls[0].ID == turn.Calls[0].ID {
		t.Error("calls of two turns have one id")
	}
	turn, err = m.Think(t.Context(), port.TurnRequest{Agent: "reader", Turn: 2,
		Entries: []run.Entry{{Role: "assistant", Name: "reader"}}}, nil)
	if err != nil || string(turn.Output) != `{"n":0.10}` || *turn.Confidence != 0.6 ||
		turn.Reasoning != "Two sources disagree." || turn.Usage.CostUSD.String() != "0.25" {
		t.Errorf("%+v %v", turn, err)
	}
}

func money(t *testing.T, s string) quantity.Money {
	t.Helper()
	m, err := quantity.ParseMoney(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestScriptSpeaks: words arrive one by one over the delay, and an end is an end.
func TestScriptSpeaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := script(t, "  - { say: one two  three, delay: 4s }\n", llm.Options{})
		begin := time.Now()
		var heard []string
		_, err := m.Think(t.Context(), port.TurnRequest{}, func(p port.Progress) {
			heard = append(heard, fmt.Sprintf("%q at %s", p.Text, time.Since(begin)))
		})
		if got := strings.Join(heard, ", "); err != nil || got != `"one " at 1s, "two " at 2s, " " at 3s, "three" at 4s` {
			t.Errorf("%s %v", got, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		heard = nil
		if _, err := m.Think(ctx, port.TurnRequest{},
			func(p port.Progress) { heard = append(heard, p.Text) }); !errors.Is(err, context.DeadlineExceeded) ||
			len(heard) != 1 {
			t.Errorf("%v %v", heard, err)
		}
	})
}

func TestScriptsThatAreWrong(t *testing.T) {
	_, err := llm.Open(definition.LLM{Provider: definition.Script, Turns: []definition.Turn{
		{Say: "x", When: "a >"},
		{Calls: []definition.TurnCall{{Tool: "x"}}, Answer: json.RawMessage("1")},
	}}, llm.Options{})
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Problems) != 2 || f.Problems[0].Path != "/turns/0/when" ||
		f.Problems[1].Path != "/turns/1/answer" {
		t.Errorf("%v", err)
	}
	if _, err := llm.Open(definition.LLM{Provider: definition.Script}, llm.Options{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
	if _, err := llm.Open(definition.LLM{Provider: definition.OpenAI}, llm.Options{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
}

// TestScriptInTheLoop: the core plays a script from its first turn to its answer.
func TestScriptInTheLoop(t *testing.T) {
	m := script(t, `
  - { say: I read it., calls: [{ tool: "`+filesTool.Name+`", args: { path: a } }] }
  - { when: "results.`+"`"+filesTool.Name+"`"+` contains \"whales\"", answer: { summary: whales }, confidence: 0.95 }
  - { answer: { summary: nothing } }
`, llm.Options{})
	state, result := loop(t, m.Think)
	if state.Status != run.Completed || state.Usage.LLMCalls != 2 {
		t.Fatalf("%s %+v", state.Status, state.Usage)
	}
	if result == nil || string(result.Output) != `{"summary":"whales"}` || *result.Confidence != 0.95 {
		t.Errorf("%+v", result)
	}
}
