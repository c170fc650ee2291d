package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMatrixOfActions sends everything but acts on approvals.
func TestMatrixOfActions(t *testing.T) {
	t.Parallel()
	w := newRealm(t, matrixDocuments(), false)
	m := &matrix{realm: w, shared: map[string]place{}}
	for _, workflow := range matrixWorkflows {
		m.shared[workflow] = m.place("root", workflow, "approval_approver")
	}
	m.everybody(func(a actor) {
		for _, workflow := range matrixWorkflows {
			q := asking{workflow: workflow, kind: "approval", owner: "root", roles: words("approver")}
			m.comments(a, q, m.shared[workflow])
			m.starts(a, workflow)
			m.steers(a, q, m.shared[workflow], func() place { return m.place("root", workflow, "approval_approver") })
		}
		q := asking{workflow: "loans", kind: "approval", owner: a.key(), roles: words("approver")}
		owned := func() place { return m.place(a.key(), "loans", "approval_approver") }
		m.steers(a, q, owned(), owned)
		m.comments(a, q, owned())
		m.governs(a)
		m.reads(a)
		m.permissions(a)
	})
	m.done()
	w.onRecord()
}

// cell sends a request that an actor may or may not send, and records a rejection that must appear in the
// audit log.
func (m *matrix) cell(a actor, want int, action, method, path string, body any) {
	m.Helper()
	got := m.ask(a, method, path, body)
	m.count()
	if want >= 400 && action != "" {
		m.refused(a, action)
	}
	fine := got.status < 300
	if want >= 400 && got.status != want || want < 300 && !fine {
		m.bad("%s: %s %s %.100v gives %d, not %d: %.300s", a, method, path, body, got.status, want, got.body)
	}
}

func (m *matrix) comments(a actor, q asking, at place) {
	m.Helper()
	before := m.trace(at.approval)
	want := a.comment(q)
	if want == 200 {
		at = m.place(q.owner, q.workflow, "approval_approver")
	}
	m.cell(a, want, "approval.commented", "POST", "/approvals/"+at.approval+"/comments", map[string]any{"text": "hm"})
	if want != 200 && m.trace(at.approval) != before {
		m.bad("%s commented although refused", a)
	}
}

func (m *matrix) starts(a actor, workflow string) {
	m.Helper()
	m.cell(a, a.start(workflow), "run.started", "POST", "/runs",
		map[string]any{"workflow": workflow, "input": map[string]any{"want": "nothing"}})
}

// steered are all commands and other ways to control a run, and their bodies.
var steered = map[string]string{
	"pause": `{"type":"pause"}`, "cancel": `{"type":"cancel","reason":"r"}`, "abort": `{"type":"abort","reason":"r"}`,
	"message":  `{"type":"message","text":"t"}`,
	"snapshot": `{"type":"snapshot"}`, "replan": `{"type":"replan","requirement":"r"}`,
	"skip_step":    `{"type":"skip_step","step":"hold"}`,
	"inject_steps": `{"type":"inject_steps","steps":[{"id":"more","human":{"title":"More","assignees":["keeper"]},"needs":["hold"]}]}`,
	"modify_args":  `{"type":"modify_args","step":"hold","changes":{"a":1}}`,
	"resume":       `{"type":"resume"}`, "consult": `{"type":"consult"}`, "fork": `{"at_seq":1}`,
}

func (m *matrix) steers(a actor, q asking, still place, fresh func() place) {
	m.Helper()
	before := m.trace(still.approval)
	for command, body := range steered {
		want, at := a.steer(command, q), still
		path := "/commands"
		if command == "fork" {
			path = "/fork"
		}
		if want != 200 {
			m.cell(a, want, map[bool]string{true: "run.forked", false: "run.command"}[command == "fork"], "POST",
				"/runs/"+at.run+path, body)
			if after := m.trace(still.approval); after != before {
				m.bad("%s: %s was refused and left a trace", a, command)
				before = after
			}
			continue
		}
		at = fresh()
		if command == "resume" {
			m.ask(actor{"root", "person", words("admin")}, "POST", "/runs/"+at.run+path, `{"type":"pause"}`).want(202)
		}
		got := m.ask(a, "POST", "/runs/"+at.run+path, body)
		m.count()
		if got.status >= 400 && command != "fork" {
			m.refused(a, "run.command") // every rejected command is recorded
		}
		if got.status == 401 || got.status == 403 || got.status == 404 || got.status >= 500 ||
			slices.Contains(words("pause resume cancel abort message snapshot fork"), command) && got.status >= 300 {
			m.bad("%s may %s %s (owner %s) and gets %d: %.300s", a, command, q.workflow, q.owner, got.status, got.body)
		}
	}
}

// governs sends requests that need an administrator.
func (m *matrix) governs(a actor) {
	m.Helper()
	name := strings.ReplaceAll(a.name, "_", "-")
	want := a.govern()
	m.cell(a, want, "definition.saved", "PUT", "/workflows/new-"+name,
		`{"workflow":"new-`+name+`","steps":[{"id":"a","human":{"title":"t"}}]}`)
	m.cell(a, want, "definition.saved", "PUT", "/agents/new-"+name,
		`{"agent":"new-`+name+`","kind":"scripted","answers":[{"output":1}]}`)
	m.cell(a, want, "definition.saved", "PUT", "/policy?draft=true", `{"policy":"default","rules":[]}`)
	m.cell(a, want, "policy.emergency_stop", "POST", "/policy/emergency_stop", `{"on":true,"reason":"`+name+`"}`)
	m.cell(a, a.admit(), "approvals.expired", "POST", "/approvals/expire", `{"older_than":"9999h"}`)
	m.cell(a, a.admit(), "access.listAccounts", "GET", "/accounts", nil)
	m.cell(a, a.admit(), "access.putAccount", "PUT", "/accounts/acc-"+name,
		`{"password":"violet tram seventy lake","roles":["approver"]}`)
	m.cell(a, a.admit(), "access.listTokens", "GET", "/tokens", nil)
	m.cell(a, a.admit(), "access.listRoles", "GET", "/roles", nil)
	m.cell(a, a.admit(), "access.getSettings", "GET", "/settings", nil)
	m.cell(a, a.admit(), "access.saveRole", "PUT", "/roles/role-"+name, `{"role":"role-`+name+`","permissions":["view"]}`)
	m.cell(a, a.admit(), "definition.withdrawn", "DELETE", "/roles/role-"+name, nil)
	m.cell(a, a.admit(), "access.createToken", "POST", "/tokens",
		`{"name":"tok-`+name+`","kind":"service","roles":["approver"]}`)
	// Everyone here uses a token, and no token can create one of kind person.
	m.cell(a, 403, "access.createToken", "POST", "/tokens", `{"name":"per-`+name+`","kind":"person","roles":["approver"]}`)
	m.cell(a, 403, "access.createToken", "POST", "/tokens", `{"name":"`+a.name+`","kind":"person","roles":["admin"]}`)
	m.cell(a, a.admit(), "access.removeToken", "DELETE", "/tokens/"+m.spare(), nil)
	until := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	m.cell(a, a.standIn(a.name), "stand_in.set", "PUT", "/people/"+a.name+"/stand_in",
		`{"to":"sub-`+a.name+`","until":"`+until+`"}`)
	m.cell(a, a.standIn("yan"), "stand_in.set", "PUT", "/people/yan/stand_in",
		`{"to":"sub-`+a.name+`","until":"`+until+`"}`)
}

// spare creates a disposable token.
func (m *matrix) spare() string {
	return m.ask(actor{"root", "person", words("admin")}, "POST", "/tokens",
		`{"name":"spare","kind":"service","roles":[]}`).want(201).text("id")
}

// reads sends requests that need a permission on any workflow.
func (m *matrix) reads(a actor) {
	m.Helper()
	for _, path := range words("/audit /audit.csv /audit.jsonl /audit/verify /audit/head") {
		if path == "/audit/verify" && a.read("audit") == 200 && a.name != "person-auditorx" {
			continue // it reads every event of every run: one permitted actor is enough
		}
		if strings.HasPrefix(path, "/audit.") && a.read("audit") == 200 && !slices.Equal(a.roles, words("auditor")) {
			continue // the whole log repeatedly: one role in every kind is enough
		}
		m.cell(a, a.read("audit"), "", "GET", path, nil)
	}
	for _, path := range words("/agents /tools /policy/versions /policy/suggestions /policy/samples") {
		m.cell(a, a.read("view"), "", "GET", path, nil)
	}
	m.cell(a, a.read("view"), "", "POST", "/plans/suggest", `{"intent":"read a file"}`)
	m.cell(a, a.read("view"), "", "POST", "/policy/test", `{"subject":{"operation":"refund","risk":"high","data":{}}}`)
	for _, workflow := range matrixWorkflows {
		for _, path := range []string{"", "/versions", "/versions/1"} {
			m.cell(a, a.definition(workflow), "", "GET", "/workflows/"+workflow+path, nil)
		}
		preview := 404
		if a.may("view", workflow) {
			preview = 200
		}
		m.cell(a, preview, "", "POST", "/workflows/"+workflow+"/preview", `{"input":{"want":"x"}}`)
	}
	for _, path := range words("/runs /approvals /deliverables /lessons /insights /agent_usage") {
		m.cell(a, 200, "", "GET", path, nil) // it contains nothing they may not know
	}
}

// permissions compares the permissions in me with those of the roles.
func (m *matrix) permissions(a actor) {
	m.Helper()
	me := m.ask(a, "GET", "/me", nil).want(200)
	var v struct{ Permissions []string }
	if err := json.Unmarshal(me.body, &v); err != nil {
		m.Fatal(err)
	}
	m.count()
	onlyName := slices.Contains(a.roles, "outsider")
	for _, p := range append(words("view comment start command audit admin sensitive"), allActs...) {
		want := a.mayAnywhere(p)
		if onlyName && !want && (p == "view" || p == "comment" || slices.Contains(allActs, p)) {
			continue // they may, if that name is asked
		}
		if a.kind == "agent" && (p == "comment" || p == "admin") || a.kind != "person" && slices.Contains(allActs, p) {
			want = false
		}
		if slices.Contains(v.Permissions, p) != want {
			m.bad("%s: me says %v; %s should be %t", a, v.Permissions, p, want)
		}
	}
	if !slices.IsSorted(v.Permissions) {
		m.bad("%s: not sorted: %v", a, v.Permissions)
	}
}
