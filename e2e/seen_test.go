package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

const seenDocuments = `
agent: payer
kind: scripted
answers: [{ output: { paid: true } }]
---
agent: writer
kind: scripted
answers: [{ output: { text: dear }, confidence: 0.95 }]
---
agent: looper
kind: llm
provider: scripted
tools: [milestone]
limits: { iterations: 1, on_limit: stop }
turns: [{ calls: [{ tool: milestone, args: { name: half } }] }, { answer: { done: true } }]
---
workflow: refunds
steps: [{ id: pay, agent: payer, operation: refund, with: { amount: input.amount, customer: input.customer } }]
---
workflow: several
steps: [{ id: a, agent: payer, needs: [] }, { id: b, agent: payer, needs: [] }]
gates: [{ id: one, at: before a, role: approver, on_reject: fail }, { id: two, at: before b, role: approver, on_reject: fail }]
---
workflow: careful
loops: { human: critical_only }
steps: [{ id: a, agent: writer }, { id: left, agent: writer, needs: [a], if: 'input.never == true' }, { id: b, agent: payer, needs: [a], risk: critical }]
---
agent: guesser
kind: scripted
answers: [{ output: { text: perhaps }, confidence: 0.8 }]
---
workflow: guesses
steps: [{ id: guess, agent: guesser }]
---
workflow: loops
steps: [{ id: chat, agent: looper }]
---
workflow: edits
steps: [{ id: write, agent: writer }, { id: send, agent: payer, with: { text: context.text } }]
gates: [{ id: sure, at: before send, role: approver }]
---
policy: house
rules: [{ name: Refunds ask, priority: 1, trigger: { workflow: [refunds] }, action: { role: approver } }]
`

// TestSeen replays small defects that users reported, one after the other on one server.
func TestSeen(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.define(seenDocuments)
	for _, c := range []struct {
		seen string
		play func(t *testing.T, s *server)
	}{
		{"approvals of one rule read alike", titlesDiffer},
		{"bulk expire reports cancelled siblings as failed", siblingsAreNoFailures},
		{"critical_only approvals have no risk, and layers list skipped steps", criticalHasRisk},
		{"used-up turns name the step, not the agent", usedUpTurnsNameTheAgent},
		{"a fork's context is accepted and ignored", forkedContextWins},
		{"changes that are null wipe the proposal", nullChangesNothing},
		{"refused commands leave no entry, and after modify the original is lost", auditKeepsBoth},
		{"a policy test takes any word for a risk", policyTestKnowsRisks},
		{"a policy test answers with no effect", policyTestNamesTheEffect},
		{"rules that ask nobody, and unknown channels, are saved", rulesAreExact},
		{"a misspelt key hides the other mistakes", everyProblemAtOnce},
		{"expire takes a number for a duration", expireWantsADuration},
		{"half a request switches the emergency stop off", stopStaysOn},
		{"two operations answer a 404 that is not documented", namesInBodiesAreDocumented},
		{"the type of a problem is no page", problemsAreExplained},
		{"results that deserve a second look are nowhere listed", secondLooksAreListed},
	} {
		t.Run(c.seen, func(t *testing.T) {
			own := *s
			own.t = t
			c.play(t, &own)
		})
	}
}

func secondLooksAreListed(t *testing.T, s *server) {
	id := s.run("guesses", map[string]any{})
	s.settles(id, "completed")
	list := s.call("GET", "/approvals?review=suggested", nil).want(200)
	if list.count("items") != 1 || list.text("items.0.run") != id || fmt.Sprint(list.get("items.0.confidence")) != "0.8" {
		t.Errorf("%s", list.body)
	}
}

// lastEvent is a run's last event of a type.
func (s *server) lastEvent(id, kind string) answer {
	s.t.Helper()
	events := s.call("GET", "/runs/"+id+"/events?limit=200", nil).want(200)
	for n := events.count("items") - 1; n >= 0; n-- {
		if at := fmt.Sprintf("items.%d", n); events.text(at+".type") == kind {
			raw, _ := json.Marshal(events.get(at))
			return answer{t: s.t, status: 200, body: raw}
		}
	}
	s.t.Fatalf("run %s has no event %s: %s", id, kind, events.body)
	return answer{}
}

func titlesDiffer(t *testing.T, s *server) {
	titles := map[string]bool{}
	for _, amount := range []int{35, 36} {
		a := s.pending(s.run("refunds", map[string]any{"amount": amount, "customer": "zoe"}))
		if !strings.Contains(a.text("title"), fmt.Sprint(amount)) {
			t.Errorf("the title %q does not say %d", a.text("title"), amount)
		}
		titles[a.text("title")] = true
	}
	if len(titles) != 2 {
		t.Errorf("%v", titles)
	}
}

func siblingsAreNoFailures(t *testing.T, s *server) {
	id := s.run("several", map[string]any{})
	s.settles(id, "waiting")
	out := s.call("POST", "/approvals/expire", `{"older_than":"1ns","workflow":"several","comment":"too old"}`).want(200)
	if out.count("results") != 2 || out.get("results.0.ok") != true || out.get("results.1.ok") != true {
		t.Errorf("%s", out.body)
	}
	s.settles(id, "failed")
}

func criticalHasRisk(t *testing.T, s *server) {
	id := s.run("careful", map[string]any{})
	if a := s.pending(id); a.text("reason") != "loop" || a.text("risk.level") != "critical" {
		t.Errorf("%s", a.body)
	}
	a := s.pending(id)
	s.call("POST", "/approvals/"+a.text("id")+"/decisions", `{"act":"approve","version":1}`, as(bob)).want(200)
	s.settles(id, "completed")
	if last := s.lastEvent(id, "layer.started"); last.count("data.steps") != 1 || last.text("data.steps.0") != "b" {
		t.Errorf("%s", last.body)
	}
}

func usedUpTurnsNameTheAgent(t *testing.T, s *server) {
	r := s.settles(s.run("loops", map[string]any{}), "failed", "limit_reached", "cancelled", "completed")
	if said := r.text("error.message") + r.text("limit.message"); !strings.Contains(said, "Looper has used up") ||
		strings.Contains(said, "Chat has") {
		t.Errorf("it says %q: %s", said, r.body)
	}
}

func forkedContextWins(t *testing.T, s *server) {
	id := s.run("edits", map[string]any{})
	s.pending(id)
	body := fmt.Sprintf(`{"at_seq":%d,"edits":{"context":{"text":"mine"}}}`,
		s.lastEvent(id, "step.completed").number("seq"))
	fork := s.call("POST", "/runs/"+id+"/fork", body).want(201).text("id")
	if a := s.pending(fork); a.text("proposed.text") != "mine" {
		t.Errorf("%s", a.body)
	}
}

func nullChangesNothing(t *testing.T, s *server) {
	a := s.pending(s.run("edits", map[string]any{}))
	at := "/approvals/" + a.text("id")
	s.call("POST", at+"/decisions", `{"act":"modify","version":1,"changes":null}`, as(bob)).problem(422, "invalid")
	s.call("POST", at+"/decisions", `{"act":"approve","version":0}`, as(bob)).problem(422, "invalid")
	if now := s.call("GET", at, nil).want(200); now.text("proposed.text") != "dear" || now.number("version") != 1 {
		t.Errorf("%s", now.body)
	}
}

func auditKeepsBoth(t *testing.T, s *server) {
	id := s.run("edits", map[string]any{})
	a := s.pending(id)
	s.call("POST", "/runs/"+id+"/commands", `{"type":"explode"}`).problem(422, "invalid")
	if all := s.call("GET", "/audit?limit=5", nil).want(200); all.text("items.0.target") != id ||
		all.text("items.0.outcome") != "refused" {
		t.Errorf("a refused command left no entry: %s", all.body)
	}
	s.call("POST", "/approvals/"+a.text("id")+"/decisions",
		`{"act":"modify","version":1,"changes":{"text":"changed"}}`, as(bob)).want(200)
	entries := s.call("GET", "/audit?target="+a.text("id")+"&limit=50", nil).want(200)
	if text := string(entries.body); !strings.Contains(text, `"dear"`) || !strings.Contains(text, `"changed"`) {
		t.Errorf("the entry does not hold both: %s", text)
	}
}

func policyTestKnowsRisks(_ *testing.T, s *server) {
	s.call("POST", "/policy/test", `{"subject":{"operation":"refund","risk":"hihg","data":{}}}`).problem(422, "invalid")
}

func policyTestNamesTheEffect(t *testing.T, s *server) {
	v := s.call("POST", "/policy/test", `{"subject":{"operation":"nothing","data":{}}}`).want(200)
	if v.text("effect") == "" {
		t.Errorf("%s", v.body)
	}
}

func rulesAreExact(t *testing.T, s *server) {
	for word, action := range map[string]string{
		"require_approval_count": `{"require_approval_count":0}`,
		"carrier_pigeon":         `{"notification":{"channels":["carrier_pigeon"]}}`,
	} {
		rule := `{"policy":"house","rules":[{"name":"x","priority":1,"trigger":{},"action":` + action + `}]}`
		if v := s.call("POST", "/policy/validate", rule).want(200); v.get("valid") != false ||
			!strings.Contains(string(v.body), word) {
			t.Errorf("%s: %s", word, v.body)
		}
	}
}

func everyProblemAtOnce(t *testing.T, s *server) {
	check := s.call("POST", "/workflows/validate", yaml(`workflow: quiet
steps: [{ id: pay, agent: payer }, { id: b, agent: payer, tmeout: 1s, risk: hihg, if: "score >" }, { id: c, agent: payr, needs: [pay] }]
`)).want(200)
	for _, want := range []string{"tmeout", "hihg", "steps[1].if", "payr"} {
		if !strings.Contains(string(check.body), want) {
			t.Errorf("%s is not told: %s", want, check.body)
		}
	}
}

func stopStaysOn(t *testing.T, s *server) {
	on := func() any { return s.call("GET", "/policy", nil).want(200).get("emergency_stop.on") }
	s.call("POST", "/policy/emergency_stop", `{"on":true,"reason":"odd payments"}`).want(200)
	for _, body := range []string{`{}`, `{"on":null}`} {
		if a := s.call("POST", "/policy/emergency_stop", body); a.status != 422 || on() != true {
			t.Errorf("%s: %d %s, and the stop is %v", body, a.status, a.body, on())
		}
		s.call("POST", "/policy/emergency_stop", `{"on":true,"reason":"odd payments"}`).want(200)
	}
	s.call("POST", "/policy/emergency_stop", `{"on":false}`).want(200)
}

// namesInBodiesAreDocumented requests missing things, and looks up the response in the OpenAPI document that
// the program itself serves.
func namesInBodiesAreDocumented(t *testing.T, s *server) {
	document := s.call("GET", "/openapi.json", nil).want(200)
	for path, body := range map[string]string{"/runs/cancel": `{"ids":["run_none"]}`,
		"/policy/publish": `{"version":99}`} {
		s.call("POST", path, body).problem(404, "not_found")
		if document.get("paths./api/v1"+path+".post.responses.404") == nil {
			t.Errorf("%s: 404 is not documented", path)
		}
	}
}

func expireWantsADuration(t *testing.T, s *server) {
	a := s.pending(s.run("edits", map[string]any{}))
	for _, body := range []string{`{"older_than":1.5}`, `{}`, `{"older_than":null}`} {
		if out := s.call("POST", "/approvals/expire", body); out.status != 422 {
			t.Errorf("%s: %d %s", body, out.status, out.body)
		}
	}
	if now := s.call("GET", "/approvals/"+a.text("id"), nil).want(200); now.text("status") != "pending" {
		t.Errorf("%s", now.body)
	}
}

func problemsAreExplained(t *testing.T, s *server) {
	kind := s.call("POST", "/approvals/expire", `{}`).want(422).text("type")
	resp, err := http.Get(s.url + kind)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil || kind != "/problems/invalid" || resp.StatusCode != 200 || !strings.Contains(string(page), "422") ||
		strings.Contains(string(page), "<script") {
		t.Errorf("%s: %d %v %.500s", kind, resp.StatusCode, err, page)
	}
}
