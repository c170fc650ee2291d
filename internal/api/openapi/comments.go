package openapi

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
)

// Comments finds the comments of struct fields in the source code of a module. They describe the members of the API:
// the first paragraph above a field, or the comment after it.
type Comments struct {
	module   string                       // its import path
	root     string                       // its folder
	packages map[string]map[string]string // by import path: comments by Type.Field
}

// NewComments reads the source code of the module with an import path, in the folder root.
func NewComments(module, root string) *Comments {
	return &Comments{module, root, map[string]map[string]string{}}
}

// Of is the comment of a field of a struct, or of one that the struct promotes.
func (c *Comments) Of(t reflect.Type, f reflect.StructField) string {
	for _, i := range f.Index[:len(f.Index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	name, _, _ := strings.Cut(t.Name(), "[") // List[T] is declared as List
	return c.in(t.PkgPath())[name+"."+f.Name]
}

// in reads a package once.
func (c *Comments) in(path string) map[string]string {
	if found, ok := c.packages[path]; ok {
		return found
	}
	found := map[string]string{}
	c.packages[path] = found
	names, err := filepath.Glob(filepath.Join(c.root, strings.TrimPrefix(path, c.module), "*.go"))
	if err != nil {
		panic(err) // the pattern is valid
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			panic(err) // found by the first test
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if ok {
				fieldComments(spec, found)
			}
			return !ok
		})
	}
	return found
}

func fieldComments(spec *ast.TypeSpec, into map[string]string) {
	of, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range of.Fields.List {
		first, _, _ := strings.Cut(cmp.Or(f.Doc.Text(), f.Comment.Text()), "\n\n")
		for _, name := range f.Names {
			into[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(first), " ")
		}
	}
}
