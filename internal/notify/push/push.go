// Package push sends notifications to browsers: Web Push, RFC 8030, with RFC 8291 and RFC 8292.
//
//	p := push.New(push.Options{Store: store, Transport: out.Transport(), Contact: "https://assent.example.com"})
//	key, err := p.PublicKey(ctx)       // a browser subscribes with it
//	_, err = p.Subscribe(ctx, browser) // and tells where it can be reached
//	ref, err := p.Send(ctx, notify.Recipient{Person: "ann"}, message)
//
// A person may have several browsers, and a message goes to all of them. It counts as delivered if the service of one
// accepts it. Repeating it does no harm: browsers replace a notification with the same topic.
//
// The endpoints of subscriptions come from browsers, so they may be anything. Only https is accepted, requests go
// through the guard, redirects are not followed, and of an answer only the status is used.
package push

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/outbound"
	"github.com/assent-run/assent/internal/port"
)

const (
	answerWithin = 20 * time.Second
	answerMax    = 4 << 10 // bytes read of an answer, so that the connection can be used again
	// unusedFor is how long a browser is kept without having been renewed, which happens whenever the person opens
	// a page there.
	unusedFor = 30 * 24 * time.Hour
)

// Options configure a channel.
type Options struct {
	Store port.Pushes
	// Transport is that of the guard.
	Transport http.RoundTripper
	// Contact tells services whom to ask about the messages: a https or mailto address.
	Contact string
	Now     func() time.Time
}

// Channel sends to browsers. It implements notify.Editor and port.PushService.
type Channel struct {
	o    Options
	key  key
	http *http.Client
}

var (
	_ notify.Editor    = (*Channel)(nil)
	_ port.PushService = (*Channel)(nil)
)

// DefaultContact is for installations without a public address.
const DefaultContact = "mailto:operator@example.com"

// New creates a channel.
func New(o Options) *Channel {
	if o.Now == nil {
		o.Now = time.Now
	}
	if !strings.HasPrefix(o.Contact, "https://") && !strings.HasPrefix(o.Contact, "mailto:") {
		o.Contact = DefaultContact
	}
	return &Channel{o: o, key: key{store: o.Store}, http: &http.Client{Transport: o.Transport, Timeout: answerWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// PublicKey implements port.PushService.
func (c *Channel) PublicKey(ctx context.Context) (string, error) { return c.key.Public(ctx) }

// Subscribe implements port.PushService.
func (c *Channel) Subscribe(ctx context.Context, p port.Push) (port.Push, error) {
	if err := check(p); err != nil {
		return port.Push{}, err
	}
	sum := sha256.Sum256([]byte(p.Endpoint))
	p.ID = hex.EncodeToString(sum[:16])
	p.CreatedAt = c.o.Now().UTC()
	p.RenewedAt = p.CreatedAt
	p.Browser = line(p.Browser, 60)
	_, err := c.o.Store.PutPush(ctx, p, port.Recorded(ctx, "push.subscribed", "person/"+p.Person,
		map[string]any{"browser": p.Browser})...)
	return p, err
}

// check validates what a browser sent. Errors do not quote it: who knows an endpoint could send to it.
func check(p port.Push) error {
	var problems []fault.Problem
	add := func(path, message string) { problems = append(problems, fault.Problem{Path: path, Message: message}) }
	u, err := url.Parse(p.Endpoint)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "" ||
		!outbound.Sendable(p.Endpoint) {
		add("endpoint", "must be an https address")
	}
	if _, err := browserKey(p.P256DH); err != nil {
		add("keys.p256dh", "must be a public key of P-256: 65 bytes in base64url")
	}
	if len(p.Auth) != 16 {
		add("keys.auth", "must be 16 bytes in base64url")
	}
	if len(problems) > 0 {
		return fault.Of("this is not a valid push subscription", problems)
	}
	return nil
}

// Subscriptions implements port.PushService.
func (c *Channel) Subscriptions(ctx context.Context, person string) ([]port.Push, error) {
	all, err := c.o.Store.PushesOf(ctx, person)
	oldest := c.o.Now().Add(-unusedFor)
	return slices.DeleteFunc(all, func(p port.Push) bool { return p.RenewedAt.Before(oldest) }), err
}

// Unsubscribe implements port.PushService.
func (c *Channel) Unsubscribe(ctx context.Context, person, id string) (bool, error) {
	return c.o.Store.RemovePush(ctx, person, id, port.Recorded(ctx, "push.unsubscribed", "person/"+person,
		map[string]any{"subscription": id})...)
}

// TestPush implements port.PushService.
func (c *Channel) TestPush(ctx context.Context, person, id string) error {
	all, err := c.Subscriptions(ctx, person)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(p port.Push) bool { return p.ID == id })
	if i < 0 {
		return fault.New(fault.NotFound, "this browser does not get push messages from here", "turn them on again")
	}
	body, err := payloadOf(notify.Message{Key: "test", Thread: "test", At: c.o.Now(),
		Title: "Push messages work", Text: "You'll be notified here about pending approvals.", Open: "/inbox"})
	if err != nil {
		return err
	}
	if err := c.deliver(ctx, all[i], letter{body: body, topic: "test", ttl: time.Minute, urgency: "high"}); err != nil {
		return fault.New(fault.Conflict, "the push service did not accept the test message: "+err.Why,
			"turn push messages off and on again in this browser")
	}
	return nil
}

// Room implements notify.Channel: a notification shows a title and a line, and nothing can be decided in it.
func (c *Channel) Room() notify.Room { return notify.Room{} }

// refMax is the most browsers in a reference.
const refMax = port.PushesMax

// Send implements notify.Channel. The reference is the list of browsers.
func (c *Channel) Send(ctx context.Context, to notify.Recipient, m notify.Message) (notify.Ref, error) {
	all, err := c.Subscriptions(ctx, to.Person)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", &notify.Failure{Permanent: true, Unreachable: true, Why: off(to.Person)}
	}
	return c.send(ctx, all, m, false)
}

func off(person string) string {
	return "push messages are off in every browser of " + orNone(person) +
		": they turn them on in a browser, on the page Notifications"
}

// Reaches implements notify.Reacher.
func (c *Channel) Reaches(ctx context.Context, person string) (why string) {
	if all, err := c.Subscriptions(ctx, person); err == nil && len(all) == 0 {
		return off(person)
	}
	return ""
}

// Edit implements notify.Editor: the browsers that got the message get another, which replaces it. Those that were
// unsubscribed since show what they show until it is dismissed; it never offered a decision.
func (c *Channel) Edit(ctx context.Context, to notify.Recipient, ref notify.Ref, m notify.Message) (notify.Ref, error) {
	var ids []string
	if err := json.Unmarshal([]byte(ref), &ids); err != nil {
		return ref, &notify.Failure{Why: "the reference to the message is damaged", Permanent: true}
	}
	all, err := c.Subscriptions(ctx, to.Person)
	if err != nil {
		return ref, err
	}
	all = slices.DeleteFunc(all, func(p port.Push) bool { return !slices.Contains(ids, p.ID) })
	if len(all) == 0 {
		return ref, nil // nothing is left to replace
	}
	if _, err := c.send(ctx, all, m, true); err != nil { // one that is not told would go on asking
		return ref, err
	}
	return ref, nil
}

func orNone(person string) string {
	if person == "" {
		return "this recipient"
	}
	return person
}

// letter is a message on its way.
type letter struct {
	body    []byte
	topic   string
	ttl     time.Duration
	urgency string
}

// send delivers to several browsers at once. It fails if none of them gets it or, where all must get it, if another
// attempt may reach one more. The reference names those that may show it.
func (c *Channel) send(ctx context.Context, to []port.Push, m notify.Message, all bool) (notify.Ref, error) {
	body, err := payloadOf(m)
	if err != nil {
		return "", err
	}
	l := letter{body: body, topic: topicOf(m), ttl: ttl(m), urgency: urgency(m)}
	failures := make([]*notify.Failure, len(to))
	var wait sync.WaitGroup
	for i, p := range to {
		wait.Go(func() { failures[i] = c.deliver(ctx, p, l) })
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	var shown []string
	var worst *notify.Failure
	arrived, unknown := false, false
	for i, f := range failures {
		if f == nil || f.Unknown {
			shown = append(shown, to[i].ID)
		}
		switch {
		case f == nil:
			arrived = true
		case worst == nil || worst.Permanent && !f.Permanent: // one that may pass is worth another attempt
			worst = f
		}
		unknown = unknown || f != nil && f.Unknown
	}
	if !arrived || all && worst != nil && !worst.Permanent {
		worst.Unknown = unknown
		return "", worst
	}
	ref, err := json.Marshal(shown[:min(len(shown), refMax)])
	return notify.Ref(ref), err
}

// deliver sends to one browser.
func (c *Channel) deliver(ctx context.Context, p port.Push, l letter) *notify.Failure {
	endpoint, err := url.Parse(p.Endpoint)
	if err != nil || endpoint.Scheme != "https" {
		return &notify.Failure{Why: "a browser's address is not https", Permanent: true}
	}
	req, failed := c.request(ctx, endpoint, p, l)
	if failed != nil {
		return failed
	}
	res, err := c.http.Do(req)
	if err != nil {
		return broken(endpoint, err)
	}
	defer res.Body.Close()                                          //nolint:errcheck // only read
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, answerMax)) // what it says does not matter
	return c.judge(ctx, p, endpoint, res)
}

func (c *Channel) request(
	ctx context.Context, endpoint *url.URL, p port.Push, l letter,
) (*http.Request, *notify.Failure) {
	browser, err := browserKey(p.P256DH)
	if err != nil {
		return nil, &notify.Failure{Why: "a browser's key is damaged", Permanent: true}
	}
	body, err := encrypt(l.body, browser, p.Auth)
	if err != nil {
		return nil, &notify.Failure{Why: fmt.Sprintf("the message cannot be encrypted: %v", err), Permanent: true}
	}
	permit, err := c.key.authorization(ctx, endpoint, c.o.Contact, c.o.Now())
	if err != nil {
		return nil, notify.Failed("the request cannot be signed: %v", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.Endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, &notify.Failure{Why: "a browser's address is not valid", Permanent: true}
	}
	req.Header.Set("Authorization", permit)
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("Content-Encoding", "aes128gcm")
	req.Header.Set("TTL", strconv.Itoa(int(l.ttl/time.Second)))
	req.Header.Set("Urgency", l.urgency)
	req.Header.Set("Topic", l.topic)
	req.Header.Set("User-Agent", "assent")
	return req, nil
}

// broken is a request without an answer. It names the host alone: the rest of an endpoint is a secret. The message may
// have arrived: then it is replaced, also if nothing is to be announced by then.
func broken(endpoint *url.URL, err error) *notify.Failure {
	var refused *outbound.Failed
	if errors.As(err, &refused) {
		return &notify.Failure{Why: endpoint.Hostname() + ": " + refused.Message, Permanent: !refused.Transient}
	}
	var call *url.Error
	if errors.As(err, &call) {
		err = call.Err
	}
	f := notify.Failed("%s did not respond: %v", endpoint.Hostname(), err)
	var dial *net.OpError
	f.Unknown = !(errors.As(err, &dial) && dial.Op == "dial")
	return f
}

// judge interprets the status of an answer.
func (c *Channel) judge(ctx context.Context, p port.Push, endpoint *url.URL, res *http.Response) *notify.Failure {
	f := notify.Failed("%s responded %s", endpoint.Hostname(), outbound.Status(res.StatusCode))
	switch status := res.StatusCode; {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusNotFound || status == http.StatusGone:
		_, err := c.o.Store.RemovePush(ctx, p.Person, p.ID, port.Recorded(ctx, "push.expired", "person/"+p.Person,
			map[string]any{"browser": p.Browser})...)
		if err != nil {
			return notify.Failed("remove a browser that is gone: %v", err)
		}
		f.Why += ": the browser no longer wants messages, and was removed"
		f.Permanent = true
	case outbound.Transient(status):
		f.After = outbound.RetryAfter(res.Header.Get("Retry-After"), c.o.Now())
		f.Unknown = status != http.StatusTooManyRequests
	default:
		f.Permanent = true
	}
	return f
}
