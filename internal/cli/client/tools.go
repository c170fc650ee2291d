package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/suggest"
)

// Tools lists everything that can be called; with q, what fits a request.
func (c *Client) Tools(ctx context.Context, q url.Values) (v suggest.ToolList, err error) {
	return v, c.get(ctx, "/tools", q, &v)
}

// SuggestPlan makes a plan for an intent.
func (c *Client) SuggestPlan(ctx context.Context, in suggest.Intent) (v suggest.Suggestion, err error) {
	return v, c.post(ctx, "/plans/suggest", in, &v)
}

// SaveWorkflow saves a draft.
func (c *Client) SaveWorkflow(ctx context.Context, name string, yaml []byte) (v registry.Document, err error) {
	return v, c.call(ctx, request{method: http.MethodPut, path: placeOf(definition.KindWorkflow, name), raw: yaml,
		mime: "application/yaml"}, &v)
}
