package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// leaked is what a step returns that ran ahead on the proposal as it was first shown. It is in everything that a result
// can bring into a run: its output, reasoning, logs, deliverables, messages and cost.
const leaked = "quetzalcoatl"

// agentsAhead is the agents of a run with a step that runs ahead: they remember what they received.
type agentsAhead struct {
	url  string
	mu   sync.Mutex
	seen map[string][]string // by path
}

func newAgentsAhead(t *testing.T) *agentsAhead {
	b := &agentsAhead{seen: map[string][]string{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		b.mu.Lock()
		b.seen[r.URL.Path] = append(b.seen[r.URL.Path], string(raw))
		b.mu.Unlock()
		var in struct {
			Input    struct{ Amount int }
			Guidance []string
		}
		_ = json.Unmarshal(raw, &in)
		switch {
		case r.URL.Path == "/propose" && len(in.Guidance) > 0:
			_, _ = io.WriteString(w, `{"output":{"amount":60}}`)
		case r.URL.Path == "/propose":
			_, _ = io.WriteString(w, `{"output":{"amount":100}}`)
		case r.URL.Path == "/tell":
			_, _ = io.WriteString(w, `{"output":{"told":true}}`)
		default:
			word := leaked
			if in.Input.Amount != 100 {
				word = "proper"
			}
			_, _ = fmt.Fprintf(w, `{"output":{"score":%q},"reasoning":%[1]q,"logs":%[1]q,"confidence":0.9,
				"usage":{"llm_calls":7,"cost_usd":"0.10"},"messages":[{"to":"teller","text":%[1]q}],
				"deliverables":[{"name":%[1]q,"type":"text","content":%[1]q}]}`, word)
		}
	}))
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

func (b *agentsAhead) received(path string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(slices.Clone(b.seen[path]), "\n")
}

const aheadDocuments = `
agent: proposer
kind: http
url: %[1]s/propose
---
agent: scorer
kind: http
url: %[1]s/score
effects: none
---
agent: teller
kind: http
url: %[1]s/tell
---
workflow: fails
speculate: true
steps:
  - { id: propose, agent: proposer }
  - { id: score, agent: scorer, with: { amount: propose.amount } }
  - { id: tell, agent: teller }
gates: [{ id: check, at: after propose, role: approver }]
---
workflow: revises
speculate: true
steps:
  - { id: propose, agent: proposer }
  - { id: score, agent: scorer, with: { amount: propose.amount } }
  - { id: tell, agent: teller }
gates: [{ id: check, at: after propose, role: approver, on_reject: revise }]
---
workflow: times
speculate: true
steps:
  - { id: propose, agent: proposer }
  - { id: score, agent: scorer, with: { amount: propose.amount } }
  - { id: tell, agent: teller }
gates: [{ id: check, at: after propose, role: approver, timeout: { after: 4s, then: reject } }]
`

// Speculation × reject (which fails the run, and which sends the work back), modify, time-out, crash, fork and cancel:
// whatever is decided that was not assumed, nothing of what ran ahead is in the run, in any view of it, at any event of
// it, or in what later agents receive. Only the events about running ahead have it, and the costs that are shown apart.
func TestNothingOfRunningAheadLeaks(t *testing.T) {
	t.Parallel()
	room := newAgentsAhead(t)
	s := serve(t, "--load", loads(t, fmt.Sprintf(aheadDocuments, room.url)))
	ranAhead := func(workflow string) (id string, asked answer) {
		id = s.run(workflow, map[string]string{})
		waitFor(t, "score to return ahead", func() bool { return s.recorded(id, "speculation.returned") == 1 })
		asked = s.pending(id)
		s.noTraceOf(id, 0)
		if r := s.call("GET", "/runs/"+id, nil).want(200); r.text("ahead_usage.cost_usd") != "0.1" {
			t.Errorf("what it cost is not shown: %s", r.body)
		}
		return id, asked
	}
	ends := func(id, status string, proper int) {
		t.Helper()
		if r := s.settles(id, "completed", "failed", "cancelled"); r.text("status") != status {
			t.Errorf("%s, not %s: %s", r.text("status"), status, r.body)
		}
		s.noTraceOf(id, proper)
	}

	id, asked := ranAhead("fails")
	s.decide(asked, "reject", "no")
	ends(id, "failed", 0)

	id, asked = ranAhead("revises")
	s.decide(asked, "reject", "too much")
	waitFor(t, "the next proposal", func() bool { asked = s.pending(id); return asked.number("proposed.amount") == 60 })
	s.decide(asked, "approve", "")
	ends(id, "completed", 1)

	id, asked = ranAhead("fails")
	s.call("POST", "/approvals/"+asked.text("id")+"/decisions", `{"act":"modify","changes":{"amount":50},"version":1}`,
		as(bob)).want(200)
	ends(id, "completed", 1)

	id, _ = ranAhead("times")
	ends(id, "failed", 0)

	id, asked = ranAhead("fails")
	s.kill()
	s.start()
	s.noTraceOf(id, 0)
	s.decide(asked, "reject", "no")
	ends(id, "failed", 0)

	id, asked = ranAhead("fails")
	last := s.call("GET", "/runs/"+id, nil).want(200).number("seq")
	fork := s.call("POST", "/runs/"+id+"/fork", map[string]any{"at_seq": last}, as(ann)).want(201).text("id")
	waitFor(t, "the fork to run ahead itself", func() bool { return s.recorded(fork, "speculation.returned") > 0 })
	s.noTraceOf(fork, 0)
	s.call("POST", "/approvals/"+s.pending(fork).text("id")+"/decisions",
		`{"act":"modify","changes":{"amount":50},"version":1}`, as(bob)).want(200)
	ends(fork, "completed", 1)
	s.decide(asked, "reject", "no")
	ends(id, "failed", 0)

	id, _ = ranAhead("fails")
	s.steer(id, map[string]any{"type": "cancel", "reason": "enough"})
	ends(id, "cancelled", 0)

	if got := room.received("/tell"); strings.Contains(got, leaked) || strings.Count(got, "proper") == 0 {
		t.Errorf("later agents received %s", got)
	}
	// Approved as shown, it is all there: the test would see it.
	id, asked = ranAhead("fails")
	s.decide(asked, "approve", "")
	r := s.settles(id, "completed", "failed")
	made := s.call("GET", "/deliverables?run="+id, nil).want(200)
	if r.text("context.score") != leaked || r.text("usage.cost_usd") != "0.1" || r.get("ahead_usage") != nil ||
		!strings.Contains(string(made.body), leaked) || !strings.Contains(room.received("/tell"), leaked) ||
		!strings.Contains(fmt.Sprint(r.get("thread")), leaked) {
		t.Errorf("%s\n%s\n%s", r.body, made.body, room.received("/tell"))
	}
}

// noTraceOf checks that a run has nothing of what ran ahead; proper is how many results of the same step it may have,
// and pay for.
func (s *server) noTraceOf(id string, proper int) {
	s.t.Helper()
	clean := func(path string, body []byte) {
		s.t.Helper()
		if strings.Contains(string(body), leaked) {
			s.t.Errorf("%s has what ran ahead: %s", path, body)
		}
	}
	r := s.call("GET", "/runs/"+id+"?full=true", nil).want(200)
	cost := map[int]string{0: "0", 1: "0.1"}[proper]
	if r.text("usage.cost_usd") != cost || r.number("usage.llm_calls") != int64(7*proper) {
		s.t.Errorf("%d results cost %s", proper, r.body)
	}
	for _, path := range []string{"/runs/" + id + "?full=true", "/runs/" + id, "/deliverables?run=" + id,
		"/approvals?run=" + id} {
		clean(path, s.call("GET", path, nil).want(200).body)
	}
	if found := s.call("GET", "/runs?q="+leaked, nil).want(200); found.count("items") != 0 {
		s.t.Errorf("a search finds %s", found.body)
	}
	if n := s.call("GET", "/deliverables?run="+id, nil).want(200).count("items"); n != proper {
		s.t.Errorf("%d deliverables, not %d", n, proper)
	}
	var log struct {
		Items []struct {
			Seq  int64
			Type string
			Data json.RawMessage
		}
	}
	events := s.call("GET", "/runs/"+id+"/events?full=true&limit=1000", nil).want(200)
	if err := json.Unmarshal(events.body, &log); err != nil {
		s.t.Fatal(err)
	}
	for _, e := range log.Items {
		if !strings.HasPrefix(e.Type, "speculation.") {
			clean(e.Type, e.Data)
		}
		at := fmt.Sprintf("/runs/%s/state?full=true&at_seq=%d", id, e.Seq)
		clean(at, s.call("GET", at, nil).want(200).body)
	}
}
