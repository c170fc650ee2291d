// Package llm asks language models for one turn at a time:
//
//	settings := definition.LLM{Provider: definition.OpenAI, Model: "gpt-4o", APIKey: key}
//	model, err := llm.New(settings, llm.Options{Lookup: secrets})
//	turn, err := model.Think(ctx, thought, tell)
//
// The core owns the loop: it decides what follows from a turn, tries again and
// counts limits. A model here puts one conversation together, sends it once and
// reads what comes.
//
// # What a model is told
//
//	system          the document's text, then how to answer
//	first message   <input>, <guidance>, <lessons> and, where the conversation was
//	                too long, a <summary> of its beginning
//	then            all that was said and done, oldest first
//
// The same thought makes the same bytes. Where it would fill more than 85 % of
// the model's window, the oldest messages and calls are told in one line each;
// a call and its result stay together, and the newest are always there.
//
// # What comes back
//
//	calls           with the names that tools have here, arguments as they were
//	                written, also when they are no JSON: the core tells the model
//	final answer    with an output schema its JSON object, else words
//	confidence      beside the members of the object, or in a last line
//	                "Confidence: 0.6 - why"; nothing means nobody said
//
// # What a failure means
//
//	408, 409, 429, 5xx              transient; Retry-After and the like are honoured
//	no connection, cut off, slow    transient
//	context_length                  transient while there is something to leave out
//	any other status, refusals      permanent
//	no answer before ctx ends       the error of ctx
//
// Secrets are looked up for each turn. They appear in no failure and no
// progress, nor in a turn, whatever the other side repeats.
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
	streamMax    = 64 << 20      // bytes of an answer on the wire, envelopes included
	replyMax     = run.OutputMax // bytes of words and arguments in it
	reasoningMax = 16 << 10      // bytes kept of why a model is sure or not
	redirectsMax = 3
	thinkWithin  = 5 * time.Minute // unless the document says otherwise
)

// Options say where a model finds things.
type Options struct {
	Lookup    answer.Lookup               // finds secrets; nil: there are none
	Prices    map[string]definition.Price // by model; one without a price costs nothing
	Transport http.RoundTripper           // makes the connections; nil: the default
	Now       func() time.Time
	Window    func(model string) int // tokens that a model can hold; nil or 0: what is known here
}

// Model is one model at one provider, as an agent's document describes it. It
// may be asked by many at once.
type Model struct {
	d       definition.LLM
	o       Options
	dialect dialect
	base    *url.URL // without a query
	query   url.Values
	secret  []string // parts of the address
	client  *http.Client
	// learned is how many tokens went through after the provider said that
	// there were too many; 0: it never did.
	learned atomic.Int64
}

var _ port.Model = (*Model)(nil)

// dialect is a provider's way of talking.
type dialect interface {
	// home is where the provider itself is.
	home() string
	// ask sends a request and hands what comes to the reply.
	ask(ctx context.Context, to target, q *request, r *reply) error
}

// target is where a request goes, and with what.
type target struct {
	client  *http.Client
	base    string
	query   url.Values
	key     string
	headers map[string]string
	turn    string // the turn's key
}

var dialects = map[definition.Provider]dialect{definition.OpenAI: openAI{}, definition.Anthropic: claude{}}

// reserved are headers that are ours to set.
var reserved = []string{"Accept", "Connection", "Content-Length", "Content-Type", "Host", "Idempotency-Key", "Te",
	"Trailer", "Transfer-Encoding", "Upgrade"}

// New makes a model of an agent's document.
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
		return nil, fault.Newf(fault.Invalid, "%q is no provider that is known here; write openai or anthropic", d.Provider)
	case d.Model == "":
		return nil, fault.New(fault.Invalid, "the agent names no model", "write model: gpt-4o")
	}
	if err := m.address(); err != nil {
		return nil, err
	}
	for name := range d.Headers {
		switch {
		case !token(name):
			return nil, fault.Newf(fault.Invalid, "%q is not the name of a header", name)
		case slices.Contains(reserved, http.CanonicalHeaderKey(name)):
			return nil, fault.Newf(fault.Invalid, "the header %s is set by assent itself", name)
		}
	}
	m.client = &http.Client{Transport: &wire{o.Transport}, CheckRedirect: redirect}
	return m, nil
}

// address takes base_url apart. Some gateways need its query.
func (m *Model) address() error {
	text := m.d.BaseURL
	if text == "" {
		text = m.dialect.home()
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		// The parser's error repeats the address, which may hold a password.
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

// token reports whether a name may stand before the colon of a header.
func token(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	})
}

// Think asks for the next turn.
func (m *Model) Think(ctx context.Context, t port.Thought, tell func(port.Progress)) (run.Turn, error) {
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
