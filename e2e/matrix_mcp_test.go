package e2e

import (
	"slices"
	"strings"
	"testing"
)

// TestMatrixOfMCP runs a subset of the matrix through MCP: every set of roles as a person, a service, an
// agent and an OIDC client calls every tool, on their own and others' runs, in workflows that their roles
// cover and others. The oracle is that of the API, and a rejected call has no effect.
func TestMatrixOfMCP(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	still := map[string]place{}
	for _, workflow := range words("claims-a loans") {
		for _, kind := range matrixKinds {
			still[workflow+kind] = h.asks(workflow, kind+"_everybody")
		}
	}
	before := map[string]string{}
	for key, at := range still {
		before[key] = h.trace(at)
	}
	cells := 0
	for _, a := range matrixActors() {
		h.by(a)
		m := &guestCells{house: h, guest: h.guest(h.by(a)), a: a}
		m.offers()
		for _, workflow := range words("claims-a loans") {
			m.starts(workflow)
			for _, kind := range matrixKinds {
				if workflow == "loans" && kind != "choice" {
					continue // one that is not covered is enough
				}
				q := asking{workflow: workflow, kind: kind, owner: "ann", roles: askedRoles("everybody")}
				m.decides(q, still[workflow+kind], func() place { return h.asks(workflow, kind+"_everybody") })
			}
			m.steers(asking{workflow: workflow, kind: "approval", owner: "ann", roles: askedRoles("everybody")},
				still[workflow+"choice"])
		}
		cells += m.cells
	}
	if cells < 2_500 {
		t.Errorf("only %d cells were tried", cells)
	}
	t.Logf("%d cells", cells)
	for key, at := range still {
		if after := h.trace(at); after != before[key] {
			t.Errorf("%s was %s and is %s", key, before[key], after)
		}
	}
}

// guestCells sends cells as one actor.
type guestCells struct {
	*house
	guest *guest
	a     actor
	cells int
}

func (m *guestCells) cell(want int, what, tool string, args map[string]any) answer {
	m.t.Helper()
	m.cells++
	got := m.guest.ask(tool, args)
	if got.status != want {
		m.t.Errorf("%s: %s %s gives %d, not %d: %.300s", m.a, tool, what, got.status, want, got.body)
	}
	return got
}

// offers compares the listed tools with what the roles could ever allow. Anyone may be asked by name, and
// only people decide.
func (m *guestCells) offers() {
	m.t.Helper()
	a, listed := m.a, m.guest.tools()
	for tool, want := range map[string]bool{
		"list_workflows": a.mayAnywhere("view"), "start_run": a.mayAnywhere("start"),
		"cancel_run": a.mayAnywhere("start") || a.mayAnywhere("command"),
		"get_run":    true, "list_approvals": true, "get_approval": true, "decide_approval": a.kind == "person",
		"comment_approval":  a.kind != "agent",
		"workflow_claims-a": a.start("claims-a") == 200, "workflow_loans": a.start("loans") == 200,
	} {
		m.cells++
		if slices.Contains(listed, tool) != want {
			m.t.Errorf("%s: %s is listed: %t", a, tool, !want)
		}
	}
	m.cell(a.read("view"), "", "list_workflows", nil)
}

func (m *guestCells) starts(workflow string) {
	m.t.Helper()
	want := m.a.start(workflow)
	for tool, args := range map[string]map[string]any{
		"start_run":            {"workflow": workflow, "input": map[string]any{"want": "approval_everybody", "n": 1}},
		"workflow_" + workflow: {"want": "approval_everybody", "n": 1},
	} {
		got := m.cell(want, workflow, tool, args)
		if want != 200 {
			continue
		}
		if got.text("status") != "needs_human" || got.count("approvals") != 1 {
			m.t.Errorf("%s: %s %s: %s", m.a, tool, workflow, got.body)
		}
		m.owns(workflow, place{got.text("run"), got.text("approvals.0.approval")})
	}
}

// owns does with one's own run what others may not.
func (m *guestCells) owns(workflow string, at place) {
	m.t.Helper()
	q := asking{workflow: workflow, kind: "approval", owner: m.a.key(), roles: askedRoles("everybody")}
	m.cell(200, "of their own", "get_run", map[string]any{"run": at.run})
	if want := m.a.decide("approve", q); want != 200 {
		m.cell(want, "of their own", "decide_approval", decided(at, "approve"))
	}
	if got := m.cell(m.a.steer("cancel", q), "of their own", "cancel_run",
		map[string]any{"run": at.run}); got.text("status") != "cancelled" {
		m.t.Errorf("%s: %s", m.a, got.body)
	}
}

func decided(at place, act string) map[string]any {
	body := actBody(act, "zoe", 1)
	body["approval"] = at.approval
	return body
}

func (m *guestCells) decides(q asking, still place, fresh func() place) {
	m.t.Helper()
	seen := 404
	if m.a.sees(q) {
		seen = 200
	}
	what := q.kind + " of " + q.workflow
	got := m.cell(seen, what, "get_approval", map[string]any{"approval": still.approval})
	if seen == 404 && !strings.Contains(got.text("detail"), still.approval) {
		m.t.Errorf("%s: %s", m.a, got.body)
	}
	listed := m.cell(200, what, "list_approvals", map[string]any{"run": still.run})
	if (listed.count("items") > 0) != m.a.sees(q) {
		m.t.Errorf("%s: %s lists %s", m.a, what, listed.body)
	}
	for _, act := range m.a.tries() {
		want, at := m.a.decide(act, q), still
		if want == 200 {
			at = fresh()
		}
		m.cell(want, act+" "+what, "decide_approval", decided(at, act))
	}
}

func (m *guestCells) steers(q asking, still place) {
	m.t.Helper()
	seen := 404
	if m.a.sees(q) {
		seen = 200
	}
	m.cell(seen, q.workflow, "get_run", map[string]any{"run": still.run})
	for tool, args := range map[string]map[string]any{"cancel_run": {"run": still.run},
		"comment_approval": {"approval": still.approval, "text": "hm"}} {
		want := m.a.steer("cancel", q)
		if tool == "comment_approval" {
			want = m.a.comment(q)
		}
		if want == 200 {
			at := m.asks(q.workflow, "approval_everybody")
			args = map[string]map[string]any{"cancel_run": {"run": at.run},
				"comment_approval": {"approval": at.approval, "text": "hm"}}[tool]
		}
		m.cell(want, q.workflow, tool, args)
	}
}
