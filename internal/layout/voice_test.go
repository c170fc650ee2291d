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
	"sync"
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
	{regexp.MustCompile(`(?i)\bthere (is|are) no such\b`), `"X not found"`},
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
	{regexp.MustCompile(`(?i)\blets? (it|them) through\b|\b(let|lets) through\b`), `"approve"`},
	{regexp.MustCompile(`(?i)\b(goes|go|went|going) on(?: (?:with|from|after|without|as|where)\b|[.,:;)\x60"]|$)`), `"continue"`},
	{regexp.MustCompile(`(?i)\bthe (run|work|step|agent|question) (goes|went) on\b`), `"continues"`},
	{regexp.MustCompile(`(?i)\bbesides\b`), `"in addition to", "apart from"`},
	{regexp.MustCompile(`(?i), too(?:[.:;)]|$)`), `"also"`},
	{regexp.MustCompile(`(?i)\bwhat (waits|is asked)\b`), `the noun: "pending approvals", "the question"`},
	{regexp.MustCompile(`(?i)\bthrow (it|them) away\b`), `"discard"`},
	{regexp.MustCompile(`(?i)\bcalled like (this|that)\b`), `"no matches"`},
	{regexp.MustCompile(`(?i)\bstands in the (record|log)\b`), `"is saved in the audit log"`},
	{regexp.MustCompile(`(?i)\bas often as (it|they) (likes?|wants?)\b`), `"repeatedly"`},
	{regexp.MustCompile(`(?i)\b(keys|values|things|rows|names) of old\b`), `"old keys"`},
}

// spoken are the folders of Go code; in all but the tests, comments and strings are read.
var spoken = []string{"bench", "cmd", "docs", "examples", "internal", "mutate", "sim", "templates", "temporal", "web"}

// drawn are the folders of TypeScript, whose strings people read in the pages.
var drawn = []string{"web/src"}

// written are the folders and files that people read as they are.
var written = []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "deploy", "docs", "examples",
	"templates", "web/src", "web/e2e"}

// unspoken are files with good reasons: names of planted bugs, a recorded conversation, and these phrases themselves.
var unspoken = []string{"internal/core/mutant/", "docs/openapi.json", "docs/verify/",
	"internal/layout/", "web/node_modules/", "web/dist/", "web/src/api/schema.d.ts", "bench/peers/js/"}

// code are words that are names: of members, functions and values of the API.
var code = regexp.MustCompile(`"\w+"|#?\b\w+[(:]`)

// comment is a comment in a scenario; #1 is an approval.
var comment = regexp.MustCompile(`^#(?:\D.*)?$`)

// TestVoice keeps phrases that sound translated out of messages, help, comments, docs and
// examples.
func TestVoice(t *testing.T) {
	root := filepath.Join("..", "..")
	each(t, root, spoken, func(path string) {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			checkGo(t, root, path)
		}
	})
	each(t, root, drawn, func(path string) {
		if ext := filepath.Ext(path); (ext == ".ts" || ext == ".tsx") && !strings.Contains(path, ".test.") {
			checkLines(t, root, path, code.ReplaceAllString)
		}
	})
	each(t, root, []string{"internal/core/decide/testdata/scenario"}, func(path string) {
		checkLines(t, root, path, func(line, _ string) string { return comment.FindString(line) })
	})
	each(t, root, written, func(path string) {
		if ext := filepath.Ext(path); ext == ".md" || ext == ".yaml" {
			checkLines(t, root, path, nil)
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

// checkGo checks comments and strings of more than one word.
func checkGo(t *testing.T, root, path string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, filepath.Join(root, path), nil, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Comments {
		check(t, path, files.Position(group.Pos()).Line, strings.Join(strings.Fields(group.Text()), " "))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(text, " ") {
				check(t, path, files.Position(lit.Pos()).Line, text)
			}
		}
		return true
	})
}

// checkLines checks a file line by line, without its code.
func checkLines(t *testing.T, root, path string, without func(text, instead string) string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if without != nil {
			line = without(line, "")
		}
		check(t, path, i+1, line)
	}
}

// suspect is any of the phrases: one pass for texts that contain none.
var suspect = sync.OnceValue(func() *regexp.Regexp {
	var all []string
	for _, w := range wordings {
		all = append(all, strings.TrimPrefix(w.phrase.String(), "(?i)"))
	}
	return regexp.MustCompile("(?i)" + strings.Join(all, "|"))
})

func check(t *testing.T, path string, line int, text string) {
	t.Helper()
	if !suspect().MatchString(text) {
		return
	}
	for _, w := range wordings {
		if found := w.phrase.FindString(text); found != "" {
			t.Errorf("%s:%d: %q: write %s: %.100s", path, line, found, w.instead, text)
		}
	}
}
