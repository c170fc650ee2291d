package layout

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNamedCommandsExist: the pages for developers name make targets, npm scripts,
// packages and tests that are there.
func TestNamedCommandsExist(t *testing.T) {
	root := "../.."
	targets := regexp.MustCompile(`(?m)^([a-z0-9]+):`).FindAllStringSubmatch(read(t, filepath.Join(root, "Makefile")), -1)
	known := map[string]bool{}
	for _, m := range targets {
		known["make "+m[1]] = true
	}
	var web struct{ Scripts map[string]string }
	if err := json.Unmarshal([]byte(read(t, filepath.Join(root, "web/package.json"))), &web); err != nil {
		t.Fatal(err)
	}
	for name := range web.Scripts {
		known["npm run "+name] = true
	}
	there := tests(t, root)
	seen := 0
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "docs/testing.md", "docs/performance.md",
		"web/e2e/README.md", "web/src/README.md"} {
		for _, code := range codeIn(read(t, filepath.Join(root, page))) {
			for _, m := range regexp.MustCompile(`\bmake [a-z0-9]+|\bnpm run (?:--silent )?[a-z0-9:]+`).FindAllString(code, -1) {
				if seen++; !known[strings.Replace(m, "--silent ", "", 1)] {
					t.Errorf("%s names %q, which does not exist", page, m)
				}
			}
			if !strings.Contains(code, "go test") {
				continue
			}
			for _, m := range regexp.MustCompile(`\./[a-z][a-z0-9_/]*`).FindAllString(code, -1) {
				if _, err := os.Stat(filepath.Join(root, m)); err != nil {
					t.Errorf("%s names the package %s, which does not exist", page, m)
				}
			}
			for _, m := range regexp.MustCompile(`-run '?((?:Test|Fuzz)\w+)`).FindAllStringSubmatch(code, -1) {
				if seen++; !someHasPrefix(there, m[1]) {
					t.Errorf("%s names the test %s, which does not exist", page, m[1])
				}
			}
		}
	}
	for _, code := range codeIn(read(t, filepath.Join(root, "CONTRIBUTING.md"))) {
		checkRecipe(t, root, code)
	}
	if seen < 30 {
		t.Errorf("only %d commands were found", seen)
	}
}

// checkRecipe reports a benchmark or a story that a command would not find.
func checkRecipe(t *testing.T, root, code string) {
	t.Helper()
	if m := regexp.MustCompile(`go test \./(\S+) .*-bench '?([^'/ ]+)`).FindStringSubmatch(code); m != nil {
		found, wanted := false, regexp.MustCompile(m[2])
		files, _ := filepath.Glob(filepath.Join(root, m[1], "*_test.go")) // the pattern is valid
		for _, file := range files {
			for _, f := range regexp.MustCompile(`(?m)^func Benchmark(\w+)\(`).FindAllStringSubmatch(read(t, file), -1) {
				found = found || wanted.MatchString("Benchmark"+f[1])
			}
		}
		if !found {
			t.Errorf("%s selects no benchmark", code)
		}
	}
	if m := regexp.MustCompile(`npm run e2e -- (\S+) -t "([^"]+)"`).FindStringSubmatch(code); m != nil {
		stories := read(t, filepath.Join(root, "web/e2e", m[1]+".e2e.ts"))
		if !regexp.MustCompile(`story\(\s*"[^"]*` + regexp.QuoteMeta(m[2])).MatchString(stories) {
			t.Errorf("%s selects no story", code)
		}
	}
}

// TestRacingTestsExist: a test that was renamed, or moved to another package, would no
// longer be looked at by the race detector, and nothing would say so.
func TestRacingTestsExist(t *testing.T) {
	makefile := read(t, "../../Makefile")
	names := regexp.MustCompile(`(?m)^RACING := (.*)$`).FindStringSubmatch(makefile)
	packages := regexp.MustCompile(`(?m)^RACED  := (.*)$`).FindStringSubmatch(makefile)
	if names == nil || packages == nil {
		t.Fatal("the Makefile has no line RACING or RACED")
	}
	there := map[string]string{}
	for pkg := range strings.FieldsSeq(packages[1]) {
		files, err := filepath.Glob(filepath.Join("../..", pkg, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("RACED names %s, where no test is: %v", pkg, err)
		}
		for _, file := range files {
			for _, f := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(read(t, file), -1) {
				there[f[1]] = pkg
			}
		}
	}
	for name := range strings.SplitSeq(names[1], "|") {
		if !someHasPrefix(there, name) {
			t.Errorf("the Makefile names the test %s, which is in none of the packages of RACED", name)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// codeIn lists the blocks and spans of code of a page.
func codeIn(page string) (code []string) {
	for i, part := range strings.Split(page, "```") {
		if i%2 == 1 {
			code = append(code, part)
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(part, -1) {
			code = append(code, m[1])
		}
	}
	return code
}

func someHasPrefix(there map[string]string, prefix string) bool {
	for name := range there {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
