package e2e

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

// TestEditedEventsAreNoticed edits the log of a run behind the server's back, and then deletes the end of the
// audit log with all signed heads.
func TestEditedEventsAreNoticed(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(refund)
	s.call("GET", "/audit/head", nil).want(200) // signs, as it does on its own after a second
	id := s.run("refund", map[string]any{"amount": 5}, as(ann))
	ap := s.pending(id).text("id")
	s.call("POST", "/approvals/"+ap+"/decisions", map[string]any{"act": "approve", "version": 1}, as(bob)).want(200)
	s.settles(id, "completed")
	other := s.run("refund", map[string]any{"amount": 6}, as(ann))
	s.call("POST", "/runs/"+other+"/commands", `{"type":"cancel","reason":"not needed"}`).want(202)
	s.settles(other, "cancelled")
	s.call("DELETE", "/runs/"+other+"/payloads", map[string]any{"reason": "asked for"}).want(200) // which is not tampering
	// so that it is not at the end
	for range 3 {
		s.call("POST", "/runs/"+id+"/commands", `{"type":"cancel"}`).want(409)
	}
	s.call("GET", "/audit/head", nil).want(200)
	live := s.call("GET", "/audit/verify", nil).want(200)
	if live.get("ok") != true || live.number("events") < 10 || live.number("signed") == 0 || live.count("warnings") != 0 {
		t.Errorf("%s", live.body)
	}
	s.stop()
	if out := s.must("", "audit", "verify"); !strings.Contains(out, "✓") ||
		!strings.Contains(out, "events of runs compared") {
		t.Errorf("%s", out)
	}

	change(t, s, `UPDATE batches SET body = CAST(replace(CAST(body AS TEXT), '"name":"bob"', '"name":"eve"') AS BLOB) WHERE run = '`+id+`'`)
	out, _, err := s.command("", "audit", "verify")
	if code(err) != 1 || !strings.Contains(out, "✗") || !strings.Contains(out, "of run "+id) {
		t.Errorf("%d: %s", code(err), out)
	}
	if out, _, err := s.command("", "doctor"); code(err) != 1 || !strings.Contains(out, id) {
		t.Errorf("doctor %d: %s", code(err), out)
	}
	s.start()
	if v := s.call("GET", "/audit/verify", nil).want(200); v.get("ok") != false || v.number("first_bad") == 0 ||
		!strings.Contains(v.text("why"), id) {
		t.Errorf("%s", v.body)
	}
	if out, _, err := s.command("", "doctor"); code(err) != 1 || !strings.Contains(out, id) {
		t.Errorf("doctor beside the server %d: %s", code(err), out)
	}
	s.stop()
	change(t, s, `UPDATE batches SET body = CAST(replace(CAST(body AS TEXT), '"name":"eve"', '"name":"bob"') AS BLOB) WHERE run = '`+id+`'`)
	s.must("", "audit", "verify")

	// All signed heads, and the end of the log: the server keeps its last signed head outside the database,
	// and signs nothing else.
	change(t, s, `DELETE FROM audit_heads`)
	change(t, s, `DELETE FROM audit WHERE n > (SELECT max(n) - 3 FROM audit)`)
	out, _, err = s.command("", "audit", "verify")
	if code(err) != 1 || strings.Contains(out, "✓") || !strings.Contains(out, "this server signed") {
		t.Errorf("%d: %s", code(err), out)
	}
	s.start()
	if p := s.call("GET", "/audit/head", nil).want(409); !strings.Contains(p.text("detail"), "has stopped") {
		t.Errorf("%s", p.body)
	}
	s.call("GET", "/audit.jsonl", nil).want(409)
	if v := s.call("GET", "/audit/verify", nil).want(200); v.get("ok") != false || v.get("heads_missing") != true {
		t.Errorf("%s", v.body)
	}
	if out, _, err := s.command("", "doctor"); code(err) != 1 {
		t.Errorf("doctor %d: %s", code(err), out)
	}
	// An operator who knows the reason accepts it, and signing continues.
	if _, _, err := s.command("", "audit", "accept"); code(err) == 0 {
		t.Error("it was accepted without a reason")
	}
	if out := s.must("", "audit", "accept", "--reason", "tried what happens"); !strings.Contains(out,
		"signing resumes after entry 0") {
		t.Errorf("%s", out)
	}
	s.call("GET", "/audit/head", nil).want(200)
	if v := s.call("GET", "/audit/verify", nil).want(200); v.get("ok") != true || v.number("signed") == 0 {
		t.Errorf("%s", v.body)
	}

	// Without its anchor, a log without heads is detected by the log itself.
	s.stop()
	data := s.args[slices.Index(s.args, "--data")+1]
	if err := os.Remove(filepath.Join(data, "audit.anchor")); err != nil {
		t.Fatal(err)
	}
	change(t, s, `DELETE FROM audit_heads`)
	out, _, err = s.command("", "audit", "verify")
	if code(err) != 6 || strings.Contains(out, "✓") || !strings.Contains(out, "not signed") {
		t.Errorf("%d: %s", code(err), out)
	}
}

func code(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// change writes to the store of a stopped server.
func change(t *testing.T, s *server, statement string) {
	t.Helper()
	data := s.args[slices.Index(s.args, "--data")+1]
	db, err := sql.Open("sqlite", filepath.Join(data, "assent.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	result, err := db.ExecContext(context.Background(), statement)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("%s: %d rows, %v", statement, n, err)
	}
}
