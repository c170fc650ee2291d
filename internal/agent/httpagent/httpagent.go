// Package httpagent contains agents that are HTTP services:
//
//	caller := httpagent.NewCaller(httpagent.Options{Lookup: secrets})
//	defer caller.Close()
//	agent, err := caller.Agent(definition.HTTP{URL: "https://agents.example/mailer"})
//
// Each piece of work is one POST. The body is the question, as defined by package answer, and the header
// Idempotency-Key identifies the piece of work: the same key again is a retry.
//
// Package outbound interprets responses, restricts what can be reached and handles redirects. Secrets in
// headers are resolved for each call. They never appear in errors.
package httpagent

import (
	"context"
	"crypto/x509"
	"time"

	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
)

// Options define what a caller may reach, and its dependencies.
type Options struct {
	AllowLoopback bool           // allow agents on this machine
	AllowPrivate  bool           // allow private networks; with AllowLoopback, also through the environment's proxy
	Lookup        answer.Lookup  // resolves secrets; nil: there are none
	RootCAs       *x509.CertPool // trusted certificates; nil: those of the system
	Now           func() time.Time
}

// Caller owns the connections that all its agents share.
type Caller struct {
	lookup answer.Lookup
	client *outbound.Client
}

// NewCaller creates a caller.
func NewCaller(o Options) *Caller {
	return &Caller{o.Lookup, outbound.New(outbound.Options{AllowLoopback: o.AllowLoopback, AllowPrivate: o.AllowPrivate,
		RootCAs: o.RootCAs, Now: o.Now})}
}

// Close closes idle connections. Work in progress continues.
func (c *Caller) Close() { c.client.Close() }

// Agent is one service.
type Agent struct {
	caller  *Caller
	url     string
	host    string // its name in failures
	secret  []string
	headers map[string]definition.Secret
}

var _ port.Agent = (*Agent)(nil)

// Agent returns the agent for a service.
func (c *Caller) Agent(d definition.HTTP) (*Agent, error) {
	u, ok := outbound.ParseURL(d.URL)
	if !ok {
		// The address is not quoted: it may contain a password.
		return nil, fault.New(fault.Invalid, "the url of an HTTP agent is not an http or https address",
			"write url: https://agents.example/mailer")
	}
	a := &Agent{caller: c, url: d.URL, host: u.Host, headers: d.Headers}
	if password, ok := u.User.Password(); ok {
		a.secret = append(a.secret, password)
	}
	for name := range d.Headers {
		if err := outbound.CheckHeader(name); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Invoke calls the service.
func (a *Agent) Invoke(ctx context.Context, w port.Work, _ func(port.Progress)) (run.Result, error) {
	headers, veil, err := answer.Expand(a.headers, a.caller.lookup, a.secret...)
	if err != nil {
		return run.Result{}, answer.Failed(outbound.Permanent(outbound.NoSecret, "header "+err.Error()))
	}
	question, err := answer.Question(w)
	if err != nil {
		return run.Result{}, err
	}
	body, err := a.caller.client.Ask(ctx, outbound.Question{URL: a.url, Host: a.host, Headers: headers, Key: w.Key,
		Body: question, Veil: veil})
	if err != nil {
		return run.Result{}, answer.Failed(err)
	}
	return answer.Decode(body, veil)
}
