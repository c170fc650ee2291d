package e2e

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/assembly"
	"github.com/go-jose/go-jose/v4"
)

// issuer is an identity provider whose clients use access tokens of their own: OIDC client credentials.
type issuer struct {
	testing.TB
	*httptest.Server
	key ed25519.PrivateKey
}

const issuerAudience = "assent-api"

func newIssuer(t testing.TB) *issuer {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &issuer{TB: t, key: private}
	mux := http.NewServeMux()
	say := func(path string, v func() any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if err := json.NewEncoder(w).Encode(v()); err != nil {
				t.Error(err)
			}
		})
	}
	say("/.well-known/openid-configuration", func() any {
		return map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token",
			"jwks_uri": p.URL + "/jwks"}
	})
	say("/jwks", func() any {
		return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, KeyID: "one",
			Algorithm: string(jose.EdDSA), Use: "sig"}}}
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// client is the access token of a program that signed in as itself. Its groups are named like the roles they
// map to.
func (p *issuer) client(name string, groups []string) string {
	p.Helper()
	return p.token(map[string]any{"sub": name, "client_id": name, "groups": groups})
}

// token is an access token with claims.
func (p *issuer) token(said map[string]any) string {
	p.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: p.key, KeyID: "one"}},
		nil)
	if err != nil {
		p.Fatal(err)
	}
	now := time.Now()
	all := map[string]any{"iss": p.URL, "aud": issuerAudience, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()}
	maps.Copy(all, said)
	claims, err := json.Marshal(all)
	if err != nil {
		p.Fatal(err)
	}
	signed, err := signer.Sign(claims)
	if err != nil {
		p.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		p.Fatal(err)
	}
	return token
}

// groupRoles maps every group of the matrix to the role of its name.
func groupRoles() map[string][]string {
	out := map[string][]string{"outsider": {"outsider"}}
	for role := range roleRules {
		out[role] = []string{role}
	}
	return out
}

// provider is its configuration for a server.
func (p *issuer) provider() *assembly.IdentityProvider {
	return &assembly.IdentityProvider{
		Issuer: p.URL, ClientID: "assent", RedirectURL: "http://127.0.0.1/api/v1/sign-in/oidc/callback",
		NameClaim: "email", GroupsClaim: "groups", Roles: groupRoles(), Audiences: []string{issuerAudience},
	}
}

// flags is the same for the real program at an address.
func (p *issuer) flags(public string) []string {
	out := []string{
		"--sign-in", "both", "--public-url", public, "--oidc-issuer", p.URL, "--oidc-client-id", "assent",
		"--oidc-audiences", issuerAudience,
	}
	for group := range groupRoles() {
		out = append(out, "--oidc-roles", group+"="+group)
	}
	return out
}
