package access

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
)

// roles reads documents as people write them.
func roles(t *testing.T, yaml string) *Rules {
	t.Helper()
	set, problems := definition.Parse("roles.yaml", []byte(yaml))
	if len(definition.Errors(problems)) > 0 {
		t.Fatal(problems)
	}
	return New(set.Roles)
}

func person(name string, held ...string) Subject {
	return Subject{Name: name, Kind: run.Person, Roles: held, SignedIn: true}
}

func local(s Subject) Subject { s.SignedIn = false; return s }

func agent(s Subject) Subject { s.Kind = run.Agent; return s }

// approval is one that offers everything.
func approval(kind gate.Kind, t gate.Terms) *gate.Approval {
	t.Acts = gate.Acts
	return gate.Open(gate.Request{ID: "apr_1", Kind: kind, Terms: t}, time.Time{})
}

func (r *Rules) all(t *testing.T, s Subject, o Object, want map[Action]bool) {
	t.Helper()
	for a, ok := range want {
		if v := r.Decide(s, a, o); v.Allowed != ok {
			t.Errorf("%s %v, %s: %+v", s.Name, s.Roles, a, v)
		}
	}
}

// TestTable: every row says what it needs and on what, in words that are known.
func TestTable(t *testing.T) {
	seen := map[Action]bool{}
	for _, row := range Table {
		if seen[row.Action] || row.Does == "" || len(row.Needs) == 0 ||
			!slices.Contains([]Reach{OfWorkflow, Anywhere, Everywhere}, row.On) {
			t.Errorf("%+v", row)
		}
		seen[row.Action] = true
		for _, p := range row.Needs {
			if !slices.Contains(definition.Permissions, string(p)) {
				t.Errorf("%s needs %q, which no role can give", row.Action, p)
			}
			if p == Admin && (row.By == Anyone && row.Action != Explain || row.Tries || row.Owner || row.On != Everywhere) {
				t.Errorf("%s is for administrators alone: %+v", row.Action, row)
			}
		}
	}
	for _, act := range gate.Acts {
		if row := rows[Action(act)]; !row.Kinds || row.By != People || row.Owner || row.Needs[0] != Permission(act) {
			t.Errorf("%s: %+v", act, row)
		}
	}
	if v := New(nil).Decide(person("ann", "admin"), "invent", Object{}); v.Allowed ||
		!fault.Is(v.Refusal(), fault.Forbidden) {
		t.Errorf("what is in no table: %+v", v)
	}
	if v := New(nil).Decide(person("", "admin"), See, Object{}); v.Allowed {
		t.Errorf("nobody: %+v", v)
	}
	if v, _ := New(nil).Act(person("ann", "admin"), gate.Act(Write),
		Object{Approval: approval(gate.KindApproval, gate.Terms{})}); v.Allowed {
		t.Errorf("an act that is none: %+v", v)
	}
}

func TestBuiltInRoles(t *testing.T) {
	r := New(nil)
	kinds := func(role string) string {
		var out []string
		for _, k := range gate.Kinds {
			o := Object{Workflow: "w", Approval: approval(k, gate.Terms{Role: role})}
			var acts []string
			for _, act := range r.Acts(person("ann", role), o) {
				acts = append(acts, string(act))
			}
			out = append(out, fmt.Sprintf("%s: %s", k, strings.Join(acts, " ")))
		}
		return strings.Join(out, "\n")
	}
	every := "approve modify reject choose submit escalate request_revision delegate"
	for role, want := range map[string]string{
		"reviewer": "approval: approve reject choose submit escalate request_revision delegate\nchoice: " +
			"\ninput: approve reject choose submit escalate request_revision delegate\nescalation: ",
		"approver":           "approval: " + every + "\nchoice: " + every + "\ninput: " + every + "\nescalation: " + every,
		"claims_adjuster":    "approval: " + every + "\nchoice: \ninput: " + every + "\nescalation: ",
		"fraud_investigator": "approval: \nchoice: " + every + "\ninput: \nescalation: " + every,
		"admin":              "approval: " + every + "\nchoice: " + every + "\ninput: " + every + "\nescalation: " + every,
	} {
		if got := kinds(role); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", role, got, want)
		}
	}
	o := Object{Workflow: "w", Owner: "zoe"}
	r.all(t, person("ann", "approver"), o, map[Action]bool{See: true, Look: true, Start: true, Steer: true, Cancel: true,
		Fork: true, Comment: true, Write: false, Audit: false, Unmasked: false})
	r.all(t, person("ann", "reviewer"), o, map[Action]bool{See: true, Start: false, Comment: true})
	for _, row := range Table {
		if !row.Kinds && !r.Decide(person("ann", "admin"), row.Action, o).Allowed {
			t.Errorf("admin may not %s", row.Action)
		}
	}
}

// TestDocumentsReplaceBuiltInRoles wholly, and admin never.
func TestDocumentsReplaceBuiltInRoles(t *testing.T) {
	r := roles(t, "role: approver\nworkflows: [claims-*, one]\nkinds: [choice]\npermissions: [view, approve, edit_data]\n")
	r.all(t, person("ann", "approver"), Object{Workflow: "claims-a"},
		map[Action]bool{See: true, Look: true, Start: false, Comment: false})
	r.all(t, person("ann", "approver"), Object{Workflow: "one"}, map[Action]bool{See: true})
	r.all(t, person("ann", "approver"), Object{Workflow: "onetwo"}, map[Action]bool{See: false})
	o := Object{Workflow: "one", Approval: approval(gate.KindChoice, gate.Terms{Role: "approver"})}
	if got := r.Acts(person("ann", "approver"), o); !slices.Equal(got,
		[]gate.Act{gate.Approve, gate.Modify, gate.Choose, gate.Submit}) {
		t.Errorf("%v", got)
	}
	admin := New(map[string]*definition.Role{"admin": {Name: "admin", Permissions: []string{"view"}}})
	admin.all(t, person("ann", "admin"), Object{}, map[Action]bool{Write: true, Audit: true, Unmasked: true})
}

// TestRolesOfSomeWorkflows give no permission that applies to all workflows.
func TestRolesOfSomeWorkflows(t *testing.T) {
	r := roles(t, "role: some\nworkflows: [one]\npermissions: ['*']\n---\nrole: none\nworkflows: []\npermissions: "+
		"['*']\n---\nrole: every\nworkflows: ['*']\npermissions: [admin]\n---\nrole: auditor\npermissions: [audit]\n")
	r.all(t, person("ann", "some"), Object{Workflow: "one"},
		map[Action]bool{See: true, Steer: true, Unmasked: true, Write: false, Audit: false, Access: false, Look: true})
	r.all(t, person("ann", "none"), Object{Workflow: "one"}, map[Action]bool{See: false, Look: false, Write: false})
	r.all(t, person("ann", "every"), Object{Workflow: "one"}, map[Action]bool{See: true, Write: true, Audit: true})
	r.all(t, person("ann", "auditor"), Object{Workflow: "one"}, map[Action]bool{See: false, Audit: true, Write: false})
}

func TestCanActAs(t *testing.T) {
	r := roles(t, "role: chief\npermissions: [view, approve]\ncan_act_as: [clerk, admin]\n---\nrole: "+
		"clerk\npermissions: [view, decide, start]\ncan_act_as: [cook]\n")
	ann := person("ann", "chief")
	acts := func(terms gate.Terms) string {
		return fmt.Sprint(r.Acts(ann, Object{Workflow: "w", Approval: approval(gate.KindApproval, terms)}))
	}
	// With the permissions of the role held, not of the other.
	if got := acts(gate.Terms{Role: "clerk"}); got != "[approve choose submit]" {
		t.Error(got)
	}
	if got := acts(gate.Terms{Role: "cook"}); got != "[]" {
		t.Errorf("it is not transitive: %s", got)
	}
	if got := acts(gate.Terms{Role: "other"}); got != "[]" {
		t.Errorf("acting as admin answers what asks for one, and no more: %s", got)
	}
	if got := acts(gate.Terms{Role: "admin"}); got != "[approve choose submit]" {
		t.Error(got)
	}
	r.all(t, ann, Object{Workflow: "w"}, map[Action]bool{Start: false})
	if got := r.Asks(ann); !slices.Equal(got, []string{"ann", "role:admin", "role:chief", "role:clerk"}) {
		t.Errorf("%q", got)
	}
}

// TestMereNames are worth everything in local mode, and signed in only where they
// are asked.
func TestMereNames(t *testing.T) {
	r := New(nil)
	asked := Object{Workflow: "w", Approval: approval(gate.KindApproval, gate.Terms{Role: "cook"})}
	other := Object{Workflow: "w", Approval: approval(gate.KindApproval, gate.Terms{})}
	bob := person("bob", "cook")
	r.all(t, local(bob), Object{Workflow: "w"},
		map[Action]bool{See: true, Look: true, Start: true, Steer: true, Fork: true, Comment: true, Write: false,
			Audit: false, Unmasked: false})
	r.all(t, bob, Object{Workflow: "w"}, map[Action]bool{See: false, Look: false, Start: false,
		Steer: false, Comment: false})
	r.all(t, bob, asked, map[Action]bool{See: true, Comment: true, "approve": true, Start: false, Review: false})
	r.all(t, bob, other, map[Action]bool{See: false, Comment: false, "approve": false})
	r.all(t, bob, Object{Workflow: "w", Asked: true}, map[Action]bool{See: true, Cancel: false})
	for _, terms := range []gate.Terms{{Roles: map[string]int{"cook": 1}}, {Assignees: []string{"role:cook"}}} {
		if o := (Object{Workflow: "w", Approval: approval(gate.KindApproval, terms)}); !r.Asked(bob, o) ||
			len(r.Acts(bob, o)) == 0 {
			t.Errorf("%+v", terms)
		}
	}
	passed := approval(gate.KindApproval, gate.Terms{Role: "x"})
	passed.Also = []string{"role:cook"}
	if !r.Asked(bob, Object{Approval: passed}) || r.Asked(bob, other) || r.Asked(local(bob), other) {
		t.Error("escalations ask, too")
	}
	// A role that is defined says itself what its holders may see.
	defined := roles(t, "role: cook\nworkflows: [other]\npermissions: [view, decide]\n")
	defined.all(t, bob, asked, map[Action]bool{See: false, "approve": false})
}

func TestLocalModeWithoutRoles(t *testing.T) {
	r := New(nil)
	eve := local(person("eve"))
	r.all(t, eve, Object{Workflow: "w"}, map[Action]bool{See: true, Start: true, Steer: true, Write: false, Stop: false,
		Access: false, Audit: false, Explain: false, Unmasked: false})
	r.all(t, person("eve"), Object{Workflow: "w"}, map[Action]bool{See: false, Look: false, Start: false})
	if got := r.Acts(eve, Object{Approval: approval(gate.KindApproval, gate.Terms{Role: "cook"})}); len(got) != 0 {
		t.Errorf("the approval asks somebody else: %v", got)
	}
	if got := r.Acts(eve, Object{Approval: approval(gate.KindApproval, gate.Terms{})}); len(got) != len(gate.Acts) {
		t.Errorf("%v", got)
	}
}

func TestOwner(t *testing.T) {
	r := roles(t, "role: starter\npermissions: [start]\n")
	o := Object{Workflow: "w", Owner: "ann", Approval: approval(gate.KindApproval, gate.Terms{Role: "cook"})}
	r.all(t, person("ann", "starter"), o, map[Action]bool{See: true, Pause: true, Resume: true, Cancel: true,
		Unmasked: true, Raise: false, Steer: false, Fork: false, Comment: false, "approve": false})
	r.all(t, person("bob", "starter"), o, map[Action]bool{See: false, Pause: false, Cancel: false, Unmasked: false})
	// What only the owner decides asks the owner, and not even an administrator.
	o.Approval = approval(gate.KindApproval, gate.Terms{OnlyOwner: "ann", Requester: "ann", Assignees: []string{"bob"}})
	if len(r.Acts(person("ann"), o)) == 0 || len(r.Acts(person("zoe", "admin"), o)) != 0 || r.Asked(person("bob"), o) {
		t.Error("owner_only")
	}
}

func TestAskedByName(t *testing.T) {
	r := New(nil)
	o := Object{Workflow: "w", Approval: approval(gate.KindApproval, gate.Terms{Assignees: []string{"ann"}})}
	r.all(t, person("ann"), o, map[Action]bool{See: true, Comment: true, "reject": true, Steer: false, Look: false})
	r.all(t, person("bob"), o, map[Action]bool{See: false, Comment: false, "reject": false})
	o.Approval.Delegations = []gate.Delegation{{From: "ann", To: "bob"}}
	r.all(t, person("bob"), o, map[Action]bool{See: true, "reject": true})
}

// TestAgents never decide, comment, write or give access, whatever their roles.
func TestAgents(t *testing.T) {
	r := New(nil)
	robot := agent(person("robot", "admin"))
	o := Object{Workflow: "w", Owner: "robot",
		Approval: approval(gate.KindApproval, gate.Terms{Assignees: []string{"robot"}}), Person: "robot"}
	r.all(t, robot, o, map[Action]bool{See: true, Look: true, Start: true, Steer: true, Cancel: true, Audit: true,
		Raise: false, Comment: false, Review: false, Write: false, Stop: false, Expire: false, Access: false, StandIn: false})
	if got := r.Acts(robot, o); len(got) != 0 {
		t.Errorf("%v", got)
	}
	robot.For = []Substitute{{Name: "ann", Roles: []string{"admin"}}}
	o.Approval.Terms.Assignees = []string{"ann"}
	if got := r.Acts(robot, o); len(got) != 0 {
		t.Errorf("for somebody: %v", got)
	}
}

// TestServices never decide and never give others the power to, whatever their
// roles; what programs are for they may.
func TestServices(t *testing.T) {
	r := New(nil)
	nightly := person("nightly", "approver", "admin")
	nightly.Kind = run.Service
	nightly.For = []Substitute{{Name: "ann", Roles: []string{"admin"}}}
	o := Object{Workflow: "w", Owner: "nightly",
		Approval: approval(gate.KindApproval, gate.Terms{Role: "approver", Assignees: []string{"nightly"}})}
	r.all(t, nightly, o, map[Action]bool{
		See: true, Look: true, Start: true, Steer: true, Cancel: true, Audit: true, Comment: true, Write: true,
		Stop: true, Forget: true,
		Review: false, Expire: false, Access: false, StandIn: false,
	})
	if got := r.Acts(nightly, o); len(got) != 0 {
		t.Errorf("%v", got)
	}
	v, _ := r.Act(nightly, gate.Approve, o)
	if err := v.Refusal(); !fault.Is(err, fault.Forbidden) ||
		!strings.Contains(err.Error(), "services never decide approvals") ||
		!strings.Contains(fault.HintOf(err), "a person") {
		t.Errorf("%v (%s)", err, fault.HintOf(err))
	}
	held := r.Permissions(nightly)
	for _, p := range []string{"approve", "decide", "delegate", "submit"} {
		if slices.Contains(held, p) {
			t.Errorf("%s is of no use to a service: %v", p, held)
		}
	}
	if !slices.Contains(held, "admin") || !slices.Contains(held, "comment") || r.Ever(nightly, Action(gate.Approve)) ||
		!r.Ever(nightly, Comment) {
		t.Errorf("%v", held)
	}
	// What is of no known kind does nothing at all.
	nightly.Kind = "machine"
	r.all(t, nightly, o, map[Action]bool{See: false, Look: false, Start: false, Write: false, "approve": false})
}

func TestStandIns(t *testing.T) {
	r := roles(t, "role: finance\nworkflows: [w]\npermissions: [view, approve]\n")
	bob := person("bob")
	bob.For = []Substitute{{Name: "ann", Roles: []string{"finance"}}}
	o := Object{Workflow: "w", Approval: approval(gate.KindApproval, gate.Terms{Role: "finance"})}
	v, who := r.Act(bob, gate.Approve, o)
	if !v.Allowed || v.Because != "bob stands in for ann: the role finance grants approve" || who.For != "ann" ||
		!slices.Equal(who.ForRoles, []string{"finance"}) || len(who.Roles) != 0 {
		t.Errorf("%+v %+v", v, who)
	}
	if got := r.Acts(bob, o); !slices.Equal(got, []gate.Act{gate.Approve, gate.Choose, gate.Submit}) {
		t.Errorf("with the permissions of whom he stands in for: %v", got)
	}
	// For himself he still may do nothing; what does not ask ann is none of his business.
	r.all(t, bob, o, map[Action]bool{See: true, "approve": false})
	r.all(t, bob, Object{Workflow: "w", Approval: approval(gate.KindApproval, gate.Terms{Role: "cook"})},
		map[Action]bool{See: false})
	if !r.Asked(bob, o) || r.Asked(bob, Object{Workflow: "x", Approval: o.Approval}) || r.Asked(person("bob"), o) {
		t.Error("a stand-in sees what whom they stand in for is asked and may see")
	}
	if got := r.Asks(bob); !slices.Equal(got, []string{"ann", "bob", "role:finance"}) {
		t.Errorf("%q", got)
	}
	// A person who is asked directly acts for themselves.
	bob.Roles = []string{"finance"}
	if _, who := r.Act(bob, gate.Approve, o); who.For != "" {
		t.Errorf("%+v", who)
	}
	// What ann asked for herself is not decided for her.
	o.Approval.Terms.Requester, o.Approval.Terms.ExcludeRequester = "ann", true
	bob.Roles = nil
	if got := r.Acts(bob, o); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestScope(t *testing.T) {
	stands := person("bob")
	stands.For = []Substitute{{Name: "ann", Roles: []string{"some", "finance"}}}
	r := roles(t, "role: some\nworkflows: [one, claims-*]\npermissions: [view]\n---\nrole: blind\npermissions: [decide]\n")
	for _, c := range []struct {
		who  Subject
		want string
	}{
		{person("ann", "admin"), "{All:true Workflows:[] Name:ann For:[] Roles:[]}"},
		{person("ann", "some", "cook", "blind"), "{All:false Workflows:[claims-* one] Name:ann For:[] Roles:[cook]}"},
		{person("ann"), "{All:false Workflows:[] Name:ann For:[] Roles:[]}"},
		{local(person("ann")), "{All:true Workflows:[] Name:ann For:[] Roles:[]}"},
		{local(person("ann", "cook")), "{All:true Workflows:[] Name:ann For:[] Roles:[]}"},
		{stands, "{All:false Workflows:[] Name:bob For:[ann] Roles:[finance some]}"},
		{local(person("ann", "some")), "{All:false Workflows:[claims-* one] Name:ann For:[] Roles:[]}"},
	} {
		if got := r.Scope(c.who); fmt.Sprintf("%+v", got) != c.want {
			t.Errorf("%v: %+v", c.who.Roles, got)
		}
	}
}

func TestPermissions(t *testing.T) {
	r := roles(t, "role: some\nworkflows: [one]\npermissions: [view, approve]\n---\nrole: none\nworkflows: "+
		"[]\npermissions: [command]\n")
	everything := "admin approve audit choose command comment decide delegate escalate modify reject request_revision " +
		"sensitive start submit view"
	for _, c := range []struct {
		who  Subject
		want string
	}{
		{person("ann", "admin"), everything},
		{person("ann", "some", "none", "cook"), "approve choose submit view"},
		{person("ann"), ""},
		{local(person("ann")), "approve choose command comment delegate escalate modify reject " +
			"request_revision start submit view"},
		{agent(person("robot", "admin")), "audit command sensitive start view"},
	} {
		if got := strings.Join(r.Permissions(c.who), " "); got != c.want {
			t.Errorf("%v: %s", c.who.Roles, got)
		}
	}
}

func TestExplain(t *testing.T) {
	r := roles(t, "role: viewer\npermissions: [view]\n")
	why := func(s Subject, o Object, act string) string {
		for _, one := range r.Explain(s, o) {
			if one.Act == act {
				return fmt.Sprint(one.Allowed, " ", one.Because)
			}
		}
		return "nothing"
	}
	o := Object{Workflow: "w", Approval: approval(gate.KindApproval,
		gate.Terms{Role: "approver", Requester: "ann", ExcludeRequester: true, Quorum: 2})}
	for _, c := range []struct {
		who  Subject
		act  string
		want string
	}{
		{person("bob", "approver"), "approve", "true the role approver grants approve"},
		{person("bob", "approver"), "comment", "true the role approver grants comment"},
		{person("cat", "viewer"), "approve", "false none of the roles of cat covers approve here"},
		{person("cat", "viewer"), "comment", "false cat may not comment on this: this requires the permission comment"},
		{person("dan", "reviewer"), "approve", "false apr_1 needs the role approver"},
		{person("ann", "approver"), "approve", "false ann requested this, so someone else must decide it"},
		{person("eve"), "approve", "false eve may not see this: this requires the permission view"},
		{agent(person("robot", "admin")), "approve", "false agents never decide approvals, whatever their roles"},
	} {
		if got := why(c.who, o, c.act); got != c.want {
			t.Errorf("%s %s: %q", c.who.Name, c.act, got)
		}
	}
	o.Approval.Record(gate.Decision{By: "bob", Act: gate.Approve, Roles: []string{"approver"}})
	if got := why(person("bob", "approver"), o, "approve"); got != "false bob has already voted" {
		t.Error(got)
	}
	o.Approval.Terms.Acts = []gate.Act{gate.Approve}
	if got := why(person("zoe", "admin"), o, "reject"); got != "false not available for this approval" {
		t.Error(got)
	}
	o.Approval.Settle(gate.Outcome{Status: gate.Approved}, time.Time{})
	if got := why(person("zoe", "admin"), o, "approve"); got != "false already settled: approved" {
		t.Error(got)
	}
}

// TestRefusal says who, what is missing, and what they hold.
func TestRefusal(t *testing.T) {
	err := New(nil).Decide(person("ann", "reviewer"), Start, Object{Workflow: "w"}).Refusal()
	d := fault.DetailOf(err)
	if err.Error() != "ann may not start runs of this workflow: this requires the permission start" ||
		fault.HintOf(err) != "roles held: reviewer" || d["who"] != "ann" ||
		fmt.Sprint(d["missing"], d["roles_held"]) != "[start] [reviewer]" {
		t.Errorf("%v %q %v", err, fault.HintOf(err), d)
	}
	if err := New(nil).Decide(person("ann", "admin"), Start, Object{}).Refusal(); err != nil {
		t.Error(err)
	}
}
