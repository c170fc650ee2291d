package api

import (
	"net/http"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

func tokenOperations() []operation {
	all := base + "/tokens"
	return []operation{
		{
			method: "GET", path: all, id: "listTokens", tag: "Access", summary: "List tokens, oldest first",
			description: "For administrators. Secrets are not included.",
			console:     true, gives: view.List[TokenView]{}, do: (*Server).listTokens,
		},
		{
			method: "POST", path: all, id: "createToken", tag: "Access", summary: "Create a token", status: http.StatusCreated,
			console: true, changes: true,
			description: "For administrators. The secret is in this response only: the same Idempotency-Key " +
				"does not return it again. A token acts under its name, with its roles and its kind: services and " +
				"agents never decide. Only people create tokens, and only a person who signed in (not with a token) " +
				"creates one of kind person.",
			takes: takesJSON, body: NewToken{}, gives: TokenView{},
			example: `{"name":"nightly","kind":"service","roles":["starter"],"expires_at":"2027-01-01T00:00:00Z"}`,
			do:      (*Server).createToken,
		},
		{
			method: "DELETE", path: all + "/{id}", id: "removeToken", tag: "Access", summary: "Revoke a token",
			description: "For administrators. It takes effect with the response.",
			console:     true, changes: true, gives: TokenView{}, do: (*Server).removeToken,
		},
	}
}

// TokenKind is the kind of actor behind a token.
type TokenKind string

var tokenKinds = []TokenKind{TokenKind(run.Person), TokenKind(run.Service), TokenKind(run.Agent)}

// NewToken is a token to be created.
type NewToken struct {
	Name      string     `json:"name"`
	Kind      TokenKind  `json:"kind"`                 // The kind of identity. Agents never decide.
	Roles     []string   `json:"roles,omitempty"`      // Its roles.
	ExpiresAt *time.Time `json:"expires_at,omitempty"` // When it expires; never if omitted.
}

// TokenView is a token.
type TokenView struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// The kind of identity. Agents never decide.
	Kind  TokenKind `json:"kind"`
	Roles []string  `json:"roles"`
	// When it expires; null if never.
	ExpiresAt *time.Time `json:"expires_at"`
	// Who created it.
	CreatedBy string    `json:"created_by"`
	CreatedAt time.Time `json:"created_at"`
	// When it was last used, to the minute; null if never.
	LastUsedAt *time.Time `json:"last_used_at"`
	// The value for Authorization: Bearer. It is returned once, when the token is created.
	Secret string `json:"secret,omitempty"`
}

func viewToken(t port.Token) TokenView {
	return TokenView{
		ID: t.ID, Name: t.Name, Kind: TokenKind(t.Kind), Roles: append([]string{}, t.Roles...),
		ExpiresAt: orNull(t.ExpiresAt),
		CreatedBy: t.CreatedBy, CreatedAt: t.CreatedAt, LastUsedAt: orNull(t.UsedAt),
	}
}

// orNull is a time that may be missing.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// access manages accounts and tokens, for callers who may.
func (s *Server) access(c *call) (port.Access, error) {
	if c.how.Method != port.ByConsole {
		if err := s.app.MayGiveAccess(c.who); err != nil {
			return nil, err
		}
	}
	if s.o.Access == nil {
		return nil, fault.New(fault.Unsupported, "this server has no accounts and tokens", "")
	}
	return s.o.Access, nil
}

func (s *Server) listTokens(c *call) (reply, error) {
	access, err := s.access(c)
	if err != nil {
		return reply{}, err
	}
	all, err := access.Tokens(c)
	if err != nil {
		return reply{}, err
	}
	out := view.List[TokenView]{Items: []TokenView{}, Total: int64(len(all))}
	for _, t := range all {
		out.Items = append(out.Items, viewToken(t))
	}
	return reply{body: out}, nil
}

func (s *Server) createToken(c *call) (reply, error) {
	access, err := s.access(c)
	if err != nil {
		return reply{}, err
	}
	b, err := read[NewToken](c)
	if err != nil {
		return reply{}, err
	}
	if err := s.app.MayCreateToken(c.who, run.ActorKind(b.Kind)); err != nil {
		return reply{}, err
	}
	n := port.NewToken{Name: b.Name, Kind: run.ActorKind(b.Kind), Roles: b.Roles, By: c.who.Name}
	if b.ExpiresAt != nil {
		n.ExpiresAt = *b.ExpiresAt
	}
	made, secret, err := access.NewToken(c, n)
	if err != nil {
		return reply{}, err
	}
	kept := viewToken(made)
	told := kept
	told.Secret = secret
	return reply{body: told, kept: kept}, nil
}

func (s *Server) removeToken(c *call) (reply, error) {
	access, err := s.access(c)
	if err != nil {
		return reply{}, err
	}
	t, err := access.RemoveToken(c, c.path("id"))
	return reply{body: viewToken(t)}, err
}
