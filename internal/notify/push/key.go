package push

import (
	"context"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/port"
)

// b64 is how Web Push writes bytes.
var b64 = base64.RawURLEncoding

// Times of signed tokens. RFC 8292 allows a day; a service with a clock that is off must still accept ours.
const (
	tokenFor   = 12 * time.Hour
	tokenAgain = 6 * time.Hour // a token is reused this long
	tokensMax  = 100           // services
)

// key is the key of an installation with its tokens. It is read, or created, on first use.
type key struct {
	store port.Pushes

	mu      sync.Mutex
	private *ecdsa.PrivateKey
	public  string // uncompressed point, base64url
	tokens  map[string]token
}

type token struct {
	text string
	from time.Time
}

// Derive is a secret of this installation for a purpose, the same in all of its processes. It follows from the key of
// push messages, and says nothing about it.
func (c *Channel) Derive(ctx context.Context, purpose string) ([]byte, error) {
	c.key.mu.Lock()
	defer c.key.mu.Unlock()
	if err := c.key.load(ctx); err != nil {
		return nil, err
	}
	private, err := c.key.private.ECDH()
	if err != nil {
		return nil, errors.New("the stored key of push messages is damaged")
	}
	return hkdf.Key(sha256.New, private.Bytes(), nil, "assent "+purpose, sha256.Size)
}

// load reads the key. An error is not remembered: the store may be back next time.
func (k *key) load(ctx context.Context) error {
	if k.private != nil {
		return nil
	}
	fresh, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("create the key of push messages: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(fresh)
	if err != nil {
		return fmt.Errorf("create the key of push messages: %w", err)
	}
	if der, err = k.store.PushKey(ctx, der); err != nil {
		return err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	private, ok := parsed.(*ecdsa.PrivateKey)
	if err != nil || !ok || private.Curve != elliptic.P256() {
		return errors.New("the stored key of push messages is damaged") // no part of it in an error
	}
	exchange, err := private.PublicKey.ECDH()
	if err != nil {
		return errors.New("the stored key of push messages is damaged")
	}
	k.private, k.public, k.tokens = private, b64.EncodeToString(exchange.Bytes()), map[string]token{}
	return nil
}

// Public is the public key.
func (k *key) Public(ctx context.Context) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.load(ctx); err != nil {
		return "", err
	}
	return k.public, nil
}

// authorization is the header for requests to a service: RFC 8292.
func (k *key) authorization(ctx context.Context, endpoint *url.URL, contact string, now time.Time) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.load(ctx); err != nil {
		return "", err
	}
	service := endpoint.Scheme + "://" + endpoint.Host
	t, ok := k.tokens[service]
	if !ok || now.Before(t.from) || now.Sub(t.from) >= tokenAgain {
		text, err := k.sign(service, contact, now)
		if err != nil {
			return "", err
		}
		if t = (token{text, now}); len(k.tokens) >= tokensMax {
			clear(k.tokens)
		}
		k.tokens[service] = t
	}
	return "vapid t=" + t.text + ", k=" + k.public, nil
}

// sign creates a token: a JWT signed with ES256.
func (k *key) sign(audience, contact string, now time.Time) (string, error) {
	claims, err := json.Marshal(struct {
		Audience string `json:"aud"`
		Expires  int64  `json:"exp"`
		Subject  string `json:"sub"`
	}{audience, now.Add(tokenFor).Unix(), contact})
	if err != nil {
		return "", err
	}
	text := b64.EncodeToString([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + b64.EncodeToString(claims)
	digest := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, k.private, digest[:])
	if err != nil {
		return "", fmt.Errorf("sign for %s: %w", audience, err)
	}
	var sig [64]byte
	r.FillBytes(sig[:32])
	s.FillBytes(sig[32:])
	return text + "." + b64.EncodeToString(sig[:]), nil
}

// browserKey parses a browser's public key.
func browserKey(b []byte) (*ecdh.PublicKey, error) { return ecdh.P256().NewPublicKey(b) }
