package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// once are functions that had several implementations, by the package that has the only one. Others of that name set
// an argument and call it.
var once = map[string]string{"clip": "core/phrase", "shorten": "core/phrase", "goodName": "directory"}

// TestWrittenOnce: text is shortened, and names are checked, in one place.
func TestWrittenOnce(t *testing.T) {
	found := 0
	sources(t, func(name string, source []byte) {
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(name)), "internal/")
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || once[fn.Name.Name] == "" || once[fn.Name.Name] == dir {
				continue
			}
			found++
			if !delegates(fn, filepath.Base(once[fn.Name.Name])) {
				t.Errorf("%s: %s does the work of package %s: call that, or give it a name that says what differs", name,
					fn.Name.Name, once[fn.Name.Name])
			}
		}
	})
	if found < 4 {
		t.Errorf("only %d functions were found", found)
	}
}

// delegates reports whether a function only returns the result of a function of another package.
func delegates(fn *ast.FuncDecl, to string) bool {
	if fn.Body == nil || len(fn.Body.List) != 1 {
		return false
	}
	ret, ok := fn.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	call, ok := ret.Results[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from, ok := s.X.(*ast.Ident)
	return ok && from.Name == to && slices.ContainsFunc([]string{"Clip", "Good"}, func(prefix string) bool {
		return strings.HasPrefix(s.Sel.Name, prefix)
	})
}
