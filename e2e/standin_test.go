package e2e

import (
	"strings"
	"testing"
	"time"
)

const absence = `
agent: writer
kind: scripted
answers: [{ output: { text: hello } }]
---
workflow: by-role
steps: [{ id: a, agent: writer }]
gates: [{ id: check, at: end, role: finance }]
---
workflow: by-name
steps: [{ id: a, agent: writer }]
gates: [{ id: check, at: end, assignees: [cat] }]
---
workflow: two
steps: [{ id: a, agent: writer }]
gates: [{ id: check, at: end, role: finance, quorum: 2 }]
---
workflow: not-oneself
steps: [{ id: a, agent: writer }]
gates: [{ id: check, at: end, role: finance, requester: excluded }]
---
workflow: own
owner_only: true
steps: [{ id: a, agent: writer }]
gates: [{ id: check, at: end }]
`

// absent is a server where cat (finance) may be away, dan has no role, and eve is in finance as well.
func absent(t *testing.T) (s *server, ann, cat, dan, eve option) {
	s = office(t)
	ann = cookie(s.signIn("ann", annPassword))
	s.defineAs(absence, ann)
	sign := func(name string, roles ...string) option {
		s.call("PUT", "/accounts/"+name, map[string]any{"password": bobPassword, "roles": roles}, ann).want(201)
		return cookie(s.signIn(name, bobPassword))
	}
	return s, ann, sign("cat", "finance", "approver"), sign("dan"), sign("eve", "finance")
}

// asks starts a run and returns the approval it waits for.
func (s *server) asks(workflow string, starter, reader option) string {
	s.t.Helper()
	id := s.run(workflow, map[string]any{}, starter)
	for end := time.Now().Add(patience); ; pause() {
		r := s.call("GET", "/runs/"+id, nil, reader).want(200)
		if r.text("status") == "waiting" {
			return r.text("pending_approvals.0")
		}
		if time.Now().After(end) {
			s.t.Fatalf("%s", r.body)
		}
	}
}

func later(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339Nano) }

func (s *server) away(name, to string, by option) answer {
	s.t.Helper()
	return s.call("PUT", "/people/"+name+"/stand_in", map[string]any{"to": to, "until": later(time.Hour)}, by)
}

// TestStandIn: while a person is away, another decides for them, and both are recorded.
func TestStandIn(t *testing.T) {
	t.Parallel()
	s, ann, cat, dan, eve := absent(t)
	role, name := s.asks("by-role", ann, ann), s.asks("by-name", ann, ann)
	for _, id := range []string{role, name} {
		s.call("GET", "/approvals/"+id, nil, dan).problem(404, "not_found")
	}
	mine := func(who option) answer {
		return s.call("GET", "/approvals?mine=true&status=pending", nil, who).want(200)
	}
	if n := mine(dan).number("total"); n != 0 {
		t.Errorf("dan is asked %v", n)
	}

	set := s.away("cat", "dan", cat).want(200)
	if set.text("name") != "cat" || set.text("to") != "dan" || set.get("counts") != true || set.count("notes") != 0 {
		t.Errorf("%s", set.body)
	}
	if list := mine(dan); list.number("total") != 2 || list.text("items.0.for") != "cat" {
		t.Errorf("%s", list.body)
	}
	v := s.call("GET", "/approvals/"+name, nil, ann).want(200)
	if v.text("away.0.name") != "cat" || v.text("away.0.to") != "dan" || v.get("for") != nil {
		t.Errorf("%s", v.body)
	}
	if out := s.must("", "auth", "why", "dan", name); !strings.Contains(out, "stands in for cat") {
		t.Errorf("%s", out)
	}
	for _, id := range []string{role, name} {
		v := s.call("GET", "/approvals/"+id, nil, dan).want(200)
		if v.text("for") != "cat" || strings.Contains(string(v.body), `"delegate"`) {
			t.Errorf("%s", v.body)
		}
		s.call("POST", "/approvals/"+id+"/decisions", `{"act":"delegate","to":"eve","version":1}`,
			dan).problem(403, "forbidden")
		done := s.call("POST", "/approvals/"+id+"/decisions", `{"act":"approve","version":1}`, dan).want(200)
		if done.text("decisions.0.by") != "dan" || done.text("decisions.0.on_behalf_of") != "cat" ||
			done.text("status") != "approved" {
			t.Errorf("%s", done.body)
		}
	}

	// One person, one vote, whether cast in person or by a stand-in.
	two := s.asks("two", ann, ann)
	s.call("POST", "/approvals/"+two+"/decisions", `{"act":"approve","version":1}`, dan).want(200)
	s.call("POST", "/approvals/"+two+"/decisions", `{"act":"approve","version":2}`, dan).problem(403, "forbidden")
	s.call("POST", "/approvals/"+two+"/decisions", `{"act":"approve","version":2}`, cat).problem(409, "conflict")
	if v := s.call("POST", "/approvals/"+two+"/decisions", `{"act":"approve","version":2}`,
		eve).want(200); v.text("status") != "approved" {
		t.Errorf("%s", v.body)
	}

	// dan cannot decide cat's own request for cat.
	own := s.asks("not-oneself", cat, cat)
	s.call("POST", "/approvals/"+own+"/decisions", `{"act":"approve","version":1}`, dan).problem(403, "forbidden")

	// What only cat may decide, an administrator may not, and dan may.
	only := s.asks("own", cat, cat)
	s.call("POST", "/approvals/"+only+"/decisions", `{"act":"approve","version":1}`, ann).problem(403, "forbidden")
	if v := s.call("POST", "/approvals/"+only+"/decisions", `{"act":"approve","version":1}`,
		dan).want(200); v.text("decisions.0.on_behalf_of") != "cat" {
		t.Errorf("%s", v.body)
	}

	// When cat is back, it ends immediately.
	last := s.asks("by-role", ann, ann)
	s.call("GET", "/approvals/"+last, nil, dan).want(200)
	s.call("DELETE", "/people/cat/stand_in", nil, cat).want(200)
	s.call("GET", "/approvals/"+last, nil, dan).problem(404, "not_found")
	s.call("POST", "/approvals/"+last+"/decisions", `{"act":"approve","version":1}`, dan).problem(404, "not_found")
	s.call("GET", "/people/cat/stand_in", nil, cat).problem(404, "not_found")

	entries := string(s.call("GET", "/audit?target=person/cat", nil, ann).want(200).body)
	for _, action := range []string{"stand_in.set", "stand_in.cleared"} {
		if !strings.Contains(entries, action) {
			t.Errorf("%s is not on record: %s", action, entries)
		}
	}
}

// TestStandInTimes: it applies from its start until its end, and revoked roles no longer count.
func TestStandInTimes(t *testing.T) {
	t.Parallel()
	s, ann, cat, dan, _ := absent(t)
	id := s.asks("by-role", ann, ann)
	sees := func(status int) {
		t.Helper()
		for end := time.Now().Add(patience); ; pause() {
			if a := s.call("GET", "/approvals/"+id, nil, dan); a.status == status {
				return
			} else if time.Now().After(end) {
				t.Fatalf("%d: %s", a.status, a.body)
			}
		}
	}
	put := func(from, until time.Duration) {
		t.Helper()
		s.call("PUT", "/people/cat/stand_in", map[string]any{"to": "dan", "from": later(from), "until": later(until)},
			cat).want(200)
	}
	put(time.Hour, 2*time.Hour)
	s.call("GET", "/approvals/"+id, nil, dan).problem(404, "not_found")
	if list := s.call("GET", "/people/stand_ins", nil, dan).want(200); list.number("total") != 1 ||
		list.get("items.0.counts") != false {
		t.Errorf("%s", list.body)
	}
	put(200*time.Millisecond, time.Hour)
	sees(200)
	s.call("PUT", "/accounts/cat", `{"roles":[]}`, ann).want(200)
	sees(404)
	s.call("PUT", "/accounts/cat", `{"roles":["finance"]}`, ann).want(200)
	sees(200)
	s.call("PUT", "/accounts/cat", `{"disabled":true}`, ann).want(200)
	sees(404)
	s.call("PUT", "/accounts/cat", `{"disabled":false}`, ann).want(200)
	sees(200)
	s.stop()
	s.start()
	sees(200)
	cat = cookie(s.signIn("cat", bobPassword))
	for soon := 300 * time.Millisecond; ; soon *= 2 { // on a busy machine the end may have passed before it is stored
		if a := s.call("PUT", "/people/cat/stand_in", map[string]any{"to": "dan", "from": later(-time.Hour),
			"until": later(soon)}, cat); a.status == 200 || soon > patience {
			a.want(200)
			break
		}
	}
	sees(404)
	if list := s.call("GET", "/people/stand_ins", nil, ann).want(200); list.number("total") != 0 {
		t.Errorf("%s", list.body)
	}
}

// TestStandInRules: rejected stand-ins, and why.
func TestStandInRules(t *testing.T) {
	t.Parallel()
	s, ann, cat, dan, eve := absent(t)
	s.call("POST", "/tokens", `{"name":"robot","kind":"agent"}`, ann).want(201)
	named := s.call("POST", "/tokens", `{"name":"cat","kind":"agent","roles":["admin"]}`, ann).want(201)
	service := s.call("POST", "/tokens", `{"name":"cat","kind":"service"}`, ann).want(201)
	put := func(by option, body string) answer {
		return s.call("PUT", "/people/cat/stand_in",
			strings.ReplaceAll(strings.ReplaceAll(body, "SOON", later(time.Hour)), "PAST", later(-time.Hour)), by)
	}
	for body, says := range map[string]string{
		`{"to":"cat","until":"SOON"}`:                               "can't stand in for themselves",
		`{"to":"CAT","until":"SOON"}`:                               "can't stand in for themselves",
		`{"to":"robot","until":"SOON"}`:                             "is the token of an agent",
		`{"to":"role:finance","until":"SOON"}`:                      "expected a person's name",
		`{"to":"","until":"SOON"}`:                                  "expected a person's name",
		`{"to":"dan"}`:                                              "is required",
		`{"to":"dan","until":"PAST"}`:                               "in the future",
		`{"to":"dan","from":"2100-01-02T00:00:00Z","until":"SOON"}`: "after from",
		`{"to":"dan","until":"2100-01-01T00:00:00Z"}`:               "at most a year",
	} {
		if p := put(cat, body).problem(422, "invalid"); !strings.Contains(string(p.body), says) {
			t.Errorf("%s: %s", body, p.body)
		}
	}
	s.call("GET", "/people/cat/stand_in", nil, cat).problem(404, "not_found")
	good := `{"to":"dan","until":"SOON"}`
	put(dan, good).problem(403, "forbidden")
	put(bearer(named.text("secret")), good).problem(403, "forbidden")   // an agent called cat is not cat
	put(bearer(service.text("secret")), good).problem(403, "forbidden") // nor is a service
	put(header("X-Nothing", "x"), good).problem(401, "unauthenticated")
	put(ann, good).want(200)
	s.call("GET", "/people/cat/stand_in", nil, dan).problem(403, "forbidden")
	if v := s.call("GET", "/people/Cat/stand_in", nil, ann).want(200); v.text("set_by") != "ann" {
		t.Errorf("%s", v.body)
	}

	// One at a time: another replaces it.
	put(cat, `{"to":"eve","until":"SOON"}`).want(200)
	if list := s.call("GET", "/people/stand_ins", nil, ann).want(200); list.number("total") != 1 ||
		list.text("items.0.to") != "eve" {
		t.Errorf("%s", list.body)
	}
	if list := s.call("GET", "/people/stand_ins", nil, dan).want(200); list.number("total") != 0 {
		t.Errorf("dan sees what does not concern them: %s", list.body)
	}

	// It cannot be passed on, and the response says so.
	s.away("eve", "dan", eve).want(200)
	if v := s.call("GET", "/people/cat/stand_in", nil, cat).want(200); !strings.Contains(v.text("notes.0"),
		"dan decides for eve, but not for cat") {
		t.Errorf("%s", v.body)
	}
	id := s.asks("by-name", ann, ann)
	s.call("GET", "/approvals/"+id, nil, dan).problem(404, "not_found")
	s.call("POST", "/approvals/"+id+"/decisions", `{"act":"approve","version":1}`, eve).want(200)

	// A person without an account cannot be a stand-in.
	s.call("DELETE", "/accounts/eve", nil, ann).want(200)
	if list := s.call("GET", "/people/stand_ins", nil, ann).want(200); list.number("total") != 0 {
		t.Errorf("%s", list.body)
	}
}
