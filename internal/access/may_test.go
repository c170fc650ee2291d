package access

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// Every action is explained once, with the verdict that a request gets.
func TestMayIsDecide(t *testing.T) {
	r := roles(t, "role: starter\npermissions: [view, start]\nworkflows: [refund]\n---\nrole: chooser\nkinds: "+
		"[choice]\npermissions: [view, decide]\n")
	subjects := []Subject{person("ann", "admin"), person("bob", "starter"), person("cat", "chooser"), person("dan"),
		{Name: "ci", Kind: run.Service, Roles: []string{"admin"}, SignedIn: true},
		{Name: "bot", Kind: run.Agent, Roles: []string{"starter"}, SignedIn: true}}
	for _, s := range subjects {
		for _, workflow := range []string{"refund", "other", ""} {
			got := r.May(s, Case{Workflow: workflow, Kind: gate.KindApproval})
			if len(got) != len(Table) {
				t.Fatalf("%d actions, want %d", len(got), len(Table))
			}
			for i, row := range Table {
				one := got[i]
				if one.Action != string(row.Action) || one.Does == "" || one.Because == "" || one.Roles == nil {
					t.Errorf("%+v", one)
				}
				if row.Kinds || row.Action == Comment {
					continue // about an approval: see below
				}
				if want := r.Decide(s, row.Action, Object{Workflow: workflow}); one.Allowed != want.Allowed ||
					one.Because != want.Because {
					t.Errorf("%s %s: %+v, want %+v", s.Name, row.Action, one, want)
				}
			}
		}
	}
}

func TestMayOnApprovals(t *testing.T) {
	r := roles(t, "role: chooser\nkinds: [choice]\npermissions: [view, decide]\n---\nrole: finance\npermissions: "+
		"[view, decide]\n")
	ann := person("ann", "finance")
	ann.For = []Substitute{{Name: "eve", Roles: []string{"legal"}}}
	for _, c := range []struct {
		s     Subject
		of    Case
		may   bool
		cause string
	}{
		{person("bob", "chooser"), Case{Kind: gate.KindChoice}, true, "the role chooser grants"},
		{person("bob", "chooser"), Case{Kind: gate.KindApproval}, false, "is for approvals of kind choice"},
		{person("cat", "finance"), Case{Kind: gate.KindApproval, Role: "finance"}, true, "the role finance grants"},
		{person("cat", "finance"), Case{Kind: gate.KindApproval, Role: "legal"}, false, "legal"},
		{ann, Case{Kind: gate.KindApproval, Role: "legal"}, true, "ann stands in for eve"},
		{Subject{Name: "ci", Kind: run.Service, Roles: []string{"admin"}, SignedIn: true},
			Case{Kind: gate.KindApproval}, false, "services never decide approvals"},
	} {
		act := gate.Approve
		if c.of.Kind == gate.KindChoice {
			act = gate.Choose
		}
		got := r.May(c.s, c.of)
		i := slices.IndexFunc(got, func(a Ability) bool { return a.Action == string(act) })
		if got[i].Allowed != c.may || !strings.Contains(got[i].Because, c.cause) {
			t.Errorf("%s %+v: %+v", c.s.Name, c.of, got[i])
		}
	}
}
