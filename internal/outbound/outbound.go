// Package outbound is how this process reaches systems it does not control: services on the network, and (in
// package program) local programs. Agents and tools share it, so there is one guard and one set of limits.
//
//	client := outbound.New(outbound.Options{})
//	defer client.Close()
//	body, err := client.Ask(ctx, outbound.Question{
//		URL: "https://agents.example/mailer", Host: "agents.example", Key: key, Body: question,
//	})
//
// # Allowed addresses
//
// Only the public internet, unless Options says otherwise. The address is checked when the connection is made,
// after name resolution, so a name cannot resolve to one address for the check and to another for the connection.
//
// # Responses
//
//	200                          success
//	408, 429, 5xx                transient; Retry-After is honoured
//	no connection, disconnected  transient
//	any other status             permanent
//	no response before ctx ends  the error of ctx
//
// Up to 4 KiB of an error response are kept with the failure, and a Veil masks the secrets that were sent.
// Redirects are followed on the same host, at most three times; 307 and 308 repeat the request, the others fetch
// the response with GET, as browsers do.
package outbound

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/trace"
)

// Limits.
const (
	BodyMax = 16 << 20 // bytes of a whole response
	SaidMax = 4 << 10  // bytes kept of an error response

	idleMax       = 64 // idle connections kept open in total …
	idlePerHost   = 16 // … and per host
	idleFor       = 60 * time.Second
	connectWithin = 10 * time.Second
	headersMax    = 64 << 10 // bytes
	redirectsMax  = 3
)

// Options define what may be reached.
type Options struct {
	AllowLoopback bool           // this machine
	AllowPrivate  bool           // private networks; with AllowLoopback, also through the environment's proxy
	RootCAs       *x509.CertPool // trusted certificates; nil: those of the system
	Now           func() time.Time
}

// Client is a shared pool of connections.
type Client struct {
	now       func() time.Time
	transport *http.Transport
	service   *http.Client
	dialer    *net.Dialer
}

// New creates a client.
func New(o Options) *Client {
	if o.Now == nil {
		o.Now = time.Now
	}
	d := dialer(o)
	t := &http.Transport{
		DialContext:            d.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    connectWithin,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           idleMax,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleFor,
		MaxResponseHeaderBytes: headersMax,
	}
	if o.AllowLoopback && o.AllowPrivate {
		t.Proxy = proxied(d.Resolver)
	}
	return &Client{o.Now, t, &http.Client{Transport: traced{t}, CheckRedirect: SameHost}, d}
}

// traced tells services which span a request is part of.
type traced struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t traced) RoundTrip(req *http.Request) (*http.Response, error) {
	if c := trace.From(req.Context()); c.Valid() && req.Header.Get(trace.Header) == "" {
		req = req.Clone(req.Context())
		req.Header.Set(trace.Header, c.String())
	}
	return t.next.RoundTrip(req)
}

// Dial opens a guarded connection, for protocols other than HTTP. No proxy is used.
func (c *Client) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return c.dialer.DialContext(ctx, network, address)
}

// TLS is the configuration for connections to a host.
func (c *Client) TLS(host string) *tls.Config {
	config := c.transport.TLSClientConfig.Clone()
	config.ServerName, config.NextProtos = host, nil
	return config
}

// Close closes idle connections. Requests in progress continue.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Transport is the guarded transport, for clients with their own redirect rules and limits.
func (c *Client) Transport() http.RoundTripper { return traced{c.transport} }

// Question is one request to a service.
type Question struct {
	URL     string
	Host    string // name of the service in failures
	Headers map[string]string
	Key     string // the Idempotency-Key: the same key is the same work
	Body    []byte // JSON
	Veil    Veil   // masks the secrets in Headers and URL
}

// Ask sends a question with POST and returns the body of the response. Errors are a *Failed or the error of ctx.
func (c *Client) Ask(ctx context.Context, q Question) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, q.URL, bytes.NewReader(q.Body))
	if err != nil {
		return nil, Permanent("invalid_request", "the request to "+q.Host+" cannot be sent")
	}
	req.Header.Set("User-Agent", "assent")
	req.Header.Set("Accept", "application/json")
	if err := SetHeaders(req.Header, q.Headers); err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", q.Key)
	res, err := c.service.Do(req)
	if err != nil {
		return nil, Broken(ctx, q.Host, err, q.Veil)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, c.Refused(ctx, q.Host, res, q.Veil)
	}
	body, err := Read(res.Body)
	if err != nil {
		return nil, Broken(ctx, q.Host, err, q.Veil)
	}
	return body, nil
}

// Read reads a response up to BodyMax. Errors of r are returned unchanged.
func Read(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, BodyMax+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > BodyMax:
		return nil, OverLimit()
	}
	return body, nil
}

// OverLimit is the failure of a response longer than BodyMax.
func OverLimit() error {
	return Permanent(TooLarge, fmt.Sprintf("the response has more than %s, the limit", phrase.Bytes(BodyMax)))
}

// ParseURL parses an http or https address.
func ParseURL(text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, false
	}
	return u, true
}

// reserved are headers set by this package.
var reserved = []string{"Connection", "Content-Length", "Content-Type", "Host", "Idempotency-Key", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade"}

// CheckHeader explains why a header cannot be sent.
func CheckHeader(name string) error {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	}) {
		return fault.Newf(fault.Invalid, "%q is not a valid header name", name)
	}
	if slices.Contains(reserved, http.CanonicalHeaderKey(name)) {
		return fault.Newf(fault.Invalid, "the header %s is set by Assent", name)
	}
	return nil
}

// SetHeaders puts secrets into headers. Errors never contain them.
func SetHeaders(into http.Header, headers map[string]string) error {
	for name, secret := range headers {
		if !Sendable(secret) {
			return Permanent(NoSecret, "header "+name+": a line end or control character cannot be sent in a header")
		}
		into.Set(name, secret)
	}
	return nil
}

// Sendable reports whether a text can be the value of a header.
func Sendable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// SameHost is the redirect rule for services: a request to one host is never repeated to another.
func SameHost(to *http.Request, via []*http.Request) error {
	switch {
	case len(via) > redirectsMax:
		return Permanent(Redirected, fmt.Sprintf("%s redirects more than %d times", via[0].URL.Host, redirectsMax))
	case !sameHost(via[len(via)-1].URL, to.URL):
		return Permanent(Redirected, fmt.Sprintf("%s redirects to another host, %s; use that address if it is correct",
			via[0].URL.Host, to.URL.Host))
	}
	return nil
}

// sameHost also allows the upgrade from http to https, but not the reverse.
func sameHost(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == to.Scheme {
		return portOf(from) == portOf(to)
	}
	return from.Scheme == "http" && to.Scheme == "https" && portOf(from) == "80" && portOf(to) == "443"
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
