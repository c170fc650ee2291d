package api

import (
	"net/http"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/outbox"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/view"
)

// notificationOperations are about channels and what was sent on them.
func notificationOperations() []operation {
	all, one, mine := base+"/channels", base+"/channels/{name}", base+"/me/notifications"
	statuses := make([]string, len(port.DeliveryStatuses))
	for i, s := range port.DeliveryStatuses {
		statuses[i] = string(s)
	}
	const tag = "Notifications"
	return []operation{
		{
			method: "GET", path: base + "/deliveries", id: "listDeliveries", tag: tag, summary: "List messages, newest first",
			description: "What was sent where, and what became of it. Administrators see all messages, others those to " +
				"themselves. Messages are listed for 90 days.",
			gives: view.List[outbox.Delivery]{}, params: append([]request.Param{
				{Name: "status", Kind: request.List, Words: statuses, Doc: "Only those with one of these statuses."},
				{Name: "approval", Doc: "Only those about this approval."},
				{Name: "run", Doc: "Only those about this run."},
				{Name: "channel", Doc: "Only those on this channel."},
			}, request.Paging...), do: (*Server).listDeliveries,
		},
		{
			method: "POST", path: base + "/deliveries/{id}/retry", id: "retryDelivery", tag: tag,
			summary: "Send a message again that failed or was suppressed", changes: true,
			gives: outbox.Delivery{}, do: (*Server).retryDelivery,
		},
		{
			method: "GET", path: all, id: "listChannels", tag: tag, summary: "List the channels in force, by name",
			gives: view.List[outbox.Channel]{}, params: request.Paging, do: (*Server).listChannels,
		},
		{
			method: "GET", path: one, id: "getChannel", tag: tag, summary: "Show a channel",
			description: "Secrets are hidden. With Accept: application/yaml, the response is a file.",
			gives:       outbox.Channel{}, tagged: true, yaml: true, do: (*Server).getChannel,
		},
		{
			method: "PUT", path: one, id: "saveChannel", tag: tag, summary: "Save a channel and put it in force",
			description: saves + " A channel that was disabled takes messages again.",
			takes:       takesDocument, gives: registry.Document{}, params: []request.Param{forced},
			status: http.StatusCreated, also: http.StatusOK, changes: true,
			example: `{"channel":"browser","kind":"push"}`,
			do:      saving(definition.KindChannel),
		},
		{
			method: "DELETE", path: one, id: "deleteChannel", tag: tag, summary: "Take a channel out of force",
			description: "Messages that were not sent are suppressed. The response shows it as it was.",
			gives:       outbox.Channel{}, changes: true, do: (*Server).deleteChannel,
		},
		{
			method: "POST", path: one + "/test", id: "testChannel", tag: tag,
			summary:     "Send a test message on a channel",
			description: "To its room, or to you. If it arrives, a channel that was disabled takes messages again.",
			gives:       outbox.ChannelTest{}, changes: true, do: (*Server).testChannel,
		},
		{
			method: "GET", path: base + "/notifications", id: "getNotifications", tag: tag,
			summary:     "Show which events are told on which channels by default",
			description: "With Accept: application/yaml, the response is a file.",
			gives:       registry.Document{}, tagged: true, yaml: true, do: (*Server).getNotifications,
		},
		{
			method: "PUT", path: base + "/notifications", id: "saveNotifications", tag: tag,
			summary: "Set which events are told on which channels by default", description: saves,
			takes: takesDocument, gives: registry.Document{}, params: []request.Param{forced},
			status: http.StatusCreated, also: http.StatusOK, changes: true,
			example: `{"notifications":"default","events":{"approval.needed":["email"]}}`,
			do:      saving(definition.KindNotifications),
		},
		{
			method: "GET", path: mine, id: "getMyNotifications", tag: tag, summary: "Show how you are told of events",
			gives: outbox.MyNotifications{}, do: (*Server).getMyNotifications,
		},
		{
			method: "PUT", path: mine, id: "saveMyNotifications", tag: tag, summary: "Set how you are told of events",
			description: "The body replaces your preferences.",
			takes:       takesJSON, body: notify.Preferences{}, gives: outbox.MyNotifications{}, changes: true,
			example: `{"email":"ann@example.com","quiet_hours":{"from":"22:00","to":"07:00","timezone":"Europe/Berlin"}}`,
			do:      (*Server).saveMyNotifications,
		},
	}
}

// notices are the use cases of notifications.
func (s *Server) notices() (*outbox.Service, error) {
	if s.o.Outbox == nil {
		return nil, fault.New(fault.Unsupported, "this server sends no notifications", "")
	}
	return s.o.Outbox, nil
}

// noticed answers with a use case of notifications.
func noticed[V any](s *Server, f func(*outbox.Service) (V, error)) (reply, error) {
	service, err := s.notices()
	if err != nil {
		return reply{}, err
	}
	v, err := f(service)
	return reply{body: v}, err
}

func (s *Server) listDeliveries(c *call) (reply, error) {
	return noticed(s, func(o *outbox.Service) (view.List[outbox.Delivery], error) {
		q := port.DeliveryQuery{Approval: c.query.Text("approval"), Run: c.query.Text("run"),
			Channel: c.query.Text("channel"), Cursor: c.query.Text("cursor"), Limit: c.query.Limit()}
		for _, status := range c.query["status"] {
			q.Status = append(q.Status, port.DeliveryStatus(status))
		}
		return o.Deliveries(c, c.who, q)
	})
}

func (s *Server) retryDelivery(c *call) (reply, error) {
	return noticed(s, func(o *outbox.Service) (outbox.Delivery, error) { return o.Retry(c, c.who, c.path("id")) })
}

func (s *Server) listChannels(c *call) (reply, error) {
	return noticed(s, func(o *outbox.Service) (view.List[outbox.Channel], error) {
		all, err := o.Channels(c, c.who)
		if err != nil {
			return all, err
		}
		return request.Page(all, c.query, func(v outbox.Channel) string { return v.Name })
	})
}

func (s *Server) getChannel(c *call) (reply, error) {
	service, err := s.notices()
	if err != nil {
		return reply{}, err
	}
	v, err := service.Channel(c, c.who, c.path("name"))
	if err != nil {
		return reply{}, err
	}
	return document(c, v, v.YAML)
}

func (s *Server) deleteChannel(c *call) (reply, error) {
	return noticed(s, func(o *outbox.Service) (outbox.Channel, error) { return o.DeleteChannel(c, c.who, c.path("name")) })
}

func (s *Server) testChannel(c *call) (reply, error) {
	return noticed(s, func(o *outbox.Service) (outbox.ChannelTest, error) {
		return o.TestChannel(c, c.who, c.path("name"))
	})
}

func (s *Server) getNotifications(c *call) (reply, error) {
	if err := s.app.MayLook(c.who); err != nil {
		return reply{}, err
	}
	for _, v := range s.app.DocumentsOf(definition.KindNotifications) {
		return document(c, v, v.YAML)
	}
	return reply{}, registry.Unknown(definition.KindNotifications, definition.DefaultNotifications, nil)
}

func (s *Server) getMyNotifications(c *call) (reply, error) {
	return noticed(s, func(o *outbox.Service) (outbox.MyNotifications, error) { return o.Preferences(c, c.who) })
}

func (s *Server) saveMyNotifications(c *call) (reply, error) {
	return noticed(s, func(o *outbox.Service) (outbox.MyNotifications, error) {
		return o.SetPreferences(c, c.who, c.body)
	})
}
