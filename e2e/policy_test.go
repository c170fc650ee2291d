package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

const payments = `
agent: payer
kind: scripted
answers: [{ output: { paid: true } }]
---
workflow: pay
steps: [{ id: pay, agent: payer, operation: refund, risk: high, with: { amount: input.amount } }]
---
policy: house
rules:
  - { name: Small, priority: 1, trigger: { operation_type: [refund], data_threshold: { field: amount, operator: "<", value: 20 } }, action: { auto_approve: true, sample_percentage: 100 } }
  - { name: Rest, priority: 2, trigger: { operation_type: [refund] }, action: { role: approver } }
`

// pay decides about an amount.
func (s *server) pay(amount int, decision string) {
	s.t.Helper()
	id := s.run("pay", map[string]int{"amount": amount}, as(ann))
	if decision == "" {
		s.settles(id, "completed")
		return
	}
	s.call("POST", "/approvals/"+s.pending(id).text("id")+"/decisions", decision, as(bob)).want(200)
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(payments)
	for amount := range 12 {
		s.pay(30+amount, `{"act":"approve","version":1}`)
	}
	s.pay(90, `{"act":"reject","comment":"too much","version":1}`)
	s.pay(60, `{"act":"modify","changes":{"amount":50},"comment":"at most 50","version":1}`)
	s.pay(5, "")

	bold := `{"policy":"bold","rules":[{"name":"All","priority":1,"trigger":{"operation_type":["refund"]},"action":{"auto_approve":true}}]}`
	b := s.call("POST", "/policy/backtest", `{"policy":`+bold+`,"since":"1h"}`).want(200)
	if b.number("subjects") != 15 || b.number("asked_to_auto") != 14 || b.number("auto_to_asked") != 0 ||
		b.count("would_pass_rejected") != 1 ||
		b.count("would_pass_modified") != 1 || b.text("would_pass_rejected.0.comment") != "too much" ||
		b.text("by_rule.0.rule") != "All" {
		t.Errorf("%s", b.body)
	}
	s.call("POST", "/policy/backtest", `{"policy":"policy: x\nrules: 7","since":"1h"}`).problem(422, "invalid")
	s.call("POST", "/policy/backtest", `{"policy":`+bold+`,"since":"soon"}`).problem(422, "invalid")

	// A policy that would have approved the rejected one needs a justification.
	if p := s.call("PUT", "/policy", bold).problem(409, "conflict"); p.count("would_pass_rejected") != 1 {
		t.Errorf("%s", p.body)
	}
	draft := s.call("PUT", "/policy?draft=true", bold).want(201)
	if draft.get("published") != false {
		t.Errorf("%s", draft.body)
	}
	s.call("POST", "/policy/publish", fmt.Sprintf(`{"version":%d}`, draft.number("version"))).problem(409, "conflict")
	if d := s.call("GET", "/policy/versions/1/diff?to=2", nil).want(200); d.count("diff") == 0 {
		t.Errorf("%s", d.body)
	}
	why := s.call("POST", "/policy/test", `{"subject":{"operation":"refund","data":{"amount":50}}}`).want(200)
	if why.text("effect") != "ask" || why.text("rule") != "Rest" || why.count("steps") != 2 ||
		!strings.Contains(why.text("steps.0.result"), "does not match") {
		t.Errorf("%s", why.body)
	}

	samples := s.call("GET", "/policy/samples?since=1h", nil).want(200)
	if samples.count("items") != 1 || samples.number("accuracy.0.samples") != 1 {
		t.Fatalf("%s", samples.body)
	}
	s.call("POST", "/policy/samples/"+samples.text("items.0.approval"), `{"agree":false}`, as(bob)).problem(422, "invalid")
	s.call("POST", "/policy/samples/"+samples.text("items.0.approval"), `{"agree":true}`, as(bob)).want(200)
	if again := s.call("GET", "/policy/samples", nil).want(200); again.number("accuracy.0.agreed") != 1 ||
		again.text("items.0.review.by") != "bob" {
		t.Errorf("%s", again.body)
	}
	if l := s.call("GET", "/lessons?agent=payer", nil).want(200); l.count("items") != 2 ||
		l.text("items.0.comment") == "" {
		t.Errorf("%s", l.body)
	}
	lesson := s.call("GET", "/lessons", nil).want(200).text("items.0.id")
	s.call("PUT", "/lessons/"+lesson, map[string]any{"removed": true, "reason": "a slip"}).want(200)
	if l := s.call("GET", "/lessons?removed=true", nil).want(200); l.count("items") != 1 {
		t.Errorf("%s", l.body)
	}
	restored := s.call("PUT", "/lessons/"+lesson, map[string]any{}).want(200)
	correctedByTurns(t, s, lesson, restored)
	if l := s.call("GET", "/lessons.jsonl", nil).want(200); bytes.Count(l.body, []byte("\n")) != 2 {
		t.Errorf("%s", l.body)
	}
	list := s.call("GET", "/policy/suggestions?since=1h", nil).want(200)
	if list.count("items") != 1 || list.number("items.0.covered") != 12 || list.number("items.0.left") != 2 {
		t.Fatalf("%s", list.body)
	}
	adopted := s.call("POST", "/policy/suggestions/"+list.text("items.0.id")+"/adopt", nil).want(200)
	s.call("POST", "/policy/publish", fmt.Sprintf(`{"version":%d}`, adopted.number("version"))).want(200)
	s.pay(35, "")

	// The emergency stop applies from its response on, also after a crash.
	s.call("POST", "/policy/emergency_stop", `{"on":true,"reason":"odd refunds"}`, as(bob)).problem(403, "forbidden")
	s.call("POST", "/policy/emergency_stop", `{"on":true,"reason":"odd refunds"}`).want(200)
	s.kill()
	s.start()
	id := s.run("pay", map[string]int{"amount": 5}, as(ann))
	if a := s.pending(id); !strings.Contains(a.text("rule.reason"), "stopped") {
		t.Errorf("%s", a.body)
	}
	if p := s.call("GET", "/policy", nil).want(200); p.get("emergency_stop.on") != true {
		t.Errorf("%s", p.body)
	}
	s.call("POST", "/policy/emergency_stop", `{"on":false}`).want(200)
	s.pay(5, "")
	s.call("PUT", "/policy?accept_risk=we+know+these+customers+now", bold).want(201)
	s.pay(500, "")
}

// A half-written or invalid file never changes what is in force.
func TestPolicyFileIsWatched(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := writeFile(dir+"/policy.yaml", text); err != nil {
			t.Fatal(err)
		}
	}
	write("policy: one\nrules: [{ name: A, priority: 1, trigger: {}, action: {} }]\n")
	s := serve(t, "--load", dir)
	name := func() string { return s.call("GET", "/policy", nil).want(200).text("definition.policy") }
	if name() != "one" {
		t.Fatalf("%s is in force", name())
	}
	for _, bad := range []string{
		"policy: two\nrules: [{ name: A, prior", "policy: two\npolicy: three\n", "policy: two\n\trules: []",
		"policy: &a two\nrules: *a", "\x00\x01\xff",
		strings.Repeat("# long\n", 3_000_000) + "policy: two\n",
		"policy: two\nrules: [{ name: A, priority: 1, trigger: { risk: high }, action: {} }]",
	} {
		write(bad)
		for end := time.Now().Add(patience); s.call("GET", "/policy", nil).count("file_problems") == 0; pause() {
			if time.Now().After(end) {
				t.Fatalf("nobody noticed %.60q", bad)
			}
		}
		if name() != "one" {
			t.Fatalf("%s is in force after %.60q", name(), bad)
		}
		write("policy: one\nrules: [{ name: A, priority: 1, trigger: {}, action: {} }]\n")
		for end := time.Now().Add(patience); s.call("GET", "/policy", nil).count("file_problems") > 0; pause() {
			if time.Now().After(end) {
				t.Fatal("the good file does not count")
			}
		}
	}
	began := time.Now()
	write("policy: four\nrules: []\n")
	for name() != "four" {
		if time.Since(began) > patience {
			t.Fatal("the change is not in force")
		}
		pause()
	}
	t.Logf("a change is in force after %s", time.Since(began).Round(time.Millisecond))
}

// correctedByTurns: two people who correct the same lesson do not overwrite each other.
func correctedByTurns(t *testing.T, s *server, lesson string, last answer) {
	t.Helper()
	path := "/lessons/" + lesson
	seen := s.call("GET", "/lessons", nil).want(200)
	if seen.number("items.0.version") != 3 || seen.get("items.0.correction") != nil || last.number("version") != 3 ||
		last.header.Get("ETag") != `"3"` {
		t.Errorf("%s %s %s", seen.body, last.body, last.header)
	}
	first := s.call("PUT", path, `{"text":"first","version":3}`).want(200)
	s.call("PUT", path, `{"text":"second","version":3}`).problem(409, "version_mismatch")
	s.call("PUT", path, `{"text":"second"}`, header("If-Match", last.header.Get("ETag"))).problem(412, "version_mismatch")
	s.call("PUT", path, `{"text":"second","version":3}`, header("If-Match", first.header.Get("ETag"))).
		problem(422, "invalid")
	s.call("PUT", path, `{"text":"second","version":0}`).problem(422, "invalid")
	s.call("PUT", path, `{"text":"second"}`, header("If-Match", `"x"`)).problem(422, "invalid")
	if v := s.call("GET", "/lessons", nil).want(200); v.text("items.0.correction.text") != "first" ||
		v.number("items.0.version") != 4 {
		t.Errorf("%s", v.body)
	}
	s.call("PUT", path, `{"text":"second"}`, header("If-Match", first.header.Get("ETag"))).want(200)
	if _, errs, err := s.command("", "lessons", "restore", lesson, "--version", "4"); code(err) != 4 ||
		!strings.Contains(errs, "changed in the meantime") {
		t.Errorf("%d: %s", code(err), errs)
	}
	s.must("", "lessons", "restore", lesson, "--comment", "--version", "5")
	s.must("", "lessons", "correct", lesson, "third")
	s.must("", "lessons", "restore", lesson, "--comment")
}
