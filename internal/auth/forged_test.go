package auth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/auth"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/go-jose/go-jose/v4"
)

// forger is an identity provider that says whatever a test wants it to.
type forger struct {
	testing.TB
	*httptest.Server
	keys    atomic.Pointer[[]jose.JSONWebKey]
	fetches atomic.Int64
	down    atomic.Bool
	slow    atomic.Pointer[chan struct{}] // the keys are not sent before it is closed
	idToken func(nonce string) string     // what the token endpoint answers
	nonce   string
	ahead   atomic.Int64 // how far our clock is
	rsa     *rsa.PrivateKey

	about    map[string]any            // added to what the provider says about itself
	userinfo map[string]any            // nil: it answers with an error
	answers  func(http.ResponseWriter) // instead of tokens
	client   string                    // how the client last showed who it is: basic, or its form fields
}

// providerKey takes a while to make, so all have the same.
var providerKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func newForger(t testing.TB) *forger {
	t.Helper()
	f := &forger{TB: t, rsa: providerKey()}
	f.publish(jose.JSONWebKey{Key: f.rsa.Public(), KeyID: "one", Algorithm: "RS256", Use: "sig"})
	mux := http.NewServeMux()
	say := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
	}
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		all := map[string]any{"issuer": f.URL, "authorization_endpoint": f.URL + "/auth", "token_endpoint": f.URL + "/token",
			"jwks_uri": f.URL + "/jwks"}
		maps.Copy(all, f.about)
		say(w, all)
	})
	mux.HandleFunc("/userinfo", func(w http.ResponseWriter, _ *http.Request) {
		if f.userinfo == nil {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		say(w, f.userinfo)
	})
	mux.HandleFunc("/jwks", func(w http.ResponseWriter, _ *http.Request) {
		f.fetches.Add(1)
		if slow := f.slow.Load(); slow != nil {
			<-*slow
		}
		if f.down.Load() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		say(w, jose.JSONWebKeySet{Keys: *f.keys.Load()})
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		f.client = r.PostFormValue("client_id") + " " + r.PostFormValue("client_secret")
		if name, secret, basic := r.BasicAuth(); basic {
			f.client = "basic " + name + " " + secret
		}
		if f.answers != nil {
			f.answers(w)
			return
		}
		say(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": f.idToken(f.nonce)})
	})
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

func (f *forger) publish(keys ...jose.JSONWebKey) { f.keys.Store(&keys) }

func (f *forger) now() time.Time { return time.Now().Add(time.Duration(f.ahead.Load())) }

func (f *forger) service() *auth.Service {
	f.Helper()
	return service(f, auth.Config{Now: f.now, OIDC: &auth.OIDC{
		Issuer: f.URL, ClientID: "assent", RedirectURL: redirect, NameClaim: "email", GroupsClaim: "groups",
		Roles: map[string][]string{"staff": {"approver"}}, Audiences: []string{"api", "api2"},
	}})
}

// signIn signs a person with changed claims in.
func (f *forger) signIn(s *auth.Service, changes map[string]any) (port.SignedIn, error) {
	f.Helper()
	d, err := s.Begin(f.Context(), "/")
	if err != nil {
		f.Fatal(err)
	}
	u, err := url.Parse(d.URL)
	if err != nil {
		f.Fatal(err)
	}
	f.nonce = u.Query().Get("nonce")
	f.idToken = func(nonce string) string {
		c := f.claims(map[string]any{"aud": "assent", "nonce": nonce})
		maps.Copy(c, changes)
		return sign(f, jose.RS256, f.rsa, "one", c)
	}
	return s.Finish(f.Context(), port.AuthCallback{Code: "c", State: u.Query().Get("state"), Secret: d.Secret})
}

// claims are good ones, changed.
func (f *forger) claims(changes map[string]any) map[string]any {
	c := map[string]any{
		"iss": f.URL, "sub": "1", "aud": "api", "exp": f.now().Add(time.Hour).Unix(), "iat": f.now().Unix(),
		"email": "ann@example.com", "email_verified": true, "groups": []string{"staff"},
	}
	maps.Copy(c, changes)
	for k, v := range c {
		if v == nil {
			delete(c, k)
		}
	}
	return c
}

// sign makes a token with a key.
func sign(t testing.TB, alg jose.SignatureAlgorithm, key any, kid string, claims any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: jose.JSONWebKey{Key: key, KeyID: kid}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(body)
	if err != nil {
		t.Fatal(err)
	}
	out, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// raw makes a token by hand, as libraries refuse to.
func raw(t testing.TB, head map[string]any, claims any, mac []byte) string {
	t.Helper()
	var parts []string
	for _, v := range []any{head, claims} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(b))
	}
	text := strings.Join(parts, ".")
	if mac == nil {
		return text + "."
	}
	h := hmac.New(sha256.New, mac)
	h.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

func TestForgedAccessTokens(t *testing.T) {
	f := newForger(t)
	s := f.service()
	good := func(changes map[string]any) string { return sign(t, jose.RS256, f.rsa, "one", f.claims(changes)) }
	if who, err := s.Bearer(t.Context(), good(nil)); err != nil || who.Name != "ann@example.com" ||
		who.Roles[0] != "approver" {
		t.Fatalf("%+v, %v", who, err)
	}
	hour := func(d time.Duration) int64 { return f.now().Add(d).Unix() }
	for what, token := range map[string]string{
		"clocks that differ a little":   good(map[string]any{"exp": hour(-30 * time.Second), "nbf": hour(0)}),
		"not valid for some seconds":    good(map[string]any{"nbf": hour(30 * time.Second)}),
		"several audiences":             good(map[string]any{"aud": []string{"other", "api2"}}),
		"a token without a key's name":  sign(t, jose.RS256, f.rsa, "", f.claims(nil)),
		"a token of a program, by name": good(map[string]any{"email": nil, "sub": "nightly"}),
	} {
		if _, err := s.Bearer(t.Context(), token); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(f.rsa.Public())
	if err != nil {
		t.Fatal(err)
	}
	jwk, err := json.Marshal((*f.keys.Load())[0])
	if err != nil {
		t.Fatal(err)
	}
	text := good(nil)
	parts := strings.Split(text, ".")
	own := jose.JSONWebKey{Key: stranger.Public(), KeyID: "one"}
	hs := map[string]any{"alg": "HS256", "kid": "one"}
	for what, token := range map[string]string{
		"expired":                    good(map[string]any{"exp": hour(-2 * time.Minute)}),
		"without an end":             good(map[string]any{"exp": nil}),
		"not valid yet":              good(map[string]any{"nbf": hour(2 * time.Minute)}),
		"from the future":            good(map[string]any{"iat": hour(2 * time.Minute)}),
		"for another audience":       good(map[string]any{"aud": "other"}),
		"for nobody":                 good(map[string]any{"aud": nil}),
		"for the client itself":      good(map[string]any{"aud": "assent"}),
		"of another issuer":          good(map[string]any{"iss": "https://evil.example"}),
		"of the issuer with a slash": good(map[string]any{"iss": f.URL + "/"}),
		"of no issuer":               good(map[string]any{"iss": nil}),
		"about nobody":               good(map[string]any{"sub": nil}),
		"signed by somebody else":    sign(t, jose.RS256, stranger, "one", f.claims(nil)),
		"with another algorithm":     sign(t, jose.PS256, f.rsa, "one", f.claims(nil)),
		"with its own key in it":     raw(t, map[string]any{"alg": "RS256", "jwk": own}, f.claims(nil), []byte("x")),
		"alg none":                   raw(t, map[string]any{"alg": "none"}, f.claims(nil), nil),
		"alg None":                   raw(t, map[string]any{"alg": "None", "kid": "one"}, f.claims(nil), nil),
		"no alg":                     raw(t, map[string]any{"kid": "one"}, f.claims(nil), nil),
		"HS256 with the public key": raw(t, hs, f.claims(nil),
			pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
		"HS256 with its bytes":     raw(t, hs, f.claims(nil), der),
		"HS256 with the published": raw(t, hs, f.claims(nil), jwk),
		"without a signature":      parts[0] + "." + parts[1] + ".",
		"with another's claims": parts[0] + "." + strings.Split(good(map[string]any{"sub": "2"}), ".")[1] + "." +
			parts[2],
		"with something behind it":    text + ".x",
		"too long":                    good(map[string]any{"x": strings.Repeat("x", 20_000)}),
		"numbers that are no numbers": good(map[string]any{"exp": "tomorrow"}),
		"no object":                   sign(t, jose.RS256, f.rsa, "one", []string{"x"}),
	} {
		_, err := s.Bearer(t.Context(), token)
		refused(t, what, err)
		if err != nil && strings.Contains(err.Error(), parts[1]) {
			t.Errorf("%s: the token is repeated", what)
		}
	}
	for what, token := range map[string]string{
		"no role":               good(map[string]any{"groups": []string{"*", "others"}}),
		"an unverified address": good(map[string]any{"email_verified": nil}),
		"an impossible name":    good(map[string]any{"email": "role:admin"}),
	} {
		if _, err := s.Bearer(t.Context(), token); !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestKeysAreRotated: a new key counts at once, a flood of unknown ones makes no
// flood of fetches, and a withdrawn one stops counting.
func TestKeysAreRotated(t *testing.T) {
	f := newForger(t)
	s := f.service()
	old := func() string { return sign(t, jose.RS256, f.rsa, "one", f.claims(nil)) }
	if _, err := s.Bearer(t.Context(), old()); err != nil {
		t.Fatal(err)
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	next := map[string]crypto.Signer{"two": ec, "three": private}
	f.publish(jose.JSONWebKey{Key: ec.Public(), KeyID: "two"}, jose.JSONWebKey{Key: public, KeyID: "three"},
		jose.JSONWebKey{Key: []byte("a shared secret"), KeyID: "mac"})
	f.ahead.Add(int64(11 * time.Second))
	for kid, alg := range map[string]jose.SignatureAlgorithm{"two": jose.ES256, "three": jose.EdDSA} {
		if _, err := s.Bearer(t.Context(), sign(t, alg, next[kid], kid, f.claims(nil))); err != nil {
			t.Errorf("%s: %v", alg, err)
		}
	}
	if n := f.fetches.Load(); n != 2 {
		t.Errorf("%d fetches", n)
	}
	_, err = s.Bearer(t.Context(), old())
	refused(t, "the old key", err)
	for i := range 50 {
		_, err := s.Bearer(t.Context(), sign(t, jose.ES256, ec, fmt.Sprint("unknown", i), f.claims(nil)))
		refused(t, "an unknown key", err)
	}
	if n := f.fetches.Load(); n != 2 {
		t.Errorf("%d fetches after a flood", n)
	}
	// A provider that is briefly unavailable blocks no sign-in; after a day it does.
	f.down.Store(true)
	now := func() string { return sign(t, jose.ES256, ec, "two", f.claims(nil)) }
	f.ahead.Add(int64(2 * time.Hour))
	if _, err := s.Bearer(t.Context(), now()); err != nil {
		t.Errorf("away for two hours: %v", err)
	}
	f.ahead.Add(int64(24 * time.Hour))
	if _, err := s.Bearer(t.Context(), now()); !errors.Is(err, port.ErrUnavailable) {
		t.Errorf("away for a day: %v", err)
	}
	f.down.Store(false)
	f.ahead.Add(int64(time.Minute))
	if _, err := s.Bearer(t.Context(), now()); err != nil {
		t.Errorf("back: %v", err)
	}
}

// TestASlowProviderDelaysNoKnownKey: while the provider takes its time with new keys, only tokens of unknown keys wait.
func TestASlowProviderDelaysNoKnownKey(t *testing.T) {
	f := newForger(t)
	s := f.service()
	bearer := func(key *rsa.PrivateKey, kid string) chan error {
		done, token := make(chan error, 1), sign(t, jose.RS256, key, kid, f.claims(nil))
		go func() {
			_, err := s.Bearer(t.Context(), token)
			done <- err
		}()
		return done
	}
	at := func(what string, done chan error) error {
		t.Helper()
		select {
		case err := <-done:
			return err
		case <-time.After(5 * time.Second):
			t.Errorf("%s: it waits for the provider", what)
			return nil
		}
	}
	if err := at("the first", bearer(f.rsa, "one")); err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	f.slow.Store(&release)
	f.ahead.Add(int64(11 * time.Second))
	unknown := bearer(f.rsa, "new")
	for f.fetches.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	for _, later := range []time.Duration{0, 45 * time.Minute} {
		f.ahead.Add(int64(later))
		if err := at("a known key, later by "+later.String(), bearer(f.rsa, "one")); err != nil {
			t.Error(err)
		}
	}
	f.publish((*f.keys.Load())[0], jose.JSONWebKey{Key: f.rsa.Public(), KeyID: "new"})
	close(release)
	if err := at("a new key", unknown); err != nil {
		t.Error(err)
	}
	// After a night without a token, a key may have been withdrawn: the first one waits for the keys.
	f.publish(jose.JSONWebKey{Key: f.rsa.Public(), KeyID: "new"})
	f.ahead.Add(int64(8 * time.Hour))
	refused(t, "a withdrawn key", at("a withdrawn key", bearer(f.rsa, "one")))
	if n := f.fetches.Load(); n != 3 {
		t.Errorf("%d fetches", n)
	}
}

// TestForgedSignIns: what comes with a code is looked at as closely.
func TestForgedSignIns(t *testing.T) {
	f := newForger(t)
	s := f.service()
	id := func(changes map[string]any) func(string) string {
		return func(nonce string) string {
			c := f.claims(map[string]any{"aud": "assent", "nonce": nonce})
			maps.Copy(c, changes)
			return sign(t, jose.RS256, f.rsa, "one", c)
		}
	}
	try := func(token func(string) string) (port.SignedIn, error) {
		t.Helper()
		d, err := s.Begin(t.Context(), "//evil.example")
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(d.URL)
		if err != nil {
			t.Fatal(err)
		}
		f.idToken, f.nonce = token, u.Query().Get("nonce")
		return s.Finish(t.Context(), port.AuthCallback{Code: "c", State: u.Query().Get("state"), Secret: d.Secret})
	}
	if in, err := try(id(nil)); err != nil || in.Name != "ann@example.com" || in.ReturnTo != "/" {
		t.Fatalf("%+v, %v", in, err)
	}
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for what, token := range map[string]func(string) string{
		"expired":              id(map[string]any{"exp": f.now().Add(-time.Minute).Unix()}),
		"another audience":     id(map[string]any{"aud": "api"}),
		"another issuer":       id(map[string]any{"iss": "https://evil.example"}),
		"another nonce":        id(map[string]any{"nonce": "another"}),
		"no nonce":             id(map[string]any{"nonce": ""}),
		"for somebody else":    id(map[string]any{"aud": []string{"assent", "other"}, "azp": "other"}),
		"for two, unsaid whom": id(map[string]any{"aud": []string{"assent", "other"}}),
		"another access token": id(map[string]any{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}),
		"another key": func(n string) string {
			return sign(t, jose.RS256, stranger, "one", f.claims(map[string]any{"aud": "assent", "nonce": n}))
		},
		"alg none": func(n string) string {
			return raw(t, map[string]any{"alg": "none"}, f.claims(map[string]any{"aud": "assent", "nonce": n}), nil)
		},
		"HS256": func(n string) string {
			return raw(t, map[string]any{"alg": "HS256"}, f.claims(map[string]any{"aud": "assent", "nonce": n}), f.rsa.N.Bytes())
		},
		"nothing": func(string) string { return "" },
	} {
		_, err := try(token)
		refused(t, what, err)
	}
}

// TestForgedArrivals: this provider takes every code, and still nobody comes in who
// did not leave from here, just now, for the first time.
func TestForgedArrivals(t *testing.T) {
	f := newForger(t)
	s := f.service()
	leave := func() port.AuthCallback {
		t.Helper()
		d, err := s.Begin(t.Context(), "/")
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(d.URL)
		if err != nil {
			t.Fatal(err)
		}
		f.nonce = u.Query().Get("nonce")
		f.idToken = func(nonce string) string {
			return sign(t, jose.RS256, f.rsa, "one", f.claims(map[string]any{"aud": "assent", "nonce": nonce}))
		}
		return port.AuthCallback{Code: "c", State: u.Query().Get("state"), Secret: d.Secret}
	}
	a := leave()
	if _, err := s.Finish(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	_, err := s.Finish(t.Context(), a)
	refused(t, "the same again", err)
	for what, change := range map[string]func(*port.AuthCallback){
		"another state": func(a *port.AuthCallback) { a.State = leave().State },
		"no state":      func(a *port.AuthCallback) { a.State = "" },
		"no cookie":     func(a *port.AuthCallback) { a.Secret = "" }, "no code": func(a *port.AuthCallback) { a.Code = "" },
		"an error":       func(a *port.AuthCallback) { a.Error = "access_denied" },
		"another issuer": func(a *port.AuthCallback) { a.Issuer = "https://evil.example" },
		"too late":       func(*port.AuthCallback) { f.ahead.Add(int64(11 * time.Minute)) },
	} {
		a := leave()
		nonce := f.nonce
		change(&a)
		f.nonce = nonce
		_, err := s.Finish(t.Context(), a)
		refused(t, what, err)
	}
}

// TestNames: an account of our own keeps its name.
func TestNamesOfAccountsAreTheirs(t *testing.T) {
	f := newForger(t)
	s := service(t, auth.Config{Password: true, Now: f.now, OIDC: &auth.OIDC{
		Issuer: f.URL, ClientID: "assent", RedirectURL: redirect, NameClaim: "email", GroupsClaim: "groups",
		Roles: map[string][]string{"*": {"approver"}}, Audiences: []string{"api"},
	}})
	token := sign(t, jose.RS256, f.rsa, "one", f.claims(nil))
	password := "violet tram seventy lake"
	if _, _, err := s.PutAccount(t.Context(), port.PutAccount{Name: "Ann@Example.com", Password: &password}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Bearer(t.Context(), token); !fault.Is(err, fault.Forbidden) {
		t.Errorf("%v", err)
	}
}

func TestProviderSettings(t *testing.T) {
	good := auth.OIDC{Issuer: "https://id.example.com", ClientID: "assent", RedirectURL: redirect, NameClaim: "email",
		GroupsClaim: "groups"}
	for what, change := range map[string]func(*auth.OIDC){
		"http": func(c *auth.OIDC) { c.Issuer = "http://id.example.com" }, "no issuer": func(c *auth.OIDC) { c.Issuer = "" },
		"redirect":  func(c *auth.OIDC) { c.RedirectURL = "http://assent.example.com/x" },
		"no client": func(c *auth.OIDC) { c.ClientID = "" },
		"user":      func(c *auth.OIDC) { c.Issuer = "https://a:b@id.example.com" },
	} {
		c := good
		change(&c)
		if _, err := auth.New(nil, auth.Config{OIDC: &c}); err == nil {
			t.Errorf("%s was taken", what)
		}
	}
	if _, err := auth.New(nil, auth.Config{OIDC: &good}); err != nil {
		t.Error(err)
	}
}
