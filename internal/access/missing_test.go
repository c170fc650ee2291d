package access

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
)

// TestRefusalsNameWhatIsMissing: not a role that the person holds.
func TestRefusalsNameWhatIsMissing(t *testing.T) {
	r := roles(t, "role: lead\nworkflows: [claims]\npermissions: [view, decide]\n---\nrole: "+
		"watcher\npermissions: [view]\n")
	choice := Object{Workflow: "w", Approval: approval(gate.KindChoice, gate.Terms{Role: "reviewer"})}
	for what, c := range map[string]struct {
		roles []string
		o     Object
		act   gate.Act
		want  string
		lacks bool // a permission
	}{
		"the kind": {[]string{"reviewer"}, choice, gate.Choose,
			"the role reviewer of ann is for approvals of kind approval and input, and this is of kind choice", false},
		"the kind, with another role": {[]string{"approver", "reviewer"}, choice, gate.Choose,
			"the role reviewer of ann is for approvals of kind approval and input", false},
		"the workflow": {[]string{"lead"},
			Object{Workflow: "w", Approval: approval(gate.KindApproval, gate.Terms{Role: "lead"})}, gate.Approve,
			"the role lead of ann grants approve, but not for the workflow w", false},
		"the permission": {[]string{"watcher"},
			Object{Workflow: "w", Approval: approval(gate.KindApproval, gate.Terms{Role: "watcher"})}, gate.Approve,
			"none of the roles of ann covers approve here", true},
	} {
		v, _ := r.Act(person("ann", c.roles...), c.act, c.o)
		err := v.Refusal()
		if !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), c.want) || (len(v.Missing) > 0) != c.lacks {
			t.Errorf("%s: %v, missing %v", what, err, v.Missing)
		}
		var refused *fault.Error
		if !errors.As(err, &refused) || !reflect.DeepEqual(refused.Detail["roles_held"], c.roles) {
			t.Errorf("%s: the refusal does not say which roles are held: %+v", what, refused)
		}
	}
	// Who lacks the role is told so by the approval.
	if v, who := r.Act(person("ann", "approver"), gate.Choose, choice); !v.Allowed ||
		len(choice.Approval.Allowed(who)) != 0 {
		t.Errorf("%+v", v)
	}
}
