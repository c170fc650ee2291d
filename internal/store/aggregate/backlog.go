package aggregate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// countOpen counts what has not ended.
func countOpen(ask storekit.Asker) (out port.Backlog, err error) {
	err = ask(`SELECT workflow, status, count(*) FROM runs WHERE status IN (?, ?, ?) GROUP BY 1, 2 ORDER BY 1, 2`,
		[]any{string(run.Running), string(run.Waiting), string(run.Paused)}, func(row storekit.Row) error {
			var r port.OpenRuns
			err := row.Scan(&r.Workflow, &r.Status, &r.Count)
			out.Runs = append(out.Runs, r)
			return err
		})
	if err != nil {
		return out, err
	}
	counts := map[port.OpenApprovals]int64{}
	err = ask(`SELECT a.asked, i.workflow, i.risk, count(*), min(i.requested_at)
		FROM inbox i JOIN approvals a ON a.id = i.approval WHERE i.who = ? AND i.status = ? GROUP BY 1, 2, 3`,
		[]any{storekit.Everything, string(gate.Pending)}, func(row storekit.Row) error {
			var k port.OpenApprovals
			var asked string
			var n, oldest int64
			if err := row.Scan(&asked, &k.Workflow, &k.Risk, &n, &oldest); err != nil {
				return err
			}
			if at := storekit.Time(oldest); out.Oldest.IsZero() || at.Before(out.Oldest) {
				out.Oldest = at
			}
			who, err := storekit.ParseNames(asked)
			roles := 0
			for _, name := range who {
				if role, ok := strings.CutPrefix(name, "role:"); ok {
					k.Role = role
					counts[k] += n
					roles++
				}
			}
			if roles == 0 {
				counts[k] += n
			}
			return err
		})
	for k, n := range counts {
		k.Count = n
		out.Approvals = append(out.Approvals, k)
	}
	slices.SortFunc(out.Approvals, func(a, b port.OpenApprovals) int {
		return cmp.Or(strings.Compare(a.Workflow, b.Workflow), strings.Compare(a.Role, b.Role),
			strings.Compare(a.Risk, b.Risk))
	})
	return out, err
}
