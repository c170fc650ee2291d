package insight

import (
	"time"

	"github.com/assent-run/assent/internal/core/policy"
)

// counted are the acts that count in the sums of a policy during a backtest. History contains the decisions of people
// and rules; acts that passed without either are not in it, and not in these sums.
type counted struct {
	acts  map[string]bool        // by their key
	bySum map[string][]countedIn // in the order of time
}

type countedIn struct {
	key, run, operation string
	at                  time.Time
	count               policy.Count
}

// add counts an act that would have happened. Several approvals may be about it.
func (d *counted) add(r recorded, sub policy.Subject, counts []policy.Count) {
	if len(counts) == 0 || d.acts[sub.Key] {
		return
	}
	if d.acts == nil {
		d.acts, d.bySum = map[string]bool{}, map[string][]countedIn{}
	}
	d.acts[sub.Key] = true
	for _, c := range counts {
		d.bySum[c.Sum] = append(d.bySum[c.Sum], countedIn{sub.Key, r.Run, sub.Operation, r.RequestedAt, c})
	}
}

// total adds up the acts that would have happened earlier.
func (d *counted) total(r recorded) func(policy.SumQuery) (policy.Total, bool) {
	return func(q policy.SumQuery) (out policy.Total, known bool) {
		list := d.bySum[q.Sum]
		for n := len(list) - 1; n >= 0 && !list[n].at.Before(q.Since); n-- {
			c := &list[n]
			if c.key != r.approval.Subject.Key && q.Counts(c.operation) && (!q.Since.IsZero() || c.run == r.Run) {
				out = out.Add(&c.count)
			}
		}
		return out, true
	}
}
