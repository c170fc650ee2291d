package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// TestACallKeepsItsContext: whatever was given a call as its context may ask it
// from another goroutine, also after it returned (database/sql does), so that
// setting the context anew would tear it apart under somebody's hands.
func TestACallKeepsItsContext(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	set := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		places := token.NewFileSet()
		file, err := parser.ParseFile(places, f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				assign, ok := n.(*ast.AssignStmt)
				if !ok {
					return true
				}
				for _, to := range assign.Lhs {
					if sel, ok := to.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Context" {
						continue
					}
					if set++; fn.Name.Name != "begin" {
						t.Errorf("%s sets the context of a call that is under way", places.Position(assign.Pos()))
					}
				}
				return true
			})
		}
	}
	if set != 1 {
		t.Errorf("the context is set %d times, not once", set)
	}
}
