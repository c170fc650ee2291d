package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestAudit makes decisions and changes, some of them rejected, and then proves them.
func TestAudit(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(refund)
	id := s.run("refund", map[string]any{"amount": 5, "iban": "DE02120300000000202051"}, as(ann))
	ap := s.pending(id).text("id")
	moving := s.provenWhileItMoves(s.run("refund", map[string]any{"amount": 6}, as(ann)))
	path := "/approvals/" + ap + "/decisions"
	s.call("POST", path, map[string]any{"act": "approve", "version": 1},
		as(who{"carl", "guest"})).problem(403, "forbidden")
	s.call("POST", path, map[string]any{"act": "modify", "changes": map[string]any{"text": "dear"}, "comment": "politer",
		"version": 1}, as(bob)).want(200)
	s.call("POST", path, map[string]any{"act": "approve", "version": 1}, as(eve)).problem(409, "already_decided")
	s.call("POST", path, map[string]any{"act": "approve", "version": 1},
		bearer("ast_no_such_token_0000000000000000")).problem(401, "unauthenticated")
	s.settles(id, "completed")

	log := s.call("GET", "/audit?target="+id, nil).want(200)
	var got []string
	for i := log.count("items") - 1; i >= 0; i-- {
		at := fmt.Sprintf("items.%d.", i)
		got = append(got, strings.Join([]string{log.text(at + "action"), log.text(at + "actor.name"),
			log.text(at + "outcome")}, " "))
	}
	want := "run.started ann done, approval.decided carl refused, approval.decided bob done, approval.resolved bob " +
		"done, approval.decided eve refused"
	if strings.Join(got, ", ") != want {
		t.Fatalf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
	if log.text("items.2.values.comment") != "politer" || log.text("items.2.values.changes.text") != "dear" {
		t.Errorf("%s", log.body)
	}
	refused := s.call("GET", "/audit?outcome=refused&since=1h&limit=1", nil).want(200)
	if refused.number("total") != 3 || refused.text("next_cursor") == "" ||
		refused.text("items.0.actor.kind") != "nobody" {
		t.Errorf("%s", refused.body)
	}
	s.call("GET", "/audit", nil, as(bob)).problem(403, "forbidden")
	s.call("GET", "/audit?outcom=refused", nil).problem(422, "invalid")
	s.call("GET", "/audit?since=soon", nil).problem(422, "invalid")

	check := s.call("GET", "/audit/verify", nil).want(200)
	if check.get("ok") != true || check.get("first_bad") != nil || check.number("entries") < 10 {
		t.Errorf("%s", check.body)
	}
	head := s.call("GET", "/audit/head", nil).want(200)
	public := head.text("keys.0.public")
	table := s.call("GET", "/audit.csv?target="+id, nil).want(200)
	if !strings.HasPrefix(string(table.body), "n,at,") || bytes.Count(table.body, []byte("\n")) != 6 ||
		!strings.Contains(table.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%s", table.body)
	}

	dir := t.TempDir()
	export, proof, shared := filepath.Join(dir, "audit.jsonl"), filepath.Join(dir, "run.proof.json"),
		filepath.Join(dir, "shared.json")
	keep(t, export, s.call("GET", "/audit.jsonl", nil).want(200).body)
	keep(t, proof, s.call("GET", "/runs/"+id+"/proof", nil).want(200).body)
	s.call("GET", "/runs/run_none/proof", nil).problem(404, "not_found")
	from, _, _ := strings.Cut(head.text("head"), ":")
	follows := filepath.Join(dir, "consistency.json")
	keep(t, follows, s.call("GET", "/audit/consistency?from="+from, nil).want(200).body)
	s.call("GET", "/audit/consistency?from=100000", nil).problem(404, "not_found")
	s.call("GET", "/audit/consistency?from="+from, nil, as(bob)).problem(403, "forbidden")
	s.stop() // nothing below needs the server
	alone(t, "audit", "verify", export, "--key", public, "--head", head.text("head"))
	alone(t, "audit", "verify", proof, "--key", public)
	alone(t, "audit", "verify", follows, "--key", public, "--head", head.text("head"))
	for _, file := range []string{export, proof, follows} { // the second verifier agrees
		if out, err := exec.Command("go", "run", "../docs/verify", "-key", public, file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", file, err, out)
		}
	}
	for _, file := range moving {
		alone(t, "audit", "verify", file, "--key", public)
	}
	alone(t, "audit", "redact", proof, "--path", "/input/iban", "--containing", "politer", "--out", shared)
	alone(t, "audit", "verify", shared, "--key", public)
	raw, err := os.ReadFile(shared)
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range words("DE0212 politer") {
		if at := bytes.Index(raw, []byte(gone)); at >= 0 {
			t.Errorf("%s is still there: …%s…", gone, raw[max(0, at-200):min(len(raw), at+100)])
		}
	}
	changed, err := os.ReadFile(export)
	if err != nil {
		t.Fatal(err)
	}
	keep(t, export, bytes.Replace(changed, []byte(`"name":"bob"`), []byte(`"name":"eve"`), 1))
	if out, errs, err := s.command("", "audit", "verify", export, "--json"); err == nil ||
		!strings.Contains(out, `"ok": false`) {
		t.Errorf("%s %s %v", out, errs, err)
	}
}

// provenWhileItMoves creates proofs of a run while messages are added to it.
func (s *server) provenWhileItMoves(id string) (files []string) {
	s.t.Helper()
	dir := s.t.TempDir()
	proofs := make(chan answer)
	go func() {
		defer close(proofs)
		for range 5 {
			a, err := s.try(http.MethodGet, "/runs/"+id+"/proof", nil)
			if err != nil {
				s.t.Error(err)
				return
			}
			proofs <- a
		}
	}()
	for {
		select {
		case a, more := <-proofs:
			if !more {
				return files
			}
			files = append(files, filepath.Join(dir, fmt.Sprintf("%d.proof.json", len(files))))
			keep(s.t, files[len(files)-1], a.want(200).body)
		default:
			s.call("POST", "/runs/"+id+"/commands", map[string]string{"type": "message", "text": "and then?"}, as(ann)).want(202)
		}
	}
}

// alone runs a command that needs no server and no store.
func alone(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(binary, args...).CombinedOutput(); err != nil {
		t.Fatalf("assent %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func keep(t testing.TB, file string, b []byte) {
	t.Helper()
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAuditOfAccess: who signed in, who got access, and who did not.
func TestAuditOfAccess(t *testing.T) {
	t.Parallel()
	s := office(t)
	session := cookie(s.signIn("ann", annPassword))
	s.call("POST", "/sign-in", map[string]string{"name": "ann", "password": "wrong wrong wrong"}).problem(401,
		"unauthenticated")
	token := s.call("POST", "/tokens", map[string]any{"name": "robot", "kind": "agent", "roles": []string{"approver"}},
		session).want(201)
	s.call("POST", "/tokens", map[string]any{"name": "x", "kind": "person", "roles": []string{"admin"}},
		bearer(token.text("secret"))).problem(403, "forbidden")
	s.call("DELETE", "/tokens/"+token.text("id"), nil, session).want(200)
	s.call("POST", "/sign-out", map[string]any{}, session).want(200)
	session = cookie(s.signIn("ann", annPassword))
	log := s.call("GET", "/audit?limit=100", nil, session).want(200)
	seen := map[string]int{}
	for i := range log.count("items") {
		at := fmt.Sprintf("items.%d.", i)
		seen[log.text(at+"action")+" "+log.text(at+"outcome")]++
	}
	for action, n := range map[string]int{
		"account.created done": 2, "session.started done": 2, "session.ended done": 1, "token.created done": 1,
		"token.removed done":    1,
		"access.signIn refused": 1, "access.createToken refused": 1,
	} {
		if seen[action] != n {
			t.Errorf("%s: %d entries, want %d (%v)", action, seen[action], n, seen)
		}
	}
	if secret := token.text("secret"); secret == "" || bytes.Contains(log.body, []byte(secret)) ||
		bytes.Contains(log.body, []byte(annPassword)) {
		t.Error("a secret is on record")
	}
}

// TestAuditUnderLoadAndKill: the chain is intact under concurrent decisions, and after the process was
// killed.
func TestAuditUnderLoadAndKill(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(refund)
	var wg sync.WaitGroup
	stopped := make(chan struct{})
	for range 8 {
		wg.Go(func() {
			for {
				select {
				case <-stopped:
					return
				default:
				}
				if a, err := s.try(http.MethodPost, "/runs",
					map[string]any{"workflow": "refund", "input": map[string]any{"amount": 5}}, as(ann)); err != nil ||
					a.status != 201 {
					return // it was killed
				}
			}
		})
	}
	for s.call("GET", "/audit?action=run.started&limit=1", nil).want(200).number("total") < 50 {
		pause()
	}
	s.kill()
	close(stopped)
	wg.Wait()
	s.start()
	check := s.call("GET", "/audit/verify", nil).want(200)
	runs := s.call("GET", "/runs?limit=1", nil).want(200).number("total")
	entries := s.call("GET", "/audit?action=run.started&limit=1", nil).want(200).number("total")
	if check.get("ok") != true || runs != entries || entries < 50 {
		t.Errorf("%d runs, %d entries: %s", runs, entries, check.body)
	}
}
