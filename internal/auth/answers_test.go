package auth_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/auth"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/go-jose/go-jose/v4"
)

// comes signs somebody in who is described by claims that are changed.
func (f *forger) comes(s *auth.Service, changes map[string]any,
	change func(*port.AuthCallback)) (port.SignedIn, error) {
	f.Helper()
	d, err := s.Begin(f.Context(), "/inbox")
	if err != nil {
		return port.SignedIn{}, err
	}
	u, err := url.Parse(d.URL)
	if err != nil {
		f.Fatal(err)
	}
	f.nonce = u.Query().Get("nonce")
	f.idToken = func(nonce string) string {
		all := map[string]any{"aud": "assent", "nonce": nonce}
		maps.Copy(all, changes)
		return sign(f, jose.RS256, f.rsa, "one", f.claims(all))
	}
	a := port.AuthCallback{Code: "c", State: u.Query().Get("state"), Secret: d.Secret}
	if change != nil {
		change(&a)
	}
	return s.Finish(f.Context(), a)
}

// TestUserinfo: what the token leaves out is asked for, and has to be about the
// same person.
func TestUserinfo(t *testing.T) {
	f := newForger(t)
	f.about = map[string]any{"userinfo_endpoint": f.URL + "/userinfo"}
	s := f.service()
	info := func(sub, mail string) map[string]any {
		return map[string]any{"sub": sub, "email": mail, "email_verified": true, "groups": []string{"staff"}}
	}
	for sub, c := range map[string]struct {
		leaves []string
		name   string
	}{
		"all": {nil, "all@token"}, "groups": {[]string{"groups"}, "groups@token"},
		"name": {[]string{"email"}, "name@userinfo"},
		"both": {[]string{"email", "groups"}, "both@userinfo"},
	} {
		changes := map[string]any{"sub": sub, "email": sub + "@token"}
		for _, name := range c.leaves {
			changes[name] = nil
		}
		f.userinfo = info(sub, sub+"@userinfo")
		if in, err := f.comes(s, changes, nil); err != nil || in.Name != c.name {
			t.Errorf("%s: %+v, %v", sub, in, err)
		}
	}
	f.userinfo = info("2", "ann@example.com")
	_, err := f.comes(s, map[string]any{"groups": nil}, nil)
	refused(t, "what is said about another", err)
	f.userinfo = nil
	if _, err := f.comes(s, map[string]any{"groups": nil}, nil); !fault.Is(err, fault.Forbidden) {
		t.Errorf("a provider that does not say: %v", err)
	}
}

// TestWithoutUserinfo: a provider that has nothing to add, and one that says nothing.
func TestWithoutUserinfo(t *testing.T) {
	f := newForger(t)
	s := f.service()
	if _, err := f.comes(s, map[string]any{"groups": nil}, nil); !fault.Is(err, fault.Forbidden) {
		t.Errorf("no groups: %v", err)
	}
	_, err := f.comes(s, map[string]any{"sub": nil}, nil)
	refused(t, "about nobody", err)
	// Keys that are known are not fetched for every sign-in.
	for range 3 {
		f.ahead.Add(int64(30e9))
		if _, err := f.comes(s, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := f.fetches.Load(); n != 1 {
		t.Errorf("%d fetches", n)
	}
}

// TestHowTheClientShowsItself: with its secret in the header, unless the provider
// wants it in the form or there is none.
func TestHowTheClientShowsItself(t *testing.T) {
	for i, c := range []struct {
		secret  string
		methods []string
		want    string
	}{
		{"s3cret", nil, "basic assent s3cret"},
		{"s3cret", []string{"client_secret_basic", "client_secret_post"}, "basic assent s3cret"},
		{"s3cret", []string{"client_secret_post"}, "assent s3cret"},
		{"", nil, "assent "},
		{"", []string{"client_secret_basic"}, "assent "},
	} {
		f := newForger(t)
		if c.methods != nil {
			f.about = map[string]any{"token_endpoint_auth_methods_supported": c.methods}
		}
		s := service(f, auth.Config{Now: f.now, OIDC: &auth.OIDC{
			Issuer: f.URL, ClientID: "assent", ClientSecret: c.secret, RedirectURL: redirect, NameClaim: "email",
			GroupsClaim: "groups",
			Roles:       map[string][]string{"staff": {"approver"}},
		}})
		in, err := f.comes(s, nil, nil)
		if err != nil || f.client != c.want || in.ReturnTo != "/inbox" {
			t.Errorf("%d: %q, want %q: %+v, %v", i, f.client, c.want, in, err)
		}
		if who, err := s.Cookie(t.Context(), in.Secret); err != nil || who.Issuer != f.URL || who.Subject != "1" ||
			who.Method != port.ByProvider {
			t.Errorf("%d: %+v, %v", i, who, err)
		}
	}
}

// TestRefusedCodes: a code that is not good is told from a provider that is away or
// does not know us, and nothing that it answered is repeated.
func TestRefusedCodes(t *testing.T) {
	f := newForger(t)
	s := f.service()
	for what, c := range map[string]struct {
		status int
		code   string
		away   bool
	}{
		"a spent code": {400, "invalid_grant", false}, "no reason": {400, "", false},
		"the wrong secret": {401, "invalid_client", true},
		"not allowed":      {400, "unauthorized_client", true}, "broken": {500, "invalid_grant", true},
		"busy": {503, "", true}, "almost broken": {499, "", false},
	} {
		f.answers = func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(c.status)
			fmt.Fprintf(w, `{"error":%q,"error_description":"the key is s3cret"}`, c.code)
		}
		_, err := f.comes(s, nil, nil)
		if errors.Is(err, port.ErrUnavailable) != c.away || fault.Is(err, fault.Unauthenticated) == c.away ||
			strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestWhoAnswers: a provider that always says who it is has to, and any has to be
// the one that was asked.
func TestWhoAnswers(t *testing.T) {
	for _, tells := range []bool{false, true} {
		f := newForger(t)
		f.about = map[string]any{"authorization_response_iss_parameter_supported": tells}
		s := f.service()
		for issuer, good := range map[string]bool{"": !tells, f.URL: true, "https://evil.example": false} {
			_, err := f.comes(s, nil, func(a *port.AuthCallback) { a.Issuer = issuer })
			if (err == nil) != good {
				t.Errorf("it tells: %v, and says %q: %v", tells, issuer, err)
			}
		}
	}
}

// TestArrivalsAreOnRecord: as what they turned out to be.
func TestArrivalsAreOnRecord(t *testing.T) {
	f := newForger(t)
	kept := newStore(t)
	s, err := auth.New(kept, auth.Config{Now: f.now, OIDC: &auth.OIDC{
		Issuer: f.URL, ClientID: "assent", RedirectURL: redirect, NameClaim: "email", GroupsClaim: "groups",
		Roles: map[string][]string{"*": {"approver"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.comes(s, nil, nil); err != nil {
		t.Fatal(err)
	}
	rows, err := kept.AuditRows(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		e, err := port.ReadAuditBody(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(e.Action, " ", e.Actor.Kind, " ", e.Actor.Name, " ", e.Actor.Issuer == f.URL, " ",
			e.Actor.Subject))
	}
	if want := "subject.bound person ann@example.com true 1, session.started person ann@example.com true 1"; strings.Join(
		got, ", ") != want {
		t.Errorf("%s", strings.Join(got, ", "))
	}
}

// TestAProviderThatIsAway: it is not asked again at once, and then it is.
func TestAProviderThatIsAway(t *testing.T) {
	f := newForger(t)
	f.about = map[string]any{"jwks_uri": "http://keys.example.com"} // not over TLS, so nobody's
	s := f.service()
	if _, err := s.Begin(t.Context(), "/"); !errors.Is(err, port.ErrUnavailable) ||
		!strings.Contains(err.Error(), "https://") {
		t.Fatalf("%v", err)
	}
	f.about = nil
	if _, err := s.Begin(t.Context(), "/"); !errors.Is(err, port.ErrUnavailable) ||
		strings.Contains(err.Error(), "https://") {
		t.Errorf("it was asked again: %v", err)
	}
	f.ahead.Add(int64(6e9))
	if _, err := s.Begin(t.Context(), "/"); err != nil {
		t.Errorf("it was not asked again: %v", err)
	}
}
