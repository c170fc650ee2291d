// Package httpagent has agents that are services somewhere on the network:
//
//	caller := httpagent.NewCaller(httpagent.Options{Lookup: secrets})
//	defer caller.Close()
//	agent, err := caller.Agent(definition.HTTP{URL: "https://agents.example/mailer"})
//
// Each piece of work is one POST. The body is the question, as package answer
// has it, and the header Idempotency-Key names the piece of work: a service that
// gets the same key again has been asked before.
//
// # What an answer means
//
//	200                          the answer
//	408, 429, 5xx                transient; Retry-After is honoured
//	no connection, cut off       transient
//	any other status             permanent
//	no answer before ctx ends    the error of ctx, which is transient
//
// What came with an error is kept with the failure, at most 4 KiB of it.
// Redirects are followed on the same host, three times at most; 307 and 308
// repeat the question, the others fetch the answer with GET, as browsers do.
//
// # What can be reached
//
// Only the public internet, unless Options says otherwise; see Options. The
// address is looked at when the connection is made, behind all name resolution,
// so that no name can lead to one place first and to another later.
//
// Secrets in headers are looked up for each call. They appear in no error.
package httpagent

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Limits of a caller.
const (
	idleMax       = 64 // connections kept open for later, in all …
	idlePerHost   = 16 // … and to one host
	idleFor       = 60 * time.Second
	connectWithin = 10 * time.Second
	headersMax    = 64 << 10 // bytes
	redirectsMax  = 3
)

// Options say what a caller may reach, and where it finds things.
type Options struct {
	AllowLoopback bool           // agents on this machine
	AllowPrivate  bool           // agents in private networks; with AllowLoopback, also through the environment's proxy
	Lookup        answer.Lookup  // finds secrets; nil: there are none
	RootCAs       *x509.CertPool // whom to trust; nil: whom the system trusts
	Now           func() time.Time
}

// Caller holds the connections that all its agents share.
type Caller struct {
	lookup    answer.Lookup
	now       func() time.Time
	transport *http.Transport
	client    *http.Client
}

// NewCaller makes a caller.
func NewCaller(o Options) *Caller {
	if o.Now == nil {
		o.Now = time.Now
	}
	t := &http.Transport{
		DialContext:            dialer(o).DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    connectWithin,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           idleMax,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleFor,
		MaxResponseHeaderBytes: headersMax,
	}
	if o.AllowLoopback && o.AllowPrivate {
		t.Proxy = http.ProxyFromEnvironment // a proxy connects by itself: no guard could look at where to
	}
	return &Caller{o.Lookup, o.Now, t, &http.Client{Transport: t, CheckRedirect: redirect}}
}

// Close closes the connections that nobody uses. Work under way goes on.
func (c *Caller) Close() { c.transport.CloseIdleConnections() }

// Agent is one service.
type Agent struct {
	caller  *Caller
	url     string
	host    string // what failures call it
	secret  []string
	headers map[string]definition.Secret
}

var _ port.Agent = (*Agent)(nil)

// reserved are headers that are ours to set.
var reserved = []string{"Connection", "Content-Length", "Content-Type", "Host", "Idempotency-Key", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// Agent makes an agent of a service.
func (c *Caller) Agent(d definition.HTTP) (*Agent, error) {
	u, err := url.Parse(d.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		// The parser's error repeats the address, which may hold a password.
		return nil, fault.New(fault.Invalid, "the url of an HTTP agent is not an http or https address", "write url: https://agents.example/mailer")
	}
	a := &Agent{caller: c, url: d.URL, host: u.Host, headers: d.Headers}
	if password, ok := u.User.Password(); ok {
		a.secret = append(a.secret, password)
	}
	for name := range d.Headers {
		if !token(name) {
			return nil, fault.Newf(fault.Invalid, "%q is not the name of a header", name)
		}
		if slices.Contains(reserved, http.CanonicalHeaderKey(name)) {
			return nil, fault.Newf(fault.Invalid, "the header %s is set by assent itself", name)
		}
	}
	return a, nil
}

// token reports whether a name may stand before the colon of a header.
func token(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	})
}

// Invoke asks the service.
func (a *Agent) Invoke(ctx context.Context, w port.Work, _ func(port.Progress)) (run.Result, error) {
	req, veil, err := a.request(ctx, w)
	if err != nil {
		return run.Result{}, err
	}
	res, err := a.caller.client.Do(req)
	if err != nil {
		return run.Result{}, a.broken(ctx, err, veil)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return run.Result{}, a.refused(ctx, res, veil)
	}
	body, err := answer.Read(res.Body)
	if err != nil {
		return run.Result{}, a.broken(ctx, err, veil)
	}
	return answer.Decode(body, veil)
}

// request puts the question, with the secrets that hide themselves again.
func (a *Agent) request(ctx context.Context, w port.Work) (*http.Request, answer.Veil, error) {
	headers, veil, err := answer.Expand(a.headers, a.caller.lookup, a.secret...)
	if err != nil {
		return nil, veil, permanent("secret", "header "+err.Error())
	}
	question, err := answer.Question(w)
	if err != nil {
		return nil, veil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(question))
	if err != nil {
		return nil, veil, permanent("invalid_request", "the question to "+a.host+" cannot be put")
	}
	req.Header.Set("User-Agent", "assent")
	req.Header.Set("Accept", "application/json")
	for name, secret := range headers {
		if strings.ContainsFunc(secret, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return nil, veil, permanent("secret", "header "+name+": a line end or control character cannot be sent in a header")
		}
		req.Header.Set(name, secret)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", w.Key)
	return req, veil, nil
}

func permanent(code, message string) error {
	return &port.Failed{Failure: run.Failure{Code: code, Message: message}}
}

// redirect decides whether to follow one.
func redirect(to *http.Request, via []*http.Request) error {
	switch {
	case len(via) > redirectsMax:
		return permanent("redirect", fmt.Sprintf("%s redirects more than %d times", via[0].URL.Host, redirectsMax))
	case !sameHost(via[len(via)-1].URL, to.URL):
		return permanent("redirect", fmt.Sprintf("%s redirects to another host, %s; write that address if it is right", via[0].URL.Host, to.URL.Host))
	}
	return nil
}

// sameHost allows the step from http to https, and never the one back.
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
