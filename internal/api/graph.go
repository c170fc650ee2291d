package api

import (
	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/insight"
)

func graphHandlers() handlers {
	return handlers{
		"getGraph":            {do: (*Server).getGraph},
		"listLearnedRequests": {do: (*Server).listLearnedRequests},
		"listRunsTaught":      {do: (*Server).listRunsTaught},
		"forgetGraph":         {do: (*Server).forgetGraph},
		"rebuildGraph":        {do: (*Server).rebuildGraph},
	}
}

func (s *Server) getGraph(c *call) (reply, error) {
	limit, given := c.query.Number("limit")
	if !given {
		limit = contract.GraphLimit
	}
	v, err := s.app.Hindsight.Graph(c, c.who, c.query.Text("tool"), int(limit))
	return reply{body: v}, err
}

func (s *Server) listLearnedRequests(c *call) (reply, error) {
	all, err := s.app.Hindsight.LearnedRequests(c, c.who)
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(all, c.query, func(r insight.LearnedRequest) string { return r.Request })
	return reply{body: v}, err
}

func (s *Server) listRunsTaught(c *call) (reply, error) {
	all, err := s.app.Hindsight.RunsTaught(c, c.who)
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(all, c.query, func(r insight.RunTaught) string { return r.Run })
	return reply{body: v}, err
}

func (s *Server) forgetGraph(c *call) (reply, error) {
	f, err := read[insight.GraphForgetting](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Hindsight.ForgetGraph(c, c.who, f)
	return reply{body: v}, err
}

func (s *Server) rebuildGraph(c *call) (reply, error) {
	v, err := s.app.Hindsight.RebuildGraph(c, c.who)
	return reply{body: v}, err
}
