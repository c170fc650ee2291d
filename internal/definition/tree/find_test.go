package tree

import (
	"fmt"
	"testing"
)

const findable = `workflow: refund
input: { type: object, required: [a, 'b'] }
steps:
  - id: draft
    agent: writer
  - id: send
    with:
      to: input.email
      a.b[0]: x
      a: y
    empty:
gates: [{ id: g, when: "amount > \"1\" && x" }]
one: { escalate_to: role:x, data: [{ field: f }] }
text: |
  first
  second > 1
single: 'it''s > 1'
folded: >
  a
  b
plain: é > 1
long_key_that_goes_on_for_quite_a_while_and_on: 1
`

func TestFind(t *testing.T) {
	docs, problems := NewSource("x", []byte(findable)).Read(YAML)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	root := docs[0].Root
	for path, want := range map[string]string{
		"":                      "1:1 exact",
		"workflow":              "1:11 exact",
		"nothing":               "1:1",
		"input":                 "2:8 exact",
		"input.required[1]":     "2:38 exact",
		"/input/required/1":     "2:38 exact",
		"/input/required/9":     "2:34",
		"/input/nope/x":         "2:8",
		"steps":                 "3:1 exact", // the list begins below: its key is shown
		"steps[0].agent":        "5:12 exact",
		"steps[1]":              "6:5 exact",
		"steps[1].needs[0]":     "6:5", // the step misses it
		"steps[7].needs":        "3:1",
		"steps[1].with.to":      "8:11 exact",
		"steps[1].with.a.b[0]":  "9:15 exact", // a key with a dot and a bracket
		"steps[1].with.a":       "10:10 exact",
		"steps[1].with":         "7:5 exact",
		"steps[1].empty":        "11:5 exact", // nothing behind the colon: the key
		"gates[0].when":         "12:24 exact",
		"one.escalate_to[0]":    "13:21 exact", // one for a list of one
		"one.data.field":        "13:45 exact",
		"one.data[0].field":     "13:45 exact",
		"long_key_that_goes_o…": "22:49 exact",
	} {
		s := root.Find(path)
		got := fmt.Sprintf("%d:%d", s.Pos.Line, s.Pos.Column)
		if s.Exact {
			got += " exact"
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	for _, c := range []struct {
		path         string
		line, column int
		want         Pos
	}{
		{"gates[0].when", 1, 1, Pos{12, 25}},
		{"gates[0].when", 1, 10, Pos{12, 34}},
		{"gates[0].when", 1, 11, Pos{12, 36}}, // behind \"
		{"gates[0].when", 1, 18, Pos{12, 44}},
		{"text", 1, 1, Pos{15, 3}},
		{"text", 2, 8, Pos{16, 10}},
		{"single", 1, 3, Pos{17, 12}},
		{"single", 1, 4, Pos{17, 13 + 1}},
		{"folded", 1, 3, Pos{18, 9}},
		{"plain", 1, 3, Pos{21, 10}},
		{"plain", 3, 3, Pos{21, 8}},
		{"steps", 1, 3, Pos{4, 3}},
	} {
		if got := root.Find(c.path).Node.Within(c.line, c.column); got != c.want {
			t.Errorf("%s %d:%d: got %v, want %v", c.path, c.line, c.column, got, c.want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	s := NewSource("x", []byte("a: 1\ntitle: Refund:\turgent\n"))
	if got, want := s.Excerpt(Pos{2, 14}), "2 | title: Refund: urgent\n  |              ^"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	long := NewSource("x", append(append(make([]byte, 0, 300), fmt.Sprintf("a: %0200d", 0)...), "é!\n"...))
	if got := long.Excerpt(Pos{1, 204}); got == "" || len(got) > 400 {
		t.Errorf("got\n%s", got)
	}
	for _, p := range []Pos{{0, 0}, {99, 1}, {1, 0}} {
		if got := s.Excerpt(p); got != "" {
			t.Errorf("%v: %q", p, got)
		}
	}
}
