package loop_test

import (
	"encoding/json"
	"slices"
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

// expect compares what can start next; turn 0 means nothing.
func expect(t *testing.T, l *loop.State, at time.Time, turn, try int) {
	t.Helper()
	gotTurn, gotTry, ok := l.NextTurn(at)
	if ok != (turn > 0) || ok && (gotTurn != turn || gotTry != try) {
		t.Errorf("next is turn %d, try %d (%v); want turn %d, try %d", gotTurn, gotTry, ok, turn, try)
	}
}

// begun is a loop whose first turn requested calls with these arguments.
func begun(args ...string) *loop.State {
	l := loop.New("clerk", t0, nil)
	l.BeginTurn(&run.TurnStarted{Turn: 1, Try: 1})
	l.EndTurn(&run.TurnCompleted{Agent: "clerk"})
	for n, a := range args {
		l.RequestCall(&run.CallRequested{No: n + 1, Call: run.Call{ID: "c" + a, Tool: "refund", Args: json.RawMessage(a)}})
	}
	return l
}

// digest is a digest of a proposed call.
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
		t.Error("a call moves before it was judged")
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
	l.BeginTurn(&run.TurnStarted{Turn: 2, Try: 1})
	if len(l.Calls) != 0 {
		t.Error("a turn keeps the calls of the one before it")
	}
}

// TestBusySince: patience counts from when the model was first busy.
func TestBusySince(t *testing.T) {
	l := loop.New("clerk", t0, nil)
	for n := range 3 {
		l.FailTurn(&run.TurnRetrying{Error: run.Failure{Busy: n > 0}}, t0.Add(time.Duration(n)*time.Minute))
	}
	if l.Busy != 2 || !l.BusySince.Equal(t0.Add(time.Minute)) {
		t.Errorf("busy %d times since %s", l.Busy, l.BusySince)
	}
}

// TestUsage: turns, failed turns, calls and their questions cost.
func TestUsage(t *testing.T) {
	one := run.Usage{TokensIn: 1}
	l := begun(`{}`)
	l.EndTurn(&run.TurnCompleted{Turn: run.Turn{Usage: one}})
	l.FailTurn(&run.TurnRetrying{Error: run.Failure{Usage: one}}, t0)
	l.NeedInput(&run.CallInputNeeded{No: 1, Round: 1, Usage: one})
	l.CompleteCall(l.Call(1), &run.CallCompleted{No: 1, Result: run.CallResult{Usage: one}}, digest(""))
	if l.Usage.TokensIn != 4 {
		t.Errorf("%d tokens, not 4", l.Usage.TokensIn)
	}
}

// TestWhatTheModelSees: its own text, or else its output; tool results; notes.
func TestWhatTheModelSees(t *testing.T) {
	l := loop.New("clerk", t0, nil)
	l.EndTurn(&run.TurnCompleted{Agent: "clerk", Turn: run.Turn{Text: "hm", Output: json.RawMessage(`1`)}})
	l.EndTurn(&run.TurnCompleted{Agent: "clerk", Turn: run.Turn{Output: json.RawMessage(`{"wrong":true}`)}})
	l.Note("mend it")
	l.RequestCall(&run.CallRequested{No: 1, Call: run.Call{ID: "c1", Tool: "look", Args: json.RawMessage(`{}`)}})
	l.CompleteCall(l.Call(1), &run.CallCompleted{No: 1, ID: "c1", Result: run.CallResult{Error: "closed"}}, digest(""))
	got, err := json.Marshal(l.Entries)
	want := `[{"role":"assistant","name":"clerk","text":"hm"},` +
		`{"role":"assistant","name":"clerk","output":{"wrong":true}},` +
		`{"role":"note","text":"mend it","calls":[{"id":"c1","tool":"look","args":{}}]},` +
		`{"role":"tool","name":"look","text":"closed","call_id":"c1","failed":true}]`
	if err != nil || string(got) != want {
		t.Errorf("the model sees %s (%v)", got, err)
	}
}

// TestHandOver: every agent that handed off is recorded once.
func TestHandOver(t *testing.T) {
	l := loop.New("a", t0, nil)
	for _, to := range []string{"b", "a", "c"} {
		l.HandOver(&run.HandedOff{From: l.Agent, To: to})
	}
	if l.Agent != "c" || !slices.Equal(l.Under, []string{"a", "b"}) {
		t.Errorf("%s under %q", l.Agent, l.Under)
	}
	l.EndTurn(&run.TurnCompleted{})
	l.RequestCall(&run.CallRequested{No: 1})
	if c := l.Call(1); c.Agent != "c" || !slices.Equal(c.Under, l.Under) || l.CallNo != 1 {
		t.Errorf("the call is that of %s under %q", c.Agent, c.Under)
	}
}

// TestOneYesOneCall: an approved call that failed may be repeated exactly once.
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

// TestARepeatIsUsedUp: an equal call uses the earlier approval, which is then consumed.
func TestARepeatIsUsedUp(t *testing.T) {
	l := begun(`{"amount":5}`, `{"amount":5}`)
	l.Repeatable = []string{"five"}
	l.StartCall(&run.CallStarted{No: 1, Try: 1}, digest("five"))
	l.StartCall(&run.CallStarted{No: 2, Try: 1}, digest("five"))
	if !l.Call(1).Repeats || l.Call(2).Repeats || len(l.Repeatable) != 0 {
		t.Errorf("%v %v %q", l.Call(1).Repeats, l.Call(2).Repeats, l.Repeatable)
	}
	unasked := func() string {
		t.Error("a digest is made although there is nothing to repeat")
		return ""
	}
	l = begun(`{"amount":5}`)
	l.StartCall(&run.CallStarted{No: 1, Try: 1}, unasked)
	l.CompleteCall(l.Call(1), &run.CallCompleted{No: 1}, unasked)
	l.Repeatable = []string{"five"}
	if l.StartCall(&run.CallStarted{No: 1, Try: 2}, digest("five")); l.Call(1).Repeats || len(l.Repeatable) != 1 {
		t.Error("another try of a call uses up a yes")
	}
	if l.CompleteCall(l.Call(1), &run.CallCompleted{No: 1}, digest("five")); len(l.Repeatable) != 0 {
		t.Error("what was done may be done again")
	}
}

// TestDeniedAndUnaskedCallsRepeatNothing: only an approval by people can be reused.
func TestDeniedAndUnaskedCallsRepeatNothing(t *testing.T) {
	asked := &gate.Place{Asks: []gate.Ask{{Want: "autonomy"}}}
	input := &gate.Place{Asks: []gate.Ask{{Want: "input:1"}}}
	for name, c := range map[string]struct {
		place  *gate.Place
		try    int
		denied bool
		left   int
	}{
		"approved":          {asked, 1, false, 1},
		"denied":            {asked, 1, true, 0},
		"not started":       {asked, 0, false, 0},
		"never asked about": {nil, 1, false, 0},
		"a tool's question": {input, 1, false, 0},
	} {
		l := begun(`{}`)
		l.Call(1).Place, l.Call(1).Try = c.place, c.try
		for range 2 { // repeating it adds nothing
			l.CompleteCall(l.Call(1), &run.CallCompleted{No: 1, Denied: c.denied,
				Result: run.CallResult{Error: "no"}}, digest("one"))
		}
		if len(l.Repeatable) != c.left {
			t.Errorf("%s: %q may be repeated", name, l.Repeatable)
		}
	}
}

// TestRetries: transient failures up to the step's attempts; a busy model for as long as the step's patience
// lasts, unless the step sets its own number.
func TestRetries(t *testing.T) {
	policy := plan.RetryPolicy{Max: 3, Backoff: time.Second, Factor: 1, MaxBackoff: time.Minute}
	counted := policy
	counted.Counted = true
	key := run.Key{Run: "run_1", Kind: run.KeyTurn, Index: -1}
	const patience = time.Minute
	again, busy := run.Failure{Transient: true}, run.Failure{Busy: true}
	both := run.Failure{Busy: true, Transient: true}
	late := t0.Add(time.Second + 2 - patience)
	for name, c := range map[string]struct {
		policy plan.RetryPolicy
		loop   loop.State
		f      run.Failure
		ok     bool
	}{
		"transient":                      {policy, loop.State{Try: 2}, again, true},
		"permanent":                      {policy, loop.State{Try: 1}, run.Failure{}, false},
		"the last try":                   {policy, loop.State{Try: 3}, again, false},
		"taken up again":                 {policy, loop.State{Try: 3, Tried: 1}, again, true},
		"after a busy model":             {policy, loop.State{Try: 4, Busy: 2}, again, true},
		"after a busy model, counted":    {counted, loop.State{Try: 3, Busy: 2}, again, false},
		"busy":                           {policy, loop.State{Try: 9, Busy: 8}, busy, true},
		"busy, with patience":            {policy, loop.State{Try: 9, BusySince: late}, busy, true},
		"busy, and patience is over":     {policy, loop.State{Try: 9, BusySince: t0.Add(-patience)}, busy, false},
		"busy, counted, on the last":     {counted, loop.State{Try: 3}, both, false},
		"busy, counted, before the last": {counted, loop.State{Try: 2}, both, true},
	} {
		at, f, ok := c.loop.Retry(c.policy, patience, key, c.f, t0)
		if ok != c.ok || f.Try != c.loop.Try {
			t.Errorf("%s: tried again: %v, try %d", name, ok, f.Try)
		}
		if wait := at.Sub(t0); ok && (wait < time.Second/2 || wait > time.Second) {
			t.Errorf("%s: waits %s", name, wait)
		}
	}
	l := loop.State{Try: 2, Busy: 1, BusySince: t0.Add(-time.Hour)}
	if _, f, ok := l.Retry(policy, patience, key, run.Failure{Busy: true, Message: "full"}, t0); ok ||
		f.Message != "full (busy for 1h, after 2 tries)" {
		t.Errorf("%q", f.Message)
	}
	if _, _, ok := l.Retry(policy, 0, key, run.Failure{Busy: true}, t0); !ok {
		t.Error("a step without a limit of patience loses it")
	}
	// Pauses grow with the attempts that count: those at a busy model, or all others.
	policy.Factor = 10
	slow := loop.State{Try: 3, Busy: 2, BusySince: t0}
	key.Try = 3
	if at, _, _ := slow.Retry(policy, time.Hour, key, run.Failure{Transient: true}, t0); at.Sub(t0) > time.Second {
		t.Errorf("the first try that counts waits %s", at.Sub(t0))
	}
	if at, _, _ := slow.Retry(policy, time.Hour, key, run.Failure{Busy: true}, t0); at.Sub(t0) < 30*time.Second {
		t.Errorf("a model that was busy three times is asked after %s", at.Sub(t0))
	}
	slow.Busy = 0
	if at, _, _ := slow.Retry(policy, time.Hour, key, run.Failure{Busy: true}, t0); at.Sub(t0) > time.Second {
		t.Errorf("a model that was busy once is asked after %s", at.Sub(t0))
	}
}

// TestLimits: near from 80 %, full at the limit; grants and raises add to it.
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
	l.Grant(run.LimitAmount{Duration: quantity.Duration(time.Minute), CostUSD: 3})
	more := l.Limits(agent, run.LimitAmount{Duration: quantity.Duration(time.Minute), CostUSD: 4})
	if more.Duration.Std() != 12*time.Minute || more.CostUSD != 0 {
		t.Errorf("the limits are %s and %s, not 12m and none", more.Duration, more.CostUSD)
	}
	paid := &plan.Agent{Limits: &plan.Limits{CostUSD: 10}}
	if got := l.Limits(paid, run.LimitAmount{CostUSD: 4}); got.CostUSD != 17 || got.Duration != 0 {
		t.Errorf("the limits are %s and %s", got.CostUSD, got.Duration)
	}
	l = loop.New("clerk", t0, nil)
	warn, stop := l.Moments(l.Limits(agent, run.LimitAmount{}))
	if !warn.Equal(t0.Add(8*time.Minute)) || !stop.Equal(t0.Add(10*time.Minute)) {
		t.Errorf("warns at %s, stops at %s", warn, stop)
	}
	l.Warned = []run.LimitKind{run.LimitDuration}
	if warn, stop = l.Moments(l.Limits(agent, run.LimitAmount{})); !warn.IsZero() || stop.IsZero() {
		t.Error("a warning is given twice, or the limit forgotten")
	}
	l.Limit = &gate.Place{}
	if _, stop = l.Moments(l.Limits(agent, run.LimitAmount{})); !stop.IsZero() {
		t.Error("a limit that people are asked about stops the agent")
	}
	if l.Grant(run.LimitAmount{}); l.Limit != nil {
		t.Error("people are asked although they granted more")
	}
	if _, stop = l.Moments(l.Limits(nil, run.LimitAmount{})); !stop.IsZero() {
		t.Error("there is a limit of time")
	}
	if g := (loop.Gauge{Used: 3, Limit: 8}); g.Percent() != 37 {
		t.Errorf("%d %%", g.Percent())
	}
	l.Usage.CostUSD = 8
	if g := l.Spent(run.LimitCost, l.Limits(paid, run.LimitAmount{}), t0); g != (loop.Gauge{Used: 8, Limit: 10}) {
		t.Errorf("%+v", g)
	}
	g := l.Spent(run.LimitDuration, l.Limits(agent, run.LimitAmount{}), t0.Add(time.Minute))
	if g.Used != int64(time.Minute) {
		t.Errorf("%+v", g)
	}
	if g := l.Spent(run.LimitCost, l.Limits(agent, run.LimitAmount{CostUSD: 1}), t0); g.Full() || g.Near() {
		t.Error("a limit that is not set runs out")
	}
}

// TestRevived: in the same run approvals remain valid; a fork asks for them again.
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
	l.Busy, l.BusySince, l.Mends, l.Limit = 1, t0, 1, &gate.Place{}
	l.Revive(false)
	expect(t, l, t0, 1, 2)
	if l.Busy != 0 || !l.BusySince.IsZero() || l.Mends != 0 || l.Limit != nil {
		t.Errorf("patience, mends or limits are not counted anew: %+v", l)
	}
	l.BeginTurn(&run.TurnStarted{Turn: 1, Try: 2})
	l.Repeatable = []string{"five"}
	l.Revive(true)
	expect(t, l, t0, 1, 1)
	if len(l.Repeatable) != 0 {
		t.Error("a fork repeats what was approved for another run")
	}
	l.BeginTurn(&run.TurnStarted{Turn: 1, Try: 1})
	l.FailTurn(&run.TurnRetrying{RetryAt: t0.Add(time.Hour)}, t0)
	l.Revive(false)
	expect(t, l, t0, 1, 2)
	l.BeginTurn(&run.TurnStarted{Turn: 1, Try: 2})
	l.EndTurn(&run.TurnCompleted{})
	l.Revive(false)
	expect(t, l, t0, 2, 1)
	l.Turn = 2 // its answer was unusable
	l.Revive(false)
	expect(t, l, t0, 2, 3)
}

// TestRevivedCalls: answered calls stay answered; in a fork a tool asks again.
func TestRevivedCalls(t *testing.T) {
	l := begun(`{"n":1}`, `{"n":2}`)
	l.Call(1).Status, l.Call(1).Place = loop.Done, &gate.Place{}
	c := l.Call(2)
	c.Input, c.Round, c.Tried, c.Try, c.Repeats = &run.CallInput{}, 1, 1, 1, true
	c.Deadline, c.RetryAt = t0, t0
	l.Revive(true)
	if l.Call(1).Status != loop.Done || l.Call(1).Place == nil {
		t.Errorf("a call that was answered: %+v", l.Call(1))
	}
	if c.Input != nil || c.Round+c.Tried+c.Try != 0 || c.Repeats || !c.Deadline.IsZero() || !c.RetryAt.IsZero() {
		t.Errorf("a call of another run: %+v", c)
	}
}

// TestMoving: a call waiting for approval is not moving.
func TestMoving(t *testing.T) {
	asked := &gate.Place{}
	with := func(s loop.Status) []*loop.Call { return []*loop.Call{{Status: s}} }
	for name, c := range map[string]struct {
		loop             loop.State
		moving, inFlight bool
	}{
		"at rest":                 {loop.State{}, false, false},
		"thinking":                {loop.State{Thinking: true, Limit: asked}, true, true},
		"between tries":           {loop.State{RetryAt: t0}, true, false},
		"between tries, at limit": {loop.State{RetryAt: t0, Limit: asked}, false, false},
		"a call that runs":        {loop.State{Calls: with(loop.Running), Limit: asked}, true, true},
		"a call that waits":       {loop.State{Calls: with(loop.Backoff)}, true, false},
		"and a limit":             {loop.State{Calls: with(loop.Backoff), Limit: asked}, false, false},
		"a call that is held":     {loop.State{Calls: with(loop.Held)}, false, false},
	} {
		if c.loop.Moving() != c.moving || c.loop.InFlight() != c.inFlight {
			t.Errorf("%s: moving %v, in flight %v", name, c.loop.Moving(), c.loop.InFlight())
		}
	}
}

// TestSoFar: the conversation, oldest first, at most 20 lines.
func TestSoFar(t *testing.T) {
	l := loop.State{Entries: []run.Entry{
		{Role: "assistant", Name: "clerk", Text: "one moment"}, {Role: "user", Text: "hello"},
		{Role: "assistant", Name: "clerk"},
		{Role: "tool", Name: "look", Output: json.RawMessage(`{"n":1}`)},
		{Role: "tool", Name: "pay", Text: "closed", Failed: true}, {Role: "note", Text: "80 % used"},
	}}
	if got, want := l.SoFar(), "clerk: one moment\nlook → {\"n\":1}\npay failed: closed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	l.Entries = nil
	for range 30 {
		l.Entries = append(l.Entries, run.Entry{Role: "assistant", Text: "."})
	}
	if got := strings.Count(l.SoFar(), "\n") + 1; got != 20 {
		t.Errorf("%d lines", got)
	}
}

// TestCallsComeAndGo: transitions of a call that only its status shows.
func TestCallsComeAndGo(t *testing.T) {
	l := begun(`{}`)
	c := l.Call(1)
	c.RetryAt = t0
	l.StartCall(&run.CallStarted{No: 1, Try: 2, Deadline: t0}, digest("x"))
	if c.Status != loop.Running || c.Try != 2 || !c.Deadline.Equal(t0) || !c.RetryAt.IsZero() {
		t.Errorf("started: %+v", c)
	}
	l.NeedInput(&run.CallInputNeeded{No: 1, Round: 1, Input: run.CallInput{Message: "which?"}})
	if c.Status != loop.Asked || c.Tried != 2 || !c.Deadline.IsZero() || c.Input.Message != "which?" || !c.MustAsk() {
		t.Errorf("asking: %+v", c)
	}
	if c.Place = (&gate.Place{Content: "old", Asks: []gate.Ask{{Want: "input:1", Approval: 7}}}); c.MustAsk() {
		t.Error("people are asked twice")
	}
	if n, ok := c.Asked(); !ok || n != 7 {
		t.Errorf("asked in approval %d (%v)", n, ok)
	}
	l.RebindCall(&run.CallRebound{No: 1, Spec: run.ToolSpec{Operation: "other"},
		Changed: []gate.VersionChange{{}}}, digest("new"))
	if c.Call.Spec.Operation != "other" || c.Input != nil || c.Rebound != 1 || c.Place.Content != "new" ||
		len(c.Place.Changed) != 1 || c.Status != loop.Asked || c.MustAsk() {
		t.Errorf("rebound: %+v", c)
	}
	c.Place = nil
	l.RebindCall(&run.CallRebound{No: 1}, digest("new"))
	if c.Place != nil || c.Rebound != 2 {
		t.Errorf("rebound before anybody was asked: %+v", c)
	}
	for _, unknown := range []func(){ // of another turn
		func() { l.StartCall(&run.CallStarted{No: 9}, digest("x")) },
		func() { l.RebindCall(&run.CallRebound{No: 9}, digest("x")) },
		func() { l.NeedInput(&run.CallInputNeeded{No: 9}) },
	} {
		unknown()
	}
	if l.CompleteCall(c, &run.CallCompleted{}, digest("x")); c.Status != loop.Done || len(l.Calls) != 1 {
		t.Errorf("completed: %+v", c)
	}
}

// TestCallsThatCannotBeMade are rejected in words that the model can use.
func TestCallsThatCannotBeMade(t *testing.T) {
	for want, call := range map[string]run.Call{
		"":                            {ID: "1", Args: json.RawMessage(`{"a":1}`)},
		"another call of this turn":   {ID: "c{}", Args: json.RawMessage(`{}`)},
		`tool "fly" not found`:        {ID: "2", Tool: "fly", Spec: run.ToolSpec{Unknown: true}},
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

// TestChangedArguments: the model sees how people changed its call.
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

// TestClone: a clone shares no calls with the original.
func TestClone(t *testing.T) {
	l := begun(`{}`)
	c := l.Clone()
	c.Call(1).Status = loop.Done
	if l.Call(1).Status != loop.Asked {
		t.Error("a copy writes to the original")
	}
}
