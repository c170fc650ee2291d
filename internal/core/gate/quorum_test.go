package gate_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
)

var someRoles = []string{"finance", "legal", "board"}

// voter is a person with some of the roles, or an admin.
func voter(t *rapid.T, n int) gate.Person {
	p := gate.Person{Name: fmt.Sprintf("p%d", n)}
	for _, role := range append([]string{gate.RoleAdmin}, someRoles...) {
		if rapid.IntRange(0, 2).Draw(t, p.Name+" "+role) == 0 {
			p.Roles = append(p.Roles, role)
		}
	}
	return p
}

// drawPlaces draws how many of each role have to vote.
func drawPlaces(t *rapid.T) (wants map[string]int, slots []string) {
	wants = map[string]int{}
	for _, role := range someRoles {
		n := rapid.IntRange(0, 2).Draw(t, role)
		if n > 0 {
			wants[role] = n
		}
		for range n {
			slots = append(slots, role)
		}
	}
	return wants, slots
}

// A seat that is free after a vote stays free until a holder of that role votes: a vote takes one free seat
// of its own roles, and never another. The quorum is met when no seat is free and enough people voted.
func TestVotesKeepTheirPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wants, slots := drawPlaces(t)
		quorum := rapid.IntRange(1, 5).Draw(t, "quorum")
		a := open(func(q *gate.Request) { q.Terms.Roles, q.Terms.Quorum = wants, quorum })
		missing, given, spare := maps.Clone(wants), 0, max(quorum-len(slots), 0)
		for n := range rapid.IntRange(0, 7).Draw(t, "people") {
			p := voter(t, n)
			r, err := a.Decide(gate.Answer{By: p, Act: gate.Approve, Version: a.Version}, t0)
			may := len(wants) == 0 || fills(p, slots...)
			useful := spare > 0 || fills(p, slices.Collect(maps.Keys(missing))...)
			if (err == nil) != (may && useful) || !may && !fault.Is(err, fault.Forbidden) ||
				may && !useful && !fault.Is(err, fault.Conflict) {
				t.Fatalf("%v may answer: %v, and is needed: %v, got %v", p, may, useful, err)
			}
			if err != nil {
				continue
			}
			a.Record(r.Decision)
			switch role := r.Decision.Role; {
			case missing[role] > 0 && fills(p, role):
				given++
				if missing[role]--; missing[role] == 0 {
					delete(missing, role)
				}
			case role != "" && role != gate.RoleNone || len(missing) > 0 && fills(p, slices.Collect(maps.Keys(missing))...):
				t.Fatalf("%v voted as %q while %v was missing", p, role, missing)
			default:
				spare, given = spare-1, given+1
			}
			if q := a.Progress(); !maps.Equal(q.ByRole, missing) && len(wants) > 0 || q.Given != given {
				t.Fatalf("%v votes: %+v, want %d given and %v missing", p, q, given, missing)
			}
			met := len(missing) == 0 && given >= max(quorum, len(slots))
			if (r.Outcome != nil) != met {
				t.Fatalf("slots %v, quorum %d, %+v: settled %v, want %v", slots, quorum, a.Decisions, r.Outcome != nil, met)
			}
			if met {
				return
			}
		}
	})
}

// Votes from before seats were recorded fill as many seats as they can. Brute force tries all assignments.
func TestOldVotesAreMatched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wants, slots := drawPlaces(t)
		a := open(func(q *gate.Request) { q.Terms.Roles, q.Terms.Quorum = wants, 9 })
		var votes []gate.Person
		for n := range rapid.IntRange(0, 7).Draw(t, "people") {
			p := voter(t, n)
			if !fills(p, slots...) {
				continue
			}
			votes = append(votes, p)
			a.Record(gate.Decision{By: p.Name, Roles: p.Roles, Act: gate.Approve})
			missing := 0
			for _, n := range a.Progress().ByRole {
				missing += n
			}
			if best := most(slots, votes, nil); missing != len(slots)-best {
				t.Fatalf("slots %v, votes %v: %d missing, want %d", slots, votes, missing, len(slots)-best)
			}
		}
	})
}

// A vote keeps its seat when the voter's roles change, and a change to the proposal frees all seats.
func TestPlaces(t *testing.T) {
	both := func(q *gate.Request) {
		q.Terms.Roles, q.Terms.Escalate = map[string]int{"finance": 1, "legal": 1}, []gate.Rung{{To: "role:manager"}}
	}
	max, fin, lea := person("max", "finance", "legal"), person("fin", "finance"), person("lea", "legal")
	approve := func(p gate.Person, role string) gate.Answer { return gate.Answer{By: p, Act: gate.Approve, Role: role} }
	modify := func(p gate.Person) gate.Answer {
		return gate.Answer{By: p, Act: gate.Modify, Changes: json.RawMessage(`{"amount":5}`)}
	}
	cases := []struct {
		name    string
		say     []gate.Answer
		given   int
		missing string
	}{
		{"legal completes it", []gate.Answer{approve(max, ""), approve(lea, "")}, 2, ""},
		{"both roles after finance", []gate.Answer{approve(fin, ""), approve(max, "")}, 2, ""},
		{"both roles twice", []gate.Answer{approve(max, ""), approve(person("mia", "finance", "legal"), "")}, 2, ""},
		{"as legal, when asked to", []gate.Answer{approve(max, "legal"), approve(fin, "")}, 2, ""},
		{"an admin fills what is open", []gate.Answer{approve(max, ""), approve(person("adm", "admin"), "")}, 2, ""},
		{"an admin's own role first", []gate.Answer{approve(person("adm", "admin", "legal"), "")}, 1, "finance"},
		{"a change opens all places", []gate.Answer{approve(lea, ""), modify(fin)}, 1, "legal"},
		{"who changes takes a place again", []gate.Answer{approve(max, ""), modify(lea), approve(fin, "")}, 2, ""},
		{"a delegate has the roles handed on",
			[]gate.Answer{{By: lea, Act: gate.Delegate, To: "zoe"}, approve(fin, ""), approve(person("zoe"), "")}, 2, ""},
		{"a stand-in has the roles of both", []gate.Answer{approve(fin, ""),
			approve(gate.Person{Name: "sam", For: "lea", ForRoles: []string{"legal"}}, "")}, 2, ""},
		{"a manager who was called in may change it, and fills no place",
			[]gate.Answer{{By: fin, Act: gate.Escalate}, modify(person("mo", "manager")), approve(fin, "")}, 1, "legal"},
	}
	for _, c := range cases {
		a := open(both)
		for _, ans := range c.say {
			say(t, a, ans)
		}
		q := a.Progress()
		missing := strings.Join(slices.Sorted(maps.Keys(q.ByRole)), " ")
		if q.Given != c.given || missing != c.missing || (a.Status != gate.Pending) != (c.given == 2) {
			t.Errorf("%s: %+v, %s", c.name, q, a.Status)
		}
	}
}

func TestPlacesRefused(t *testing.T) {
	both := func(q *gate.Request) { q.Terms.Roles = map[string]int{"finance": 1, "legal": 1} }
	cases := []struct {
		change func(*gate.Request)
		by     gate.Person
		role   string
		code   fault.Code
	}{
		{nil, person("max", "legal"), "legal", fault.Invalid},
		{both, person("max", "legal"), "board", fault.Invalid},
		{both, person("max", "legal"), gate.RoleNone, fault.Invalid},
		{both, person("max", "finance"), "legal", fault.Forbidden},
		{both, person("max", "finance", "legal"), "finance", fault.Conflict},
		{both, person("flo", "finance"), "", fault.Conflict},
		{both, person("flo", "finance", "press"), "", fault.Conflict},
	}
	for _, c := range cases {
		a := open(c.change)
		if c.change != nil {
			say(t, a, gate.Answer{By: person("fin", "finance"), Act: gate.Approve})
		}
		_, err := a.Decide(gate.Answer{By: c.by, Act: gate.Approve, Role: c.role, Version: a.Version}, t0)
		if !fault.Is(err, c.code) {
			t.Errorf("%v as %q: %v, want %s", c.by, c.role, err, c.code)
		}
	}
}

// Every seat that is listed can be taken, no other one can, and the first is the default.
func TestSeats(t *testing.T) {
	both := func(q *gate.Request) { q.Terms.Roles = map[string]int{"finance": 1, "legal": 2, "press": 1} }
	choice := func(q *gate.Request) {
		q.Kind, q.Options = gate.KindChoice, []gate.Option{{Value: "red"}, {Value: "blue"}}
		q.Terms.Roles = map[string]int{"finance": 1, "legal": 1}
	}
	fin := gate.Answer{By: person("fin", "finance"), Act: gate.Approve}
	red := gate.Answer{By: person("fin", "finance"), Act: gate.Choose, Option: "red"}
	many := func(q *gate.Request) { q.Terms.Roles, q.Terms.Quorum = map[string]int{"finance": 1}, 3 }
	cases := []struct {
		name   string
		change func(*gate.Request)
		said   []gate.Answer
		by     gate.Person
		want   string
	}{
		{"not counted by role", nil, nil, person("max", "finance"), ""},
		{"the most seats first", both, nil, person("max", "finance", "legal"), "legal finance"},
		{"one of two", both, nil, person("max", "finance", "board"), "finance"},
		{"not a taken one", both, []gate.Answer{fin}, person("max", "finance", "legal", "press"), "legal press"},
		{"an admin's own role first", both, nil, person("adm", "admin", "press"), "press finance legal"},
		{"may not decide", both, nil, person("zoe", "board"), ""},
		{"free for one of the options", choice, []gate.Answer{red}, person("max", "finance", "legal"), "legal finance"},
		{"counts without a seat", many, []gate.Answer{fin}, person("max", "finance"), ""},
	}
	for _, c := range cases {
		a := open(c.change)
		for _, ans := range c.said {
			say(t, a, ans)
		}
		if got := strings.Join(a.Seats(c.by), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A vote cast as one role does not count as another when a rule asks for that role later.
func TestMeetsKeepsPlaces(t *testing.T) {
	max := person("max", "finance", "legal")
	cases := []struct {
		name        string
		first, then map[string]int
		meets       bool
	}{
		{"the same role", map[string]int{"finance": 1}, map[string]int{"finance": 1}, true},
		{"another role", map[string]int{"finance": 1}, map[string]int{"legal": 1}, false},
		{"no role before", nil, map[string]int{"legal": 1}, true},
		{"no role now", map[string]int{"finance": 1}, nil, true},
	}
	for _, c := range cases {
		a := open(func(q *gate.Request) { q.Terms.Roles = c.first })
		say(t, a, gate.Answer{By: max, Act: gate.Approve})
		if got := a.Meets(gate.Terms{Roles: c.then, Quorum: 1}); got != c.meets {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func fills(p gate.Person, slots ...string) bool {
	for _, have := range p.Roles {
		if have == gate.RoleAdmin {
			return true
		}
		for _, slot := range slots {
			if have == slot {
				return true
			}
		}
	}
	return false
}

// most returns the maximum number of slots that can be filled, by brute force.
func most(slots []string, votes []gate.Person, used map[int]bool) int {
	if len(slots) == 0 {
		return 0
	}
	best := most(slots[1:], votes, used) // leave the first one empty
	for n, p := range votes {
		if used[n] || !fills(p, slots[0]) {
			continue
		}
		now := map[int]bool{n: true}
		for k := range used {
			now[k] = true
		}
		best = max(best, 1+most(slots[1:], votes, now))
	}
	return best
}

// Votes for different options do not add up.
func TestQuorumOfAChoice(t *testing.T) {
	a := open(func(q *gate.Request) {
		q.Kind, q.Options, q.Terms.Quorum = gate.KindChoice, []gate.Option{{Value: "red"}, {Value: "blue"}}, 2
	})
	say(t, a, gate.Answer{By: person("bob"), Act: gate.Choose, Option: "red"})
	say(t, a, gate.Answer{By: person("cid"), Act: gate.Choose, Option: "blue"})
	if q := a.Progress(); q.Given != 1 || a.Status != gate.Pending {
		t.Errorf("%+v, %s", q, a.Status)
	}
	say(t, a, gate.Answer{By: person("dan"), Act: gate.Choose, Option: "blue"})
	if a.Status != gate.Chosen || a.Outcome.Option != "blue" {
		t.Errorf("%s %+v", a.Status, a.Outcome)
	}
}

// Among options with equally many votes, progress is that of the first.
func TestProgressOfAChoiceByRole(t *testing.T) {
	a := open(func(q *gate.Request) {
		q.Kind, q.Options = gate.KindChoice, []gate.Option{{Value: "red"}, {Value: "blue"}}
		q.Terms.Roles = map[string]int{"finance": 1, "legal": 1}
	})
	say(t, a, gate.Answer{By: person("lea", "legal"), Act: gate.Choose, Option: "red"})
	say(t, a, gate.Answer{By: person("fin", "finance"), Act: gate.Choose, Option: "blue"})
	if q := a.Progress(); q.Given != 1 || !maps.Equal(q.ByRole, map[string]int{"finance": 1}) {
		t.Errorf("%+v", q)
	}
	if q := open(nil).Progress(); q.ByRole != nil {
		t.Errorf("nobody asked for roles: %+v", q)
	}
}

// A voter with several roles takes a seat of the role with the most free seats.
func TestPlaceOfTheRoleWithMostOpen(t *testing.T) {
	a := open(func(q *gate.Request) { q.Terms.Roles = map[string]int{"finance": 1, "legal": 2} })
	say(t, a, gate.Answer{By: person("max", "finance", "legal"), Act: gate.Approve})
	if q := a.Progress(); !maps.Equal(q.ByRole, map[string]int{"finance": 1, "legal": 1}) {
		t.Errorf("still missing: %v", q.ByRole)
	}
}

// A person counts once, however many roles and delegations they vote through.
func TestOneAuthorityCountsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := open(func(q *gate.Request) { q.Terms.Quorum = 4 })
		names := []string{"ann", "bob", "cid"}
		authorities := map[string]bool{}
		for n := range rapid.IntRange(1, 12).Draw(t, "answers") {
			p := gate.Person{Name: rapid.SampledFrom(names).Draw(t, fmt.Sprint("by", n))}
			ans := gate.Answer{By: p, Act: gate.Approve, Version: a.Version}
			switch rapid.IntRange(0, 2).Draw(t, fmt.Sprint("how", n)) {
			case 1:
				ans.By.For = rapid.SampledFrom(names).Draw(t, fmt.Sprint("for", n))
			case 2:
				ans.Act, ans.To = gate.Delegate, rapid.SampledFrom(names).Draw(t, fmt.Sprint("to", n))
			}
			r, err := a.Decide(ans, t0)
			if err != nil {
				continue
			}
			if r.Outcome != nil {
				t.Fatalf("three people made a quorum of four: %+v", a.Decisions)
			}
			a.Record(r.Decision)
			if ans.Act == gate.Approve {
				if authorities[ans.By.Name] {
					t.Fatalf("%s voted twice: %+v", ans.By.Name, a.Decisions)
				}
				authorities[ans.By.Name] = true
			}
		}
	})
}

// A vote that was delegated to a role, and delegated again from there, is still one vote.
func TestOneAuthorityCountsOnceHoweverOftenItIsHandedOn(t *testing.T) {
	a := open(func(q *gate.Request) { q.Terms.Role, q.Terms.Quorum = "approver", 2 })
	manager := []string{"manager"}
	for _, ans := range []gate.Answer{
		{By: gate.Person{Name: "ann", Roles: []string{"approver"}}, Act: gate.Delegate, To: "role:manager"},
		{By: gate.Person{Name: "mia", Roles: manager}, Act: gate.Delegate, To: "eve"},
		{By: gate.Person{Name: "eve"}, Act: gate.Approve},
	} {
		ans.Version = a.Version
		r, err := a.Decide(ans, t0)
		if err != nil {
			t.Fatal(err)
		}
		a.Record(r.Decision)
	}
	max := gate.Person{Name: "max", Roles: manager}
	if _, err := a.Decide(gate.Answer{By: max, Act: gate.Approve, Version: a.Version},
		t0); !fault.Is(err, fault.Conflict) {
		t.Errorf("max votes for ann, who has voted through mia and eve: %v", err)
	}
	if acts := a.Allowed(max); len(acts) == 0 || acts[0] == gate.Approve {
		t.Errorf("max is offered %v", acts)
	}
}
