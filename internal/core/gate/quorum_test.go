package gate_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
)

var someRoles = []string{"finance", "legal", "board"}

// voter is somebody with some of the roles, or an admin.
func voter(t *rapid.T, n int) gate.Person {
	p := gate.Person{Name: fmt.Sprintf("p%d", n)}
	for _, role := range append([]string{gate.RoleAdmin}, someRoles...) {
		if rapid.IntRange(0, 2).Draw(t, p.Name+" "+role) == 0 {
			p.Roles = append(p.Roles, role)
		}
	}
	return p
}

// The quorum by role is met exactly when there are enough people and every
// slot can be given to another one of them. Brute force tries all ways.
func TestQuorumByRoleIsAMatching(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wants, slots := map[string]int{}, []string{}
		for _, role := range someRoles {
			n := rapid.IntRange(0, 2).Draw(t, role)
			if n > 0 {
				wants[role] = n
			}
			for range n {
				slots = append(slots, role)
			}
		}
		quorum := rapid.IntRange(1, 5).Draw(t, "quorum")
		a := open(func(q *gate.Request) { q.Terms.Roles, q.Terms.Quorum = wants, quorum })
		var votes []gate.Person
		for n := range rapid.IntRange(0, 7).Draw(t, "people") {
			p := voter(t, n)
			r, err := a.Decide(gate.Answer{By: p, Act: gate.Approve, Version: a.Version}, t0)
			may := len(wants) == 0 || fills(p, slots...)
			if (err == nil) != may {
				t.Fatalf("%v may answer: %v, got %v", p, may, err)
			}
			if err != nil {
				if !fault.Is(err, fault.Forbidden) {
					t.Fatal(err)
				}
				continue
			}
			votes = append(votes, p)
			a.Record(r.Decision)
			met := len(votes) >= max(quorum, len(slots)) && assignable(slots, votes, nil)
			if (r.Outcome != nil) != met {
				t.Fatalf("slots %v, quorum %d, votes %v: settled %v, want %v", slots, quorum, votes, r.Outcome != nil, met)
			}
			progress := a.Progress()
			missing := 0
			for _, n := range progress.ByRole {
				missing += n
			}
			if best := most(slots, votes, nil); missing != len(slots)-best || progress.Given != len(votes) {
				t.Fatalf("slots %v, votes %v: progress %+v, want %d missing", slots, votes, progress, len(slots)-best)
			}
			if met {
				return
			}
		}
	})
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

func assignable(slots []string, votes []gate.Person, used map[int]bool) bool {
	return most(slots, votes, used) == len(slots)
}

// most is how many slots can be filled at best, by trying everything.
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

// However many ways somebody has to speak, they count once.
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

// A vote that was handed to a role, and on from there, is still one.
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
	if _, err := a.Decide(gate.Answer{By: max, Act: gate.Approve, Version: a.Version}, t0); !fault.Is(err, fault.Conflict) {
		t.Errorf("max votes for ann, who has voted through mia and eve: %v", err)
	}
	if acts := a.Allowed(max); len(acts) == 0 || acts[0] == gate.Approve {
		t.Errorf("max is offered %v", acts)
	}
}
