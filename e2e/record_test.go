package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryChangeOfAccessIsRecorded: each command about accounts, tokens, sessions, roles, names and stand-ins, over
// the API, with a token and at the console, leaves exactly one audit entry, which names who sent it.
func TestEveryChangeOfAccessIsRecorded(t *testing.T) {
	t.Parallel()
	s, p, ann := bureau(t)
	admin := strings.TrimSpace(s.must("", "auth", "token", "add", "ann", "--kind", "person", "--roles", "admin"))
	own := func(path string) string {
		return s.call("GET", path, nil, cookie(s.signIn("cat", bobPassword))).want(200).text("items.0.id")
	}
	token := func(name, kind string) string {
		return s.call("POST", "/tokens", map[string]any{"name": name, "kind": kind, "roles": []string{"finance"}},
			ann).want(201).text("id")
	}
	until := later(patience)
	var sent []string
	api := func(by option, who, method, path string, body any, action, target string) {
		t.Helper()
		sent = append(sent, method+" "+path)
		s.leaves(ann, action, target, who, path, func() {
			if a := s.call(method, path, body, by); a.status/100 != 2 {
				t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
			}
		})
	}
	password := func(text string) map[string]any { return map[string]any{"password": text} }
	api(ann, "ann", "PUT", "/accounts/cat", password(bobPassword), "account.created", "account/cat")
	api(ann, "ann", "PUT", "/accounts/cat", map[string]any{"roles": []string{"finance"}}, "account.changed", "account/cat")
	api(ann, "ann", "PUT", "/accounts/cat", map[string]any{"disabled": true}, "account.changed", "account/cat")
	api(ann, "ann", "PUT", "/accounts/cat", map[string]any{"disabled": false}, "account.changed", "account/cat")
	api(func(*http.Request) {}, "cat", "POST", "/sign-in", map[string]any{"name": "cat", "password": bobPassword},
		"session.started", "account/cat")
	cat := cookie(s.signIn("cat", bobPassword))
	api(cat, "cat", "POST", "/me/password", map[string]string{"old": bobPassword, "new": annPassword}, "account.changed",
		"account/cat")
	s.call("PUT", "/accounts/cat", password(bobPassword), ann).want(200)
	cat = cookie(s.signIn("cat", bobPassword))
	api(cat, "cat", "DELETE", "/me/sessions/"+own("/me/sessions"), nil, "session.ended", "account/cat")
	mine := token("cat", "person")
	api(cat, "cat", "DELETE", "/me/tokens/"+mine, nil, "token.removed", "token/"+mine)
	api(cat, "cat", "POST", "/sign-out", map[string]any{}, "session.ended", "account/cat")
	api(ann, "ann", "POST", "/tokens", map[string]any{"name": "till", "kind": "service", "roles": []string{"finance"}},
		"token.created", "token/")
	till := token("till", "service")
	api(ann, "ann", "DELETE", "/tokens/"+till, nil, "token.removed", "token/"+till)
	api(ann, "ann", "PUT", "/roles/clerk", `{"role":"clerk","permissions":["view"]}`, "definition.published", "role/clerk")
	api(ann, "ann", "DELETE", "/roles/clerk", nil, "definition.withdrawn", "role/clerk")
	api(ann, "ann", "PUT", "/people/cat/stand_in", map[string]any{"to": "bob", "until": until}, "stand_in.set",
		"person/cat")
	api(ann, "ann", "DELETE", "/people/cat/stand_in", nil, "stand_in.cleared", "person/cat")
	api(p.person("sub-7", "eva@example.com", "finance"), "eva@example.com", "GET", "/me", nil, "subject.bound",
		"account/eva@example.com")
	api(p.person("sub-7", "eva.smith@example.com", "finance"), "eva@example.com", "GET", "/me", nil, "subject.renamed",
		"account/eva@example.com")
	api(ann, "ann", "DELETE", "/subjects/eva@example.com", nil, "subject.released", "account/eva@example.com")
	api(ann, "ann", "DELETE", "/accounts/cat", nil, "account.removed", "account/cat")

	// By the command line: an administrator with a token, and whoever may read the data directory.
	for who, extra := range map[string][]string{"ann": {"--token", admin}, "console": nil} {
		s.call("GET", "/me", nil, p.person("sub-"+who, who+"@example.com", "finance")).want(200)
		cli := func(action, target, stdin string, args ...string) (out string) {
			t.Helper()
			s.leaves(ann, action, target, who, strings.Join(args, " "), func() {
				out = s.must(stdin, append(args, extra...)...)
			})
			return out
		}
		cli("account.created", "account/dan", bobPassword, "auth", "add", "dan", "--roles", "finance", "--password-stdin")
		cli("account.changed", "account/dan", annPassword, "auth", "set-password", "dan", "--password-stdin")
		cli("account.changed", "account/dan", "", "auth", "set-roles", "dan", "finance,starter")
		cli("account.changed", "account/dan", "", "auth", "disable", "dan")
		cli("account.changed", "account/dan", "", "auth", "enable", "dan")
		cli("token.created", "token/", "", "auth", "token", "add", "till", "--kind", "service", "--roles", "finance")
		list := s.call("GET", "/tokens", nil, ann).want(200)
		id := list.text(fmt.Sprintf("items.%d.id", list.count("items")-1))
		cli("token.removed", "token/"+id, "", "auth", "token", "remove", id)
		s.call("PUT", "/roles/clerk?restore=true", `{"role":"clerk","permissions":["view"]}`, ann)
		cli("definition.withdrawn", "role/clerk", "", "auth", "role", "withdraw", "clerk")
		cli("stand_in.set", "person/dan", "", "auth", "stand-in", "dan", "bob", "--until", "1d")
		cli("stand_in.cleared", "person/dan", "", "auth", "stand-in", "dan", "--clear")
		cli("subject.released", "account/"+who+"@example.com", "", "auth", "subject", "release", who+"@example.com")
		cli("account.removed", "account/dan", "", "auth", "remove", "dan")
	}

	// The API has no other operation that changes access.
	var document struct {
		Paths map[string]map[string]struct{ Tags []string }
	}
	if err := json.Unmarshal(s.call("GET", "/openapi.json", nil).want(200).body, &document); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for path, methods := range document.Paths {
		pattern := regexp.MustCompile("^" + regexp.MustCompile(`\{[^}]+\}`).ReplaceAllString(path, "[^/]+") + "$")
		for method, op := range methods {
			if method == "get" || !slices.Contains(op.Tags, "Access") && !slices.Contains(op.Tags, "People") {
				continue
			}
			checked++
			if !slices.ContainsFunc(sent, func(one string) bool {
				m, p, _ := strings.Cut(one, " ")
				return strings.EqualFold(m, method) && pattern.MatchString("/api/v1"+p)
			}) {
				t.Errorf("%s %s is not tried", method, path)
			}
		}
	}
	if checked < 12 {
		t.Errorf("only %d operations change access", checked)
	}
}

// leaves checks that something leaves one audit entry: an action on a target, or on one that begins like it, by a
// person.
func (s *server) leaves(reader option, action, target, who, what string, do func()) {
	s.t.Helper()
	last := func() answer { return s.call("GET", "/audit?limit=1&action="+action, nil, reader).want(200) }
	before := last().number("total")
	do()
	if a := last(); a.number("total") != before+1 || !strings.HasPrefix(a.text("items.0.target"), target) ||
		a.text("items.0.actor.name") != who || a.text("items.0.actor.kind") != "person" {
		s.t.Errorf("%s: not one %s of %s by %s: %s", what, action, target, who, a.body)
	}
}
