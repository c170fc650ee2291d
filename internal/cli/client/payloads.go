package client

import (
	"context"
	"net/http"

	"github.com/assent-run/assent/internal/app"
)

// Forget deletes the payloads of a run.
func (c *Client) Forget(ctx context.Context, id string, f app.Forgetting) (v app.ForgottenView, err error) {
	return v, c.call(ctx, request{method: http.MethodDelete, path: "/runs/" + segment(id) + "/payloads", body: f}, &v)
}
