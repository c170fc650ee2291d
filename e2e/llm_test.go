package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// An LLM agent works, is stopped before something risky, survives a crash there, and continues with the
// version that a person edited.
func TestLLMAgent(t *testing.T) {
	model := scriptedModel(t, `
turn 1:
  call crm_lookup {"id":1042}
turn 2: I write to them.
  call email_send {"to":"a@example.com","text":"hi"}
turn 3: {"done":true,"confidence":0.9}
  hears be kind
`)
	var mu sync.Mutex
	calls := map[string][]string{}
	tools := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		calls[r.URL.Path] = append(calls[r.URL.Path], string(body))
		mu.Unlock()
		fmt.Fprint(w, `{"output":{"ok":true}}`)
	}))
	defer tools.Close()
	dir := t.TempDir()
	documents := fmt.Sprintf(`
agent: clerk
kind: llm
provider: openai
base_url: %s/v1
model: m
api_key: ${env:E2E_KEY}
system: You are a clerk.
tools: [crm_lookup, email_send]
autonomy: approve_high_risk
output: { type: object, required: [done], properties: { done: { type: boolean } } }
limits: { iterations: 20, cost_usd: 5 }
---
tool: crm_lookup
kind: http
url: %s/crm
description: Look up a customer
args: { type: object, required: [id], properties: { id: { type: integer } } }
risk: safe
---
tool: email_send
kind: http
url: %s/mail
description: Send an e-mail
describe: "Send an e-mail to {{.to}}"
args: { type: object, required: [to, text], properties: { to: { type: string }, text: { type: string } } }
risk: approval_required
operation: send_email
---
prices: { m: { in_usd_per_mtok: 1, out_usd_per_mtok: 10 } }
---
workflow: clerk-flow
steps: [{ id: work, agent: clerk }]
`, model.url, tools.URL, tools.URL)
	if err := writeFile(dir+"/clerk.yaml", documents); err != nil {
		t.Fatal(err)
	}
	t.Setenv("E2E_KEY", "sk-very-secret")
	s := serve(t, "--load", dir)
	id := s.run("clerk-flow", map[string]int{"customer": 1042})
	a := s.pending(id)
	if a.text("kind") != "approval" || a.text("reason") != "call" || a.text("action.tool") != "email_send" ||
		a.text("proposed.text") != "hi" ||
		!strings.Contains(a.text("description"), "Send an e-mail to a@example.com") || a.text("risk.level") == "" {
		t.Errorf("%s", a.body)
	}
	if len(calls["/mail"]) != 0 || len(calls["/crm"]) != 1 {
		t.Errorf("%v", calls)
	}
	s.kill()
	s.start()
	s.call("POST", "/approvals/"+a.text("id")+"/decisions",
		`{"act":"modify","changes":{"text":"dear"},"comment":"be kind","version":1}`, as(bob)).want(200)
	r := s.settles(id, "completed", "failed")
	if r.text("status") != "completed" || r.get("output.done") != true || r.number("usage.llm_calls") != 3 ||
		r.text("usage.cost_usd") != "0.006" {
		t.Errorf("%s", r.body)
	}
	if len(calls["/crm"]) != 1 || len(calls["/mail"]) != 1 || !strings.Contains(calls["/mail"][0], `"text":"dear"`) {
		t.Errorf("%v", calls)
	}
	if n := len(model.questions()); n != 3 {
		t.Errorf("the model was asked %d times", n)
	}
	model.check(t)
	log := s.call("GET", "/runs/"+id+"/events?full=true&limit=1000", nil).want(200)
	if strings.Contains(string(log.body)+s.log.String(), "sk-very-secret") {
		t.Error("a secret is in the log")
	}
}
