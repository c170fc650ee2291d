package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// peopleDocuments define a payment that two people in finance approve.
const peopleDocuments = `
agent: payer
kind: scripted
answers: [{ output: { paid: true } }]
---
workflow: pay
steps: [{ id: pay, agent: payer }]
gates: [{ id: sign, at: before pay, role: finance, quorum: 2 }]
---
role: finance
permissions: [view, comment, decide, start]
`

// TestOnlyPeopleDecide plays against the real program what programs with every role tried: to be the two
// people that a payment needs.
func TestOnlyPeopleDecide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := writeFile(filepath.Join(dir, "people.yaml"), peopleDocuments); err != nil {
		t.Fatal(err)
	}
	s := office(t, "--load", dir)
	ann := cookie(s.signIn("ann", annPassword))
	token := func(name, kind, roles string) option {
		body := fmt.Sprintf(`{"name":%q,"kind":%q,"roles":["%s"]}`, name, kind, strings.ReplaceAll(roles, " ", `","`))
		return bearer(s.call("POST", "/tokens", body, ann).want(201).text("secret"))
	}
	approval := s.asks("pay", ann, ann)
	one, two := token("till-1", "service", "finance"), token("till-2", "service", "finance admin")
	stranger := func(t *testing.T, program option, method, path, body string) {
		own := *s
		own.t = t
		if p := own.call(method, path, body, program).problem(403, "forbidden"); p.text("hint") == "" {
			t.Errorf("no hint: %s", p.body)
		}
	}
	for name, program := range map[string]option{"one service": one, "another": two,
		"an agent": token("robot", "agent", "finance admin")} {
		for _, try := range []struct{ what, method, path, body string }{
			{"approves", "POST", "/approvals/" + approval + "/decisions", `{"act":"approve","version":1}`},
			{"approves in a batch", "POST", "/approvals/batch", `{"ids":["` + approval + `"],"act":"approve"}`},
			{"makes a person", "POST", "/tokens", `{"name":"ann","kind":"person","roles":["finance"]}`},
			{"makes a service", "POST", "/tokens", `{"name":"more","kind":"service","roles":[]}`},
			{"makes an account", "PUT", "/accounts/eve", `{"password":"violet tram seventy lake","roles":["finance"]}`},
			{"stands in", "PUT", "/people/ann/stand_in", `{"to":"eve","until":"2099-01-01T00:00:00Z"}`},
			{"expires", "POST", "/approvals/expire", `{"older_than":"1ns"}`},
		} {
			t.Run(name+" "+try.what, func(t *testing.T) { stranger(t, program, try.method, try.path, try.body) })
		}
	}
	// A comment decides nothing, so a service may add one.
	s.call("POST", "/approvals/"+approval+"/comments", `{"text":"the till agrees"}`, one).want(200)
	if v := s.call("GET", "/approvals/"+approval, nil, ann).want(200); v.text("status") != "pending" ||
		v.count("decisions") != 0 {
		t.Fatalf("%s", v.body)
	}
	// A token of kind person acts as that person, and cannot create another one.
	fay := token("fay", "person", "finance admin")
	s.call("POST", "/tokens", `{"name":"gil","kind":"person","roles":["finance"]}`, fay).problem(403, "forbidden")
	s.call("POST", "/tokens", `{"name":"ci","kind":"service","roles":["finance"]}`, fay).want(201)
	s.call("POST", "/approvals/"+approval+"/decisions", `{"act":"approve","version":1}`, fay).want(200)
	s.call("POST", "/approvals/"+approval+"/decisions", `{"act":"delegate","to":"till-1","version":2}`,
		token("kim", "person", "finance")).problem(422, "invalid")
	if v := s.call("POST", "/approvals/"+approval+"/decisions", `{"act":"approve","version":2}`,
		token("kim", "person", "finance")).want(200); v.text("status") != "approved" {
		t.Errorf("%s", v.body)
	}
}
