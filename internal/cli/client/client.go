// Package client is a client for the REST API, using app's view types.
//
//	c := client.New("http://127.0.0.1:8080", client.As{User: "ann", Roles: []string{"finance"}})
//	inbox, err := c.Approvals(ctx, url.Values{"status": {"pending"}})
//
// Requests that change something carry an Idempotency-Key, so that they can be retried after a broken
// connection and still happen once.
package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// As is the caller's identity. Empty: as determined by the server.
type As struct {
	User  string
	Roles []string
	Token string // instead of both: a token of the server
}

// Client is a connection to a server as a caller.
type Client struct {
	base string
	as   As
	http *http.Client
}

// Dial opens a connection to the server.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// New creates a client. The address may omit http://. A nil dial uses the network.
func New(base string, as As, dial Dial) *Client {
	if !strings.Contains(base, "://") {
		base = "http://" + base
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil // a local server is never behind one
	if dial != nil {
		t.DialContext = dial
	}
	return &Client{base: strings.TrimRight(base, "/"), as: as, http: &http.Client{Transport: t}}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// HasToken reports whether the client authenticates with a token.
func (c *Client) HasToken() bool { return c.as.Token != "" }

// Base is the address of the server.
func (c *Client) Base() string { return c.base }

const (
	apiPath   = "/api/v1"
	answerMax = 64 << 20
	tries     = 4
	firstWait = 100 * time.Millisecond
	waitMax   = 2 * time.Second
)

// request is one API request.
type request struct {
	method string
	path   string // below /api/v1, unless it is absolute
	query  url.Values
	body   any // JSON, or raw
	raw    []byte
	mime   string
	header http.Header
}

// call sends a request and decodes the response into out, if it is not nil. It retries if the server is
// briefly unavailable.
func (c *Client) call(ctx context.Context, r request, out any) error {
	raw, mime := r.raw, r.mime
	if r.body != nil {
		b, err := json.Marshal(r.body)
		if err != nil {
			return fmt.Errorf("write the request: %w", err)
		}
		raw, mime = b, "application/json"
	}
	key := ""
	if r.method != http.MethodGet {
		key = rand.Text()
	}
	wait := firstWait
	for try := 1; ; try++ {
		after, err := c.once(ctx, r, raw, mime, key, out)
		if err == nil || try == tries || !again(err) {
			return err
		}
		select {
		case <-time.After(max(wait, min(after, waitMax))):
		case <-ctx.Done():
			return err
		}
		wait *= 2
	}
}

// again reports whether a retry may succeed.
func again(err error) bool {
	var p *Problem
	if errors.As(err, &p) {
		return p.Status == http.StatusServiceUnavailable || p.Status == http.StatusTooManyRequests
	}
	var op *net.OpError
	refused := errors.As(err, &op) && op.Op == "dial"
	return !refused && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF))
}

// once sends it once. After is the server's Retry-After.
func (c *Client) once(ctx context.Context, r request, raw []byte, mime, key string,
	out any) (after time.Duration, err error) {
	resp, err := c.send(ctx, r, raw, mime, key)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(resp.Body, answerMax))
	if err != nil {
		return 0, fmt.Errorf("read the response: %w", err)
	}
	if resp.StatusCode >= 300 {
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // 0 if there is none
		return time.Duration(seconds) * time.Second, problemOf(resp, b)
	}
	if out == nil {
		return 0, nil
	}
	if raw, ok := out.(*[]byte); ok {
		*raw = b
		return 0, nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return 0, fmt.Errorf("unexpected response to %s %s (is this an Assent server?): %w",
			r.method, c.base+r.path, err)
	}
	return 0, nil
}

func (c *Client) send(ctx context.Context, r request, raw []byte, mime, key string) (*http.Response, error) {
	path := r.path
	if !strings.HasPrefix(path, "//") {
		path = apiPath + path
	}
	address := c.base + strings.Replace(path, "//", "/", 1)
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	if mime != "" {
		req.Header.Set("Content-Type", mime)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	c.as.sign(req.Header)
	resp, err := c.http.Do(req)
	if err != nil {
		var wrapped *url.Error // repeats the address
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, &Unreachable{Base: c.base, Err: err}
	}
	return resp, nil
}

// Unreachable reports that the server did not answer.
type Unreachable struct {
	Base string
	Err  error
}

func (u *Unreachable) Error() string {
	why := u.Err
	var op *net.OpError // "dial tcp", and the address again
	if errors.As(why, &op) {
		why = op.Err
	}
	var call *os.SyscallError // "connect"
	if errors.As(why, &call) {
		why = call.Err
	}
	return fmt.Sprintf("no response from %s: %v", u.Base, why)
}

func (u *Unreachable) Unwrap() error { return u.Err }

func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	return c.call(ctx, request{method: http.MethodGet, path: path, query: query}, out)
}

func (c *Client) post(ctx context.Context, path string, body, out any) error {
	return c.call(ctx, request{method: http.MethodPost, path: path, body: body}, out)
}

// segment escapes a name for a path.
func segment(s string) string { return url.PathEscape(s) }
