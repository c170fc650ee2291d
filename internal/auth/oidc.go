package auth

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/port"
	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4/jwt"
	"golang.org/x/oauth2"
)

// awayFor is how long a sign-in at the provider may take.
const awayFor = 10 * time.Minute

// trip is the state that a browser stores while its person signs in at the provider. It is in a cookie of that browser
// alone, so a sign-in cannot be finished by another browser, and a thousand attempts leave nothing stored here.
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
		return "" // strings and a number always marshal
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
func (s *Service) Begin(ctx context.Context, returnTo string) (port.AuthRequest, error) {
	if s.provider == nil {
		return port.AuthRequest{}, fault.New(fault.Unsupported, "sign-in with an identity provider is not enabled",
			"see GET /api/v1/sign-in for the available methods")
	}
	d, err := s.provider.discover(ctx)
	if err != nil {
		return port.AuthRequest{}, err
	}
	until := s.now().Add(awayFor)
	t := trip{State: secret(), Nonce: secret(), Verifier: oauth2.GenerateVerifier(), Return: safePath(returnTo),
		Until: until.Unix()}
	if len(t.String()) > tripMax {
		t.Return = "/"
	}
	address := d.oauth.AuthCodeURL(t.State, oidc.Nonce(t.Nonce), oauth2.S256ChallengeOption(t.Verifier))
	return port.AuthRequest{URL: address, Secret: t.String(), Until: until}, nil
}

// Finish implements port.Auth.
func (s *Service) Finish(ctx context.Context, a port.AuthCallback) (port.SignedIn, error) {
	if s.provider == nil {
		return port.SignedIn{}, fault.New(fault.Unsupported, "sign-in with an identity provider is not enabled", "")
	}
	t, ok := parseTrip(a.Secret)
	until := time.Unix(t.Until, 0)
	switch {
	case !ok || subtle.ConstantTimeCompare([]byte(t.State), []byte(a.State)) != 1:
		return port.SignedIn{}, again("this sign-in was started in another browser")
	case !s.now().Before(until) || until.Sub(s.now()) > awayFor:
		return port.SignedIn{}, again("this sign-in has expired")
	case !s.provider.spent.take(t.State, s.now(), until):
		return port.SignedIn{}, again("this sign-in was already completed")
	}
	d, err := s.provider.discover(ctx)
	if err != nil {
		return port.SignedIn{}, err
	}
	switch {
	case a.Issuer != "" && a.Issuer != s.provider.config.Issuer, a.Issuer == "" && d.tellsIss:
		return port.SignedIn{}, again("the response is from another identity provider")
	case a.Error == "access_denied":
		return port.SignedIn{}, again("the sign-in was cancelled at the identity provider")
	case a.Error != "" || a.Code == "":
		return port.SignedIn{}, again("the identity provider refused the sign-in")
	}
	c, err := s.provider.exchange(ctx, d, a.Code, t)
	if err != nil {
		return port.SignedIn{}, err
	}
	if _, err := s.rolesIn(c); err != nil { // what they began earlier has no role either, from now on
		who := port.Subject{Issuer: s.provider.config.Issuer, Subject: c.text("sub")}
		return port.SignedIn{}, errors.Join(err, s.reported(ctx, who, nil))
	}
	person, roles, err := s.person(ctx, c)
	if err == nil {
		err = s.reported(ctx, person, roles)
	}
	if err != nil {
		return port.SignedIn{}, err
	}
	in, err := s.open(ctx, port.Session{Method: port.ByProvider}, person, roles)
	in.ReturnTo = safePath(t.Return) // it was stored in a browser
	return in, err
}

func again(message string) error {
	return fault.New(fault.Unauthenticated, message, "sign in again")
}

// exchange turns a code into the provider's claims about a person.
func (p *provider) exchange(ctx context.Context, d *discovered, code string, t trip) (claims, error) {
	ctx, cancel := context.WithTimeout(ctx, providerWait)
	defer cancel()
	token, err := d.oauth.Exchange(context.WithValue(ctx, oauth2.HTTPClient, p.client), code,
		oauth2.VerifierOption(t.Verifier))
	if err != nil {
		return nil, refusal(err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := d.verifier.Verify(oidc.ClientContext(ctx, p.client), raw)
	switch {
	case errors.Is(err, port.ErrUnavailable):
		return nil, err
	case err != nil:
		return nil, again("the ID token is not valid: its signature is wrong, it is for another client, or it has expired")
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(t.Nonce)) != 1:
		return nil, again("the ID token belongs to another sign-in")
	case id.AccessTokenHash != "" && id.VerifyAccessToken(token.AccessToken) != nil:
		return nil, again("the ID token and the userinfo response do not match")
	}
	c := claims{}
	if err := id.Claims(&c); err != nil {
		return nil, again("the ID token cannot be read")
	}
	if azp := c.text("azp"); azp != "" && azp != p.config.ClientID || azp == "" && len(id.Audience) > 1 {
		return nil, again("the ID token is also for another client")
	}
	return c, p.complete(ctx, d, token, c)
}

// refusal distinguishes an invalid code from an unavailable provider. The response is not repeated: it may contain
// secrets.
func refusal(err error) error {
	var answer *oauth2.RetrieveError
	if errors.As(err, &answer) && answer.Response != nil && answer.Response.StatusCode < 500 {
		if answer.ErrorCode == "invalid_client" || answer.ErrorCode == "unauthorized_client" {
			return fmt.Errorf("%w: the identity provider rejected this client: "+
				"check oidc_client_id and oidc_client_secret", port.ErrUnavailable)
		}
		return again("the identity provider rejected the code; it may have expired")
	}
	return fmt.Errorf("%w: the identity provider does not respond", port.ErrUnavailable)
}

// complete fetches the claims that the token lacks. Some providers report groups and addresses only at the userinfo
// endpoint.
func (p *provider) complete(ctx context.Context, d *discovered, token *oauth2.Token, c claims) error {
	_, grouped := c[p.config.GroupsClaim]
	if grouped && c.text(p.config.NameClaim) != "" || d.userinfo == nil {
		return nil
	}
	more, err := d.userinfo(ctx, token)
	if err != nil {
		return nil // a missing claim is reported when it is looked up
	}
	if more.text("sub") != c.text("sub") {
		return again("the ID token and the userinfo response do not match")
	}
	c.add(more)
	return nil
}

// person is the person that the claims are about. An account of our own keeps its name: a label chosen elsewhere
// cannot make one person another.
func (s *Service) person(ctx context.Context, c claims) (port.Subject, []string, error) {
	label, err := c.name(s.provider.config.NameClaim)
	if err != nil {
		return port.Subject{}, nil, err
	}
	if s.config.Password {
		if err := s.noAccount(ctx, label); err != nil {
			return port.Subject{}, nil, err
		}
	}
	roles, err := s.rolesIn(c)
	if err != nil {
		return port.Subject{}, nil, err
	}
	who, err := s.meet(ctx, label, c.text("sub"))
	return who, roles, err
}

func (s *Service) rolesIn(c claims) ([]string, error) {
	return c.roles(s.provider.config.GroupsClaim, s.provider.config.Roles)
}

const (
	reportAfter = 24 * time.Hour      // stored roles older than that are stored again
	reportedFor = 90 * 24 * time.Hour // reported roles older than that are no longer current
)

// reported stores the roles that a person signed in with. They bound those of their earlier sessions and their personal
// tokens, so a withdrawn role is withdrawn from all of them.
func (s *Service) reported(ctx context.Context, who port.Subject, roles []string) error {
	now := s.now().UTC()
	if slices.Equal(who.Roles, roles) && now.Sub(who.RolesAt) <= reportAfter {
		return nil
	}
	return s.store.ReportRoles(ctx, who.Issuer, who.Subject, roles, now)
}

// noAccount refuses a person whose label is the name of an account on this server.
func (s *Service) noAccount(ctx context.Context, label string) error {
	name := accountName(label)
	switch _, err := s.store.Account(ctx, name); {
	case err == nil:
		return fault.New(fault.Forbidden, "an account of this server has the same name",
			"sign in with its password; if the account is yours, an administrator can remove it and "+
				"hand its name over to you with: assent auth subject release "+name+" --hand-over")
	case !fault.Is(err, fault.NotFound):
		return err
	}
	return nil
}

// meet finds the permanent name of a person. Labels at a provider may change, and may be reassigned to another person
// later; the subject does not.
func (s *Service) meet(ctx context.Context, label, subject string) (port.Subject, error) {
	issuer := s.provider.config.Issuer
	if subject == "" {
		return port.Subject{}, again("the ID token has no subject")
	}
	for range 2 { // the second time if another request was faster
		known, err := s.store.Subject(ctx, issuer, subject)
		if err == nil {
			return s.labelled(ctx, known, label)
		}
		if !fault.Is(err, fault.NotFound) {
			return port.Subject{}, err
		}
		who := port.Subject{Issuer: issuer, Subject: subject, Label: label, BoundAt: s.now().UTC()}
		if who.Name, err = s.nameFor(ctx, who); err != nil {
			return port.Subject{}, err
		}
		err = s.store.BindSubject(ctx, who, recordedBy(ctx, who, "subject.bound", map[string]any{"issuer": issuer})...)
		if err == nil || !fault.Is(err, fault.Conflict) {
			return who, err
		}
	}
	return port.Subject{}, belongsToAnother(label)
}

func belongsToAnother(name string) error {
	return fault.New(fault.Forbidden, "the name "+name+" belongs to another person at the identity provider",
		"if they are gone, an administrator can release it with: assent auth subject release "+name+
			"; if it is yours, with --hand-over")
}

// recordedBy is an audit entry of a change made by signing in.
func recordedBy(ctx context.Context, who port.Subject, action string, detail map[string]any) []port.AuditDraft {
	note := port.Recorded(ctx, action, "account/"+who.Name, detail)
	for i := range note { // now that their identity is known
		note[i].Actor = run.Actor{Kind: run.Person, Name: who.Name, Issuer: who.Issuer, Subject: who.Subject}
	}
	return note
}

// labelled is a known person under their current label.
func (s *Service) labelled(ctx context.Context, known port.Subject, label string) (port.Subject, error) {
	if known.Label == label && !known.Released {
		return known, nil
	}
	before := known.Label
	known.Label, known.Released = label, false
	note := recordedBy(ctx, known, "subject.renamed", map[string]any{"issuer": known.Issuer, "from": before, "to": label})
	return known, s.store.LabelSubject(ctx, known.Issuer, known.Subject, label, note...)
}

// nameFor is the permanent name of a new person: their label or, if that is or was another's name, one that is
// certainly unique.
func (s *Service) nameFor(ctx context.Context, who port.Subject) (string, error) {
	held, err := s.store.SubjectNamed(ctx, who.Label)
	switch {
	case fault.Is(err, fault.NotFound):
		return who.Label, nil
	case err != nil:
		return "", err
	case held.Issuer == "":
		if err := s.noAccount(ctx, who.Label); err != nil {
			return "", err
		}
	case !held.Released && held.Label == who.Label:
		return "", belongsToAnother(who.Label)
	}
	return apart(who), nil
}

// apart is a unique name, made from the identity itself.
func apart(who port.Subject) string {
	const digits = 8
	label := who.Label
	for len(label) > nameMax-1-digits {
		_, size := utf8.DecodeLastRuneInString(label)
		label = label[:len(label)-size]
	}
	return label + "#" + digest(who.Issuer + "\x00" + who.Subject)[:digits]
}

// vouched adds the person's identity at the provider, which leaves them the roles that it still gives them.
func (s *Service) vouched(ctx context.Context, who port.Identity) (port.Identity, error) {
	held, err := s.store.SubjectNamed(ctx, who.Name)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return port.Identity{}, err
	}
	if held.Issuer != "" {
		who.Roles = s.still(held, who.Roles)
	}
	return who.As(held), nil
}

// still are the roles that the provider reported for a person at their last sign-in. After some time without one, after
// a change of the provider, and once a role is no longer given to any group, they are not current.
func (s *Service) still(held port.Subject, roles []string) []string {
	if s.provider == nil || held.Issuer != s.provider.config.Issuer || s.now().Sub(held.RolesAt) > reportedFor {
		return nil
	}
	given := slices.Concat(slices.Collect(maps.Values(s.provider.config.Roles))...)
	return slices.DeleteFunc(slices.Clone(roles), func(role string) bool {
		return !slices.Contains(held.Roles, role) || !slices.Contains(given, role)
	})
}

// byJWT verifies an access token of the provider.
func (s *Service) byJWT(ctx context.Context, token string) (port.Identity, error) {
	refused := unknown("the token is not valid: " +
		"it is not signed by the identity provider, is for another audience, or has expired")
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
	who := port.Identity{Kind: run.Person, Issuer: p.config.Issuer, Subject: std.Subject, Method: port.ByJWT,
		ExpiresAt: std.Expiry.Time().UTC()}
	// A program may have a claim with a name as well; where people are named by their sub, that is its own id.
	if c.ofClient() {
		return s.client(who, c)
	}
	if name := c.text(p.config.NameClaim); name != "" && name != c.text("client_id") {
		person, roles, err := s.person(ctx, c)
		if err == nil && (person.RolesAt.IsZero() || slices.Equal(person.Roles, roles)) {
			// Later reports are left to sign-ins: the roles of a token may be those of its audience, and it may be older.
			err = s.reported(ctx, person, roles)
		}
		who.Roles = roles
		return who.As(person), err
	}
	// A token may leave out the name of the person it belongs to.
	switch known, err := s.store.Subject(ctx, p.config.Issuer, std.Subject); {
	case err == nil:
		who.Roles, err = c.roles(p.config.GroupsClaim, p.config.Roles)
		return who.As(known), err
	case !fault.Is(err, fault.NotFound):
		return port.Identity{}, err
	}
	return s.client(who, c)
}

// client is a program that signed in as itself.
func (s *Service) client(who port.Identity, c claims) (_ port.Identity, err error) {
	if who.Kind, who.Name = run.Service, who.Subject; !directory.GoodName(who.Name) {
		return port.Identity{}, unknown("the token is not valid: its subject is not a valid name")
	}
	who.Roles, err = s.rolesIn(c)
	return who, err
}

// ofClient reports whether a token says that it is a client's own, in one of the ways that providers have: Auth0 names
// the grant, Microsoft the kind of token, Keycloak the account of the client; most make the client its own subject.
func (c claims) ofClient() bool {
	if c.text("gty") == "client-credentials" || c.text("idtyp") == "app" {
		return true
	}
	for _, key := range []string{"client_id", "azp"} {
		if id := c.text(key); id != "" && (id == c.text("sub") || c.text("preferred_username") == "service-account-"+id) {
			return true
		}
	}
	return false
}

// plausible checks a token's header before anything is fetched for its sake.
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
func (s *Service) ReleaseSubject(ctx context.Context, name string, handOver bool) (port.Subject, error) {
	return s.store.ReleaseSubject(ctx, name, handOver,
		port.RecordedOf(ctx, func(v port.Subject) (string, string, map[string]any) {
			return "subject.released", "account/" + v.Name,
				map[string]any{"issuer": v.Issuer, "subject": v.Subject, "hand_over": handOver}
		})...)
}
