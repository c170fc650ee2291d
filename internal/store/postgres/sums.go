package postgres

import (
	"slices"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

// counting tracks the sums that a group of jobs reads and changes.
type counting struct {
	newest map[run.Elsewhere]int64
	rows   []storekit.CountedRow
	gone   []storekit.CountedRow // by act and run
}

// loadSums reads the versions of the sums that jobs were based on.
func (g *state) loadSums(b *pgx.Batch) {
	for _, j := range g.group {
		for _, r := range j.Sums {
			query, args := sqlNewestSince, []any{r.Sum, storekit.SinceOf(r.Since), r.Run}
			if r.Family != "" {
				query, args = sqlNewestFamily, []any{r.Family, r.Sum, r.Run}
			}
			b.Queue(query, args...).QueryRow(func(row pgx.Row) error {
				var newest int64
				err := row.Scan(&newest)
				g.counting.newest[r.Elsewhere] = newest
				return err
			})
		}
	}
}

// checkSums rejects a job based on sums that have changed since, including by jobs of this group.
func (g *state) checkSums(j *job) error {
	for _, r := range j.Sums {
		concerns := func(c storekit.CountedRow) bool {
			return c.Run != r.Run && c.Sum == r.Sum && (r.Family == "" || c.Family == r.Family)
		}
		if g.counting.newest[r.Elsewhere] != r.Version || slices.ContainsFunc(g.counting.rows, concerns) {
			return storekit.Recounted(r)
		}
	}
	return nil
}

// takeCounted records what the acts of a job add to sums.
func (g *state) takeCounted(j *job) {
	for _, act := range storekit.Replaced(&j.Write) {
		gone := storekit.CountedRow{Act: act, Run: j.Run, Family: j.Family}
		same := func(c storekit.CountedRow) bool { return c.Act == act && c.Run == j.Run }
		g.counting.rows = slices.DeleteFunc(g.counting.rows, same)
		g.counting.gone = append(g.counting.gone, gone)
	}
	g.counting.rows = append(g.counting.rows, storekit.CountedRows(&j.Write)...)
}

func (g *state) flushCounted(b *pgx.Batch) {
	if len(g.counting.gone) > 0 {
		var act, run []string
		for _, c := range g.counting.gone {
			act, run = append(act, c.Act), append(run, c.Run)
		}
		b.Queue(sqlUncountMany, act, run)
	}
	if len(g.counting.rows) == 0 {
		return
	}
	var act, sum, run, family, operation []string
	var at, known, giga, unit, nano []int64
	for _, c := range g.counting.rows {
		act, sum, run, family = append(act, c.Act), append(sum, c.Sum), append(run, c.Run), append(family, c.Family)
		operation, at, known = append(operation, c.Operation), append(at, c.At), append(known, c.Known)
		giga, unit, nano = append(giga, c.Giga), append(unit, c.Unit), append(nano, c.Nano)
	}
	b.Queue(sqlCountMany, act, sum, run, family, operation, at, known, giga, unit, nano)
}
