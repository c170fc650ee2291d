package api

import (
	"net/http"
	"time"

	"github.com/assent-run/assent/docs"
	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/port"
)

func systemHandlers() handlers {
	return handlers{
		"getMe":        {do: (*Server).me},
		"getSettings":  {do: (*Server).settings},
		"getInsights":  {do: (*Server).insights},
		"getOpenAPI":   {flow: (*Server).document},
		"getDocs":      {flow: (*Server).docs},
		"getHealth":    {do: (*Server).health},
		"getReadiness": {do: (*Server).ready},
		"getMetrics":   {flow: (*Server).measure},
	}
}

func (s *Server) health(*call) (reply, error) {
	return reply{body: contract.Health{Status: "ok", Version: s.o.Version}}, nil
}

// document serves the OpenAPI document.
func (s *Server) document(_ *call, w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(docs.OpenAPI)
	return err
}

func (s *Server) measure(c *call, w http.ResponseWriter) error {
	s.metrics.Page.ServeHTTP(w, c.r)
	return nil
}

func (s *Server) me(c *call) (reply, error) {
	return reply{body: s.meOf(c.how)}, nil
}

func (s *Server) meOf(who port.Identity) contract.Me {
	return contract.Me{Name: who.Name, Label: who.Label, Kind: who.Kind, Roles: append([]string{}, who.Roles...),
		Permissions: s.app.Access.Permissions(asWho(who)), Local: s.local(),
		Method: who.Method, ExpiresAt: orNull(who.ExpiresAt)}
}

// insightsMost is how far back figures go.
const insightsMost = 366 * 24 * time.Hour

func (s *Server) insights(c *call) (reply, error) {
	from, until, err := s.period(c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Hindsight.Insights(c, c.who, from, until, c.query.Text("workflow"))
	return reply{body: v}, err
}

// period reads the period that figures are about.
func (s *Server) period(c *call) (from, until time.Time, err error) {
	if from, err = s.moment("since", c.query.Text("since"), "30d"); err != nil {
		return from, until, err
	}
	if now := s.app.Now(); from.After(now) || now.Sub(from) > insightsMost {
		return from, until, problem.Invalid("since", "expected a time in the past, at most 366 days ago")
	}
	if text := c.query.Text("until"); text != "" {
		until, err = s.moment("until", text, "")
	}
	return from, until, err
}

func (s *Server) listAgentUsage(c *call) (reply, error) {
	from, until, err := s.period(c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Hindsight.AgentUsage(c, c.who, from, until, c.query.Text("workflow"))
	return reply{body: v}, err
}

func (s *Server) agentUsage(c *call) (reply, error) {
	from, until, err := s.period(c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Hindsight.UsageOfAgent(c, c.who, from, until, c.path("name"), c.query.Text("workflow"))
	return reply{body: v}, err
}

func (s *Server) ready(c *call) (reply, error) {
	if s.drained.Load() {
		return reply{}, errDraining
	}
	if err := s.app.Ready(c); err != nil {
		return reply{}, err
	}
	return reply{body: contract.Health{Status: "ready", Version: s.o.Version}}, nil
}
