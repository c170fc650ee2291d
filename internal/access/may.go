package access

import (
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
	Action  string   `json:"action"`  // The action, such as start, audit or approve.
	Does    string   `json:"does"`    // The action in words.
	Allowed bool     `json:"allowed"` // True if it is allowed.
	Because string   `json:"because"` // The role or rule that allows it, or what is missing.
	Roles   []string `json:"roles"`   // The roles that allow it.
}

// May explains every action in a case. The answers are those of Decide and Explain, which also authorize requests.
func (r *Rules) May(s Subject, c Case) []Ability {
	o := Object{Workflow: c.Workflow}
	o.Approval = gate.Open(gate.Request{
		Kind: c.Kind, Terms: gate.Terms{Role: c.Role, Acts: gate.Acts},
	}, time.Time{})
	found := map[string]Finding{}
	for _, f := range r.Explain(s, o) {
		found[f.Act] = f
	}
	out := make([]Ability, len(Table))
	for i, row := range Table {
		f, onApproval := found[string(row.Action)]
		if !onApproval || row.Action == See { // seeing a run, not only an approval that asks
			v := r.Decide(s, row.Action, Object{Workflow: c.Workflow})
			f = Finding{Allowed: v.Allowed, Because: v.Because, Roles: append([]string{}, v.Roles...)}
		}
		out[i] = Ability{string(row.Action), row.Does, f.Allowed, f.Because, f.Roles}
	}
	return out
}
