package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// matrixWrong limits how many wrong cells are listed.
const matrixWrong = 40

// TestMatrixOfActs sends every act on every kind of approval, in workflows that a role covers and others, as
// everyone, and compares with the oracle.
func TestMatrixOfActs(t *testing.T) {
	t.Parallel()
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
					if a.kind != "person" && ask != "everybody" ||
						(ask == "open" || ask == "watcher") && (kind == "input" || kind == "escalation") {
						continue // differences show elsewhere
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

// TestMatrixOfStates does the same in more states: after a vote or a delegation, assigned by name, for the
// owner, or for an excluded requester.
func TestMatrixOfStates(t *testing.T) {
	t.Parallel()
	w := newRealm(t, matrixDocuments(), false)
	m := &matrix{realm: w, shared: map[string]place{}}
	for _, workflow := range words("claims-a loans") {
		for _, kind := range words("approval choice") {
			m.shared["settled"+workflow+kind] = m.settled(workflow, kind)
			m.shared["half"+workflow+kind] = m.half(workflow, kind)
		}
	}
	m.everybody(func(a actor) {
		if a.kind != "person" && !slices.Contains(words("approver admin outsider lead"), strings.Join(a.roles, " ")) &&
			a.roles != nil {
			return // differences between kinds show there
		}
		for _, workflow := range words("claims-a loans") {
			m.states(a, workflow, "approval")
			m.votes(a, workflow, "choice")
		}
		for _, owner := range []string{a.key(), "root"} {
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
	shared map[string]place // that must not change
	wrong  atomic.Int64
}

// place is a run and the approval it waits for.
type place struct{ run, approval string }

func (m *matrix) place(owner, workflow, want string) place {
	m.Helper()
	run, approval := m.begin(owner, workflow, want)
	return place{run, approval}
}

// everybody runs a function for all actors, a few at a time.
func (m *matrix) everybody(do func(actor)) {
	m.Helper()
	m.each(matrixActors(), do)
}

func (m *matrix) each(actors []actor, do func(actor)) {
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
	for _, a := range actors {
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

// acts sends every act as one actor. Rejected ones go to a run that must not change, each of the others to a
// fresh one.
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
				m.bad("%s, %s %s of %s: %s was refused and left a trace: %s, then %s", a, what, q.kind,
					q.workflow, act, before, after)
				before = after
			}
		}
	}
}

// looks checks an actor's view of an approval and its run.
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
			m.bad("%s, %s %s of %s: GET /runs/…%s gives %d, not %d: %.200s", a, what, q.kind, q.workflow, path,
				got.status, want, got.body)
		}
	}
}

// explained compares the explanation of what an actor may do.
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
			m.bad("%s, %s %s of %s: %s is explained as %t, not %t: %.500s", a, what, q.kind, q.workflow, f.Act,
				f.Allowed, want, got.body)
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

// almighty is the same person with all permissions, to reach a state.
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
		if a.kind == "service" || a.kind == "agent" { // decisions cannot be delegated to programs
			m.token(a)
			at := m.place("root", workflow, kind+"_approver")
			m.ask(adminActor, "POST", "/approvals/"+at.approval+"/decisions",
				actBody(string(act), a.name, 1)).problem(422, "invalid")
			continue
		}
		q.roles = askedRoles("approver")
		m.acts(a, string(act)+"d to them", q, to(), to)
	}

	q = plain
	q.owner = a.key()
	owns := func() place { return m.place(a.key(), workflow, kind+"_everybody") }
	m.acts(a, "owned", q, owns(), owns)
	q.excluded = true
	excluded := func() place { return m.place(a.key(), workflow, kind+"_excluded") }
	m.acts(a, "asked for by them", q, excluded(), excluded)
}

// named are assigned by name and hold no roles at all.
func (m *matrix) named() {
	m.Helper()
	for _, a := range []actor{{"nell", "person", nil}, {"nora", "service", nil}, {"ned", "agent", nil},
		{"nina", "client", words("outsider")}, {"nemo", "person", nil}} {
		for _, kind := range matrixKinds {
			q := asking{workflow: "loans", kind: kind, owner: "root", names: words("nell nora ned nina")}
			fresh := func() place { return m.place("root", "loans", kind+"_named") }
			m.acts(a, "named", q, fresh(), fresh)
		}
	}
}
