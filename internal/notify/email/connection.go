package email

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/textproto"
	"strconv"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/phrase"
	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/outbound"
)

// Limits of connections.
const (
	connectionsMax = 4   // at once
	mailsMax       = 100 // mails on one connection: many servers permit no more
	idleFor        = 15 * time.Second
	connectWithin  = 20 * time.Second // until mails can be sent
	sendWithin     = 60 * time.Second // one mail
	replyMax       = 64 << 10         // bytes that a server may send per mail
)

// connection is one to a mail server that accepts mails.
type connection struct {
	*smtp.Client
	raw    *limited
	mails  int
	expiry *time.Timer // while it is idle
}

// limited bounds the bytes of a server's replies.
type limited struct {
	net.Conn
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errors.New("the replies are too long")
	}
	n, err := l.Conn.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// pool keeps idle connections for a while.
type pool struct {
	slots  chan struct{}
	mu     sync.Mutex
	idle   []*connection
	closed bool
}

// take returns an idle connection, or nil.
func (p *pool) take() *connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	c := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	c.expiry.Stop()
	return c
}

// put keeps a connection.
func (p *pool) put(c *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		go c.quit()
		return
	}
	p.idle = append(p.idle, c)
	c.expiry = time.AfterFunc(idleFor, func() {
		if p.remove(c) {
			c.quit()
		}
	})
}

func (p *pool) remove(c *connection) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.idle {
		if other == c {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			return true
		}
	}
	return false
}

func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range idle {
		c.expiry.Stop()
		c.quit()
	}
}

// quit ends a connection politely, and in any case.
func (c *connection) quit() {
	_ = c.raw.SetDeadline(time.Now().Add(time.Second))
	_ = c.Quit() // the server may be gone
	_ = c.raw.Close()
}

// deliver composes a mail and hands it over.
func (c *Channel) deliver(ctx context.Context, e envelope, m notify.Message) error {
	text, err := c.compose(e, m)
	if err != nil {
		return &notify.Failure{Why: c.hide("the mail cannot be composed: " + err.Error()), Permanent: true}
	}
	select {
	case c.pool.slots <- struct{}{}:
		defer func() { <-c.pool.slots }()
	case <-ctx.Done():
		return notify.Failed("no connection to %s was free: %v", c.server.host, ctx.Err())
	}
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.raw.Close() })
	err = c.transact(conn, e, text)
	broken := !stop()
	var reply *textproto.Error
	conn.mails++
	switch failed := errors.As(err, &reply); {
	case broken, err != nil && !failed, conn.mails >= c.mailsPer, failed && reply.Code == 421:
		conn.quit()
	default:
		c.pool.put(conn)
	}
	return c.failure(err)
}

// connect returns a connection that is ready for a mail.
func (c *Channel) connect(ctx context.Context) (*connection, error) {
	for conn := c.pool.take(); conn != nil; conn = c.pool.take() {
		conn.raw.left = replyMax
		_ = conn.raw.SetDeadline(time.Now().Add(connectWithin))
		if conn.Reset() == nil { // it also ends a transaction that was refused
			return conn, nil
		}
		_ = conn.raw.Close() // the server ended it while it was idle
	}
	conn, err := c.dial(ctx)
	if err != nil {
		return nil, c.failure(&step{"connecting", false, err})
	}
	return conn, nil
}

// dial opens a connection, encrypts it and signs in.
func (c *Channel) dial(ctx context.Context) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	var raw *limited
	release := func() bool { return true }
	defer func() { release() }()
	options := []gomail.Option{
		gomail.WithTimeout(connectWithin),
		gomail.WithTLSConfig(c.config.Out.TLS(c.server.host)),
		gomail.WithDialContextFunc(func(dialing context.Context, network, _ string) (net.Conn, error) {
			conn, err := c.config.Out.Dial(dialing, network, c.server.address())
			if err != nil {
				return nil, err
			}
			raw = &limited{conn, replyMax}
			release = context.AfterFunc(ctx, func() { _ = conn.Close() }) // at once if the caller has given up
			return c.secured(dialing, raw)
		}),
	}
	encrypted := !c.server.local && !c.server.plaintext
	switch {
	case c.server.implicit:
		options = append(options, gomail.WithSSL())
	case encrypted:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	}
	if c.server.user != "" {
		mechanisms := []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256PLUS, gomail.SMTPAuthSCRAMSHA256,
			gomail.SMTPAuthPlain, gomail.SMTPAuthLogin}
		if !encrypted && !c.server.implicit {
			mechanisms = []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlainNoEnc,
				gomail.SMTPAuthLoginNoEnc}
		}
		options = append(options, gomail.WithUsername(c.server.user), gomail.WithPassword(c.config.Password),
			gomail.WithOpportunisticSMTPAuth(mechanisms...))
	}
	client, err := gomail.NewClient(c.server.host, options...) // one per connection: dialing changes it
	if err != nil {
		return nil, err
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		if raw != nil {
			_ = raw.Close() // the library leaves it open
		}
		return nil, err
	}
	return &connection{Client: session, raw: raw}, nil
}

// secured starts TLS where the address says so, and checks that a server that may do without it is on this machine.
func (c *Channel) secured(ctx context.Context, raw *limited) (net.Conn, error) {
	if c.server.implicit {
		conn := tls.Client(raw, c.config.Out.TLS(c.server.host))
		if err := conn.HandshakeContext(ctx); err != nil {
			_ = raw.Close()
			return nil, err
		}
		return conn, nil
	}
	if at, err := netip.ParseAddrPort(raw.RemoteAddr().String()); c.server.local && !c.server.plaintext &&
		(err != nil || !at.Addr().Unmap().IsLoopback()) {
		_ = raw.Close()
		return nil, fmt.Errorf("%s is %s, which is not this machine", c.server.host, raw.RemoteAddr())
	}
	return raw, nil
}

// step is a failure with what was being done.
type step struct {
	doing   string
	unknown bool // the mail may have arrived
	err     error
}

func (s *step) Error() string { return s.doing + ": " + s.err.Error() }
func (s *step) Unwrap() error { return s.err }

// transact hands one mail over. If there are several recipients, it is sent to those that the server accepts.
func (c *Channel) transact(conn *connection, e envelope, text []byte) error {
	conn.raw.left = replyMax
	_ = conn.raw.SetDeadline(time.Now().Add(sendWithin))
	ascii := e.ascii() && isASCII(c.from.Address)
	if has, _ := conn.Extension("SMTPUTF8"); !has && !ascii {
		return &step{"addressing", false, &textproto.Error{Code: 553, Msg: "5.6.7 the server does not support " +
			"addresses with characters outside ASCII"}}
	}
	conn.SkipSMTPUTF8(ascii) // servers on the way may not know it
	if err := conn.Mail("<" + c.from.Address + ">"); err != nil {
		return &step{"the sender " + c.from.Address, false, err}
	}
	accepted := 0
	var refused error
	for _, to := range e.to {
		err := conn.Rcpt("<" + to.Address + ">")
		var reply *textproto.Error
		switch {
		case err == nil:
			accepted++
		case !errors.As(err, &reply) || reply.Code < 500:
			return &step{"the recipient " + to.Address, false, err}
		default:
			refused = &step{"the recipient " + to.Address, false, err}
		}
	}
	if accepted == 0 {
		return refused
	}
	w, err := conn.Data()
	if err != nil {
		return &step{"the mail", false, err}
	}
	if _, err := w.Write(text); err != nil {
		return &step{"sending the mail", false, err} // without its end the server drops it
	}
	if err := w.Close(); err != nil {
		var reply *textproto.Error
		return &step{"the mail", !errors.As(err, &reply), err}
	}
	return nil
}

// failure turns an error into what the sender of messages understands.
func (c *Channel) failure(err error) error {
	if err == nil {
		return nil
	}
	out := &notify.Failure{}
	var (
		at      *step
		reply   *textproto.Error
		blocked *outbound.Failed
		cert    *tls.CertificateVerificationError
	)
	doing := ""
	if errors.As(err, &at) {
		doing, err = at.doing, at.err
		out.Unknown = at.unknown
	}
	host := c.server.host
	switch {
	case errors.As(err, &reply):
		out.Permanent = reply.Code >= 500
		out.Why = fmt.Sprintf("%s refused %s: %s", host, doing, strconv.Itoa(reply.Code)+" "+reply.Msg)
		if doing == "connecting" {
			out.Why = fmt.Sprintf("%s refused the connection or the user: %d %s", host, reply.Code, reply.Msg)
		}
	case errors.As(err, &blocked):
		out.Permanent, out.Why = true, fmt.Sprintf("%s: %s", host, blocked.Message)
	case errors.As(err, &cert):
		out.Permanent, out.Why = true, fmt.Sprintf("%s has no valid certificate: %v", host, cert)
	case out.Unknown:
		out.Why = fmt.Sprintf("%s did not confirm the mail: %v", host, err)
	case isSetting(err):
		out.Permanent, out.Why = true, fmt.Sprintf("%s: %v", host, err)
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		out.Why = fmt.Sprintf("%s closed the connection (%s)", host, doing)
	default:
		out.Why = fmt.Sprintf("%s: %s: %v", host, doing, err)
	}
	out.Why = phrase.Clip(visible(c.hide(out.Why)), 500)
	return out
}

// isSetting reports that server and configuration do not agree, which another attempt does not change.
func isSetting(err error) bool {
	for _, known := range []error{gomail.ErrNoSupportedAuthDiscovered, gomail.ErrPlainAuthNotSupported,
		gomail.ErrLoginAuthNotSupported, smtp.ErrUnencrypted, smtp.ErrWrongHostname} {
		if errors.Is(err, known) {
			return true
		}
	}
	text := err.Error()
	return hasAny(text, "does not support STARTTLS", "does not support SMTP AUTH", "which is not this machine")
}

// hide masks the password: a server may repeat it.
func (c *Channel) hide(text string) string { return outbound.NewVeil(c.config.Password).Hide(text) }
