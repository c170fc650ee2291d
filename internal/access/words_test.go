package access

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
)

// Every refusal says why, and what is missing only where a permission would help.
func TestRefusalsWithoutAPermission(t *testing.T) {
	r := New(nil)
	for _, c := range []struct {
		v    Verdict
		says string
	}{
		{r.Decide(person("ann", "admin"), "fly", Object{}), "fly is not a known action"},
		{r.Decide(person("", "admin"), Start, Object{}), "an unknown caller may not start runs"},
	} {
		err := c.v.Refusal()
		if err == nil || !strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
			continue
		}
		if missing, there := fault.DetailOf(err)["missing"]; there {
			t.Errorf("%v: missing %v", err, missing)
		}
	}
}

func TestForOneself(t *testing.T) {
	r := New(nil)
	if v := r.Decide(person("ann"), StandIn, Object{Person: "ann"}); !v.Allowed ||
		v.Because != "ann acts on their own behalf" {
		t.Errorf("%+v", v)
	}
	if v := r.Decide(person("ann"), StandIn, Object{Person: "bob"}); v.Allowed {
		t.Errorf("%+v", v)
	}
}

// The roles that allow something are listed in order, also for those asked by name.
func TestRolesThatAllow(t *testing.T) {
	r := roles(t, "role: e\npermissions: [approve]\n---\nrole: d\npermissions: [approve]\n---\nrole: "+
		"c\npermissions: [approve]\n"+
		"---\nrole: b\npermissions: [approve]\n---\nrole: a\npermissions: [approve]\n")
	ann := person("ann", "e", "c", "a", "d", "b")
	all := []string{"a", "b", "c", "d", "e"}
	for name, terms := range map[string]gate.Terms{
		"by role": {Roles: map[string]int{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1}},
		"by name": {Assignees: []string{"ann"}},
	} {
		o := Object{Workflow: "w", Approval: approval(gate.KindApproval, terms)}
		if v := r.Decide(ann, Action(gate.Approve), o); !v.Allowed || !slices.Equal(v.Roles, all) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Where people do not sign in, a role that is only a name can be tried out.
func TestTries(t *testing.T) {
	r := New(nil)
	for name, c := range map[string]struct {
		who  Subject
		want bool
	}{
		"a mere name":          {local(person("ann", "cook")), true},
		"a mere name and more": {local(person("ann", "cook", "admin")), false},
		"a role":               {local(person("ann", "admin")), false},
		"no role":              {local(person("ann")), false},
		"signed in":            {person("ann", "cook"), false},
	} {
		if got := r.Tries(c.who); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got, free := r.Permissions(local(person("ann", "cook"))),
		r.Permissions(local(person("ann"))); !slices.Equal(got, free) || len(got) == 0 {
		t.Errorf("with a mere name %v, without roles %v", got, free)
	}
	if got := r.Permissions(person("ann", "cook")); len(got) != 0 {
		t.Errorf("signed in with a mere name: %v", got)
	}
}

// Ever: by a permission, with a run of one's own, or because an approval asks.
func TestEver(t *testing.T) {
	r := roles(t, "role: starter\npermissions: [start]\n---\nrole: driver\npermissions: [command]\n")
	for _, row := range Table {
		for _, held := range []string{"", "starter", "driver", "admin"} {
			who := person("ann")
			if held != "" {
				who = person("ann", held)
			}
			has := func(p Permission) bool { return slices.Contains(r.Permissions(who), string(p)) }
			needs := !slices.ContainsFunc(row.Needs, func(p Permission) bool { return !has(p) })
			want := row.By.include(who.Kind) && (row.Asked || needs || row.Owner && has(Begin))
			if got := r.Ever(who, row.Action); got != want {
				t.Errorf("%s with %q: %v", row.Action, held, got)
			}
		}
	}
	if r.Ever(person("ann", "admin"), "fly") {
		t.Error("what is not known is possible")
	}
}

// A fork is a run that begins, and a command to the one it is taken from: either
// permission alone is not enough, and owning the run is no permission to begin one.
func TestForkNeedsBothPermissions(t *testing.T) {
	r := roles(t, "role: starter\npermissions: [start, view]\n---\nrole: driver\npermissions: [command, view]\n"+
		"---\nrole: both\npermissions: [start, command]\n---\nrole: elsewhere\nworkflows: [other]\npermissions: [start]\n")
	o := Object{Workflow: "w", Owner: "ann"}
	for _, c := range []struct {
		held []string
		want bool
	}{
		{nil, false}, {[]string{"starter"}, false}, {[]string{"driver"}, false}, {[]string{"both"}, true},
		{[]string{"driver", "elsewhere"}, false},
	} {
		v := r.Decide(person("ann", c.held...), Fork, o)
		if v.Allowed != c.want || !v.Allowed && len(v.Missing) == 0 {
			t.Errorf("%v: %+v", c.held, v)
		}
	}
}
