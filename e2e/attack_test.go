package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAttackedDatabase edits the database of the real program in ways that
// internal/audit tries by the thousand, and asks the real program.
func TestAttackedDatabase(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(refund)
	id := s.run("refund", map[string]any{"amount": 5}, as(ann))
	ap := s.pending(id).text("id")
	s.call("POST", "/approvals/"+ap+"/decisions", map[string]any{"act": "approve", "version": 1, "comment": "fine by me"}, as(bob)).want(200)
	s.settles(id, "completed")
	s.stop()
	s.must("", "audit", "verify") // the end is signed: a server that stops does so
	data := s.args[slices.Index(s.args, "--data")+1]
	db := filepath.Join(data, "assent.db")
	was, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	const inRun = ` WHERE run = (SELECT run FROM batches LIMIT 1)`
	for name, edit := range map[string]string{
		"the last entry deleted":    `DELETE FROM audit WHERE n = (SELECT max(n) FROM audit)`,
		"the newest head deleted":   `DELETE FROM audit_heads WHERE n = (SELECT max(n) FROM audit_heads)`,
		"a comment deleted":         `UPDATE audit SET open = NULL WHERE action = 'approval.decided'`,
		"a time":                    `UPDATE audit SET at = at - 1000000000 WHERE n = 2`,
		"an entry without a number": `INSERT INTO audit SELECT -n, at, actor, action, target, run, outcome, body, hash, open FROM audit WHERE n = 2`,
		"an actor":                  `UPDATE batches SET body = CAST(replace(CAST(body AS TEXT), '"name":"bob"', '"name":"eve"') AS BLOB)` + inRun,
		"a decision put into a run": `INSERT INTO batches (last_feed, run, last_seq, count, body)
			SELECT feed, run, seq, 1, CAST('{"seq":' || seq || ',"at":"2030-01-01T00:00:00Z","type":"approval.decided","actor":{"kind":"person","name":"bob"}}' || char(10)
				|| '{"id":"apr_x","decision":{"by":"bob","act":"approve","at":"2030-01-01T00:00:00Z","version":1}}' || char(10) AS BLOB)
			FROM (SELECT run, max(last_seq) + 1 AS seq, (SELECT max(last_feed) + 1 FROM batches) AS feed FROM batches GROUP BY run LIMIT 1)`,
		"the salt of a run replaced": `UPDATE event_salts SET salt = '00'`,
	} {
		change(t, s, edit)
		if out, _, err := s.command("", "audit", "verify"); code(err) != 1 || !strings.Contains(out, "✗") {
			t.Errorf("%s: verify %d: %s", name, code(err), out)
		}
		if out, _, err := s.command("", "doctor"); code(err) != 1 {
			t.Errorf("%s: doctor %d: %s", name, code(err), out)
		}
		for _, file := range []string{db + "-wal", db + "-shm"} {
			if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(db, was, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.must("", "audit", "verify")
	s.start()
	if v := s.call("GET", "/audit/verify", nil).want(200); v.get("ok") != true {
		t.Errorf("%s", v.body)
	}
}
