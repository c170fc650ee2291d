package plan

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
)

func TestDecode(t *testing.T) {
	tests := map[string][]string{
		`{"workflow": "w", "steps": [{"id": "a", "agent": "x", "retry": {"max": 3}}], "labels": {"a": "b"}, "notify": {"any": ["thing"]}}`: nil,
		`{"workflow": "w", "step": []}`:                     {`step: unknown key "step"; did you mean "steps"?`},
		`{"Workflow": "w"}`:                                 {`Workflow: unknown key "Workflow"; did you mean "workflow"?`},
		`{"zzzzzz": 1}`:                                     {`zzzzzz: unknown key "zzzzzz"`},
		`{"workflow": "a", "workflow": "b"}`:                {`workflow: duplicate key "workflow": keep one`},
		`{"workflow": "a", "labels": {"x": "1", "x": "2"}}`: {`labels.x: duplicate key "x": keep one`},
		`{"steps": [{"id": 3, "timout": "1h", "needs": "a", "width": 1.5, "timeout": "soon", "with": {"a": {"b": "c"}}, "human": {"tilte": "x"}}], "owner_only": "yes", "labels": {"a": 1}}`: {
			`steps[0].id: must be text, not a number`,
			`steps[0].timout: unknown key "timout"; did you mean "timeout"?`,
			`steps[0].needs: must be a list, not text`,
			`steps[0].width: must be a whole number, not 1.5`,
			`steps[0].timeout: "soon" is not a duration: write "90s", "15m", "72h" or "30d"`,
			`steps[0].with: the source of "a" must be a path, or a literal in quotes such as '"refund"' or '[1, 2]'`,
			`steps[0].human.tilte: unknown key "tilte"; did you mean "title"?`,
			`owner_only: must be true or false, not text`,
			`labels.a: must be text, not a number`,
		},
		`{"steps": {"id": "a"}, "loops": [], "confidence_threshold": "high", "output": ["x"]}`: {
			"steps: must be a list, not an object",
			"loops: must be an object, not a list",
			`confidence_threshold: must be a number, not "high"`,
			"output: must be an object of target: source: write { text: draft.text }",
		},
		`{"steps": [{"with": {"a": "x", "a": "y"}}, {"with": {"a": null}}, {"with": {"a": 1, "b": true}}]}`: {
			`steps[0].with: the target "a" is given twice: keep one`,
			`steps[1].with: the source of "a" must be a path, or a literal in quotes such as '"refund"' or '[1, 2]'`,
		},
		`{"gates": [{"timeout": {"after": null}}]}`: {`gates[0].timeout.after: "null" is not a duration: write "90s", "15m", "72h" or "30d"`},
		`{"loops": {"human": {"whenn": "always", "quorum": "two"}}}`: {
			`loops.human.whenn: unknown key "whenn"; did you mean "when"?`,
			`loops.human.quorum: must be a whole number, not "two"`,
		},
		`{"loops": {"human": 7}}`: {"loops.human: 7 is not valid here"},
		`[]`:                      {"must be an object, not a list"},
		`null`:                    nil,
	}
	for doc, want := range tests {
		var w Workflow
		err := Decode(json.RawMessage(doc), &w)
		var got []string
		var f *fault.Error
		if errors.As(err, &f) {
			if f.Code != fault.Invalid {
				t.Errorf("code %s", f.Code)
			}
			for _, p := range f.Problems {
				got = append(got, p.String())
			}
		} else if err != nil {
			t.Error(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\ngot\n%s\nwant\n%s", doc, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestDecodeTellsWhereTheSyntaxIsWrong(t *testing.T) {
	var f *fault.Error
	err := Decode(json.RawMessage("{\n  \"workflow\": \"w\",\n  \"steps\": [}\n}"), &Workflow{})
	if !errors.As(err, &f) || len(f.Problems) != 1 || f.Problems[0].Line != 3 || f.Problems[0].Column != 13 {
		t.Errorf("%+v", f)
	}
	if err := Decode(json.RawMessage("{}"), Workflow{}); err == nil {
		t.Error("decoded into a value")
	}
	if err := Decode(json.RawMessage(""), &Workflow{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
}

func TestDecodeEmbedded(t *testing.T) {
	var v struct {
		Agent
		URL    string `json:"url"`
		Hidden string `json:"-"`
	}
	if err := Decode(json.RawMessage(`{"agent": "a", "kind": "http", "url": "x"}`), &v); err != nil || v.Name != "a" ||
		v.URL != "x" {
		t.Errorf("%v %+v", err, v)
	}
	if err := Decode(json.RawMessage(`{"Hidden": "a"}`), &v); err == nil {
		t.Error("a hidden field was accepted")
	}
}

func TestParseSource(t *testing.T) {
	for text, want := range map[string]Source{
		"draft.text":       {Path: []string{"draft", "text"}},
		" items[0].id ":    {Path: []string{"items", "0", "id"}},
		"2nd.text":         {Path: []string{"2nd", "text"}},
		"send-mail.x":      {Path: []string{"send-mail", "x"}},
		"nullable":         {Path: []string{"nullable"}},
		`"refund"`:         {Literal: json.RawMessage(`"refund"`)},
		"9007199254740993": {Literal: json.RawMessage("9007199254740993")},
		"-1.50":            {Literal: json.RawMessage("-1.50")},
		"true":             {Literal: json.RawMessage("true")},
		"null":             {Literal: json.RawMessage("null")},
		`{"a": [1, 2]}`:    {Literal: json.RawMessage(`{"a":[1,2]}`)},
	} {
		got, err := ParseSource(text)
		if err != nil || !slices.Equal(got.Path, want.Path) || string(got.Literal) != string(want.Literal) ||
			(got.Path == nil) == (got.Literal == nil) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "  ", `"open`, "{", "a..b", "a b", "a[", "[x]"} {
		if got, err := ParseSource(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestParseSpot(t *testing.T) {
	for text, want := range map[string]Spot{
		"start": {Kind: SpotStart}, " end ": {Kind: SpotEnd}, "before a": {Kind: SpotBefore, Step: "a"},
		"after  b": {Kind: SpotAfter, Step: "b"},
		"call pay": {Kind: SpotCall, Tool: "pay"}, "call *": {Kind: SpotCall, Tool: "*"},
		"call mcp:x/*": {Kind: SpotCall, Tool: "mcp:x/*"},
	} {
		got, err := ParseSpot(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if back, err := ParseSpot(got.String()); err != nil || back != got {
			t.Errorf("%q does not round-trip: %q", text, got)
		}
	}
}

func TestMappingKeepsOrder(t *testing.T) {
	const text = `{"z":"a.b","a":"\"x\"","m":"1"}`
	var m Mapping
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(m)
	if err != nil || string(raw) != text {
		t.Errorf("%s, %v", raw, err)
	}
	for m, want := range map[string]Mapping{"null": nil, "{}": {}} {
		got := Mapping{{"x", "y"}}
		if err := json.Unmarshal([]byte(m), &got); err != nil || len(got) != 0 || (got == nil) != (want == nil) {
			t.Errorf("%s: %v, %v", m, got, err)
		}
		if raw, _ := json.Marshal(got); string(raw) != m {
			t.Errorf("%s becomes %s", m, raw)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"draft", "send", "review", "timeout", "on_reject"}
	for name, want := range map[string]string{
		"drat": "draft", "Draft": "draft", "sned": "send", "reveiw": "review", "tiemout": "timeout", "onreject": "on_reject",
		"x": "", "elephant": "", "": "", "de": "",
	} {
		if got := nearest(name, words); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
