package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// scorer is a service that remembers the keys and inputs of its calls. While it is silent it answers nothing.
type scorer struct {
	url    string
	mu     sync.Mutex
	calls  []string
	silent bool
}

func newScorer(t *testing.T) *scorer {
	s := &scorer{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var in struct{ Input struct{ Amount int } }
		_ = json.Unmarshal(raw, &in)
		s.mu.Lock()
		s.calls = append(s.calls, fmt.Sprintf("%s %d", r.Header.Get("Idempotency-Key"), in.Input.Amount))
		silent := s.silent
		s.mu.Unlock()
		if silent {
			<-r.Context().Done()
			return
		}
		_, _ = fmt.Fprintf(w, `{"output":{"score":%d},"usage":{"cost_usd":"0.10"},
			"deliverables":[{"name":"Score","type":"text","content":"words"}]}`, in.Input.Amount/10)
	}))
	t.Cleanup(server.CloseClientConnections)
	s.url = server.URL
	return s
}

func (s *scorer) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *scorer) quiet(silent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = silent
}

// A step that runs ahead outlives kills of the program: it is called again under the same key, its result is
// kept apart until people have decided, and then it is used, or nothing of it is left.
func TestRunningAheadOutlivesAKill(t *testing.T) {
	t.Parallel()
	service := newScorer(t)
	s := serve(t, "--load", loads(t, fmt.Sprintf(`
agent: proposer
kind: scripted
answers: [{ output: { amount: 100 } }]
---
agent: scorer
kind: http
url: %s
effects: none
---
workflow: ahead
speculate: true
steps:
  - { id: propose, agent: proposer }
  - { id: score, agent: scorer, with: { amount: propose.amount } }
gates:
  - { id: check, at: after propose, role: approver }
`, service.url)))
	ahead := func(id, want string) {
		t.Helper()
		waitFor(t, "score to be "+want+" ahead", func() bool {
			return s.call("GET", "/runs/"+id, nil).want(200).text("steps.1.ahead") == want
		})
	}
	decide := func(id, answer string) {
		t.Helper()
		a := s.pending(id)
		s.call("POST", "/approvals/"+a.text("id")+"/decisions", answer, as(bob)).want(200)
	}
	service.quiet(true)
	id := s.run("ahead", map[string]string{})
	waitFor(t, "a call ahead", func() bool { return len(service.got()) == 1 })
	s.kill()
	service.quiet(false)
	s.start()
	ahead(id, "returned")
	key := "/step/score#0 100"
	if got, want := service.got(), []string{id + key, id + key}; !slices.Equal(got, want) {
		t.Fatalf("calls %q, want %q", got, want)
	}
	r := s.call("GET", "/runs/"+id, nil).want(200)
	if r.text("status") != "waiting" || r.get("context.score") != nil || r.text("steps.1.status") != "pending" ||
		r.get("steps.1.output") != nil || r.text("ahead_usage.cost_usd") != "0.1" || r.text("usage.cost_usd") != "0" {
		t.Errorf("it shows before anybody has decided: %s", r.body)
	}
	s.kill()
	s.start()
	decide(id, `{"act":"approve","version":1}`)
	r = s.settles(id, "completed", "failed")
	if fmt.Sprint(r.get("output.score")) != "10" || r.text("steps.1.ahead") != "used" ||
		r.text("usage.cost_usd") != "0.1" || r.get("ahead_usage") != nil || len(service.got()) != 2 {
		t.Errorf("%s; %q", r.body, service.got())
	}

	other := s.run("ahead", map[string]string{})
	ahead(other, "returned")
	s.kill()
	s.start()
	decide(other, `{"act":"modify","changes":{"amount":50},"comment":"half","version":1}`)
	r = s.settles(other, "completed", "failed")
	if fmt.Sprint(r.get("output.score")) != "5" || r.text("steps.1.ahead") != "discarded" ||
		r.text("usage.cost_usd") != "0.1" || r.text("ahead_usage.cost_usd") != "0.1" || r.get("steps.1.revision") != nil {
		t.Errorf("%s", r.body)
	}
	if got := service.got(); !slices.Equal(got[2:], []string{other + key, other + "/step/score#1 50"}) {
		t.Errorf("%q", got)
	}
	list := s.call("GET", "/deliverables?run="+other, nil).want(200)
	if list.get("items.0") == nil || list.get("items.1") != nil {
		t.Errorf("not the one of the second call alone: %s", list.body)
	}
}
