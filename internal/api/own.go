package api

import (
	"net/http"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

func ownHandlers() handlers {
	return handlers{
		"changePassword": {flow: (*Server).changePassword},
		"listMySessions": {do: (*Server).listMySessions},
		"endMySession":   {do: (*Server).endMySession},
		"listMyTokens":   {do: (*Server).listMyTokens},
		"removeMyToken":  {do: (*Server).removeMyToken},
	}
}

func viewSession(v port.Session, current string) contract.SessionView {
	return contract.SessionView{
		ID: v.ID[:min(len(v.ID), port.HandleLength)], Method: v.Method, Current: v.ID == current, CreatedAt: v.CreatedAt,
		SeenAt: v.SeenAt, ExpiresAt: v.ExpiresAt,
	}
}

// self manages sessions and tokens, for a person.
func (s *Server) self(c *call) (port.Auth, error) {
	switch {
	case s.o.Auth == nil || c.how.Method == port.ByNothing:
		return nil, fault.New(fault.Unsupported, "sign-in is not enabled on this server",
			"enable it with sign_in in the configuration")
	case c.who.Kind != run.Person:
		return nil, fault.New(fault.Forbidden, "this is only available to people", "sign in")
	}
	return s.o.Auth, nil
}

func (s *Server) changePassword(c *call, w http.ResponseWriter) error {
	b, err := read[contract.PasswordChange](c)
	if err != nil {
		return err
	}
	auth, err := s.self(c)
	if err != nil {
		return err
	}
	in, err := auth.ChangePassword(c, c.how, b.Old, b.New, s.address(c.r))
	if err != nil {
		return err
	}
	s.setCookie(w, s.cookieName(), in.Secret, in.ExpiresAt)
	body, err := value.Marshal(s.meOf(in.Identity))
	if err != nil {
		return err
	}
	problem.Send(w, http.StatusOK, body)
	return nil
}

func (s *Server) listMySessions(c *call) (reply, error) {
	auth, err := s.self(c)
	if err != nil {
		return reply{}, err
	}
	all, err := auth.Sessions(c, c.who.Name)
	out := view.List[contract.SessionView]{Items: []contract.SessionView{}, Total: int64(len(all))}
	for _, v := range all {
		out.Items = append(out.Items, viewSession(v, c.how.Session))
	}
	return reply{body: out}, err
}

func (s *Server) endMySession(c *call) (reply, error) {
	auth, err := s.self(c)
	if err != nil {
		return reply{}, err
	}
	v, err := auth.EndSession(c, c.who.Name, c.path("id"))
	if err != nil {
		return reply{}, err
	}
	return reply{body: viewSession(v, c.how.Session)}, nil
}

// mine are the tokens that act in the caller's name.
func (s *Server) mine(c *call) ([]port.Token, error) {
	if _, err := s.self(c); err != nil {
		return nil, err
	}
	if s.o.Access == nil {
		return nil, fault.New(fault.Unsupported, "this server has no accounts and tokens", "")
	}
	all, err := s.o.Access.Tokens(c)
	var out []port.Token
	for _, t := range all {
		if t.Kind == run.Person && t.Name == c.who.Name {
			out = append(out, t)
		}
	}
	return out, err
}

func (s *Server) listMyTokens(c *call) (reply, error) {
	all, err := s.mine(c)
	out := view.List[contract.TokenView]{Items: []contract.TokenView{}, Total: int64(len(all))}
	for _, t := range all {
		out.Items = append(out.Items, viewToken(t))
	}
	return reply{body: out}, err
}

func (s *Server) removeMyToken(c *call) (reply, error) {
	all, err := s.mine(c)
	if err != nil {
		return reply{}, err
	}
	for _, t := range all {
		if t.ID == c.path("id") {
			removed, err := s.o.Access.RemoveToken(c, t.ID)
			return reply{body: viewToken(removed)}, err
		}
	}
	return reply{}, fault.New(fault.NotFound, "no token of yours has this id", "")
}
