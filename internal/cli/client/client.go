// Package client talks to a server by its REST API, in the words of app's views.
//
//	c := client.New("http://127.0.0.1:8080", client.As{User: "ann", Roles: []string{"finance"}})
//	inbox, err := c.Approvals(ctx, url.Values{"status": {"pending"}})
//
// What changes something carries an Idempotency-Key, so that it can be sent
// again when the connection breaks and still happens once.
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
	"strconv"
	"strings"
	"time"
)

// As is who asks. Empty is whoever the server takes us for.
type As struct {
	User  string
	Roles []string
	Token string // instead of both: a token of the server
}

// Client is a server and who talks to it.
type Client struct {
	base string
	as   As
	http *http.Client
}

// Dial opens a connection to the server, wherever it is.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// New makes a client. The address may leave out http://. A nil dial is the network.
func New(base string, as As, dial Dial) *Client {
	if !strings.Contains(base, "://") {
		base = "http://" + base
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil // a server of our own is never behind one
	if dial != nil {
		t.DialContext = dial
	}
	return &Client{base: strings.TrimRight(base, "/"), as: as, http: &http.Client{Transport: t}}
}

// Close gives idle connections up.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// HasToken reports whether we say who we are with a token.
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

// request is one call of the API.
type request struct {
	method string
	path   string // below /api/v1, unless it is absolute
	query  url.Values
	body   any // JSON, or raw
	raw    []byte
	mime   string
	header http.Header
}

// call sends a request and reads the answer into out, if that is not nil. It
// tries again where the server is not there for a moment.
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

// again reports whether the same request may work in a moment.
func again(err error) bool {
	var p *Problem
	if errors.As(err, &p) {
		return p.Status == http.StatusServiceUnavailable || p.Status == http.StatusTooManyRequests
	}
	var op *net.OpError
	refused := errors.As(err, &op) && op.Op == "dial"
	return !refused && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF))
}

// once sends it one time. After is how long the server wants us to wait.
func (c *Client) once(ctx context.Context, r request, raw []byte, mime, key string,
	out any) (after time.Duration, err error) {
	resp, err := c.send(ctx, r, raw, mime, key)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(resp.Body, answerMax))
	if err != nil {
		return 0, fmt.Errorf("read the answer: %w", err)
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
		return 0, fmt.Errorf("%s %s answered something else than expected (is this an assent server?): %w",
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
		var wrapped *url.Error // says the address twice
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, &Unreachable{Base: c.base, Err: err}
	}
	return resp, nil
}

// Unreachable says that nobody answered.
type Unreachable struct {
	Base string
	Err  error
}

func (u *Unreachable) Error() string {
	return fmt.Sprintf("no answer from %s: %v", u.Base, u.Err)
}

func (u *Unreachable) Unwrap() error { return u.Err }

func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	return c.call(ctx, request{method: http.MethodGet, path: path, query: query}, out)
}

func (c *Client) post(ctx context.Context, path string, body, out any) error {
	return c.call(ctx, request{method: http.MethodPost, path: path, body: body}, out)
}

// segment writes a name into a path.
func segment(s string) string { return url.PathEscape(s) }
