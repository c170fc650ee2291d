package view

import (
	"cmp"
	"slices"

	"github.com/assent-run/assent/internal/port"
)

// ByNumber sorts adjacent approvals that one run requested at the same moment by their number: the store compares ids
// as text, which puts _10 before _2.
func ByNumber(rows []port.ApprovalRow, newestFirst bool) {
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && rows[to].Run == rows[from].Run && rows[to].Priority == rows[from].Priority &&
			rows[to].RequestedAt.Equal(rows[from].RequestedAt) {
			to++
		}
		slices.SortFunc(rows[from:to], func(a, b port.ApprovalRow) int {
			// Ids of one run differ only in the number at their end.
			order := cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
			if newestFirst {
				return -order
			}
			return order
		})
		from = to
	}
}
