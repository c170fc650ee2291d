package api

import (
	"time"

	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/view"
)

func peopleOperations() []operation {
	one := base + "/people/{name}/stand_in"
	return []operation{
		{
			method: "GET", path: base + "/people/stand_ins", id: "listStandIns", tag: "People",
			summary: "List stand-ins", console: true,
			description: "Current and future stand-ins. Administrators see all, others those that concern them.",
			gives:       view.List[directory.StandIn]{}, do: (*Server).listStandIns,
		},
		{
			method: "GET", path: one, id: "getStandIn", tag: "People", summary: "Show a stand-in", console: true,
			description: "For the person and for administrators. 404 if there is none, now or later.",
			gives:       directory.StandIn{}, do: (*Server).getStandIn,
		},
		{
			method: "PUT", path: one, id: "putStandIn", tag: "People", summary: "Set a stand-in for an approver who is away",
			console: true, changes: true,
			description: "You can set your own; administrators can set anyone's. From from (default: now) until until, at " +
				"most a year, to may decide approvals that ask name, by name or by a role of name's account. " +
				"There is one stand-in at a time: this replaces an earlier one. It is not transitive: a stand-in for to does " +
				"not stand in for name.",
			takes: takesJSON, body: StandInChange{}, gives: directory.StandIn{},
			example: `{"to":"bob","from":"2027-07-01T00:00:00Z","until":"2027-07-22T00:00:00Z"}`,
			do:      (*Server).putStandIn,
		},
		{
			method: "DELETE", path: one, id: "removeStandIn", tag: "People", summary: "Remove a stand-in",
			console: true, changes: true,
			description: "You can remove your own; administrators can remove anyone's. It takes effect with the response.",
			gives:       directory.StandIn{}, do: (*Server).removeStandIn,
		},
	}
}

// StandInChange sets who decides for a person who is away.
type StandInChange struct {
	To    string     `json:"to"`             // The stand-in: a person.
	From  *time.Time `json:"from,omitempty"` // The start; now if omitted or in the past.
	Until *time.Time `json:"until"`          // The end: in the future, at most a year after from.
}

func (s *Server) listStandIns(c *call) (reply, error) {
	v, err := s.app.StandIns(c, c.who)
	return reply{body: v}, err
}

func (s *Server) getStandIn(c *call) (reply, error) {
	v, err := s.app.StandIn(c, c.who, c.path("name"))
	return reply{body: v}, err
}

func (s *Server) putStandIn(c *call) (reply, error) {
	b, err := read[StandInChange](c)
	if err != nil {
		return reply{}, err
	}
	change := directory.Change{To: b.To, From: b.From}
	if b.Until != nil {
		change.Until = *b.Until
	}
	v, err := s.app.SetStandIn(c, c.who, c.path("name"), change)
	return reply{body: v}, err
}

func (s *Server) removeStandIn(c *call) (reply, error) {
	v, err := s.app.ClearStandIn(c, c.who, c.path("name"))
	return reply{body: v}, err
}
