package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/rights"
	"github.com/assent-run/assent/internal/view"
)

// Console is the secret of a server on this machine with which a reader of its data directory can manage
// accounts and tokens.
type Console string

func (k Console) header() http.Header {
	if k == "" {
		return nil
	}
	return http.Header{"X-Assent-Token": {string(k)}}
}

// Accounts lists the accounts with a password.
func (c *Client) Accounts(ctx context.Context, k Console) (v view.List[contract.AccountView], err error) {
	return v, c.call(ctx, request{method: http.MethodGet, path: "/accounts", header: k.header()}, &v)
}

// PutAccount creates or changes an account; only restricts which.
func (c *Client) PutAccount(ctx context.Context, k Console, name, only string,
	change contract.AccountChange) (v contract.AccountView, err error) {
	r := request{method: http.MethodPut, path: "/accounts/" + segment(name), body: change, header: k.header()}
	if only != "" {
		r.query = url.Values{"only": {only}}
	}
	return v, c.call(ctx, r, &v)
}

// RemoveAccount deletes an account.
func (c *Client) RemoveAccount(ctx context.Context, k Console, name string) (v contract.AccountView, err error) {
	return v, c.call(ctx, request{method: http.MethodDelete, path: "/accounts/" + segment(name), header: k.header()}, &v)
}

// Roles lists roles.
func (c *Client) Roles(ctx context.Context, k Console) (v view.List[contract.RoleView], err error) {
	return v, c.call(ctx, request{method: http.MethodGet, path: "/roles", header: k.header()}, &v)
}

// WithdrawRole takes a role out of force, if forced although it is needed.
func (c *Client) WithdrawRole(ctx context.Context, k Console, name string,
	force bool) (v registry.Document, err error) {
	r := request{method: http.MethodDelete, path: "/roles/" + segment(name), header: k.header()}
	if force {
		r.query = url.Values{"force": {"true"}}
	}
	return v, c.call(ctx, r, &v)
}

// Tokens lists tokens.
func (c *Client) Tokens(ctx context.Context, k Console) (v view.List[contract.TokenView], err error) {
	return v, c.call(ctx, request{method: http.MethodGet, path: "/tokens", header: k.header()}, &v)
}

// NewToken creates a token.
func (c *Client) NewToken(ctx context.Context, k Console, n contract.NewToken) (v contract.TokenView, err error) {
	return v, c.call(ctx, request{method: http.MethodPost, path: "/tokens", body: n, header: k.header()}, &v)
}

// RemoveToken revokes a token.
func (c *Client) RemoveToken(ctx context.Context, k Console, id string) (v contract.TokenView, err error) {
	return v, c.call(ctx, request{method: http.MethodDelete, path: "/tokens/" + segment(id), header: k.header()}, &v)
}

// Why returns what a person may do with an approval, and why. The default roles are those of their account.
func (c *Client) Why(ctx context.Context, k Console, user, approval string,
	roles []string) (v rights.AccessView, err error) {
	query := url.Values{"user": {user}}
	if len(roles) > 0 {
		query.Set("roles", strings.Join(roles, ","))
	}
	return v, c.call(ctx, request{method: http.MethodGet, path: "/approvals/" + segment(approval) + "/access",
		query: query, header: k.header()}, &v)
}

// MayQuery asks what a person or program may do. Empty fields have defaults.
type MayQuery struct {
	User     string
	As       string // the kind of principal
	Roles    []string
	Workflow string
	Kind     string // of an approval
	Role     string // that the approval asks
}

// May returns what someone may do, and why.
func (c *Client) May(ctx context.Context, k Console, q MayQuery) (v rights.PermissionsView, err error) {
	query := url.Values{}
	for name, value := range map[string]string{"as": q.As, "roles": strings.Join(q.Roles, ","),
		"workflow": q.Workflow, "kind": q.Kind, "role": q.Role} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return v, c.call(ctx, request{method: http.MethodGet, path: "/people/" + segment(q.User) + "/access",
		query: query, header: k.header()}, &v)
}

// ChangePassword changes a password: it signs in with the old one, and out again.
func (c *Client) ChangePassword(ctx context.Context, name, before, after string) error {
	other := *c
	other.as = As{}
	cookie, err := other.signIn(ctx, name, before)
	if err != nil {
		return err
	}
	signedIn := func(path string, body any) error {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		res, err := other.send(ctx, request{method: http.MethodPost, path: path, header: http.Header{"Cookie": {cookie}}},
			raw, "application/json", "")
		if err != nil {
			return err
		}
		next, err := cookieOf(res)
		if err == nil && next != "" {
			cookie = next
		}
		return err
	}
	err = signedIn("/me/password", contract.PasswordChange{Old: before, New: after})
	return errors.Join(err, signedIn("/sign-out", contract.SignOut{}))
}

// signIn returns the cookie of a new session.
func (c *Client) signIn(ctx context.Context, name, password string) (string, error) {
	raw, err := json.Marshal(contract.SignIn{Name: name, Password: password})
	if err != nil {
		return "", err
	}
	res, err := c.send(ctx, request{method: http.MethodPost, path: "/sign-in"}, raw, "application/json", "")
	if err != nil {
		return "", err
	}
	return cookieOf(res)
}

// cookieOf reads a response that may set a cookie.
func cookieOf(res *http.Response) (string, error) {
	defer res.Body.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(res.Body, answerMax))
	if err != nil {
		return "", fmt.Errorf("read the response: %w", err)
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		return "", problemOf(res, b)
	}
	for _, k := range res.Cookies() {
		if k.Value != "" {
			return k.Name + "=" + k.Value, nil
		}
	}
	return "", nil
}

// Subjects lists the people at the identity provider, with their names.
func (c *Client) Subjects(ctx context.Context, k Console) (v view.List[contract.BoundNameView], err error) {
	return v, c.call(ctx, request{method: http.MethodGet, path: "/subjects", header: k.header()}, &v)
}

// ReleaseSubject releases a name of the identity provider, or reassigns it.
func (c *Client) ReleaseSubject(ctx context.Context, k Console, name string,
	handOver bool) (v contract.BoundNameView, err error) {
	path := "/subjects/" + segment(name)
	if handOver {
		path += "?hand_over=true"
	}
	return v, c.call(ctx, request{method: http.MethodDelete, path: path, header: k.header()}, &v)
}
