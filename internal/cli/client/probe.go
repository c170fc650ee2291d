package client

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
)

// Probe is a raw request, sent once with any identity, to test what a server rejects.
type Probe struct {
	Method, Path string // a path below /api/v1, unless it begins with //
	Body, Type   string // Type defaults to JSON
	As           *As    // nil: without credentials
	Host         string // instead of the server's own name
}

// probeMax is how much of a response is read.
const probeMax = 1 << 20

// Try sends a probe and returns the status and body. It neither retries nor follows redirects.
func (c *Client) Try(ctx context.Context, p Probe) (status int, said []byte, err error) {
	path := strings.Replace(p.Path, "//", "/", 1)
	if path == p.Path {
		path = apiPath + path
	}
	req, err := http.NewRequestWithContext(ctx, p.Method, c.base+path, bytes.NewReader([]byte(p.Body)))
	if err != nil {
		return 0, nil, err
	}
	if p.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if p.Type != "" {
		req.Header.Set("Content-Type", p.Type)
	}
	if p.Host != "" {
		req.Host = p.Host
	}
	p.As.sign(req.Header)
	client := *c.http
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, &Unreachable{Base: c.base, Err: err}
	}
	defer resp.Body.Close()
	said, err = io.ReadAll(io.LimitReader(resp.Body, probeMax))
	return resp.StatusCode, said, err
}

// Self is the identity of this client.
func (c *Client) Self() As { return c.as }

// sign adds the caller's identity to a request.
func (a *As) sign(h http.Header) {
	if a == nil {
		return
	}
	if a.Token != "" {
		h.Set("Authorization", "Bearer "+a.Token)
	}
	if a.User != "" {
		h.Set("X-Assent-User", a.User)
	}
	if len(a.Roles) > 0 {
		h.Set("X-Assent-Roles", strings.Join(a.Roles, ","))
	}
}
