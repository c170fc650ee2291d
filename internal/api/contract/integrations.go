package contract

import (
	"net/http"
	"time"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/view"
)

// linkOperations are about the caller's accounts in other programs.
func linkOperations() []Operation {
	mine := Base + "/me/links"
	return []Operation{
		{
			Method: "GET", Path: mine, ID: "listMyLinks", Tag: "Notifications",
			Summary: "List your linked accounts in other programs, such as Slack",
			Gives:   view.List[LinkView]{},
		},
		{
			Method: "GET", Path: mine + "/offers/{token}", ID: "getLinkOffer", Tag: "Notifications",
			Summary:     "Show the account in another program that a link is about",
			Description: "Nothing is linked yet. The token is that of the link in the message; it is valid for ten minutes.",
			Gives:       LinkView{},
		},
		{
			Method: "POST", Path: mine, ID: "addMyLink", Tag: "Notifications",
			Summary: "Link an account in another program, which can then decide as you",
			Description: "Link only an account of your own: decisions made with it are recorded as yours. Only for people " +
				"who are signed in. The token is valid once.",
			Takes: TakesJSON, Body: NewLink{}, Example: `{"token":"…"}`, Gives: LinkView{}, Status: http.StatusCreated,
			Changes: true,
		},
		{
			Method: "DELETE", Path: mine, ID: "removeMyLink", Tag: "Notifications",
			Summary: "Unlink one of your accounts in other programs", Changes: true,
			Params: []request.Param{{Name: "id", Doc: "The link."}},
			Gives:  LinkView{},
		},
	}
}

// NewLink is a link to be confirmed.
type NewLink struct {
	Token string `json:"token"` // The last part of the address in the message.
}

// LinkView is an account in another program.
type LinkView struct {
	ID        string    `json:"id"`         // The program, the workspace and the user, with slashes between them.
	Program   gate.Via  `json:"program"`    // The program.
	Label     string    `json:"label"`      // The name of the user there.
	CreatedAt time.Time `json:"created_at"` // When it was linked or, for an offer, offered.
}
