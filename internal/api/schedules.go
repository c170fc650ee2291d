package api

import (
	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/schedule"
)

func scheduleHandlers() handlers {
	return handlers{
		"listSchedules":  {do: (*Server).listSchedules},
		"getSchedule":    {do: (*Server).getSchedule},
		"saveSchedule":   {do: saving(definition.KindSchedule)},
		"deleteSchedule": {do: (*Server).deleteSchedule},
		"runSchedule":    {do: (*Server).runSchedule, heads: locateRun},
	}
}

func (s *Server) listSchedules(c *call) (reply, error) {
	all, err := s.app.Automation.Schedules(c, c.who)
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(all, c.query, func(v schedule.Schedule) string { return v.Name })
	return reply{body: v}, err
}

func (s *Server) getSchedule(c *call) (reply, error) {
	v, err := s.app.Automation.Schedule(c, c.who, c.path("name"))
	if err != nil {
		return reply{}, err
	}
	return document(c, v, v.Version, v.YAML)
}

func (s *Server) deleteSchedule(c *call) (reply, error) {
	v, err := s.app.Automation.DeleteSchedule(c, c.who, c.path("name"))
	return reply{body: v}, err
}

func (s *Server) runSchedule(c *call) (reply, error) {
	v, err := s.app.Automation.RunSchedule(c, c.who, c.path("name"), s.keep(c))
	return reply{body: v}, err
}
