package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/access"
)

// deciders are the methods behind which the one decision function is.
var deciders = []string{"may", "allow", "scope", "rules"}

// TestEveryUseCaseAsks: an exported method that is told who asks has to ask what
// they may do, itself or through another.
func TestEveryUseCaseAsks(t *testing.T) {
	calls, cases := map[string][]string{}, []string{}
	for _, fn := range methods(t, "masking") { // what is masked is another question
		calls[fn.Name.Name] = callsOf(fn)
		if ast.IsExported(fn.Name.Name) && takesWho(fn) && !slices.Contains(exempt, fn.Name.Name) {
			cases = append(cases, fn.Name.Name)
		}
	}
	if len(cases) < 40 {
		t.Errorf("only %d use cases were found", len(cases))
	}
	for _, name := range cases {
		if !reaches(calls, name, map[string]bool{}) {
			t.Errorf("%s is told who asks and does not ask what they may do", name)
		}
	}
}

// exempt are methods that write down who was refused, and find out who asks.
var exempt = []string{"Refused", "RefusedCommand", "WithStandIns"}

// TestEveryActionIsInTheTable: what use cases ask about is known, and what is known
// is asked about.
func TestEveryActionIsInTheTable(t *testing.T) {
	asked := map[string]bool{}
	for _, file := range sources(t, " ") {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
				if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Action" && named(s.X, "access") {
					t.Errorf("an action is made of a text: use one of the table")
				}
			}
			if s, ok := n.(*ast.SelectorExpr); ok && named(s.X, "access") {
				asked[s.Sel.Name] = true
			}
			return true
		})
	}
	constants := actions(t)
	for name, action := range constants {
		if !slices.ContainsFunc(access.Table, func(r access.Row) bool { return string(r.Action) == action }) {
			t.Errorf("access.%s is not in the table", name)
		}
		if !asked[name] {
			t.Errorf("no use case asks about access.%s", name)
		}
	}
	if len(constants) < 15 {
		t.Errorf("%v", slices.Sorted(maps.Keys(constants)))
	}
}

// actions are the constants of the type Action, by name.
func actions(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../access/table.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && v.Type != nil && named(v.Type, "Action") {
			out[v.Names[0].Name] = strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`)
		}
		return true
	})
	return out
}

func named(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func sources(t *testing.T, but string) (out []*ast.File) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, but) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, file)
	}
	return out
}

// methods are those of *App, but for those in files whose names begin otherwise.
func methods(t *testing.T, but string) (out []*ast.FuncDecl) {
	t.Helper()
	for _, file := range sources(t, but) {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Body == nil {
				continue
			}
			if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok && named(star.X, "App") {
				out = append(out, fn)
			}
		}
	}
	return out
}

func takesWho(fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(fn.Type.Params.List, func(f *ast.Field) bool { return named(f.Type, "Who") })
}

// callsOf are the methods that a method calls on its own receiver.
func callsOf(fn *ast.FuncDecl) (out []string) {
	if len(fn.Recv.List[0].Names) == 0 {
		return nil
	}
	me := fn.Recv.List[0].Names[0].Name
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && named(s.X, me) {
			out = append(out, s.Sel.Name)
		}
		return true
	})
	return out
}

func reaches(calls map[string][]string, name string, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	return slices.ContainsFunc(calls[name], func(next string) bool {
		return slices.Contains(deciders, next) || reaches(calls, next, seen)
	})
}
