package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/go-jose/go-jose/v4"
)

// algorithms are those with separate keys for verifying and signing: with HMAC, knowing the public keys would be
// enough to forge tokens; with none, not even that.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

func algorithmNames() []string {
	out := make([]string, len(algorithms))
	for i, a := range algorithms {
		out[i] = string(a)
	}
	return out
}

const (
	keysAgain = 10 * time.Second // between two fetches, however many tokens name unknown keys
	keysRenew = 30 * time.Minute // then they are fetched again, while tokens are still checked with the old ones
	keysOld   = time.Hour        // then tokens wait for the fetch, so that a withdrawn key stops counting
	keysStale = 24 * time.Hour   // then they no longer count if they cannot be fetched
	awaySkip  = time.Minute      // a provider that failed is not waited for, if the keys are only old
	bodyMax   = 1 << 20
	jwtMax    = 16 << 10
)

var errSignature = errors.New("the signature is not valid")

// keySet are the public keys of an identity provider.
type keySet struct {
	url    string
	client *http.Client
	now    func() time.Time

	mu      sync.Mutex // never held during a fetch
	keys    []jose.JSONWebKey
	fetched time.Time
	tried   time.Time     // when the last fetch ended, also if it failed
	flight  chan struct{} // closed when the fetch in progress ends; nil if none is
}

// VerifySignature implements oidc.KeySet: it returns the payload of a token that was signed by a key of the provider.
func (k *keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	if len(token) > jwtMax {
		return nil, errSignature
	}
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil || len(signed.Signatures) != 1 {
		return nil, errSignature
	}
	keys, err := k.get(ctx, false)
	if err != nil {
		return nil, err
	}
	if body, ok := verify(signed, keys); ok {
		return body, nil
	}
	// The provider may have a new key.
	if keys, err = k.get(ctx, true); err != nil {
		return nil, err
	}
	if body, ok := verify(signed, keys); ok {
		return body, nil
	}
	return nil, errSignature
}

// verify tries the keys that may belong to a signature.
func verify(signed *jose.JSONWebSignature, keys []jose.JSONWebKey) ([]byte, bool) {
	h := signed.Signatures[0].Header
	for i := range keys {
		key := &keys[i]
		if h.KeyID != "" && key.KeyID != h.KeyID || key.Algorithm != "" && key.Algorithm != h.Algorithm || key.Use != "" &&
			key.Use != "sig" {
			continue
		}
		if body, err := signed.Verify(key.Key); err == nil {
			return body, true
		}
	}
	return nil, false
}

// get returns the keys. It waits for a fetch only if there is no other way: keys are missing or too old, or a token
// needs others. All who wait share one fetch.
func (k *keySet) get(ctx context.Context, others bool) ([]jose.JSONWebKey, error) {
	if flight, wait := k.renew(ctx, others); wait && flight != nil {
		select {
		case <-flight:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keys == nil || k.now().Sub(k.fetched) > keysStale {
		return nil, fmt.Errorf("%w: the keys of the identity provider cannot be fetched", port.ErrUnavailable)
	}
	return k.keys, nil
}

// renew starts a fetch if one is due. It returns the fetch in progress, and whether the caller needs its result.
func (k *keySet) renew(ctx context.Context, others bool) (flight chan struct{}, wait bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	age := now.Sub(k.fetched)
	needed := others || k.keys == nil || age > keysStale
	away := k.tried.After(k.fetched) && now.Sub(k.tried) < awaySkip
	if (needed || age > keysRenew) && k.flight == nil && now.Sub(k.tried) >= keysAgain {
		k.flight = make(chan struct{})
		go k.refresh(context.WithoutCancel(ctx), k.flight) // others may wait for it when this caller has left
	}
	return k.flight, needed || age > keysOld && !away
}

func (k *keySet) refresh(ctx context.Context, flight chan struct{}) {
	keys, err := k.fetch(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tried, k.flight = k.now(), nil
	if err == nil {
		k.keys, k.fetched = keys, k.tried
	}
	close(flight)
}

func (k *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	ctx, cancel := context.WithTimeout(ctx, providerWait)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url, nil)
	if err != nil {
		return nil, err
	}
	res, err := k.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the keys: %s", res.Status)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	return readKeys(body)
}

// readKeys reads a list of keys. Unusable ones are left out: providers may publish others alongside.
func readKeys(body []byte) ([]jose.JSONWebKey, error) {
	var raw struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, err
	}
	keys := []jose.JSONWebKey{}
	for _, one := range raw.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(one, &key) == nil && key.IsPublic() && key.Valid() {
			keys = append(keys, key)
		}
	}
	return keys, nil
}
