package list

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// done is work in a run.
type done struct {
	port.Worked
	run, workflow string
}

// total adds up work as a store should.
func total(all []done, agent string, day time.Time, in func(done) bool) (t port.WorkTotal) {
	runs := map[string]bool{}
	t.Agent, t.Day = agent, day
	for _, w := range all {
		if w.Agent != agent || !in(w) || !day.IsZero() && !w.At.Truncate(24*time.Hour).Equal(day) {
			continue
		}
		runs[w.run] = true
		t.Runs, t.Steps, t.Failed = int64(len(runs)), t.Steps+int64(w.Steps), t.Failed+int64(w.Failed)
		if t.Usage = t.Usage.Add(w.Usage); w.At.After(t.Last) {
			t.Last = w.At
		}
	}
	return t
}

// totals are those of all agents, by day if wanted, in the order of a store.
func totals(all []done, byDay bool, in func(done) bool) []port.WorkTotal {
	out := []port.WorkTotal{}
	for _, w := range all {
		day := time.Time{}
		if byDay {
			day = w.At.Truncate(24 * time.Hour)
		}
		known := slices.ContainsFunc(out, func(t port.WorkTotal) bool { return t.Agent == w.Agent && t.Day.Equal(day) })
		if in(w) && !known {
			out = append(out, total(all, w.Agent, day, in))
		}
	}
	slices.SortFunc(out, func(a, b port.WorkTotal) int {
		if byDay {
			return cmp.Or(a.Day.Compare(b.Day), strings.Compare(a.Agent, b.Agent))
		}
		return cmp.Or(cmp.Compare(b.Usage.CostUSD, a.Usage.CostUSD), cmp.Compare(b.Steps, a.Steps),
			strings.Compare(a.Agent, b.Agent))
	})
	return out
}

// AgentWork compares the store's totals with those of a loop over the same work.
func AgentWork(t *testing.T, s store.Store) {
	ctx := t.Context()
	long := port.WorkQuery{Since: fixture.Began.Add(-time.Hour), Until: fixture.Began.Add(1000 * time.Hour), ByDay: true}
	empty, err := s.AgentWork(ctx, long)
	fixture.Must(t, err)
	if len(empty.Agents)+len(empty.Days) != 0 || !empty.From.IsZero() {
		t.Errorf("an empty store has work: %+v", empty)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	var all []done
	for r := range 30 {
		a := fixture.New(fixture.RunID(r))
		a.Row.Workflow = pick("refund", "claims")
		a.Row.StartedAt = fixture.Began
		for range 1 + rng.IntN(3) {
			w := a.Write(fixture.Started(`{}`), fixture.Said("a"), fixture.Said("b"))
			for i := range 1 + rng.IntN(3) {
				one := port.Worked{Seq: a.Seq + int64(i) + 1, Agent: pick("mailer", "payer", "é"), Steps: rng.IntN(2),
					At: fixture.Began.Add(time.Duration(rng.IntN(200)) * time.Hour), Usage: run.Usage{
						LLMCalls: rng.Int64N(3), TokensIn: rng.Int64N(9000), TokensOut: rng.Int64N(900),
						CostUSD: quantity.Money(rng.Int64N(3_000_000_001))}}
				one.Failed = rng.IntN(one.Steps + 1)
				w.Worked = append(w.Worked, one)
				all = append(all, done{one, a.ID, a.Row.Workflow})
			}
			a.Store(t, s, w)
		}
	}
	for _, q := range []port.WorkQuery{
		long,
		{Since: long.Since, Until: long.Until},
		{Since: fixture.Began.Add(30 * time.Hour), Until: fixture.Began.Add(80 * time.Hour), ByDay: true},
		{Since: long.Since, Until: long.Until, Workflow: "claims", ByDay: true},
		{Since: long.Since, Until: long.Until, Workflow: "none", ByDay: true},
		{Since: long.Since, Until: long.Until, Agent: "é", ByDay: true},
		{Since: long.Since, Until: long.Until, Agent: "payer", Workflow: "refund", ByDay: true},
		{Since: long.Since, Until: long.Until, Agent: "pay\x00er", ByDay: true},
	} {
		in := func(w done) bool {
			return !w.At.Before(q.Since) && w.At.Before(q.Until) && (q.Workflow == "" || q.Workflow == w.workflow) &&
				(q.Agent == "" || q.Agent == w.Agent)
		}
		got, err := s.AgentWork(ctx, q)
		fixture.Must(t, err)
		fixture.WantEqual(t, fmt.Sprintf("agents of %+v", q), append([]port.WorkTotal{}, got.Agents...),
			totals(all, false, in))
		days := []port.WorkTotal{}
		if q.ByDay {
			days = totals(all, true, in)
		}
		fixture.WantEqual(t, fmt.Sprintf("days of %+v", q), append([]port.WorkTotal{}, got.Days...), days)
		if !got.From.IsZero() {
			t.Errorf("all work was counted, not only since %s", got.From)
		}
	}
}

// WorkGuards: work belongs to the events of its write, counts once, and no agent's report breaks the totals.
func WorkGuards(t *testing.T, s store.Store) {
	ctx, a := t.Context(), fixture.New("run_1")
	a.Did(t, s, fixture.Started(`{}`))
	work := func(seq int64, agent string) port.Worked {
		return port.Worked{Seq: seq, Agent: agent, At: fixture.Began, Steps: 1}
	}
	for what, wrong := range map[string][]port.Worked{
		"an older event": {work(1, "a")}, "a later event": {work(4, "a")}, "twice": {work(2, "a"), work(2, "b")},
		"backwards": {work(3, "a"), work(2, "a")}, "no agent": {work(2, "")}, "NUL": {work(2, "a\x00")},
		"no time": {{Seq: 2, Agent: "a"}}, "a long name": {work(2, strings.Repeat("a", 5000))},
	} {
		w := a.Write(fixture.Said("a"), fixture.Said("b"))
		w.Worked = wrong
		if _, err := s.Append(ctx, w); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	huge, negative := work(2, "a"), work(3, "a")
	huge.Usage = run.Usage{LLMCalls: 1 << 62, TokensIn: 1 << 62, TokensOut: 1 << 62, CostUSD: 1<<63 - 1}
	negative.Usage = run.Usage{LLMCalls: -1, TokensIn: -1, TokensOut: -1, CostUSD: -1}
	w := a.Write(fixture.Said("a"), fixture.Said("b"))
	w.Worked = []port.Worked{huge, negative}
	a.Store(t, s, w)
	if _, err := s.Append(ctx, w); !fault.Is(err, fault.Conflict) {
		t.Errorf("the same write again: %v", err)
	}
	w = a.Write(fixture.Said("c"))
	huge.Seq = 4
	w.Worked = []port.Worked{huge}
	a.Store(t, s, w)
	got, err := s.AgentWork(ctx, port.WorkQuery{Since: fixture.Began, Until: fixture.Began.Add(time.Hour)})
	fixture.Must(t, err)
	const most = 2_000_000_000_000
	fixture.WantEqual(t, "work", got.Agents, []port.WorkTotal{{Agent: "a", Runs: 1, Steps: 3, Last: fixture.Began,
		Usage: run.Usage{LLMCalls: most, TokensIn: most, TokensOut: most, CostUSD: 1<<63 - 1}}})
}

// ScopeAgentWork is ScopeRuns for the work of agents.
func ScopeAgentWork(t *testing.T, s store.Store) {
	w := newWorld(t, s, 60)
	for _, scope := range scopes {
		for _, workflow := range []string{"", "refund", "日本"} {
			var runs int64
			for _, r := range w.failures {
				if (workflow == "" || r.Workflow == workflow) && w.seesRun(scope, r.ID, r.Workflow) {
					runs++
				}
			}
			got, err := s.AgentWork(t.Context(), port.WorkQuery{Since: fixture.Began.Add(-time.Hour),
				Until: fixture.Began.Add(1000 * time.Hour), Workflow: workflow, Scope: scope})
			fixture.Must(t, err)
			var sum port.WorkTotal
			for _, one := range got.Agents {
				sum.Runs, sum.Failed = sum.Runs+one.Runs, sum.Failed+one.Failed
			}
			fixture.WantEqual(t, fmt.Sprintf("%+v in %q", scope, workflow), []int64{sum.Runs, sum.Failed}, []int64{runs, runs})
		}
	}
}

// WorkIsCountedFromNow checks a store with runs from before work was counted.
func WorkIsCountedFromNow(t *testing.T, s store.Store) {
	got, err := s.AgentWork(t.Context(), port.WorkQuery{Since: fixture.Began, Until: fixture.Began.Add(time.Hour)})
	fixture.Must(t, err)
	if off := time.Since(got.From).Abs(); off > time.Hour {
		t.Errorf("counting began at %s", got.From)
	}
}

// OldAgentWork fills a store at the migrations before work was in one tree.
const OldAgentWork = `INSERT INTO agent_work (run, seq, workflow, agent, at, steps, failed, llm_calls, tokens_in,
	tokens_out, cost_usd, cost_nanos) VALUES ('run_b', 4, 'w', 'ann', 1767225600000000000, 1, 0, 2, 10, 20, 1, 500000000),
	('run_a', 7, 'w', 'ann', 1767225600000000000, 1, 1, 0, 0, 0, 0, 500000000),
	('run_a', 5, 'v', 'bob', 1767225601000000000, 1, 0, 0, 1, 0, 0, 0)`

// AgentWorkIsKept checks a store that was filled with OldAgentWork.
func AgentWorkIsKept(t *testing.T, s store.Store) {
	at := time.Unix(1767225600, 0).UTC()
	got, err := s.AgentWork(t.Context(), port.WorkQuery{Since: at, Until: at.Add(time.Hour)})
	fixture.Must(t, err)
	want := "[{ann 2 2 1 2 10 20 2 2026-01-01T00:00:00Z} {bob 1 1 0 0 1 0 0 2026-01-01T00:00:01Z}]"
	type row struct {
		Agent                               string
		Runs, Steps, Failed, Calls, In, Out int64
		Cost, Last                          string
	}
	var rows []row
	for _, w := range got.Agents {
		u := w.Usage
		rows = append(rows, row{w.Agent, w.Runs, w.Steps, w.Failed, u.LLMCalls, u.TokensIn, u.TokensOut,
			u.CostUSD.String(), w.Last.UTC().Format(time.RFC3339)})
	}
	if text := fmt.Sprint(rows); text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
}
