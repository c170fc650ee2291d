package llm

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

var wireName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 70)
	var th port.TurnRequest
	for _, name := range []string{"web_fetch", "mcp:files/read", "mcp:files_read", "mcp_a_b", "mcp:a/b", long + "1",
		long + "2", "", "ä", "ö", strings.Repeat("y", 64)} {
		th.Tools = append(th.Tools, port.ToolInfo{Name: name})
	}
	th.Entries = []run.Entry{{Calls: []run.CallRef{{Tool: "gone:tool"}}}}
	n := namesOf(th)
	seen := map[string]bool{}
	for name, wire := range n.out {
		if !wireName.MatchString(wire) || seen[wire] || n.real(wire) != name {
			t.Errorf("%q is called %q, which means %q", name, wire, n.real(wire))
		}
		seen[wire] = true
	}
	for name, want := range map[string]string{"web_fetch": "web_fetch", "mcp_a_b": "mcp_a_b", "gone:tool": "gone_tool"} {
		if n.out[name] != want {
			t.Errorf("%s is called %s", name, n.out[name])
		}
	}
	for _, name := range []string{"mcp:files/read", "nobody"} { // by its real name, and an unknown one
		if n.real(name) != name {
			t.Errorf("%s means %s", name, n.real(name))
		}
	}
	slices.Reverse(th.Tools)
	for name, wire := range namesOf(th).out {
		if n.out[name] != wire {
			t.Errorf("in another order %q is called %q, not %q", name, wire, n.out[name])
		}
	}
}

func TestNamesOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var th port.TurnRequest
		for _, name := range rapid.SliceOfDistinct(rapid.StringMatching(`[a-c:/_.]{0,4}|[a-c:/]{60,80}`),
			func(s string) string { return s }).Draw(t, "names") {
			th.Tools = append(th.Tools, port.ToolInfo{Name: name})
		}
		n := namesOf(th)
		if len(n.in) != len(th.Tools) {
			t.Fatalf("two tools have one name: %v", n.out)
		}
		for wire := range n.in {
			if !wireName.MatchString(wire) {
				t.Fatalf("%q", wire)
			}
		}
	})
}

func TestIDs(t *testing.T) {
	used := ids{}
	var got []string
	for _, id := range []string{"a", "a", "a", "", "", "x:y", strings.Repeat("z", 100), strings.Repeat("z", 40),
		strings.Repeat("z", 40)} {
		got = append(got, used.next(id))
	}
	seen := map[string]bool{}
	for _, id := range got {
		if seen[id] || len(id) > idMax || !wireName.MatchString(id) {
			t.Errorf("%q in %q", id, got)
		}
		seen[id] = true
	}
}

func TestTokens(t *testing.T) {
	// Against the counts of gpt-4's own encoding: never much too low.
	noise := base64.StdEncoding.EncodeToString(sum("x"))
	for text, real := range map[string]int{
		"": 0, "hello world": 2,
		"The quick brown fox jumps over the lazy dog, again and again, until the evening comes.": 19,
		`{"id":12345,"name":"Ann","tags":["a","b"],"amount":0.10}`:                               22,
		"我们今天去公园散步":                                                                              10,
		"👍👍👍👍":                                                                                   12,
		noise:                                                                                    30,
		strings.Repeat(noise, 20):                                                                581,
		hex.EncodeToString(sum("x")):                                                             33,
		"Grüße aus München, wo heute schönes Wetter für Übermütige ist.":                         19,
		"SELECT user_id, COUNT(*) FROM orders WHERE created_at > '2024-01-01' GROUP BY user_id;": 25,
		"https://example.com/a/path/to/some-thing?query=1&x=y":                                   18,
		"Привет, как дела сегодня?":                                                              12,
		"            indented code\n\t\treturn nil\n":                                            9,
	} {
		if got := tokens(text); got < real*85/100 || got > 2*real+8 {
			t.Errorf("%q: %d tokens, really %d", text, got, real)
		}
	}
}

func sum(s string) []byte { d := sha256.Sum256([]byte(s)); return d[:] }

func TestWithoutMiddle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(1, 50).Draw(t, "times"))
		s = strings.ToValidUTF8(s, "?")
		n := rapid.IntRange(1, 200).Draw(t, "tokens")
		got := withoutMiddle(s, n)
		if tokens(s) <= n && got != s {
			t.Fatalf("%q became %q", s, got)
		}
		if tokens(got) > max(n, tokens(leftOut)) || !utf8.ValidString(got) {
			t.Fatalf("%d tokens became %d, not %d: %q", tokens(s), tokens(got), n, got)
		}
	})
}

func TestWindows(t *testing.T) {
	for model, want := range map[string]int{
		"gpt-4o-mini": 128_000, "gpt-4": 8_192, "gpt-4-0613": 8_192, "gpt-4.1-nano": 1_000_000, "openai/gpt-4o": 128_000,
		"claude-sonnet-4-5": 200_000,
		"o1-mini":           128_000, "o3-mini": 200_000, "llama3.1:8b": 32_768, "": 32_768,
	} {
		if got := windowOf(model); got != want {
			t.Errorf("%s: %d", model, got)
		}
	}
	m := &Model{d: definition.LLM{Model: "gpt-4", MaxTokens: 4000}}
	if m.limit() != 8192-4000 {
		t.Errorf("%d", m.limit())
	}
	m.o.Window = func(string) int { return 1000 }
	if m.limit() != 250 {
		t.Errorf("%d", m.limit())
	}
	m.learned.Store(100)
	if m.limit() != 100 {
		t.Errorf("%d", m.limit())
	}
}

// aThought draws a conversation as the core may have it, and some that it should not.
func aThought(t *rapid.T) port.TurnRequest {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Repeat(rapid.SampledFrom([]string{"word ", "字", "x", `{"a":1}`, "👍", "aGVsbG8gd29ybGQ"}).Draw(t,
			"of"), rapid.IntRange(0, 300).Draw(t, "long"))
	})
	th := port.TurnRequest{Agent: "me", Input: value.Quote(text.Draw(t, "input")),
		Tools: []port.ToolInfo{{Name: "mcp:a/b", Description: "does it"}}}
	th.Guidance = rapid.SliceOfN(text, 0, 2).Draw(t, "guidance")
	for i := range rapid.IntRange(0, 40).Draw(t, "entries") {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			th.Entries = append(th.Entries, run.Entry{Role: "user", Name: "ann", Text: text.Draw(t, "text")})
		case 1:
			th.Entries = append(th.Entries, run.Entry{Role: "note", Text: text.Draw(t, "text")})
		default:
			said := run.Entry{Role: "assistant", Name: "me", Text: text.Draw(t, "text")}
			var results []run.Entry
			for k := range rapid.IntRange(0, 4).Draw(t, "calls") {
				id := fmt.Sprintf("call_%d", k)
				if rapid.Bool().Draw(t, "unique") {
					id = fmt.Sprintf("call_%d_%d", i, k)
				}
				said.Calls = append(said.Calls, run.CallRef{ID: id, Tool: "mcp:a/b",
					Args: value.Object(value.Member{Key: "a", Value: value.Quote(text.Draw(t, "args"))})})
				if rapid.IntRange(0, 9).Draw(t, "answered") > 0 {
					results = append(results, run.Entry{Role: "tool", CallID: id, Output: value.Quote(text.Draw(t, "result"))})
				}
			}
			if rapid.Bool().Draw(t, "reversed") {
				slices.Reverse(results)
			}
			th.Entries = append(append(th.Entries, said), results...)
		}
	}
	return th
}

func TestTrimming(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		th := aThought(t)
		window := rapid.IntRange(1500, 40_000).Draw(t, "window")
		m := &Model{d: definition.LLM{Model: "m", System: "Work."}, o: Options{Window: func(string) int { return window }}}
		q, err := m.compose(th)
		if err != nil {
			t.Fatalf("a window of %d: %v", window, err)
		}
		if q.size() > window*85/100 {
			t.Fatalf("%d tokens for a window of %d", q.size(), window)
		}
		checkTurns(t, q)
		if !strings.HasPrefix(q.messages[0].text, "<input>\n") {
			t.Fatalf("the first message is %q", q.messages[0].text)
		}
		whole := fitted{openingOf(th).text(0, ""), itemsOf(th, namesOf(th))}
		room := m.limit() - (&request{system: q.system, tools: q.tools}).size()
		if whole.size() <= room && (strings.Contains(q.messages[0].text, "<summary>") ||
			strings.Contains(fmt.Sprint(q.messages), leftOut)) {
			t.Fatal("it was shortened without need")
		}
		if len(whole.items) > 0 {
			keepsNewest(t, whole.items[len(whole.items)-1], q)
		}
	})
}

// checkTurns checks that messages alternate, that each call is followed by its result and that there are no
// other results.
func checkTurns(t *rapid.T, q *request) {
	seen := map[string]bool{}
	for i, m := range q.messages {
		if m.own == (i%2 == 0) {
			t.Fatalf("message %d is by the wrong side", i)
		}
		if m.own && len(m.results) > 0 || !m.own && len(m.calls) > 0 || m.text == "" && len(m.calls)+len(m.results) == 0 {
			t.Fatalf("message %d: %+v", i, m)
		}
		for _, c := range m.calls {
			if seen[c.id] || !json.Valid(c.args) || value.KindOf(c.args) != value.KindObject {
				t.Fatalf("%+v", c)
			}
			seen[c.id] = true
		}
		if i == 0 || len(m.results)+len(q.messages[i-1].calls) == 0 {
			continue
		}
		same := slices.EqualFunc(m.results, q.messages[i-1].calls,
			func(a, b call) bool { return a.id == b.id && a.result != "" })
		if !same {
			t.Fatalf("message %d answers other calls than were made", i)
		}
	}
	if q.messages[len(q.messages)-1].own {
		t.Fatal("the model has the last word")
	}
}

func keepsNewest(t *rapid.T, newest item, q *request) {
	begins := func(s string) string { return s[:min(len(s), 8)] }
	all := ""
	for _, m := range q.messages[max(0, len(q.messages)-3):] {
		all += m.text + "\n"
		for _, c := range m.calls {
			all += c.id + "\n"
		}
	}
	if !strings.Contains(all, begins(newest.text)) {
		t.Fatalf("the newest message is gone: %.200q", newest.text)
	}
	for _, c := range newest.calls {
		if !strings.Contains(all, c.id) {
			t.Fatalf("the newest call %s is gone", c.id)
		}
	}
}

func TestCost(t *testing.T) {
	for _, c := range []struct {
		in, out int64
		price   definition.Price
		want    string
	}{
		{0, 0, definition.Price{In: 1, Out: 1}, "0"},
		{1, 0, definition.Price{In: 50_000_000}, "0.00000005"},
		{1, 0, definition.Price{In: 1}, "0.000000001"}, // rounded up
		{1_000_000, 1_000_000, definition.Price{In: 2_500_000_000, Out: 10_000_000_000}, "12.5"},
		{3, 7, definition.Price{In: 150_000_000, Out: 600_000_000}, "0.00000465"},
		{math.MaxInt64, math.MaxInt64, definition.Price{In: math.MaxInt64, Out: math.MaxInt64}, "9223372036.854775807"},
	} {
		if got := cost(c.in, c.out, c.price).String(); got != c.want {
			t.Errorf("%d, %d at %+v: %s", c.in, c.out, c.price, got)
		}
	}
	prices := map[string]definition.Price{"gpt-4o": {In: 1}, "gpt-4o-2024-05-13": {In: 2}}
	for model, want := range map[string]int64{"gpt-4o": 1, "gpt-4o-2024-05-13": 2, "gpt-4o-2024-08-06": 1,
		"openai/gpt-4o": 1, "gpt-4o-mini": 0, "gpt-4o-latest": 1} {
		m := &Model{d: definition.LLM{Model: model}, o: Options{Prices: prices}}
		if p, _ := m.price(); int64(p.In) != want {
			t.Errorf("%s costs %d", model, p.In)
		}
	}
}

func TestDocuments(t *testing.T) {
	object := json.RawMessage(`{"type":"object","properties":{"a":{}},"additionalProperties":false}`)
	own := json.RawMessage(`{"type":"object","properties":{"confidence":{"type":"number"},"reasoning":{}}}`)
	for _, c := range []struct {
		text       string
		schema     json.RawMessage
		output     string
		words      string
		confidence string
		reasoning  string
	}{
		{`{"a": 1.0}`, object, `{"a":1.0}`, "", "", ""},
		{`{"a":1,"confidence":0.5,"reasoning":"so"}`, object, `{"a":1}`, "", "0.5", "so"},
		{`{"a":1,"confidence":"0.5","reasoning":null}`, object, `{"a":1}`, "", "0.5", ""},
		{`{"a":1,"confidence":85}`, object, `{"a":1}`, "", "0", ""},
		{`{"a":1,"confidence":"high"}`, object, `{"a":1}`, "", "0", ""},
		{`{"a":1,"confidence":null}`, object, `{"a":1}`, "", "", ""},
		{`{"confidence":85,"reasoning":"x"}`, own, `{"confidence":85,"reasoning":"x"}`, "", "", "x"},
		{`{"confidence":0.8}`, own, `{"confidence":0.8}`, "", "0.8", ""},
		{"Here it is:\n```json\n{\"a\":1}\n```\nDone.", object, `{"a":1}`, "", "", ""},
		{"Here it is: {\"a\":{\"b\":2}} as asked", object, `{"a":{"b":2}}`, "", "", ""},
		{"{\"a\":1} or {\"a\":2}", object, "", "{\"a\":1} or {\"a\":2}", "", ""},
		{`[1,2]`, object, "", `[1,2]`, "", ""},
		{`[1, 2]`, json.RawMessage(`{"type":"array"}`), `[1,2]`, "", "", ""},
		{"I do not know", object, "", "I do not know", "", ""},
		{`{"a":1`, object, "", `{"a":1`, "", ""},
		{"Whales are large.\nConfidence: 0.6 - few sources.", nil, "", "Whales are large.", "0.6", "few sources"},
		{"Whales are large.\n\n**Confidence:** 1.0", nil, "", "Whales are large.", "1", ""},
		{"Whales are large.\nConfidence: 0.65 (I guess)", nil, "", "Whales are large.", "0.65", "I guess"},
		{"Whales are large.\nConfidence: high", nil, "", "Whales are large.\nConfidence: high", "", ""},
		{"Confidence: 0.6", nil, "", "Confidence: 0.6", "", ""},
		{`{"x":1,"confidence":0.4,"reasoning":"r"}`, nil, "", `{"x":1,"confidence":0.4,"reasoning":"r"}`, "0.4", "r"},
	} {
		turn := run.Turn{Text: c.text}
		if c.schema != nil {
			structured(&turn, c.schema)
		} else {
			inWords(&turn)
		}
		got := ""
		if turn.Confidence != nil {
			got = fmt.Sprint(*turn.Confidence)
		}
		if string(turn.Output) != c.output || turn.Text != c.words || got != c.confidence || turn.Reasoning != c.reasoning {
			t.Errorf("%s: %+v, confidence %q", c.text, turn, got)
		}
		if s, err := schema.Compile(c.schema); c.output != "" && (err != nil || len(s.Validate(turn.Output)) > 0) {
			t.Errorf("%s does not fit: %s", c.text, turn.Output)
		}
	}
}

func TestLiterals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := strings.ToValidUTF8(rapid.String().Draw(t, "text"), "")
		var raw string // every character as escapes of UTF-16
		for _, r := range want {
			if r >= 0x10000 {
				r -= 0x10000
				raw += fmt.Sprintf(`\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
			} else if r == '\\' {
				raw += `\\`
			} else {
				raw += fmt.Sprintf(`\u%04x`, r)
			}
		}
		var l literal
		heard := ""
		for raw != "" { // cut between escapes
			n := 6
			if strings.HasPrefix(raw, `\\`) {
				n = 2
			}
			n = min(len(raw), n)
			heard += l.add(`"` + raw[:n] + `"`)
			raw = raw[n:]
		}
		if l.String() != want || heard != want {
			t.Fatalf("%q became %q and %q", want, l.String(), heard)
		}
	})
	var l literal
	l.add(`"a\\ud83d"`)
	l.add(`"\ud83d"`)
	if l.String() != "a\\ud83d\ufffd" {
		t.Errorf("%q", l.String())
	}
	var object literal
	object.add(`{"a":1}`)
	if object.String() != `{"a":1}` {
		t.Errorf("%q", object.String())
	}
}
