package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestDocs runs the commands of the guides against a server with the examples. The first word of each printed
// line must match; a line with only … matches any lines. A command with "a moment later" is repeated until
// the lines after it match.
func TestDocs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the guides are written for a shell")
	}
	dir := t.TempDir()
	pages := map[string]string{} // files that the guides tell the reader to write
	for _, name := range []string{"adaptive.md", "agents.md", "cli.md", "mcp.md", "notifications.md", "operations.md",
		"policy.md", "schedules.md", "templates.md", "triggers.md", "tutorial.md"} {
		guide, err := os.ReadFile(filepath.Join("../../docs", name))
		if err != nil {
			t.Fatal(err)
		}
		script, commands := scriptOf(string(guide))
		if empty := startOf[name]; empty != "" {
			script = strings.Replace(script, beforeGuide, empty, 1)
		}
		for _, m := range guideFile.FindAllStringSubmatch(string(guide), -1) {
			pages[m[1]] = m[2]
		}
		if commands < 3 {
			t.Errorf("%s: only %d commands were found", name, commands)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := params(dir)
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("HOME", e.WorkDir)
		for name, text := range pages {
			if err := os.WriteFile(filepath.Join(e.WorkDir, name), []byte(text), 0o600); err != nil {
				return err
			}
		}
		if err := copyTree("../importer/testdata/printed", filepath.Join(e.WorkDir, "registries")); err != nil {
			return err
		}
		return copyTree("../../examples", filepath.Join(e.WorkDir, "examples"))
	}
	testscript.Run(t, p)
}

const beforeGuide = `exec assent serve --addr 127.0.0.1:0 --demo --load examples &server&
ready .assent
env ASSENT=$ADDRESS
until 'Pay this refund' assent inbox
`

// startOf are the servers of guides that start with an empty one.
var startOf = map[string]string{"triggers.md": "env ASSENT_SECRET_ORDERS=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n" +
	beforeGuide, "tutorial.md": "exec assent serve --addr 127.0.0.1:0 &server&\nready " +
	".assent\nenv ASSENT=$ADDRESS\n"}

const afterGuide = `term .assent
wait server
`

// guideFile is a block that the guide names.
var guideFile = regexp.MustCompile("(?s)<!-- file: ([a-z0-9.-]+) -->\n```yaml\n(.*?)```")

// later marks a command whose output takes a moment to appear.
const later = "# a moment later"

var exitNote = regexp.MustCompile(`# exits with (\d)`)

// scriptOf builds a script from a guide's console blocks.
func scriptOf(guide string) (script string, commands int) {
	var b strings.Builder
	b.WriteString(beforeGuide)
	inside, waiting := false, ""
	for line := range strings.Lines(guide) {
		line = strings.TrimRight(line, "\n")
		switch command, isCommand := strings.CutPrefix(line, "$ "); {
		case line == "```console":
			inside = true
		case strings.HasPrefix(line, "```"):
			inside = false
		case inside && isCommand:
			commands++
			code := "0"
			if m := exitNote.FindStringSubmatch(command); m != nil {
				code = m[1]
			}
			shell := "sh -c " + quote("exec 2>&1; "+command)
			if waiting = ""; strings.HasSuffix(command, later) {
				waiting = shell
				continue
			}
			fmt.Fprintf(&b, "exits %s %s\n", code, shell)
		case inside:
			if words := strings.Fields(line); len(words) > 0 && words[0] != "…" {
				if waiting != "" {
					fmt.Fprintf(&b, "until %s %s\n", quote(pattern(words)), waiting)
					continue
				}
				fmt.Fprintf(&b, "stdout %s\n", quote(pattern(words)))
			}
		}
	}
	return b.String() + afterGuide, commands
}

// pattern is the part of a printed line that is stable between runs: its first word, or the second if the
// first is a time or a number.
func pattern(words []string) string {
	for _, w := range words {
		if !strings.ContainsAny(w, "0123456789…") {
			return regexp.QuoteMeta(w)
		}
	}
	return ""
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
