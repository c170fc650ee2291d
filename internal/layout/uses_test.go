package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pkg is what TestStoresAreUsed has to know of a package.
type pkg struct {
	faces   map[string]*ast.InterfaceType
	imports map[string]string // folders of our own packages, by their name in the files
	called  map[string]bool   // names that are selected anywhere: methods that are called or passed on
	ports   map[string]bool   // names of port that are types of fields
}

// TestStoresAreUsed: no package declares more of a store than it uses. Each method of an interface Store is called in
// the package itself, or asked for by a package that it imports and passes its store to: in an interface of its own, or
// as one of port's.
func TestStoresAreUsed(t *testing.T) {
	packages := map[string]*pkg{}
	sources(t, func(name string, source []byte) {
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.ToSlash(filepath.Dir(name))
		if packages[dir] == nil {
			packages[dir] = &pkg{faces: map[string]*ast.InterfaceType{}, imports: map[string]string{},
				called: map[string]bool{}, ports: map[string]bool{}}
		}
		packages[dir].add(file)
	})
	checked := 0
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		p := packages[dir]
		if p.faces["Store"] == nil || strings.HasPrefix(dir, "internal/store") || strings.HasSuffix(dir, "test") {
			continue // those are whole stores, and suites for them
		}
		checked++
		used := maps.Clone(p.called)
		for _, imported := range p.imports {
			if imported == "internal/port" || packages[imported] == nil {
				continue
			}
			for name := range packages[imported].faces {
				maps.Copy(used, methodsOf(packages, imported, name))
			}
			for name := range packages[imported].ports {
				maps.Copy(used, methodsOf(packages, "internal/port", name))
			}
		}
		for _, method := range slices.Sorted(maps.Keys(methodsOf(packages, dir, "Store"))) {
			if !used[method] {
				t.Errorf("%s.Store has the method %s, which the package does not use: declare what it calls", dir, method)
			}
		}
	}
	if checked < 12 {
		t.Errorf("only %d packages declare a Store", checked)
	}
}

// add reads one file.
func (p *pkg) add(file *ast.File) {
	for _, spec := range file.Imports {
		path, ok := own(strings.Trim(spec.Path.Value, `"`))
		if !ok {
			continue
		}
		name := filepath.Base(path)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		p.imports[name] = path
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if face, ok := n.Type.(*ast.InterfaceType); ok {
				p.faces[n.Name.Name] = face
				return false // its methods are declared there, not called
			}
		case *ast.Field:
			if s, ok := n.Type.(*ast.SelectorExpr); ok {
				if from, ok := s.X.(*ast.Ident); ok && from.Name == "port" {
					p.ports[s.Sel.Name] = true
				}
			}
		case *ast.SelectorExpr:
			p.called[n.Sel.Name] = true
		}
		return true
	})
}

// methodsOf are the methods of an interface, with those of embedded ones.
func methodsOf(packages map[string]*pkg, dir, name string) map[string]bool {
	out := map[string]bool{}
	p := packages[dir]
	if p == nil || p.faces[name] == nil {
		return out
	}
	for _, field := range p.faces[name].Methods.List {
		for _, method := range field.Names {
			out[method.Name] = true
		}
		switch embedded := field.Type.(type) {
		case *ast.Ident:
			maps.Copy(out, methodsOf(packages, dir, embedded.Name))
		case *ast.SelectorExpr:
			if from, ok := embedded.X.(*ast.Ident); ok {
				maps.Copy(out, methodsOf(packages, p.imports[from.Name], embedded.Sel.Name))
			}
		}
	}
	return out
}
