package email

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/outbound"
)

// Config is what a channel needs.
type Config struct {
	SMTP     string // smtp[s]://[user@]HOST:PORT; smtp means STARTTLS
	Password string
	From     string   // such as Assent <assent@example.com>
	To       []string // for messages to a recipient without an address
	// Plaintext permits a connection without encryption. To this machine it is always permitted.
	Plaintext bool
	DKIM      *DKIM // nil: mails are not signed
	// Unsubscribe returns the address where a recipient turns messages like this one off; empty: there is none. With
	// oneClick a POST to it does that, without any other credentials, so it must be unguessable; otherwise it is a page.
	// Nil: there is none.
	Unsubscribe func(to notify.Recipient, m notify.Message) (address string, oneClick bool)
	Out         *outbound.Client
	Now         func() time.Time // nil: the clock
}

// DKIM signs mails in the name of a domain.
type DKIM struct {
	Domain   string
	Selector string
	Key      string // private key in PEM: RSA (of 2048 bits or more) or Ed25519
}

// addressMax is the longest address that SMTP can carry.
const addressMax = 254

// Channel sends mails. Connections are kept open for a while; Close ends those that are idle.
type Channel struct {
	config   Config
	from     *mail.Address
	to       []*mail.Address
	key      crypto.Signer
	server   server
	pool     pool
	sent     recent
	mailsPer int // mails per connection
}

var _ notify.Editor = (*Channel)(nil)

// New checks a configuration. Errors contain no secrets. It connects to nothing.
func New(c Config) (*Channel, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	out := &Channel{config: c, mailsPer: mailsMax}
	var err error
	if out.server, err = parseServer(c); err != nil {
		return nil, err
	}
	if out.from, err = parseAddress(c.From); err != nil {
		return nil, fmt.Errorf("from: %w", err)
	}
	for _, to := range c.To {
		a, err := parseAddress(to)
		if err != nil {
			return nil, fmt.Errorf("to: %w", err)
		}
		out.to = append(out.to, a)
	}
	if c.DKIM != nil {
		if out.key, err = parseKey(*c.DKIM); err != nil {
			return nil, fmt.Errorf("dkim: %w", err)
		}
	}
	out.pool.slots = make(chan struct{}, connectionsMax)
	return out, nil
}

// Close closes connections that are idle. Mails that are being sent are sent.
func (c *Channel) Close() error {
	c.pool.close()
	return nil
}

// Room has no acts: mails cannot be edited, and programs follow their links. Mail programs cut HTML off at about
// 100 kB.
func (c *Channel) Room() notify.Room { return notify.Room{Details: 32 << 10} }

// States of a reference, its first word. The second is the id of the mail.
const (
	asked   = "asked"   // the mail asks for a decision
	told    = "told"    // it does not
	settled = "settled" // it did, and the reply was sent
)

// Send sends a mail. A mail that says how an approval was settled is sent once to an address, whatever caused it.
func (c *Channel) Send(ctx context.Context, to notify.Recipient, m notify.Message) (notify.Ref, error) {
	addresses, err := c.addresses(to)
	if err != nil {
		return "", err
	}
	e := envelope{to: addresses, id: c.id("key", m.Key), thread: c.id("thread", m.Thread)}
	state := told
	switch {
	case settles(m):
		e.id = c.outcomeID(addresses, m)
	case m.Approval != "" && (m.Event == notify.ApprovalNeeded || m.Event == notify.ApprovalEscalated):
		state = asked
	}
	if c.config.Unsubscribe != nil {
		e.unsubscribe, e.oneClick = c.config.Unsubscribe(to, m)
	}
	if err := c.once(ctx, e, m, settles(m)); err != nil {
		return "", err
	}
	return notify.Ref(state + " " + e.id), nil
}

// Edit sends a short reply that says how an approval was settled, to recipients who had been asked. A mail itself
// cannot be changed, so for all else it does nothing.
func (c *Channel) Edit(
	ctx context.Context, to notify.Recipient, ref notify.Ref, m notify.Message,
) (notify.Ref, error) {
	id, was := strings.CutPrefix(string(ref), asked+" ")
	if !was || !settles(m) {
		return ref, nil
	}
	addresses, err := c.addresses(to)
	if err != nil {
		return ref, err
	}
	m.Details, m.Facts = nil, nil
	e := envelope{to: addresses, id: c.outcomeID(addresses, m), thread: c.id("thread", m.Thread), reply: id}
	if err := c.once(ctx, e, m, true); err != nil {
		return ref, err
	}
	return notify.Ref(settled + " " + id), nil
}

// settles reports whether a message says how an approval was settled.
func settles(m notify.Message) bool {
	return m.Settled && m.Approval != "" && strings.HasPrefix(string(m.Event), "approval.")
}

// outcomeID is the id of the mail that tells an address how an approval was settled.
func (c *Channel) outcomeID(to []*mail.Address, m notify.Message) string {
	parts := []string{"outcome", m.Approval}
	for _, a := range to {
		parts = append(parts, a.Address)
	}
	return c.id(parts...)
}

// once sends a mail unless one with its id was sent recently. Only outcomes are remembered: several messages of a
// thread may be edited, or a message about the outcome sent, and one mail tells it.
func (c *Channel) once(ctx context.Context, e envelope, m notify.Message, outcome bool) error {
	if outcome && !c.sent.claim(e.id) {
		return nil
	}
	err := c.deliver(ctx, e, m)
	if err != nil && outcome {
		c.sent.forget(e.id)
	}
	return err
}

func (c *Channel) addresses(to notify.Recipient) ([]*mail.Address, error) {
	if to.Address == "" {
		if len(c.to) == 0 {
			return nil, &notify.Failure{Why: "the recipient has no e-mail address", Permanent: true}
		}
		return c.to, nil
	}
	a, err := parseAddress(to.Address)
	if err != nil {
		return nil, &notify.Failure{Why: err.Error(), Permanent: true}
	}
	return []*mail.Address{a}, nil
}

// parseAddress accepts one mailbox, with or without a name.
func parseAddress(text string) (*mail.Address, error) {
	if strings.ContainsFunc(text, unseen) {
		return nil, errors.New("the e-mail address contains line ends or invisible characters")
	}
	a, err := mail.ParseAddress(text)
	if err != nil {
		return nil, fmt.Errorf("%q is not an e-mail address", phrase.Clip(visible(text), 100))
	}
	local, domain, _ := cutLast(a.Address, "@")
	if len(a.Address) > addressMax || len(local) > 64 || domain == "" || strings.ContainsAny(a.Address, "<> \t\r\n\"\\") {
		return nil, fmt.Errorf("%q is not an e-mail address that can be used", phrase.Clip(visible(text), 100))
	}
	return a, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// server is where mails are handed over.
type server struct {
	host, port, user string
	implicit         bool // TLS from the first byte
	local            bool // this machine
	plaintext        bool
}

func parseServer(c Config) (server, error) {
	const write = "write smtp://HOST:PORT or smtps://HOST:PORT, with USER@ before the host if it asks for a password"
	u, err := url.Parse(c.SMTP)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || u.Port() == "" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return server{}, errors.New("smtp: not the address of a mail server: " + write)
	}
	if _, has := u.User.Password(); has {
		return server{}, errors.New("smtp: the address contains a password: set it as password instead")
	}
	s := server{host: u.Hostname(), port: u.Port(), user: u.User.Username(), implicit: u.Scheme == "smtps",
		plaintext: c.Plaintext}
	ip, err := netip.ParseAddr(s.host)
	s.local = strings.EqualFold(s.host, "localhost") || err == nil && ip.Unmap().IsLoopback()
	switch {
	case s.user == "" && c.Password != "":
		return server{}, errors.New("password: a password needs a user: " + write)
	case s.user != "" && c.Password == "":
		return server{}, errors.New("password: the password of the user in smtp is missing")
	case strings.ContainsFunc(s.user, unseen), strings.ContainsFunc(c.Password, unseen):
		return server{}, errors.New("password: the user or the password contains line ends or invisible characters")
	}
	return s, nil
}

func (s server) address() string { return net.JoinHostPort(s.host, s.port) }

// recent remembers the ids of outcomes that were sent, or are being sent.
type recent struct {
	mu    sync.Mutex
	ids   map[string]bool
	order []string
}

const recentMax = 10_000

// claim reports whether the caller is the one who sends it.
func (r *recent) claim(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ids[id] {
		return false
	}
	if r.ids == nil {
		r.ids = map[string]bool{}
	}
	r.ids[id] = true
	if r.order = append(r.order, id); len(r.order) > recentMax {
		delete(r.ids, r.order[0])
		r.order = r.order[1:]
	}
	return true
}

func (r *recent) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.ids, id)
}
