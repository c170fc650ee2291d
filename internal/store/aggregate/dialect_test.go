package aggregate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// foreign are SQL words that only one of the two databases supports, or that each interprets differently.
var foreign = regexp.MustCompile(`(?i)::|\$\d|\bINDEXED BY\b|\bunnest\b|\bANY\s*\(|\bjson_each\b|\bgreatest\b` +
	`|\bFOR UPDATE\b|\bDISTINCT ON\b|\browid\b|\bpragma\b|\bILIKE\b|\bRETURNING\b|\b(true|false)\b`)

// TestSQLIsPlain: differences between the databases belong in a Dialect, a DB or a Tx, where they have a
// name.
func TestSQLIsPlain(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if !ok || text.Kind != token.STRING || !strings.HasPrefix(text.Value, "`") {
				return true
			}
			looked++
			if found := foreign.FindString(text.Value); found != "" {
				t.Errorf("%s: %q is not the same in both databases", set.Position(text.Pos()), found)
			}
			return true
		})
	}
	if looked < 60 {
		t.Errorf("only %d texts were found", looked)
	}
}
