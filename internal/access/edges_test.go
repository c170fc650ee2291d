package access

import (
	"slices"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// An approval that only the owner may decide asks no other person, whatever else it names.
func TestOwnersAlone(t *testing.T) {
	r := roles(t, "")
	terms := gate.Terms{Role: "boss", Roles: map[string]int{"boss": 1}, Assignees: []string{"role:boss", "bea"}}
	bea, ann := person("bea", "boss"), person("ann")
	if o := (Object{Approval: approval(gate.KindApproval, terms)}); !r.Asked(bea, o) || r.Asked(ann, o) {
		t.Error("holders of the role are asked")
	}
	terms.OnlyOwner = "ann"
	o := Object{Workflow: "w", Owner: "ann", Approval: approval(gate.KindApproval, terms)}
	if r.Asked(bea, o) || !r.Asked(ann, o) {
		t.Error("the owner alone is asked")
	}
	for _, f := range r.Explain(ann, o) {
		if f.Act == string(gate.Delegate) && (f.Allowed ||
			f.Because != "only the run's owner can decide this, so it can't be delegated") {
			t.Errorf("%+v", f)
		}
	}
}

// The recipient of a delegated question is asked: a person, or the holders of a role.
func TestPassedOn(t *testing.T) {
	r := roles(t, "")
	ap := approval(gate.KindApproval, gate.Terms{Assignees: []string{"cat"}})
	ap.Delegations = []gate.Delegation{{From: "cat", To: "role:boss"}, {From: "cat", To: "dan"}}
	o := Object{Approval: ap}
	for name, c := range map[string]struct {
		who  Subject
		want bool
	}{
		"a holder of the role":    {person("bea", "boss"), true},
		"a person":                {person("dan"), true},
		"somebody":                {person("eve", "clerk"), false},
		"a person like the role":  {person("boss"), false},
		"who names the role only": {local(person("bea", "boss")), false},
	} {
		if got := r.Asked(c.who, o); got != c.want {
			t.Errorf("%s: asked is %t", name, got)
		}
	}
}

func TestNothingIsDoneWithWhatIsSettled(t *testing.T) {
	r := roles(t, "")
	o := Object{Workflow: "w", Approval: approval(gate.KindApproval, gate.Terms{Role: "approver"})}
	ann := person("ann", "approver")
	if got := r.Acts(ann, o); !slices.Contains(got, gate.Approve) {
		t.Errorf("while it is open: %v", got)
	}
	o.Approval.Status = gate.Rejected
	if got := r.Acts(ann, o); len(got) != 0 {
		t.Errorf("once it is settled: %v", got)
	}
}

func TestWhoDecidesAtAll(t *testing.T) {
	r := roles(t, "")
	for kind, want := range map[run.ActorKind]bool{run.Person: true, run.Service: false, run.Agent: false, "": false} {
		v := r.Deciding(Subject{Name: "x", Kind: kind, Roles: []string{gate.RoleAdmin}, SignedIn: true})
		if v.Allowed != want || (v.Refusal() == nil) != want {
			t.Errorf("%q: %+v", kind, v)
		}
	}
	if v := r.Deciding(Subject{Name: "x", SignedIn: true}); v.Because != "callers of an unknown kind never decide "+
		"approvals, whatever their roles" {
		t.Error(v.Because)
	}
}

func TestRolesThatDecide(t *testing.T) {
	r := roles(t, `
role: every
kinds: ["*"]
permissions: [approve]
---
role: choices
kinds: [choice]
permissions: [decide]
---
role: claims
workflows: [claims]
permissions: [approve]
---
role: looks
permissions: [view]
`)
	for _, name := range []string{"every", "choices", "claims", "looks", gate.RoleAdmin} {
		if !slices.Contains(r.Roles(), name) {
			t.Errorf("%s is not among %v", name, r.Roles())
		}
	}
	ask := func(workflow string, kind gate.Kind) (out []string) {
		got := r.DecidingRoles(Object{Workflow: workflow, Approval: approval(kind, gate.Terms{})})
		return slices.DeleteFunc(got, func(name string) bool {
			return !slices.Contains([]string{"every", "choices",
				"claims", "looks"}, name)
		})
	}
	for _, c := range []struct {
		workflow string
		kind     gate.Kind
		want     []string
	}{
		{"w", gate.KindApproval, []string{"every"}},
		{"w", gate.KindChoice, []string{"choices", "every"}},
		{"claims", gate.KindApproval, []string{"claims", "every"}},
	} {
		if got := ask(c.workflow, c.kind); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %v", c.workflow, c.kind, got)
		}
	}
}

// A row that says nothing of what a role has to cover is given by none.
func TestRowsWithoutAReach(t *testing.T) {
	if newRole(&BuiltIn[0]).gives(Row{}, Object{}) {
		t.Error("it is given")
	}
}
