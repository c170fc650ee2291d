package client

import (
	"context"
	"net/http"

	"github.com/assent-run/assent/internal/trigger"
	"github.com/assent-run/assent/internal/view"
)

// Triggers lists the triggers in force.
func (c *Client) Triggers(ctx context.Context) (v view.List[trigger.Trigger], err error) {
	return v, c.get(ctx, "/triggers", nil, &v)
}

// Trigger shows a trigger with its last deliveries.
func (c *Client) Trigger(ctx context.Context, name string) (v trigger.Trigger, err error) {
	return v, c.get(ctx, "/triggers/"+segment(name), nil, &v)
}

// ReplayDelivery starts a run with a delivery again.
func (c *Client) ReplayDelivery(ctx context.Context, name, delivery string) (v view.Run, err error) {
	return v, c.post(ctx, "/triggers/"+segment(name)+"/deliveries/"+segment(delivery)+"/replay", nil, &v)
}

// DeleteTrigger deletes a trigger.
func (c *Client) DeleteTrigger(ctx context.Context, name string) (v trigger.Trigger, err error) {
	return v, c.call(ctx, request{method: http.MethodDelete, path: "/triggers/" + segment(name)}, &v)
}

// Deliver sends a delivery as another system would.
func (c *Client) Deliver(ctx context.Context, name string, headers map[string]string, body []byte) (v trigger.Receipt,
	err error) {
	r := request{method: http.MethodPost, path: "/hooks/" + segment(name), raw: body, mime: "application/json",
		header: http.Header{}}
	for name, text := range headers {
		r.header.Set(name, text)
	}
	return v, c.call(ctx, r, &v)
}
