package app

import (
	"context"
	"encoding/json"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/preview"
)

// PreviewWorkflow shows how a workflow would run, with samples for answers. Nothing is stored, and no agent or person
// is involved.
func (a *App) PreviewWorkflow(
	ctx context.Context, who Who, name string, number int, input json.RawMessage,
) (preview.Preview, error) {
	if err := a.allowWorkflow(ctx, who, access.See, name); err != nil {
		return preview.Preview{}, err
	}
	def, err := a.registry.DefinitionAt(ctx, name, number)
	if err != nil {
		return preview.Preview{}, a.orUnknown(err, who, definition.KindWorkflow, name)
	}
	now := a.registry.Current()
	return preview.Of(def, preview.Options{
		Input: input, Owner: who.Key(), Now: a.Now(), Judge: now.Judge(), Agents: now.Documents().Agents,
		Tools: now.Documents().Tools,
	})
}
