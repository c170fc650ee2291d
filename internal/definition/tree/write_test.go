package tree

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assent-run/assent/internal/core/value"
)

func TestWriteYAML(t *testing.T) {
	src := `{"workflow":"refund","timeout":"15m","num":0.10,"big":9007199254740993,"e":1E400,"no":"no","yes":"yes","null":null,"word":"null","t":true,` +
		`"empty":{},"none":[],"text":"","date":"2026-01-31","time":"12:30","octal":"0777","dots":"1.2.3.4","hex":"0x1f","days":"30d","under":"1_000",` +
		`"steps":[{"id":"a","needs":[],"with":{"kind":"\"refund\"","to":"input.email"}},["x",["y"]],{}],` +
		`"colon":"a: b","url":"http://h:1/p#q","hash":"a #b","role":"role:x","tail":"x:","star":"*","mcp":"mcp:files/*","quote":"it's","back":"C:\\dir",` +
		`"block":"one\n  two\n\nthree\n","strip":"a\nb","keep":"a\nb\n\n","space":"a \nb","lead":" a\nb","tab":"a\tb","bell":"\u0007","sep":"a\u2028b",` +
		`"on":1,"y":2,"3":4,"a: b":5,"":6,"é":"ø"}`
	want := `workflow: refund
timeout: 15m
num: 0.10
big: 9007199254740993
e: 1E400
"no": "no"
"yes": "yes"
"null": null
word: "null"
t: true
empty: {}
none: []
text: ""
date: "2026-01-31"
time: "12:30"
octal: "0777"
dots: "1.2.3.4"
hex: "0x1f"
days: 30d
under: "1_000"
steps:
  - id: a
    needs: []
    with:
      kind: '"refund"'
      to: input.email
  - - x
    - - "y"
  - {}
colon: "a: b"
url: http://h:1/p#q
hash: "a #b"
role: role:x
tail: "x:"
star: "*"
mcp: mcp:files/*
quote: it's
back: C:\dir
block: |
  one
    two

  three
strip: |-
  a
  b
keep: |+
  a
  b

space: "a \nb"
lead: " a\nb"
tab: "a\tb"
bell: "\x07"
sep: "a\u2028b"
"on": 1
"y": 2
"3": 4
"a: b": 5
"": 6
é: ø
`
	got := string(WriteYAML(json.RawMessage(src)))
	if got != want {
		t.Errorf("got\n%s", got)
	}
	if again := show(YAML, got); again != show(JSON, src) {
		t.Errorf("got  %s\nwant %s", again, src)
	}
	for raw, want := range map[string]string{`"a"`: "a\n", `[]`: "[]\n", `{}`: "{}\n", `7`: "7\n",
		`"a\nb\n"`: "|\n  a\n  b\n"} {
		if got := string(WriteYAML(json.RawMessage(raw))); got != want {
			t.Errorf("%s: got %q", raw, got)
		}
	}
}

// pieces are texts that are easy to get wrong.
var pieces = []string{
	"a", "b c", " ", "\n", "\t", ":", ": ", "#", " #", "-", "- ", "?", "*", "&", "!", "'", "\"", "\\", "|", ">", "%", "@",
	"`", ",", "[", "]", "{", "}", "---", "...", "<<",
	"0", "1", "07", ".", "e", "x", "_", "yes", "no", "null", "~", "true", "2026-01-01", "é", "😀", "\u2028", "\u0085",
	"\ufeff", "\x07", "\x7f", "=", "+",
}

func genText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "text"), "")
}

func genJSON(t *rapid.T, depth int) json.RawMessage {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 5
	}
	switch kind {
	case 0:
		return json.RawMessage(rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word"))
	case 1:
		return json.RawMessage(rapid.SampledFrom([]string{"0", "-0", "0.10", "1E400", "-1.5e-7", "9007199254740993",
			"123456789012345678901234567890.00"}).Draw(t, "number"))
	case 2, 3, 4:
		return value.Quote(genText(t))
	case 5:
		var items []json.RawMessage
		for range rapid.IntRange(0, 4).Draw(t, "items") {
			items = append(items, genJSON(t, depth-1))
		}
		return value.Array(items...)
	}
	var members []value.Member
	seen := map[string]bool{}
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		if key := genText(t); !seen[key] {
			seen[key] = true
			members = append(members, value.Member{Key: key, Value: genJSON(t, depth-1)})
		}
	}
	return value.Object(members...)
}

// TestWrittenYAMLIsReadAgain: whatever the value, its YAML is the same value.
func TestWrittenYAMLIsReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := value.Object(value.Member{Key: "v", Value: genJSON(t, 4)})
		text := WriteYAML(raw)
		if got := show(YAML, string(text)); got != string(raw) {
			t.Fatalf("%s\n got %s\nwant %s", text, got, raw)
		}
	})
}
