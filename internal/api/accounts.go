package api

import (
	"net/http"
	"time"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

func accountOperations() []operation {
	all := base + "/accounts"
	return []operation{
		{
			method: "GET", path: all, id: "listAccounts", tag: "Access", summary: "List the people who sign in with a password",
			description: "For administrators.",
			console:     true, gives: view.List[AccountView]{}, do: (*Server).listAccounts,
		},
		{
			method: "PUT", path: all + "/{name}", id: "putAccount", tag: "Access", summary: "Create or change an account",
			status: http.StatusOK, also: http.StatusCreated,
			description: "For administrators. What is left out stays as it is; a new account needs a password of 12 " +
				"characters or more. A new password, or closing the account, signs the person out everywhere.",
			console: true, changes: true, forgets: true, takes: takesJSON, body: AccountChange{}, gives: AccountView{},
			example: `{"roles":["approver"],"disabled":false}`,
			params: []request.Param{{Name: "only", Words: []string{string(port.OnlyCreate), string(port.OnlyChange)},
				Doc: "Fail if it exists, or if it does not."}},
			do: (*Server).putAccount,
		},
		{
			method: "DELETE", path: all + "/{name}", id: "removeAccount", tag: "Access", summary: "Remove an account",
			console: true, changes: true,
			description: "For administrators. The person is signed out everywhere, and tokens of kind person that act " +
				"under the name are revoked.",
			gives: AccountView{}, do: (*Server).removeAccount,
		},
	}
}

// AccountChange is the desired state of an account.
type AccountChange struct {
	Password *string   `json:"password,omitempty"` // A new password of at least 12 characters; unchanged if omitted.
	Roles    *[]string `json:"roles,omitempty"`    // All roles of the person; unchanged if omitted.
	Disabled *bool     `json:"disabled,omitempty"` // Whether the account is disabled; unchanged if omitted.
}

// AccountView is a person who signs in with a password.
type AccountView struct {
	Name       string     `json:"name"`
	Roles      []string   `json:"roles"`
	Disabled   bool       `json:"disabled"` // True if the account is disabled.
	CreatedAt  time.Time  `json:"created_at"`
	ChangedAt  time.Time  `json:"changed_at"`   // When an administrator last changed it.
	SignedInAt *time.Time `json:"signed_in_at"` // When the person last signed in; null if never.
}

func viewAccount(a port.Account) AccountView {
	return AccountView{
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
	out := view.List[AccountView]{Items: []AccountView{}, Total: int64(len(all))}
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
	b, err := read[AccountChange](c)
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
