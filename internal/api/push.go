package api

import (
	"encoding/base64"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

func pushHandlers() handlers {
	return handlers{
		"getPushKey":        {do: (*Server).getPushKey},
		"listMyPushes":      {do: (*Server).listMyPushes},
		"subscribeMyPush":   {do: (*Server).subscribeMyPush},
		"unsubscribeMyPush": {do: (*Server).unsubscribeMyPush},
		"testMyPush":        {do: (*Server).testMyPush},
	}
}

func viewPush(p port.Push) contract.PushBrowser {
	return contract.PushBrowser{ID: p.ID, Browser: p.Browser, CreatedAt: p.CreatedAt, RenewedAt: p.RenewedAt}
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
	return reply{body: contract.PushKey{Key: key}}, err
}

func (s *Server) listMyPushes(c *call) (reply, error) {
	service, err := s.pushes(c)
	if err != nil {
		return reply{}, err
	}
	all, err := service.Subscriptions(c, c.who.Name)
	out := view.List[contract.PushBrowser]{Items: []contract.PushBrowser{}, Total: int64(len(all))}
	for _, p := range all {
		out.Items = append(out.Items, viewPush(p))
	}
	return reply{body: out}, err
}

func (s *Server) subscribeMyPush(c *call) (reply, error) {
	b, err := read[contract.PushSubscription](c)
	if err != nil {
		return reply{}, err
	}
	service, err := s.pushes(c)
	if err != nil {
		return reply{}, err
	}
	if c.how.Session == "" && c.how.Method != port.ByNothing {
		return reply{}, fault.New(fault.Forbidden, "only a browser where you signed in can get push messages",
			"a token does not end with a session, so messages would continue after sign-out")
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
	out := contract.PushRemoved{}
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
	return reply{body: contract.PushTested{Accepted: true}}, nil
}
