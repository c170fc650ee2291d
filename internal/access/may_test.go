package access

import (
	"slices"
	"strings"
	"testing"
	"time"

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
				if one.Action != row.Action || one.Does == "" || one.Because == "" || one.Roles == nil {
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
		i := slices.IndexFunc(got, func(a Ability) bool { return a.Action == Action(act) })
		if got[i].Allowed != c.may || !strings.Contains(got[i].Because, c.cause) {
			t.Errorf("%s %+v: %+v", c.s.Name, c.of, got[i])
		}
	}
}

// The roles that would help are those with which the action is allowed, and no others.
func TestMayNamesTheRolesThatWouldAllowIt(t *testing.T) {
	r := roles(t, "role: starter\npermissions: [view, start]\nworkflows: [refund]\n---\nrole: chooser\nkinds: "+
		"[choice]\npermissions: [view, decide]\n")
	for _, c := range []struct {
		s      Subject
		of     Case
		action Action
		want   string
	}{
		{person("dan"), Case{Workflow: "refund"}, Start, "admin approver starter"},
		{person("dan"), Case{Workflow: "other"}, Start, "admin approver"},
		{person("dan", "starter"), Case{Workflow: "refund"}, Start, ""},
		{person("dan"), Case{Kind: gate.KindApproval, Role: "legal"}, Action(gate.Approve), "admin legal"},
		{person("dan"), Case{Kind: gate.KindApproval}, Action(gate.Approve),
			"admin approver claims_adjuster reviewer"},
		{Subject{Name: "ci", Kind: run.Service, SignedIn: true}, Case{Kind: gate.KindApproval}, Action(gate.Approve), ""},
	} {
		for _, one := range r.May(c.s, c.of) {
			if one.Action == c.action && strings.Join(one.WithRole, " ") != c.want {
				t.Errorf("%s %s %+v: %v, want %s", c.s.Name, c.action, c.of, one.WithRole, c.want)
			}
		}
	}
}

// A requester who is excluded is not told that a role would help.
func TestExplainNamesNoRoleForTheRequester(t *testing.T) {
	r := roles(t, "")
	o := Object{Workflow: "refund", Approval: gate.Open(gate.Request{Kind: gate.KindApproval, Terms: gate.Terms{
		Role: "legal", Acts: gate.Acts, Requester: "dan", ExcludeRequester: true}}, time.Time{})}
	for name, want := range map[string]string{"dan": "", "eve": "admin legal"} {
		for _, f := range r.Explain(person(name), o) {
			if f.Act == string(gate.Approve) && (f.Allowed || strings.Join(f.WithRole, " ") != want) {
				t.Errorf("%s: %+v, want %s", name, f, want)
			}
		}
	}
}

// A withdrawn role grants nothing: neither what its document granted, nor what a mere name would.
func TestWithdrawnRolesGrantNothing(t *testing.T) {
	r := New(nil, "legal", "reviewer")
	if got := r.Withdrawn(); !slices.Equal(got, []string{"legal"}) {
		t.Errorf("%v: a built-in role applies again", got)
	}
	if slices.Contains(r.Roles(), "legal") {
		t.Error("it is listed among the roles")
	}
	asking := Object{Workflow: "refund", Approval: gate.Open(gate.Request{Kind: gate.KindApproval, Terms: gate.Terms{
		Role: "legal", Acts: gate.Acts}}, time.Time{})}
	local := Subject{Name: "eve", Kind: run.Person, Roles: []string{"legal"}}
	away := person("dan", "reviewer")
	away.For = []Substitute{{Name: "eve", Roles: []string{"legal"}}}
	for _, s := range []Subject{person("eve", "legal"), local, away, person("eve", "legal", "reviewer")} {
		if acts := r.Acts(s, asking); len(acts) > 0 {
			t.Errorf("%+v may %v", s, acts)
		}
		if r.Asked(s, asking) || slices.Contains(r.Asks(s), "role:legal") || slices.Contains(r.Scope(s).Roles, "legal") {
			t.Errorf("%+v is asked", s)
		}
	}
	for _, s := range []Subject{person("eve", "legal"), local} {
		if got := r.Permissions(s); len(got) > 0 {
			t.Errorf("%+v has %v", s, got)
		}
		for _, one := range r.May(s, Case{Workflow: "refund", Kind: gate.KindApproval, Role: "legal"}) {
			if one.Allowed && one.Action != StandIn && one.Action != Explain {
				t.Errorf("%+v: %+v", s, one)
			}
		}
	}
	if acts := New(nil).Acts(person("eve", "legal"), asking); len(acts) == 0 {
		t.Error("a name that never was a document decides the approvals that ask for it")
	}
}
