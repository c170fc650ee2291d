// Package llm calls language models for one turn at a time:
//
//	settings := definition.LLM{Provider: definition.OpenAI, Model: "gpt-4o", APIKey: key}
//	model, err := llm.New(settings, llm.Options{Lookup: secrets})
//	turn, err := model.Think(ctx, request, tell)
//
// The core owns the loop: it decides what follows from a turn, retries and enforces limits. A model here
// builds one conversation, sends it once and parses the response.
//
// # Request
//
//	system          the document's text, then how to answer
//	first message   <input>, <guidance>, <lessons> and, where the conversation was
//	                too long, a <summary> of its beginning
//	then            the conversation so far, oldest first
//
// The same thought produces the same bytes. If it would fill more than 85 % of the model's window, the oldest
// messages and calls are summarised in one line each; a call and its result stay together, and the newest are
// always included.
//
// # Response
//
//	calls           with our names of the tools, arguments as
//	                written, even if invalid: the core reports that to the model
//	final answer    with an output schema a JSON object, else text
//	confidence      next to the members of the object, or in a last line
//	                "Confidence: 0.6 - why"; otherwise unknown
//
// # Failures
//
//	408, 409, 429, 5xx              transient; Retry-After and the like are honoured
//	no connection, cut off, slow    transient
//	context_length                  transient while something can be left out
//	any other status, refusals      permanent
//	no answer before ctx ends       the error of ctx
//
// Secrets are resolved for each turn. They never appear in failures, progress or turns, whatever the other
// side repeats.
package llm

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/agent/answer"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Limits, each tested at or over.
const (
	streamMax    = 64 << 20      // bytes of a response on the wire, envelopes included
	replyMax     = run.OutputMax // bytes of text and arguments in it
	reasoningMax = 16 << 10      // bytes kept of the reason for a confidence
	redirectsMax = 3
	thinkWithin  = 5 * time.Minute // unless the document says otherwise
)

// Options are the dependencies of a model.
type Options struct {
	Lookup    answer.Lookup               // resolves secrets; nil: there are none
	Prices    map[string]definition.Price // by model; one without a price is free
	Transport http.RoundTripper           // makes the connections; nil: the default
	Now       func() time.Time
	Window    func(model string) int // tokens of a model's window; nil or 0: as known here
}

// Model is one model at one provider, as an agent's document describes it. It is safe for concurrent use.
type Model struct {
	d       definition.LLM
	o       Options
	dialect dialect
	base    *url.URL // without a query
	query   url.Values
	secret  []string // parts of the address
	client  *http.Client
	// learned is how many tokens the provider accepted after it reported too many; 0: it never did.
	learned atomic.Int64
}

var _ port.Model = (*Model)(nil)

// dialect is a provider's protocol.
type dialect interface {
	// home is the provider's own address.
	home() string
	// ask sends a request and passes the response to the reply.
	ask(ctx context.Context, to target, q *request, r *reply) error
}

// target is where a request goes, and its credentials.
type target struct {
	client  *http.Client
	base    string
	query   url.Values
	key     string
	headers map[string]string
	turn    string // the turn's key
}

var dialects = map[definition.Provider]dialect{definition.OpenAI: openAI{}, definition.Anthropic: claude{}}

// reserved are headers that only this package sets.
var reserved = []string{"Accept", "Connection", "Content-Length", "Content-Type", "Host", "Idempotency-Key", "Te",
	"Trailer", "Transfer-Encoding", "Upgrade"}

// New creates a model from an agent's document.
func New(d definition.LLM, o Options) (*Model, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if d.Provider == "" {
		d.Provider = definition.OpenAI
	}
	m := &Model{d: d, o: o, dialect: dialects[d.Provider]}
	switch {
	case m.dialect == nil:
		return nil, fault.Newf(fault.Invalid, "%q is not a known provider; use openai or anthropic", d.Provider)
	case d.Model == "":
		return nil, fault.New(fault.Invalid, "the agent has no model", "write model: gpt-4o")
	}
	if err := m.address(); err != nil {
		return nil, err
	}
	for name := range d.Headers {
		switch {
		case !token(name):
			return nil, fault.Newf(fault.Invalid, "%q is not a valid header name", name)
		case slices.Contains(reserved, http.CanonicalHeaderKey(name)):
			return nil, fault.Newf(fault.Invalid, "the header %s is set by Assent", name)
		}
	}
	m.client = &http.Client{Transport: &wire{o.Transport}, CheckRedirect: redirect}
	return m, nil
}

// address splits base_url. Some gateways need its query.
func (m *Model) address() error {
	text := m.d.BaseURL
	if text == "" {
		text = m.dialect.home()
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		// The parser's error quotes the address, which may contain a password.
		return fault.New(fault.Invalid, "the base_url of the model is not an http or https address",
			"write base_url: https://api.openai.com/v1")
	}
	if password, ok := u.User.Password(); ok {
		m.secret = append(m.secret, password)
	}
	m.query = u.Query()
	for _, values := range m.query {
		for _, v := range values {
			if len(v) >= keyMin {
				m.secret = append(m.secret, v)
			}
		}
	}
	u.RawQuery, u.Fragment = "", ""
	m.base = u
	return nil
}

// token reports whether a name is a valid header name.
func token(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	})
}

// Think requests the next turn.
func (m *Model) Think(ctx context.Context, t port.TurnRequest, tell func(port.Progress)) (run.Turn, error) {
	s, err := m.secrets()
	if err != nil {
		return run.Turn{}, err
	}
	q, err := m.compose(t)
	if err != nil {
		return run.Turn{}, err
	}
	most := quantity.Or(m.d.Timeout, thinkWithin)
	if most <= 0 {
		most = thinkWithin
	}
	within, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	ear := listen(tell, s)
	defer ear.close()
	r := &reply{hear: ear.hear}
	to := target{m.client, m.base.String(), m.query, s.key, s.headers, t.Key}
	if err := m.dialect.ask(within, to, q, r); err != nil {
		return run.Turn{}, m.broken(ctx, within, err, q, r, s.veil)
	}
	return m.turn(t, q, r, s)
}
