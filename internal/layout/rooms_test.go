package layout

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	linesMax   = 5_000 // of a package, without its tests
	methodsMax = 8     // of an interface; larger ones are composed of those by name
)

// large are packages that may have more lines than others, and why.
var large = map[string]string{
	"internal/cli": "one file per command",
}

// TestRoomsAreSmall: a package that grows beyond what can be read in one go is divided.
func TestRoomsAreSmall(t *testing.T) {
	lines := map[string]int{}
	sources(t, func(name string, source []byte) {
		lines[filepath.ToSlash(filepath.Dir(name))] += bytes.Count(source, []byte("\n"))
	})
	if len(lines) < 40 {
		t.Fatalf("only %d packages were found", len(lines))
	}
	for dir, n := range lines {
		if n > linesMax && large[dir] == "" {
			t.Errorf("%s has %d lines, more than %d: divide it", dir, n, linesMax)
		}
	}
	for dir := range large {
		if lines[dir] <= linesMax {
			t.Errorf("%s has only %d lines: it needs no exception", dir, lines[dir])
		}
	}
}

// TestInterfacesAreSmall: a package declares the methods that it calls, and larger
// interfaces are composed by name. Embedded interfaces do not count: each is declared,
// limited and replaced in tests on its own, so that store.Store may have all of them.
func TestInterfacesAreSmall(t *testing.T) {
	found := 0
	sources(t, func(name string, source []byte) {
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			face, ok := spec.Type.(*ast.InterfaceType)
			if !ok {
				return true
			}
			found++
			methods := 0
			for _, m := range face.Methods.List {
				methods += len(m.Names) // an embedded interface has none
			}
			if methods > methodsMax {
				t.Errorf("%s: %s has %d methods, more than %d", name, spec.Name.Name, methods, methodsMax)
			}
			return true
		})
	})
	if found < 40 {
		t.Errorf("only %d interfaces were found", found)
	}
}

// sources reads every Go file of the product that is not a test.
func sources(t *testing.T, read func(name string, source []byte)) {
	t.Helper()
	goFiles(t, func(name string, source []byte) {
		if !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "bench"+string(filepath.Separator)) {
			read(name, source)
		}
	})
}

// goFiles reads every Go file.
func goFiles(t *testing.T, read func(name string, source []byte)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel("../..", path)
		read(name, source)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
