package client

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/preview"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

// AllWorkflows lists workflows in force and drafts.
func (c *Client) AllWorkflows(ctx context.Context, q url.Values) (v view.List[registry.Document], err error) {
	return v, c.get(ctx, "/workflows", q, &v)
}

// DiffWorkflow compares two versions; 0 is the published one and the newest one, respectively.
func (c *Client) DiffWorkflow(ctx context.Context, name string, from, to int) (v registry.WorkflowDiff, err error) {
	q := url.Values{}
	for key, n := range map[string]int{"from": from, "to": to} {
		if n > 0 {
			q.Set(key, strconv.Itoa(n))
		}
	}
	return v, c.get(ctx, placeOf(definition.KindWorkflow, name)+"/diff", q, &v)
}

// PublishWorkflow publishes a version.
func (c *Client) PublishWorkflow(ctx context.Context, name string, version int) (v registry.Document, err error) {
	return v, c.post(ctx, placeOf(definition.KindWorkflow, name)+"/publish", map[string]int{"version": version}, &v)
}

// PreviewWorkflow previews a run with an input; nothing runs. Version 0 is the published one.
func (c *Client) PreviewWorkflow(ctx context.Context, name string, version int,
	input json.RawMessage) (v preview.Preview, err error) {
	body := map[string]any{"input": input}
	if version > 0 {
		body["version"] = version
	}
	return v, c.post(ctx, placeOf(definition.KindWorkflow, name)+"/preview", body, &v)
}
