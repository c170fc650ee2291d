package definition

import (
	"fmt"
	"strings"
	"testing"
)

// TestWithdrawnRolesAreReported: wherever a document asks a withdrawn role, there is a warning at its place.
func TestWithdrawnRolesAreReported(t *testing.T) {
	for text, want := range map[string]string{
		"workflow: a\nsteps: [{ id: x, agent: b }]\ngates: [{ id: g, at: after x, role: legal }]": "3:37 gates[0].role",
		"workflow: a\nsteps: [{ id: x, agent: b }]\ngates: [{ id: g, at: after x, roles: { legal: 1 } }]": "3:47 " +
			"gates[0].roles.legal",
		"workflow: a\nsteps: [{ id: x, human: { role: legal } }]":         "2:33 steps[0].human.role",
		"workflow: a\nask: { role: legal }\nsteps: [{ id: x, agent: b }]": "2:14 ask.role",
		"workflow: a\nloops: { human: { when: always, role: legal } }\nsteps: [{ id: x, agent: b }]": "2:39 " +
			"loops.human.role",
		"agent: c\nkind: http\nurl: http://localhost\nask: { role: legal }": "4:14 ask.role",
		"policy: p\nrules: [{ name: A, priority: 1, trigger: { operation_type: [x] }, " +
			"action: { roles: { legal: 1 } } }]": "2:93 " +
			"rules[0].action.roles.legal",
		"workflow: a\nsteps: [{ id: x, agent: b }]\ngates: [{ id: g, at: after x, role: boss }]":        "",
		"workflow: a\nsteps: [{ id: x, agent: b }]\ngates: [{ id: g, at: after x, role: reviewer }]":    "",
		"workflow: a\nsteps: [{ id: x, agent: b }]\ngates: [{ id: g, at: after x, role: acted }]":       "",
		"workflow: a\nsteps: [{ id: x, agent: b }]\ngates: [{ id: g, at: after x, assignees: [ann] }]":  "",
		"workflow: a\nsteps: [{ id: x, agent: b }]\ngates: [{ id: g, at: after x, role: never_there }]": "",
		"role: legal\npermissions: [decide]\n---\nworkflow: a\nsteps: [{ id: x, agent: b }]\n" +
			"gates: [{ id: g, at: after x, role: legal }]": "",
	} {
		known, problems := Parse("known.yaml", []byte("agent: b\nkind: scripted\nanswers: [{ output: {} }]\n---\n"+
			"role: boss\npermissions: [decide]\ncan_act_as: [acted]\n"))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		known.Withdrawn = []string{"legal", "boss", "reviewer", "acted"}
		set, problems := Parse("a.yaml", []byte(text))
		if len(problems) > 0 {
			t.Fatal(text, problems)
		}
		var got []string
		for _, p := range set.Check(known) {
			if strings.Contains(p.Message, "was withdrawn") {
				got = append(got, fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Path))
				if !p.Warning {
					t.Errorf("%s: an error", text)
				}
			} else if !p.Warning {
				t.Errorf("%s: %s", text, p)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
		if told := set.WithdrawnAsked(known); len(told) != len(got) {
			t.Errorf("%s: alone it reports %v", text, told)
		}
	}
}
