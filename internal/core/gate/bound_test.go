package gate_test

import (
	"slices"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
)

func TestChanges(t *testing.T) {
	tool := func(version int, digest string) gate.Implementation {
		return gate.Implementation{Kind: "tool", Name: "refund", Version: version, Digest: digest}
	}
	mail := gate.Implementation{Kind: "tool", Name: "mail", Version: 4, Digest: "m"}
	cases := []struct {
		name          string
		approved, now []gate.Implementation
		want          []gate.VersionChange
	}{
		{"nothing", []gate.Implementation{tool(1, "a"), mail}, []gate.Implementation{tool(1, "a"), mail}, nil},
		{"a version", []gate.Implementation{mail, tool(1, "a")}, []gate.Implementation{mail, tool(2, "b")},
			[]gate.VersionChange{{"tool", "refund", "1", "2"}}},
		{"the text of one version", []gate.Implementation{tool(1, "a")}, []gate.Implementation{tool(1, "b")},
			[]gate.VersionChange{{"tool", "refund", "a", "b"}}},
		{"a version where there was none", []gate.Implementation{tool(0, "a")}, []gate.Implementation{tool(1, "b")},
			[]gate.VersionChange{{"tool", "refund", "a", "b"}}},
		{"no version where there was one", []gate.Implementation{tool(1, "a")}, []gate.Implementation{tool(0, "b")},
			[]gate.VersionChange{{"tool", "refund", "a", "b"}}},
		{"one more", []gate.Implementation{tool(1, "a")}, []gate.Implementation{tool(1, "a"), mail},
			[]gate.VersionChange{{"tool", "mail", "", "4"}}},
		{"one less", []gate.Implementation{tool(0, "a"), mail}, []gate.Implementation{mail},
			[]gate.VersionChange{{"tool", "refund", "a", ""}}},
		{
			"another kind of the same name",
			[]gate.Implementation{{Kind: "agent", Name: "mail", Version: 1}}, []gate.Implementation{mail},
			[]gate.VersionChange{{"agent", "mail", "1", ""}, {"tool", "mail", "", "4"}},
		},
	}
	for _, c := range cases {
		if got := gate.Changes(c.approved, c.now); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestMeets(t *testing.T) {
	sam := gate.Person{Name: "sam", For: "bob", Roles: []string{"finance"}, ForRoles: []string{"finance"}}
	cases := []struct {
		name string
		by   gate.Person
		ask  func(q *gate.Request)
		now  gate.Terms
		want bool
	}{
		{"as it was", person("bob"), nil, gate.Terms{Quorum: 1}, true},
		{"more people", person("bob"), nil, gate.Terms{Quorum: 2}, false},
		{"a role that the voter has", person("bob", "finance"), nil, gate.Terms{Role: "finance"}, true},
		{"a role that the voter lacks", person("bob", "legal"), nil, gate.Terms{Role: "finance"}, false},
		{"a role to fill", person("bob", "finance"), nil, gate.Terms{Roles: map[string]int{"finance": 1}}, true},
		{"the requester, who may", person("ann"), nil, gate.Terms{Requester: "ann"}, true},
		{"the requester, who may not", person("ann"), nil, gate.Terms{Requester: "ann", ExcludeRequester: true}, false},
		{"for the requester", sam, nil, gate.Terms{Requester: "bob", ExcludeRequester: true}, false},
		{"nobody asked", person("bob"), nil, gate.Terms{ExcludeRequester: true}, true},
		{"another requester", person("bob"), nil, gate.Terms{Requester: "ann", ExcludeRequester: true}, true},
		{"the owner", person("bob"), nil, gate.Terms{OnlyOwner: "bob"}, true},
		{"for the owner", sam, nil, gate.Terms{OnlyOwner: "bob"}, true},
		{"not the owner", person("bob", "admin"), nil, gate.Terms{OnlyOwner: "ann"}, false},
		{"the owner without the role", person("bob"), nil, gate.Terms{OnlyOwner: "bob", Role: "finance"}, true},
		{"the owner, who asked and may not", person("bob"), nil,
			gate.Terms{OnlyOwner: "bob", Requester: "bob", ExcludeRequester: true}, false},
		{"for an assignee", sam, nil, gate.Terms{Assignees: []string{"bob"}}, true},
	}
	for _, c := range cases {
		a := open(c.ask)
		say(t, a, gate.Answer{By: c.by, Act: gate.Approve})
		if got := a.Meets(c.now); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

// An approval by a rule or by timeout, or a decision other than approval, meets no terms.
func TestMeetsNeedsPeople(t *testing.T) {
	for _, o := range []gate.Outcome{
		{Status: gate.AutoApproved, Act: gate.Approve},
		{Status: gate.TimedOut, Act: gate.Approve},
		{Status: gate.Rejected, Act: gate.Reject},
		{Status: gate.Cancelled, Act: gate.Approve},
	} {
		a := open(nil)
		a.Record(gate.Decision{By: "bob", Act: gate.Approve})
		a.Settle(o, t0)
		if a.Meets(gate.Terms{Quorum: 1}) {
			t.Errorf("%s with %s is enough", o.Status, o.Act)
		}
	}
	a := open(nil)
	a.Record(gate.Decision{By: "bob", Act: gate.Approve})
	if a.Meets(gate.Terms{Quorum: 1}) {
		t.Error("an approval that is not settled is enough")
	}
}

// A vote that found all seats of its roles taken fills one under other terms.
func TestMeetsFreesVotesWithoutAPlace(t *testing.T) {
	a := open(func(q *gate.Request) { q.Terms.Quorum, q.Terms.Roles = 2, map[string]int{"legal": 1} })
	say(t, a, gate.Answer{By: person("lea", "legal"), Act: gate.Approve})
	say(t, a, gate.Answer{By: person("lou", "legal", "finance"), Act: gate.Approve})
	if got := a.Decisions[1].Role; got != gate.RoleNone {
		t.Fatalf("the second vote took the place of %q", got)
	}
	if !a.Meets(gate.Terms{Roles: map[string]int{"legal": 1, "finance": 1}}) {
		t.Error("the second vote does not fill the place of finance")
	}
}
