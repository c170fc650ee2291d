package definition

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assent-run/assent/internal/core/run"

	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/definition/tree"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func lines(problems []Problem) string {
	var out []string
	for _, p := range problems {
		out = append(out, p.String())
	}
	return strings.Join(out, "\n")
}

func TestLoadPath(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"b.yaml": "role: b\n", "a/x.yml": "role: a\n", "a/y.JSON": `[{"role": "c"}, {"role": "d"}]`,
		".git/z.yaml": "role: [\n", ".z.yaml": "role: [\n", "read.me": "role: [\n",
		"a/input.json": `{"agent": "x", "rules": 1}`, "input-2.json": `{"policy_id": "P"}`, // to try workflows with
		"w.yaml": "agent: w\nkind: go\ninput: {$ref: schemas/s.json}\n", "schemas/s.json": `{"type": "object"}`,
	})
	set, problems := LoadPath(dir)
	if len(problems) > 0 {
		t.Fatal(lines(problems))
	}
	if len(set.Roles) != 4 || len(set.Files) != 5 || set.Files[0].Name != filepath.ToSlash(dir)+"/a/x.yml" ||
		set.Files[1].Documents != 2 {
		t.Errorf("%v %v", set.Roles, set.Files)
	}
	if got := set.Roles["b"].Place.String(); got != filepath.ToSlash(dir)+"/b.yaml:1" {
		t.Error(got)
	}
	one, problems := LoadPath(filepath.Join(dir, "w.yaml"))
	if len(problems) > 0 || string(one.Agents["w"].Input) != `{"type":"object"}` {
		t.Errorf("%v %v", one.Agents, problems)
	}
	if _, problems = LoadPath(filepath.Join(dir, "nothing")); len(problems) != 1 ||
		!strings.Contains(problems[0].Message, "no such file") {
		t.Error(lines(problems))
	}
	if _, problems = Load(fstest.MapFS{}, "nothing"); len(problems) != 1 {
		t.Error(lines(problems))
	}
}

// TestLinks: links inside the folder are followed, as mounted settings need
// it, and none leads out of it, whoever opens the folder.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"outside.yaml": "role: outside\n", "secret.json": `{"type": "object"}`,
		"in/..2026/inside.yaml": "role: inside\n"})
	in := filepath.Join(dir, "in")
	for name, target := range map[string]string{
		"..data": "..2026", "inside.yaml": "..data/inside.yaml", // as Kubernetes mounts them
		"up.yaml": "../outside.yaml", "absolute.yaml": filepath.Join(dir, "outside.yaml"), "round.yaml": "round.yaml",
		"s.json": "../secret.json", "dir": "..",
	} {
		if err := os.Symlink(target, filepath.Join(in, name)); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(err) // Windows lets few people make links
		}
	}
	write(t, in, map[string]string{"w.yaml": "agent: w\nkind: go\ninput: {$ref: dir/secret.json}\n"})
	for name, load := range map[string]func() (*Set, []Problem){
		"LoadPath": func() (*Set, []Problem) { return LoadPath(in) },
		"Load":     func() (*Set, []Problem) { return Load(os.DirFS(in), ".") },
	} {
		set, problems := load()
		if set.Roles["outside"] != nil || set.Roles["inside"] == nil || len(set.Agents) > 0 {
			t.Errorf("%s: %v", name, set.Documents())
		}
		said := strings.ReplaceAll(lines(problems), filepath.ToSlash(in)+"/", "")
		want := "absolute.yaml: cannot be read: it points outside the folder\nround.yaml: cannot be read: " +
			"its links cannot be resolved\n" +
			"s.json: cannot be read: it points outside the folder\nup.yaml: cannot be read: it points outside the folder\n" +
			"w.yaml:3:15: input: dir/secret.json: cannot be read: it points outside the folder"
		if said != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, said, want)
		}
	}
}

func TestReferences(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{
		"flows/a.yaml": `agent: whole
kind: go
input: { $ref: ../schemas/claim.json }
---
agent: part
kind: go
input: { $ref: "../schemas/claim.json#/$defs/amount" }
output:
  type: object
  properties:
    one: { $ref: ../schemas/claim.json }
    two: { $ref: "../schemas/claim.json#/$defs/amount" }
    own: { $ref: "#/$defs/mine" }
    data: { const: { $ref: not/a/reference.json } }
  $defs: { mine: { type: string } }
---
tool: t
kind: builtin
args: { $ref: deep/list.yaml }
`,
		"schemas/claim.json":   `{"$id": "https://example.com/claim.json", "type": "object", "properties": {"amount": {"$ref": "#/$defs/amount"}, "self": {"$ref": "claim.json"}, "more": {"$ref": "more/x.json"}}, "$defs": {"amount": {"type": "number"}}}`,
		"schemas/more/x.json":  `{"type": "object", "properties": {"back": {"$ref": "../claim.json"}, "n": {"$ref": "#/definitions/n"}}, "definitions": {"n": {"type": "integer"}}}`,
		"flows/deep/list.yaml": "type: array\nitems: { $ref: '#' }\nmaxItems: 2\n",
	} {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	set, problems := Load(fsys, ".")
	if problems = append(problems, set.Check(nil)...); len(problems) > 0 {
		t.Fatal(lines(problems))
	}
	for what, c := range map[string]struct {
		schema []byte
		good   string
		bad    string
	}{
		"whole": {set.Agents["whole"].Input, `{"amount": 1, "self": {"amount": 2}, "more": {"back": {"amount": 3}, "n": 4}}`,
			`{"more": {"back": {"self": {"amount": "x"}}}}`},
		"deep": {set.Agents["whole"].Input, `{}`, `{"more": {"n": 1.5}}`},
		"part": {set.Agents["part"].Input, `1`, `"x"`},
		"one": {set.Agents["part"].Output, `{"one": {"more": {"back": {"amount": 1}}}}`,
			`{"one": {"more": {"back": {"amount": "x"}}}}`},
		"two":  {set.Agents["part"].Output, `{"two": 2, "own": "x"}`, `{"two": "2"}`},
		"own":  {set.Agents["part"].Output, `{"own": "x", "data": {"$ref": "not/a/reference.json"}}`, `{"own": 1}`},
		"list": {set.Tools["t"].Args, `[[], [[]]]`, `[[[], [], []]]`},
	} {
		s, err := schema.Compile(c.schema)
		if err != nil {
			t.Errorf("%s: %v\n%s", what, err, c.schema)
			continue
		}
		if p := s.Validate([]byte(c.good)); len(p) > 0 {
			t.Errorf("%s: %v\n%s", what, p, c.schema)
		}
		if p := s.Validate([]byte(c.bad)); len(p) == 0 {
			t.Errorf("%s: accepted %s", what, c.bad)
		}
	}
	sameAgain(t, set)
}

func TestFolderLimits(t *testing.T) {
	many := func(n int) fstest.MapFS {
		fsys := fstest.MapFS{}
		for i := range n {
			fsys[fmt.Sprintf("%05d.yaml", i)] = &fstest.MapFile{Data: []byte("# nothing\n")}
		}
		return fsys
	}
	if set, problems := Load(many(FilesMax), "."); len(problems) > 0 || len(set.Files) != FilesMax {
		t.Errorf("at: %d files, %s", len(set.Files), lines(problems))
	}
	if _, problems := Load(many(FilesMax+1),
		"."); lines(problems) != ".: cannot be read: there are more than 10000 files" {
		t.Errorf("over: %s", lines(problems))
	}

	big := func(n int) fstest.MapFS {
		fsys := fstest.MapFS{}
		text := []byte("#" + strings.Repeat("x", tree.SizeMax-1))
		for i := range n {
			fsys[fmt.Sprintf("%02d.yaml", i)] = &fstest.MapFile{Data: text}
		}
		return fsys
	}
	if _, problems := Load(big(FolderMax/tree.SizeMax), "."); len(problems) > 0 {
		t.Errorf("at: %s", lines(problems))
	}
	if _, problems := Load(big(FolderMax/tree.SizeMax+1),
		"."); lines(problems) != "16.yaml: cannot be read: the files have more than 64 MiB together" {
		t.Errorf("over: %s", lines(problems))
	}
	huge := fstest.MapFS{"a.yaml": &fstest.MapFile{Data: make([]byte, tree.SizeMax+1)}}
	if _, problems := Load(huge, "."); lines(problems) !=
		"a.yaml: cannot be read: it has 4,194,305 bytes; the maximum is 4 MiB" {
		t.Errorf("over: %s", lines(problems))
	}

	refs := func(n int) fstest.MapFS {
		fsys := fstest.MapFS{}
		var all strings.Builder
		for i := range n {
			fmt.Fprintf(&all, "    p%d: { $ref: s/%d.json }\n", i, i)
			fsys[fmt.Sprintf("s/%d.json", i)] = &fstest.MapFile{Data: []byte(`{"type": "string"}`)}
		}
		fsys["a.yaml"] = &fstest.MapFile{Data: []byte("agent: a\nkind: go\ninput:\n  properties:\n" + all.String())}
		return fsys
	}
	if _, problems := Load(refs(SchemasMax), "."); len(problems) > 0 {
		t.Errorf("at: %s", lines(problems))
	}
	if _, problems := Load(refs(SchemasMax+1),
		"."); lines(problems) != "a.yaml:105:19: input: the schema refers to more than 100 files" {
		t.Errorf("over: %s", lines(problems))
	}
}

func TestProblemsMost(t *testing.T) {
	fsys := fstest.MapFS{}
	for i := range 3 {
		fsys[fmt.Sprintf("%d.yaml", i)] = &fstest.MapFile{Data: []byte(strings.Repeat("role: a\nx: 1\n---\n", 1000))}
	}
	_, problems := Load(fsys, ".")
	last := "1000 more problems are not listed: fix these first"
	if len(problems) != problemsMost+1 || problems[problemsMost].String() != last {
		t.Errorf("%d: %v", len(problems), problems[len(problems)-1])
	}
}

func TestDocumentLimits(t *testing.T) {
	said := func(src string) string {
		set, problems := Parse("a.yaml", []byte(src))
		return lines(append(problems, set.Check(known())...))
	}
	tools := func(n int) string {
		var b strings.Builder
		b.WriteString("agent: a\nkind: llm\nprovider: openai\nmodel: m\ntools:\n")
		for i := range n {
			fmt.Fprintf(&b, "  - mcp:s/%d\n", i)
		}
		return b.String() + "---\nmcp_server: s\nurl: http://x/\n"
	}
	describe := func(n int) string { return "tool: t\nkind: builtin\ndescribe: " + strings.Repeat("x", n) + "\n" }
	const scripted = "agent: a\nkind: llm\nprovider: scripted\n"
	turns := func(n int) string { return scripted + "turns:\n" + strings.Repeat("  - { say: x }\n", n) }
	calls := func(n int) string {
		return scripted + "tools: [web_fetch]\nturns:\n  - calls:\n" + strings.Repeat("      - { tool: web_fetch }\n", n)
	}
	files := func(n int) string {
		var b strings.Builder
		b.WriteString(scripted + "turns: [{ say: x }]\nfiles:\n")
		for i := range n {
			fmt.Fprintf(&b, "  %d.txt: x\n", i)
		}
		return b.String()
	}
	for src, want := range map[string]string{
		turns(TurnsMax):           "",
		turns(TurnsMax + 1):       "a.yaml:4:1: turns: 1001 turns are too many: at most 1000",
		calls(run.CallsMax):       "",
		calls(run.CallsMax + 1):   "a.yaml:6:5: turns[0].calls: 129 calls are too many for one turn: at most 128",
		files(AgentFilesMax):      "",
		files(AgentFilesMax + 1):  "a.yaml:5:1: files: 201 files are too many: at most 200",
		tools(ToolsMax):           "",
		tools(ToolsMax + 1):       "a.yaml:5:1: tools: 1001 tools are too many: at most 1000",
		describe(DescribeMax):     "",
		describe(DescribeMax + 1): "a.yaml:3:11: describe: it has 2001 characters; the maximum is 2000",
	} {
		if got := said(src); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// growing has one file that says it is empty and never ends.
type growing struct{ fstest.MapFS }

func (g growing) Open(name string) (fs.File, error) {
	f, err := g.MapFS.Open(name)
	if err == nil && name == "a.yaml" {
		f = endless{f}
	}
	return f, err
}

type endless struct{ fs.File }

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '#'
	}
	return len(b), nil
}

// TestSizesArePromises: what a file says of its size is not believed.
func TestSizesArePromises(t *testing.T) {
	_, problems := Load(growing{fstest.MapFS{"a.yaml": &fstest.MapFile{}}}, ".")
	if got := lines(problems); got != "a.yaml: cannot be read: it has more than 4 MiB, the maximum" {
		t.Error(got)
	}
}

// TestEntriesMax: loading a whole disk by mistake is an error.
func TestEntriesMax(t *testing.T) {
	fsys := fstest.MapFS{}
	for i := range EntriesMax - 1 { // and the folder itself
		fsys[fmt.Sprintf("%05d.txt", i)] = &fstest.MapFile{}
	}
	if _, problems := Load(fsys, "."); len(problems) > 0 {
		t.Errorf("at: %s", lines(problems))
	}
	fsys["over.txt"] = &fstest.MapFile{}
	if _, problems := Load(fsys, "."); lines(problems) != ".: cannot be read: it has too many entries: at most 100000 "+
		"files and folders are read" {
		t.Errorf("over: %s", lines(problems))
	}
}
