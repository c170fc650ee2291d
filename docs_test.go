package assent_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The code in docs/go.md and in the package comment is part of the examples, which compile and run.

func examplesText(t *testing.T) string {
	t.Helper()
	all := ""
	for _, name := range []string{"example_test.go", "example_guide_test.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all += plainLines(string(text))
	}
	return all
}

// plainLines drops indentation and empty lines.
func plainLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func TestGoGuide(t *testing.T) {
	page, err := os.ReadFile("docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, snippets := examplesText(t), 0
	for i, part := range strings.Split(string(page), "```") {
		lang, code, _ := strings.Cut(part, "\n")
		if i%2 == 0 || lang != "go" && lang != "yaml" {
			continue
		}
		snippets++
		if !strings.Contains(examples, plainLines(code)) {
			t.Errorf("docs/go.md shows what no example runs; change example_guide_test.go and the page together:\n%s", code)
		}
	}
	if snippets < 8 {
		t.Errorf("only %d snippets were found", snippets)
	}
}

func TestPackageComment(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "assent.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	code := ""
	for line := range strings.Lines(file.Doc.Text()) {
		if strings.HasPrefix(line, "\t") {
			code += line
		}
	}
	if code == "" || !strings.Contains(examplesText(t), plainLines(code)) {
		t.Errorf("the package comment shows what no example runs; change example_test.go and the comment together:\n%s", code)
	}
}

// TestDecisionsAreListed: every decision has a line in the index.
func TestDecisionsAreListed(t *testing.T) {
	index, err := os.ReadFile("docs/decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("docs/decisions/0*.md")
	if err != nil || len(pages) < 40 {
		t.Fatalf("%d decisions were found: %v", len(pages), err)
	}
	for _, page := range pages {
		if name := filepath.Base(page); !strings.Contains(string(index), "("+name+")") {
			t.Errorf("docs/decisions/README.md does not list %s: add a line for it", name)
		}
	}
}
