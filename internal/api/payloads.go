package api

import "github.com/assent-run/assent/internal/app"

func payloadHandlers() handlers {
	return handlers{
		"forgetRun": {do: (*Server).forgetRun},
	}
}

func (s *Server) forgetRun(c *call) (reply, error) {
	f, err := read[app.Forgetting](c)
	if err != nil {
		return reply{}, err
	}
	v, err := s.app.Forget(c, c.who, c.path("id"), f)
	return reply{body: v}, err
}
