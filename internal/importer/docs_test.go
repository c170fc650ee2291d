package importer

import (
	"os"
	"strings"
	"testing"
)

// TestDocumentedExample: the page shows what is really written.
func TestDocumentedExample(t *testing.T) {
	raw, err := os.ReadFile("../../docs/importing.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	block := func(language string) string { // the next one
		_, rest, ok := strings.Cut(page, "```"+language+"\n")
		text, rest, end := strings.Cut(rest, "```")
		if !ok || !end {
			t.Fatalf("there is no %s on the page", language)
		}
		page = rest
		return text
	}
	res, _ := mustImport(t, Source{"claims_triage.json", []byte(block("json"))})
	for _, i := range []int{1, 0} {
		if got, want := string(res.Files[i].Body), block("yaml"); got != want {
			t.Errorf("%s is\n%s", res.Files[i].Name, got)
		}
	}
	for line := range strings.Lines(block("text")) {
		if !strings.Contains(string(shown(res)), line) {
			t.Errorf("the report does not say %s\n%s", line, shown(res))
		}
	}
}
