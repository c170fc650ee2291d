//go:build mutant

package decide_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-run/assent/internal/core/mutant"
)

// elsewhere lists bugs of hosts, stores and the policy, which no script about the state machine detects, and of
// searches whose results are harmless or incomplete, which scripts cannot express. The simulator's auditor
// catches them.
var elsewhere = map[mutant.Bug]bool{
	mutant.StaleAppend: true, mutant.SnapshotIncomplete: true, mutant.HoursIgnored: true,
	mutant.MissingIsFalse: true, mutant.RolloutIgnored: true, mutant.UsesIgnored: true, mutant.CallUnbound: true,
	mutant.ReplanUnasked: true, mutant.ReplanUnset: true,
}

// TestScenariosCatchMutants plants one bug at a time; at least one scenario has to fail.
func TestScenariosCatchMutants(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(scenarioDir, "*.txt"))
	for _, bug := range mutant.All {
		t.Run(string(bug), func(t *testing.T) {
			if elsewhere[bug] {
				t.Skip("not a bug of the state machine")
			}
			mutant.Active = bug
			defer func() { mutant.Active = "" }()
			caught := ""
			for _, file := range files {
				if why := notices(file); why != "" {
					caught = why
					break
				}
			}
			if caught == "" {
				t.Error("no scenario notices")
			}
			t.Log(caught)
		})
	}
}

// notices returns the line of a script at which a planted bug shows.
func notices(file string) (why string) {
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprintf("%s: panic: %v", file, p)
		}
	}()
	raw, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	s, err := readScript(string(raw))
	if err != nil {
		return ""
	}
	if err := s.play(); err != nil {
		return fmt.Sprintf("%s: %.200s", file, err.Error())
	}
	for _, b := range s.blocks {
		if b.got != b.want {
			return fmt.Sprintf("%s:%d: %s", file, b.line, b.command[0])
		}
	}
	return ""
}
