package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const annotated = `# Why this exists: refunds were paid twice in March.
workflow: annotated

steps:
  # Ask first, then pay.
  - { id: pay, agent: writer }   # the only step

gates:
  - { id: look, at: before pay, role: reviewer }  # legal insists
`

// A version keeps its text as it was written, over restarts. Other comments are the same version.
func TestVersionsKeepTheirText(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define("agent: writer\nkind: scripted\nanswers: [{ output: {} }]")
	file := func(n string) string {
		t.Helper()
		return string(s.call("GET", "/workflows/annotated"+n, nil, header("Accept", "application/yaml")).want(200).body)
	}
	first := s.call("PUT", "/workflows/annotated?publish=true", yaml(annotated)).want(201)
	if first.text("yaml") != annotated || first.get("written") != true || file("") != annotated {
		t.Errorf("%s", first.body)
	}

	// Line ends of other systems and a missing last one are no difference.
	same := strings.TrimSuffix(strings.ReplaceAll(annotated, "\n", "\r\n"), "\r\n")
	s.call("PUT", "/workflows/annotated", yaml(same)).want(200)
	if n := s.call("GET", "/audit?action=definition.text_saved", nil).want(200).number("total"); n != 0 {
		t.Errorf("%d entries about a text that is the same", n)
	}

	second := strings.Replace(annotated, "in March", "in April", 1)
	again := s.call("PUT", "/workflows/annotated", yaml(second), as(ann)).problem(403, "forbidden")
	if file("") != annotated {
		t.Errorf("changed by someone who may not: %s", again.body)
	}
	again = s.call("PUT", "/workflows/annotated", yaml(second)).want(200)
	if again.number("version") != 1 || again.text("digest") != first.text("digest") || again.text("yaml") != second {
		t.Errorf("%s", again.body)
	}
	if list := s.call("GET", "/workflows", nil).want(200); list.text("items.0.yaml") != second ||
		list.number("total") != 1 {
		t.Errorf("%s", list.body)
	}
	entry := s.call("GET", "/audit?action=definition.text_saved", nil).want(200)
	if entry.number("total") != 1 || entry.text("items.0.target") != "workflow/annotated" ||
		entry.number("items.0.detail.version") != 1 || entry.text("items.0.detail.digest") != first.text("digest") ||
		!strings.HasPrefix(entry.text("items.0.detail.text_digest"), "sha256:") {
		t.Errorf("%s", entry.body)
	}
	// The same content as JSON has no text, and takes none away.
	s.call("PUT", "/workflows/annotated", first.get("definition")).want(200)

	third := strings.Replace(second, "role: reviewer", "role: legal", 1)
	s.call("PUT", "/workflows/annotated?publish=true", yaml(third)).want(201)
	diff := s.call("GET", "/workflows/annotated/diff?from=1&to=2", nil).want(200)
	changed := "+  - { id: look, at: before pay, role: legal }  # legal insists"
	if text := diff.text("text"); !strings.Contains(text, changed) || strings.Contains(text, "+steps") {
		t.Errorf("%s", diff.body)
	}
	s.kill()
	s.start()
	if file("") != third || file("/versions/1") != second {
		t.Errorf("after a restart: %s", file("/versions/1"))
	}
	if out := s.must("", "export", "annotated", "--version", "1"); out != second {
		t.Errorf("exported: %s", out)
	}
	s.must("", "workflows", "restore", "annotated", "1")
	if file("") != second {
		t.Errorf("restored: %s", file(""))
	}
	over := "# " + strings.Repeat("x", 2<<20) + "\n" + annotated
	if v := s.call("PUT", "/workflows/annotated", yaml(over)).want(201); v.get("written") == true ||
		strings.Contains(v.text("yaml"), "#") {
		t.Errorf("a text over the limit is kept")
	}
}

// A text that says something else than the version is not shown, however it got into the store.
func TestTextsNeverDisagree(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define("agent: writer\nkind: scripted\nanswers: [{ output: {} }]")
	s.call("PUT", "/workflows/annotated?publish=true", yaml(annotated)).want(201)
	s.kill()
	gone := strings.Split(annotated, "\ngates:")[0] // no one would see that people are asked
	change(t, s, `UPDATE versions SET source = CAST('`+gone+`' AS BLOB) WHERE name = 'annotated'`)
	s.start()
	for _, path := range []string{"/workflows/annotated", "/workflows/annotated/versions/1"} {
		v := s.call("GET", path, nil).want(200)
		if text := v.text("yaml"); v.get("written") == true || !strings.Contains(text, "id: look") ||
			strings.Contains(text, "#") {
			t.Errorf("%s: %s", path, v.body)
		}
	}
	if v := s.call("GET", "/workflows", nil).want(200); !strings.Contains(v.text("items.0.yaml"), "id: look") {
		t.Errorf("%s", v.body)
	}
	if v := s.call("POST", "/workflows/annotated/publish", `{"version":1}`).want(200); v.get("written") == true {
		t.Errorf("%s", v.body)
	}
	// Saved again, it has its text back.
	if v := s.call("PUT", "/workflows/annotated", yaml(annotated)).want(200); v.text("yaml") != annotated {
		t.Errorf("%s", v.body)
	}
}

// Files are kept as they were written, each document with its own comments; a changed comment is taken over.
func TestFilesKeepTheirText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("all.yaml", "# agents\n---\nagent: writer # a secret could be here\nkind: scripted\n"+
		"answers: [{ output: {} }]\n---\n"+annotated+"---\n# no rules yet\npolicy: default\nrules: []\n")
	write("other.yaml", "# first\nworkflow: other\nsteps: [{ id: a, agent: writer }]\n")
	write("form.json", `{"type":"object"}`)
	write("ref.yaml", "# gone\nworkflow: refers\ninput: { $ref: form.json }\nsteps: [{ id: a, agent: writer }]\n")
	s := serve(t, "--load", dir)
	shown := func(name string) string { return s.call("GET", "/workflows/"+name, nil).want(200).text("yaml") }
	if got := shown("annotated"); got != annotated {
		t.Errorf("%q", got)
	}
	if got := s.call("GET", "/policy", nil).want(200).text("yaml"); got != "# no rules yet\npolicy: default\nrules: []\n" {
		t.Errorf("%q", got)
	}
	if got := s.call("GET", "/agents/writer", nil).want(200).body; strings.Contains(string(got), "secret") {
		t.Errorf("%s", got)
	}
	if got := shown("refers"); strings.Contains(got, "#") || !strings.Contains(got, "type: object") {
		t.Errorf("%q", got)
	}
	write("other.yaml", "# second\nworkflow: other\nsteps: [{ id: a, agent: writer }]\n")
	waitFor(t, "the comment", func() bool { return strings.HasPrefix(shown("other"), "# second") })
	if v := s.call("GET", "/workflows/other", nil).want(200); v.number("version") != 1 {
		t.Errorf("%s", v.body)
	}
	entry := s.call("GET", "/audit?action=definition.text_saved", nil).want(200)
	if entry.number("total") != 1 || entry.text("items.0.actor.name") != "files" {
		t.Errorf("%s", entry.body)
	}
	// A version saved by other means stays as it was written, whatever the file's comments say.
	edited := "# by hand\nworkflow: other\nsteps: [{ id: b, agent: writer }]\n"
	s.call("PUT", "/workflows/other?publish=true", yaml(edited)).want(201)
	write("other.yaml", "# third\nworkflow: other\nsteps: [{ id: a, agent: writer }]\n")
	write("last.yaml", "workflow: last\nsteps: [{ id: a, agent: writer }]\n")
	waitFor(t, "the other file", func() bool {
		return s.call("GET", "/workflows/last", nil).status == 200
	})
	if got := shown("other"); got != edited {
		t.Errorf("%q", got)
	}
}
