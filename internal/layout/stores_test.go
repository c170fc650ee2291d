package layout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// sharedMax limits the lines that the two SQL stores have in common; see decision 36.
const sharedMax = 300

// TestStoresShareFewLines: what both SQL stores do alike is in store/aggregate, not in
// both of them.
func TestStoresShareFewLines(t *testing.T) {
	shared, pairs := 0, 0
	sources(t, func(name string, source []byte) {
		if filepath.Dir(name) != filepath.Join("internal", "store", "sqlite") {
			return
		}
		other, err := os.ReadFile(filepath.Join("..", "store", "postgres", filepath.Base(name)))
		if err != nil {
			return // of SQLite alone
		}
		pairs++
		shared += inCommon(statements(source), statements(other))
	})
	if pairs < 20 {
		t.Fatalf("only %d files have the same name in both stores", pairs)
	}
	if shared > sharedMax {
		t.Errorf("%d lines are the same in both stores, more than %d: move what they have in common to store/aggregate",
			shared, sharedMax)
	}
	t.Logf("%d lines are the same", shared)
}

// statements are the lines of a file without imports, comments and lone brackets.
func statements(source []byte) (out []string) {
	imports := false
	for line := range strings.Lines(string(source)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "import (":
			imports = true
		case imports:
			imports = line != ")"
		case strings.HasPrefix(line, "//") || strings.HasPrefix(line, "package "):
		case strings.ContainsFunc(line, unicode.IsLetter):
			out = append(out, line)
		}
	}
	return out
}

// inCommon is the number of lines that two files have in common, in order.
func inCommon(a, b []string) int {
	last := make([]int, len(b)+1)
	for _, x := range a {
		row := make([]int, len(b)+1)
		for j, y := range b {
			if row[j+1] = max(last[j+1], row[j]); x == y {
				row[j+1] = last[j] + 1
			}
		}
		last = row
	}
	return last[len(b)]
}
