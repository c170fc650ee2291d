package client

import (
	"context"
	"net/http"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/view"
)

// StandIns lists stand-ins.
func (c *Client) StandIns(ctx context.Context, k Console) (v view.List[directory.StandIn], err error) {
	return v, c.call(ctx, request{method: http.MethodGet, path: "/people/stand_ins", header: k.header()}, &v)
}

// StandIn returns a person's stand-in.
func (c *Client) StandIn(ctx context.Context, k Console, name string) (v directory.StandIn, err error) {
	return v, c.call(ctx, request{method: http.MethodGet, path: standInOf(name), header: k.header()}, &v)
}

// PutStandIn sets a person's stand-in.
func (c *Client) PutStandIn(ctx context.Context, k Console, name string,
	change contract.StandInChange) (v directory.StandIn, err error) {
	return v, c.call(ctx, request{method: http.MethodPut, path: standInOf(name), body: change, header: k.header()}, &v)
}

// RemoveStandIn removes it.
func (c *Client) RemoveStandIn(ctx context.Context, k Console, name string) (v directory.StandIn, err error) {
	return v, c.call(ctx, request{method: http.MethodDelete, path: standInOf(name), header: k.header()}, &v)
}

func standInOf(name string) string { return "/people/" + segment(name) + "/stand_in" }
