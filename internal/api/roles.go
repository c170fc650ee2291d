package api

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/view"
)

func roleHandlers() handlers {
	return handlers{
		"listRoles": {do: (*Server).listRoles},
		"saveRole":  {do: (*Server).saveRole},
	}
}

func (s *Server) saveRole(c *call) (reply, error) {
	if err := s.app.MayGiveAccess(c.who); err != nil {
		return reply{}, err
	}
	return saving(definition.KindRole)(s, c)
}

func viewRole(r definition.Role, builtIn bool) contract.RoleView {
	return contract.RoleView{
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
	byName := map[string]contract.RoleView{}
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
	out := view.List[contract.RoleView]{Items: []contract.RoleView{}, Total: int64(len(byName))}
	for _, r := range byName {
		out.Items = append(out.Items, r)
	}
	slices.SortFunc(out.Items, func(a, b contract.RoleView) int { return strings.Compare(a.Name, b.Name) })
	return reply{body: out}, nil
}
