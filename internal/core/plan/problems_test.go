package plan

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is found into testdata/problems.txt")

// document is a workflow with its surroundings, as in a test file.
type document struct {
	Workflow
	Agents    map[string]Agent    `json:"agents"`
	Workflows map[string]Workflow `json:"workflows"`
}

// agents that documents may name without defining them.
const agents = `{
	"drafter": {"kind": "scripted", "output": {"type": "object", "properties": {
		"text": {"type": "string"}, "amount": {"type": "number"}, "recipients": {"type": "array", "items": {"type": "object", "properties": {"mail": {"type": "string"}}}}}}},
	"mailer": {"kind": "http", "input": {"type": "object", "required": ["to", "body"], "additionalProperties": false, "properties": {
		"to": {"type": "string"}, "body": {"type": "string"}, "amount": {"type": "number"}}}},
	"closed": {"kind": "go", "output": {"type": "object", "additionalProperties": false, "properties": {"score": {"type": "number"}}}},
	"counter": {"kind": "go", "input": {"type": "object", "properties": {"text": {"type": "integer"}, "free": {}}}},
	"model": {"kind": "llm"},
	"plain": {"kind": "scripted"}
}`

// read parses a definition from lines "key: JSON"; indented lines continue the previous one.
func read(text string) (*Definition, error) {
	var b strings.Builder
	b.WriteString("{")
	given := map[string]bool{}
	for line := range strings.Lines(text) {
		if key, rest, ok := strings.Cut(line, ":"); ok && line[0] != ' ' {
			if len(given) > 0 {
				b.WriteString(",")
			}
			given[key] = true
			fmt.Fprintf(&b, "%q: %s", key, rest)
			continue
		}
		b.WriteString(line)
	}
	for key, otherwise := range map[string]string{"workflow": `"w"`, "agents": agents,
		"steps": `[{"id": "a", "agent": "plain"}]`} {
		if !given[key] {
			if b.Len() > 1 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, "%q: %s", key, otherwise)
		}
	}
	b.WriteString("}")
	var d document
	if err := Decode([]byte(b.String()), &d); err != nil {
		return nil, err
	}
	return &Definition{Workflow: d.Workflow, Agents: d.Agents, Workflows: d.Workflows}, nil
}

// TestProblems reads testdata/problems.txt: a title, a document, and the expected problems. Warnings start
// with "warning".
func TestProblems(t *testing.T) {
	const file = "testdata/problems.txt"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for k, block := range strings.Split(string(raw), "\n# ") {
		if k == 0 {
			out.WriteString(block)
			continue
		}
		title, rest, _ := strings.Cut(block, "\n")
		doc, want, _ := strings.Cut(rest, "----\n")
		want = strings.TrimSpace(want)
		var got []string
		t.Run(title, func(t *testing.T) {
			def, err := read(doc)
			if err != nil {
				t.Fatal(err)
			}
			before := Digest(def)
			p, problems := Compile(def)
			refused := false
			for _, p := range problems {
				line := p.String()
				if p.Line > 0 {
					line = fmt.Sprintf("%s: (%d:%d) %s", p.Path, p.Line, p.Column, p.Message)
				}
				if p.Warning {
					line = "warning " + line
				} else {
					refused = true
				}
				got = append(got, line)
			}
			if got == nil {
				got = []string{"fine"}
			}
			if refused != (p == nil) {
				t.Errorf("plan is nil: %t; refused: %t", p == nil, refused)
			}
			if p != nil && Digest(p.Definition) != before || Digest(def) != before {
				t.Error("compiling changed the definition")
			}
			if text := strings.Join(got, "\n"); text != want && !*update {
				t.Errorf("got\n%s\nwant\n%s", text, want)
			}
		})
		fmt.Fprintf(&out, "\n# %s\n%s----\n%s\n", title, doc, strings.Join(got, "\n"))
	}
	if *update {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
