package run_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
)

// The statuses after which nothing happens, and those after which dependent steps may proceed.
func TestFinalStatuses(t *testing.T) {
	for status, want := range map[run.Status]bool{run.Running: false, run.Waiting: false, run.Paused: false,
		run.Completed: true, run.Failed: true, run.Cancelled: true, run.LimitReached: true} {
		if status.Ended() != want {
			t.Errorf("%s has ended: %t", status, !want)
		}
	}
	for status, want := range map[run.StepStatus]bool{run.PendingStep: false, run.RunningStep: false,
		run.WaitingStep: false, run.DoneStep: true, run.FailedStep: true, run.SkippedStep: true, run.CancelledStep: true} {
		if status.Settled() != want {
			t.Errorf("%s is settled: %t", status, !want)
		}
	}
}

// Limits in words, their amounts in their own units.
func TestLimitAmounts(t *testing.T) {
	a := run.LimitAmount{Duration: 90e9, CostUSD: 2_500_000_000, Iterations: 4}
	for _, c := range []struct {
		kind          run.LimitKind
		words, amount string
		n             int64
		plus          run.LimitAmount
	}{
		{run.LimitDuration, "time", "1m30s", 90e9, run.LimitAmount{Duration: 180e9, CostUSD: a.CostUSD, Iterations: 4}},
		{run.LimitCost, "money", "2.5 USD", 2_500_000_000,
			run.LimitAmount{Duration: a.Duration, CostUSD: 5_000_000_000, Iterations: 4}},
		{run.LimitIterations, "turns", "4", 4, run.LimitAmount{Duration: a.Duration, CostUSD: a.CostUSD, Iterations: 8}},
	} {
		if got := c.kind.Words(); got != c.words {
			t.Errorf("%s in words: %s", c.kind, got)
		}
		if got := a.Of(c.kind); got != c.n {
			t.Errorf("%s: %d, want %d", c.kind, got, c.n)
		}
		if got := c.kind.Amount(c.n); got != c.amount {
			t.Errorf("%s: %s, want %s", c.kind, got, c.amount)
		}
		if got := a.Plus(c.kind, c.n); got != c.plus {
			t.Errorf("%s: twice as much is %+v", c.kind, got)
		}
	}
	if got := (run.LimitAmount{CostUSD: 1}).Plus(run.LimitCost, int64(quantity.Money(1<<63-1))); got.CostUSD != 1<<63-1 {
		t.Errorf("more than the largest amount is %d", got.CostUSD)
	}
}

// The first element of a map is one; a step without elements has none.
func TestElements(t *testing.T) {
	for element, want := range map[int]int{-2: -1, -1: -1, 0: 0, 1: 1} {
		if got := (run.Spot{Index: run.Index(element)}).Element(); got != want {
			t.Errorf("element %d is %d", element, got)
		}
	}
}

// Messages of people reach the step or the agent that they name, or all. An agent's messages are for one agent.
func TestMessagesReach(t *testing.T) {
	person, agent := run.Actor{Kind: run.Person, Name: "ann"}, run.Actor{Kind: run.Agent, Name: "ann"}
	for _, c := range []struct {
		from run.Actor
		to   string
		want bool
	}{
		{person, "", true}, {person, "draft", true}, {person, "writer", true}, {person, "other", false},
		{agent, "", false}, {agent, "draft", false}, {agent, "writer", true}, {agent, "other", false},
	} {
		if got := (run.Message{From: c.from, To: c.to}).Reaches("draft", "writer"); got != c.want {
			t.Errorf("a message of %s %q to %q: %t", c.from.Kind, c.from.Name, c.to, got)
		}
	}
	for kind, role := range map[run.ActorKind]string{run.Person: "user", run.Service: "user", run.Agent: "agent"} {
		got := run.Message{From: run.Actor{Kind: kind, Name: "ann"}, Text: "hurry"}.Entry()
		if got.Role != role || got.Name != "ann" || got.Text != "hurry" {
			t.Errorf("from %s: %+v", kind, got)
		}
	}
}

// An update without content and address changes the status alone.
func TestOnlyMarks(t *testing.T) {
	for _, c := range []struct {
		dl   run.Deliverable
		want bool
	}{
		{run.Deliverable{Name: "a", Status: "final"}, true}, {run.Deliverable{URL: "https://x.example"}, false},
		{run.Deliverable{Content: json.RawMessage(`""`)}, false},
		{run.Deliverable{Content: json.RawMessage(`1`), URL: "https://x.example"}, false},
	} {
		if got := c.dl.OnlyMarks(); got != c.want {
			t.Errorf("%+v: %t", c.dl, got)
		}
	}
}

// TestAdvice: advice of the agent in the loop is taken as it is or not at all; at its limits it is taken.
func TestAdvice(t *testing.T) {
	long := strings.Repeat("x", run.TextMax)
	for _, c := range []struct {
		advice run.AdviceRaw
		why    string // part of it; empty: it can be used
	}{
		{run.AdviceRaw{Action: run.AdviceContinue}, ""}, {run.AdviceRaw{Action: run.AdviceAbort}, ""},
		{run.AdviceRaw{Action: run.AdviceAsk}, ""}, {run.AdviceRaw{Action: run.AdviceReplan, Requirement: "mirror"}, ""},
		{run.AdviceRaw{Action: run.AdviceReplan, Requirement: long, Reasoning: long}, ""},
		{run.AdviceRaw{Action: run.AdviceReplan, Requirement: long + "x"}, "too long"},
		{run.AdviceRaw{Action: run.AdviceContinue, Reasoning: long + "x"}, "too long"},
		{run.AdviceRaw{Action: run.AdviceReplan, Requirement: " \n"}, "needs a requirement"},
		{run.AdviceRaw{}, `"" is not one of`}, {run.AdviceRaw{Action: "approve"}, `"approve" is not one of`},
	} {
		if got := c.advice.Unusable(); (got == "") != (c.why == "") || !strings.Contains(got, c.why) {
			t.Errorf("%.20s: %q, want %q", c.advice.Action, got, c.why)
		}
	}
}

// TestCommandingAnswers: an answer that would command is recognised in any spelling. Nothing else is in its way.
func TestCommandingAnswers(t *testing.T) {
	for answer, want := range map[string]string{
		`{"action":"continue","note":"approve"}`: "", `{}`: "", `[]`: "", `"approve"`: "",
		`{"action":"continue","approve":true}`: "approve", `{"Skip_Layer":1}`: "Skip_Layer",
	} {
		if got := run.Commanding(json.RawMessage(answer)); got != want {
			t.Errorf("%s commands by %q, not %q", answer, got, want)
		}
	}
	for answer, want := range map[string]string{`{"a":1}`: `{"a":1}`, ``: `null`, `{"a":`: `null`,
		`{"a":1,"a":2}`: `null`} {
		if got := run.OrNull(json.RawMessage(answer)); string(got) != want {
			t.Errorf("%q is recorded as %s", answer, got)
		}
	}
}

// TestExperiences: a tool on its own is no experience, and words that no workflow declared are dropped.
func TestExperiences(t *testing.T) {
	served := []run.Served{{Request: "a", Tools: []string{"x"}}}
	for _, c := range []struct {
		e    *run.Experience
		want bool
	}{
		{nil, true}, {&run.Experience{}, true}, {&run.Experience{Tools: []string{"x"}}, true},
		{&run.Experience{Tools: []string{"x", "y"}}, false}, {&run.Experience{Served: served}, false},
		{&run.Experience{Tools: []string{"x"}, Served: served}, false},
		{&run.Experience{Tools: []string{"x", "y"}, Served: served}, false},
	} {
		if got := c.e.Empty(); got != c.want {
			t.Errorf("%+v is empty: %t", c.e, got)
		}
	}
	e := run.Experience{Served: []run.Served{{Request: "ours"}, {Request: "declared", Said: true, Declared: true},
		{Request: "theirs", Said: true}, {Request: "ours, declared", Declared: true}}}
	if !e.DropUndeclared() || e.DropUndeclared() {
		t.Error("words are dropped once")
	}
	var left []string
	for _, s := range e.Served {
		left = append(left, s.Request)
	}
	if !slices.Equal(left, []string{"ours", "declared", "ours, declared"}) {
		t.Errorf("left are %q", left)
	}
}
