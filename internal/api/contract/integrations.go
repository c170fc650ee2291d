package contract

import (
	"net/http"
	"time"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/view"
)

// linkOperations are about the caller's users of other programs.
func linkOperations() []Operation {
	mine := Base + "/me/links"
	return []Operation{
		{
			Method: "GET", Path: mine, ID: "listMyLinks", Tag: "Notifications",
			Summary: "List your users of other programs, such as Slack",
			Gives:   view.List[LinkView]{},
		},
		{
			Method: "GET", Path: mine + "/offers/{token}", ID: "getLinkOffer", Tag: "Notifications",
			Summary:     "Show the user of another program that a link is about",
			Description: "Nothing is linked yet. The token is that of the link in the message; it is valid for ten minutes.",
			Gives:       LinkView{},
		},
		{
			Method: "POST", Path: mine, ID: "addMyLink", Tag: "Notifications",
			Summary: "Let a user of another program decide as you",
			Description: "Link only a user that is you: whatever they do there is recorded as yours. Only for people who " +
				"are signed in. The token is valid once.",
			Takes: TakesJSON, Body: NewLink{}, Example: `{"token":"…"}`, Gives: LinkView{}, Status: http.StatusCreated,
			Changes: true,
		},
		{
			Method: "DELETE", Path: mine, ID: "removeMyLink", Tag: "Notifications",
			Summary: "Unlink one of your users of other programs", Changes: true,
			Params: []request.Param{{Name: "id", Doc: "The link."}},
			Gives:  LinkView{},
		},
	}
}

// NewLink is a link to be confirmed.
type NewLink struct {
	Token string `json:"token"` // The last part of the address in the message.
}

// LinkView is a user of another program.
type LinkView struct {
	ID        string    `json:"id"`         // The program, the workspace and the user, with slashes between them.
	Program   gate.Via  `json:"program"`    // The program.
	Label     string    `json:"label"`      // The name of the user there.
	CreatedAt time.Time `json:"created_at"` // When it was linked or, for an offer, offered.
}
