package gate_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
)

// The acts that the server offers are exactly those it accepts.
func TestAllowedIsWhatDecideTakes(t *testing.T) {
	people := []gate.Person{
		person("ann"), person("bob"), person("kim", "approver"), person("lea", "approver", "legal"),
		person("adm", gate.RoleAdmin),
		person("zoe"), {Name: "bot", Roles: []string{"approver"}, Kind: "service"},
		{Name: "sub", For: "kim", ForRoles: []string{"approver"}},
	}
	asks := map[string]func(*gate.Request){
		"one":      func(q *gate.Request) { q.Terms.Role = "approver" },
		"two":      func(q *gate.Request) { q.Terms.Quorum, q.Terms.ExcludeRequester, q.Terms.Requester = 2, true, "ann" },
		"owner":    func(q *gate.Request) { q.Terms.OnlyOwner = "ann" },
		"assigned": func(q *gate.Request) { q.Terms.Assignees = []string{"zoe"} },
		"roles":    func(q *gate.Request) { q.Terms.Roles = map[string]int{"approver": 1, "legal": 1} },
		"choice": func(q *gate.Request) {
			q.Kind, q.Terms.Quorum = gate.KindChoice, 2
			q.Options = []gate.Option{{Value: "yes"}, {Value: "no"}}
			q.Terms.Acts = []gate.Act{gate.Choose, gate.Reject, gate.Delegate}
		},
	}
	for name, change := range asks {
		a := open(func(q *gate.Request) {
			q.Terms.Acts = []gate.Act{gate.Approve, gate.Modify, gate.Reject, gate.Escalate, gate.RequestRevision, gate.Delegate}
			change(q)
		})
		if vote := positiveAct(a); vote != "" { // one vote is in
			for _, p := range people {
				if r, err := a.Decide(whole(p, vote, a), t0); err == nil && r.Outcome == nil {
					a.Record(r.Decision)
					break
				}
			}
		}
		for _, p := range people {
			allowed := a.Allowed(p)
			for _, act := range gate.Acts {
				_, err := a.Decide(whole(p, act, a), t0)
				refused := fault.Is(err, fault.Forbidden) || fault.Is(err, fault.Unsupported) || fault.Is(err, fault.Conflict)
				if may := slices.Contains(allowed, act); may == refused {
					t.Errorf("%s: %s may %s: said %v, but %v", name, p.Name, act, may, err)
				}
			}
		}
	}
}

func positiveAct(a *gate.Approval) gate.Act {
	if a.Kind == gate.KindChoice {
		return gate.Choose
	}
	return gate.Approve
}

// whole is an answer with everything that any act could need.
func whole(p gate.Person, act gate.Act, a *gate.Approval) gate.Answer {
	return gate.Answer{
		By: p, Act: act, Option: "yes", Changes: json.RawMessage(`{"n":2}`), Data: json.RawMessage(`{"n":3}`),
		Comment: "because", To: "max", Version: a.Version,
	}
}
