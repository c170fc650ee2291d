package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// mutant is one small bug: at one place, one text instead of another.
type mutant struct {
	id     int
	file   *source
	line   int
	within string // the function
	kind   string
	before string
	after  string
	nth    int // of equal mutants in one function, from 1 on

	node       ast.Node
	code       string // after, as it is compiled
	resultType string // of a replaced expression
}

// name is the same as long as the code of the mutated place is.
func (m mutant) name() string {
	name := fmt.Sprintf("%s %s: %s => %s", m.file.name, m.within, m.before, m.after)
	if m.nth > 1 {
		name += fmt.Sprintf(" #%d", m.nth)
	}
	return name
}

func (m mutant) String() string { return fmt.Sprintf("%s (line %d)", m.name(), m.line) }

// planting matches the calls that ask whether a bug is planted (core/mutant). In an
// ordinary build the answer is always no, so a mutant there could not be noticed.
const planting = "mutant.Is("

// dropped is the text of a statement that is left out.
const dropped = "(left out)"

var replaced = map[token.Token][]token.Token{
	token.LSS:  {token.LEQ, token.GEQ},
	token.LEQ:  {token.LSS, token.GTR},
	token.GTR:  {token.GEQ, token.LEQ},
	token.GEQ:  {token.GTR, token.LSS},
	token.EQL:  {token.NEQ},
	token.NEQ:  {token.EQL},
	token.LAND: {token.LOR},
	token.LOR:  {token.LAND},
	token.ADD:  {token.SUB},
	token.SUB:  {token.ADD},
	token.MUL:  {token.QUO},
	token.QUO:  {token.MUL},
	token.REM:  {token.MUL},
}

type finder struct {
	*loaded
	file    *source
	within  string
	results *types.Tuple // of the innermost function
	found   []mutant
}

// find lists every mutant of the package, in the order of the files.
func (l *loaded) find() []mutant {
	f := &finder{loaded: l}
	planted := l.planted()
	for _, file := range l.files {
		f.file = file
		for _, decl := range file.tree.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && planted[l.info.Defs[fn.Name]] {
				continue
			} else if ok && fn.Body != nil {
				f.within, f.results = nameOf(fn), l.info.Defs[fn.Name].Type().(*types.Signature).Results()
				f.block(fn.Body)
			} else if !ok {
				f.within, f.results = "package", nil
				f.walk(decl)
			}
		}
	}
	seen := map[string]int{}
	for i := range f.found {
		m := &f.found[i]
		m.id = i + 1
		key := m.name()
		seen[key]++
		m.nth = seen[key]
	}
	return f.found
}

// planted are the functions that only planted bugs call: they are part of the bug.
func (l *loaded) planted() map[types.Object]bool {
	var within []ast.Node // code of planted bugs
	for _, file := range l.files {
		f := &finder{loaded: l, file: file}
		ast.Inspect(file.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IfStmt:
				if strings.HasPrefix(f.text(n.Cond), planting) {
					within = append(within, n.Body)
				}
			case *ast.CaseClause:
				if len(n.List) == 1 && strings.HasPrefix(f.text(n.List[0]), planting) {
					within = append(within, n)
				}
			}
			return true
		})
	}
	only, free := map[types.Object]bool{}, map[types.Object]bool{}
	for id, used := range l.info.Uses {
		fn, ok := used.(*types.Func)
		if !ok || fn.Pkg() != l.pkg || fn.Exported() {
			continue
		}
		inBug := slices.ContainsFunc(within, func(n ast.Node) bool { return n.Pos() <= id.Pos() && id.Pos() < n.End() })
		only[fn], free[fn] = true, free[fn] || !inBug
	}
	maps.DeleteFunc(only, func(fn types.Object, _ bool) bool { return free[fn] })
	return only
}

func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	if id, ok := receiver.(*ast.Ident); ok {
		return id.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}

func (f *finder) text(n ast.Node) string {
	return string(f.file.text[f.offset(n.Pos()):f.offset(n.End())])
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *finder) add(n ast.Node, kind, before, after, resultType string) {
	if strings.Contains(before, planting) {
		return
	}
	f.found = append(f.found, mutant{
		file: f.file, line: f.fset.Position(n.Pos()).Line, within: f.within, kind: kind,
		before: oneLine(before), after: oneLine(after), code: after, node: n, resultType: resultType,
	})
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// walk looks at expressions and statements below n.
func (f *finder) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			outer := f.results
			f.results = f.info.Types[n].Type.(*types.Signature).Results()
			f.block(n.Body)
			f.results = outer
			return false
		case *ast.BlockStmt:
			f.block(n)
			return false
		case *ast.CaseClause:
			if len(n.List) == 1 && strings.HasPrefix(f.text(n.List[0]), planting) {
				return false
			}
			for _, e := range n.List {
				f.walk(e)
			}
			f.statements(n.Body)
			return false
		case *ast.CommClause:
			f.statements(n.Body) // the cases of a select are not mutated
			return false
		case *ast.IfStmt:
			if strings.HasPrefix(f.text(n.Cond), planting) {
				if n.Else != nil {
					f.walk(n.Else)
				}
				return false
			}
			f.condition(n.Cond)
		case *ast.ForStmt:
			f.condition(n.Cond)
		case *ast.BinaryExpr:
			f.binary(n)
		}
		return true
	})
}

func (f *finder) block(b *ast.BlockStmt) { f.statements(b.List) }

// statements looks at a list of statements, where one can be left out.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if f.worthDropping(s) {
				f.add(s, "drop", f.text(s), dropped, "")
			}
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE && !blank(s.Lhs) {
				f.add(s, "drop", f.text(s), dropped, "")
			}
		case *ast.IncDecStmt:
			other := map[token.Token]string{token.INC: "--", token.DEC: "++"}[s.Tok]
			f.add(s, "step", f.text(s), f.text(s.X)+other, "")
		case *ast.ReturnStmt:
			f.returns(s)
		}
		f.walk(s)
	}
}

func blank(left []ast.Expr) bool {
	return !slices.ContainsFunc(left, func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return !ok || id.Name != "_"
	})
}

// unnoticeable are calls without which nothing changes that a test could see, or
// without which nothing ends.
var unnoticeable = []string{"panic", "Lock", "Unlock", "RLock", "RUnlock", "Exit", "Grow"}

func (f *finder) worthDropping(s *ast.ExprStmt) bool {
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return false // a receive
	}
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return !slices.Contains(unnoticeable, fun.Name)
	case *ast.SelectorExpr:
		if t := f.info.Types[fun.X].Type; t != nil && t.String() == "*log/slog.Logger" {
			return false // logs are for people
		}
		return !slices.Contains(unnoticeable, fun.Sel.Name)
	}
	return true
}

// returns plants flipped truths and refusals that are forgotten.
func (f *finder) returns(s *ast.ReturnStmt) {
	if f.results == nil || len(s.Results) != f.results.Len() {
		return
	}
	for i, e := range s.Results {
		instead := ""
		switch {
		case f.isConstBool(e, "true"):
			instead = "false"
		case f.isConstBool(e, "false"):
			instead = "true"
		case i == len(s.Results)-1 && isError(f.results.At(i).Type()) && f.refuses(e):
			instead = "nil"
		default:
			continue
		}
		var b strings.Builder
		for j, other := range s.Results {
			if j > 0 {
				b.WriteString(", ")
			}
			if i == j {
				b.WriteString(instead)
			} else {
				b.WriteString(f.text(other))
			}
		}
		f.add(s, "return", f.text(s), "return "+b.String(), "")
	}
}

func (f *finder) isConstBool(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name && f.info.Uses[id] == types.Universe.Lookup(name)
}

func isError(t types.Type) bool { return t == types.Universe.Lookup("error").Type() }

// refuses reports whether an expression makes an error, as opposed to passing one on.
func (f *finder) refuses(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		passes := slices.ContainsFunc(e.Args, func(a ast.Expr) bool {
			id, ok := a.(*ast.Ident)
			return ok && f.info.Types[a].Type != nil && isError(f.info.Types[a].Type) && !f.isPackageLevel(id)
		})
		return !passes
	case *ast.Ident:
		return f.isPackageLevel(e)
	case *ast.UnaryExpr, *ast.CompositeLit, *ast.SelectorExpr:
		return true
	}
	return false
}

func (f *finder) isPackageLevel(id *ast.Ident) bool {
	v, ok := f.info.Uses[id].(*types.Var)
	return ok && v.Parent() == f.pkg.Scope()
}

// condition negates what is not a comparison; those are mutated by themselves.
func (f *finder) condition(e ast.Expr) {
	if e == nil || f.plantsBug(e) {
		return
	}
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && replaced[b.Op] != nil {
		return
	}
	if f.boolean(e) {
		f.add(e, "negate", f.text(e), "!("+f.text(e)+")", "bool")
	}
}

func (f *finder) boolean(e ast.Expr) bool {
	tv := f.info.Types[e]
	if tv.Type == nil || tv.Value != nil {
		return false
	}
	basic, ok := tv.Type.(*types.Basic)
	return ok && basic.Info()&types.IsBoolean != 0
}

// plantsBug reports whether an expression asks for one of the bugs of core/mutant.
func (f *finder) plantsBug(e ast.Expr) bool {
	return strings.Contains(f.text(e), "mutant.Is(")
}

func (f *finder) binary(e *ast.BinaryExpr) {
	tv := f.info.Types[e]
	if tv.Type == nil || tv.Value != nil {
		return
	}
	result := "bool"
	if !f.boolean(e) {
		basic, ok := tv.Type.Underlying().(*types.Basic)
		if !ok || basic.Info()&types.IsNumeric == 0 || basic.Info()&types.IsUntyped != 0 {
			return
		}
		if result, ok = f.spell(tv.Type); !ok {
			return
		}
	}
	if (e.Op == token.LAND || e.Op == token.LOR) && f.plantsBug(e) {
		return
	}
	for _, op := range replaced[e.Op] {
		f.add(e, "operator", f.text(e), f.swapped(e, op), result)
	}
}

// swapped is the text of a binary expression with another operator.
func (f *finder) swapped(e *ast.BinaryExpr, op token.Token) string {
	left := string(f.file.text[f.offset(e.Pos()):f.offset(e.OpPos)])
	right := string(f.file.text[f.offset(e.OpPos)+len(e.Op.String()) : f.offset(e.End())])
	if op == token.LAND {
		return "(" + strings.TrimSpace(left) + ") && (" + strings.TrimSpace(right) + ")"
	}
	return left + op.String() + right
}

// spell writes a type as the file at hand would.
func (f *finder) spell(t types.Type) (string, bool) {
	ok := true
	text := types.TypeString(t, func(p *types.Package) string {
		if p == f.pkg {
			return ""
		}
		for _, spec := range f.file.tree.Imports {
			if strings.Trim(spec.Path.Value, `"`) == p.Path() && spec.Name == nil {
				return p.Name()
			}
		}
		ok = false
		return p.Name()
	})
	return text, ok
}
