package list

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// world is a store with a little of everything, and its expected content.
type world struct {
	s            store.Store
	runs         []port.RunRow
	approvals    []port.ApprovalRow
	deliverables []port.DeliverableRow
	failures     []port.RunRow // the runs in which a step failed
}

// flows have names with characters that are special in patterns, LIKE and other languages.
var flows = []string{"refund", "refund_eu", "refundXeu", "refund%", "Refund", "a*b", "a*bc", "axb", "größe-ä",
	"größe-ö", "日本", "日本語", "'; --", "?"}

// scopes are readers with different scopes.
var scopes = []*port.Scope{
	nil,
	{All: true},
	{},
	{Workflows: []string{"*"}},
	{Workflows: []string{"refund"}},
	{Workflows: []string{"refund_eu"}},
	{Workflows: []string{"refund_*"}},
	{Workflows: []string{"refund%*"}},
	{Workflows: []string{"refund*", "refund_eu", "refund"}},
	{Workflows: []string{"re*", "refund*"}},
	{Workflows: []string{"a*b"}},
	{Workflows: []string{"a*b*"}},
	{Workflows: []string{"größe-*", "日本*"}},
	{Workflows: []string{"日本"}},
	{Workflows: []string{"'; --", "?", "none", "", "no such*", "bad\x00*", "\xff*", "\xff"}},
	{Name: "ann"},
	{Name: "nobody"},
	{Name: "100%"},
	{Roles: []string{"finance"}},
	{Roles: []string{"fin_nce", "%"}},
	{Name: "bob", Roles: []string{"finance", "legal"}},
	{Name: "*", Roles: []string{"*", "**"}},
	{Name: "cid", For: []string{"ann"}},
	{Workflows: []string{"refund*"}, Name: "ann", Roles: []string{"legal"}},
	{Workflows: []string{"Refund", "axb", "größe-ä"}, Name: "bob", For: []string{"cid"}, Roles: []string{"finance"}},
	{Workflows: []string{"r*", "R*", "a*", "g*", "日*"}, Name: "ann"},
}

// covers implements port.Scope's documentation, independently of the stores.
func covers(s *port.Scope, workflow string) bool {
	if s == nil || s.All {
		return true
	}
	return slices.ContainsFunc(s.Workflows, func(p string) bool {
		if strings.HasSuffix(p, "*") {
			return strings.HasPrefix(workflow, p[:len(p)-1])
		}
		return workflow == p
	})
}

func asks(s *port.Scope, a *port.ApprovalRow) bool {
	return slices.ContainsFunc(a.Asked, func(who string) bool {
		role, isRole := strings.CutPrefix(who, "role:")
		return who != port.Anyone && (isRole && slices.Contains(s.Roles, role) ||
			!isRole && (s.Name == who || slices.Contains(s.For, who)))
	})
}

func (w *world) seesApproval(s *port.Scope, a *port.ApprovalRow) bool {
	return covers(s, a.Workflow) || s.Name != "" && w.owner(a.Run) == s.Name || asks(s, a)
}

func (w *world) seesRun(s *port.Scope, id, workflow string) bool {
	return covers(s, workflow) || s.Name != "" && w.owner(id) == s.Name ||
		slices.ContainsFunc(w.approvals, func(a port.ApprovalRow) bool { return a.Run == id && asks(s, &a) })
}

func (w *world) owner(run string) string {
	i := slices.IndexFunc(w.runs, func(r port.RunRow) bool { return r.ID == run })
	return w.runs[i].Owner
}

func newWorld(t *testing.T, s store.Store, runs int) *world {
	t.Helper()
	w := &world{s: s}
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	for r := range runs {
		a := fixture.New(fixture.RunID(r))
		a.Row.Workflow, a.Row.Owner = flows[r%len(flows)], pick("ann", "bob", "cid", "100%", "")
		a.Row.Status = run.Status(pick("running", "waiting", "failed"))
		a.Row.StartedAt = fixture.Began.Add(time.Duration(rng.IntN(40)) * time.Minute)
		write := a.Write(fixture.Started(`{}`))
		for i := range rng.IntN(4) {
			row := Approval(fmt.Sprintf("apr_%03d_%d", rng.IntN(1000), r*4+i), a.ID)
			row.Workflow, row.Agent, row.Risk = a.Row.Workflow, pick("mailer", "payer"), pick("low", "high")
			row.Status, row.Priority = pick("pending", "pending", "approved", "rejected"), rng.Int64N(3)
			row.RequestedAt, row.Asked = fixture.Began.Add(time.Duration(rng.IntN(30))*time.Second), nil
			if row.Status != "pending" {
				row.SettledAt = row.RequestedAt.Add(time.Duration(1+rng.IntN(9000)) * time.Second)
			}
			for _, who := range []string{port.Anyone, "ann", "bob", "role:finance", "role:legal", "role:fin%", "role:%"} {
				if rng.IntN(7) == 0 {
					row.Asked = append(row.Asked, who)
				}
			}
			write.Approvals, w.approvals = append(write.Approvals, row), append(w.approvals, row)
		}
		d := fixture.Deliverable(fmt.Sprintf("dlv_%d", r), a.ID, r)
		d.Workflow, d.Newest = a.Row.Workflow, true
		write.Deliverables, w.deliverables = append(write.Deliverables, d), append(w.deliverables, d)
		a.Store(t, s, write)
		w.runs = append(w.runs, write.Row)
		if a.Row.Status == run.Failed {
			failed := a.Write(&run.StepFailed{Step: "send",
				Error: run.Failure{Code: "timeout", Message: "too slow", Agent: "mailer"}})
			failed.Worked = []port.Worked{{Seq: a.Seq + 1, Agent: "mailer", At: fixture.Began, Steps: 1, Failed: 1}}
			a.Store(t, s, failed)
			w.failures = append(w.failures, a.Row)
		}
	}
	return w
}

// ScopeRuns: runs outside of a scope are neither listed nor counted.
func ScopeRuns(t *testing.T, s store.Store) {
	w := newWorld(t, s, 70)
	all := slices.Clone(w.runs)
	slices.SortFunc(all, func(a, b port.RunRow) int {
		if c := b.StartedAt.Compare(a.StartedAt); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	for _, scope := range scopes {
		for _, q := range []port.RunQuery{
			{},
			{Status: []run.Status{"waiting"}},
			{Status: []run.Status{"waiting", "failed", "no such", "waiting"}},
			{Workflow: "refund%"},
			{Workflow: "日本語", Owner: "ann"},
			{Owner: "bob"},
		} {
			var want []string
			for _, r := range all {
				if (len(q.Status) == 0 || slices.Contains(q.Status, r.Status)) && (q.Workflow == "" || q.Workflow == r.Workflow) &&
					(q.Owner == "" || q.Owner == r.Owner) && w.seesRun(scope, r.ID, r.Workflow) {
					want = append(want, r.ID)
				}
			}
			for _, limit := range []int{4, 1000} {
				got, total := Pages(t, func(cursor string) (port.Page[port.RunRow], error) {
					q.Scope, q.Cursor, q.Limit = scope, cursor, limit
					return s.Runs(t.Context(), q)
				})
				var ids []string
				for _, r := range got {
					ids = append(ids, r.ID)
				}
				fixture.WantEqual(t, fmt.Sprintf("%+v of %+v", scope, q), ids, want)
				fixture.WantEqual(t, fmt.Sprintf("how many of %+v of %+v", scope, q), total, int64(len(want)))
			}
		}
	}
}

// ScopeApprovals is ScopeRuns for approvals.
func ScopeApprovals(t *testing.T, s store.Store) {
	w := newWorld(t, s, 70)
	for _, scope := range scopes {
		var seen []port.ApprovalRow
		for _, a := range w.approvals {
			if w.seesApproval(scope, &a) {
				seen = append(seen, a)
			}
		}
		for _, q := range []port.ApprovalQuery{
			{},
			{Status: []string{"pending"}},
			{Status: []string{"pending"}, Sort: port.ByNewest},
			{Sort: port.ByDeadline, Agent: "payer"},
			{Status: []string{"approved", "pending"}, Sort: port.ByAge, Risk: "high"},
			{Asked: []string{"ann"}, Status: []string{"pending"}},
			{Asked: []string{"bob", "role:finance", "role:legal"}},
			{Asked: []string{"role:legal"}, Agent: "mailer", Sort: port.ByNewest},
			{Workflow: "refund"},
			{Workflow: "axb", Asked: []string{"ann", "role:finance"}},
			{Run: fixture.RunID(8)},
			{Run: fixture.RunID(11), Asked: []string{"bob"}},
		} {
			q.Scope = scope
			checkInbox(t, s, seen, q, 11, 1000)
		}
	}
}

// ScopeDeliverables is ScopeRuns for deliverables.
func ScopeDeliverables(t *testing.T, s store.Store) {
	w := newWorld(t, s, 60)
	all := slices.Clone(w.deliverables)
	slices.SortFunc(all, func(a, b port.DeliverableRow) int {
		if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	for _, scope := range scopes {
		for _, q := range []port.DeliverableQuery{{}, {Type: "image"}, {Run: fixture.RunID(5)}} {
			var want []port.DeliverableRow
			for _, d := range all {
				if (q.Type == "" || q.Type == d.Type) && (q.Run == "" || q.Run == d.Run) && w.seesRun(scope, d.Run, d.Workflow) {
					want = append(want, d)
				}
			}
			got, total := Pages(t, func(cursor string) (port.Page[port.DeliverableRow], error) {
				q.Scope, q.Cursor, q.Limit = scope, cursor, 4
				return s.Deliverables(t.Context(), q)
			})
			fixture.WantEqual(t, fmt.Sprintf("%+v of %+v", scope, q), got, want)
			fixture.WantEqual(t, fmt.Sprintf("how many of %+v of %+v", scope, q), total, int64(len(want)))
		}
	}
}

// ScopeFigures is ScopeRuns for figures.
func ScopeFigures(t *testing.T, s store.Store) {
	w := newWorld(t, s, 60)
	sum := func(list []port.Tally) (n int64) {
		for _, x := range list {
			n += x.Count
		}
		return n
	}
	for _, scope := range scopes {
		for _, workflow := range []string{"", "refund", "日本"} {
			var runs, settled, failed int64
			var took []time.Duration
			for _, r := range w.runs {
				if (workflow == "" || r.Workflow == workflow) && w.seesRun(scope, r.ID, r.Workflow) {
					runs++
				}
			}
			for _, r := range w.failures {
				if (workflow == "" || r.Workflow == workflow) && w.seesRun(scope, r.ID, r.Workflow) {
					failed++
				}
			}
			for _, a := range w.approvals {
				if !a.SettledAt.IsZero() && (workflow == "" || a.Workflow == workflow) && w.seesApproval(scope, &a) {
					settled, took = settled+1, append(took, a.SettledAt.Sub(a.RequestedAt))
				}
			}
			got, err := s.Figures(t.Context(), port.FigureQuery{
				Since: fixture.Began.Add(-time.Hour), Until: fixture.Began.Add(1000 * time.Hour), Workflow: workflow,
				People: []string{"approved", "rejected"}, Scope: scope,
			})
			fixture.Must(t, err)
			what := fmt.Sprintf("%+v in %q: ", scope, workflow)
			fixture.WantEqual(t, what+"runs", []int64{sum(got.Runs), sum(got.ByFlow)}, []int64{runs, runs})
			fixture.WantEqual(t, what+"approvals", []int64{sum(got.Settled), sum(got.ByAgent)}, []int64{settled, settled})
			fixture.WantEqual(t, what+"failures", []int64{sum(got.Failures), sum(got.FailKinds)}, []int64{failed, failed})
			sameWaits(t, got, took)
		}
	}
}

// scopeMany: the other query plans, for readers with many approvals, many runs of their own, or very many
// visible workflows.
func ScopeMany(t *testing.T, s store.Store) {
	const runs, each = 300, 8 // more approvals than are checked one by one
	w := &world{s: s}
	for r := range runs {
		a := fixture.New(fixture.RunID(r))
		a.Row.Workflow, a.Row.Owner = fmt.Sprintf("flow-%03d", r), []string{"ann", "bob"}[r%2]
		a.Row.StartedAt = fixture.Began.Add(time.Duration(r) * time.Second)
		write := a.Write(fixture.Started(`{}`))
		for i := range each {
			row := Approval(fmt.Sprintf("apr_%d_%d", r, i), a.ID)
			row.Workflow, row.Priority, row.Asked = a.Row.Workflow, int64(i%3), []string{"role:often"}
			switch (r*each + i) % 50 {
			case 7:
				row.Asked = []string{"role:rare"}
			case 8:
				row.Asked = []string{"role:rare", "role:often"}
			}
			write.Approvals, w.approvals = append(write.Approvals, row), append(w.approvals, row)
		}
		a.Store(t, s, write)
		w.runs = append(w.runs, write.Row)
	}
	for _, scope := range []*port.Scope{
		{Roles: []string{"often"}},
		{Roles: []string{"rare"}},
		{Name: "ann", Roles: []string{"often", "rare"}},
		{Workflows: []string{"flow-*"}},
		{Workflows: []string{"flow-1*", "flow-29*"}, Name: "bob", Roles: []string{"rare"}},
		{Workflows: []string{"flow-0*", "flow-1*", "flow-20*", "flow-21*"}, Roles: []string{"rare"}},
		{Workflows: []string{"flow-29*"}, Name: "ann"},
	} {
		var seen []port.ApprovalRow
		for _, a := range w.approvals {
			if w.seesApproval(scope, &a) {
				seen = append(seen, a)
			}
		}
		for _, asked := range [][]string{nil, {"role:rare"}, {"role:often"}} {
			q := port.ApprovalQuery{Status: []string{"pending"}, Asked: asked, Scope: scope, Limit: 1000, NoTotal: true}
			got, _ := Pages(t, func(cursor string) (port.Page[port.ApprovalRow], error) {
				q.Cursor = cursor
				return s.Approvals(t.Context(), q)
			})
			fixture.WantEqual(t, fmt.Sprintf("%+v, asked %v", scope, asked), ids(got), ids(expected(seen, q)))
		}
		var want int
		for _, r := range w.runs {
			if w.seesRun(scope, r.ID, r.Workflow) {
				want++
			}
		}
		got, total := Pages(t, func(cursor string) (port.Page[port.RunRow], error) {
			return s.Runs(t.Context(), port.RunQuery{Scope: scope, Cursor: cursor, Limit: 70})
		})
		fixture.WantEqual(t, fmt.Sprintf("runs of %+v", scope), []int{len(got), int(total)}, []int{want, want})
	}
}

func ids(list []port.ApprovalRow) (out []string) {
	for _, a := range list {
		out = append(out, a.ID)
	}
	return out
}

// ScopeLimits: a scope that names too much is rejected.
func ScopeLimits(t *testing.T, s store.Store) {
	for _, scope := range []*port.Scope{{Workflows: make([]string, 1001)}, {Roles: make([]string, 300)}} {
		_, err := s.Runs(t.Context(), port.RunQuery{Scope: scope})
		fixture.WantCode(t, err, fault.Invalid)
		_, err = s.Approvals(t.Context(), port.ApprovalQuery{Scope: scope})
		fixture.WantCode(t, err, fault.Invalid)
		_, err = s.Deliverables(t.Context(), port.DeliverableQuery{Scope: scope})
		fixture.WantCode(t, err, fault.Invalid)
		_, err = s.Figures(t.Context(), port.FigureQuery{Scope: scope})
		fixture.WantCode(t, err, fault.Invalid)
	}
}
