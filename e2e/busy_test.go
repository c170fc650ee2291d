package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// overloaded is a model that answers 529 a number of times, or forever if that is negative, and records its
// requests.
type overloaded struct {
	mu    sync.Mutex
	left  int
	asked []time.Time
	then  http.Handler
}

func (o *overloaded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	o.asked = append(o.asked, time.Now())
	n, busy := len(o.asked), o.left != 0
	o.left = max(o.left-1, min(o.left, 0))
	o.mu.Unlock()
	if !busy {
		o.then.ServeHTTP(w, r)
		return
	}
	if n == 2 {
		w.Header().Set("Retry-After", "3")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(529)
	fmt.Fprint(w, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
}

// TestBusyModel uses a real listener that is overloaded for a while: the run reports that it waits,
// Retry-After is honoured, and the run completes.
func TestBusyModel(t *testing.T) {
	t.Parallel()
	script := scriptedModel(t, "turn 1: {\"done\":true}\n")
	busy := &overloaded{left: 5, then: script}
	never := &overloaded{left: -1}
	service, dead := httptest.NewServer(busy), httptest.NewServer(never)
	t.Cleanup(service.Close)
	t.Cleanup(dead.Close)
	s := serve(t)
	s.define(fmt.Sprintf(`
agent: patient
kind: llm
provider: anthropic
base_url: %s/v1
model: m
api_key: none
---
agent: hopeless
kind: llm
provider: anthropic
base_url: %s/v1
model: m
api_key: none
---
workflow: waits
steps: [{ id: think, agent: patient, retry: { backoff: 100ms } }]
---
workflow: gives-up
steps: [{ id: think, agent: hopeless, timeout: 2s, retry: { backoff: 100ms } }]
`, service.URL, dead.URL))
	id, lost := s.run("waits", map[string]any{}), s.run("gives-up", map[string]any{})
	var seen answer
	waitFor(t, "the run to be shown as waiting", func() bool {
		seen = s.call("GET", "/runs/"+id, nil).want(200)
		return seen.get("steps.0.busy.tries") != nil && seen.number("steps.0.busy.tries") >= 2
	})
	if seen.text("status") != "running" || seen.text("steps.0.retry_at") == "" {
		t.Errorf("%s", seen.body)
	}
	shown, err := exec.Command(binary, "show", id, "--addr", s.url).CombinedOutput()
	if err != nil || !strings.Contains(string(shown), "waiting for the model of step think until ") {
		t.Errorf("%v: %s", err, shown)
	}
	r := s.settles(id, "completed", "failed")
	if r.text("status") != "completed" || r.get("steps.0.busy") != nil || r.get("steps.0.retry_at") != nil {
		t.Fatalf("%s", r.body)
	}
	busy.mu.Lock()
	if len(busy.asked) != 6 || busy.asked[2].Sub(busy.asked[1]) < 3*time.Second {
		t.Errorf("asked at %v", busy.asked)
	}
	busy.mu.Unlock()
	if e := s.lastEvent(id, "turn.retrying"); e.get("data.error.busy") != true || e.number("data.error.try") != 5 {
		t.Errorf("%s", e.body)
	}
	gone := s.settles(lost, "failed", "completed")
	never.mu.Lock()
	defer never.mu.Unlock()
	if gone.number("error.try") != int64(len(never.asked)) || len(never.asked) < 2 ||
		!strings.Contains(gone.text("error.message"), "529 overloaded") {
		t.Errorf("asked %d times: %s", len(never.asked), gone.body)
	}
}
