package client

import (
	"context"
	"net/url"

	"github.com/assent-run/assent/internal/app"
)

// Tools lists everything that can be called; with q, what fits a request.
func (c *Client) Tools(ctx context.Context, q url.Values) (v app.ToolList, err error) {
	return v, c.get(ctx, "/tools", q, &v)
}
