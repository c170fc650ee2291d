package api

import (
	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/directory"
)

func peopleHandlers() handlers {
	return handlers{
		"listStandIns":  {do: (*Server).listStandIns},
		"getStandIn":    {do: (*Server).getStandIn},
		"putStandIn":    {do: (*Server).putStandIn},
		"removeStandIn": {do: (*Server).removeStandIn},
	}
}

func (s *Server) listStandIns(c *call) (reply, error) {
	v, err := s.app.Rights.StandIns(c, c.who)
	return reply{body: v}, err
}

func (s *Server) getStandIn(c *call) (reply, error) {
	v, err := s.app.Rights.StandIn(c, c.who, c.path("name"))
	return reply{body: v}, err
}

func (s *Server) putStandIn(c *call) (reply, error) {
	b, err := read[contract.StandInChange](c)
	if err != nil {
		return reply{}, err
	}
	change := directory.Change{To: b.To, From: b.From}
	if b.Until != nil {
		change.Until = *b.Until
	}
	v, err := s.app.Rights.SetStandIn(c, c.who, c.path("name"), change)
	return reply{body: v}, err
}

func (s *Server) removeStandIn(c *call) (reply, error) {
	v, err := s.app.Rights.ClearStandIn(c, c.who, c.path("name"))
	return reply{body: v}, err
}
