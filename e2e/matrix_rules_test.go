package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// These rules hold regardless of roles, documents and settings.

const ruleDocuments = `
agent: payer
kind: scripted
answers: [{ output: { paid: true } }]
---
workflow: two
steps: [{ id: pay, agent: payer }]
gates: [{ id: sign, at: before pay, role: approver, quorum: 2, acts: [approve, modify, reject, escalate, delegate] }]
---
workflow: one
steps: [{ id: pay, agent: payer }]
gates: [{ id: sign, at: before pay, role: approver, acts: [approve, modify, reject, escalate, delegate] }]
---
workflow: robots
steps: [{ id: pay, agent: payer }]
gates: [{ id: sign, at: before pay, assignees: [robot, "role:approver"], acts: [approve, modify, reject, escalate, delegate] }]
---
workflow: mine
owner_only: true
steps: [{ id: pay, agent: payer }]
gates: [{ id: sign, at: before pay, role: approver }]
---
role: everything
permissions: ["*"]
`

var (
	adminActor = actor{"root", "person", words("admin")}
	pia        = actor{"pia", "person", words("approver")}
	pam        = actor{"pam", "person", words("approver")}
	pat        = actor{"pat", "person", words("approver")}
)

// rules is a server with an approval to be decided.
type rules struct{ *realm }

func newRules(t *testing.T) rules { return rules{newRealm(t, ruleDocuments, false)} }

// asks starts a run as its owner and returns it with the approval it waits for.
func (r rules) asks(owner, workflow string) place {
	r.Helper()
	run, approval := r.begin(owner, workflow, "x")
	return place{run, approval}
}

// decide sends an act on the current version, or a given one.
func (r rules) decide(a actor, at place, act string, more ...any) answer {
	r.Helper()
	body := actBody(act, "zoe", 0)
	var headers []string
	for i := 0; i+1 < len(more); i += 2 {
		if more[i] == "Idempotency-Key" {
			headers = append(headers, "Idempotency-Key", more[i+1].(string))
			continue
		}
		body[more[i].(string)] = more[i+1]
	}
	if body["version"] == 0 {
		body["version"] = r.ask(adminActor, "GET", "/approvals/"+at.approval, nil).want(200).number("version")
	}
	return r.ask(a, "POST", "/approvals/"+at.approval+"/decisions", body, headers...)
}

// ends waits until a run has ended, and returns it.
func (r rules) ends(at place) answer {
	r.Helper()
	for end := time.Now().Add(patience); ; pause() {
		v := r.ask(adminActor, "GET", "/runs/"+at.run, nil).want(200)
		if slices.Contains(words("completed failed cancelled"), v.text("status")) {
			return v
		}
		if time.Now().After(end) {
			r.Fatalf("%s", v.body)
		}
	}
}

// account creates an account with roles.
func (r rules) account(name, roles string) {
	r.Helper()
	r.ask(adminActor, "PUT", "/accounts/"+name,
		map[string]any{"password": "violet tram seventy lake", "roles": words(roles)}).want(201)
}

// standsIn sets a stand-in for someone who is away.
func (r rules) standsIn(to, away string) {
	r.Helper()
	r.ask(adminActor, "PUT", "/people/"+away+"/stand_in",
		map[string]any{"to": to, "until": time.Now().Add(time.Hour).UTC()}).want(200)
}

// untouched checks that no act has counted yet.
func (r rules) untouched(at place, decisions int) {
	r.Helper()
	v := r.ask(adminActor, "GET", "/approvals/"+at.approval, nil).want(200)
	if v.text("status") != "pending" || v.count("decisions") != decisions || v.number("quorum.given") != 0 {
		r.Errorf("it is not as it was: %s", v.body)
	}
}

func TestAnAgentNeverDecides(t *testing.T) {
	t.Parallel()
	r := newRules(t)
	for _, roles := range []string{"", "approver", "admin", "everything", "admin approver everything reviewer"} {
		robot := actor{"robot", "agent", words(roles)}
		for _, workflow := range words("one two robots") {
			at := r.asks("ann", workflow)
			for _, act := range allActs {
				if got := r.decide(robot, at, act); got.status != 403 && (got.status != 404 || roles != "") {
					t.Errorf("%s, %s: %s gives %d %s", robot, workflow, act, got.status, got.body)
				}
			}
			if got := r.ask(robot, "POST", "/approvals/batch",
				map[string]any{"ids": []string{at.approval}, "act": "approve"}); got.status < 400 &&
				got.get("results.0.ok") != false {
				t.Errorf("%s by a batch: %s", robot, got.body)
			}
			if got := r.ask(robot, "POST", "/approvals/"+at.approval+"/comments", `{"text":"I would"}`); got.status < 400 {
				t.Errorf("%s comments: %s", robot, got.body)
			}
			r.untouched(at, 0)
			// Nor when it is delegated to them, or it is their own run.
			if workflow == "one" {
				r.decide(pia, at, "delegate", "to", "robot").problem(422, "invalid")
				r.decide(pam, at, "escalate", "to", "robot").problem(422, "invalid")
				r.untouched(at, 0)
			}
		}
		if got := r.decide(robot, r.asks("robot", "mine"), "approve"); got.status != 403 &&
			(got.status != 404 || roles != "") {
			t.Errorf("%s, in the run of a person of its name: %d %s", robot, got.status, got.body)
		}
		for path, body := range map[string]string{
			"PUT /workflows/new":   `{"workflow":"new","steps":[{"id":"a","human":{"title":"t"}}]}`,
			"PUT /agents/new":      `{"agent":"new","kind":"scripted","answers":[{"output":1}]}`,
			"PUT /policy":          `{"policy":"default","rules":[]}`,
			"PUT /accounts/new":    `{"password":"violet tram seventy lake","roles":["admin"]}`,
			"POST /tokens":         `{"name":"new","kind":"person","roles":["admin"]}`,
			"GET /tokens":          "",
			"GET /accounts":        "",
			"DELETE /accounts/pia": "",

			"POST /policy/emergency_stop": `{"on":false}`,
			"POST /approvals/expire":      `{"older_than":"1ns"}`,
		} {
			method, path, _ := strings.Cut(path, " ")
			var in any
			if body != "" {
				in = body
			}
			r.ask(robot, method, path, in).problem(403, "forbidden")
		}
	}
}

func TestTheRequesterNeverCounts(t *testing.T) {
	t.Parallel()
	r := newRules(t)
	at := r.asks("rita", "two")
	rita := func(kind, roles string) actor { return actor{"rita", kind, words(roles)} }
	refused := func(what string, a actor, act string, more ...any) {
		t.Helper()
		if got := r.decide(a, at, act, more...); got.status != 403 && got.status != 404 {
			t.Errorf("%s: %s %s gives %d: %s", what, a, act, got.status, got.body)
		}
	}
	routes := func(what string) {
		t.Helper()
		for _, act := range words("approve modify reject escalate delegate") {
			refused(what, rita("person", "approver"), act)
			refused(what+", as admin", rita("person", "admin"), act)
			refused(what+", by another role", rita("person", "everything"), act)
			refused(what+", by all roles", rita("person", "manager approver admin"), act)
			refused(what+", as a service of that name", rita("service", "approver admin"), act)
			refused(what+", without roles", rita("person", ""), act)
		}
		r.ask(rita("service", "admin"), "POST", "/approvals/batch",
			map[string]any{"ids": []string{at.approval}, "act": "approve"}).problem(403, "forbidden")
		if got := r.ask(rita("service", "admin"), "GET", "/approvals/"+at.approval, nil).want(200); got.count("acts") != 0 {
			t.Errorf("%s: %v are offered", what, got.get("acts"))
		}
		for _, a := range []actor{rita("person", "approver")} {
			if got := r.ask(a, "POST", "/approvals/batch",
				map[string]any{"ids": []string{at.approval}, "act": "approve"}).want(200); got.get("results.0.ok") != false {
				t.Errorf("%s, by a batch: %s", what, got.body)
			}
			if got := r.ask(a, "GET", "/approvals/"+at.approval, nil).want(200); got.count("acts") != 0 {
				t.Errorf("%s: %v are offered", what, got.get("acts"))
			}
		}
	}
	routes("directly")
	r.untouched(at, 0)
	// It cannot be delegated to them by name; delegating to one of their roles does not help.
	r.decide(pia, at, "delegate", "to", "rita").problem(403, "forbidden")
	r.decide(pia, at, "delegate", "to", "role:manager").want(200)
	routes("handed to a role of theirs")
	r.decide(pam, at, "escalate", "to", "rita")
	routes("escalated to them")
	r.decide(pam, at, "escalate", "to", "role:manager").want(200)
	routes("escalated to a role of theirs")
	// They stand in for someone who may, and someone without permissions for them.
	r.account("pia", "approver")
	r.account("sol", "approver")
	r.account("rita", "approver admin")
	r.account("dan", "")
	r.standsIn("rita", "sol")
	routes("as a stand-in")
	r.standsIn("dan", "rita")
	for _, act := range words("approve modify reject delegate") {
		refused("for them", actor{"dan", "person", nil}, act)
	}
	v := r.ask(adminActor, "GET", "/approvals/"+at.approval, nil).want(200)
	if v.number("quorum.given") != 0 || strings.Contains(string(v.body), `"by":"rita"`) {
		t.Errorf("%s", v.body)
	}
	// Their stand-in decides in their own name, if they may.
	r.account("pam", "approver")
	r.standsIn("pam", "rita")
	// Others decide as before.
	if got := r.decide(pam, at, "approve").want(200); strings.Contains(string(got.body), `"on_behalf_of":"rita"`) {
		t.Errorf("%s", got.body)
	}
	if got := r.decide(pat, at, "approve").want(200); got.text("status") != "approved" {
		t.Errorf("%s", got.body)
	}
}

func TestOnePersonHasOneVote(t *testing.T) {
	t.Parallel()
	r := newRules(t)
	conflict := func(what string, a actor, at place) {
		t.Helper()
		if got := r.decide(a, at, "approve"); got.status != 409 && got.status != 403 {
			t.Errorf("%s: %s gives %d: %s", what, a, got.status, got.body)
		}
		v := r.ask(adminActor, "GET", "/approvals/"+at.approval, nil).want(200)
		if v.text("status") != "pending" || v.number("quorum.given") > 1 {
			t.Errorf("%s: %s", what, v.body)
		}
	}
	at := r.asks("rita", "two")
	r.decide(pia, at, "approve").want(200)
	conflict("again", pia, at)
	conflict("as admin", actor{"pia", "person", words("admin")}, at)
	conflict("by another role", actor{"pia", "person", words("everything approver")}, at)
	conflict("as a service of that name", actor{"pia", "service", words("approver")}, at)
	r.decide(pia, at, "delegate", "to", "dan").want(200)
	conflict("handed on after voting", actor{"dan", "person", nil}, at)

	// A delegated vote counts once, however many could take it up.
	at = r.asks("rita", "two")
	r.decide(pia, at, "delegate", "to", "role:manager").want(200)
	mia, max := actor{"mia", "person", words("manager")}, actor{"max", "person", words("manager")}
	if got := r.decide(mia, at, "approve").want(200); got.text("decisions.1.on_behalf_of") != "pia" {
		t.Errorf("%s", got.body)
	}
	conflict("a second manager", max, at)
	conflict("who handed it on", pia, at)

	// Delegating it again does not create a second one.
	at = r.asks("rita", "two")
	r.decide(pia, at, "delegate", "to", "role:manager").want(200)
	r.decide(mia, at, "delegate", "to", "eve").want(200)
	r.decide(actor{"eve", "person", nil}, at, "approve").want(200)
	conflict("the rest of a role when one handed it on", max, at)

	// A person with their own vote and a delegated one still has one.
	at = r.asks("rita", "two")
	r.decide(pia, at, "delegate", "to", "pam").want(200)
	r.decide(pam, at, "approve").want(200)
	conflict("the own vote and a handed one", pam, at)

	// Standing in does not create a second vote either, for however many.
	for _, name := range words("pia pam pat") {
		r.account(name, "approver")
	}
	dan, sue := actor{"dan", "person", nil}, actor{"sue", "person", nil}
	r.account("dan", "")
	r.standsIn("dan", "pia")
	r.standsIn("dan", "pam")
	at = r.asks("rita", "two")
	r.decide(dan, at, "approve").want(200)
	conflict("a stand-in of two", dan, at)

	r.standsIn("sue", "pam")
	at = r.asks("rita", "two")
	r.decide(dan, at, "approve").want(200)
	conflict("who is away, after their stand-in", pia, at)
	r.decide(sue, at, "approve").want(200) // for somebody else

	at = r.asks("rita", "two")
	r.decide(pia, at, "approve").want(200)
	conflict("a stand-in, after who is away", dan, at)

	at = r.asks("rita", "two")
	r.decide(pia, at, "delegate", "to", "eve").want(200)
	r.decide(actor{"eve", "person", nil}, at, "approve").want(200)
	conflict("a stand-in for who handed it on", dan, at)
	at = r.asks("rita", "two")
	r.decide(pia, at, "delegate", "to", "eve").want(200)
	r.decide(actor{"eve", "person", nil}, at, "delegate", "to", "eva").want(200)
	r.decide(actor{"eva", "person", nil}, at, "approve").want(200)
	conflict("a stand-in for who handed it on, twice", dan, at)
}

func TestADecisionBindsToWhatWasShown(t *testing.T) {
	t.Parallel()
	r := newRules(t)
	for _, workflow := range words("one two") {
		at := r.asks("rita", workflow)
		seen := r.ask(pia, "GET", "/approvals/"+at.approval, nil).want(200)
		shown := seen.number("version")
		for _, wrong := range []int64{shown - 1, shown + 1, 99} {
			if got := r.ask(pia, "POST", "/approvals/"+at.approval+"/decisions",
				map[string]any{"act": "approve", "version": wrong}); got.status != 409 && got.status != 422 {
				t.Errorf("version %d: %d %s", wrong, got.status, got.body)
			}
		}
		r.untouched(at, 0)
		if workflow == "one" {
			continue
		}
		changed := r.decide(pam, at, "modify", "changes", map[string]any{"amount": 9}).want(200)
		if changed.text("action.digest") == seen.text("action.digest") && changed.number("version") == shown {
			t.Errorf("it changed and is called the same: %s", changed.body)
		}
		for _, act := range words("approve modify reject delegate") {
			r.decide(pia, at, act, "version", shown).problem(409, "version_mismatch")
		}
		if got := r.decide(pia, at, "approve").want(200); got.text("status") != "modified" ||
			got.number("proposed.amount") != 9 {
			t.Errorf("%s", got.body)
		}
		r.ends(at)
		if got := r.ask(adminActor, "GET", "/runs/"+at.run+"/steps/pay", nil).want(200); got.number("input.amount") != 9 {
			t.Errorf("something else was done than was approved: %s", got.body)
		}
	}
}

func TestADecisionIsSingleUse(t *testing.T) {
	t.Parallel()
	r := newRules(t)
	at := r.asks("rita", "two")
	first := r.decide(pia, at, "approve", "version", 1, "Idempotency-Key", "k1").want(200)
	if again := r.decide(pia, at, "approve", "version", 1, "Idempotency-Key", "k1").want(200); !bytes.Equal(first.body,
		again.body) {
		t.Errorf("the same key: first %s, then %s", first.body, again.body)
	}
	r.decide(pia, at, "approve", "version", 1).problem(409, "version_mismatch")
	r.decide(pia, at, "approve", "version", 2).problem(409, "conflict")
	r.decide(pia, at, "approve", "version", 2, "Idempotency-Key", "k2").problem(409, "conflict")
	r.decide(pia, at, "reject", "version", 2, "Idempotency-Key", "k1").problem(409, "conflict") // another request
	r.decide(pam, at, "approve", "version", 1, "Idempotency-Key", "k1").problem(409, "version_mismatch")
	if v := r.ask(adminActor, "GET", "/approvals/"+at.approval, nil).want(200); v.count("decisions") != 1 ||
		v.number("quorum.given") != 1 {
		t.Errorf("%s", v.body)
	}
	last := r.decide(pam, at, "approve", "version", 2, "Idempotency-Key", "k3").want(200)
	for range 3 {
		if again := r.decide(pam, at, "approve", "version", 2, "Idempotency-Key", "k3").want(200); !bytes.Equal(last.body,
			again.body) {
			t.Errorf("the same key: first %s, then %s", last.body, again.body)
		}
		if p := r.decide(pam, at, "approve", "version", 2).problem(409, "already_decided"); p.text("decided_by") != "pam" {
			t.Errorf("%s", p.body)
		}
	}
	r.ends(at)
	started := 0
	events := r.ask(adminActor, "GET", "/runs/"+at.run+"/events?limit=200", nil).want(200)
	for i := range events.count("items") {
		if events.text(fmt.Sprintf("items.%d.type", i)) == "step.started" {
			started++
		}
	}
	if started != 1 {
		t.Errorf("the step started %d times: %s", started, events.body)
	}
	// An approval in one run says nothing about another.
	other := r.asks("rita", "two")
	r.untouched(other, 0)
}

func TestDelegationShowsBothPrincipals(t *testing.T) {
	t.Parallel()
	r := newRules(t)
	at := r.asks("rita", "one")
	r.decide(pia, at, "delegate", "to", "dan").want(200)
	r.bothPrincipals(at, 1)
	r.account("pia", "approver")
	r.account("dan", "")
	r.standsIn("dan", "pia")
	r.bothPrincipals(r.asks("rita", "one"), 0)
}

// bothPrincipals makes dan decide for pia and checks who is shown.
func (r rules) bothPrincipals(at place, before int) {
	t := r.TB
	t.Helper()
	dan := actor{"dan", "person", nil}
	got := r.decide(dan, at, "approve").want(200)
	both := func(where string, raw []byte) {
		t.Helper()
		if !bytes.Contains(raw, []byte(`"dan"`)) || !bytes.Contains(raw, []byte(`"on_behalf_of":"pia"`)) {
			t.Errorf("%s shows one of them at most: %s", where, raw)
		}
	}
	if last := fmt.Sprintf("decisions.%d.", before); got.text(last+"by") != "dan" ||
		got.text(last+"on_behalf_of") != "pia" {
		t.Errorf("%s", got.body)
	}
	both("the approval", r.ask(pia, "GET", "/approvals/"+at.approval, nil).want(200).body)
	events := r.ask(adminActor, "GET", "/runs/"+at.run+"/events?full=true&limit=200", nil).want(200)
	entries := r.ask(adminActor, "GET", "/audit?action=approval.decided&target="+at.run, nil).want(200)
	find := func(list answer, match func(string) bool) []byte {
		t.Helper()
		var v struct{ Items []json.RawMessage }
		if err := json.Unmarshal(list.body, &v); err != nil {
			t.Fatal(err)
		}
		for _, item := range v.Items {
			if match(string(item)) {
				return item
			}
		}
		t.Errorf("nothing of it in %s", list.body)
		return nil
	}
	decided := func(s string) bool {
		return strings.Contains(s, "approval.decided") && strings.Contains(s, `"dan"`) && strings.Contains(s, `"approve"`)
	}
	both("the history", find(events, decided))
	both("the audit log", find(entries, decided))
}
