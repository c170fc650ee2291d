package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/steady"
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

// TestProgramCalledLikeAPerson: a program's token has no share in the person of the same name, and the person
// none in what the program did.
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
	for kind, program := range map[string]option{"service": token("service", `"starter"`),
		"agent": token("agent", `"starter"`)} {
		s.call("GET", "/runs/"+owned, nil, program).problem(404, "not_found")
		s.call("POST", "/runs/"+owned+"/commands", `{"type":"cancel","reason":"mine"}`, program).problem(404, "not_found")
		for what, id := range map[string]string{"assigned": asked, "delegated": handed} {
			if got := s.call("GET", "/approvals/"+id, nil, program); got.status != 404 {
				t.Errorf("the %s cat sees what is %s to cat: %s", kind, what, got.body)
			}
			if got := s.call("POST", "/approvals/"+id+"/comments", `{"text":"well"}`,
				program); got.status != 404 && got.status != 403 {
				t.Errorf("the %s cat remarks on what is %s to cat: %s", kind, what, got.body)
			}
		}
		for _, list := range []string{"/runs", "/approvals", "/approvals?mine=true"} {
			if got := s.call("GET", list, nil, program).want(200); got.number("total") != 0 {
				t.Errorf("%s of the %s cat: %s", list, kind, got.body)
			}
		}
	}

	// A service's request is not the person's request: the person may be one of the two approvers, and two
	// are still needed.
	service := token("service", `"finance"`)
	paid := s.asks("two", service, ann)
	if v := s.call("GET", "/approvals/"+paid, nil, ann).want(200); v.text("requester") != "service:cat" {
		t.Errorf("requester: %s", v.body)
	}
	s.call("POST", "/approvals/"+paid+"/decisions", `{"act":"approve","version":1}`, cat).want(200)
	s.call("POST", "/approvals/"+paid+"/decisions", `{"act":"approve","version":2}`, service).problem(403, "forbidden")
	s.call("POST", "/approvals/"+paid+"/decisions", `{"act":"approve","version":2}`, cat).problem(409, "conflict")
	if v := s.call("POST", "/approvals/"+paid+"/decisions", `{"act":"approve","version":2}`,
		eve).want(200); v.text("status") != "approved" {
		t.Errorf("%s", v.body)
	}
	// What only the owner may decide is not decided by a namesake.
	s.call("POST", "/approvals/"+s.asks("own", service, ann)+"/decisions", `{"act":"approve","version":1}`,
		cat).problem(403, "forbidden")

	// People never have names of programs.
	s.call("PUT", "/accounts/service:cat", map[string]any{"password": bobPassword}, ann).problem(422, "invalid")
	s.call("POST", "/tokens", `{"name":"service:cat","kind":"person","roles":[]}`, ann).problem(422, "invalid")
	s.call("POST", "/approvals/"+handed+"/decisions", `{"act":"delegate","to":"service:cat","version":2}`,
		cat).problem(422, "invalid")
}

// TestProgramsOnRecord: a service's changes to documents are not attributed to the person of its name.
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
	// It is also found by the key used for owners.
	for actor, want := range map[string]bool{"ann": true, "service:ann": true, "service:bob": false, "bob": false} {
		found := s.call("GET", "/audit?action=definition.published&actor="+actor, nil, ann).want(200)
		if (found.count("items") > 0) != want {
			t.Errorf("%s: %s", actor, found.body)
		}
	}
}

// bureau is an office whose people also come from an identity provider. Their groups are named like the roles
// they map to.
func bureau(t *testing.T) (s *server, p *issuer, ann option) {
	t.Helper()
	dir := t.TempDir()
	if err := writeFile(filepath.Join(dir, "alike.yaml"), alikeDocuments); err != nil {
		t.Fatal(err)
	}
	p, port := newIssuer(t), steady.Port(t)
	s = office(t, "--addr", "127.0.0.1:"+port, "--load", dir, "--sign-in", "both", "--public-url",
		"http://127.0.0.1:"+port,
		"--oidc-issuer", p.URL, "--oidc-client-id", "assent", "--oidc-audiences", issuerAudience,
		"--oidc-roles", "finance=finance", "--oidc-roles", "starter=starter")
	return s, p, cookie(s.signIn("ann", annPassword))
}

// person uses an access token of that person.
func (p *issuer) person(subject, mail, group string) option {
	return bearer(p.token(map[string]any{"sub": subject, "email": mail, "email_verified": true,
		"groups": []string{group}}))
}

// TestOneHumanIsOneVoter: whatever the sign-in method and name, two approvers are two people.
func TestOneHumanIsOneVoter(t *testing.T) {
	t.Parallel()
	s, p, ann := bureau(t)
	eva := p.person("sub-1", "eva@example.com", "finance")
	approval := s.asks("two", ann, ann)
	decide := func(by option) answer {
		return s.call("POST", "/approvals/"+approval+"/decisions", `{"act":"approve","version":2}`, by)
	}
	s.call("POST", "/approvals/"+approval+"/decisions", `{"act":"approve","version":1}`, eva).want(200)
	decide(eva).problem(409, "conflict")
	decide(bearer(p.token(map[string]any{"sub": "sub-1", "groups": []string{"finance"}}))).problem(409, "conflict")
	token := s.call("POST", "/tokens", `{"name":"eva@example.com","kind":"person","roles":["finance"]}`,
		ann).want(201).text("secret")
	decide(bearer(token)).problem(409, "conflict")
	// Renamed at the provider, she is the same person.
	renamed := p.person("sub-1", "eva.smith@example.com", "finance")
	if me := s.call("GET", "/me", nil, renamed).want(200); me.text("name") != "eva@example.com" ||
		me.text("label") != "eva.smith@example.com" {
		t.Errorf("%s", me.body)
	}
	decide(renamed).problem(409, "conflict")
	decide(bearer(token)).problem(409, "conflict")
	// A token for her current name is hers as well.
	for _, name := range []string{"eva.smith@example.com", "eva@example.com"} {
		made := s.call("POST", "/tokens", map[string]any{"name": name, "kind": "person", "roles": []string{"finance"}},
			ann).want(201)
		if made.text("name") != "eva@example.com" {
			t.Errorf("%s", made.body)
		}
		decide(bearer(made.text("secret"))).problem(409, "conflict")
	}
	// The new owner of her address is another person, and the second one.
	if v := decide(p.person("sub-2", "eva@example.com", "finance")).want(200); v.text("status") != "approved" ||
		v.text("decisions.0.by") == v.text("decisions.1.by") {
		t.Errorf("%s", v.body)
	}
	// The record identifies them, not only their names.
	votes := s.call("GET", "/audit?action=approval.decided&outcome=done", nil, ann).want(200)
	for i, subject := range []string{"sub-2", "sub-1"} {
		at := fmt.Sprintf("items.%d.actor.", i)
		if votes.text(at+"kind") != "person" || votes.text(at+"issuer") != p.URL || votes.text(at+"subject") != subject {
			t.Errorf("vote %d: %s", i, votes.body)
		}
	}
}

// TestAccountsAreOneVoter: an account is one person, however its name is written.
func TestAccountsAreOneVoter(t *testing.T) {
	t.Parallel()
	s, _, ann := bureau(t)
	s.call("PUT", "/accounts/Cat", map[string]any{"password": bobPassword, "roles": []string{"finance"}}, ann).want(201)
	cat := cookie(s.signIn("cat", bobPassword))
	approval := s.asks("two", ann, ann)
	s.call("POST", "/approvals/"+approval+"/decisions", `{"act":"approve","version":1}`, cat).want(200)
	for _, name := range []string{"cat", "Cat", "CAT"} {
		made := s.call("POST", "/tokens", map[string]any{"name": name, "kind": "person", "roles": []string{"finance"}},
			ann).want(201)
		s.call("POST", "/approvals/"+approval+"/decisions", `{"act":"approve","version":2}`,
			bearer(made.text("secret"))).problem(409, "conflict")
	}
	// A vote cannot be delegated to oneself.
	if p := s.call("POST", "/approvals/"+approval+"/decisions", `{"act":"delegate","to":"CAT","version":2}`,
		cat).problem(422, "invalid"); !strings.Contains(string(p.body), "another person") {
		t.Errorf("%s", p.body)
	}
	// Documents from files have a program as their author, whatever the names of people.
	loaded := s.call("GET", "/audit?action=definition.published&actor=service:files", nil, ann).want(200)
	if loaded.count("items") == 0 || strings.Contains(string(loaded.body), `"kind":"person"`) {
		t.Errorf("%s", loaded.body)
	}
}

// TestNamesThatChangeHands: the new holder of a name has no share in what belongs to the previous one.
func TestNamesThatChangeHands(t *testing.T) {
	t.Parallel()
	s, p, ann := bureau(t)
	nothing := func(what, id string, by option) {
		t.Helper()
		run := s.call("GET", "/approvals/"+id, nil, ann).want(200).text("run")
		for _, path := range []string{"/runs/" + run, "/approvals/" + id} {
			if got := s.call("GET", path, nil, by); got.status != 404 {
				t.Errorf("%s sees %s: %d %s", what, path, got.status, got.body)
			}
		}
		for _, list := range []string{"/runs", "/approvals", "/approvals?mine=true"} {
			if got := s.call("GET", list, nil, by).want(200); got.number("total") != 0 {
				t.Errorf("%s lists %s: %s", what, list, got.body)
			}
		}
	}

	// An email address: its former owner keeps what is theirs.
	dan := p.person("sub-1", "dan@example.com", "starter")
	own := s.asks("own", dan, dan)
	renamed := p.person("sub-1", "daniel@example.com", "starter")
	s.call("GET", "/approvals/"+own, nil, renamed).want(200)
	nothing("the next dan", own, p.person("sub-2", "dan@example.com", "starter"))
	s.call("POST", "/approvals/"+own+"/decisions", `{"act":"approve","version":1}`,
		p.person("sub-2", "dan@example.com", "starter")).problem(404, "not_found")
	// A delegation to his current name reaches him.
	two := s.asks("two", ann, ann)
	s.call("POST", "/approvals/"+two+"/decisions", `{"act":"delegate","to":"daniel@example.com","version":1}`,
		p.person("sub-9", "kim@example.com", "finance")).want(200)
	s.call("GET", "/approvals/"+two, nil, renamed).want(200)
	// Once released, it belongs to no one; its owner is still the same person.
	s.call("DELETE", "/subjects/dan@example.com", nil, ann).want(200)
	nothing("the third dan", own, p.person("sub-3", "dan@example.com", "starter"))
	if v := s.call("POST", "/approvals/"+own+"/decisions", `{"act":"approve","version":1}`,
		renamed).want(200); v.text("status") != "approved" {
		t.Errorf("%s", v.body)
	}

	// An account: a program of the provider whose id is its name, and a person of the provider of the same
	// name, while it exists and after its deletion.
	s.call("PUT", "/accounts/cat", map[string]any{"password": bobPassword, "roles": []string{"finance"}}, ann).want(201)
	cat := cookie(s.signIn("cat", bobPassword))
	asked := s.asks("by-name", cat, ann)
	nothing("a client called cat", asked, bearer(p.client("cat", []string{"starter"})))
	s.call("GET", "/me", nil, p.person("sub-4", "cat", "starter")).problem(403, "forbidden")
	s.call("DELETE", "/accounts/cat", nil, ann).want(200)
	nothing("the next cat", asked, p.person("sub-4", "cat", "starter"))
	s.call("PUT", "/accounts/dan@example.com", map[string]any{"password": bobPassword}, ann).problem(409, "conflict")

	// Reassigned by an administrator, everything is transferred.
	s.call("DELETE", "/subjects/cat?hand_over=true", nil, ann).want(200)
	s.call("GET", "/approvals/"+asked, nil, p.person("sub-5", "cat", "starter")).want(200)
}
