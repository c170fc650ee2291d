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

// overloaded is a model that answers 529 until it is no longer busy, and records its requests. Its second answer sets
// Retry-After.
type overloaded struct {
	mu    sync.Mutex
	over  bool
	after string
	asked []time.Time
	then  http.Handler
}

func (o *overloaded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	o.asked = append(o.asked, time.Now())
	n, busy := len(o.asked), !o.over
	o.mu.Unlock()
	if !busy {
		o.then.ServeHTTP(w, r)
		return
	}
	if n == 2 {
		w.Header().Set("Retry-After", o.after)
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
	busy := &overloaded{after: "3", then: script}
	never := &overloaded{after: "600"} // longer than its step may take
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
steps: [{ id: think, agent: hopeless, timeout: 2m, retry: { backoff: 100ms } }]
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
	busy.mu.Lock()
	busy.over = true
	busy.mu.Unlock()
	r := s.settles(id, "completed", "failed")
	if r.text("status") != "completed" || r.get("steps.0.busy") != nil || r.get("steps.0.retry_at") != nil {
		t.Fatalf("%s", r.body)
	}
	busy.mu.Lock()
	asked := busy.asked
	busy.mu.Unlock()
	if len(asked) < 3 || asked[2].Sub(asked[1]) < 3*time.Second {
		t.Fatalf("asked at %v", asked)
	}
	if e := s.lastEvent(id, "turn.retrying"); e.get("data.error.busy") != true ||
		e.number("data.error.try") != int64(len(asked)-1) {
		t.Errorf("%s", e.body)
	}
	gone := s.settles(lost, "failed", "completed")
	never.mu.Lock()
	defer never.mu.Unlock()
	if gone.number("error.try") != int64(len(never.asked)) || len(never.asked) != 2 ||
		!strings.Contains(gone.text("error.message"), "529 overloaded") {
		t.Errorf("asked %d times: %s", len(never.asked), gone.body)
	}
}
