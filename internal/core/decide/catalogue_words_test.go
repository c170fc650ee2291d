package decide_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strconv"
	"strings"
	"testing"
)

// words is the documentation of types in the source.
type words struct {
	docs   map[string]string   // "run.StepFailed" or "run.StepFailed.Error" → its comment
	groups map[string]string   // "run.StepFailed" → the comment of the block of types
	values map[string][]string // "gate.Act" → its constants
	types  map[string]string   // "StepFailed" → "step.failed"
	order  []string            // types in declaration order
}

// readWords parses the packages in the given directories.
func readWords(t *testing.T, dirs ...string) *words {
	t.Helper()
	w := &words{docs: map[string]string{}, groups: map[string]string{}, values: map[string][]string{},
		types: map[string]string{}}
	for _, dir := range dirs {
		packages, err := parser.ParseDir(token.NewFileSet(), dir,
			func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range packages {
			for _, file := range p.Files {
				for _, decl := range file.Decls {
					w.read(name, decl)
				}
			}
		}
	}
	return w
}

func (w *words) read(pkg string, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		w.readType(d)
	case *ast.GenDecl:
		typ := ""
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				w.readStruct(pkg, d, s)
			case *ast.ValueSpec:
				if id, ok := s.Type.(*ast.Ident); ok {
					typ = id.Name
				}
				w.readConstant(pkg+"."+typ, d.Tok, s)
			}
		}
	}
}

// readType reads the dotted name from a fact's Type method.
func (w *words) readType(f *ast.FuncDecl) {
	if f.Name.Name != "Type" || f.Recv == nil || len(f.Body.List) != 1 {
		return
	}
	star, ok := f.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return
	}
	ret, ok := f.Body.List[0].(*ast.ReturnStmt)
	if !ok {
		return
	}
	if lit, ok := ret.Results[0].(*ast.BasicLit); ok {
		w.types[star.X.(*ast.Ident).Name], _ = strconv.Unquote(lit.Value)
	}
}

func (w *words) readStruct(pkg string, d *ast.GenDecl, s *ast.TypeSpec) {
	key := pkg + "." + s.Name.Name
	doc := s.Doc
	if doc == nil && !d.Lparen.IsValid() {
		doc = d.Doc
	}
	w.docs[key] = comment(doc)
	if d.Lparen.IsValid() {
		w.groups[key] = comment(d.Doc)
	}
	if pkg == "run" {
		w.order = append(w.order, s.Name.Name)
	}
	st, ok := s.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range st.Fields.List {
		text := comment(f.Doc)
		if text == "" {
			text = comment(f.Comment)
		}
		for _, n := range f.Names {
			w.docs[key+"."+n.Name] = text
		}
	}
}

func (w *words) readConstant(typ string, tok token.Token, s *ast.ValueSpec) {
	if tok != token.CONST || len(s.Values) != 1 {
		return
	}
	if lit, ok := s.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
		if v, err := strconv.Unquote(lit.Value); err == nil && v != "" {
			w.values[typ] = append(w.values[typ], v)
		}
	}
}

func comment(c *ast.CommentGroup) string {
	return strings.Join(strings.Fields(c.Text()), " ")
}
