package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// OIDC is an identity provider, and how to read its claims.
type OIDC struct {
	Issuer       string
	ClientID     string
	ClientSecret string // empty: a public client
	RedirectURL  string // exactly as it is registered there
	Label        string // for people
	Scopes       []string
	NameClaim    string              // the claim with people's names here
	GroupsClaim  string              // the claim that determines their roles
	Roles        map[string][]string // by group; * is everyone
	// Audiences are the audiences of access tokens accepted here; none: no token of the provider is.
	Audiences []string
	Transport http.RoundTripper // nil: the default one
}

const providerWait = 10 * time.Second

// provider talks to an identity provider.
type provider struct {
	config OIDC
	client *http.Client
	now    func() time.Time
	spent  spent

	mu    sync.Mutex
	found *discovered
	tried time.Time
}

// discovered is the provider's metadata.
type discovered struct {
	oauth    oauth2.Config
	keys     *keySet
	verifier *oidc.IDTokenVerifier
	userinfo func(context.Context, *oauth2.Token) (claims, error)
	tellsIss bool // it always sends its issuer when people come back (RFC 9207)
}

func newProvider(c OIDC, now func() time.Time) (*provider, error) {
	for what, text := range map[string]string{"issuer": c.Issuer, "redirect URL": c.RedirectURL} {
		if err := trustworthy(text); err != nil {
			return nil, fmt.Errorf("the %s of the identity provider: %w", what, err)
		}
	}
	if c.ClientID == "" || c.NameClaim == "" || c.GroupsClaim == "" {
		return nil, errors.New("an identity provider needs a client id, a claim for names and one for groups")
	}
	if !slices.Contains(c.Scopes, oidc.ScopeOpenID) {
		c.Scopes = append([]string{oidc.ScopeOpenID}, c.Scopes...)
	}
	transport := c.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	p := &provider{config: c, now: now,
		client: &http.Client{Transport: bounded{transport}, Timeout: providerWait, CheckRedirect: onlyTrustworthy}}
	return p, nil
}

// onlyTrustworthy follows few redirects, and none to a host that others could answer for.
func onlyTrustworthy(r *http.Request, via []*http.Request) error {
	if len(via) >= 3 {
		return errors.New("the identity provider redirects too many times")
	}
	return trustworthy(r.URL.String())
}

// trustworthy refuses an address that others could answer for: without TLS, only this machine is certain to be
// genuine.
func trustworthy(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("%q is not a valid address", text)
	}
	if u.Scheme == "https" || u.Scheme == "http" && onThisMachine(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("%s has to begin with https://", text)
}

func onThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.Unmap().IsLoopback()
}

// bounded cuts off responses that are too long to be legitimate.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, bodyMax), res.Body}
	}
	return res, err
}

// discoverAgain is how long a provider that did not answer is left alone.
const discoverAgain = 5 * time.Second

// discover fetches the provider's metadata, once.
func (p *provider) discover(ctx context.Context) (*discovered, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	away := fmt.Errorf("%w: the identity provider's configuration cannot be read", port.ErrUnavailable)
	if now := p.now(); now.Sub(p.tried) < discoverAgain {
		return nil, away
	}
	defer func() { p.tried = p.now() }() // those who waited for this attempt do not each make another
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), providerWait)
	defer cancel()
	about, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.config.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", away, err)
	}
	var more struct {
		Keys     string   `json:"jwks_uri"`
		Methods  []string `json:"token_endpoint_auth_methods_supported"`
		TellsIss bool     `json:"authorization_response_iss_parameter_supported"`
	}
	if err := about.Claims(&more); err != nil {
		return nil, fmt.Errorf("%w: %w", away, err)
	}
	for _, address := range []string{more.Keys, about.Endpoint().AuthURL, about.Endpoint().TokenURL,
		cmp.Or(about.UserInfoEndpoint(), more.Keys)} {
		if err := trustworthy(address); err != nil {
			return nil, fmt.Errorf("%w: %w", away, err)
		}
	}
	p.found = p.discovered(about, more.Keys, more.Methods, more.TellsIss)
	return p.found, nil
}

func (p *provider) discovered(about *oidc.Provider, keysURL string, methods []string, tellsIss bool) *discovered {
	d := &discovered{keys: &keySet{url: keysURL, client: p.client, now: p.now}, tellsIss: tellsIss}
	d.oauth = oauth2.Config{
		ClientID: p.config.ClientID, ClientSecret: p.config.ClientSecret, Endpoint: about.Endpoint(),
		RedirectURL: p.config.RedirectURL, Scopes: p.config.Scopes,
	}
	d.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if p.config.ClientSecret == "" || len(methods) > 0 && !slices.Contains(methods, "client_secret_basic") {
		d.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	d.verifier = oidc.NewVerifier(p.config.Issuer, d.keys, &oidc.Config{
		ClientID: p.config.ClientID, SupportedSigningAlgs: algorithmNames(), Now: p.now,
	})
	if about.UserInfoEndpoint() != "" {
		d.userinfo = func(ctx context.Context, t *oauth2.Token) (claims, error) {
			info, err := about.UserInfo(oidc.ClientContext(ctx, p.client), oauth2.StaticTokenSource(t))
			if err != nil {
				return nil, err
			}
			c := claims{}
			return c, info.Claims(&c)
		}
	}
	return d
}

// spent remembers single-use values.
type spent struct {
	mu   sync.Mutex
	till map[string]time.Time
}

const spentMax = 10_000

// take reports whether a key is used for the first time. It is remembered as
// long as it would be valid.
func (s *spent) take(key string, now, until time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.till == nil {
		s.till = map[string]time.Time{}
	}
	if t, used := s.till[key]; used && now.Before(t) {
		return false
	}
	for k, t := range s.till {
		if len(s.till) < spentMax && now.Before(t) {
			break // one expired key per new one is enough
		}
		// When it is full, drop any: the provider also refuses to take a code twice.
		delete(s.till, k)
	}
	s.till[key] = until
	return true
}
