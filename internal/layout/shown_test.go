package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWhatIsShownExists: every test that the security notes name is there.
func TestWhatIsShownExists(t *testing.T) {
	notes, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	there := tests(t, "../..")
	named := regexp.MustCompile("`(?:([a-z]+)\\.)?((?:Test|Fuzz)[A-Z]\\w*)`").FindAllStringSubmatch(string(notes), -1)
	if len(named) < 40 || len(there) < 500 {
		t.Fatalf("only %d of %d tests are named", len(named), len(there))
	}
	for _, n := range named {
		if packages := there[n[2]]; packages == "" || n[1] != "" && !strings.Contains(packages, " "+n[1]+" ") {
			t.Errorf("%s is named in the security notes; such a test is in the packages %q", n[0], packages)
		}
	}
}

// tests finds the packages of all tests below a folder.
func tests(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				out[f.Name.Name] += " " + strings.TrimSuffix(file.Name.Name, "_test") + " "
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
