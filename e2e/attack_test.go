package e2e

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// victim is the database of a stopped server, as an attacker with write access sees it.
type victim struct {
	*server
	driver, address string
	restore         func() // restores the state from before the attack
}

// sqliteVictim is a server with its database in a file.
func sqliteVictim(t *testing.T, args ...string) *victim {
	t.Helper()
	s := serve(t, args...)
	return &victim{server: s, driver: "sqlite", address: filepath.Join(s.data(), "assent.db")}
}

// sqliteCopy saves the current file.
func (v *victim) sqliteCopy() func() {
	v.t.Helper()
	was, err := os.ReadFile(v.address)
	if err != nil {
		v.t.Fatal(err)
	}
	return func() {
		v.t.Helper()
		for _, file := range []string{v.address + "-wal", v.address + "-shm"} {
			if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
				v.t.Fatal(err)
			}
		}
		keep(v.t, v.address, was)
	}
}

// dialect translates the few differences between the databases.
func (v *victim) dialect(statement string) string {
	words := []string{"TEXT_OF(body)", "CAST(body AS TEXT)", "AS_BYTES", "AS BLOB)", "NEWLINE", "char(10)", "CAST_BYTES(",
		"CAST("}
	if v.driver != "sqlite" {
		words = []string{"TEXT_OF(body)", "convert_from(body, 'UTF8')", "AS_BYTES", ", 'UTF8')", "NEWLINE", "chr(10)",
			"CAST_BYTES(", "convert_to("}
	}
	return strings.NewReplacer(words...).Replace(statement)
}

// with opens the database for a moment.
func (v *victim) with(do func(db *sql.DB)) {
	v.t.Helper()
	db, err := sql.Open(v.driver, v.address)
	if err != nil {
		v.t.Fatal(err)
	}
	defer db.Close()
	do(db)
}

// exec makes one edit, which has to change something.
func (v *victim) exec(statement string) {
	v.t.Helper()
	v.with(func(db *sql.DB) {
		v.t.Helper()
		result, err := db.ExecContext(context.Background(), v.dialect(statement))
		if err != nil {
			v.t.Fatalf("%s: %v", statement, err)
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			v.t.Fatalf("%s: %d rows, %v", statement, n, err)
		}
	})
}

// edits are some of those that internal/audit tries by the thousand.
var edits = map[string]string{
	"the last entry deleted":  `DELETE FROM audit WHERE n = (SELECT max(n) FROM audit)`,
	"the newest head deleted": `DELETE FROM audit_heads WHERE n = (SELECT max(n) FROM audit_heads)`,
	"a comment deleted":       `UPDATE audit SET open = NULL WHERE action = 'approval.decided'`,
	"a time":                  `UPDATE audit SET at = at - 1000000000 WHERE n = 2`,
	"an entry without a number": `INSERT INTO audit (n, at, actor, action, target, run, outcome, body, hash, open)
		SELECT -n, at, actor, action, target, run, outcome, body, hash, open FROM audit WHERE n = 2`,
	"an actor": `UPDATE batches SET body = CAST_BYTES(replace(TEXT_OF(body), '"name":"bob"', '"name":"eve"') AS_BYTES
		WHERE run = (SELECT run FROM batches LIMIT 1)`,
	"a decision put into a run": `INSERT INTO batches (last_feed, run, last_seq, count, body)
		SELECT feed, run, seq, 1, CAST_BYTES('{"seq":' || seq || ',"at":"2030-01-01T00:00:00Z","type":"approval.decided","actor":{"kind":"person","name":"bob"}}' || NEWLINE
			|| '{"id":"apr_x","decision":{"by":"bob","act":"approve","at":"2030-01-01T00:00:00Z","version":1}}' || NEWLINE AS_BYTES
		FROM (SELECT run, max(last_seq) + 1 AS seq, (SELECT max(last_feed) + 1 FROM batches) AS feed FROM batches GROUP BY run LIMIT 1) AS next`,
	"a backdated decision put into a run": `INSERT INTO batches (last_feed, run, last_seq, count, body)
		SELECT feed, run, seq, 1, CAST_BYTES('{"seq":' || seq || ',"at":"2000-01-01T00:00:00Z","type":"approval.decided","actor":{"kind":"person","name":"bob"}}' || NEWLINE
			|| '{"id":"apr_x","decision":{"by":"bob","act":"approve","at":"2000-01-01T00:00:00Z","version":1}}' || NEWLINE AS_BYTES
		FROM (SELECT run, max(last_seq) + 1 AS seq, (SELECT max(last_feed) + 1 FROM batches) AS feed FROM batches GROUP BY run LIMIT 1) AS next`,
	"a decision and a fork put into a run": `INSERT INTO batches (last_feed, run, last_seq, count, body)
		SELECT feed, run, seq, 2, CAST_BYTES('{"seq":' || (seq - 1) || ',"at":"2030-01-01T00:00:00Z","type":"approval.decided","actor":{"kind":"person","name":"bob"}}' || NEWLINE
			|| '{"id":"apr_x","decision":{"by":"bob","act":"approve","at":"2030-01-01T00:00:00Z","version":1}}' || NEWLINE
			|| '{"seq":' || seq || ',"at":"2030-01-01T00:00:00Z","type":"run.forked","actor":{"kind":"person","name":"bob"}}' || NEWLINE
			|| '{"from":"run_x","at_seq":' || (seq - 1) || '}' || NEWLINE AS_BYTES
		FROM (SELECT run, max(last_seq) + 2 AS seq, (SELECT max(last_feed) + 2 FROM batches) AS feed FROM batches GROUP BY run LIMIT 1) AS next`,
	"the salt of a run replaced": `UPDATE event_salts SET salt = '00'`,
}

// decided creates a log with a decision in it, and stops the server.
func (v *victim) decided() {
	v.t.Helper()
	v.define(refund)
	id := v.run("refund", map[string]any{"amount": 5}, as(ann))
	path := "/approvals/" + v.pending(id).text("id") + "/decisions"
	v.call("POST", path, map[string]any{"act": "approve", "version": 1}, as(who{"carl", "guest"})).problem(403,
		"forbidden")
	v.call("POST", path, map[string]any{"act": "approve", "version": 1, "comment": "fine by me"}, as(bob)).want(200)
	v.settles(id, "completed")
	v.stop()
	v.must("", "audit", "verify") // the end is signed: a stopping server does that
}

// TestAttackedDatabase edits the database of the real program and checks it with the real program.
func TestAttackedDatabase(t *testing.T) {
	t.Parallel()
	v := sqliteVictim(t)
	v.decided()
	v.restore = v.sqliteCopy()
	v.attack(func(name string) {
		if out, _, err := v.command("", "doctor"); code(err) != 1 {
			t.Errorf("%s: doctor %d: %s", name, code(err), out)
		}
	})
}

// attack tries all edits, one after the other.
func (v *victim) attack(also func(name string)) {
	v.t.Helper()
	for name, edit := range edits {
		v.exec(edit)
		if out, _, err := v.command("", "audit", "verify"); code(err) != 1 || !strings.Contains(out, "✗") {
			v.t.Errorf("%s: verify %d: %s", name, code(err), out)
		}
		also(name)
		v.restore()
	}
	v.must("", "audit", "verify")
	v.start()
	if a := v.call("GET", "/audit/verify", nil).want(200); a.get("ok") != true {
		v.t.Errorf("%s", a.body)
	}
}
