package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// wordings are phrases that a native writer would not use in a message, with what
// to write instead. They are few and literal, so that no good sentence is refused.
var wordings = []struct {
	phrase  *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bany more\b`), `"no longer", "expired", "revoked"`},
	{regexp.MustCompile(`(?i)\banew\b`), `"again"`},
	{regexp.MustCompile(`(?i)\bfor good\b`), `"permanently"`},
	{regexp.MustCompile(`(?i)\b(somebody|anybody|whoever|everybody)\b`),
		`the role (the approver, the owner, the caller), "you", or the passive`},
	{regexp.MustCompile(`(?i)\bnobody\b`), `the passive, "unassigned", "not signed in", "timed out"`},
	{regexp.MustCompile(`(?i)\bthere is no such\b`), `"X not found"`},
	{regexp.MustCompile(`(?i)(\bthis|%q|%s) is no (?:[a-z]+\b)`), `"not a valid X"`},
	{regexp.MustCompile(`(?i)\blook(s|ed)? after\b`), `"manage"`},
	{regexp.MustCompile(`(?i)\bgoes on record\b`), `"is kept in the audit log"`},
	{regexp.MustCompile(`(?i)\bmeanwhile\b`), `"in the meantime", or nothing`},
	{regexp.MustCompile(`(?i)\bat most so many\b`), `"maximum number of …"`},
	{regexp.MustCompile(`(?i)\bas (it|they) (was|were) written\b`), `"unchanged", "does not verify"`},
	{regexp.MustCompile(`(?i)\bgoes on behind\b|\bgo on behind\b`), `"continues after"`},
	{regexp.MustCompile(`(?i)\bfor ever\b`), `"forever"`},
	{regexp.MustCompile(`(?i)\bwith commas between them\b`), `"comma-separated"`},
	{regexp.MustCompile(`(?i)\bstands (in its place|where|beside)\b`), `"is in the place of", "is next to"`},
	{regexp.MustCompile(`(?i)\bsaid no\b|\bsay no\b`), `"rejected", "reject"`},
	{regexp.MustCompile(`(?i)\blets? (it|them) through\b|\blet through\b`), `"approve"`},
}

// spoken are the Go packages whose texts people read in the CLI and the API.
var spoken = []string{
	"cmd", "internal/access", "internal/agent", "internal/api", "internal/app", "internal/audit", "internal/auth",
	"internal/cli", "internal/core", "internal/definition", "internal/directory", "internal/importer",
	"internal/mcpserver", "internal/outbound", "internal/registry", "internal/seal", "internal/store", "internal/tool",
}

// written are the folders and files that people read as they are.
var written = []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "examples", "templates"}

// unspoken are files with good reasons: names of planted bugs, and what agents said in
// a recorded conversation.
var unspoken = []string{"internal/core/mutant/", "docs/openapi.json", "docs/verify/",
	"internal/store/storetest/", "internal/store/postgres/pgtest/"}

// TestVoice keeps phrases that sound translated out of messages, help, docs and
// examples.
func TestVoice(t *testing.T) {
	root := filepath.Join("..", "..")
	each(t, root, spoken, func(path string) {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			checkStrings(t, root, path)
		}
	})
	each(t, root, written, func(path string) {
		if ext := filepath.Ext(path); ext == ".md" || ext == ".yaml" {
			checkLines(t, root, path)
		}
	})
}

// each visits the files of folders, by their paths from the root.
func each(t *testing.T, root string, folders []string, visit func(path string)) {
	t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			path, err := filepath.Rel(root, name)
			path = filepath.ToSlash(path)
			for _, out := range unspoken {
				if strings.HasPrefix(path, out) {
					return err
				}
			}
			visit(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func checkStrings(t *testing.T, root, path string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, filepath.Join(root, path), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				check(t, path, files.Position(lit.Pos()).Line, text)
			}
		}
		return true
	})
}

func checkLines(t *testing.T, root, path string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		check(t, path, i+1, line)
	}
}

func check(t *testing.T, path string, line int, text string) {
	t.Helper()
	for _, w := range wordings {
		if found := w.phrase.FindString(text); found != "" {
			t.Errorf("%s:%d: %q: write %s: %.100s", path, line, found, w.instead, text)
		}
	}
}
