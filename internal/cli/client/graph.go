package client

import (
	"context"
	"net/url"

	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/view"
)

// Graph shows what was learned about tools.
func (c *Client) Graph(ctx context.Context, q url.Values) (v insight.Graph, err error) {
	return v, c.get(ctx, "/graph", q, &v)
}

// LearnedRequests lists the requests of past runs.
func (c *Client) LearnedRequests(ctx context.Context, q url.Values) (v view.List[insight.LearnedRequest], err error) {
	return v, c.get(ctx, "/graph/requests", q, &v)
}

// RunsTaught lists what each run taught.
func (c *Client) RunsTaught(ctx context.Context, q url.Values) (v view.List[insight.RunTaught], err error) {
	return v, c.get(ctx, "/graph/runs", q, &v)
}

// ForgetGraph forgets what was learned.
func (c *Client) ForgetGraph(ctx context.Context, f insight.GraphForgetting) (v insight.GraphForgotten, err error) {
	return v, c.post(ctx, "/graph/forget", f, &v)
}

// RebuildGraph derives the graph from the logs again.
func (c *Client) RebuildGraph(ctx context.Context) (v insight.GraphRebuilt, err error) {
	return v, c.post(ctx, "/graph/rebuild", nil, &v)
}
