package e2e

import (
	"encoding/json"
	"slices"
	"testing"
)

// local is the oracle for local mode. An actor without roles is not restricted by them, an undefined role
// permits everything that needs no administrator, and approvals still ask their assignees.
func (a actor) local(permission, workflow string) bool {
	if len(a.roles) == 0 || a.may(permission, workflow) {
		return true
	}
	return slices.ContainsFunc(a.roles, func(role string) bool {
		_, written := roleRules[role]
		return !written
	})
}

func (a actor) localDecide(act string, q asking) int {
	asked := func(role string) bool { return role == "admin" || len(q.roles) == 0 || slices.Contains(q.roles, role) }
	may := len(a.roles) == 0 && len(q.roles) == 0
	for _, role := range a.roles {
		r, written := roleRules[role]
		switch {
		case !written:
			may = may || asked(role)
		case r.permits(act) && r.covers(q.workflow) && (r.kinds == nil || slices.Contains(r.kinds, q.kind)):
			may = may || asked(role) || slices.ContainsFunc(r.actAs, asked)
		}
	}
	switch {
	case !a.local("view", q.workflow):
		return 404
	case !may:
		return 403
	case !slices.Contains(actsOfKind[q.kind], act):
		return 422
	}
	return 200
}

// TestMatrixOfLocalMode is a smaller matrix in which headers identify the caller.
func TestMatrixOfLocalMode(t *testing.T) {
	t.Parallel()
	w := newRealm(t, matrixDocuments(), true)
	m := &matrix{realm: w}
	for _, set := range []string{"", "outsider", "approver", "reviewer", "admin", "clerk", "lead", "watcher",
		"deputy", "blind", "boss"} {
		a := actor{name: "local-" + set, kind: "person", roles: words(set)}
		for _, workflow := range words("claims-a loans") {
			for _, kind := range words("approval choice") {
				for _, ask := range words("everybody approver open") {
					m.localActs(a, asking{workflow: workflow, kind: kind, owner: "root", roles: askedRoles(ask)}, kind+"_"+ask)
				}
			}
			m.localActions(a, workflow)
		}
	}
	m.done()
}

func (m *matrix) localActs(a actor, q asking, want string) {
	m.Helper()
	still := m.place("root", q.workflow, want)
	before := m.trace(still.approval)
	var offered []string
	if got := m.ask(a, "GET", "/approvals/"+still.approval, nil); got.status == 200 {
		var v struct{ Acts []string }
		if err := json.Unmarshal(got.body, &v); err != nil {
			m.Fatal(err)
		}
		offered = v.Acts
	}
	for _, act := range allActs {
		status, at := a.localDecide(act, q), still
		if status == 200 {
			at = m.place("root", q.workflow, want)
		}
		got := m.ask(a, "POST", "/approvals/"+at.approval+"/decisions", actBody(act, "zoe", 1))
		m.count()
		if got.status != status || slices.Contains(offered, act) != (status == 200) {
			m.bad("%s, %s of %s: %s gives %d, not %d; offered are %v: %.300s", a, want, q.workflow, act, got.status,
				status, offered, got.body)
		}
		if status != 200 && m.trace(still.approval) != before {
			m.bad("%s, %s of %s: %s was refused and left a trace", a, want, q.workflow, act)
		}
	}
}

func (m *matrix) localActions(a actor, workflow string) {
	m.Helper()
	at := m.place("root", workflow, "approval_approver")
	allowed := func(permission string) int {
		switch {
		case !a.local("view", workflow):
			return 404
		case a.local(permission, workflow):
			return 200
		}
		return 403
	}
	m.cell(a, allowed("view"), "", "GET", "/runs/"+at.run, nil)
	m.cell(a, allowed("comment"), "", "POST", "/approvals/"+at.approval+"/comments", map[string]any{"text": "hm"})
	m.cell(a, allowed("start"), "", "POST", "/runs",
		map[string]any{"workflow": workflow, "input": map[string]any{"want": "nothing"}})
	m.cell(a, allowed("command"), "", "POST", "/runs/"+at.run+"/commands", steered["message"])
	m.cell(a, a.govern(), "", "PUT", "/agents/new", `{"agent":"new","kind":"scripted","answers":[{"output":1}]}`)
	m.cell(a, a.govern(), "", "POST", "/policy/emergency_stop", `{"on":true,"reason":"r"}`)
	m.cell(a, a.govern(), "", "GET", "/tokens", nil)
	m.cell(a, a.read("audit"), "", "GET", "/audit", nil)
}
