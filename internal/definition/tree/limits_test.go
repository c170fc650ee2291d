package tree

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/steady"
)

func TestLimits(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	blocks := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	docs := func(n int) string { return strings.Repeat("a: 1\n---\n", n) }
	list := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]" }
	jsonDocs := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(`{"a":1},`, n), ",") + "]" }
	deep := fmt.Sprintf("mappings and lists are nested more than %d levels deep", DepthMax)
	for name, c := range map[string]struct {
		format Format
		src    string
		want   string // "" if it is accepted
	}{
		"size at": {YAML, "#" + strings.Repeat("x", SizeMax-1), ""},
		"size over": {YAML, "#" + strings.Repeat("x", SizeMax),
			"the file has 4,194,305 bytes; the maximum is 4 MiB"},
		"flow depth at":   {YAML, nested(DepthMax), ""},
		"flow depth over": {YAML, nested(DepthMax + 1), deep},
		"depth at":        {YAML, blocks(DepthMax), ""},
		"depth over":      {YAML, blocks(DepthMax + 1), deep},
		"dashes at":       {YAML, strings.Repeat("- ", DepthMax) + "x", ""},
		"dashes over":     {YAML, strings.Repeat("- ", DepthMax+1) + "x", deep},
		"json depth at":   {JSON, nested(DepthMax), ""},
		"json depth over": {JSON, nested(DepthMax + 1), deep},
		"documents at":    {YAML, docs(DocumentsMax), ""},
		"documents over":  {YAML, docs(DocumentsMax + 1), "the file contains more than 1000 documents: split it"},
		"json docs at":    {JSON, jsonDocs(DocumentsMax), ""},
		"json docs over":  {JSON, jsonDocs(DocumentsMax + 1), "the file contains more than 1000 documents: split it"},
		"nodes at":        {YAML, list(NodesMax - 1), ""},
		"nodes over":      {YAML, list(NodesMax), "the file contains more than 200000 values: split it"},
		"json nodes at":   {JSON, `{"a":` + list(NodesMax-2) + `}`, ""},
		"json nodes over": {JSON, `{"a":` + list(NodesMax-1) + `}`, "the file contains more than 200000 values: split it"},
	} {
		t.Run(name, func(t *testing.T) {
			docs, problems := NewSource("x", []byte(c.src)).Read(c.format)
			switch {
			case c.want == "" && (len(problems) > 0 || len(docs) == 0 && !strings.HasPrefix(c.src, "#")):
				t.Errorf("%d documents, %v", len(docs), problems)
			case c.want != "" && (len(problems) != 1 || problems[0].Message != c.want):
				t.Errorf("got %v", problems)
			}
		})
	}
}

func TestProblemsAreCapped(t *testing.T) {
	_, problems := NewSource("x", []byte(strings.Repeat("a: @\n", 100)+"---\na: @\n")).Read(YAML)
	if len(problems) != problemsMax+1 || problems[problemsMax].Line != problemsMax+1 {
		t.Errorf("%d problems, the last %v", len(problems), problems[len(problems)-1])
	}
}

// TestTimeIsBounded feeds texts on which readers of YAML have been known to
// take minutes.
func TestTimeIsBounded(t *testing.T) {
	fill := func(head, unit string) string { return head + strings.Repeat(unit, (1<<20)/len(unit)) }
	for _, c := range [][2]string{
		{"a: |\n  x\n", "\n"}, {"a: >\n  x\n", " \n"}, {"a: |+\n", "  \n"}, {"a: x\n", "\n"}, {"a: \"", "\n"},
		{"a: \"", "\t"}, {"a: '", " \n"},
		{"", "["}, {"", "{"}, {"", "- "}, {"", "? "}, {"", ": "}, {"", "a: "}, {"", "[]"}, {"[", "a,"}, {"[", "a: b,"},
		{"[", "\"a\":"}, {"{", "a: [],"},
		{"", "&a "}, {"", "*a "}, {"", "!a "}, {"", "#\n"}, {"", "\t"}, {"", " "}, {"", "\n"}, {"", "---\n"}, {"", "...\n"},
		{"", "a:\n"}, {"", "a: b\n"}, {"", "- a\n"},
		{"", "\""}, {"", "'"}, {"a: \"", "\\n"}, {"a: ", "x "}, {"a:\n", " x\n"}, {"", "|\n"}, {"- ", "|"}, {"", "%"},
		{"[", "\n"}, {"[", " #\n"}, {"{", "\n a"}, {"", "é"},
		{"a: [", "1 "}, {"a: ", "\""}, {"x: [\n", "}\n"}, {"", "a: @\n"}, {"", "\"a\" "}, {"0x", "f"}, {"", "1"},
		{"[", "\"\","}, {"a: >\n", " x\n\n"},
	} {
		src := NewSource("x", []byte(fill(c[0], c[1])))
		for _, f := range []Format{YAML, JSON} {
			start := steady.CPU()
			src.Read(f)
			if took := steady.CPU() - start; took > 10*time.Second {
				t.Errorf("%q and then %q took %v", c[0], c[1], took)
			}
		}
	}
}
