package access

import (
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
)

// Whoever stands in for an administrator answers what asks the administrator, not
// everything that an administrator may answer.
func TestStandingInForAnAdministrator(t *testing.T) {
	r := New(nil)
	bob := person("bob")
	bob.For = []Substitute{{Name: "ann", Roles: []string{"admin"}}}
	for name, c := range map[string]struct {
		terms gate.Terms
		may   bool
	}{
		"somebody else": {gate.Terms{Assignees: []string{"cid"}}, false},
		"another role":  {gate.Terms{Role: "finance"}, false},
		"by name":       {gate.Terms{Assignees: []string{"ann"}}, true},
		"as one":        {gate.Terms{Role: "admin"}, true},
	} {
		o := Object{Workflow: "w", Approval: approval(gate.KindApproval, c.terms)}
		if got := len(r.Acts(bob, o)) > 0; got != c.may {
			t.Errorf("%s: %t", name, got)
		}
	}
	o := Object{Workflow: "w"}
	r.all(t, bob, o, map[Action]bool{See: false, Write: false, Access: false, Audit: false, Start: false})
}
