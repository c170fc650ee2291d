// Package webhook posts events to programs, as Standard Webhooks describes (https://www.standardwebhooks.com).
//
//	channel, err := webhook.New(webhook.Config{URL: "https://example.com/hook", Secret: "whsec_…", Out: out})
//	_, err = channel.Send(ctx, notify.Recipient{}, message)
//
// # Requests
//
//	POST /hook
//	webhook-id: the key of the message, the same for every attempt
//	webhook-timestamp: seconds of the attempt
//	webhook-signature: v1,… v1a,…
//
//	{"type": "approval.needed", "timestamp": "2026-03-04T05:06:07Z", "data": {…}}
//
// A body has less than 20 kB. Members of data that do not fit are left out whole; data then has left_out, which lists
// them as JSON pointers, and url, where everything is.
//
// # Responses
//
//	2xx                     delivered
//	410                     gone: the receiver wants no more
//	no response             unknown: it may have arrived
//	anything else           may pass: receivers are deployed wrongly and mended; Retry-After is honoured
//
// Redirects are not followed: a signed event goes where the document says, and nowhere else.
package webhook

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/outbound"
)

// Limits.
const (
	within  = 20 * time.Second // one attempt
	bodyMax = 20_000 - 1       // bytes
	saidMax = 300              // bytes of a response kept with a failure
)

// Config is what a channel needs.
type Config struct {
	URL string
	// Secret signs with v1: whsec_ and base64. While one replaces another, both, separated by a space: a request then
	// has a signature by each.
	Secret string
	// SigningKey signs with v1a in addition: whsk_ and base64 of an Ed25519 key, or several; empty: it does not.
	SigningKey string
	Out        *outbound.Client
	Now        func() time.Time // nil: the clock
}

// Channel posts events to one address.
type Channel struct {
	url    *url.URL
	keys   keys
	client *http.Client
	now    func() time.Time
	veil   outbound.Veil
}

// New checks a configuration. Errors contain no secrets. It connects to nothing.
func New(c Config) (*Channel, error) {
	u, ok := outbound.ParseURL(c.URL)
	if !ok {
		return nil, errors.New("url: not an http or https address")
	}
	keys, err := parseKeys(c.Secret, c.SigningKey)
	if err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Channel{url: u, keys: keys, now: c.Now,
		veil: outbound.NewVeil(append(strings.Fields(c.Secret+" "+c.SigningKey), c.URL)...),
		client: &http.Client{Transport: c.Out.Transport(),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// PublicKeys are those of the signing keys, whpk_ and base64. Receivers verify v1a with them.
func (c *Channel) PublicKeys() []string { return c.keys.public() }

// PublicKey is the first of them; empty: there is none.
func (c *Channel) PublicKey() string {
	if all := c.PublicKeys(); len(all) > 0 {
		return all[0]
	}
	return ""
}

// PublicKeys are the public keys of signing keys.
func PublicKeys(signingKey string) ([]string, error) {
	keys, err := parseSigningKeys(signingKey)
	if err != nil {
		return nil, err
	}
	return keys.public(), nil
}

// Room has nothing: programs get the data of a message, not its texts.
func (c *Channel) Room() notify.Room { return notify.Room{} }

// Send posts an event.
func (c *Channel) Send(ctx context.Context, _ notify.Recipient, m notify.Message) (notify.Ref, error) {
	body, err := payload(m)
	if err != nil {
		return "", &notify.Failure{Why: "the event cannot be written: " + err.Error(), Permanent: true}
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var wrote atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url.String(), bytes.NewReader(body))
	if err != nil {
		return "", &notify.Failure{Why: "the request to " + c.url.Host + " cannot be sent", Permanent: true}
	}
	id, at := messageID(m.Key), strconv.FormatInt(c.now().Unix(), 10)
	req.Header.Set("User-Agent", "assent")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Webhook-Id", id)
	req.Header.Set("Webhook-Timestamp", at)
	req.Header.Set("Webhook-Signature", c.keys.sign(id, at, body))
	res, err := c.client.Do(req)
	if err != nil {
		return "", c.broken(err, wrote.Load())
	}
	defer res.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return notify.Ref(id), nil
	}
	return "", c.refused(res, said)
}

// messageID is the key of a message as a header can carry it. Signatures join it with full stops.
func messageID(key string) string {
	if key != "" && len(key) <= 200 &&
		!strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' || r == '.' }) {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return "msg_" + hex.EncodeToString(sum[:16])
}

// broken is the failure of a request without a response. It names the host alone: the rest of an address may be secret.
func (c *Channel) broken(err error, wrote bool) error {
	var (
		call    *url.Error
		blocked *outbound.Failed
		cert    *tls.CertificateVerificationError
	)
	if errors.As(err, &call) {
		err = call.Err
	}
	switch {
	case errors.As(err, &blocked):
		return &notify.Failure{Why: c.clean(c.url.Host + ": " + blocked.Message)}
	case errors.As(err, &cert):
		return &notify.Failure{Why: c.clean(fmt.Sprintf("%s has no valid certificate: %v", c.url.Host, cert))}
	}
	return &notify.Failure{Why: c.clean(fmt.Sprintf("%s did not respond: %v", c.url.Host, err)), Unknown: wrote}
}

// refused is the failure of a response other than 2xx.
func (c *Channel) refused(res *http.Response, said []byte) error {
	f := &notify.Failure{Why: c.url.Host + " responded " + outbound.Status(res.StatusCode)}
	switch {
	case res.StatusCode == http.StatusGone:
		f.Permanent, f.Gone = true, true
	case res.StatusCode >= 300 && res.StatusCode < 400:
		f.Why += "; redirects are not followed: if the new address is correct, set it as url"
	default:
		f.After = outbound.RetryAfter(res.Header.Get("Retry-After"), c.now())
	}
	if text := strings.TrimSpace(string(said)); text != "" && f.After == 0 && res.StatusCode >= 400 {
		f.Why += ": " + text
	}
	f.Why = c.clean(f.Why)
	return f
}

// clean masks secrets, and makes a text from outside fit to be shown.
func (c *Channel) clean(text string) string {
	text = strings.ToValidUTF8(c.veil.Hide(text), "\uFFFD")
	return phrase.Clip(strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, text)), " "), saidMax)
}
