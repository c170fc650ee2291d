package loop_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
)

// t0 is a Monday morning.
var t0 = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// next is what NextTurn says, in one value.
func next(l *loop.State, at time.Time) [2]int {
	turn, try, ok := l.NextTurn(at)
	if !ok {
		return [2]int{}
	}
	return [2]int{turn, try}
}

func expect(t *testing.T, l *loop.State, at time.Time, turn, try int) {
	t.Helper()
	if got := next(l, at); got != [2]int{turn, try} {
		t.Errorf("next is turn %d, try %d; want turn %d, try %d", got[0], got[1], turn, try)
	}
}

// begun is a loop whose first turn asked for calls with these arguments.
func begun(args ...string) *loop.State {
	l := loop.New("clerk", t0, nil)
	l.BeginTurn(&run.TurnStarted{Turn: 1, Try: 1})
	l.EndTurn(&run.TurnCompleted{Agent: "clerk"})
	for n, a := range args {
		l.RequestCall(&run.CallRequested{No: n + 1, Call: run.Call{ID: "c" + a, Tool: "refund", Args: json.RawMessage(a)}})
	}
	return l
}

// digest stands for what is proposed with a call.
func digest(of string) func() string { return func() string { return of } }

// TestTurns: one turn at a time, and the next one once every call is answered.
func TestTurns(t *testing.T) {
	l := loop.New("clerk", t0, []run.Message{{From: run.Actor{Kind: run.Person, Name: "ann"}, Text: "hurry"}})
	expect(t, l, t0, 1, 1)
	l.BeginTurn(&run.TurnStarted{Turn: 1, Try: 1})
	expect(t, l, t0, 0, 0)
	if len(l.Inbox) != 0 || len(l.Entries) != 1 || l.Entries[0].Text != "hurry" {
		t.Errorf("a message is not taken by the turn: %+v", l.Entries)
	}
	l.FailTurn(&run.TurnRetrying{RetryAt: t0.Add(time.Minute), Error: run.Failure{Busy: true}}, t0)
	expect(t, l, t0.Add(time.Minute-1), 0, 0)
	expect(t, l, t0.Add(time.Minute), 1, 2)
	if l.Busy != 1 || !l.BusySince.Equal(t0) {
		t.Errorf("busy %d times since %s", l.Busy, l.BusySince)
	}
	l.BeginTurn(&run.TurnStarted{Turn: 1, Try: 2})
	l.EndTurn(&run.TurnCompleted{Agent: "clerk", Turn: run.Turn{Text: "one moment"}})
	l.RequestCall(&run.CallRequested{No: 1, Call: run.Call{ID: "c1", Tool: "look", Args: json.RawMessage(`{}`)}})
	expect(t, l, t0, 0, 0)
	if l.Moving() || l.InFlight() {
		t.Error("a call that nobody has judged moves")
	}
	l.StartCall(&run.CallStarted{No: 1, Try: 1}, digest("a"))
	if !l.Moving() || !l.InFlight() {
		t.Error("a call that was started does not move")
	}
	l.CompleteCall(l.Call(1), &run.CallCompleted{No: 1, ID: "c1"}, digest("a"))
	expect(t, l, t0, 2, 1)
	if l.Turns != 1 || l.Busy != 0 {
		t.Errorf("%d turns, busy %d times", l.Turns, l.Busy)
	}
}

// TestOneYesOneCall: what people approved and what then failed may be done once
// more, and no more than once.
func TestOneYesOneCall(t *testing.T) {
	l := begun(`{"amount":5}`, `{"amount":6}`)
	l.Call(1).Place = &gate.Place{Asks: []gate.Ask{{Want: "autonomy"}}}
	for _, c := range []struct {
		no     int
		digest string
		fails  string
		left   int // that may be repeated
	}{{1, "five", "out of order", 1}, {2, "six", "out of order", 1}, {1, "five", "", 0}} {
		l.StartCall(&run.CallStarted{No: c.no, Try: l.Call(c.no).Try + 1}, digest(c.digest))
		l.CompleteCall(l.Call(c.no), &run.CallCompleted{No: c.no, Result: run.CallResult{Error: c.fails}}, digest(c.digest))
		if len(l.Repeatable) != c.left {
			t.Errorf("call %d: %q may be repeated", c.no, l.Repeatable)
		}
	}
}

// TestARepeatIsUsedUp: an equal call runs on the earlier yes, which is then gone.
func TestARepeatIsUsedUp(t *testing.T) {
	l := begun(`{"amount":5}`, `{"amount":5}`)
	l.Repeatable = []string{"five"}
	l.StartCall(&run.CallStarted{No: 1, Try: 1}, digest("five"))
	l.StartCall(&run.CallStarted{No: 2, Try: 1}, digest("five"))
	if !l.Call(1).Repeats || l.Call(2).Repeats || len(l.Repeatable) != 0 {
		t.Errorf("%v %v %q", l.Call(1).Repeats, l.Call(2).Repeats, l.Repeatable)
	}
}

// TestLimits: near from 80 % on, full at the limit; what people grant and raise
// counts on top.
func TestLimits(t *testing.T) {
	agent := &plan.Agent{Limits: &plan.Limits{Iterations: 10, Duration: quantity.Duration(10 * time.Minute)}}
	l := loop.New("clerk", t0, nil)
	for turns, want := range map[int][2]bool{7: {false, false}, 8: {true, false}, 9: {true, false}, 10: {true, true}} {
		l.Turns = turns
		g := l.Spent(run.LimitIterations, l.Limits(agent, run.LimitAmount{}), t0)
		if got := [2]bool{g.Near(), g.Full()}; got != want {
			t.Errorf("%d turns of 10: near and full are %v", turns, got)
		}
	}
	l.Grant(run.LimitAmount{Iterations: 5})
	if got := l.Limits(agent, run.LimitAmount{Iterations: 2}).Iterations; got != 17 {
		t.Errorf("the limit is %d turns, not 10 + 5 + 2", got)
	}
	if got := l.Limits(nil, run.LimitAmount{}).Iterations; got != run.TurnsMax+5 {
		t.Errorf("without a limit of its own an agent has %d turns", got)
	}
	warn, stop := l.Moments(l.Limits(agent, run.LimitAmount{}))
	if !warn.Equal(t0.Add(8*time.Minute)) || !stop.Equal(t0.Add(10*time.Minute)) {
		t.Errorf("warns at %s, stops at %s", warn, stop)
	}
	if g := l.Spent(run.LimitCost, l.Limits(agent, run.LimitAmount{CostUSD: 1}), t0); g.Full() || g.Near() {
		t.Error("a limit that is not set runs out")
	}
}

// TestRevived: in the same run approvals stand; a fork asks for them again.
func TestRevived(t *testing.T) {
	for forked, want := range map[bool]loop.Status{false: loop.Held, true: loop.Asked} {
		l := begun(`{}`)
		c := l.Call(1)
		c.Place, c.Try, c.Status = &gate.Place{}, 1, loop.Running
		l.Revive(forked)
		if c.Status != want || (c.Place == nil) != forked {
			t.Errorf("forked %v: the call is %s", forked, c.Status)
		}
	}
	l := loop.New("clerk", t0, nil)
	l.BeginTurn(&run.TurnStarted{Turn: 1, Try: 1})
	l.Revive(false)
	expect(t, l, t0, 1, 2)
	l.BeginTurn(&run.TurnStarted{Turn: 1, Try: 2})
	l.Revive(true)
	expect(t, l, t0, 1, 1)
}

// TestCallsThatCannotBeMade are refused in words that the model can use.
func TestCallsThatCannotBeMade(t *testing.T) {
	for want, call := range map[string]run.Call{
		"":                            {ID: "1", Args: json.RawMessage(`{"a":1}`)},
		"another call of this turn":   {ID: "c{}", Args: json.RawMessage(`{}`)},
		"there is no tool":            {ID: "2", Tool: "fly", Spec: run.ToolSpec{Unknown: true}},
		"the arguments are not valid": {ID: "3", Args: json.RawMessage(`{"a":1,"a":2}`)},
		"the arguments do not match": {ID: "4", Args: json.RawMessage(`[]`),
			Spec: run.ToolSpec{ArgsSchema: json.RawMessage(`{"type":"object"}`)}},
		"the tool's schema is not valid": {ID: "5", Args: json.RawMessage(`{}`),
			Spec: run.ToolSpec{ArgsSchema: json.RawMessage(`{"type":7}`)}},
	} {
		l := begun(`{}`)
		l.RequestCall(&run.CallRequested{No: 2, Call: call})
		if why := l.Refuses(l.Call(2)); !strings.HasPrefix(why, want) || want == "" && why != "" {
			t.Errorf("call %s: %q, want %q", call.ID, why, want)
		}
	}
}

// TestChangedArguments: the model is told what people made of its call.
func TestChangedArguments(t *testing.T) {
	l := begun(`{"amount":5}`)
	if told := l.Changed(l.Call(1)); told != "" {
		t.Error(told)
	}
	l.Call(1).Call.Args = json.RawMessage(`{"amount":4}`)
	if told := l.Changed(l.Call(1)); !strings.Contains(told, `{"amount":4}`) {
		t.Error(told)
	}
}

// TestClone: a copy of a loop shares no call with it.
func TestClone(t *testing.T) {
	l := begun(`{}`)
	c := l.Clone()
	c.Call(1).Status = loop.Done
	if l.Call(1).Status != loop.Asked {
		t.Error("a copy writes to the original")
	}
}
