package contract

import (
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// ownOperations are about the caller's own account.
func ownOperations() []Operation {
	me := Base + "/me"
	return []Operation{
		{
			Method: "POST", Path: me + "/password", ID: "changePassword", Tag: "Access",
			Summary: "Change your password", Forgets: true,
			Description: "For people who signed in with one. All your sessions end, and the response sets a cookie for a new " +
				"one. Wrong old passwords count as attempts to sign in.",
			Takes: TakesJSON, Body: PasswordChange{}, Gives: Me{}, Example: `{"old":"…","new":"…"}`,
		},
		{
			Method: "GET", Path: me + "/sessions", ID: "listMySessions", Tag: "Access",
			Summary: "List your sessions, newest first",
			Gives:   view.List[SessionView]{},
		},
		{
			Method: "DELETE", Path: me + "/sessions/{id}", ID: "endMySession", Tag: "Access",
			Summary: "End one of your sessions", Changes: true,
			Gives: SessionView{},
		},
		{
			Method: "GET", Path: me + "/tokens", ID: "listMyTokens", Tag: "Access", Summary: "List tokens that act in your name",
			Gives: view.List[TokenView]{},
		},
		{
			Method: "DELETE", Path: me + "/tokens/{id}", ID: "removeMyToken", Tag: "Access",
			Summary: "Revoke a token that acts in your name", Changes: true,
			Gives: TokenView{},
		},
	}
}

// PasswordChange is the current password and the new one.
type PasswordChange struct {
	Old string `json:"old"` // The current password.
	New string `json:"new"` // The new password, of at least 12 characters.
}

// SessionView is one signed-in browser.
type SessionView struct {
	ID        string            `json:"id"`
	Method    port.SignInMethod `json:"way"`        // The sign-in method.
	Current   bool              `json:"current"`    // True for the session of this request.
	CreatedAt time.Time         `json:"created_at"` // When you signed in.
	SeenAt    time.Time         `json:"seen_at"`    // When it was last used, to the minute.
	ExpiresAt time.Time         `json:"expires_at"` // When it expires.
}
