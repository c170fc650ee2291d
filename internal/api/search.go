package api

func searchHandlers() handlers {
	return handlers{
		"search": {do: (*Server).search},
	}
}

func (s *Server) search(c *call) (reply, error) {
	limit, _ := c.query.Number("limit")
	v, err := s.app.Lists(c.who).Find(c, c.query.Text("q"), int(limit))
	return reply{body: v}, err
}
