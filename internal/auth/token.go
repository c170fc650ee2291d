package auth

import (
	"context"
	"crypto/subtle"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/port"
)

// A token reads ast_ID_SECRET: scanners for leaked secrets recognise the first part, the second finds it, the third
// proves it.
const (
	tokenPrefix = "ast_"
	tokenIDs    = "tok_"
	idLength    = 26
)

// splitToken splits a token into its parts.
func splitToken(text string) (id, secret string, ok bool) {
	rest, ok := strings.CutPrefix(text, tokenPrefix)
	if !ok || len(rest) != idLength+1+secretLength || rest[idLength] != '_' {
		return "", "", false
	}
	id, secret = rest[:idLength], rest[idLength+1:]
	if _, err := crockford.DecodeString(id); err != nil || !wellFormed(secret) {
		return "", "", false
	}
	return tokenIDs + id, secret, true
}

// NewToken implements port.Access.
func (s *Service) NewToken(ctx context.Context, n port.NewToken) (port.Token, string, error) {
	now := s.now().UTC()
	problems := checkRoles(n.Roles)
	add := func(path, message string) { problems = append(problems, fault.Problem{Path: path, Message: message}) }
	if !directory.GoodName(n.Name) {
		add("name", "expected a name of 1 to 128 printable characters without commas")
	}
	switch n.Kind {
	case run.Person, run.Service, run.Agent:
	default:
		add("kind", "expected person, service or agent")
	}
	if !n.ExpiresAt.IsZero() && !n.ExpiresAt.After(now) {
		add("expires_at", "must be in the future")
	}
	if len(problems) > 0 {
		return port.Token{}, "", fault.Of("the token is not valid", problems)
	}
	if n.Kind == run.Person { // whose name may be in another spelling, or be a label
		name, err := directory.Name(ctx, s.store, n.Name)
		if err != nil {
			return port.Token{}, "", err
		}
		n.Name = name
	}
	id, proof := newID(now), secret()
	t := port.Token{
		ID: tokenIDs + id, Name: n.Name, Kind: n.Kind, Roles: n.Roles, Hash: digest(proof),
		CreatedBy: n.By, CreatedAt: now, ExpiresAt: n.ExpiresAt.UTC(),
	}
	if n.ExpiresAt.IsZero() {
		t.ExpiresAt = n.ExpiresAt
	}
	detail := map[string]any{"name": t.Name, "kind": t.Kind, "roles": t.Roles, "expires_at": nil}
	if !t.ExpiresAt.IsZero() {
		detail["expires_at"] = t.ExpiresAt
	}
	return t, tokenPrefix + id + "_" + proof,
		s.store.CreateToken(ctx, t, port.Recorded(ctx, "token.created", "token/"+t.ID, detail)...)
}

// Tokens implements port.Access.
func (s *Service) Tokens(ctx context.Context) ([]port.Token, error) { return s.store.Tokens(ctx) }

// RemoveToken implements port.Access.
func (s *Service) RemoveToken(ctx context.Context, id string) (port.Token, error) {
	return s.store.RemoveToken(ctx, id, port.RecordedOf(ctx, func(t port.Token) (string, string, map[string]any) {
		return "token.removed", "token/" + t.ID, map[string]any{"name": t.Name, "kind": t.Kind}
	})...)
}

// byToken looks a token up.
func (s *Service) byToken(ctx context.Context, text string) (port.Identity, error) {
	refused := unknown("token not found")
	id, proof, ok := splitToken(text)
	if !ok {
		return port.Identity{}, refused
	}
	t, err := s.store.Token(ctx, id)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return port.Identity{}, err
	}
	if subtle.ConstantTimeCompare([]byte(digest(proof)), []byte(t.Hash)) != 1 {
		return port.Identity{}, refused
	}
	now := s.now()
	if !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt) {
		return port.Identity{}, unknown("this token has expired")
	}
	if t.Kind == run.Person {
		// People who lost their account, or one of its roles, also lose the tokens that act in their name.
		a, err := s.store.Account(ctx, accountName(t.Name))
		switch {
		case err == nil && a.Disabled:
			return port.Identity{}, refused
		case err == nil:
			t.Name = a.Name // older tokens may spell it differently
			t.Roles = slices.DeleteFunc(t.Roles, func(role string) bool { return !slices.Contains(a.Roles, role) })
		case !fault.Is(err, fault.NotFound):
			return port.Identity{}, err
		}
	}
	if now.Sub(t.UsedAt) > touchAfter {
		_ = s.store.TouchToken(ctx, id, now) // only for display; no reason to refuse
	}
	who := port.Identity{Name: t.Name, Kind: t.Kind, Roles: t.Roles, Method: port.ByToken, ExpiresAt: t.ExpiresAt}
	if t.Kind != run.Person {
		return who, nil
	}
	return s.vouched(ctx, who)
}
