package contract

import (
	"net/http"

	"github.com/assent-run/assent/internal/api/request"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/schedule"
	"github.com/assent-run/assent/internal/view"
)

func scheduleOperations() []Operation {
	all, one := Base+"/schedules", Base+"/schedules/{name}"
	return []Operation{
		{
			Method: "GET", Path: all, ID: "listSchedules", Tag: "Schedules", Summary: "List the schedules in force, by name",
			Description: "Those of workflows that you may see, with their next times.",
			Gives:       view.List[schedule.Schedule]{}, Params: request.Paging,
		},
		{
			Method: "GET", Path: one, ID: "getSchedule", Tag: "Schedules", Summary: "Show a schedule with its next five times",
			Description: "With Accept: application/yaml, the response is a file.",
			Gives:       schedule.Schedule{}, Tagged: true, YAML: true,
		},
		{
			Method: "PUT", Path: one, ID: "saveSchedule", Tag: "Schedules", Summary: "Save a schedule and put it in force",
			Description: saves + " Requires permission to start the workflow. It starts nothing for times before it was saved.",
			Takes:       TakesDocument, Gives: registry.Document{}, Params: []request.Param{forced},
			Status: http.StatusCreated, Also: http.StatusOK, Changes: true,
			Example: `{"schedule":"weekdays","cron":"0 9 * * mon-fri","timezone":"Europe/Berlin","workflow":"hello"}`,
		},
		{
			Method: "DELETE", Path: one, ID: "deleteSchedule", Tag: "Schedules", Summary: "Delete a schedule",
			Description: "Runs that it has started continue, and its versions are kept. The response shows it as it was.",
			Gives:       schedule.Schedule{}, Changes: true,
		},
		{
			Method: "POST", Path: one + "/run", ID: "runSchedule", Tag: "Schedules",
			Summary:     "Start a run of a schedule now",
			Description: "Ignores overlap, and works even if the schedule is disabled. You own the run.",
			Gives:       view.Run{}, Status: http.StatusCreated, Changes: true,
		},
	}
}
