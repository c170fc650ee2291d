package contract

import (
	"time"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/view"
)

// pushOperations are about the browsers that get push messages.
func pushOperations() []Operation {
	mine := Base + "/me/push"
	return []Operation{
		{
			Method: "GET", Path: Base + "/push/key", ID: "getPushKey", Tag: "Notifications",
			Summary:     "Show the public key that browsers subscribe with",
			Description: "It is the applicationServerKey of PushManager.subscribe, and stays the same.",
			Gives:       PushKey{},
		},
		{
			Method: "GET", Path: mine, ID: "listMyPushes", Tag: "Notifications",
			Summary: "List your browsers that get push messages, those used last first",
			Gives:   view.List[PushBrowser]{},
		},
		{
			Method: "PUT", Path: mine, ID: "subscribeMyPush", Tag: "Notifications",
			Summary: "Subscribe this browser to push messages, or renew its subscription", Changes: true,
			Description: "The body is what PushManager.subscribe returned. A browser belongs to the person who subscribed " +
				"last, and is valid for 30 days from then. It is removed when the session ends by signing out or being revoked, " +
				"and when its push service reports that it is gone. Not for tokens. At most 20 per person; a new one replaces " +
				"the least recently used.",
			Takes: TakesJSON, Body: PushSubscription{}, Gives: PushBrowser{},
			Example: `{"endpoint":"…","keys":{"p256dh":"…","auth":"…"},"browser":"Firefox on Android"}`,
		},
		{
			Method: "DELETE", Path: mine, ID: "unsubscribeMyPush", Tag: "Notifications",
			Summary: "Stop push messages in one of your browsers, or in all", Changes: true,
			Params: []request.Param{{Name: "id", Doc: "The browser; all of yours if omitted."}},
			Gives:  PushRemoved{},
		},
		{
			Method: "POST", Path: mine + "/{id}/test", ID: "testMyPush", Tag: "Notifications",
			Summary: "Send a test message to one of your browsers", Changes: true,
			Gives: PushTested{},
		},
	}
}

// PushKey is the public key of this installation.
type PushKey struct {
	Key string `json:"key"` // An uncompressed point of P-256, in base64url.
}

// PushSubscription is what a browser's PushManager returned.
type PushSubscription struct {
	Endpoint string   `json:"endpoint"`          // The address for messages at the browser's push service: https.
	Keys     PushKeys `json:"keys"`              // What messages are encrypted with.
	Browser  string   `json:"browser,omitempty"` // What you call it, such as Firefox on Android.
}

// PushKeys are what messages to the browser are encrypted with.
type PushKeys struct {
	P256DH string `json:"p256dh"` // Its public key, in base64url.
	Auth   string `json:"auth"`   // A secret that it shares with this server, in base64url.
}

// PushBrowser is a browser that gets push messages.
type PushBrowser struct {
	ID        string    `json:"id"`
	Browser   string    `json:"browser"`    // What you call it.
	CreatedAt time.Time `json:"created_at"` // When it was subscribed.
	RenewedAt time.Time `json:"renewed_at"` // When it was last used.
}

// PushRemoved is how many browsers were removed.
type PushRemoved struct {
	Removed int `json:"removed"` // The number of browsers.
}

// PushTested reports that the push service accepted a message.
type PushTested struct {
	Accepted bool `json:"accepted"` // Always true: other answers of the service are errors.
}
