package definition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
)

// WithdrawnAsked lists the places in a set that ask a withdrawn role, as warnings. known is what is defined elsewhere.
func (s *Set) WithdrawnAsked(known *Set) []Problem {
	c := &checker{set: s, known: known}
	c.gather()
	for _, d := range s.Documents() {
		c.withdrawnAsked(d)
	}
	return arrange(c.problems)
}

// withdrawnAsked warns about withdrawn roles that a document asks. They grant nothing, so only administrators, and
// people to whom it is delegated, could answer.
func (c *checker) withdrawnAsked(d Document) {
	if len(c.known.Withdrawn) == 0 {
		return
	}
	asked := map[string]string{} // path → role
	switch d := d.(type) {
	case *Workflow:
		askedByWorkflow(&d.Workflow, asked)
	case *Agent:
		askedBy("ask", d.Ask, asked)
	case *Policy:
		askedByRules("rules", d.Rules, asked)
		askedByRules("checkpoints", d.Checkpoints, asked)
	}
	for _, path := range slices.Sorted(maps.Keys(asked)) {
		if role := asked[path]; c.withdrawn(role) {
			c.add(d.Where().warn(path, "the role %q was withdrawn, so its holders cannot answer: name another role, "+
				"or put it in force again", clip(role)))
		}
	}
}

// withdrawn reports whether a role was withdrawn, so that no one can answer for it.
func (c *checker) withdrawn(role string) bool {
	if !slices.Contains(c.known.Withdrawn, role) || c.roleOf(role) != nil {
		return false
	}
	for _, s := range []*Set{c.known, c.set} {
		if _, broken := s.broken[KindRole][role]; broken {
			return false
		}
	}
	for _, other := range c.roles {
		if slices.Contains(other.CanActAs, role) {
			return false
		}
	}
	return true
}

func askedByWorkflow(w *plan.Workflow, asked map[string]string) {
	for i := range w.Gates {
		askedByGate(fmt.Sprintf("gates[%d]", i), &w.Gates[i], asked)
	}
	for i := range w.Steps {
		if human := w.Steps[i].Human; human != nil {
			askedByGate(fmt.Sprintf("steps[%d].human", i), human, asked)
		}
	}
	askedBy("ask", w.Ask, asked)
	if w.Loops != nil {
		asked["loops.human.role"] = w.Loops.Human.Role
	}
}

func askedByGate(at string, g *plan.Gate, asked map[string]string) {
	if len(g.Assignees) == 0 {
		asked[at+".role"] = g.Role
	}
	for role := range g.Roles {
		asked[at+".roles."+role] = role
	}
	for i, e := range g.Escalate {
		if role, ok := strings.CutPrefix(e.To, "role:"); ok {
			asked[fmt.Sprintf("%s.escalate[%d].to", at, i)] = role
		}
	}
}

func askedBy(at string, a *plan.Ask, asked map[string]string) {
	if a != nil {
		asked[at+".role"] = a.Role
	}
}

func askedByRules(at string, rules []policy.Rule, asked map[string]string) {
	for i := range rules {
		action := fmt.Sprintf("%s[%d].action", at, i)
		asked[action+".role"] = rules[i].Action.Role
		for role := range rules[i].Action.Roles {
			asked[action+".roles."+role] = role
		}
	}
}
