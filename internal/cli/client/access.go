package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/assent-run/assent/internal/api"
	"github.com/assent-run/assent/internal/app"
)

// Console is the secret of a server on this machine that lets whoever may read
// its data directory look after accounts and tokens.
type Console string

func (k Console) header() http.Header {
	if k == "" {
		return nil
	}
	return http.Header{"X-Assent-Token": {string(k)}}
}

// Accounts lists the people who sign in with a password.
func (c *Client) Accounts(ctx context.Context, k Console) (v app.ListView[api.AccountView], err error) {
	return v, c.call(ctx, request{method: http.MethodGet, path: "/accounts", header: k.header()}, &v)
}

// PutAccount makes an account or changes one; only narrows which.
func (c *Client) PutAccount(ctx context.Context, k Console, name, only string, change api.AccountChange) (v api.AccountView, err error) {
	r := request{method: http.MethodPut, path: "/accounts/" + segment(name), body: change, header: k.header()}
	if only != "" {
		r.query = url.Values{"only": {only}}
	}
	return v, c.call(ctx, r, &v)
}

// RemoveAccount removes an account.
func (c *Client) RemoveAccount(ctx context.Context, k Console, name string) (v api.AccountView, err error) {
	return v, c.call(ctx, request{method: http.MethodDelete, path: "/accounts/" + segment(name), header: k.header()}, &v)
}

// Tokens lists tokens.
func (c *Client) Tokens(ctx context.Context, k Console) (v app.ListView[api.TokenView], err error) {
	return v, c.call(ctx, request{method: http.MethodGet, path: "/tokens", header: k.header()}, &v)
}

// NewToken makes a token.
func (c *Client) NewToken(ctx context.Context, k Console, n api.NewToken) (v api.TokenView, err error) {
	return v, c.call(ctx, request{method: http.MethodPost, path: "/tokens", body: n, header: k.header()}, &v)
}

// RemoveToken withdraws a token.
func (c *Client) RemoveToken(ctx context.Context, k Console, id string) (v api.TokenView, err error) {
	return v, c.call(ctx, request{method: http.MethodDelete, path: "/tokens/" + segment(id), header: k.header()}, &v)
}
