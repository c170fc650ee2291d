package list

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// OldInboxSteps are the migrations from before the inbox was sorted by urgency.
const OldInboxSteps = 17

// oldInbox is what was pending then, the most urgent first. Times are in days.
var oldInbox = []struct {
	id, risk, then          string
	requested, deadline, by int64
}{
	{"apr_1_approves", "high", `"then":"approve"`, 20, 21, 8},
	{"apr_1_encrypted", "high", "", 20, 22, 9},
	{"apr_1_default", "low", `"then":"default"`, 20, 21, 14},
	{"apr_1_old", "low", `"quorum":1`, 10, 0, 17},
	{"apr_1_rejects", "medium", `"then":"reject"`, 20, 21, 17}, // as urgent as the one above, and newer
	{"apr_1_critical", "critical", `"quorum":1`, 20, 0, 20},
	{"apr_1_high", "high", `"quorum":1`, 20, 0, 21},
	{"apr_1_pauses", "", `"then":"pause"`, 20, 21, 22},
	{"apr_1_low", "low", `"quorum":1`, 20, 0, 27},
}

const daySeconds = 24 * 60 * 60

// OldInbox is SQL that fills a store of that time. Bytes formats a text as bytes in the dialect of the store.
func OldInbox(bytes func(text string) string) string {
	var b strings.Builder
	b.WriteString(`INSERT INTO runs (id, workflow, version, definition, status, owner, labels, seq, steps_done, steps_total, pending, error, cost_usd,
		parent, retry_of, forked_from, started_at, updated_at, ended_at, due_at, busy, snapshot_seq)
	VALUES ('run_1', 'w', 1, '', 'waiting', 'ann', '{}', 1, 0, 0, 0, '', '0', '', '', '', 1, 1, 0, 0, false, 0);
	`)
	file := func(id, status, risk, body string, priority, requested, deadline int64) {
		nanos := func(days int64) int64 { return days * daySeconds * int64(time.Second) }
		fmt.Fprintf(&b, `INSERT INTO approvals (id, run, workflow, step, agent, tool, kind, reason, status, risk, title, asked, requester, priority, version,
			requested_at, deadline_at, settled_at, body)
		VALUES ('%s', 'run_1', 'w', '', '', '', 'approval', 'gate', '%s', '%s', 't', '["role:approver"]', '', %d, 1, %d, %d, 0, %s);
		`, id, status, risk, priority, nanos(requested), nanos(deadline), bytes(body))
		for _, who := range []string{"**", "role:approver"} {
			fmt.Fprintf(&b, `INSERT INTO inbox (who, status, rank, requested_at, due, approval, workflow, agent, tool, kind, risk)
			VALUES ('%s', '%s', %d, %d, %d, '%s', 'w', '', '', 'approval', '%s');
			`, who, status, -priority, nanos(requested), nanos(deadline), id, risk)
		}
	}
	for i, a := range oldInbox {
		body := `{"terms":{` + a.then + `}}`
		if a.then == "" {
			body = "\xff\x00" // unreadable
		}
		file(a.id, "pending", a.risk, body, int64(i%5), a.requested, a.deadline)
	}
	file("apr_1_settled", "approved", "high", `{"terms":{}}`, 3, 20, 0)
	return b.String()
}

// InboxIsSorted checks the result for OldInbox.
func InboxIsSorted(t *testing.T, s store.Store) {
	t.Helper()
	var want []string
	for _, a := range oldInbox {
		want = append(want, a.id)
	}
	for _, asked := range [][]string{nil, {"role:approver"}} {
		for _, limit := range []int{2, 100} {
			got, _ := Pages(t, func(cursor string) (port.Page[port.ApprovalRow], error) {
				return s.Approvals(t.Context(), port.ApprovalQuery{Status: []string{"pending"}, Asked: asked,
					Cursor: cursor, Limit: limit})
			})
			ids := make([]string, len(got))
			for i, a := range got {
				ids[i] = a.ID
			}
			fixture.WantEqual(t, "the order", strings.Join(ids, " "), strings.Join(want, " "))
		}
	}
	for _, a := range oldInbox {
		row, err := s.Approval(t.Context(), a.id)
		fixture.Must(t, err)
		fixture.WantEqual(t, "when "+a.id+" is urgent", -row.Priority, a.by*daySeconds)
	}
	row, err := s.Approval(t.Context(), "apr_1_settled")
	fixture.Must(t, err)
	fixture.WantEqual(t, "what was settled", row.Priority, 3)
}
