package access

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
)

// Case is the situation in which someone wants to do something: a run of a workflow that others own, and a pending
// approval in it.
type Case struct {
	Workflow string
	Kind     gate.Kind // of the approval
	Role     string    // that the approval asks; empty: anyone
}

// Ability explains whether a subject may take one action.
type Ability struct {
	Action  Action   `json:"action"`  // The action, such as start, audit or approve.
	Does    string   `json:"does"`    // The action in words.
	Allowed bool     `json:"allowed"` // True if it is allowed.
	Because string   `json:"because"` // The role or rule that allows it, or what is missing.
	Roles   []string `json:"roles"`   // The roles that allow it.
	// Administrators are shown the roles that would allow it. Empty if it is allowed, or if no role would.
	WithRole []string `json:"with_role"`
}

// May explains every action in a case. The answers are those of Decide and Explain, which also authorize requests.
func (r *Rules) May(s Subject, c Case) []Ability {
	out := r.may(s, c)
	for _, name := range r.others(s, c.Role) {
		for i, with := range r.may(s.with(name), c) {
			if with.Allowed && !out[i].Allowed {
				out[i].WithRole = append(out[i].WithRole, name)
			}
		}
	}
	return out
}

func (r *Rules) may(s Subject, c Case) []Ability {
	o := Object{Workflow: c.Workflow}
	o.Approval = gate.Open(gate.Request{
		Kind: c.Kind, Terms: gate.Terms{Role: c.Role, Acts: gate.Acts},
	}, time.Time{})
	found := map[string]Finding{}
	for _, f := range r.explain(s, o) {
		found[f.Act] = f
	}
	out := make([]Ability, len(Table))
	for i, row := range Table {
		f, onApproval := found[string(row.Action)]
		if !onApproval || row.Action == See { // seeing a run, not only an approval that asks
			v := r.Decide(s, row.Action, Object{Workflow: c.Workflow})
			f = Finding{Allowed: v.Allowed, Because: v.Because, Roles: append([]string{}, v.Roles...)}
		}
		out[i] = Ability{row.Action, row.Does, f.Allowed, f.Because, f.Roles, []string{}}
	}
	return out
}

// others lists the roles that s does not hold: those with a definition, and those that are asked.
func (r *Rules) others(s Subject, asked ...string) []string {
	out := append(r.Roles(), asked...)
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(name string) bool {
		return name == "" || slices.Contains(s.Roles, name)
	})
}

// asked lists the roles that an approval asks.
func asked(ap *gate.Approval) []string {
	out := slices.AppendSeq([]string{ap.Terms.Role}, maps.Keys(ap.Terms.Roles))
	for _, name := range slices.Concat(ap.Terms.Assignees, ap.Also) {
		if role, ok := strings.CutPrefix(name, askedRole); ok {
			out = append(out, role)
		}
	}
	return out
}

// with is s with one more role.
func (s Subject) with(role string) Subject {
	s.Roles = append(slices.Clone(s.Roles), role)
	return s
}
