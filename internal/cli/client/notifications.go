package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/assent-run/assent/internal/outbox"
	"github.com/assent-run/assent/internal/view"
)

// Channels lists the channels in force.
func (c *Client) Channels(ctx context.Context) (v view.List[outbox.Channel], err error) {
	return v, c.get(ctx, "/channels", nil, &v)
}

// TestChannel sends a test message on a channel.
func (c *Client) TestChannel(ctx context.Context, name string) (v outbox.ChannelTest, err error) {
	return v, c.post(ctx, "/channels/"+segment(name)+"/test", nil, &v)
}

// DeleteChannel deletes a channel.
func (c *Client) DeleteChannel(ctx context.Context, name string) (v outbox.Channel, err error) {
	return v, c.call(ctx, request{method: http.MethodDelete, path: "/channels/" + segment(name)}, &v)
}

// Deliveries lists messages, newest first.
func (c *Client) Deliveries(ctx context.Context, q url.Values) (v view.List[outbox.Delivery], err error) {
	return v, c.get(ctx, "/deliveries", q, &v)
}

// RetryDelivery sends a message again.
func (c *Client) RetryDelivery(ctx context.Context, id string) (v outbox.Delivery, err error) {
	return v, c.post(ctx, "/deliveries/"+segment(id)+"/retry", nil, &v)
}
