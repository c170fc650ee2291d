package definition

import (
	"slices"

	"github.com/assent-run/assent/internal/core/gate"
)

// BuiltInRoles are the roles that need no document. A document of the same name replaces one, except admin.
var BuiltInRoles = []Role{
	{
		Name: "reviewer", Description: "Approves, rejects and delegates",
		Kinds:       []gate.Kind{gate.KindApproval, gate.KindInput},
		Permissions: []string{"view", "comment", "approve", "reject", "request_revision", "escalate", "delegate"},
	},
	{Name: "approver", Description: "Starts and controls runs, and decides",
		Permissions: []string{"view", "comment", "start", "command", "decide"}},
	{
		Name: "claims_adjuster", Description: "Decides, and edits proposals",
		Kinds: []gate.Kind{gate.KindApproval, gate.KindInput},
		Permissions: []string{"view", "comment", "approve", "modify", "reject", "submit", "request_revision",
			"escalate", "delegate"},
	},
	{
		Name: "fraud_investigator", Description: "Decides choices and escalations",
		Kinds:       []gate.Kind{gate.KindChoice, gate.KindEscalation},
		Permissions: []string{"view", "comment", "decide"},
	},
	{Name: gate.RoleAdmin, Description: "May do everything", Permissions: []string{"*"}},
}

// roleOf is the document of a role, or the built-in role; nil if there is neither.
func (c *checker) roleOf(name string) *Role {
	if r, ok := c.roles[name]; ok && name != gate.RoleAdmin {
		return r
	}
	for _, s := range []*Set{c.known, c.set} {
		if _, broken := s.broken[KindRole][name]; broken {
			return nil // its content is unknown
		}
	}
	if i := slices.IndexFunc(BuiltInRoles, func(r Role) bool { return r.Name == name }); i >= 0 {
		return &BuiltInRoles[i]
	}
	return nil
}
