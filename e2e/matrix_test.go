package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// matrixWrong bounds how many wrong cells are told one by one.
const matrixWrong = 40

// TestMatrixOfActs sends every act on every kind of approval, in workflows that
// a role covers and others, as everybody, and compares with the oracle.
func TestMatrixOfActs(t *testing.T) {
	w := newRealm(t, matrixDocuments(), false)
	m := &matrix{realm: w, shared: map[string]place{}}
	for _, workflow := range matrixWorkflows {
		for _, kind := range matrixKinds {
			for _, ask := range matrixAsks {
				m.shared[workflow+kind+ask] = m.place("root", workflow, kind+"_"+ask)
			}
		}
	}
	m.everybody(func(a actor) {
		for _, workflow := range matrixWorkflows {
			for _, kind := range matrixKinds {
				for _, ask := range matrixAsks {
					if a.kind != "person" && ask != "everybody" || (ask == "open" || ask == "watcher") && (kind == "input" || kind == "escalation") {
						continue // what differs shows elsewhere
					}
					q := asking{workflow: workflow, kind: kind, owner: "root", roles: askedRoles(ask)}
					m.acts(a, ask, q, m.shared[workflow+kind+ask], func() place { return m.place("root", workflow, kind+"_"+ask) })
				}
			}
		}
	})
	if m.cells < 8_000 {
		t.Errorf("only %d cells were tried", m.cells)
	}
	m.done()
	w.onRecord()
}

// TestMatrixOfStates does the same where more has happened: somebody voted,
// handed it on, was asked by name, owns the run, or may not decide what they asked for.
func TestMatrixOfStates(t *testing.T) {
	w := newRealm(t, matrixDocuments(), false)
	m := &matrix{realm: w, shared: map[string]place{}}
	for _, workflow := range words("claims-a loans") {
		for _, kind := range words("approval choice") {
			m.shared["settled"+workflow+kind] = m.settled(workflow, kind)
			m.shared["half"+workflow+kind] = m.half(workflow, kind)
		}
	}
	m.everybody(func(a actor) {
		if a.kind != "person" && !slices.Contains(words("approver admin outsider lead"), strings.Join(a.roles, " ")) && a.roles != nil {
			return // what differs between kinds shows there
		}
		for _, workflow := range words("claims-a loans") {
			m.states(a, workflow, "approval")
			m.votes(a, workflow, "choice")
		}
		for _, owner := range []string{a.name, "root"} {
			q := asking{workflow: "claims-own", kind: "approval", owner: owner, names: []string{owner}, ownerOnly: true}
			fresh := func() place { return m.place(owner, "claims-own", "approval_everybody") }
			m.acts(a, "owner_only, owned by "+owner, q, fresh(), fresh)
		}
	})
	m.named()
	m.done()
	w.onRecord()
}

// matrix sends cells.
type matrix struct {
	*realm
	shared map[string]place // that nobody may change
	wrong  atomic.Int64
}

// place is a run and the approval it waits for.
type place struct{ run, approval string }

func (m *matrix) place(owner, workflow, want string) place {
	m.Helper()
	run, approval := m.begin(owner, workflow, want)
	return place{run, approval}
}

// everybody lets all actors do something, a few at a time.
func (m *matrix) everybody(do func(actor)) {
	m.Helper()
	queue := make(chan actor)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for a := range queue {
				do(a)
			}
		})
	}
	for _, a := range matrixActors() {
		queue <- a
	}
	close(queue)
	all.Wait()
}

func (m *matrix) bad(format string, args ...any) {
	m.Helper()
	if m.wrong.Add(1) <= matrixWrong {
		m.Errorf(format, args...)
	}
}

func (m *matrix) done() {
	m.Helper()
	if n := m.wrong.Load(); n > matrixWrong {
		m.Errorf("%d cells are wrong in all", n)
	}
}

func (m *matrix) count() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cells++
}

// acts sends every act as one actor. Those that are refused go to a place that
// must stay as it is, each of the others to a fresh one.
func (m *matrix) acts(a actor, what string, q asking, still place, fresh func() place) {
	m.Helper()
	m.looks(a, what, q, still)
	before := m.trace(still.approval)
	for _, act := range allActs {
		want, at := a.decide(act, q), still
		if want == 200 {
			at = fresh()
		}
		row, err := m.parts.Store.Approval(m.Context(), at.approval)
		if err != nil {
			m.Fatal(err)
		}
		got := m.ask(a, "POST", "/approvals/"+at.approval+"/decisions", actBody(act, "zoe", row.Version))
		m.count()
		if got.status != want {
			m.bad("%s, %s %s of %s: %s gives %d, not %d: %.300s", a, what, q.kind, q.workflow, act, got.status, want, got.body)
		}
		if want == 200 && got.status == 200 && got.text("decisions."+fmt.Sprint(got.count("decisions")-1)+".by") != a.name {
			m.bad("%s %s: %s", a, act, got.body)
		}
		if want == 403 || want == 404 || want == 409 {
			m.refused(a, "approval.decided")
		}
		if want != 200 {
			if after := m.trace(still.approval); after != before {
				m.bad("%s, %s %s of %s: %s was refused and left a trace: %s, then %s", a, what, q.kind, q.workflow, act, before, after)
				before = after
			}
		}
	}
}

// looks checks what somebody sees of an approval and its run.
func (m *matrix) looks(a actor, what string, q asking, at place) {
	m.Helper()
	want := 200
	if !a.sees(q) {
		want = 404
	}
	got := m.ask(a, "GET", "/approvals/"+at.approval, nil)
	m.count()
	if got.status != want {
		m.bad("%s, %s %s of %s: a look gives %d, not %d: %.200s", a, what, q.kind, q.workflow, got.status, want, got.body)
	}
	if got.status == 200 {
		var v struct{ Acts []string }
		if err := json.Unmarshal(got.body, &v); err != nil {
			m.Fatal(err)
		}
		offered, may := slices.Sorted(slices.Values(v.Acts)), slices.Sorted(slices.Values(a.acts(q)))
		if !slices.Equal(offered, may) {
			m.bad("%s, %s %s of %s: acts are %v, not %v", a, what, q.kind, q.workflow, offered, may)
		}
		m.explained(a, what, q, at)
	}
	if q.kind != "approval" {
		return // the run is the same whatever it asks
	}
	for _, path := range []string{"", "/events"} {
		got := m.ask(a, "GET", "/runs/"+at.run+path, nil)
		m.count()
		if got.status != want {
			m.bad("%s, %s %s of %s: GET /runs/…%s gives %d, not %d: %.200s", a, what, q.kind, q.workflow, path, got.status, want, got.body)
		}
	}
}

// explained compares what somebody is told about why they may or may not.
func (m *matrix) explained(a actor, what string, q asking, at place) {
	m.Helper()
	got := m.ask(a, "GET", "/approvals/"+at.approval+"/access", nil)
	m.count()
	var v struct {
		Acts []struct {
			Act     string
			Allowed bool
		}
	}
	if err := json.Unmarshal(got.body, &v); err != nil || got.status != 200 || len(v.Acts) == 0 {
		m.bad("%s, %s %s of %s: nothing is explained: %d %.300s %v", a, what, q.kind, q.workflow, got.status, got.body, err)
	}
	for _, f := range v.Acts {
		if want := slices.Contains(a.acts(q), f.Act); f.Allowed != want && slices.Contains(allActs, f.Act) {
			m.bad("%s, %s %s of %s: %s is explained as %t, not %t: %.500s", a, what, q.kind, q.workflow, f.Act, f.Allowed, want, got.body)
		}
	}
}

func yes(kind string) gate.Act {
	if kind == "choice" {
		return gate.Choose
	}
	return gate.Approve
}

func (m *matrix) settled(workflow, kind string) place {
	at := m.place("root", workflow, kind+"_everybody")
	m.decideAs(root, at.approval, app.Decision{Act: yes(kind), Option: "x"})
	return at
}

// half has one of two votes.
func (m *matrix) half(workflow, kind string) place {
	at := m.place("root", workflow, kind+"_two")
	m.decideAs(root, at.approval, app.Decision{Act: yes(kind), Option: "x"})
	return at
}

// almighty is the same person with all rights, so that a state can be reached.
func (a actor) almighty() app.Who {
	return app.Who{Name: a.name, Kind: run.Person, Roles: []string{gate.RoleAdmin}, SignedIn: true}
}

// votes are the states of an approval that needs two.
func (m *matrix) votes(a actor, workflow, kind string) {
	m.Helper()
	plain := asking{workflow: workflow, kind: kind, owner: "root", roles: askedRoles("everybody")}
	q := plain
	q.settled = true
	m.acts(a, "settled", q, m.shared["settled"+workflow+kind], nil)
	q = plain
	q.voted = []string{"root"}
	m.acts(a, "half done", q, m.shared["half"+workflow+kind], func() place { return m.half(workflow, kind) })

	q = plain
	q.voted = []string{a.name}
	voted := func() place {
		at := m.place("root", workflow, kind+"_two")
		m.decideAs(a.almighty(), at.approval, app.Decision{Act: yes(kind), Option: "x"})
		return at
	}
	m.acts(a, "voted", q, voted(), voted)
}

// states are all others, and those.
func (m *matrix) states(a actor, workflow, kind string) {
	m.Helper()
	m.votes(a, workflow, kind)
	plain := asking{workflow: workflow, kind: kind, owner: "root", roles: askedRoles("everybody")}
	q := plain
	q.handedOn = []string{a.name}
	q.names = []string{"zoe"}
	away := func() place {
		at := m.place("root", workflow, kind+"_everybody")
		m.decideAs(a.almighty(), at.approval, app.Decision{Act: gate.Delegate, To: "zoe"})
		return at
	}
	m.acts(a, "handed on", q, away(), away)

	for _, act := range []gate.Act{gate.Delegate, gate.Escalate} {
		q = plain
		q.names = []string{a.name}
		to := func() place {
			at := m.place("root", workflow, kind+"_approver")
			m.decideAs(root, at.approval, app.Decision{Act: act, To: a.name})
			return at
		}
		q.roles = askedRoles("approver")
		m.acts(a, string(act)+"d to them", q, to(), to)
	}

	q = plain
	q.owner = a.name
	owns := func() place { return m.place(a.name, workflow, kind+"_everybody") }
	m.acts(a, "owned", q, owns(), owns)
	q.excluded = true
	excluded := func() place { return m.place(a.name, workflow, kind+"_excluded") }
	m.acts(a, "asked for by them", q, excluded(), excluded)
}

// named are asked by their names and hold no roles at all.
func (m *matrix) named() {
	m.Helper()
	for _, a := range []actor{{"nell", "person", nil}, {"nora", "service", nil}, {"ned", "agent", nil}, {"nemo", "person", nil}} {
		for _, kind := range matrixKinds {
			q := asking{workflow: "loans", kind: kind, owner: "root", names: words("nell nora ned")}
			fresh := func() place { return m.place("root", "loans", kind+"_named") }
			m.acts(a, "named", q, fresh(), fresh)
		}
	}
}

// TestMatrixOfActions sends everything that is no act on an approval.
func TestMatrixOfActions(t *testing.T) {
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
		q := asking{workflow: "loans", kind: "approval", owner: a.name, roles: words("approver")}
		owned := func() place { return m.place(a.name, "loans", "approval_approver") }
		m.steers(a, q, owned(), owned)
		m.comments(a, q, owned())
		m.governs(a)
		m.reads(a)
		m.permissions(a)
	})
	m.done()
	w.onRecord()
}

// cell sends a request that an actor may or may not send, and what was refused
// must not go by unnoticed.
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
	m.cell(a, a.start(workflow), "run.started", "POST", "/runs", map[string]any{"workflow": workflow, "input": map[string]any{"want": "nothing"}})
}

// steered are all commands and the other ways to move a run, and what they send.
var steered = map[string]string{
	"pause": `{"type":"pause"}`, "cancel": `{"type":"cancel","reason":"r"}`, "abort": `{"type":"abort","reason":"r"}`, "message": `{"type":"message","text":"t"}`,
	"snapshot": `{"type":"snapshot"}`, "replan": `{"type":"replan","requirement":"r"}`, "skip_step": `{"type":"skip_step","step":"hold"}`,
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
			m.cell(a, want, map[bool]string{true: "run.forked", false: "run.command"}[command == "fork"], "POST", "/runs/"+at.run+path, body)
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
		if got.status == 401 || got.status == 403 || got.status == 404 || got.status >= 500 || slices.Contains(words("pause resume cancel abort message snapshot fork"), command) && got.status >= 300 {
			m.bad("%s may %s %s (owner %s) and gets %d: %.300s", a, command, q.workflow, q.owner, got.status, got.body)
		}
	}
}

// governs sends what needs an administrator.
func (m *matrix) governs(a actor) {
	m.Helper()
	name := strings.ReplaceAll(a.name, "_", "-")
	want := a.govern()
	m.cell(a, want, "definition.saved", "PUT", "/workflows/new-"+name, `{"workflow":"new-`+name+`","steps":[{"id":"a","human":{"title":"t"}}]}`)
	m.cell(a, want, "definition.saved", "PUT", "/agents/new-"+name, `{"agent":"new-`+name+`","kind":"scripted","answers":[{"output":1}]}`)
	m.cell(a, want, "definition.saved", "PUT", "/policy?draft=true", `{"policy":"default","rules":[]}`)
	m.cell(a, want, "policy.emergency_stop", "POST", "/policy/emergency_stop", `{"on":true,"reason":"`+name+`"}`)
	m.cell(a, want, "approvals.expired", "POST", "/approvals/expire", `{"older_than":"9999h"}`)
	m.cell(a, want, "access.listAccounts", "GET", "/accounts", nil)
	m.cell(a, want, "access.putAccount", "PUT", "/accounts/acc-"+name, `{"password":"violet tram seventy lake","roles":["approver"]}`)
	m.cell(a, want, "access.listTokens", "GET", "/tokens", nil)
	m.cell(a, want, "access.createToken", "POST", "/tokens", `{"name":"tok-`+name+`","kind":"person","roles":["approver"]}`)
	m.cell(a, want, "access.createToken", "POST", "/tokens", `{"name":"`+a.name+`","kind":"person","roles":["admin"]}`)
	m.cell(a, want, "access.removeToken", "DELETE", "/tokens/"+m.spare(), nil)
	until := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	m.cell(a, a.standIn(a.name), "stand_in.set", "PUT", "/people/"+a.name+"/stand_in", `{"to":"sub-`+a.name+`","until":"`+until+`"}`)
	m.cell(a, a.standIn("yan"), "stand_in.set", "PUT", "/people/yan/stand_in", `{"to":"sub-`+a.name+`","until":"`+until+`"}`)
}

// spare makes a token that nobody needs.
func (m *matrix) spare() string {
	return m.ask(actor{"root", "person", words("admin")}, "POST", "/tokens", `{"name":"spare","kind":"service","roles":[]}`).want(201).text("id")
}

// reads sends what needs a permission on any workflow.
func (m *matrix) reads(a actor) {
	m.Helper()
	for _, path := range words("/audit /audit.csv /audit.jsonl /audit/verify /audit/head") {
		m.cell(a, a.read("audit"), "", "GET", path, nil)
	}
	for _, path := range words("/agents /tools /policy/versions /policy/suggestions /policy/samples") {
		m.cell(a, a.read("view"), "", "GET", path, nil)
	}
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
	for _, path := range words("/runs /approvals /deliverables /lessons /insights") {
		m.cell(a, 200, "", "GET", path, nil) // what they may not know of is not in it
	}
}

// permissions compares what me says with what the roles say.
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
			continue // they may, where that name is asked
		}
		if a.kind == "agent" && (p == "comment" || p == "admin" || slices.Contains(allActs, p)) {
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
