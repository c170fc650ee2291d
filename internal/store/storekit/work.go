package storekit

import (
	"fmt"
	"math"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/port"
)

// workMax limits each number of one event, money excepted: an agent that reports more is mistaken, and totals must not
// overflow.
const workMax = 1_000_000_000_000

// agentsMax and workDaysMax limit the totals of one query.
const (
	agentsMax   = 1000
	workDaysMax = 20_000
)

// WorkRow is the work of an agent in one event, as stored.
type WorkRow struct {
	Run, Workflow, Agent                                               string
	Seq, At, Steps, Failed, Calls, TokensIn, TokensOut, Dollars, Nanos int64
}

// dollar is the unit of money in quantity.Money. Money is stored in whole dollars and a rest, so that sums fit.
const dollar = 1_000_000_000

// WorkRows are the rows of a write.
func WorkRows(w *port.Write) (rows []WorkRow) {
	some := func(n int64) int64 { return min(max(n, 0), workMax) }
	for i := range w.Worked {
		k := &w.Worked[i]
		cost := int64(max(k.Usage.CostUSD, 0))
		rows = append(rows, WorkRow{Run: w.Run, Workflow: w.Row.Workflow, Agent: k.Agent, Seq: k.Seq, At: Nanos(k.At),
			Steps: some(int64(k.Steps)), Failed: some(int64(k.Failed)), Calls: some(k.Usage.LLMCalls),
			TokensIn: some(k.Usage.TokensIn), TokensOut: some(k.Usage.TokensOut), Dollars: cost / dollar,
			Nanos: cost % dollar})
	}
	return rows
}

// checkWork checks that work belongs to the events of a write, each event having at most one.
func checkWork(c *checker, w *port.Write, last int64) {
	before := w.After
	for i := range w.Worked {
		k := &w.Worked[i]
		c.in("worked", i)
		if k.Seq <= before || k.Seq > last {
			c.add("seq", "must be that of an event of this write, in order")
		}
		before = k.Seq
		c.id("agent", k.Agent)
		c.time("at", k.At)
		if k.At.IsZero() {
			c.add("at", "is missing")
		}
	}
	c.out()
}

// AgentWork queries the totals of agents' work.
func AgentWork(ask Asker, q port.WorkQuery) (out port.AgentWork, err error) {
	f := figures{ask: ask, q: port.FigureQuery{Since: q.Since, Until: q.Until, Workflow: q.Workflow}}
	if f.sight, f.err = See(q.Scope); f.err == nil {
		f.sight = f.sight.Within(q.Workflow)
		f.measure()
	}
	if f.err != nil {
		return out, f.err
	}
	cond, args := f.where("agent_work", "at")
	if q.Agent != "" {
		cond, args = cond+" AND agent = ?", append(args, Text(q.Agent))
	}
	const costliest = "sum(cost_usd) + sum(cost_nanos) / 1e9 DESC, 4 DESC, 1"
	if out.Agents, err = workTotals(ask, "0", cond, costliest, agentsMax, args); err != nil {
		return out, err
	}
	if q.ByDay {
		days := fmt.Sprintf("at / %d", day)
		if out.Days, err = workTotals(ask, days, cond, "2, 1", workDaysMax, args); err != nil {
			return out, err
		}
	}
	err = ask(`SELECT COALESCE(MAX(at), 0) FROM agent_work_from`, nil, func(r Row) error {
		var at int64
		err := r.Scan(&at)
		out.From = Time(at)
		return err
	})
	return out, err
}

func workTotals(ask Asker, dayOf, cond, order string, limit int, args []any) (out []port.WorkTotal, err error) {
	sum := func(column string) string { return "CAST(sum(" + column + ") AS BIGINT)" }
	sql := fmt.Sprintf(`SELECT agent, %s AS d, count(DISTINCT run), %s, %s, %s, %s, %s, %s, %s, max(at)
		FROM agent_work WHERE %s GROUP BY 1, 2 ORDER BY %s LIMIT %d`, dayOf, sum("steps"), sum("failed"), sum("llm_calls"),
		sum("tokens_in"), sum("tokens_out"), sum("cost_usd"), sum("cost_nanos"), cond, order, limit)
	err = ask(sql, args, func(r Row) error {
		var t port.WorkTotal
		var days, dollars, nanos, last int64
		u := &t.Usage
		if err := r.Scan(&t.Agent, &days, &t.Runs, &t.Steps, &t.Failed, &u.LLMCalls, &u.TokensIn, &u.TokensOut, &dollars,
			&nanos, &last); err != nil {
			return err
		}
		if days > 0 {
			t.Day = Time(days * day).UTC()
		}
		u.CostUSD, t.Last = moneyOf(dollars, nanos), Time(last)
		out = append(out, t)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("add up the work of agents: %w", err)
	}
	return out, nil
}

// moneyOf is the greatest amount there is if the sum is greater.
func moneyOf(dollars, nanos int64) quantity.Money {
	if dollars > math.MaxInt64/dollar {
		return math.MaxInt64
	}
	return quantity.Money(dollars * dollar).Add(quantity.Money(nanos))
}
