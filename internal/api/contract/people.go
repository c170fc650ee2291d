package contract

import (
	"time"

	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/view"
)

func peopleOperations() []Operation {
	one := Base + "/people/{name}/stand_in"
	return []Operation{
		{
			Method: "GET", Path: Base + "/people/stand_ins", ID: "listStandIns", Tag: "People",
			Summary: "List stand-ins", Console: true,
			Description: "Current and future stand-ins. Administrators see all, others those that concern them.",
			Gives:       view.List[directory.StandIn]{},
		},
		{
			Method: "GET", Path: one, ID: "getStandIn", Tag: "People", Summary: "Show a stand-in", Console: true,
			Description: "For the person and for administrators. 404 if there is no current or future one.",
			Gives:       directory.StandIn{},
		},
		{
			Method: "PUT", Path: one, ID: "putStandIn", Tag: "People", Summary: "Set a stand-in for an approver who is away",
			Console: true, Changes: true,
			Description: "You can set your own; administrators can set anyone's. From from (default: now) until until, at " +
				"most a year, to may decide approvals that ask name, by name or by a role of name's account. " +
				"There is one stand-in at a time: this replaces an earlier one. It is not transitive: a stand-in for to does " +
				"not stand in for name.",
			Takes: TakesJSON, Body: StandInChange{}, Gives: directory.StandIn{},
			Example: `{"to":"bob","from":"2027-07-01T00:00:00Z","until":"2027-07-22T00:00:00Z"}`,
		},
		{
			Method: "DELETE", Path: one, ID: "removeStandIn", Tag: "People", Summary: "Remove a stand-in",
			Console: true, Changes: true,
			Description: "You can remove your own; administrators can remove anyone's. It takes effect with the response.",
			Gives:       directory.StandIn{},
		},
	}
}

// StandInChange sets who decides for a person who is away.
type StandInChange struct {
	To    string     `json:"to"`             // The stand-in: a person.
	From  *time.Time `json:"from,omitempty"` // The start; now if omitted or in the past.
	Until *time.Time `json:"until"`          // The end: in the future, at most a year after from.
}
