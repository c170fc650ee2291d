package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// alikeDocuments ask people in every way: by role, by name, two of them, the owner.
const alikeDocuments = `
agent: payer
kind: scripted
answers: [{ output: { paid: true } }]
---
workflow: by-name
steps: [{ id: pay, agent: payer }]
gates: [{ id: sign, at: before pay, assignees: [cat] }]
---
workflow: two
steps: [{ id: pay, agent: payer }]
gates: [{ id: sign, at: before pay, role: finance, quorum: 2 }]
---
workflow: own
owner_only: true
steps: [{ id: pay, agent: payer }]
gates: [{ id: sign, at: before pay }]
---
role: finance
permissions: [view, decide, start]
---
role: starter
permissions: [start]
`

// TestProgramCalledLikeAPerson: a token of a program has nothing of the person
// whose name it was given, and the person nothing of what the program did.
func TestProgramCalledLikeAPerson(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := writeFile(filepath.Join(dir, "alike.yaml"), alikeDocuments); err != nil {
		t.Fatal(err)
	}
	s := office(t, "--load", dir)
	ann := cookie(s.signIn("ann", annPassword))
	sign := func(name string, roles ...string) option {
		s.call("PUT", "/accounts/"+name, map[string]any{"password": bobPassword, "roles": roles}, ann).want(201)
		return cookie(s.signIn(name, bobPassword))
	}
	cat, eve := sign("cat", "finance"), sign("eve", "finance")
	token := func(kind, roles string) option {
		body := fmt.Sprintf(`{"name":"cat","kind":%q,"roles":[%s]}`, kind, roles)
		return bearer(s.call("POST", "/tokens", body, ann).want(201).text("secret"))
	}

	asked := s.asks("by-name", cat, ann)
	owned := s.call("GET", "/approvals/"+asked, nil, ann).want(200).text("run")
	handed := s.asks("two", ann, ann)
	s.call("POST", "/approvals/"+handed+"/decisions", `{"act":"delegate","to":"cat","version":1}`, eve).want(200)
	for kind, program := range map[string]option{"service": token("service", `"starter"`), "agent": token("agent", `"starter"`)} {
		s.call("GET", "/runs/"+owned, nil, program).problem(404, "not_found")
		s.call("POST", "/runs/"+owned+"/commands", `{"type":"cancel","reason":"mine"}`, program).problem(404, "not_found")
		for what, id := range map[string]string{"assigned": asked, "delegated": handed} {
			if got := s.call("GET", "/approvals/"+id, nil, program); got.status != 404 {
				t.Errorf("the %s cat sees what is %s to cat: %s", kind, what, got.body)
			}
			if got := s.call("POST", "/approvals/"+id+"/comments", `{"text":"well"}`, program); got.status != 404 && got.status != 403 {
				t.Errorf("the %s cat remarks on what is %s to cat: %s", kind, what, got.body)
			}
		}
		for _, list := range []string{"/runs", "/approvals", "/approvals?mine=true"} {
			if got := s.call("GET", list, nil, program).want(200); got.number("total") != 0 {
				t.Errorf("%s of the %s cat: %s", list, kind, got.body)
			}
		}
	}

	// What the service asks for is not what the person asks for: the person may
	// be one of the two who sign, and the two are still two.
	service := token("service", `"finance"`)
	paid := s.asks("two", service, ann)
	if v := s.call("GET", "/approvals/"+paid, nil, ann).want(200); v.text("requester") != "service:cat" {
		t.Errorf("requester: %s", v.body)
	}
	s.call("POST", "/approvals/"+paid+"/decisions", `{"act":"approve","version":1}`, cat).want(200)
	s.call("POST", "/approvals/"+paid+"/decisions", `{"act":"approve","version":2}`, service).problem(403, "forbidden")
	s.call("POST", "/approvals/"+paid+"/decisions", `{"act":"approve","version":2}`, cat).problem(409, "conflict")
	if v := s.call("POST", "/approvals/"+paid+"/decisions", `{"act":"approve","version":2}`, eve).want(200); v.text("status") != "approved" {
		t.Errorf("%s", v.body)
	}
	// What only the owner may decide is not decided by who is called like the owner.
	s.call("POST", "/approvals/"+s.asks("own", service, ann)+"/decisions", `{"act":"approve","version":1}`, cat).problem(403, "forbidden")

	// People are never called like programs.
	s.call("PUT", "/accounts/service:cat", map[string]any{"password": bobPassword}, ann).problem(422, "invalid")
	s.call("POST", "/tokens", `{"name":"service:cat","kind":"person","roles":[]}`, ann).problem(422, "invalid")
	s.call("POST", "/approvals/"+handed+"/decisions", `{"act":"delegate","to":"service:cat","version":2}`, cat).problem(422, "invalid")
}

// TestProgramsOnRecord: what a service does to documents is not put down to the
// person of its name.
func TestProgramsOnRecord(t *testing.T) {
	t.Parallel()
	s := office(t)
	ann := cookie(s.signIn("ann", annPassword))
	body := `{"name":"ann","kind":"service","roles":["admin"]}`
	service := bearer(s.call("POST", "/tokens", body, ann).want(201).text("secret"))
	s.defineAs("agent: payer\nkind: scripted\nanswers: [{ output: { paid: true } }]", service)
	all := s.call("GET", "/audit?action=definition.published", nil, ann).want(200)
	if all.count("items") == 0 || strings.Contains(string(all.body), `"kind":"person"`) {
		t.Errorf("%s", all.body)
	}
}
