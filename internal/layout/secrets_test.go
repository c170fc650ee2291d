package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// doors are the packages that compare data from callers with secrets.
// Those of the audit log compare hashes that its verifier already has.
var doors = []string{"../api", "../auth", "../cli", "../cli/client", "../cli/host", "../mcpserver", "../seal",
	"../outbound", "../assembly"}

// secretive are names of what only its holder knows, or what stands for it.
var secretive = regexp.MustCompile(`(?i)(secret|token|passw|proof|nonce|csrf|signature|\bmac\b|hmac|hash|digest|verifier|console|challenge|^state$)`)

// harmless are comparisons of such names that tell an attacker nothing.
var harmless = map[string]string{
	"api/limit.go c.how.Method == port.ByConsole":   "a word for a way in",
	"api/who.go i.Method == port.ByToken":           "a word for a way in",
	"api/tokens.go c.how.Method != port.ByConsole":  "a word for a way in",
	"auth/session.go who.Method != port.ByPassword": "a word for a way in",
}

// TestSecretsAreComparedInConstantTime: how long a comparison takes must not tell
// how much of a guess is right. Comparing with a constant tells only what a
// program of ours says anyway.
func TestSecretsAreComparedInConstantTime(t *testing.T) {
	used, right := map[string]bool{}, 0
	for _, dir := range doors {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			found, safe := compared(t, name, nil)
			right += safe
			for _, c := range found {
				key := filepath.ToSlash(strings.TrimPrefix(name, "../")) + " " + c
				if used[key] = true; harmless[key] == "" {
					t.Errorf("%s: compare it with crypto/subtle or hmac.Equal, or say in harmless why it tells nothing", key)
				}
			}
		}
	}
	for key := range harmless {
		if !used[key] {
			t.Errorf("%s is excused, and not there any more", key)
		}
	}
	if right < 6 {
		t.Errorf("only %d comparisons take the same time whatever is compared", right)
	}
}

// TestCompared shows that such comparisons are found.
func TestCompared(t *testing.T) {
	for expression, want := range map[string]int{
		`given == secret`: 1, `t.Hash != digest(x)`: 1, `bytes.Equal(mac, sum)`: 1, `strings.EqualFold(a.Token, b)`: 1,
		`string(nonce) == v`: 1, `slices.Equal(x, s.proof)`: 1,
		`token == ""`: 0, `secret != nil`: 0, `len(hash) == 32`: 0, `subtle.ConstantTimeCompare(a, secret) == 1`: 0,
		`hmac.Equal(mac, b)`: 0, `name == other`: 0, `kind == "token"`: 0,
	} {
		if got, _ := compared(t, "x.go", "package x\nfunc f() bool { return "+expression+" }\n"); len(got) != want {
			t.Errorf("%s: %v", expression, got)
		}
	}
}

// compared lists comparisons of secrets that stop where two differ, and counts
// those that do not.
func compared(t *testing.T, name string, source any) (found []string, safe int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && !constant(n.X) && !constant(n.Y) && (named(n.X) || named(n.Y)) {
				found = append(found, text(n.X)+" "+n.Op.String()+" "+text(n.Y))
			}
		case *ast.CallExpr:
			switch f := text(n.Fun); f {
			case "subtle.ConstantTimeCompare", "hmac.Equal":
				safe++
			case "bytes.Equal", "bytes.Compare", "strings.EqualFold", "strings.Compare", "slices.Equal",
				"bytes.HasPrefix", "reflect.DeepEqual":
				if named(n.Args[0]) || named(n.Args[1]) {
					found = append(found, f+" "+text(n.Args[0])+" "+text(n.Args[1]))
				}
			}
		}
		return true
	})
	return found, safe
}

// constant reports whether an operand is written down in the program, is a length
// or the answer of a comparison that is safe.
func constant(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return x.Name == "nil" || x.Name == "true" || x.Name == "false"
	case *ast.CallExpr:
		f := text(x.Fun)
		return f == "len" || strings.HasPrefix(f, "subtle.")
	}
	return false
}

// named reports whether an operand has the name of something secret.
func named(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return secretive.MatchString(x.Name)
	case *ast.SelectorExpr:
		return secretive.MatchString(x.Sel.Name)
	case *ast.CallExpr:
		for _, arg := range x.Args {
			if named(arg) {
				return true
			}
		}
		return named(x.Fun)
	case *ast.IndexExpr:
		return named(x.X)
	case *ast.SliceExpr:
		return named(x.X)
	case *ast.ParenExpr:
		return named(x.X)
	case *ast.StarExpr:
		return named(x.X)
	}
	return false
}

// text is an expression as it is written, near enough to tell it from others.
func text(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return text(x.X) + "." + x.Sel.Name
	case *ast.CallExpr:
		var args []string
		for _, arg := range x.Args {
			args = append(args, text(arg))
		}
		return text(x.Fun) + "(" + strings.Join(args, ", ") + ")"
	case *ast.StarExpr:
		return "*" + text(x.X)
	case *ast.IndexExpr:
		return text(x.X) + "[" + text(x.Index) + "]"
	case *ast.SliceExpr:
		return text(x.X) + "[:]"
	case *ast.BasicLit:
		return x.Value
	case *ast.ParenExpr:
		return "(" + text(x.X) + ")"
	case *ast.ArrayType:
		return "[]" + text(x.Elt)
	}
	return "…"
}
