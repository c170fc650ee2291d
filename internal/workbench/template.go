package workbench

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/templates"
)

// Template is a workflow to start from.
type Template struct {
	Name    string `json:"name"`
	Title   string `json:"title"`   // A few words.
	Summary string `json:"summary"` // One sentence.
	// The workflow as a file.
	YAML string `json:"yaml"`
	// The agents and other workflows that it uses, in the order to save them in.
	Uses []TemplateDocument `json:"uses"`
	// An input to try it with.
	Input json.RawMessage `json:"input,omitempty"`
}

// TemplateDocument is a document that a template uses.
type TemplateDocument struct {
	Kind definition.Kind `json:"kind"` // agent or workflow.
	Name string          `json:"name"`
	YAML string          `json:"yaml"` // The document as a file.
}

// Templates lists the workflows to start from, by name.
func (b Bench) Templates(ctx context.Context) ([]Template, error) {
	if err := b.May(ctx, access.Look, ""); err != nil {
		return nil, err
	}
	all := templates.All()
	out := make([]Template, len(all))
	for i, t := range all {
		files, err := t.Files(t.Name)
		if err != nil {
			return nil, err
		}
		out[i] = Template{Name: t.Name, Title: t.Title, Summary: t.Summary, Uses: []TemplateDocument{},
			Input: files["input.json"]}
		for name, text := range files {
			if strings.HasSuffix(name, ".yaml") {
				out[i].add(string(text))
			}
		}
		slices.SortFunc(out[i].Uses, func(x, y TemplateDocument) int { // agents first: workflows use them
			return cmp.Or(strings.Compare(string(x.Kind), string(y.Kind)), strings.Compare(x.Name, y.Name))
		})
	}
	return out, nil
}

var (
	divider   = regexp.MustCompile(`(?m)^---[ \t]*\n`)
	firstLine = regexp.MustCompile(`(?m)^(workflow|agent): (\S+)`)
)

// add sorts the documents of a file into the template.
func (t *Template) add(file string) {
	for _, text := range divider.Split(file, -1) {
		found := firstLine.FindStringSubmatch(text)
		switch {
		case found == nil: // another kind, such as a policy: it holds for more than this workflow
		case found[1] == string(definition.KindWorkflow) && found[2] == t.Name:
			t.YAML = text
		default:
			t.Uses = append(t.Uses, TemplateDocument{Kind: definition.Kind(found[1]), Name: found[2], YAML: text})
		}
	}
}
