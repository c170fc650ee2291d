package contract

import (
	"net/http"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/view"
)

func tokenOperations() []Operation {
	all := Base + "/tokens"
	return []Operation{
		{
			Method: "GET", Path: all, ID: "listTokens", Tag: "Access", Summary: "List tokens, oldest first",
			Description: "For administrators. Secrets are not included.",
			Console:     true, Gives: view.List[TokenView]{},
		},
		{
			Method: "POST", Path: all, ID: "createToken", Tag: "Access", Summary: "Create a token", Status: http.StatusCreated,
			Console: true, Changes: true,
			Description: "For administrators. The secret is in this response only: the same Idempotency-Key " +
				"does not return it again. A token acts under its name, with its roles and its kind: services and " +
				"agents never decide. Only people create tokens, and only a person who signed in (not with a token) " +
				"creates one of kind person.",
			Takes: TakesJSON, Body: NewToken{}, Gives: TokenView{},
			Example: `{"name":"nightly","kind":"service","roles":["starter"],"expires_at":"2027-01-01T00:00:00Z"}`,
		},
		{
			Method: "DELETE", Path: all + "/{id}", ID: "removeToken", Tag: "Access", Summary: "Revoke a token",
			Description: "For administrators. It takes effect with the response.",
			Console:     true, Changes: true, Gives: TokenView{},
		},
	}
}

// TokenKind is the kind of actor behind a token.
type TokenKind string

// TokenKinds are the kinds of actors that tokens are for.
var TokenKinds = []TokenKind{TokenKind(run.Person), TokenKind(run.Service), TokenKind(run.Agent)}

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
