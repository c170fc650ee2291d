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

// rooms are the packages with use cases, and guard, with the names that fields of them have elsewhere.
var rooms = map[string][]string{"../guard": {"guard", "Access"}, ".": nil, "../documents": {"Documents", "documents"},
	"../hindsight": {"Hindsight"}, "../trail": {"Audit"},
	"../rights": {"Rights"}, "../inventory": {"Inventory"}, "../automation": {"Automation"},
	"../deliverables": {"Deliverables"}, "../notice": {"Notices"}}

// deciders are the methods of guard that answer what a caller may do, and what guard itself asks. Lists ask as well:
// TestEveryListAsks.
var deciders = map[string][]string{
	"": {"guard.May", "guard.Workflow", "guard.Run", "guard.Approval", "guard.Deliverable", "guard.Scope", "guard.Rules",
		"guard.Decide", "guard.Deciding", "guard.Shows", "guard.MayGiveAccess"},
	"../guard": {"Rules", "allow", "Scope"},
}

// TestEveryUseCaseAsks: an exported method that is told who asks has to ask what
// they may do, itself or through another.
func TestEveryUseCaseAsks(t *testing.T) {
	calls, cases := map[string][]string{}, []string{}
	for dir, names := range rooms {
		for _, fn := range methods(t, dir) {
			if dir == "../guard" && fn.Name.Name == "Viewer" {
				continue // for what is shown and masked, which is another question
			}
			name := dir + "." + fn.Name.Name
			for _, call := range callsOf(fn) {
				calls[name] = append(calls[name], dir+"."+call)
			}
			for _, field := range names {
				for other := range rooms {
					calls[other+"."+field+"."+fn.Name.Name] = []string{name}
				}
			}
			if ast.IsExported(fn.Name.Name) && takesWho(fn) && !slices.Contains(exempt, fn.Name.Name) {
				cases = append(cases, name)
			}
		}
	}
	for dir := range rooms {
		for _, d := range deciders[dir] {
			calls[dir+"."+d] = []string{asks}
		}
		if dir != "../guard" {
			for _, d := range deciders[""] {
				calls[dir+"."+d] = []string{asks}
				calls[dir+"."+strings.Replace(d, "guard.", "Access.", 1)] = []string{asks}
			}
		}
	}
	if len(cases) < 80 {
		t.Errorf("only %d use cases were found", len(cases))
	}
	for _, name := range cases {
		if !reaches(calls, name, map[string]bool{}) {
			t.Errorf("%s is told who asks and does not ask what they may do", name)
		}
	}
}

// asks is what every use case has to reach.
const asks = "asks"

// TestEveryListAsks: whatever browse reads from the store, it reads within the scope of its viewer.
func TestEveryListAsks(t *testing.T) {
	reads := 0
	for _, file := range sources(t, "../browse") {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			read, scoped := false, false
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					scoped = scoped || s.Sel.Name == "Scope"
					inner, ok := s.X.(*ast.SelectorExpr)
					read = read || ok && inner.Sel.Name == "store"
				}
				return true
			})
			if read {
				reads++
			}
			if read && !scoped {
				t.Errorf("%s reads the store and does not limit it to the scope of its viewer", fn.Name.Name)
			}
		}
	}
	if reads < 5 {
		t.Errorf("only %d functions that read the store were found", reads)
	}
}

// exempt are methods that write down who was refused, and find out who asks.
var exempt = []string{"Refused", "RefusedCommand", "Refusing", "Subject", "Viewer", "WithStandIns"}

// TestEveryActionIsInTheTable: what use cases ask about is known, and what is known
// is asked about.
func TestEveryActionIsInTheTable(t *testing.T) {
	asked := map[string]bool{}
	for _, file := range slices.Concat(sources(t, "."), sources(t, "../guard"), sources(t, "../documents"),
		sources(t, "../hindsight"), sources(t, "../trail"), sources(t, "../rights"), sources(t, "../inventory"),
		sources(t, "../automation"), sources(t, "../deliverables"), sources(t, "../notice"),
		sources(t, "../browse"), sources(t, "../sight")) {
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

// sources parses the files of a package, without its tests.
func sources(t *testing.T, dir string) (out []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
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

// methods are those of the types of a package.
func methods(t *testing.T, dir string) (out []*ast.FuncDecl) {
	t.Helper()
	for _, file := range sources(t, dir) {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Body == nil {
				continue
			}
			if _, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
				out = append(out, fn)
			}
		}
	}
	return out
}

func takesWho(fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(fn.Type.Params.List, func(f *ast.Field) bool {
		of, ok := f.Type.(*ast.SelectorExpr)
		return named(f.Type, "Who") || ok && named(of.X, "guard") && of.Sel.Name == "Who"
	})
}

// callsOf are the methods that a method calls on its own receiver, and on fields of it.
func callsOf(fn *ast.FuncDecl) (out []string) {
	if len(fn.Recv.List[0].Names) == 0 {
		return nil
	}
	me := fn.Recv.List[0].Names[0].Name
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if of, ok := s.X.(*ast.SelectorExpr); ok && named(of.X, me) {
			out = append(out, of.Sel.Name+"."+s.Sel.Name)
		}
		if named(s.X, me) {
			out = append(out, s.Sel.Name)
		}
		return true
	})
	return out
}

func reaches(calls map[string][]string, name string, seen map[string]bool) bool {
	if name == asks {
		return true
	}
	if seen[name] {
		return false
	}
	seen[name] = true
	return slices.ContainsFunc(calls[name], func(next string) bool { return reaches(calls, next, seen) })
}
