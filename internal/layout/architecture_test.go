package layout

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArchitectureNamesPackages: docs/architecture.md has a place for every package.
// Packages of the core and helpers of tests may be named without their folder.
func TestArchitectureNamesPackages(t *testing.T) {
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(architecture(t), -1) {
		for _, name := range braces(strings.TrimSuffix(m[1], "/")) {
			named[name] = true
		}
	}
	packages := map[string]bool{}
	goFiles(t, func(name string, _ []byte) { packages[filepath.ToSlash(filepath.Dir(name))] = true })
	if len(packages) < 100 {
		t.Fatalf("only %d packages were found", len(packages))
	}
	for dir := range packages {
		path := strings.TrimPrefix(dir, "internal/")
		base := filepath.Base(dir)
		short := strings.HasPrefix(path, "core/") || strings.HasSuffix(base, "test") || strings.Contains(path, "test/")
		if strings.HasPrefix(path, "bench/peers/") || strings.HasPrefix(path, "temporal/devserver/") {
			continue
		}
		if dir != "." && !named[path] && (!short || !named[base]) {
			t.Errorf("docs/architecture.md does not name %s", path)
		}
	}
}

// TestArchitectureListsCoreInOrder: the table of the core follows the order of imports.
func TestArchitectureListsCoreInOrder(t *testing.T) {
	_, table, found := strings.Cut(architecture(t), "## The core, package by package")
	table, _, ended := strings.Cut(table, "\n## ")
	if !found || !ended {
		t.Fatal("the table of the core was not found")
	}
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|").FindAllStringSubmatch(table, -1) {
		listed = append(listed, m[1])
	}
	if !slices.Equal(listed, coreOrder) {
		t.Errorf("the table lists %v, imports follow %v", listed, coreOrder)
	}
}

// layers returns the line of each package in the diagram.
func layers(t *testing.T) map[string]int {
	t.Helper()
	_, drawing, found := strings.Cut(architecture(t), "lines below its own")
	parts := strings.SplitN(drawing, "```", 3)
	if !found || len(parts) < 3 {
		t.Fatal("the diagram was not found")
	}
	drawn := map[string]int{}
	for i, line := range strings.Split(parts[1], "\n") {
		for name := range strings.FieldsSeq(line) {
			drawn[name] = i
		}
	}
	return drawn
}

func architecture(t *testing.T) string {
	t.Helper()
	return read(t, "../../docs/architecture.md")
}

// braces expands the first pair of braces: a/{b,c} stands for a/b and a/c.
func braces(name string) []string {
	before, rest, found := strings.Cut(name, "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !found || !closed {
		return []string{name}
	}
	var all []string
	for part := range strings.SplitSeq(inside, ",") {
		all = append(all, before+strings.TrimSpace(part)+after)
	}
	return all
}
