package auth_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/auth"
	"github.com/assent-run/assent/internal/auth/authtest"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

const redirect = "http://127.0.0.1:9/api/v1/sign-in/oidc/callback"

func configOf(p *authtest.Provider) *auth.OIDC {
	return &auth.OIDC{
		Issuer: p.Issuer, ClientID: p.ClientID, ClientSecret: p.ClientSecret, RedirectURL: redirect,
		Scopes: []string{"openid", "email", "profile", "groups"}, NameClaim: "email", GroupsClaim: "groups",
		Roles:     map[string][]string{"assent-admins": {"admin"}, "claims": {"claims_adjuster", "approver"}},
		Audiences: []string{"https://assent.example.com/api"},
	}
}

func arrival(d port.AuthRequest, back *url.URL) port.AuthCallback {
	q := back.Query()
	return port.AuthCallback{Code: q.Get("code"), State: q.Get("state"), Issuer: q.Get("iss"), Error: q.Get("error"),
		Secret: d.Secret}
}

// TestRealProvider signs in at a provider that others wrote.
func TestRealProvider(t *testing.T) {
	p := authtest.Start(t, redirect)
	s := service(t, auth.Config{OIDC: configOf(p)})
	ctx := t.Context()
	begin := func() port.AuthRequest {
		t.Helper()
		d, err := s.Begin(ctx, "/inbox?mine=true")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := begin()
	q, err := url.Parse(d.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"response_type": "code", "code_challenge_method": "S256",
		"client_id": p.ClientID, "redirect_uri": redirect} {
		if got := q.Query().Get(name); got != want {
			t.Errorf("%s=%q", name, got)
		}
	}
	a := arrival(d, p.Visit(t, d.URL, "ann"))
	in, err := s.Finish(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	if in.Name != "ann@example.com" || !slices.Equal(in.Roles, []string{"admin"}) || in.Method != port.ByProvider ||
		in.Kind != run.Person || in.ReturnTo != "/inbox?mine=true" {
		t.Errorf("%+v", in)
	}
	who, err := s.Cookie(ctx, in.Secret)
	if err != nil || who.Name != in.Name || !slices.Equal(who.Roles, in.Roles) {
		t.Errorf("%+v, %v", who, err)
	}

	// The same once more: neither we nor the provider take it.
	_, err = s.Finish(ctx, a)
	refused(t, "a replayed state", err)
	later := service(t, auth.Config{OIDC: configOf(p)}) // knows nothing of it
	_, err = later.Finish(ctx, a)
	refused(t, "a replayed code", err)

	// What was begun in one browser is not finished in another.
	other := arrival(begin(), p.Visit(t, begin().URL, "ann"))
	_, err = s.Finish(ctx, other)
	refused(t, "another state", err)
	mine := begin()
	stolen := arrival(mine, p.Visit(t, mine.URL, "ann"))
	stolen.Secret = ""
	_, err = s.Finish(ctx, stolen)
	refused(t, "no cookie", err)
	mine = begin()
	swapped := arrival(mine, p.Visit(t, begin().URL, "ann")) // somebody else's code
	swapped.State = arrival(mine, p.Visit(t, mine.URL, "ann")).State
	_, err = s.Finish(ctx, swapped)
	refused(t, "a code for another verifier", err)

	// Who says that it is another provider, or does not say who it is.
	for _, iss := range []string{"https://evil.example", ""} {
		d := begin()
		mixed := arrival(d, p.Visit(t, d.URL, "ann"))
		mixed.Issuer = iss
		_, err = s.Finish(ctx, mixed)
		refused(t, "issuer "+iss, err)
	}

	d = begin()
	in, err = s.Finish(ctx, arrival(d, p.Visit(t, d.URL, "bob")))
	if err != nil || in.Name != "bob@example.com" || !slices.Equal(in.Roles, []string{"approver", "claims_adjuster"}) {
		t.Errorf("%+v, %v", in, err)
	}
	for who, code := range map[string]fault.Code{"cat": fault.Forbidden, "mask": fault.Forbidden,
		"nobody": fault.Unauthenticated} {
		d := begin()
		if _, err := s.Finish(ctx, arrival(d, p.Visit(t, d.URL, who))); !fault.Is(err, code) {
			t.Errorf("%s: %v", who, err)
		}
	}

	// Programs.
	who, err = s.Bearer(ctx, p.Program(t, "https://assent.example.com/api"))
	if err != nil || who.Kind != run.Service || who.Name != p.ClientID || who.Method != port.ByJWT ||
		!slices.Contains(who.Roles, "approver") {
		t.Errorf("%+v, %v", who, err)
	}
	_, err = s.Bearer(ctx, p.Program(t, "https://other.example.com/api"))
	refused(t, "another audience", err)
}

// TestRealProviderDoesNotKnowUs tells an operator what to check.
func TestRealProviderDoesNotKnowUs(t *testing.T) {
	p := authtest.Start(t, redirect)
	c := configOf(p)
	c.ClientSecret = "another"
	s := service(t, auth.Config{OIDC: c})
	d, err := s.Begin(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Finish(t.Context(), arrival(d, p.Visit(t, d.URL, "ann")))
	if err == nil || !strings.Contains(err.Error(), "oidc_client_secret") || strings.Contains(err.Error(), "another") {
		t.Errorf("%v", err)
	}
}

func refused(t *testing.T, what string, err error) {
	t.Helper()
	if !fault.Is(err, fault.Unauthenticated) {
		t.Errorf("%s: %v", what, err)
	}
}
