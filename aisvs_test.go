package assent_test

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAISVS: every test, scenario and check that docs/aisvs.md names exists.
func TestAISVS(t *testing.T) {
	page, err := os.ReadFile("docs/aisvs.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := declaredTests(t)
	checks, err := os.ReadFile("internal/cli/verify_checks.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 6 || !regexp.MustCompile(`^\| \d`).MatchString(line) {
			continue
		}
		rows++
		proof := regexp.MustCompile("`(Test\\w+)`(?: \\(([^)]*)\\))?").FindAllStringSubmatch(cells[4], -1)
		if (len(proof) == 0) != (cells[2] == "yours") {
			t.Errorf("%s is %s, with %d tests", cells[0], cells[2], len(proof))
		}
		for _, m := range proof {
			if len(tests[m[1]]) == 0 {
				t.Errorf("%s: there is no %s", cells[0], m[1])
			}
			for _, script := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(m[2], -1) {
				found, _ := filepath.Glob("internal/core/decide/testdata/scenario/" + script[1] + ".txt")
				more, _ := filepath.Glob("e2e/testdata/adversary/" + script[1] + ".txt")
				if len(found)+len(more) == 0 {
					t.Errorf("%s: there is no script %s", cells[0], script[1])
				}
			}
		}
		for _, m := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(cells[5], -1) {
			if !strings.Contains(string(checks), `"`+m[1]+`"`) {
				t.Errorf("%s: assent verify has no check %s", cells[0], m[1])
			}
		}
	}
	if rows < 40 {
		t.Errorf("only %d rows were read", rows)
	}
}

// declaredTests are the directories in which each test is.
func declaredTests(t *testing.T) map[string][]string {
	t.Helper()
	tests := map[string][]string{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			tests[string(m[1])] = append(tests[string(m[1])], filepath.Base(filepath.Dir(path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

// TestHolesTable: docs/testing.md names existing tests for every hole that was closed, and for every planted bug.
func TestHolesTable(t *testing.T) {
	page, err := os.ReadFile("docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(page), "\n## Holes that were closed\n")
	part, _, _ = strings.Cut(part, "\n## ")
	tests, rows := declaredTests(t), 0
	for line := range strings.Lines(part) {
		cells := strings.Split(strings.Trim(line, "|\n "), " | ")
		if len(cells) < 2 || cells[len(cells)-1] == "test" {
			continue
		}
		rows++
		named := regexp.MustCompile("`(?:(\\w+)\\.)?(Test\\w+)`").FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(named) == 0 && cells[0] != "H-8" {
			t.Errorf("%s has no test", cells[0])
		}
		for _, m := range named {
			if in := cmp.Or(m[1], "e2e"); !slices.Contains(tests[m[2]], in) {
				t.Errorf("%s: there is no %s in %s", cells[0], m[2], in)
			}
		}
	}
	if rows != 14+10 {
		t.Errorf("%d rows", rows)
	}
}
