package storekit

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Filter is a query's filter on runs, except for their status.
func (q *RunPlan) Filter() *Where { return &Where{append(q.filter(), q.text...)} }

func (q *RunPlan) filter() (out []Cond) {
	if q.Workflow != "" {
		out = append(out, Cond{"workflow = ?", []any{Text(q.Workflow)}})
	}
	if q.Owner != "" { // the second half shows that the partial index applies
		out = append(out, Cond{"owner = ? AND owner <> ''", []any{Text(q.Owner)}})
	}
	if q.Parent != "" {
		out = append(out, Cond{"parent = ? AND parent <> ''", []any{Text(q.Parent)}})
	}
	names := make([]string, 0, len(q.Label))
	for name := range q.Label {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		out = append(out, Cond{
			`EXISTS (SELECT 1 FROM run_labels l WHERE l.name = ? AND l.value = ?
				AND l.started_at = runs.started_at AND l.run = runs.id)`,
			[]any{Text(name), Text(q.Label[name])},
		})
	}
	return out
}

const (
	namesMax    = 16  // workflows that are read one by one, each in the order of its index
	prefixesMax = 4   // patterns whose workflows are looked up for that
	rangesMax   = 200 // index ranges that one list of runs reads
)

// RunReading are the queries for a page of runs for a reader with a limited scope.
type RunReading struct {
	q    *RunPlan
	s    *Sight
	each []string // all visible workflows, if they are few
}

// ReadRuns prepares the queries. Ask runs a query that returns one column of text.
func ReadRuns(q *RunPlan, ask func(Cond) ([]string, error)) (*RunReading, error) {
	s := q.Sight
	r := &RunReading{q: q, s: s}
	if len(s.exact) > namesMax || len(s.prefixes) > prefixesMax {
		return r, nil
	}
	each := slices.Clone(s.exact)
	for _, p := range s.prefixes {
		found, err := ask(workflowsFrom(p))
		if err != nil {
			return nil, err
		}
		if each = append(each, found...); len(each) > namesMax {
			return r, nil
		}
	}
	r.each = Distinct(append(each, s.exact...))
	return r, nil
}

// workflowsFrom lists the workflows of runs that begin with a prefix. It jumps from one to the next, so the
// time does not depend on the number of runs.
func workflowsFrom(prefix string) Cond {
	n := utf8.RuneCountInString(prefix)
	return Cond{fmt.Sprintf(`WITH RECURSIVE known (name) AS (SELECT min(workflow) FROM runs WHERE workflow >= ?
		UNION ALL SELECT (SELECT min(workflow) FROM runs WHERE workflow > known.name) FROM known
		WHERE substr(known.name, 1, %d) = ?)
		SELECT name FROM known WHERE substr(name, 1, %d) = ? LIMIT %d`, n, n, namesMax+1),
		[]any{prefix, prefix, prefix}}
}

// ranges are disjoint conditions that together match every visible row, so that parts can be counted and
// merged. Each is a range of an index in the order of the list.
func (r *RunReading) ranges() []Cond {
	var out, seen []Cond
	if r.s.anyWorkflow() {
		seen = append(seen, not(r.s.workflows("workflow")))
		if r.each == nil {
			out = append(out, r.s.workflows("workflow"))
		}
		for _, name := range r.each {
			out = append(out, Cond{"workflow = ?", []any{name}})
		}
	}
	if r.s.Owner != "" {
		out = append(out, allOf(append(slices.Clone(seen), Cond{"owner = ? AND owner <> ''", []any{r.s.Owner}})...))
		seen = append(seen, Cond{"owner <> ?", []any{r.s.Owner}})
	}
	if len(r.s.asks) > 0 {
		out = append(out, allOf(append(slices.Clone(seen), r.s.askedRun("runs.id"))...))
	}
	return out
}

// branches are the ranges combined with the rest of the filter.
func (r *RunReading) branches(more ...Cond) []Cond {
	filter := append(r.q.Filter().conds, more...)
	ranges := r.ranges()
	statuses := slices.DeleteFunc(Statuses(r.q.Status), func(s string) bool { return !Word(s) })
	var by []Cond
	switch {
	case len(r.q.Status) == 0:
		by = []Cond{allOf()}
	case len(statuses)*len(ranges) > rangesMax:
		by = []Cond{oneOf("status", statuses)}
	default:
		for _, s := range statuses {
			by = append(by, Cond{"status = ?", []any{s}})
		}
	}
	var out []Cond
	for _, one := range ranges {
		for _, status := range by {
			out = append(out, allOf(append([]Cond{one, status}, filter...)...))
		}
	}
	return out
}

// union combines all branches into one query.
func union(branches []Cond, columns, rest string) Cond {
	var c Cond
	parts := make([]string, 0, len(branches))
	for i, b := range branches {
		parts = append(parts, fmt.Sprintf(`SELECT * FROM (SELECT %s FROM runs WHERE %s%s) AS b%d`, columns, b.SQL,
			rest, i))
		c.Args = append(c.Args, b.Args...)
	}
	c.SQL = strings.Join(parts, "\nUNION ALL ")
	return c
}

// Count counts up to CountMax and one; false: there is nothing.
func (r *RunReading) Count() (Cond, bool) {
	branches := r.branches()
	if r.q.Uncounted() {
		return Cond{SQL: `SELECT 0`}, len(branches) > 0
	}
	c := union(branches, "1 AS x", fmt.Sprintf(" LIMIT %d", CountMax+1))
	c.SQL = `SELECT count(*) FROM (` + c.SQL + `) AS n`
	return c, len(branches) > 0
}

// Rows reads rows after a position.
func (r *RunReading) Rows(columns string, from *Cursor, limit int) Cond {
	var more []Cond
	if from != nil {
		more = append(more, Cond{"(started_at, id) < (?, ?)", []any{from.A, from.ID}})
	}
	order := fmt.Sprintf(" ORDER BY started_at DESC, id DESC LIMIT %d", limit)
	c := union(r.branches(more...), columns, order)
	c.SQL += order
	return c
}
