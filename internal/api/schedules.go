package api

import (
	"net/http"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/schedule"
	"github.com/assent-run/assent/internal/view"
)

func scheduleOperations() []operation {
	all, one := base+"/schedules", base+"/schedules/{name}"
	return []operation{
		{
			method: "GET", path: all, id: "listSchedules", tag: "Schedules", summary: "List the schedules in force, by name",
			description: "Those of workflows that you may see, with their next times.",
			gives:       view.List[schedule.Schedule]{}, params: request.Paging, do: (*Server).listSchedules,
		},
		{
			method: "GET", path: one, id: "getSchedule", tag: "Schedules", summary: "Show a schedule with its next five times",
			description: "With Accept: application/yaml, the response is a file.",
			gives:       schedule.Schedule{}, tagged: true, yaml: true, do: (*Server).getSchedule,
		},
		{
			method: "PUT", path: one, id: "saveSchedule", tag: "Schedules", summary: "Save a schedule and put it in force",
			description: saves + " It needs permission to start the workflow. Times before now do not count.",
			takes:       takesDocument, gives: registry.Document{}, params: []request.Param{forced},
			status: http.StatusCreated, also: http.StatusOK, changes: true,
			example: `{"schedule":"weekdays","cron":"0 9 * * mon-fri","timezone":"Europe/Berlin","workflow":"hello"}`,
			do:      saving(definition.KindSchedule),
		},
		{
			method: "DELETE", path: one, id: "deleteSchedule", tag: "Schedules", summary: "Take a schedule out of force",
			description: "Runs that it has started continue. The response shows it as it was.",
			gives:       schedule.Schedule{}, changes: true, do: (*Server).deleteSchedule,
		},
		{
			method: "POST", path: one + "/run", id: "runSchedule", tag: "Schedules",
			summary:     "Start a run of a schedule now",
			description: "Whatever overlap says, and also if the schedule is not enabled. The run belongs to you.",
			gives:       view.Run{}, status: http.StatusCreated, changes: true, heads: locateRun,
			do: (*Server).runSchedule,
		},
	}
}

func (s *Server) listSchedules(c *call) (reply, error) {
	all, err := s.app.Schedules(c, c.who)
	if err != nil {
		return reply{}, err
	}
	v, err := request.Page(all, c.query, func(v schedule.Schedule) string { return v.Name })
	return reply{body: v}, err
}

func (s *Server) getSchedule(c *call) (reply, error) {
	v, err := s.app.Schedule(c, c.who, c.path("name"))
	if err != nil {
		return reply{}, err
	}
	return document(c, v, v.YAML)
}

func (s *Server) deleteSchedule(c *call) (reply, error) {
	v, err := s.app.DeleteSchedule(c, c.who, c.path("name"))
	return reply{body: v}, err
}

func (s *Server) runSchedule(c *call) (reply, error) {
	v, err := s.app.RunSchedule(c, c.who, c.path("name"), s.keep(c))
	return reply{body: v}, err
}
