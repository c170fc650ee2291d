package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// source is one file of the package under test.
type source struct {
	name string // slash-separated, from the module's root
	path string
	text []byte
	tree *ast.File
}

// loaded is a package with its types, without its tests.
type loaded struct {
	dir   string
	fset  *token.FileSet
	files []*source
	pkg   *types.Package
	info  *types.Info
}

type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// load reads and checks the package in dir. Its imports come compiled from go list.
func load(ctx context.Context, dir string) (*loaded, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./"+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	exports := map[string]string{}
	var last listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read what go list printed: %w", err)
		}
		exports[p.ImportPath] = p.Export
		last = p // dependencies come first
	}
	l := &loaded{dir: dir, fset: token.NewFileSet(), info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}}
	var trees []*ast.File
	for _, name := range last.GoFiles {
		path := filepath.Join(last.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		tree, err := parser.ParseFile(l.fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		l.files = append(l.files, &source{name: dir + "/" + name, path: path, text: text, tree: tree})
		trees = append(trees, tree)
	}
	config := types.Config{Importer: importer.ForCompiler(l.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	l.pkg, err = config.Check(last.ImportPath, l.fset, trees, l.info)
	return l, err
}
