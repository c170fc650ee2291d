package definition

import (
	"fmt"
	"strings"
	"testing"
)

// A gate is refused if its role could never answer it, and only then: approve is
// also choose and submit.
func TestRolesOfGates(t *testing.T) {
	for name, c := range map[string]struct{ role, gate, refused string }{
		"approve is submit": {"permissions: [view, approve]", "kind: input, input_schema: { type: object }", ""},
		"approve is choose": {"permissions: [view, approve]",
			"kind: choice, options: [{ value: a, label: A }, { value: b, label: B }]", ""},
		"submit alone": {"permissions: [view, submit]", "kind: input, input_schema: { type: object }", ""},
		"submit approves no": {"permissions: [view, submit]", "kind: approval",
			"its permissions do not include approve or decide"},
		"looks on": {"permissions: [view, modify]", "kind: input, input_schema: { type: object }",
			"its permissions do not include submit, approve or decide"},
		"another kind": {"permissions: [view, approve]\nkinds: [choice]", "kind: approval",
			"its kinds do not include approval"},
	} {
		t.Run(name, func(t *testing.T) {
			set, problems := Parse("f.yaml", fmt.Appendf(nil,
				"workflow: w\nsteps: [{ id: s, agent: a }]\ngates: [{ id: g, at: after s, title: T, role: r, %s }]\n---\nagent: "+
					"a\nkind: scripted\nanswers: [{ output: 1 }]\n---\nrole: r\n%s\n", c.gate, c.role))
			problems = append(problems, set.Check(nil)...)
			switch said := fmt.Sprint(problems); {
			case c.refused == "" && len(problems) > 0:
				t.Errorf("it is refused: %s", said)
			case c.refused != "" && (len(problems) != 1 ||
				!strings.Contains(said, `the role "r" can never answer this gate: `+c.refused)):
				t.Errorf("it says %s, want %q", said, c.refused)
			}
		})
	}
}

// The built-in roles are no exception, unless a document takes their place.
func TestBuiltInRolesOfGates(t *testing.T) {
	const flow = "workflow: w\nsteps: [{ id: s, agent: a }]\ngates: [{ id: g, at: after s, role: reviewer, kind: " +
		"choice, options: [{ value: a }, { value: b }] }]\n---\nagent: a\nkind: scripted\nanswers: [{ output: 1 }]\n"
	for own, refused := range map[string]bool{"": true, "---\nrole: reviewer\npermissions: [view, choose]\n": false} {
		set, problems := Parse("f.yaml", []byte(flow+own))
		problems = append(problems, set.Check(nil)...)
		if said := fmt.Sprint(problems); refused != strings.Contains(said,
			`the role "reviewer" can never answer this gate: its kinds do not include choice`) || !refused && len(problems) > 0 {
			t.Errorf("%q: %s", own, said)
		}
	}
}
