package decide_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/scenario"
)

// Scenarios are scripts in testdata/scenario that a product person can read: actions of people, agents and
// time, then a line ---- and the result. `go test ./internal/core/decide -run Scenarios -update` rewrites the
// results; review the diff before committing it.
var update = flag.Bool("update", false, "rewrite the expectations of the scenarios")

const scenarioDir = "testdata/scenario"

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(scenarioDir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			script, err := scenario.Read(string(raw))
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if err := script.Play(); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			if *update {
				if err := os.WriteFile(file, []byte(script.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, b := range script.Blocks {
				if b.Got != b.Want {
					t.Errorf("%s:%d: %s\nwant:\n%s\ngot:\n%s", file, b.Line, b.Command[0], indent(b.Want), indent(b.Got))
				}
			}
		})
	}
}

func indent(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }
