package access

import (
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/definition"
)

// BuiltIn are the roles that need no document.
var BuiltIn = definition.BuiltInRoles

// Rules are the roles in force. They are immutable: new documents create new rules.
type Rules struct {
	roles map[string]*role
}

// role is a role prepared for checks.
type role struct {
	rights    map[Permission]bool
	workflows []string // nil: all
	kinds     []gate.Kind
	actAs     []string
	withdrawn bool
}

// New creates rules from the documents in force, by name. Withdrawn roles grant nothing: without their document they
// would otherwise be only names, whose holders may decide more than the document let them. A built-in role applies
// again when a document that replaced it is withdrawn.
func New(documents map[string]*definition.Role, withdrawn ...string) *Rules {
	r := &Rules{roles: make(map[string]*role, len(BuiltIn)+len(documents))}
	for i := range BuiltIn {
		r.roles[BuiltIn[i].Name] = newRole(&BuiltIn[i])
	}
	for name, doc := range documents {
		if name != gate.RoleAdmin && doc != nil {
			r.roles[name] = newRole(doc)
		}
	}
	for _, name := range withdrawn {
		if r.roles[name] == nil {
			r.roles[name] = &role{workflows: []string{}, kinds: []gate.Kind{}, withdrawn: true}
		}
	}
	return r
}

// Withdrawn lists the withdrawn roles.
func (r *Rules) Withdrawn() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.roles)),
		func(name string) bool { return !r.roles[name].withdrawn })
}

func newRole(doc *definition.Role) *role {
	out := &role{rights: map[Permission]bool{}, workflows: doc.Workflows, kinds: doc.Kinds, actAs: doc.CanActAs}
	for _, word := range doc.Rights() {
		for _, p := range meaning(Permission(word)) {
			out.rights[p] = true
		}
	}
	if slices.Contains(doc.Workflows, everyName) {
		out.workflows = nil
	}
	if slices.Contains(doc.Kinds, everyName) {
		out.kinds = nil
	}
	return out
}

// everyName matches every workflow and every kind.
const everyName = "*"

// meaning lists the permissions that a word stands for.
func meaning(word Permission) []Permission {
	switch word {
	case all, Admin:
		return everything
	case decides:
		return append(allActs(), decides)
	case Permission(gate.Approve):
		return []Permission{Permission(gate.Approve), Permission(gate.Choose), Permission(gate.Submit)}
	}
	return []Permission{word}
}

// everything lists all permissions, spelled out.
var everything = func() (out []Permission) {
	for _, word := range definition.Permissions {
		if word != string(all) {
			out = append(out, Permission(word))
		}
	}
	return out
}()

func allActs() []Permission {
	out := make([]Permission, len(gate.Acts))
	for i, act := range gate.Acts {
		out[i] = Permission(act)
	}
	return out
}

// gives reports whether a role grants what a row requires.
func (r *role) gives(row Row, o Object) bool {
	for _, p := range row.Needs {
		if !r.rights[p] {
			return false
		}
	}
	switch row.On {
	case OfWorkflow:
		if !r.covers(o.Workflow) {
			return false
		}
	case Anywhere:
		if r.workflows != nil && len(r.workflows) == 0 {
			return false
		}
	case Everywhere:
		if r.workflows != nil {
			return false
		}
	default:
		return false
	}
	return !row.Kinds || r.kinds == nil || o.Approval != nil && slices.Contains(r.kinds, o.Approval.Kind)
}

// covers reports whether a role covers a workflow.
func (r *role) covers(workflow string) bool {
	return r.workflows == nil || slices.ContainsFunc(r.workflows, func(pattern string) bool {
		prefix, wild := strings.CutSuffix(pattern, everyName)
		return pattern == workflow || wild && strings.HasPrefix(workflow, prefix)
	})
}
