package auth

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4/jwt"
	"golang.org/x/oauth2"
)

// awayFor is how long somebody may take to sign in at the provider.
const awayFor = 10 * time.Minute

// trip is what a browser keeps while its person is at the provider. It is in a
// cookie of that browser alone, so nobody can finish what somebody else began,
// and asking a thousand times to sign in leaves nothing behind here.
type trip struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Return   string `json:"r"`
	Until    int64  `json:"u"`
}

const tripMax = 4000

func (t trip) String() string {
	b, err := json.Marshal(t)
	if err != nil {
		return "" // texts and a number always can be written
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func parseTrip(text string) (t trip, ok bool) {
	if text == "" || len(text) > tripMax {
		return t, false
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(b, &t) != nil {
		return trip{}, false
	}
	return t, wellFormed(t.State) && wellFormed(t.Nonce) && wellFormed(t.Verifier)
}

// Begin implements port.Auth.
func (s *Service) Begin(ctx context.Context, returnTo string) (port.Departure, error) {
	if s.provider == nil {
		return port.Departure{}, fault.New(fault.Unsupported, "nobody signs in at an identity provider here", "see GET /api/v1/sign-in for the ways there are")
	}
	d, err := s.provider.discover(ctx)
	if err != nil {
		return port.Departure{}, err
	}
	until := s.now().Add(awayFor)
	t := trip{State: secret(), Nonce: secret(), Verifier: oauth2.GenerateVerifier(), Return: safePath(returnTo), Until: until.Unix()}
	if len(t.String()) > tripMax {
		t.Return = "/"
	}
	address := d.oauth.AuthCodeURL(t.State, oidc.Nonce(t.Nonce), oauth2.S256ChallengeOption(t.Verifier))
	return port.Departure{URL: address, Secret: t.String(), Until: until}, nil
}

// Finish implements port.Auth.
func (s *Service) Finish(ctx context.Context, a port.Arrival) (port.SignedIn, error) {
	if s.provider == nil {
		return port.SignedIn{}, fault.New(fault.Unsupported, "nobody signs in at an identity provider here", "")
	}
	t, ok := parseTrip(a.Secret)
	until := time.Unix(t.Until, 0)
	switch {
	case !ok || subtle.ConstantTimeCompare([]byte(t.State), []byte(a.State)) != 1:
		return port.SignedIn{}, again("this sign-in was not begun in this browser")
	case !s.now().Before(until) || until.Sub(s.now()) > awayFor:
		return port.SignedIn{}, again("this sign-in took too long")
	case !s.provider.spent.take(t.State, s.now(), until):
		return port.SignedIn{}, again("this sign-in was finished before")
	}
	d, err := s.provider.discover(ctx)
	if err != nil {
		return port.SignedIn{}, err
	}
	switch {
	case a.Issuer != "" && a.Issuer != s.provider.config.Issuer, a.Issuer == "" && d.tellsIss:
		return port.SignedIn{}, again("the answer is not from the identity provider that was asked")
	case a.Error == "access_denied":
		return port.SignedIn{}, again("the sign-in was cancelled at the identity provider")
	case a.Error != "" || a.Code == "":
		return port.SignedIn{}, again("the identity provider did not let anybody in")
	}
	c, err := s.provider.exchange(ctx, d, a.Code, t)
	if err != nil {
		return port.SignedIn{}, err
	}
	person, roles, err := s.person(ctx, c)
	if err != nil {
		return port.SignedIn{}, err
	}
	in, err := s.open(ctx, port.Session{Person: person, Way: port.ByProvider}, roles)
	in.ReturnTo = safePath(t.Return) // it was in a browser
	return in, err
}

func again(message string) error {
	return fault.New(fault.Unauthenticated, message, "sign in again")
}

// exchange turns a code into what the provider says about somebody.
func (p *provider) exchange(ctx context.Context, d *discovered, code string, t trip) (claims, error) {
	ctx, cancel := context.WithTimeout(ctx, providerWait)
	defer cancel()
	token, err := d.oauth.Exchange(context.WithValue(ctx, oauth2.HTTPClient, p.client), code, oauth2.VerifierOption(t.Verifier))
	if err != nil {
		return nil, refusal(err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := d.verifier.Verify(oidc.ClientContext(ctx, p.client), raw)
	switch {
	case errors.Is(err, port.ErrUnavailable):
		return nil, err
	case err != nil:
		return nil, again("the identity provider's word cannot be trusted: it is not signed, not for us, or too old")
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(t.Nonce)) != 1:
		return nil, again("the identity provider's word is from another sign-in")
	case id.AccessTokenHash != "" && id.VerifyAccessToken(token.AccessToken) != nil:
		return nil, again("the identity provider's answers do not belong together")
	}
	c := claims{}
	if err := id.Claims(&c); err != nil {
		return nil, again("the identity provider's word cannot be read")
	}
	if azp := c.text("azp"); azp != "" && azp != p.config.ClientID || azp == "" && len(id.Audience) > 1 {
		return nil, again("the identity provider's word is for somebody else, too")
	}
	return c, p.complete(ctx, d, token, c)
}

// refusal tells a code that is not good from a provider that is away. What it
// answered is not repeated: it may hold secrets.
func refusal(err error) error {
	var answer *oauth2.RetrieveError
	if errors.As(err, &answer) && answer.Response != nil && answer.Response.StatusCode < 500 {
		if answer.ErrorCode == "invalid_client" || answer.ErrorCode == "unauthorized_client" {
			return fmt.Errorf("%w: the identity provider does not know this server: check oidc_client_id and oidc_client_secret", port.ErrUnavailable)
		}
		return again("the identity provider does not take this code (any more)")
	}
	return fmt.Errorf("%w: the identity provider does not answer", port.ErrUnavailable)
}

// complete asks for what the token does not say. Some providers tell groups and
// addresses only there.
func (p *provider) complete(ctx context.Context, d *discovered, token *oauth2.Token, c claims) error {
	_, grouped := c[p.config.GroupsClaim]
	if grouped && c.text(p.config.NameClaim) != "" || d.userinfo == nil {
		return nil
	}
	more, err := d.userinfo(ctx, token)
	if err != nil {
		return nil // what is missing is told when it is looked for
	}
	if more.text("sub") != c.text("sub") {
		return again("the identity provider's answers do not belong together")
	}
	c.add(more)
	return nil
}

// person is who the provider's words are about. An account of our own keeps its
// name: nobody becomes somebody else by choosing what to be called elsewhere.
func (s *Service) person(ctx context.Context, c claims) (string, []string, error) {
	name, err := c.name(s.provider.config.NameClaim)
	if err != nil {
		return "", nil, err
	}
	if s.config.Password {
		switch _, err := s.store.Account(ctx, accountName(name)); {
		case err == nil:
			return "", nil, fault.New(fault.Forbidden, "an account of this server has the same name", "sign in with its password, or let an administrator remove it")
		case !fault.Is(err, fault.NotFound):
			return "", nil, err
		}
	}
	roles, err := c.roles(s.provider.config.GroupsClaim, s.provider.config.Roles)
	if err == nil {
		err = s.belongs(ctx, name, c.text("sub"))
	}
	return name, roles, err
}

// belongs makes sure that a name is always the same person's. What people are
// called at a provider may change, and may be given to somebody else later: who
// they are there does not. Whoever has a name first keeps it.
func (s *Service) belongs(ctx context.Context, name, subject string) error {
	issuer := s.provider.config.Issuer
	if subject == "" {
		return again("the identity provider does not say who this is")
	}
	for range 2 { // the second time if somebody else was faster
		known, err := s.store.Subject(ctx, issuer, subject)
		switch {
		case err == nil && known.Name == name:
			return nil
		case err == nil:
			return fault.New(fault.Forbidden, fmt.Sprintf("the identity provider calls you %s now, and here you are %s: it is not clear that you are to have what %s has", name, known.Name, known.Name),
				"an administrator can let the old name go with: assent auth subject release "+known.Name+"; then you begin as "+name)
		case !fault.Is(err, fault.NotFound):
			return err
		}
		note := port.Recorded(ctx, "subject.bound", "account/"+name, map[string]any{"issuer": issuer})
		for i := range note {
			note[i].Actor = run.Actor{Kind: run.Person, Name: name}
		}
		err = s.store.BindSubject(ctx, port.Subject{Issuer: issuer, Subject: subject, Name: name, BoundAt: s.now().UTC()}, note...)
		if err == nil || !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	return fault.New(fault.Forbidden, "the name "+name+" belongs to somebody else at the identity provider, or did before",
		"if it is yours now, an administrator can let it go with: assent auth subject release "+name)
}

// byJWT looks at an access token of the provider.
func (s *Service) byJWT(ctx context.Context, token string) (port.Identity, error) {
	refused := unknown("this token is not good: it is not signed by the identity provider, not for this server, or too old")
	p := s.provider
	if len(p.config.Audiences) == 0 || !plausible(token) {
		return port.Identity{}, refused
	}
	d, err := p.discover(ctx)
	if err != nil {
		return port.Identity{}, err
	}
	body, err := d.keys.VerifySignature(ctx, token)
	if errors.Is(err, port.ErrUnavailable) {
		return port.Identity{}, err
	}
	var std jwt.Claims
	c := claims{}
	if err != nil || json.Unmarshal(body, &std) != nil || json.Unmarshal(body, &c) != nil {
		return port.Identity{}, refused
	}
	expected := jwt.Expected{Issuer: p.config.Issuer, AnyAudience: p.config.Audiences, Time: s.now()}
	if std.Expiry == nil || std.Subject == "" || std.ValidateWithLeeway(expected, clockSkew) != nil {
		return port.Identity{}, refused
	}
	who := port.Identity{Kind: run.Person, Issuer: p.config.Issuer, Subject: std.Subject, Way: port.ByJWT, ExpiresAt: std.Expiry.Time().UTC()}
	// Where people are called by their sub, programs have one, too: their own id.
	if name := c.text(p.config.NameClaim); name != "" && name != c.text("client_id") {
		who.Name, who.Roles, err = s.person(ctx, c)
		return who, err
	}
	// A token may leave out the name of the person it belongs to.
	switch known, err := s.store.Subject(ctx, p.config.Issuer, std.Subject); {
	case err == nil:
		who.Name = known.Name
		who.Roles, err = c.roles(p.config.GroupsClaim, p.config.Roles)
		return who, err
	case !fault.Is(err, fault.NotFound):
		return port.Identity{}, err
	}
	// A program that signed in as itself.
	if who.Kind, who.Name = run.Service, std.Subject; !goodName(who.Name) {
		return port.Identity{}, refused
	}
	who.Roles, err = c.roles(p.config.GroupsClaim, p.config.Roles)
	return who, err
}

// plausible looks at a token's head before anything is fetched for its sake.
func plausible(token string) bool {
	head, _, ok := strings.Cut(token, ".")
	if !ok || len(token) > jwtMax {
		return false
	}
	raw, err := base64.RawURLEncoding.DecodeString(head)
	var h struct {
		Algorithm string `json:"alg"`
	}
	return err == nil && json.Unmarshal(raw, &h) == nil && slices.Contains(algorithmNames(), h.Algorithm)
}

// Subjects implements port.Access.
func (s *Service) Subjects(ctx context.Context) ([]port.Subject, error) { return s.store.Subjects(ctx) }

// ReleaseSubject implements port.Access.
func (s *Service) ReleaseSubject(ctx context.Context, name string) (port.Subject, error) {
	return s.store.ReleaseSubject(ctx, name, port.RecordedOf(ctx, func(v port.Subject) (string, string, map[string]any) {
		return "subject.released", "account/" + v.Name, map[string]any{"issuer": v.Issuer}
	})...)
}
