package definition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
)

// actOf is the positive act for each kind of approval.
var actOf = map[gate.Kind]gate.Act{gate.KindApproval: gate.Approve, gate.KindChoice: gate.Choose,
	gate.KindInput: gate.Submit}

// askable refuses gates that can never be answered: none of the roles they ask may decide them. Roles without a
// definition are not restricted.
func (c *checker) askable(w *Workflow) {
	for i := range w.Gates {
		c.gateRole(w, fmt.Sprintf("gates[%d]", i), &w.Gates[i])
	}
	for i := range w.Steps {
		if w.Steps[i].Human != nil {
			c.gateRole(w, fmt.Sprintf("steps[%d].human", i), w.Steps[i].Human)
		}
	}
}

func (c *checker) gateRole(w *Workflow, at string, g *plan.Gate) {
	kind := g.Kind
	switch {
	case kind != "":
	case len(g.Options) > 0:
		kind = gate.KindChoice
	case len(g.InputSchema) > 0:
		kind = gate.KindInput
	default:
		kind = gate.KindApproval
	}
	roles := map[string]string{}
	if g.Role != "" {
		roles[g.Role] = at + ".role"
	}
	for name := range g.Roles {
		roles[name] = at + ".roles." + name
	}
	for name, path := range roles {
		why := c.unable(name, kind, w.Name)
		if why == "" || len(g.Assignees) > 0 && g.Role == name {
			continue
		}
		for other, r := range c.roles {
			if slices.Contains(r.CanActAs, name) && c.unable(other, kind, w.Name) == "" {
				why = "" // holders of that role answer
			}
		}
		if why != "" {
			c.add(w.Place.bad(path, "the role %q can never answer this gate: %s", clip(name), why))
		}
	}
}

// unable explains why a role cannot approve a kind of approval of a workflow; empty if it can.
func (c *checker) unable(name string, kind gate.Kind, workflow string) string {
	r := c.roleOf(name)
	act, known := actOf[kind]
	if r == nil || !known {
		return ""
	}
	rights := r.Rights()
	holds := func(words ...string) bool {
		return slices.ContainsFunc(rights, func(p string) bool { return slices.Contains(words, p) })
	}
	switch {
	case holds("admin", "*"):
		return ""
	case r.Kinds != nil && !slices.Contains(r.Kinds, kind) && !slices.Contains(r.Kinds, "*"):
		return fmt.Sprintf("its kinds do not include %s", kind)
	case !holds(string(act), string(gate.Approve), "decide"): // approve includes choose and submit
		return fmt.Sprintf("its permissions do not include %s", positive(act))
	case r.Workflows != nil && !slices.ContainsFunc(r.Workflows,
		func(pattern string) bool { return covers(pattern, workflow) }):
		return fmt.Sprintf("its workflows do not include %s", clip(workflow))
	}
	return ""
}

// positive lists the permissions that include a positive act, in words.
func positive(act gate.Act) string {
	if act == gate.Approve {
		return "approve or decide"
	}
	return string(act) + ", approve or decide"
}

// covers reports whether a name, which may end in *, matches a workflow.
func covers(pattern, name string) bool {
	if prefix, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}
