package decide_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
)

// An approval counts for a rule as long as the rule asks the same people, or those who answered are enough
// for the new ones.
func TestApprovalsUnderOtherTerms(t *testing.T) {
	for name, c := range map[string]struct {
		was, is policy.Ask
		asked   bool
	}{
		"the same":        {policy.Ask{Role: "support"}, policy.Ask{Role: "support"}, false},
		"another role":    {policy.Ask{Role: "support"}, policy.Ask{Role: "boss"}, true},
		"no role":         {policy.Ask{Role: "support"}, policy.Ask{}, false},
		"a role":          {policy.Ask{}, policy.Ask{Role: "boss"}, true},
		"two":             {policy.Ask{Role: "support"}, policy.Ask{Role: "support", Count: 2}, true},
		"one of each":     {policy.Ask{Role: "support"}, policy.Ask{Roles: map[string]int{"support": 1, "boss": 1}}, true},
		"as a role alone": {policy.Ask{Role: "support"}, policy.Ask{Roles: map[string]int{"support": 1}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","operation":"refund"}]}`)
			p.env.Judge = asks(c.was)
			p.do(run.Start{})
			p.do(run.Pause{})
			if err := p.try(decideAs("bob", []string{"support"}, p.s.Pending()[0], gate.Approve)); err != nil {
				t.Fatal(err)
			}
			p.env.Judge = asks(c.is)
			p.do(run.Resume{})
			if asked, works := len(p.s.Pending()) == 1, len(p.keys("a")) == 1; asked != c.asked || works == c.asked {
				t.Errorf("asked again: %t; at work: %t", asked, works)
			}
		})
	}
}

// A timeout that approved counts for the same question, except during an emergency stop, and for no other.
func TestTimeoutsUnderOtherTerms(t *testing.T) {
	for _, c := range []struct {
		is      policy.Ask
		stopped bool
		asked   bool
	}{
		{policy.Ask{Role: "support"}, false, false}, {policy.Ask{Role: "support"}, true, true},
		{policy.Ask{Role: "boss"}, false, true}, {policy.Ask{Role: "support", Count: 2}, false, true},
	} {
		p := play(t, `{"workflow":"w","timeout":0,"steps":[{"id":"a","agent":"x","operation":"refund"}]}`)
		was := policy.Ask{Role: "support", Timeout: time.Hour, Then: gate.ThenApprove}
		p.env.Judge = asks(was)
		p.do(run.Start{})
		p.do(run.Pause{})
		p.env.Now = t0.Add(time.Hour)
		p.do(run.Tick{})
		if len(p.s.Pending()) != 0 {
			t.Fatal("it did not time out")
		}
		p.env.Judge, p.env.Stopped = asks(c.is), c.stopped
		p.do(run.Resume{})
		if asked := len(p.s.Pending()) == 1; asked != c.asked {
			t.Errorf("%+v: asked again: %t", c, asked)
		}
	}
}

// An act that a host takes back before doing anything counts no more, the first one included.
func TestActsTakenBackDoNotCount(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"l","agent":"other"}]}`)
	p.env.Judge = sums{map[string]string{}}
	p.env.Elsewhere = func(run.Elsewhere) ([]run.Tally, bool) { return nil, true }
	p.do(run.Start{})
	p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Calls: []run.Call{{ID: "c", Tool: "pay",
		Args: json.RawMessage(`{"n":1}`), Spec: run.ToolSpec{Operation: "refund"}}}}})
	p.decides(gate.Approve)
	if len(p.s.Counted) != 1 {
		t.Fatalf("%d acts", len(p.s.Counted))
	}
	p.do(run.Rebind{Key: p.key("l"), Spec: &run.ToolSpec{Operation: "refund",
		Implementation: []gate.Implementation{{Kind: "tool", Name: "pay", Version: 2}}}})
	if len(p.s.Counted) != 0 {
		t.Errorf("after the call was taken back: %+v", p.s.Counted)
	}

	p = play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x","operation":"refund"}]}`)
	p.env.Judge = sums{map[string]string{}}
	p.env.Elsewhere = func(run.Elsewhere) ([]run.Tally, bool) { return nil, true }
	p.inForce(1)
	p.do(run.Start{})
	p.decides(gate.Approve)
	if len(p.s.Counted) != 1 {
		t.Fatalf("%d acts", len(p.s.Counted))
	}
	p.inForce(2)
	p.do(run.Rebind{Key: p.key("a"), Implementation: p.env.InForce("agent", "x")})
	if len(p.s.Counted) != 0 {
		t.Errorf("after the step was taken back: %+v", p.s.Counted)
	}
}

// An agent that returns nothing returns null.
func TestEmptyResults(t *testing.T) {
	p := play(t, oneStep)
	p.do(run.Start{})
	p.do(run.Complete{Key: p.key("a")})
	if p.s.Status != run.Completed || string(p.s.Output) != "null" {
		t.Errorf("%s: %s, %+v", p.s.Status, p.s.Output, p.s.Error)
	}
}

// Messages go to agents that will still read them: those in a conversation, and those whose work has not begun.
func TestReadersOfMessages(t *testing.T) {
	for name, c := range map[string]struct {
		steps string
		then  func(p *player)
		to    string
		want  bool
	}{
		"a step to come":          {`,{"id":"a","agent":"x","needs":["l"]}`, nil, "x", true},
		"a step at work":          {`,{"id":"a","agent":"x","needs":[]}`, nil, "x", false},
		"a step that waits":       {`,{"id":"b","agent":"x","needs":[]}`, nil, "x", true},
		"a result under review":   {`,{"id":"r","agent":"x","needs":[]}`, func(p *player) { p.answer("r", `1`) }, "x", false},
		"elements to come":        {`,{"id":"m","agent":"x","needs":[],"each":"input.list","width":1}`, nil, "x", true},
		"elements all at work":    {`,{"id":"m","agent":"x","needs":[],"each":"input.list","width":2}`, nil, "x", false},
		"elements of another":     {`,{"id":"m","agent":"x","needs":[],"each":"input.list","width":1}`, nil, "llm", false},
		"a conversation":          {`,{"id":"k","agent":"llm","needs":[]}`, nil, "llm", true},
		"nothing":                 {``, nil, "llm", false},
		"a step that was done":    {`,{"id":"a","agent":"x","needs":[]}`, func(p *player) { p.answer("a", `1`) }, "x", false},
		"a step that was skipped": {`,{"id":"a","agent":"x","if":"input.no","needs":[]}`, nil, "x", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, `{"workflow":"w","steps":[{"id":"l","agent":"other","needs":[]}`+c.steps+`],
				"gates":[`+gatesOf(c.steps)+`]}`)
			p.do(run.Start{Input: json.RawMessage(`{"list":[1,2]}`)})
			if c.then != nil {
				c.then(p)
			}
			p.do(run.CompleteTurn{Key: p.key("l"), Turn: run.Turn{Calls: []run.Call{{ID: "c", Tool: run.ToolSendMessage,
				Args: json.RawMessage(`{"to":"` + c.to + `","text":"hello"}`)}}}})
			for _, a := range p.s.Pending() {
				if a.Call == "c" {
					if err := p.try(decideAs("bob", nil, a, gate.Approve)); err != nil {
						t.Fatal(err)
					}
				}
			}
			if got := p.s.Messages == 1; got != c.want {
				t.Errorf("delivered: %t", got)
			}
		})
	}
}

// gatesOf are gates for the steps b and r, if there are such.
func gatesOf(steps string) string {
	switch {
	case strings.Contains(steps, `"id":"b"`):
		return `{"id":"g","at":"before b"}`
	case strings.Contains(steps, `"id":"r"`):
		return `{"id":"g","at":"after r"}`
	}
	return ""
}

// A fork from before the start was approved asks there again, about its own input. A fork with the approved input does
// not, and one with another input has to start from before the answer.
func TestForksAskAtTheStartAgain(t *testing.T) {
	p := play(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"start"}]}`)
	p.do(run.Start{Input: json.RawMessage(`{"n":1}`)})
	whole := p.log
	p.log = p.log[:1]
	if f := p.forked(run.Edits{}); f.proposed() != `{"n":1}` || len(f.keys("a")) != 0 {
		t.Errorf("before the question: %q, %v", f.proposed(), f.keys("a"))
	}
	p.log = whole
	if f := p.forked(run.Edits{Input: json.RawMessage(`{"n":2}`)}); f.proposed() != `{"n":2}` || len(f.keys("a")) != 0 {
		t.Errorf("another input: %q, %v", f.proposed(), f.keys("a"))
	}
	p.decides(gate.Approve)
	if f := p.forked(run.Edits{}); f.proposed() != "" || len(f.keys("a")) != 1 {
		t.Errorf("the same input: %q, %v", f.proposed(), f.keys("a"))
	}
	_, err := decide.Fork(p.env, "run_f", p.s.Plan(), p.log, run.Edits{Input: json.RawMessage(`{"n":2}`)},
		run.Command{By: bob})
	if !fault.Is(err, fault.Invalid) || fault.DetailOf(err)["fork_at"] != int64(len(whole)) {
		t.Errorf("behind the answer: %v, %v", err, fault.DetailOf(err))
	}
}
