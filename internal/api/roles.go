package api

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/view"
)

func roleOperations() []operation {
	return []operation{{
		method: "GET", path: base + "/roles", id: "listRoles", tag: "Access", summary: "List the roles in force, by name",
		description: "For administrators. Built-in roles, and those of documents, which replace built-in ones of the same " +
			"name. Other roles are only names: they let their holders decide the approvals that ask for them.",
		gives: view.List[RoleView]{}, do: (*Server).listRoles,
	}}
}

// RoleView is a role in force.
type RoleView struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// What it permits: view, comment, start, command, audit, sensitive, admin, the acts on approvals; decide covers
	// every act, * everything.
	Permissions []string `json:"permissions"`
	// The kinds of approvals it covers; empty: all.
	Kinds []gate.Kind `json:"kinds"`
	// The workflows it covers; a name may end in *. Empty: see every.
	Workflows []string `json:"workflows"`
	// True if it covers every workflow.
	Every bool `json:"every_workflow"`
	// The roles that its holders may act as.
	CanActAs []string `json:"can_act_as"`
	// True for a role that needs no document.
	BuiltIn bool `json:"built_in"`
}

func viewRole(r definition.Role, builtIn bool) RoleView {
	return RoleView{
		Name: r.Name, Description: r.Description, Permissions: view.NotNil(slices.Clone(r.Permissions)),
		Kinds: view.NotNil(slices.Clone(r.Kinds)), Workflows: view.NotNil(slices.Clone(r.Workflows)),
		Every:    r.Workflows == nil || slices.Contains(r.Workflows, "*"),
		CanActAs: view.NotNil(slices.Clone(r.CanActAs)), BuiltIn: builtIn,
	}
}

func (s *Server) listRoles(c *call) (reply, error) {
	if err := s.app.MayGiveAccess(c.who); err != nil {
		return reply{}, err
	}
	documents, err := s.app.Roles(c, c.who)
	if err != nil {
		return reply{}, err
	}
	byName := map[string]RoleView{}
	for _, r := range definition.BuiltInRoles {
		byName[r.Name] = viewRole(r, true)
	}
	for _, doc := range documents.Items {
		var r definition.Role
		if err := json.Unmarshal(doc.Definition, &r); err != nil {
			return reply{}, err
		}
		if r.Name != gate.RoleAdmin {
			byName[r.Name] = viewRole(r, false)
		}
	}
	out := view.List[RoleView]{Items: []RoleView{}, Total: int64(len(byName))}
	for _, r := range byName {
		out.Items = append(out.Items, r)
	}
	slices.SortFunc(out.Items, func(a, b RoleView) int { return strings.Compare(a.Name, b.Name) })
	return reply{body: out}, nil
}
