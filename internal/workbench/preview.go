package workbench

import (
	"context"
	"encoding/json"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/preview"
)

// Trial is a workflow to preview.
type Trial struct {
	Name    string
	Version int             // 0: the published version
	YAML    string          // the text to preview instead of a version
	Input   json.RawMessage // empty: {}
}

// Preview shows how a workflow would run, with samples for answers. Nothing is stored, and no agent or person
// is involved.
func (b Bench) Preview(ctx context.Context, t Trial) (preview.Preview, error) {
	if err := b.May(ctx, access.See, t.Name); err != nil {
		return preview.Preview{}, err
	}
	def, err := b.definition(ctx, t)
	if err != nil {
		return preview.Preview{}, err
	}
	now := b.Registry.Current()
	return preview.Of(def, preview.Options{
		Input: t.Input, Owner: b.By, Now: b.Now, Judge: now.Judge(), Agents: now.Documents().Agents,
		Tools: now.Documents().Tools, Workflow: b.Registry.Definition,
	})
}

func (b Bench) definition(ctx context.Context, t Trial) (*plan.Definition, error) {
	if t.YAML == "" {
		return b.Registry.DefinitionAt(ctx, t.Name, t.Version)
	}
	if err := b.May(ctx, access.Look, t.Name); err != nil { // its agents and their answers are documents
		return nil, err
	}
	return b.Registry.DefinitionIn([]byte(t.YAML))
}
