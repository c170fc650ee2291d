package storekit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/run"
)

// TestLargeValues: the fast path writes what encoding/json would.
func TestLargeValues(t *testing.T) {
	text := strings.Repeat(`x < y & "é"`+"\u2028", largeMin/8)
	quoted, _ := json.Marshal(text)
	spaced := json.RawMessage("{\n \"n\": [ 1E400, 0.10 ],\t\"text\": " + string(quoted) + " }\n")
	confidence := 0.5
	for _, f := range []run.Fact{
		&run.RunStarted{Workflow: "w", Input: spaced},
		&run.RunCompleted{Output: spaced},
		&run.StepReturned{Step: "a", Result: run.Result{Output: spaced, Confidence: &confidence, Logs: "<done>"}},
		&run.StepReturned{Step: "a", Result: run.Result{Output: spaced, Reasoning: "a large value goes here"}},
		&run.StepReturned{Step: "a", Result: run.Result{Output: json.RawMessage(`{"small":true}`)}},
		&run.StepCompleted{Step: "a", Result: &run.Result{Output: spaced, Logs: "<done>"}},
		&run.StepCompleted{Step: "a"},
		&run.ElementCompleted{Step: "a", Index: 3},
		&run.StepReturned{Step: "a large value goes here", Result: run.Result{Output: spaced}},
		&run.ElementCompleted{Step: "a", Index: 3, Result: &run.Result{Output: spaced}},
		&run.CallCompleted{Step: "a", Result: run.CallResult{Output: spaced}},
	} {
		want, err := run.EncodeFact(f)
		if err != nil {
			t.Fatal(err)
		}
		e := newEncoder([]byte("before "))
		if err := e.fact(f); err != nil || string(e.b) != "before "+string(want) {
			t.Errorf("%s: %d bytes where %d belong, %v", f.Type(), len(e.b), len(want), err)
		}
	}
	broken := json.RawMessage(`{"text":` + string(quoted))
	if err := newEncoder(nil).fact(&run.RunCompleted{Output: broken}); err == nil {
		t.Error("broken JSON was written")
	}
}
