package contract

import (
	"net/http"
	"time"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

func accountOperations() []Operation {
	all := Base + "/accounts"
	return []Operation{
		{
			Method: "GET", Path: all, ID: "listAccounts", Tag: "Access", Summary: "List the people who sign in with a password",
			Description: "For administrators.",
			Console:     true, Gives: view.List[AccountView]{},
		},
		{
			Method: "PUT", Path: all + "/{name}", ID: "putAccount", Tag: "Access", Summary: "Create or change an account",
			Status: http.StatusOK, Also: http.StatusCreated,
			Description: "For administrators. Omitted fields are not changed; a new account needs a password of 12 " +
				"characters or more. A new password, or closing the account, signs the person out everywhere.",
			Console: true, Changes: true, Forgets: true, Takes: TakesJSON, Body: AccountChange{}, Gives: AccountView{},
			Example: `{"roles":["approver"],"disabled":false}`,
			Params: []request.Param{{Name: "only", Words: []string{string(port.OnlyCreate), string(port.OnlyChange)},
				Doc: "Fail if it exists, or if it does not."}},
		},
		{
			Method: "DELETE", Path: all + "/{name}", ID: "removeAccount", Tag: "Access", Summary: "Remove an account",
			Console: true, Changes: true,
			Description: "For administrators. The person is signed out everywhere, and tokens of kind person that act " +
				"under the name are revoked.",
			Gives: AccountView{},
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
