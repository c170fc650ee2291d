package list

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

// OldWordsSteps are the migrations from before runs and approvals were indexed by their words.
const OldWordsSteps = 18

// oldRows is the number of runs and approvals: more than are filled at once.
const oldRows = 1005

// OldWords is SQL that fills a store of that time with runs, each with an approval. Bytes formats a text as
// bytes in the dialect of the store.
func OldWords(bytes func(text string) string) string {
	var runs, approvals, inbox []string
	for i := range oldRows {
		id, subject, status := fmt.Sprintf("%04d", i), "Order", "approved"
		body := `{"about":"Parcel p` + id + `","decisions":[{"by":"maria","act":"approve"}]}`
		switch i {
		case 0:
			subject = "Refund €2,400.00 to Åse Lund"
		case 7: // unreadable
			status, body = "pending", "\xff\x00"
		case oldRows - 1:
			subject, status = "Rückgabe in STRASSE 5", "pending"
		}
		runs = append(runs, fmt.Sprintf(`('run_%s', 'refunds', 1, '', 'waiting', 'owner%s', '{"team":"north"}', 1, 0, 0, 0, '', '0',
			'', '', '', %d, 1, 0, 0, false, 0, '%s')`, id, id, i+1, subject))
		approvals = append(approvals, fmt.Sprintf(`('apr_%s_1', 'run_%s', 'refunds', 'pay', 'payer', '', 'approval', 'gate', '%s', 'low', 'Pay n%s',
			'["role:finance"]', 'ann', 0, 1, %d, 0, 0, %s)`, id, id, status, id, i+1, bytes(body)))
		for _, who := range []string{"**", "role:finance"} {
			inbox = append(inbox, fmt.Sprintf(`('%s', '%s', 0, %d, 0, 'apr_%s_1', 'refunds', 'payer', '', 'approval', 'low')`,
				who, status, i+1, id))
		}
	}
	return `INSERT INTO runs (id, workflow, version, definition, status, owner, labels, seq, steps_done, steps_total, pending, error, cost_usd,
		parent, retry_of, forked_from, started_at, updated_at, ended_at, due_at, busy, snapshot_seq, subject) VALUES ` +
		strings.Join(runs, ",\n") + `;
	INSERT INTO approvals (id, run, workflow, step, agent, tool, kind, reason, status, risk, title, asked, requester, priority, version,
		requested_at, deadline_at, settled_at, body) VALUES ` + strings.Join(approvals, ",\n") + `;
	INSERT INTO inbox (who, status, rank, requested_at, due, approval, workflow, agent, tool, kind, risk) VALUES ` +
		strings.Join(inbox, ",\n")
}

// WordsAreFound searches for OldWords.
func WordsAreFound(t *testing.T, s store.Store) {
	t.Helper()
	last := fmt.Sprintf("%04d", oldRows-1)
	for text, want := range map[string][]string{
		"refund ase lund":   {"run_0000"},
		"2 400":             {"run_0000"},
		"owner" + last:      {"run_" + last},
		"ruckgabe strasse":  {"run_" + last},
		"owner0999 north":   {"run_0999"},
		"owner1000 refunds": {"run_1000"},
		"owner1001 south":   {},
		"maria":             {}, // decided an approval, which is not a run
		"refund missing":    {},
	} {
		if got := searchRuns(t, s, port.RunQuery{Text: text}); !slices.Equal(got, want) {
			t.Errorf("runs with %q: %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string][]string{
		"pay n1000":          {"apr_1000_1"},
		"parcel p0999 maria": {"apr_0999_1"},
		"pay n0007":          {"apr_0007_1"}, // by its title; an unreadable one has no words
		"parcel p0007":       {},
		"run_" + last:        {"apr_" + last + "_1"},
		"finance payer n1":   {"apr_1000_1", "apr_1001_1", "apr_1002_1", "apr_1003_1", "apr_1004_1"},
	} {
		got := searchApprovals(t, s, port.ApprovalQuery{Text: text, Limit: 3})
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("approvals with %q: %v, want %v", text, got, want)
		}
	}
	if all := searchRuns(t, s, port.RunQuery{Text: "order", Limit: 100}); len(all) != oldRows-2 {
		t.Errorf("%d runs are about an order, not %d", len(all), oldRows-2)
	}
}
