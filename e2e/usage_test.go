package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/assent-run/assent/sim/audit"
)

// The use and the cost of agents are those of the log: work counts once, whatever is killed or sent again, a fork does
// not count what it copied, and a test run counts for nothing.
func TestAgentUsage(t *testing.T) {
	t.Parallel()
	model := scriptedModel(t, `
turn 1: I write to them.
  call email_send {"to":"a@example.com","text":"hi"}
turn 2: {"done":true,"confidence":0.9}
`)
	tools := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"output":{"sent":true}}`)
	}))
	defer tools.Close()
	dir := t.TempDir()
	documents := fmt.Sprintf(`
agent: clerk
kind: llm
provider: openai
base_url: %s/v1
model: m
tools: [email_send]
autonomy: approve_high_risk
output: { type: object, required: [done], properties: { done: { type: boolean } } }
---
agent: filer
kind: scripted
answers: [{ output: { ok: true }, usage: { llm_calls: 1, tokens_in: 10, tokens_out: 5, cost_usd: 0.0375 } }]
---
agent: idle
kind: scripted
answers: [{ output: {} }]
---
tool: email_send
kind: http
url: %s/mail
args: { type: object, required: [to, text], properties: { to: { type: string }, text: { type: string } } }
sample: { sent: true }
risk: approval_required
operation: send_email
---
prices: { m: { in_usd_per_mtok: 1, out_usd_per_mtok: 10 } }
---
workflow: letters
steps: [{ id: work, agent: clerk }, { id: file, agent: filer }]
`, model.url, tools.URL)
	if err := writeFile(dir+"/letters.yaml", documents); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "--load", dir)
	used := func(path string) string {
		t.Helper()
		items, err := json.Marshal(s.call("GET", path, nil).want(200).get("items"))
		if err != nil {
			t.Fatal(err)
		}
		return string(items)
	}
	if got := used("/agent_usage"); got != "[]" {
		t.Errorf("nothing was used: %s", got)
	}
	id := s.run("letters", map[string]int{"n": 1})
	asked := s.pending(id)
	before := used("/agent_usage")
	if v := s.call("GET", "/agent_usage", nil).want(200); v.count("items") != 1 || v.text("items.0.agent") != "clerk" ||
		v.number("items.0.runs") != 1 || v.number("items.0.steps") != 0 || v.number("items.0.llm_calls") != 1 ||
		v.text("items.0.cost_usd") != "0.002" || v.get("counted_since") != nil {
		t.Errorf("%s", v.body)
	}
	s.kill()
	s.start()
	if got := used("/agent_usage"); got != before {
		t.Errorf("after a crash: %s\nbefore: %s", got, before)
	}
	for range 2 { // the second is a duplicate
		s.call("POST", "/approvals/"+asked.text("id")+"/decisions", `{"act":"approve","version":1}`, as(bob),
			key("once")).want(200)
	}
	r := s.settles(id, "completed")
	before = used("/agent_usage")
	v := s.call("GET", "/agent_usage?workflow=letters&since=1d", nil).want(200)
	if v.count("items") != 2 || v.text("items.0.agent") != "filer" || v.text("items.0.cost_usd") != "0.0375" ||
		v.text("items.1.agent") != "clerk" || v.number("items.1.runs") != 1 || v.number("items.1.steps") != 1 ||
		v.number("items.1.failed_steps") != 0 || v.number("items.1.llm_calls") != 2 ||
		v.text("items.1.cost_usd") != "0.004" || v.text("items.1.last_used_at") == "" ||
		r.text("usage.cost_usd") != "0.0415" ||
		v.number("items.0.tokens_in")+v.number("items.1.tokens_in") != r.number("usage.tokens_in") ||
		v.number("items.0.tokens_out")+v.number("items.1.tokens_out") != r.number("usage.tokens_out") {
		t.Errorf("%s\n%s", v.body, r.body)
	}
	// A test run costs money and is no use.
	test := s.call("POST", "/runs", `{"workflow":"letters","input":{},"test_mode":true}`).want(201).text("id")
	if v := s.settles(test, "waiting", "completed"); v.number("usage.llm_calls") == 0 {
		t.Errorf("the test run asked no model: %s", v.body)
	}
	if got := used("/agent_usage"); got != before {
		t.Errorf("after a test run: %s\nbefore: %s", got, before)
	}
	// The fork copies the clerk's work, and the filer works again.
	at := s.lastEvent(id, "step.started").number("seq") - 1
	fork := s.call("POST", "/runs/"+id+"/fork", map[string]any{"at_seq": at}).want(201).text("id")
	s.settles(fork, "completed")
	check := func() {
		t.Helper()
		v := s.call("GET", "/agent_usage", nil).want(200)
		if v.count("items") != 2 || v.number("items.0.runs") != 2 || v.number("items.0.steps") != 2 ||
			v.number("items.0.llm_calls") != 2 || v.text("items.0.cost_usd") != "0.075" || v.number("items.1.runs") != 1 ||
			v.number("items.1.llm_calls") != 2 || v.text("items.1.cost_usd") != "0.004" {
			t.Errorf("%s", v.body)
		}
		one := s.call("GET", "/agents/filer/usage?since=7d", nil).want(200)
		steps := int64(0)
		for i := range one.count("days") {
			steps += one.number(fmt.Sprintf("days.%d.steps", i))
		}
		if one.text("agent") != "filer" || one.number("steps") != 2 || steps != 2 || one.count("days") < 8 {
			t.Errorf("%s", one.body)
		}
	}
	check()
	s.stop()
	s.start()
	check()
	if v := s.call("GET", "/agents/idle/usage", nil).want(200); v.number("runs") != 0 || v.get("last_used_at") != nil ||
		v.text("cost_usd") != "0" {
		t.Errorf("%s", v.body)
	}
	s.call("GET", "/agents/none/usage", nil).problem(404, "not_found")
	s.call("GET", "/agents/filer/usage?since=tomorrow", nil).problem(422, "invalid")
	s.call("GET", "/agent_usage?since=9999d", nil).problem(422, "invalid")
	if got := used("/agent_usage?workflow=other"); got != "[]" {
		t.Error(got)
	}
	model.check(t)
}

// countsWork compares the use of the worker with what the logs of all runs say.
func (c *crowd) countsWork(runs []audit.Run) {
	c.Helper()
	others := map[string]bool{"timed b": true, "timed d": true, "parent s": true} // steps of people and of a sub-run
	var steps, failed, calls, used int64
	for _, r := range runs {
		workflow, worked := "", false
		for _, line := range r.Lines {
			var e struct {
				Type string
				Data struct {
					Workflow, Step string
					Result, Error  struct {
						Usage struct {
							Calls int64 `json:"llm_calls"`
						}
					}
				}
			}
			if err := json.Unmarshal(line, &e); err != nil {
				c.Fatalf("%v: %s", err, line)
			}
			if e.Type == "run.started" {
				workflow = e.Data.Workflow
			}
			if others[workflow+" "+e.Data.Step] {
				continue
			}
			n := int64(0)
			switch e.Type {
			case "step.failed":
				failed++
				steps++
				n = e.Data.Error.Usage.Calls
				worked = true
			case "step.completed":
				steps++
				n = e.Data.Result.Usage.Calls
				worked = true
			case "step.returned", "element.completed":
				n = e.Data.Result.Usage.Calls
			case "step.retrying":
				n = e.Data.Error.Usage.Calls
			}
			calls, worked = calls+n, worked || n > 0
		}
		if worked {
			used++
		}
	}
	v := c.s.call("GET", "/agents/worker/usage", nil).want(200)
	want := fmt.Sprint(used, steps, failed, calls, 7*calls, 3*calls)
	if got := fmt.Sprint(v.number("runs"), v.number("steps"), v.number("failed_steps"), v.number("llm_calls"),
		v.number("tokens_in"), v.number("tokens_out")); got != want || calls == 0 {
		c.Errorf("runs, steps, failed steps, model calls and tokens of the worker are %s, and %s in the logs", got, want)
	}
}
