package tree

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// show writes all documents as JSON and all problems, one per line.
func show(f Format, src string) string {
	docs, problems := NewSource("test", []byte(src)).Read(f)
	var out []string
	for _, d := range docs {
		if !d.Broken {
			out = append(out, string(d.Root.JSON()))
		}
	}
	for _, p := range problems {
		out = append(out, fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Message))
	}
	return strings.Join(out, "\n")
}

func TestYAMLValues(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"block": {"a: 1\nb:\n  c: x\n  d:\n    - 1\n    - e: 2\n      f: 3\n",
			`{"a":1,"b":{"c":"x","d":[1,{"e":2,"f":3}]}}`},
		"list below key": {"a:\n- 1\n- 2\nb: 3\n", `{"a":[1,2],"b":3}`},
		"list in list":   {"- - 1\n  - 2\n-\n  - 3\n-\n- x\n", `[[1,2],[3],null,"x"]`},
		"flow": {"a: { b: [1, x y, 'it''s'], \"c\":2, d: , e }\n",
			`{"a":{"b":[1,"x y","it's"],"c":2,"d":null,"e":null}}`},
		"flow over lines": {"a: {\n  b: 1, # one\n  c: [\n    x,\n  ]\n}\nd: 2\n", `{"a":{"b":1,"c":["x"]},"d":2}`},
		"flow pair":       {"a: [b: c, {d: e}]\n", `{"a":[{"b":"c"},{"d":"e"}]}`},
		"colon inside": {"a: {to: role:manager, all: [role:x, mcp:files/*, http://h:1/p]}\nb: role:y\nc: 12:30\n",
			`{"a":{"to":"role:manager","all":["role:x","mcp:files/*","http://h:1/p"]},"b":"role:y","c":"12:30"}`},
		"tab inside": {"a: x\ty\nb: \"p\tq\t\tr\"\nc: d\n", `{"a":"x\ty","b":"p\tq\t\tr","c":"d"}`},
		"json":       {"{\n\t\"a\": [1, 2.50, \"\\u00e9\\ud83d\\ude00\\/\"]\n}\n", `{"a":[1,2.50,"é😀/"]}`},
		"null": {"a:\nb: ~\nc: null\nd: ''\ne: \"\"\nf: # comment\n",
			`{"a":null,"b":null,"c":null,"d":"","e":"","f":null}`},
		"words": {"[yes, no, on, off, y, n, true, False, TRUE, nope, Null, NULL]",
			`["yes","no","on","off","y","n",true,false,true,"nope",null,null]`},
		"numbers": {"[0.10, 9007199254740993, 1E400, -0, 1e3, +5, .5, 5., -.5e-3, 0x1F, 0o17, 1_000, 1.2.3, " +
			"0x, 15m, 2026-01-31]", `[0.10,9007199254740993,1E400,-0,1e3,5,0.5,5.0,-0.5e-3,31,15,"1_000","1.2.3","0x","15m","2026-01-31"]`},
		"keys are texts": {"1: a\ntrue: b\n0.10: c\nnull: d\n007: e\n\"q k\": f\n's''q': g\non: h\n",
			`{"1":"a","true":"b","0.10":"c","null":"d","007":"e","q k":"f","s'q":"g","on":"h"}`},
		"key order":   {"z: 1\na: 2\nm: {y: 1, b: 2}\n", `{"z":1,"a":2,"m":{"y":1,"b":2}}`},
		"plain lines": {"a: one\n  two\n\n  three\nb: x # c\n", `{"a":"one two\nthree","b":"x"}`},
		"hash inside": {"a: b#c\nd: 'e # f' # g\n", `{"a":"b#c","d":"e # f"}`},
		"quoted lines": {"a: \"one\n  two\n\n  three\\\n   four\"\nb: 'x\n  y'\n",
			`{"a":"one two\nthreefour","b":"x y"}`},
		"escapes": {`a: "\x41\u00e9\U0001F600\t\n\\\"\/\0\_"`, `{"a":"Aé😀\t\n\\\"/\u0000` + "\u00a0" + `"}`},
		"literal": {"a: |\n  one\n   two\n\n  three\n\nb: |-\n  x\n\nc: |+\n  y\n\nd: |2\n   z\n",
			`{"a":"one\n two\n\nthree\n","b":"x","c":"y\n\n","d":" z\n"}`},
		"literal at end":  {"a: |\n  x", `{"a":"x\n"}`},
		"literal empty":   {"a: |\nb: >-\nc: 1\n", `{"a":"","b":"","c":1}`},
		"literal in list": {"- |\n x\n- >\n y\n z\n", `["x\n","y z\n"]`},
		"folded": {"a: >\n  one\n  two\n\n  three\n    four\n  five\nb: >- # c\n  x\n",
			`{"a":"one two\nthree\n  four\nfive\n","b":"x"}`},
		"comments": {"# a\na: 1 # b\n  # c\n#d\nb:\n  # e\n  - 1\n\n# f\n  - 2\n", `{"a":1,"b":[1,2]}`},
		"documents": {"a: 1\n---\nb: 2\n...\nc: 3\n---\n# nothing\n---\n- 4\n...\n...\n",
			"{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n[4]"},
		"marker on line 1": {"--- # c\na: |\n  ---\n  x\n--- [1]\n", "{\"a\":\"---\\nx\\n\"}\n[1]"},
		"marker in text":   {"a: |\n x\n---\nb: 1\n", "{\"a\":\"x\\n\"}\n{\"b\":1}"},
		"windows":          {"\ufeffa: |\r\n  x\r\n  y\r\nb: \"p\r\n  q\"\r\n", `{"a":"x\ny\n","b":"p q"}`},
		"old mac":          {"a: 1\rb: 2\r", `{"a":1,"b":2}`},
		"unicode":          {"é: 日本語\n😀: [ß, ø]\n", `{"é":"日本語","😀":["ß","ø"]}`},
		"top scalar":       {"just\n text\n", `"just text"`},
		"dash":             {"a: -x\nb: [-y, --]\n", `{"a":"-x","b":["-y","--"]}`},
		"empty":            {"", ""},
		"comment only":     {"# x\n\n---\n", ""},
		"url":              {"url: http://127.0.0.1:9000/a?b=c#d\n", `{"url":"http://127.0.0.1:9000/a?b=c#d"}`},
		"expression": {"if: draft.confidence >= 0.5 && !(a == \"x\")\n",
			`{"if":"draft.confidence >= 0.5 && !(a == \"x\")"}`},
		"question": {"a: ?x\nb: [?y]\n?z: 1\n", `{"a":"?x","b":["?y"],"?z":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := show(YAML, c.src); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
			}
		})
	}
}

func TestYAMLProblems(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"second colon": {"title: Refund: urgent\n",
			"1:14: this line has a second colon: put the text in quotes, or start the mapping on the next line"},
		"tab":         {"a:\n\tb: 1\nc: 2\n", "2:1: tabs cannot indent: use spaces"},
		"tab in list": {"a:\n  - b: 1\n  \t c: 2\n", "3:3: tabs cannot indent: use spaces"},
		"deeper": {"a: 1\n  b: 2\n",
			"2:3: this line looks like a key but continues the text above it: fix the indentation, or put the text in quotes"},
		"between": {"a:\n    b: 1\n  c: 2\nd: 3\n",
			"3:3: this line is indented more than the keys around it, which start in column 1"},
		"less than first": {"  a: 1\nb: 2\n",
			"2:1: this line is indented less than the first key of the document: start all keys in the same column"},
		"no colon": {"a: 1\nb\nc: 2\n",
			"2:1: expected a key, a colon and a space: key: value"},
		"colon no space": {"a:1\nb: 2\n", "2:1: this line looks like a key but continues the text above it: fix the " +
			"indentation, or put the text in quotes"},
		"flow no space": {"a: {b:1, c: 2}\n", "1:5: put a space after the colon: b: 1"},
		"list on key line": {"a: - 1\n", "1:4: a list starts on the line after its key; if this is a " +
			"text, put it in quotes"},
		"dash among keys": {"a: 1\n- b\n", "2:1: expected a key, found a list item: indent it " +
			"under the key it belongs to"},
		"key among dashes": {"- a\nb: 1\n- c\n",
			"2:1: expected a list item: start it with a dash and a space"},
		"quote open": {"a: \"x\nb: 1\n",
			"1:4: the \" that starts here is not closed: a quoted text ends where a line is not " +
				"indented more than its key"},
		"quote open 2": {"a: 'it's'\nb: 1\n",
			"1:8: unexpected text after the value: put all of it in quotes, or remove the rest"},
		"bracket open":  {"a: [1, 2\nb: 3\n", "1:4: the [ that starts here is not closed"},
		"brace open":    {"a: {b: [1}\n", "1:10: expected a comma or ]"},
		"comma missing": {"a: {b: 1 c: 2}\n", "1:11: expected a comma or }"},
		"commas":        {"a: [1,,2]\n", "1:7: the value before this comma is missing"},
		"closer":        {"a: ]\n", "1:4: unexpected ]: there is nothing to close"},
		"anchor": {"a: &x 1\nb: *x\n",
			"1:4: anchors (&name) are not supported: write the value out where it is needed\n2:4: aliases (*name) are not " +
				"supported: write the value out; put a text that starts with * in quotes"},
		"alias in flow": {"a: [*]\n", "1:5: aliases (*name) are not supported: write the value out; put a text that " +
			"starts with * in quotes"},
		"tag": {"a: !!str 1\nb: !x\n  c: 1\n",
			"1:4: tags (!name) are not supported: remove it; put a text that starts with ! in quotes\n2:4: tags (!name) " +
				"are not supported: remove it; put a text that starts with ! in quotes"},
		"merge":           {"a:\n  <<: {b: 1}\n", "2:3: merge keys are not supported: write the keys out"},
		"merge in flow":   {"a: {<<: {b: 1}}\n", "1:5: merge keys are not supported: write the keys out"},
		"quoted merge":    {"\"<<\": 1\n", `{"<<":1}`},
		"complex key":     {"? a\n: b\n", "1:1: keys after a question mark are not supported: write key: value"},
		"list as key":     {"[a]: b\n", "1:4: a key must be a text"},
		"map as flow key": {"{ {a: b}: c }\n", "1:3: a key must be a text"},
		"no key":          {": a\n", "1:1: the key before the colon is missing"},
		"no key 2":        {"a: 1\n: b\n", "2:1: the key before the colon is missing"},
		"twice":           {"a: 1\nb: 2\na: 3\n", `3:1: duplicate key "a": the first is in line 1, column 1`},
		"twice in flow":   {"x: {a: 1, \"a\": 2}\n", `1:11: duplicate key "a": the first is in line 1, column 5`},
		"start": {"a: @b\nb: `c`\nc: %d\n",
			"1:4: a text cannot start with @: put it in quotes\n2:4: a text cannot start with `: put it in quotes\n3:4: a " +
				"text cannot start with %: put it in quotes"},
		"escape":        {`a: "C:\dir"`, `1:7: \d is not a valid escape in double quotes: write \\ for a backslash, or use single quotes`},
		"escape digits": {`a: "\u12"`, `1:5: \u needs 4 hexadecimal digits after it`},
		"half pair":     {`a: "\ud83d x"`, `1:5: \ud83d is only half of a character: the other half must follow`},
		"zero": {"a: 007\nb: .inf\nc: [010]\n",
			"1:4: 007 starts with a zero, and parsers disagree about its value: put it in quotes if it is a text, or remove " +
				"the zero\n2:4: .inf is not valid in JSON: put it in quotes if it is a text\n3:5: 010 starts with a zero, " +
				"and parsers disagree about its value: put it in quotes if it is a text, or remove the zero"},
		"literal header":  {"a: | x\nb: 1\n", "1:6: the text starts on the line after | or >, not next to it"},
		"literal indent":  {"a: |\n    \n  x\n", "2:1: this empty line is indented more than the text below it"},
		"literal in flow": {"a: [|]\n", "1:5: texts over several lines (|) are not allowed in brackets: use double quotes"},
		"directive": {"%YAML 1.2\n---\na: 1\n",
			"{\"a\":1}\n1:1: lines that start with % are YAML directives, which are not supported: remove them"},
		"behind end":        {"a: 1\n... x\nb: 2\n", "{\"a\":1}\n{\"b\":2}\n2:5: nothing may follow ... on its line"},
		"marker line":       {"--- a: 1\n", "1:5: start this on the line after ---"},
		"comment too close": {"a: \"b\"#c\n", "1:7: put a space before the comment"},
		"not utf-8":         {"a: b\nc: \xff\n", "2:4: the file is not valid UTF-8: save it in that encoding"},
		"utf-16":            {"a\x00:\x00", "1:2: the file contains a zero byte: is it a text file in UTF-8?"},
		"invisible":         {"a: é\x07\n", `1:5: the character U+0007 cannot be seen: write "\u0007" in double quotes if it is meant`},
		"many": {"a: b: c\nd: [1\ne:\n  f: \"x\n  g: 1\n  h: @\ni: 1\n---\nj: 2\n---\nk: {\n", "{\"j\":2}\n" +
			"1:5: this line has a second colon: put the text in quotes, or start the mapping on the next line\n" +
			"2:4: the [ that starts here is not closed\n" +
			"4:6: the \" that starts here is not closed: a quoted text ends where a line is not indented " +
			"more than its key\n" +
			"6:6: a text cannot start with @: put it in quotes\n" +
			"11:4: the { that starts here is not closed"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := show(YAML, c.src); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
			}
		})
	}
}

// TestBrokenDocumentsKeepWhatCanBeRead lets callers know which document it was.
func TestBrokenDocumentsKeepWhatCanBeRead(t *testing.T) {
	docs, problems := NewSource("x", []byte("agent: mailer\nurl: a: b\nkind: http\n")).Read(YAML)
	if len(docs) != 1 || !docs[0].Broken || len(problems) != 1 {
		t.Fatalf("%v %v", docs, problems)
	}
	if got := string(docs[0].Root.JSON()); got != `{"agent":"mailer","kind":"http"}` {
		t.Error(got)
	}
}

// TestDocumentTexts: a document has its text, with the comments above and inside it.
func TestDocumentTexts(t *testing.T) {
	for name, c := range map[string]struct {
		format Format
		src    string
		want   []string
	}{
		"one":          {YAML, "\uFEFF# a\r\n\r\na: 1 # b\r\n# c", []string{"# a\n\na: 1 # b\n# c\n"}},
		"one, marked":  {YAML, "# a\n---\na: 1\n...\n", []string{"# a\n---\na: 1\n...\n"}},
		"two":          {YAML, "# a\na: 1\n--- # b\nb: 2\n---\n", []string{"# a\na: 1\n", "# b\nb: 2\n"}},
		"above":        {YAML, "# a\n---\na: 1\n---\n# b\n---\nb: 2\n", []string{"# a\na: 1\n", "# b\nb: 2\n"}},
		"on its line":  {YAML, "--- { a: 1 }\n---   \nb: 2\n", []string{"{ a: 1 }\n", "b: 2\n"}},
		"after an end": {YAML, "a: 1\n...\n# b\nb: 2\n", []string{"a: 1\n", "# b\nb: 2\n"}},
		"json":         {JSON, `[{"a":1},{"b":2}]`, []string{"", ""}},
		"json, one":    {JSON, `{"a":1}`, []string{""}},
	} {
		docs, problems := NewSource("test", []byte(c.src)).Read(c.format)
		var got []string
		for _, d := range docs {
			got = append(got, d.Text)
		}
		if !slices.Equal(got, c.want) || len(problems) > 0 {
			t.Errorf("%s: %q, %v", name, got, problems)
		}
	}
}
