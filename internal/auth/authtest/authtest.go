// Package authtest starts a real identity provider for tests: oidc-provider, as
// its authors publish it on npm.
//
//	p := authtest.Start(t, "http://127.0.0.1:8080/api/v1/sign-in/oidc/callback")
//	// p.Issuer, p.ClientID, p.ClientSecret
//	back := p.Visit(t, departure.URL)   // ann signs in and is sent back
package authtest

import (
	"bytes"
	"embed"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/nodetest"
	"github.com/assent-run/assent/internal/steady"
)

//go:embed provider
var files embed.FS

// Provider is an identity provider that runs until the test ends.
type Provider struct {
	Issuer       string
	ClientID     string
	ClientSecret string
	redirect     string
}

// The people it knows, by the name to sign in with; see login_hint. Ann may do everything, bob approves, and cat is in
// no relevant group.
var people = map[string]map[string]any{
	"ann": {"email": "Ann@example.com", "email_verified": true, "preferred_username": "ann",
		"groups": []string{"assent-admins", "staff"}},
	"bob": {"email": "bob@example.com", "email_verified": true, "preferred_username": "bob",
		"groups": []string{"claims"}},
	"cat": {"email": "cat@example.com", "email_verified": true, "preferred_username": "cat",
		"groups": []string{"visitors"}},
	"mask": {"email": "ann@example.com", "email_verified": false, "preferred_username": "mask",
		"groups": []string{"assent-admins"}},
}

// ProgramGroups are the groups in tokens of programs.
var ProgramGroups = []string{"claims"}

// Start starts one that sends people back to redirect.
func Start(t testing.TB, redirect string) *Provider {
	t.Helper()
	p := &Provider{Issuer: "http://127.0.0.1:" + steady.Port(t), ClientID: "assent",
		ClientSecret: "a secret for tests alone", redirect: redirect}
	config, err := json.Marshal(map[string]any{
		"issuer": p.Issuer, "client_id": p.ClientID, "client_secret": p.ClientSecret, "redirect_uri": redirect,
		"people": people, "first": "ann", "program_groups": ProgramGroups,
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(path, config, 0o600); err != nil {
		t.Fatal(err)
	}
	program := nodetest.Start(t, nodetest.Packages{Name: "provider", Files: files, Dir: "provider"}, "server.mjs", path)
	for string(program.Next(t)) != "ready" {
	}
	return p
}

// Visit goes to the provider as a browser does and returns the address that it redirects the browser back to. Hint is
// the person who signs in; empty is ann.
func (p *Provider) Visit(t testing.TB, address, hint string) *url.URL {
	t.Helper()
	if hint != "" {
		address += "&login_hint=" + hint
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	var back *url.URL
	browser := &http.Client{Jar: jar, Timeout: 2 * time.Minute,
		CheckRedirect: func(r *http.Request, _ []*http.Request) error {
			if strings.HasPrefix(r.URL.String(), p.redirect) {
				back = r.URL
				return http.ErrUseLastResponse
			}
			return nil
		}}
	res, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	var body bytes.Buffer
	_, _ = body.ReadFrom(res.Body) // for the message below
	_ = res.Body.Close()
	browser.CloseIdleConnections()
	if back == nil {
		t.Fatalf("no redirect back: %s\n%.2000s", res.Status, body.String())
	}
	return back
}

// Program gets an access token for a program that signs in as itself.
func (p *Provider) Program(t testing.TB, audience string) string {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "resource": {audience}, "scope": {"runs"}}
	r, err := http.NewRequest(http.MethodPost, p.Issuer+"/token", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(url.QueryEscape(p.ClientID), url.QueryEscape(p.ClientSecret))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // only read
	var answer struct {
		Token string `json:"access_token"`
		Error string `json:"error"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Token == "" {
		t.Fatalf("%s: %+v, %v", res.Status, answer, err)
	}
	return answer.Token
}
