package list

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// Figures compares the store's sums with those of a loop over the same rows.
func Figures(t *testing.T, s store.Store) {
	empty, err := s.Figures(t.Context(), port.FigureQuery{Since: fixture.Began, Until: fixture.Began.Add(time.Hour),
		People: []string{"approved"}})
	fixture.Must(t, err)
	if empty.Median != 0 || len(empty.Settled)+len(empty.Runs)+len(empty.Failures) != 0 {
		t.Errorf("an empty store has figures: %+v", empty)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	var runs []port.RunRow
	var approvals []port.ApprovalRow
	type failed struct {
		agent, workflow string
		at              time.Time
	}
	var failures []failed
	rehearsed := map[string]int64{} // pending approvals of test runs, by workflow
	for r := range 40 {
		a := fixture.New(fixture.RunID(r))
		a.Row.Workflow, a.Row.Status = pick("refund", "claims"), run.Status(pick("completed", "failed", "waiting"))
		a.Row.StartedAt = fixture.Began.Add(time.Duration(rng.IntN(120)) * time.Hour)
		a.Row.TestMode = rng.IntN(4) == 0
		a.Row.CostUSD = pick("0", "0.1", "1.000000001", "12.5")
		w := a.Write(fixture.Started(`{}`))
		for i := range rng.IntN(5) {
			row := Approval(fmt.Sprintf("apr_%d_%d", r, i), a.ID)
			row.Workflow, row.Agent, row.Status = a.Row.Workflow, pick("mailer", "payer", ""),
				pick("pending", "approved", "rejected", "auto_approved", "timed_out")
			row.RequestedAt = a.Row.StartedAt
			if row.Status != "pending" {
				row.SettledAt = row.RequestedAt.Add(time.Duration(rng.IntN(100_000)) * time.Second)
			}
			w.Approvals = append(w.Approvals, row)
		}
		a.Store(t, s, w)
		if a.Row.TestMode {
			for _, row := range w.Approvals {
				if row.Status == "pending" {
					rehearsed[row.Workflow]++
				}
			}
		} else {
			approvals, runs = append(approvals, w.Approvals...), append(runs, a.Row)
		}
		if a.Row.Status == run.Failed {
			agent := pick("mailer", "payer")
			a.Did(t, s, &run.StepFailed{Step: "send", Error: run.Failure{Code: "timeout", Message: "too slow", Agent: agent}})
			if !a.Row.TestMode {
				failures = append(failures, failed{agent, a.Row.Workflow, fixture.Began.Add(time.Millisecond)})
			}
		}
	}
	for _, q := range []port.FigureQuery{
		{Since: fixture.Began.Add(-time.Hour), Until: fixture.Began.Add(1000 * time.Hour)},
		{Since: fixture.Began.Add(30 * time.Hour), Until: fixture.Began.Add(80 * time.Hour)},
		{Since: fixture.Began.Add(-time.Hour), Until: fixture.Began.Add(1000 * time.Hour), Workflow: "claims"},
		{Since: fixture.Began.Add(-time.Hour), Until: fixture.Began.Add(1000 * time.Hour), Workflow: "none"},
	} {
		q.People = []string{"approved", "rejected"}
		got, err := s.Figures(t.Context(), q)
		fixture.Must(t, err)
		in := func(at time.Time, workflow string) bool {
			return !at.IsZero() && !at.Before(q.Since) && at.Before(q.Until) && (q.Workflow == "" || q.Workflow == workflow)
		}
		settled, byAgent, started, byFlow, failing := map[string]port.Tally{}, map[string]port.Tally{},
			map[string]port.Tally{}, map[string]port.Tally{}, map[string]port.Tally{}
		add := func(m map[string]port.Tally, day time.Time, key, status string, waited time.Duration, cost quantity.Money) {
			name := fmt.Sprint(day, key, status)
			v := m[name]
			m[name] = port.Tally{Day: day, Key: key, Status: status, Count: v.Count + 1, Seconds: v.Seconds + waited.Seconds(),
				CostUSD: v.CostUSD.Add(cost)}
		}
		var took []time.Duration
		for _, row := range approvals {
			if !in(row.SettledAt, row.Workflow) {
				continue
			}
			waited := row.SettledAt.Sub(row.RequestedAt)
			add(settled, row.SettledAt.Truncate(24*time.Hour), "", row.Status, waited, 0)
			add(byAgent, time.Time{}, row.Agent, row.Status, waited, 0)
			if slices.Contains(q.People, row.Status) {
				took = append(took, waited)
			}
		}
		for _, row := range runs {
			if in(row.StartedAt, row.Workflow) {
				cost, err := quantity.ParseMoney(row.CostUSD)
				fixture.Must(t, err)
				add(started, row.StartedAt.Truncate(24*time.Hour), "", string(row.Status), 0, cost)
				add(byFlow, time.Time{}, row.Workflow, string(row.Status), 0, cost)
			}
		}
		for _, f := range failures {
			if in(f.at, f.workflow) {
				add(failing, time.Time{}, f.agent, "", 0, 0)
			}
		}
		sameTallies(t, "settled", got.Settled, settled)
		sameTallies(t, "by agent", got.ByAgent, byAgent)
		sameTallies(t, "runs", got.Runs, started)
		sameTallies(t, "by workflow", got.ByFlow, byFlow)
		sameTallies(t, "failures", got.Failures, failing)
		sameWaits(t, got, took)
		waiting := rehearsed[q.Workflow]
		if q.Workflow == "" {
			for _, n := range rehearsed {
				waiting += n
			}
		}
		for _, tally := range got.Rehearsed {
			waiting -= tally.Count
		}
		if waiting != 0 {
			t.Errorf("%s: %d approvals of test runs are not told, or told twice", q.Workflow, waiting)
		}
	}
}

func sameTallies(t *testing.T, what string, got []port.Tally, want map[string]port.Tally) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d groups, want %d", what, len(got), len(want))
	}
	for _, g := range got {
		w := want[fmt.Sprint(g.Day, g.Key, g.Status)]
		if w.Count != g.Count || w.CostUSD != g.CostUSD || g.Seconds-w.Seconds > 0.001 || w.Seconds-g.Seconds > 0.001 {
			t.Errorf("%s: %+v, want %+v", what, g, w)
		}
	}
}

func sameWaits(t *testing.T, got port.Figures, took []time.Duration) {
	t.Helper()
	slices.Sort(took)
	if n := len(took); n > 0 {
		fixture.WantEqual(t, "median", got.Median, took[(n*50+99)/100-1])
		fixture.WantEqual(t, "nine tenths", got.Slow, took[(n*90+99)/100-1])
	}
	counted := int64(0)
	last := time.Duration(0)
	for _, w := range got.Waits {
		n := int64(0)
		for _, d := range took {
			if d >= last && (w.Under == 0 || d < w.Under) {
				n++
			}
		}
		fixture.WantEqual(t, fmt.Sprint("waited under ", w.Under), w.Count, n)
		counted, last = counted+w.Count, w.Under
	}
	fixture.WantEqual(t, "all waits", counted, int64(len(took)))
}
