package api

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/view"
)

func roleHandlers() handlers {
	return handlers{
		"listRoles": {do: (*Server).listRoles},
		"saveRole":  {do: (*Server).saveRole},

		"withdrawRole": {do: (*Server).withdrawRole},

		"explainPermissions": {do: (*Server).explainPermissions},
	}
}

func (s *Server) explainPermissions(c *call) (reply, error) {
	kind, roles := cmp.Or(run.ActorKind(c.query.Text("as")), run.Person), c.query["roles"]
	if kind != run.Person && len(roles) == 0 {
		return reply{}, problem.Invalid("roles", "for a %s, set the roles of its token", kind)
	}
	about, err := s.someone(c, c.path("name"), roles)
	if err != nil {
		return reply{}, err
	}
	if kind != run.Person {
		about = app.Who{Name: about.Name, Kind: kind, Roles: roles, SignedIn: about.SignedIn}
	}
	v, err := s.app.Rights.ExplainPermissions(c, c.who, about, access.Case{
		Workflow: c.query.Text("workflow"), Role: c.query.Text("role"),
		Kind: cmp.Or(gate.Kind(c.query.Text("kind")), gate.KindApproval),
	})
	return reply{body: v}, err
}

func (s *Server) saveRole(c *call) (reply, error) {
	if err := s.app.Documents.MaySaveRole(c, c.who, c.path("name"), c.query.Flag("restore")); err != nil {
		return reply{}, err
	}
	return saving(definition.KindRole)(s, c)
}

func (s *Server) withdrawRole(c *call) (reply, error) {
	v, err := s.app.Documents.WithdrawRole(c, c.who, c.path("name"), c.query.Flag("force"))
	return reply{body: v}, err
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
	if err := s.app.Access.MayGiveAccess(c.who); err != nil {
		return reply{}, err
	}
	documents, err := s.app.Documents.Roles(c, c.who)
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
			v := viewRole(r, false)
			v.Version, v.By = doc.Version, doc.By
			byName[r.Name] = v
		}
	}
	for _, name := range s.app.Documents.WithdrawnRoles() {
		byName[name] = contract.RoleView{Name: name, Permissions: []string{}, Kinds: []gate.Kind{}, Workflows: []string{},
			CanActAs: []string{}, Withdrawn: true}
	}
	out := view.List[contract.RoleView]{Items: []contract.RoleView{}, Total: int64(len(byName))}
	for _, r := range byName {
		out.Items = append(out.Items, r)
	}
	slices.SortFunc(out.Items, func(a, b contract.RoleView) int { return strings.Compare(a.Name, b.Name) })
	return reply{body: out}, nil
}
