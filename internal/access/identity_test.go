package access

import (
	"slices"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// TestCalledAlike: an identity with the name of another gets none of its rights.
func TestCalledAlike(t *testing.T) {
	r := New(nil)
	service := Subject{Name: "ann", Kind: run.Service, SignedIn: true}
	foreign := Subject{Name: "ann", Kind: run.Service, Issuer: "https://id.example.com", SignedIn: true}
	robot := Subject{Name: "ann", Kind: run.Agent, SignedIn: true}
	keys := map[string]Subject{
		"ann": person("ann"), "service:ann": service, "service:https://id.example.com#ann": foreign, "agent:ann": robot,
	}
	for owner := range keys {
		asked := approval(gate.KindApproval, gate.Terms{Assignees: []string{owner}})
		only := approval(gate.KindApproval, gate.Terms{OnlyOwner: owner})
		handed := approval(gate.KindApproval, gate.Terms{Role: "finance"})
		handed.Delegations = []gate.Delegation{{From: "eve", To: owner}}
		passed := approval(gate.KindApproval, gate.Terms{Role: "finance"})
		passed.Also = []string{owner}
		for key, s := range keys {
			same := key == owner
			for _, a := range []Action{See, Cancel, Unmasked} {
				if got := r.Decide(s, a, Object{Workflow: "w", Owner: owner}).Allowed; got != same {
					t.Errorf("%s may %s what %s owns: %t", key, a, owner, got)
				}
			}
			for what, ap := range map[string]*gate.Approval{"assigned": asked, "the owner's": only,
				"delegated": handed, "escalated": passed} {
				o := Object{Workflow: "w", Approval: ap}
				if got := r.Asked(s, o); got != same {
					t.Errorf("%s is asked what is %s to %s: %t", key, what, owner, got)
				}
				if acts := r.Acts(s, o); len(acts) > 0 != (same && key == "ann") {
					t.Errorf("%s may %v what is %s to %s", key, acts, what, owner)
				}
			}
			if got := r.Decide(s, StandIn, Object{Person: owner}).Allowed; got != (same && s.Kind == run.Person) {
				t.Errorf("%s sets a stand-in for %s: %t", key, owner, got)
			}
		}
	}
	for key, s := range keys {
		if got := r.Scope(s).Name; got != key {
			t.Errorf("%s reads as %s", key, got)
		}
		if got := r.Asks(s); !slices.Equal(got, []string{key}) {
			t.Errorf("%s is asked as %s", key, got)
		}
	}
	// A program that asked for something keeps no person from deciding it.
	ap := approval(gate.KindApproval, gate.Terms{Role: "approver", Requester: service.key(), ExcludeRequester: true})
	if acts := r.Acts(person("ann", "approver"), Object{Workflow: "w", Approval: ap}); len(acts) == 0 {
		t.Error("ann may not decide what a service called ann asked for")
	}
}
