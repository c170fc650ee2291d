package gate_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
)

// t0 is a Monday morning.
var t0 = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

var allActs = gate.Acts

// open returns an approval of a refund that any one person may decide, modified by the options.
func open(change func(q *gate.Request)) *gate.Approval {
	q := gate.Request{
		ID: "apr_1", Kind: gate.KindApproval, Title: "Refund", Proposed: json.RawMessage(`{"amount":10,"to":"x@y"}`),
		Action: gate.Action{ArgsSchema: json.RawMessage(`{"type":"object","properties":{"amount":{"type":"number","minimum":0}}}`)},
		Terms:  gate.Terms{Quorum: 1, Requester: "ann", Acts: allActs},
	}
	if change != nil {
		change(&q)
	}
	return gate.Open(q, t0)
}

func person(name string, roles ...string) gate.Person { return gate.Person{Name: name, Roles: roles} }

// say records a decision on the approval in its current version.
func say(t testing.TB, a *gate.Approval, ans gate.Answer) {
	t.Helper()
	ans.Version = a.Version
	r, err := a.Decide(ans, t0)
	if err != nil {
		t.Fatalf("%s %s: %v", ans.By.Name, ans.Act, err)
	}
	a.Record(r.Decision)
	if r.Outcome != nil {
		a.Settle(*r.Outcome, t0)
	}
}

func TestDecideRefuses(t *testing.T) {
	choice := func(q *gate.Request) {
		q.Kind, q.Options = gate.KindChoice, []gate.Option{{Value: "red"}, {Value: "blue"}}
	}
	input := func(q *gate.Request) {
		q.Kind, q.InputSchema = gate.KindInput, json.RawMessage(`{"type":"object","required":["date"]}`)
	}
	twice := func(q *gate.Request) { q.Terms.Quorum, q.Terms.ExcludeRequester = 2, true }
	approve := gate.Answer{By: person("bob"), Act: gate.Approve, Version: 1}
	cases := []struct {
		name   string
		change func(q *gate.Request)
		before []gate.Answer
		ans    gate.Answer
		code   fault.Code
		says   string
	}{
		{"an agent", nil, nil, gate.Answer{By: gate.Person{Name: "bot", Kind: "agent"}, Act: gate.Approve, Version: 1},
			fault.Forbidden, "agents never decide"},
		{"a service", nil, nil, gate.Answer{By: gate.Person{Name: "nightly", Kind: "service", Roles: []string{"admin"}},
			Act: gate.Approve, Version: 1}, fault.Forbidden, "services never decide"},
		{"a schedule", nil, nil, gate.Answer{By: gate.Person{Name: "schedule:nightly", Roles: []string{"admin"}},
			Act: gate.Approve, Version: 1}, fault.Forbidden, "cannot vote"},
		{"for a trigger", nil, nil, gate.Answer{By: gate.Person{Name: "bob", For: "trigger:shop"}, Act: gate.Approve,
			Version: 1}, fault.Forbidden, "cannot vote"},
		{"nobody", nil, nil, gate.Answer{Act: gate.Approve, Version: 1}, fault.Forbidden, "the approver is missing"},
		{"the requester", twice, nil, gate.Answer{By: person("ann", "admin"), Act: gate.Approve, Version: 1},
			fault.Forbidden, "ann requested this"},
		{"for the requester", twice, nil, gate.Answer{By: gate.Person{Name: "bob", For: "ann"}, Act: gate.Approve,
			Version: 1}, fault.Forbidden, "ann requested this"},
		{
			"not the owner", func(q *gate.Request) { q.Terms.OnlyOwner = "ann" }, nil,
			gate.Answer{By: person("root", "admin"), Act: gate.Approve, Version: 1}, fault.Forbidden,
			"only the run's owner (ann)",
		},
		{
			"the owner delegates", func(q *gate.Request) { q.Terms.OnlyOwner = "ann" }, nil,
			gate.Answer{By: person("ann"), Act: gate.Delegate, To: "bob", Version: 1}, fault.Forbidden, "can't be delegated",
		},
		{
			"the wrong role", func(q *gate.Request) { q.Terms.Role = "finance" }, nil,
			gate.Answer{By: person("bob", "legal"), Act: gate.Approve, Version: 1}, fault.Forbidden, "needs the role finance",
		},
		{
			"not an assignee", func(q *gate.Request) { q.Terms.Assignees = []string{"cid"} }, nil, approve,
			fault.Forbidden, "needs cid",
		},
		{
			"a stand-in for somebody who may not", func(q *gate.Request) { q.Terms.Role = "finance" }, nil,
			gate.Answer{By: gate.Person{Name: "bob", For: "cid", ForRoles: []string{"legal"}}, Act: gate.Approve, Version: 1},
			fault.Forbidden, "needs the role finance",
		},
		{"an act that is not offered", func(q *gate.Request) { q.Terms.Acts = []gate.Act{gate.Reject} }, nil, approve,
			fault.Unsupported, "not available for this approval"},
		{"no version", nil, nil, gate.Answer{By: person("bob"), Act: gate.Approve}, fault.Invalid, "/version"},
		{"a rejection without a reason", nil, nil,
			gate.Answer{By: person("bob"), Act: gate.Reject, Comment: " ", Version: 1}, fault.Invalid, "/comment"},
		{"a revision without a reason", nil, nil, gate.Answer{By: person("bob"), Act: gate.RequestRevision, Version: 1},
			fault.Invalid, "/comment"},
		{
			"a novel", nil, nil,
			gate.Answer{By: person("bob"), Act: gate.Approve, Comment: strings.Repeat("x", gate.CommentMax+1), Version: 1},
			fault.Invalid, "/comment",
		},
		{"a change without changes", nil, nil, gate.Answer{By: person("bob"), Act: gate.Modify, Version: 1},
			fault.Invalid, "/changes"},
		{
			"a change that does not fit", nil, nil,
			gate.Answer{By: person("bob"), Act: gate.Modify, Changes: json.RawMessage(`{"amount":-1}`), Version: 1},
			fault.Invalid, "/amount",
		},
		{"no data", input, nil, gate.Answer{By: person("bob"), Act: gate.Submit, Version: 1}, fault.Invalid, "/data"},
		{"data that does not fit", input, nil,
			gate.Answer{By: person("bob"), Act: gate.Submit, Data: json.RawMessage(`{}`), Version: 1}, fault.Invalid, "date"},
		{"an unknown option", choice, nil, gate.Answer{By: person("bob"), Act: gate.Choose, Option: "green", Version: 1},
			fault.Invalid, "/option"},
		{"delegating to nobody", nil, nil, gate.Answer{By: person("bob"), Act: gate.Delegate, Version: 1},
			fault.Invalid, "/to"},
		{"delegating to oneself", nil, nil, gate.Answer{By: person("bob"), Act: gate.Delegate, To: "bob", Version: 1},
			fault.Invalid, "/to"},
		{"delegating to the requester", twice, nil,
			gate.Answer{By: person("bob"), Act: gate.Delegate, To: "ann", Version: 1}, fault.Forbidden, "ann requested this"},
		{"escalating past the chain", nil, nil,
			gate.Answer{By: person("bob"), Act: gate.Escalate, Version: 1}, fault.Invalid, "/to"},
		{"an old version", twice, []gate.Answer{{By: person("cid"), Act: gate.Approve}}, approve, fault.VersionMismatch,
			"version 1, it is at 2"},
		{"a second vote", twice, []gate.Answer{{By: person("bob"), Act: gate.Approve}},
			gate.Answer{By: person("bob"), Act: gate.Approve, Version: 2}, fault.Conflict, "already voted"},
		{
			"a second vote through a stand-in", twice,
			[]gate.Answer{{By: gate.Person{Name: "sam", For: "bob"}, Act: gate.Approve}},
			gate.Answer{By: person("bob"), Act: gate.Approve, Version: 2}, fault.Conflict, "already voted",
		},
		{
			"a vote that was handed on", twice, []gate.Answer{{By: person("bob"), Act: gate.Delegate, To: "cid"}},
			gate.Answer{By: person("bob"), Act: gate.Approve, Version: 2}, fault.Forbidden, "delegated this to cid",
		},
		{
			"for somebody who handed it on", twice, []gate.Answer{{By: person("bob"), Act: gate.Delegate, To: "cid"}},
			gate.Answer{By: gate.Person{Name: "sam", For: "bob"}, Act: gate.Approve, Version: 2}, fault.Forbidden,
			"bob delegated this to cid",
		},
		{
			"handing on what one stands in for", twice, nil,
			gate.Answer{By: gate.Person{Name: "sam", For: "bob"}, Act: gate.Delegate, To: "cid", Version: 1}, fault.Forbidden,
			"sam decides for bob and can't delegate that",
		},
		{
			"a stand-in's own vote and one for somebody", twice, []gate.Answer{{By: person("sam"), Act: gate.Approve}},
			gate.Answer{By: gate.Person{Name: "sam", For: "bob"}, Act: gate.Approve, Version: 2}, fault.Conflict,
			"sam has already voted",
		},
		{
			"a vote for somebody who has voted", twice, []gate.Answer{{By: person("bob"), Act: gate.Approve}},
			gate.Answer{By: gate.Person{Name: "sam", For: "bob"}, Act: gate.Approve, Version: 2},
			fault.Conflict, "already voted",
		},
		{
			"two votes for one person", twice, []gate.Answer{{By: gate.Person{Name: "sam", For: "bob"}, Act: gate.Approve}},
			gate.Answer{By: gate.Person{Name: "kim", For: "bob"}, Act: gate.Approve, Version: 2},
			fault.Conflict, "already voted",
		},
		{
			"the requester for somebody else", twice, nil,
			gate.Answer{By: gate.Person{Name: "ann", For: "bob"}, Act: gate.Approve, Version: 1},
			fault.Forbidden, "ann requested this",
		},
		{
			"for somebody who is not the owner", func(q *gate.Request) { q.Terms.OnlyOwner = "ann" }, nil,
			gate.Answer{By: gate.Person{Name: "bob", For: "cid", ForRoles: []string{"admin"}}, Act: gate.Approve, Version: 1},
			fault.Forbidden, "only the run's owner (ann)",
		},
		{"what is settled", nil, []gate.Answer{{By: person("cid"), Act: gate.Approve}}, approve,
			fault.AlreadyDecided, "approved by cid"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := open(c.change)
			for _, ans := range c.before {
				say(t, a, ans)
			}
			was, _ := json.Marshal(a)
			r, err := a.Decide(c.ans, t0)
			if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v (%s), want %q (%s)", err, fault.CodeOf(err), c.says, c.code)
			}
			if r.Outcome != nil || r.Decision.Act != "" {
				t.Errorf("refused, and yet ruled: %+v", r)
			}
			if is, _ := json.Marshal(a); string(is) != string(was) {
				t.Errorf("Decide changed the approval:\n%s\n%s", was, is)
			}
		})
	}
}

// The loser of a race learns who decided what, and when.
func TestAlreadyDecidedSaysByWhom(t *testing.T) {
	a := open(nil)
	say(t, a, gate.Answer{By: person("cid"), Act: gate.Reject, Comment: "no"})
	_, err := a.Decide(gate.Answer{By: person("bob"), Act: gate.Approve, Version: 99}, t0)
	f, ok := err.(*fault.Error)
	if !ok || f.Code != fault.AlreadyDecided || f.Detail["decided_by"] != "cid" || f.Detail["act"] != "reject" ||
		f.Detail["decided_at"] != t0 {
		t.Errorf("%+v", err)
	}
}

func TestDecideSettles(t *testing.T) {
	cases := []struct {
		name   string
		change func(q *gate.Request)
		ans    gate.Answer
		status gate.Status
		act    gate.Act
		now    string // the final proposal
	}{
		{"approve", nil, gate.Answer{Act: gate.Approve}, gate.Approved, gate.Approve, `{"amount":10,"to":"x@y"}`},
		{"modify", nil, gate.Answer{Act: gate.Modify, Changes: json.RawMessage(`{"amount":9.50}`)}, gate.Modified,
			gate.Modify, `{"amount":9.50,"to":"x@y"}`},
		{"modify into the same", nil, gate.Answer{Act: gate.Modify, Changes: json.RawMessage(`{"amount":10}`)},
			gate.Approved, gate.Approve, `{"amount":10,"to":"x@y"}`},
		{"reject", nil, gate.Answer{Act: gate.Reject, Comment: "no"}, gate.Rejected, gate.Reject, `{"amount":10,"to":"x@y"}`},
		{"request revision", nil, gate.Answer{Act: gate.RequestRevision, Comment: "shorter"}, gate.RevisionRequested,
			gate.RequestRevision, `{"amount":10,"to":"x@y"}`},
		{
			"choose", func(q *gate.Request) { q.Kind, q.Options = gate.KindChoice, []gate.Option{{Value: "red"}} },
			gate.Answer{Act: gate.Choose, Option: "red"}, gate.Chosen, gate.Choose, `{"amount":10,"to":"x@y"}`,
		},
		{
			"submit", func(q *gate.Request) { q.Kind = gate.KindInput },
			gate.Answer{Act: gate.Submit, Data: json.RawMessage(`{"date":"2026-01-01"}`)}, gate.Submitted, gate.Submit,
			`{"amount":10,"to":"x@y","date":"2026-01-01"}`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := open(c.change)
			c.ans.By = person("bob")
			say(t, a, c.ans)
			if a.Status != c.status || a.Outcome.Act != c.act || a.Outcome.By != "bob" || string(a.Current) != c.now ||
				a.Version != 2 {
				t.Errorf("%s %+v, proposed %s, version %d", a.Status, a.Outcome, a.Current, a.Version)
			}
			if _, ok := a.Next(); ok {
				t.Error("something is still due")
			}
		})
	}
}

// A change voids earlier votes, and is itself a vote for the new proposal.
func TestChangesVoidVotes(t *testing.T) {
	a := open(func(q *gate.Request) { q.Terms.Quorum = 2 })
	say(t, a, gate.Answer{By: person("bob"), Act: gate.Approve})
	say(t, a, gate.Answer{By: person("cid"), Act: gate.Modify, Changes: json.RawMessage(`{"amount":9}`)})
	if q := a.Progress(); q.Given != 1 || q.Needed != 2 {
		t.Fatalf("%+v", q)
	}
	say(t, a, gate.Answer{By: person("cid"), Act: gate.Modify, Changes: json.RawMessage(`{"amount":8}`)})
	if q := a.Progress(); q.Given != 1 || a.Status != gate.Pending {
		t.Fatalf("one person changed it twice: %+v, %s", q, a.Status)
	}
	say(t, a, gate.Answer{By: person("bob"), Act: gate.Approve})
	if a.Status != gate.Modified || string(a.Outcome.Proposed) != `{"amount":8,"to":"x@y"}` {
		t.Errorf("%s %s", a.Status, a.Outcome.Proposed)
	}
}

func TestDelegation(t *testing.T) {
	a := open(func(q *gate.Request) { q.Terms.Quorum, q.Terms.Roles = 2, map[string]int{"finance": 1} })
	say(t, a, gate.Answer{By: person("fay", "finance"), Act: gate.Delegate, To: "pat"})
	say(t, a, gate.Answer{By: person("pat"), Act: gate.Delegate, To: "role:intern"})
	say(t, a, gate.Answer{By: person("ian", "intern"), Act: gate.Approve})
	if d := a.Decisions[2]; d.OnBehalfOf != "pat" || !slices.Contains(d.Roles, "finance") {
		t.Errorf("the authority was not handed on: %+v", d)
	}
	if q := a.Progress(); q.Given != 1 || len(q.ByRole) != 0 {
		t.Errorf("%+v", q)
	}
	if _, err := a.Decide(gate.Answer{By: person("ivy", "intern"), Act: gate.Approve, Version: a.Version},
		t0); !fault.Is(err, fault.Conflict) {
		t.Errorf("one authority counted twice: %v", err)
	}
}

// A stand-in decides with the authority of the principal, and both are recorded.
func TestStandIn(t *testing.T) {
	sam := gate.Person{Name: "sam", Roles: []string{"clerk"}, For: "ann", ForRoles: []string{"finance"}}
	for name, change := range map[string]func(*gate.Request){
		"by name":        func(q *gate.Request) { q.Terms.Assignees = []string{"ann"} },
		"by role":        func(q *gate.Request) { q.Terms.Role = "finance" },
		"a seat":         func(q *gate.Request) { q.Terms.Roles = map[string]int{"finance": 1} },
		"only the owner": func(q *gate.Request) { q.Terms.OnlyOwner = "ann" },
	} {
		a := open(change)
		if slices.Contains(a.Allowed(sam), gate.Delegate) || !slices.Contains(a.Allowed(sam), gate.Approve) {
			t.Errorf("%s: offered %v", name, a.Allowed(sam))
		}
		say(t, a, gate.Answer{By: sam, Act: gate.Approve})
		if d := a.Decisions[0]; d.By != "sam" || d.OnBehalfOf != "ann" || a.Status != gate.Approved {
			t.Errorf("%s: %+v, %s", name, d, a.Status)
		}
	}
	// What ann delegates to her stand-in is theirs to decide.
	a := open(func(q *gate.Request) { q.Terms.Assignees = []string{"ann"} })
	say(t, a, gate.Answer{By: person("ann"), Act: gate.Delegate, To: "sam"})
	say(t, a, gate.Answer{By: sam, Act: gate.Approve})
	if d := a.Decisions[1]; d.OnBehalfOf != "ann" || a.Status != gate.Approved {
		t.Errorf("%+v, %s", d, a.Status)
	}
}
