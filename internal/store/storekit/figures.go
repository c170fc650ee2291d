package storekit

import (
	"fmt"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// Failure is a failed step as stored in the table of failures.
type Failure struct {
	Run, Step, Agent, Code string
	Seq, At                int64
}

// Failures lists the steps that failed in a write.
func Failures(events []run.Event) (out []Failure) {
	for _, e := range events {
		if f, ok := e.Fact.(*run.StepFailed); ok {
			out = append(out, Failure{e.Run, Text(f.Step), Text(f.Error.Agent), Text(f.Error.Code), e.Seq, Nanos(e.At)})
		}
	}
	return out
}

// day is a day in the stores' unit of time.
const day = int64(24 * time.Hour)

// waits are the bounds of the waiting-time histogram.
var waits = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour, 24 * time.Hour,
	72 * time.Hour}

// groupsMax limits agents and workflows in figures to those with the most.
const groupsMax = 200

// Row is what both drivers scan from.
type Row interface{ Scan(...any) error }

// Asker runs a query, whose placeholders are question marks, and reads its rows.
type Asker func(sql string, args []any, each func(Row) error) error

// Figures queries all figures. Cost is the dialect's expression for a run's cost in billionths of a dollar.
func Figures(ask Asker, q port.FigureQuery, cost string) (port.Figures, error) {
	f := figures{ask: ask, q: q}
	if f.sight, f.err = See(q.Scope); f.err == nil {
		f.sight = f.sight.Within(q.Workflow)
		f.measure()
	}
	f.findTests()
	f.out.Settled = f.tallies("approvals by day", `settled_at / %[1]d`, `''`, `status`, `approvals`, `settled_at`,
		`CAST(sum(settled_at - requested_at) AS BIGINT)`, `0`)
	f.out.ByAgent = f.tallies("approvals by agent", `0`, `agent`, `status`, `approvals`, `settled_at`,
		`CAST(sum(settled_at - requested_at) AS BIGINT)`, `0`)
	f.out.Runs = f.tallies("runs by day", `started_at / %[1]d`, `''`, `status`, `runs`, `started_at`, `0`, cost)
	f.out.ByFlow = f.tallies("runs by workflow", `0`, `workflow`, `status`, `runs`, `started_at`, `0`, cost)
	f.out.Failures = f.tallies("failures by agent", `0`, `agent`, `''`, `failures`, `at`, `0`, `0`)
	f.out.FailKinds = f.tallies("failures by code", `0`, `code`, `''`, `failures`, `at`, `0`, `0`)
	f.decided()
	f.rehearsed()
	return f.out, f.err
}

type figures struct {
	ask Asker
	q   port.FigureQuery
	out port.Figures
	err error

	sight *Sight // nil: everything
	tests bool   // there are test runs
}

// ofTests are the test runs.
const ofTests = `(SELECT id FROM runs WHERE test_mode = 1)`

// findTests checks whether there are test runs: without any, excluding them from every query would be a waste
// of time.
func (f *figures) findTests() {
	if f.err != nil {
		return
	}
	f.err = f.ask(`SELECT count(*) FROM (SELECT 1 FROM runs WHERE test_mode = 1 LIMIT 1) t`, nil, func(r Row) error {
		var n int
		err := r.Scan(&n)
		f.tests = n > 0
		return err
	})
}

// rehearsed counts the pending approvals of test runs.
func (f *figures) rehearsed() {
	if f.err != nil || !f.tests {
		return
	}
	cond, args := `status = ? AND run IN `+ofTests, []any{string(gate.Pending)}
	if f.q.Workflow != "" {
		cond, args = cond+" AND workflow = ?", append(args, Text(f.q.Workflow))
	}
	if f.sight != nil {
		seen := f.seen("approvals")
		cond, args = cond+" AND "+seen.SQL, append(args, seen.Args...)
	}
	f.err = f.ask(`SELECT risk, count(*) FROM approvals WHERE `+cond+` GROUP BY risk`, args, func(r Row) error {
		var t port.Tally
		err := r.Scan(&t.Key, &t.Count)
		f.out.Rehearsed = append(f.out.Rehearsed, t)
		return err
	})
	if f.err != nil {
		f.err = fmt.Errorf("count approvals of test runs: %w", f.err)
	}
}

// measure determines how often the sight's reader is asked.
func (f *figures) measure() {
	if size, ask := f.sight.Size(); ask {
		f.err = f.ask(size.SQL, size.Args, func(r Row) error {
			var n int
			err := r.Scan(&n)
			f.sight.Often(n)
			return err
		})
	}
}

// seen is the visible part of a table.
func (f *figures) seen(table string) Cond {
	switch table {
	case "runs":
		return f.sight.runs()
	case "approvals":
		return f.sight.approvals()
	}
	return f.sight.OfRun(table)
}

// where is the time range, with the workflow if one is given.
func (f *figures) where(table, column string) (string, []any) {
	cond, args := fmt.Sprintf("%s >= ? AND %s < ?", column, column), []any{max(Nanos(f.q.Since), 1), Nanos(f.q.Until)}
	if f.q.Workflow != "" {
		cond, args = cond+" AND workflow = ?", append(args, Text(f.q.Workflow))
	}
	if f.tests {
		cond += map[bool]string{true: " AND test_mode = 0", false: " AND run NOT IN " + ofTests}[table == "runs"]
	}
	if f.sight != nil {
		seen := f.seen(table)
		cond, args = cond+" AND "+seen.SQL, append(args, seen.Args...)
	}
	return cond, args
}

func (f *figures) tallies(what, dayOf, key, status, table, at, waited, cost string) (out []port.Tally) {
	if f.err != nil {
		return nil
	}
	if strings.Contains(dayOf, "%") {
		dayOf = fmt.Sprintf(dayOf, day)
	}
	cond, args := f.where(table, at)
	sql := fmt.Sprintf(`SELECT %s AS d, %s AS k, %s AS s, count(*) AS n, %s, %s FROM %s WHERE %s GROUP BY 1, 2, 3
		ORDER BY 1, 4 DESC, 2, 3 LIMIT %d`,
		dayOf, key, status, waited, cost, table, cond, groupsMax*12)
	f.err = f.ask(sql, args, func(r Row) error {
		var t port.Tally
		var days, waited, cost int64
		if err := r.Scan(&days, &t.Key, &t.Status, &t.Count, &waited, &cost); err != nil {
			return err
		}
		if days > 0 {
			t.Day = Time(days * day).UTC()
		}
		t.Seconds, t.CostUSD = time.Duration(waited).Seconds(), quantity.Money(cost)
		out = append(out, t)
		return nil
	})
	if f.err != nil {
		f.err = fmt.Errorf("count %s: %w", what, f.err)
	}
	return out
}

// decided returns how long people took.
func (f *figures) decided() {
	if f.err != nil || len(f.q.People) == 0 {
		return
	}
	cond, args := f.where("approvals", "settled_at")
	cond += " AND status IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(f.q.People)), ", ") + ")"
	for _, s := range f.q.People {
		args = append(args, s)
	}
	columns := make([]string, 0, len(waits)+1)
	for _, w := range waits {
		columns = append(columns, fmt.Sprintf("count(CASE WHEN settled_at - requested_at < %d THEN 1 END)", int64(w)))
	}
	under := make([]int64, len(waits)+1)
	to := make([]any, len(under))
	for i := range under {
		to[i] = &under[i]
	}
	f.err = f.ask(`SELECT `+strings.Join(append(columns, "count(*)"), ", ")+` FROM approvals WHERE `+cond, args,
		func(r Row) error { return r.Scan(to...) })
	if f.err != nil {
		f.err = fmt.Errorf("count how long people took: %w", f.err)
		return
	}
	before := int64(0)
	for i, n := range under {
		t := port.WaitTally{Count: n - before}
		if i < len(waits) {
			t.Under = waits[i]
		}
		f.out.Waits, before = append(f.out.Waits, t), n
	}
	total := under[len(waits)]
	for _, p := range []struct {
		of int64
		to *time.Duration
	}{{50, &f.out.Median}, {90, &f.out.Slow}} {
		if total == 0 || f.err != nil {
			return
		}
		f.err = f.ask(fmt.Sprintf(`SELECT settled_at - requested_at AS w FROM approvals WHERE %s ORDER BY w
			LIMIT 1 OFFSET %d`, cond, (total*p.of+99)/100-1), args,
			func(r Row) error {
				var w int64
				err := r.Scan(&w)
				*p.to = time.Duration(w)
				return err
			})
	}
}
