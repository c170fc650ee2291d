package storekit

import (
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// CountedRow is an act's contribution to one sum, as stored.
type CountedRow struct {
	Act, Sum, Run, Family, Operation string

	At                      int64
	Known, Giga, Unit, Nano int64
}

// CountedRows are the rows of a write.
func CountedRows(w *port.Write) (rows []CountedRow) {
	for _, c := range w.Counted {
		for n := range c.Counts {
			row := CountedRow{Act: c.Act, Sum: c.Counts[n].Sum, Run: w.Run, Family: w.Family, Operation: c.Operation,
				At: Nanos(c.At)}
			if a, ok := c.Counts[n].Amount(); ok {
				row.Known, row.Giga, row.Unit, row.Nano = 1, a.Giga, a.Unit, a.Nano
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// Replaced are the acts whose rows are deleted before others are stored: those that were taken back, and
// those that are retried.
func Replaced(w *port.Write) []string {
	acts := append([]string(nil), w.TakenBack...)
	for _, c := range w.Counted {
		acts = append(acts, c.Act)
	}
	return acts
}

// TallyRow is the total over acts with one operation, as returned by a query.
type TallyRow struct {
	Operation                string
	Acts, Unknown            int
	Giga, Unit, Nano, Newest int64
}

// Fields are the scan targets of a row.
func (r *TallyRow) Fields() []any {
	return []any{&r.Operation, &r.Acts, &r.Unknown, &r.Giga, &r.Unit, &r.Nano, &r.Newest}
}

// Tallied combines rows.
func Tallied(rows []TallyRow) (out port.Tallied) {
	for _, r := range rows {
		total := policy.Total{Amount: policy.Amount{Giga: r.Giga, Unit: r.Unit, Nano: r.Nano}, Acts: r.Acts,
			Unknown: r.Unknown}
		out.Tallies = append(out.Tallies, run.Tally{Operation: r.Operation, Total: total})
		out.Version = max(out.Version, r.Newest)
	}
	return out
}

// SinceOf is the start of a query's window.
func SinceOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return Nanos(t)
}

// Recounted reports that a sum has changed since the decision.
func Recounted(r port.SumRead) error {
	return fault.New(fault.Outdated, "other runs have done more since this was decided", "decide again").
		With("sum", r.Sum)
}
