package api

import (
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/outbox"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

func notificationHandlers() handlers {
	return handlers{
		"listDeliveries":      {do: (*Server).listDeliveries},
		"retryDelivery":       {do: (*Server).retryDelivery},
		"listChannels":        {do: (*Server).listChannels},
		"getChannel":          {do: (*Server).getChannel},
		"saveChannel":         {do: saving(definition.KindChannel)},
		"deleteChannel":       {do: (*Server).deleteChannel},
		"testChannel":         {do: (*Server).testChannel},
		"getNotifications":    {do: (*Server).getNotifications},
		"saveNotifications":   {do: saving(definition.KindNotifications)},
		"getMyNotifications":  {do: (*Server).getMyNotifications},
		"saveMyNotifications": {do: (*Server).saveMyNotifications},
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
	return document(c, v, v.Version, v.YAML)
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
	service, err := s.notices()
	if err != nil {
		return reply{}, err
	}
	v := service.Defaults()
	return document(c, v, v.Version, v.YAML)
}

func (s *Server) getMyNotifications(c *call) (reply, error) {
	return noticed(s, func(o *outbox.Service) (outbox.MyNotifications, error) { return o.Preferences(c, c.who) })
}

func (s *Server) saveMyNotifications(c *call) (reply, error) {
	return noticed(s, func(o *outbox.Service) (outbox.MyNotifications, error) {
		return o.SetPreferences(c, c.who, c.body)
	})
}
