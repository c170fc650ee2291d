package api

import (
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

func tokenHandlers() handlers {
	return handlers{
		"listTokens":  {do: (*Server).listTokens},
		"createToken": {do: (*Server).createToken},
		"removeToken": {do: (*Server).removeToken},
	}
}

func viewToken(t port.Token) contract.TokenView {
	return contract.TokenView{
		ID: t.ID, Name: t.Name, Kind: contract.TokenKind(t.Kind), Roles: append([]string{}, t.Roles...),
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
		if err := s.app.Access.MayGiveAccess(c.who); err != nil {
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
	out := view.List[contract.TokenView]{Items: []contract.TokenView{}, Total: int64(len(all))}
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
	b, err := read[contract.NewToken](c)
	if err != nil {
		return reply{}, err
	}
	if err := s.app.Access.MayCreateToken(c.who, run.ActorKind(b.Kind)); err != nil {
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
