package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// NFR-R2 and NFR-R3 of specification 001: a step that a search found fails, and a later step was put behind it because
// it reads the whole context. That one runs without the result, the failure is on record, and the run completes. The
// server dies between its list and the call, hangs, refuses arguments that fit its own schema, or answers nonsense;
// people approved the step; an adviser who is asked about the failure answers nothing, or nonsense. Next to them is a
// server that never lists its tools.
func TestNFRR2FoundSteps(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	t.Cleanup(func() {
		close(over)
		silent.Close()
	})
	documents := fmt.Sprintf(`
mcp_server: silent
url: %s/mcp
---
agent: worker
kind: scripted
answers: [{ output: { report: written } }]
`, silent.URL)
	for name, call := range map[string]string{
		"dies": gone, "hangs": "", "refuses": `"error":{"code":-32602,"message":"the argument station is missing"}`,
		"babbles": `"result":{"content":"strong"}`, "approved": gone, "slow": gone, "lying": gone,
	} {
		list := fmt.Sprintf(`"result":{"tools":[{"name":"gauge_%[1]s","description":"Gauge the %[1]s river",
			"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`, name)
		loops := "replan: go"
		switch name {
		case "approved":
			loops = "replan: ask"
		case "slow", "lying":
			answer := map[string]string{"slow": "hang", "lying": `{"action":"approve","skip_steps":["wait"]}`}[name]
			documents += fmt.Sprintf("---\nagent: adviser_%s\nkind: http\nurl: %s/advise\n", name, newAdviser(t, answer).url)
			loops += fmt.Sprintf(", agent: { agent: adviser_%s, at: on_error, timeout: 500ms }", name)
		}
		documents += fmt.Sprintf(`---
mcp_server: %[1]s
url: %[2]s
timeout: 500ms
---
workflow: %[1]s
loops: { %[3]s }
steps: [{ id: wait, human: { title: Ready? } }, { id: report, agent: worker }]
`, name, speaker(t, list, call), loops)
	}
	s := serve(t, "--load", loads(t, documents))
	type found struct {
		name, id string
		wait     answer
	}
	var all []found
	for _, name := range []string{"dies", "hangs", "refuses", "babbles", "approved", "slow", "lying"} {
		s.listed(name)
		one := found{name: name, id: s.run(name, map[string]int{})}
		one.wait = s.pending(one.id)
		s.steer(one.id, map[string]any{"type": "replan", "requirement": "gauge the " + name + " river"})
		all = append(all, one)
	}
	for _, one := range all {
		if one.name == "approved" {
			s.decide(s.replanned(one.id), "approve", "")
		}
		waitFor(t, one.name+" to fail", func() bool { return s.recorded(one.id, "step.failed") == 1 })
		s.decide(one.wait, "approve", "")
		s.completesWithout(one.id, "gauge_"+one.name)
	}
}

// completesWithout checks that a run completes although a step failed that its report was put behind.
func (s *server) completesWithout(id, step string) {
	s.t.Helper()
	r := s.settles(id, "completed", "failed", "cancelled")
	var failed, behind bool
	for n := range r.count("steps") {
		at := fmt.Sprintf("steps.%d.", n)
		switch r.text(at + "id") {
		case step:
			failed = r.text(at+"status") == "failed" && r.text(at+"error.message") != ""
		case "report":
			behind = r.text(at+"status") == "done" && strings.Contains(fmt.Sprint(r.get(at+"needs")), step)
		}
	}
	if r.text("status") != "completed" || !failed || !behind || r.text("output.report") != "written" ||
		!strings.Contains(string(r.body), `"step_failed"`) {
		s.t.Errorf("%s: %s", step, r.body)
	}
}
