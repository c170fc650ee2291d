// Package templates holds workflows to start from: each is a folder with a
// workflow that runs without a key, an input to try it with and a page that says
// what it is good for. They are part of the program, see `assent new`.
package templates

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

//go:embed */*.yaml */*.json */*.md
var files embed.FS

// Template is a workflow to start from.
type Template struct {
	Name    string `json:"name"`    // also the name of its workflow
	Title   string `json:"title"`   // a few words
	Summary string `json:"summary"` // one sentence
	About   string `json:"about"`   // what it does, in a paragraph
}

// All lists the templates by name.
func All() []Template {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(fmt.Sprintf("templates: %v", err)) // they are part of the program
	}
	out := make([]Template, len(entries))
	for i, e := range entries {
		out[i] = read(e.Name())
	}
	return out
}

// Find returns the template with a name.
func Find(name string) (Template, bool) {
	if _, err := fs.Stat(files, path.Join(name, readme)); err != nil || strings.Contains(name, "/") {
		return Template{}, false
	}
	return read(name), true
}

const (
	readme   = "README.md"
	workflow = "workflow.yaml"
)

func read(name string) Template {
	text, err := files.ReadFile(path.Join(name, readme))
	if err != nil {
		panic(fmt.Sprintf("templates: %v", err))
	}
	title, rest, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
	about, _, _ := strings.Cut(strings.TrimSpace(rest), "\n\n")
	about = strings.Join(strings.Fields(about), " ")
	return Template{Name: name, Title: title, Summary: firstSentence(about), About: about}
}

// firstSentence ends at the first full stop before a space.
func firstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}

// Files are those of a new workflow with a name: path and content. Only the
// template's own workflow gets the name; agents keep theirs.
func (t Template) Files(name string) (map[string][]byte, error) {
	out := map[string][]byte{}
	entries, err := files.ReadDir(t.Name)
	if err != nil {
		return nil, fmt.Errorf("read the template %s: %w", t.Name, err)
	}
	for _, e := range entries {
		content, err := files.ReadFile(path.Join(t.Name, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the template %s: %w", t.Name, err)
		}
		to := e.Name()
		if to == workflow {
			to = name + ".yaml"
		}
		if strings.HasSuffix(to, ".yaml") {
			content = t.rename(content, name)
		}
		out[to] = content
	}
	return out, nil
}

// rename puts a new name where the workflow's own stands.
func (t Template) rename(content []byte, name string) []byte {
	own := regexp.MustCompile(`(?m)(^workflow: |\bworkflow: \[)` + regexp.QuoteMeta(t.Name) + `(\]|$)`)
	return own.ReplaceAll(content, []byte("${1}"+name+"${2}"))
}
