package api

import (
	"encoding/base64"
	"time"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// pushOperations are about the browsers that get push messages.
func pushOperations() []operation {
	mine := base + "/me/push"
	return []operation{
		{
			method: "GET", path: base + "/push/key", id: "getPushKey", tag: "Notifications",
			summary:     "Show the public key that browsers subscribe with",
			description: "It is the applicationServerKey of PushManager.subscribe, and stays the same.",
			gives:       PushKey{}, do: (*Server).getPushKey,
		},
		{
			method: "GET", path: mine, id: "listMyPushes", tag: "Notifications",
			summary: "List your browsers that get push messages, those used last first",
			gives:   view.List[PushBrowser]{}, do: (*Server).listMyPushes,
		},
		{
			method: "PUT", path: mine, id: "subscribeMyPush", tag: "Notifications",
			summary: "Get push messages in this browser, or renew that", changes: true,
			description: "The body is what PushManager.subscribe returned. A browser belongs to the person who subscribed " +
				"last, and counts for 30 days from then. It is removed when the session ends by signing out or being revoked, " +
				"and when its push service says that it is gone. Not for tokens. You have at most 20; the one that was not " +
				"used for the longest time makes room.",
			takes: takesJSON, body: PushSubscription{}, gives: PushBrowser{},
			example: `{"endpoint":"…","keys":{"p256dh":"…","auth":"…"},"browser":"Firefox on Android"}`,
			do:      (*Server).subscribeMyPush,
		},
		{
			method: "DELETE", path: mine, id: "unsubscribeMyPush", tag: "Notifications",
			summary: "Stop push messages in one of your browsers, or in all", changes: true,
			params: []request.Param{{Name: "id", Doc: "The browser; all of yours if omitted."}},
			gives:  PushRemoved{}, do: (*Server).unsubscribeMyPush,
		},
		{
			method: "POST", path: mine + "/{id}/test", id: "testMyPush", tag: "Notifications",
			summary: "Send a test message to one of your browsers", changes: true,
			gives: PushTested{}, do: (*Server).testMyPush,
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

func viewPush(p port.Push) PushBrowser {
	return PushBrowser{ID: p.ID, Browser: p.Browser, CreatedAt: p.CreatedAt, RenewedAt: p.RenewedAt}
}

// pushes manages browsers, for a person.
func (s *Server) pushes(c *call) (port.PushService, error) {
	switch {
	case s.o.Push == nil:
		return nil, fault.New(fault.Unsupported, "this server sends no push messages", "")
	case c.who.Kind != run.Person:
		return nil, fault.New(fault.Forbidden, "this is only available to people", "sign in")
	}
	return s.o.Push, nil
}

func (s *Server) getPushKey(c *call) (reply, error) {
	if s.o.Push == nil {
		return reply{}, fault.New(fault.Unsupported, "this server sends no push messages", "")
	}
	key, err := s.o.Push.PublicKey(c)
	return reply{body: PushKey{key}}, err
}

func (s *Server) listMyPushes(c *call) (reply, error) {
	service, err := s.pushes(c)
	if err != nil {
		return reply{}, err
	}
	all, err := service.Subscriptions(c, c.who.Name)
	out := view.List[PushBrowser]{Items: []PushBrowser{}, Total: int64(len(all))}
	for _, p := range all {
		out.Items = append(out.Items, viewPush(p))
	}
	return reply{body: out}, err
}

func (s *Server) subscribeMyPush(c *call) (reply, error) {
	b, err := read[PushSubscription](c)
	if err != nil {
		return reply{}, err
	}
	service, err := s.pushes(c)
	if err != nil {
		return reply{}, err
	}
	if c.how.Session == "" && c.how.Method != port.ByNothing {
		return reply{}, fault.New(fault.Forbidden, "only a browser where you signed in can get push messages",
			"a token does not end with a session, so messages would go on after you signed out")
	}
	p, err := service.Subscribe(c, port.Push{Person: c.who.Name, Session: c.how.Session, Browser: b.Browser,
		Endpoint: b.Endpoint, P256DH: base64URL(b.Keys.P256DH), Auth: base64URL(b.Keys.Auth)})
	if err != nil {
		return reply{}, err
	}
	return reply{body: viewPush(p)}, nil
}

// base64URL decodes with or without padding; nil if it is neither.
func base64URL(text string) []byte {
	for _, how := range []*base64.Encoding{base64.RawURLEncoding, base64.URLEncoding} {
		if b, err := how.DecodeString(text); err == nil {
			return b
		}
	}
	return nil
}

func (s *Server) unsubscribeMyPush(c *call) (reply, error) {
	service, err := s.pushes(c)
	if err != nil {
		return reply{}, err
	}
	ids := []string{c.query.Text("id")}
	if ids[0] == "" {
		all, err := service.Subscriptions(c, c.who.Name)
		if err != nil {
			return reply{}, err
		}
		ids = ids[:0]
		for _, p := range all {
			ids = append(ids, p.ID)
		}
	}
	out := PushRemoved{}
	for _, id := range ids {
		removed, err := service.Unsubscribe(c, c.who.Name, id)
		if err != nil {
			return reply{}, err
		}
		if removed {
			out.Removed++
		}
	}
	return reply{body: out}, nil
}

func (s *Server) testMyPush(c *call) (reply, error) {
	service, err := s.pushes(c)
	if err != nil {
		return reply{}, err
	}
	if err := service.TestPush(c, c.who.Name, c.path("id")); err != nil {
		return reply{}, err
	}
	return reply{body: PushTested{true}}, nil
}
