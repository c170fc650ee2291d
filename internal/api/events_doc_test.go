package api

import (
	"os"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/api/contract"
)

// TestEventsPage: docs/events.md describes every type that streams send.
// Facts are generated into it; notices are written in the generator.
func TestEventsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range append([]string{"step.progress"}, contract.EventTypes...) {
		if !strings.Contains(string(page), "\n### `"+typ+"`\n") && !strings.Contains(string(page), "\n| `"+typ+"` |") {
			t.Errorf("docs/events.md does not describe %s: a fact is added by go test ./internal/core/decide -run "+
				"EventCatalogue -update-events, a notice in internal/core/decide/catalogue_page_test.go", typ)
		}
	}
}
