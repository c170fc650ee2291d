package api

import (
	"net/http"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

func accountHandlers() handlers {
	return handlers{
		"listAccounts":  {do: (*Server).listAccounts},
		"putAccount":    {do: (*Server).putAccount},
		"removeAccount": {do: (*Server).removeAccount},
	}
}

func viewAccount(a port.Account) contract.AccountView {
	return contract.AccountView{
		Name: a.Name, Roles: append([]string{}, a.Roles...), Disabled: a.Disabled,
		CreatedAt: a.CreatedAt, ChangedAt: a.ChangedAt, SignedInAt: orNull(a.SignedInAt),
	}
}

func (s *Server) listAccounts(c *call) (reply, error) {
	access, err := s.access(c)
	if err != nil {
		return reply{}, err
	}
	all, err := access.Accounts(c)
	if err != nil {
		return reply{}, err
	}
	out := view.List[contract.AccountView]{Items: []contract.AccountView{}, Total: int64(len(all))}
	for _, a := range all {
		out.Items = append(out.Items, viewAccount(a))
	}
	return reply{body: out}, nil
}

func (s *Server) putAccount(c *call) (reply, error) {
	access, err := s.access(c)
	if err != nil {
		return reply{}, err
	}
	b, err := read[contract.AccountChange](c)
	if err != nil {
		return reply{}, err
	}
	p := port.PutAccount{Name: c.path("name"), Password: b.Password, Roles: b.Roles, Disabled: b.Disabled,
		Only: port.PutOnly(c.query.Text("only"))}
	a, created, err := access.PutAccount(c, p)
	if err != nil {
		return reply{}, err
	}
	out := reply{body: viewAccount(a)}
	if created {
		out.status = http.StatusCreated
	}
	return out, nil
}

func (s *Server) removeAccount(c *call) (reply, error) {
	access, err := s.access(c)
	if err != nil {
		return reply{}, err
	}
	a, err := access.RemoveAccount(c, c.path("name"))
	return reply{body: viewAccount(a)}, err
}
