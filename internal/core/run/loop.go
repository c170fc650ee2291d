package run

import (
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
)

// Loop is an LLM agent at work: turn, calls, results, next turn. Each turn and
// each call is an obligation with a key of its own, so a crash repeats neither
// a paid turn nor a recorded side effect.
type Loop struct {
	Agent string `json:"agent"` // who thinks now; hand-offs change it
	// Under lists the agents that handed over, oldest first: their rules hold
	// for every later call as well.
	Under     []string     `json:"under,omitempty"`
	StartedAt time.Time    `json:"started_at"`
	Turn      int          `json:"turn"` // turns started
	Turns     int          `json:"turns"`
	Try       int          `json:"try,omitempty"`
	Tried     int          `json:"tried,omitempty"` // tries of the turn before the run was taken up again
	Thinking  bool         `json:"thinking,omitempty"`
	Deadline  time.Time    `json:"deadline,omitzero"`
	RetryAt   time.Time    `json:"retry_at,omitzero"` // set while a failed turn waits to be tried again
	Busy      int          `json:"busy,omitempty"`    // tries of this turn that found the model busy
	BusySince time.Time    `json:"busy_since,omitzero"`
	Calls     []*CallState `json:"calls,omitempty"` // of the newest turn
	CallNo    int          `json:"call_no,omitempty"`
	Entries   []Entry      `json:"entries,omitempty"`
	Inbox     []Message    `json:"inbox,omitempty"` // taken at the next turn
	Usage     Usage        `json:"usage,omitzero"`
	Warned    []LimitKind  `json:"warned,omitempty"`
	Granted   LimitAmount  `json:"granted,omitzero"`
	Limit     *Place       `json:"limit,omitempty"` // people are asked for more
	LimitKind LimitKind    `json:"limit_kind,omitempty"`
	Mends     int          `json:"mends,omitempty"`
	// Repeatable lists what people approved and what then failed: the same
	// again needs no new approval, anything else does.
	Repeatable []string `json:"repeatable,omitempty"`
}

// CallState is where a tool call stands.
type CallState struct {
	No       int        `json:"no"`
	Agent    string     `json:"agent"`           // who asked for it; a hand-off does not free it from that agent's rules
	Under    []string   `json:"under,omitempty"` // who had handed over when it was asked for
	Call     Call       `json:"call"`
	Status   CallStatus `json:"status"`
	Try      int        `json:"try,omitempty"`
	Deadline time.Time  `json:"deadline,omitzero"`
	RetryAt  time.Time  `json:"retry_at,omitzero"`
	Place    *Place     `json:"place,omitempty"`
	Repeats  bool       `json:"repeats,omitempty"` // runs on the yes to an equal call that failed
	Tried    int        `json:"tried,omitempty"`   // tries before the tool asked for input
	Input    *CallInput `json:"input,omitempty"`   // what the tool asked last
	Round    int        `json:"round,omitempty"`   // how often it asked
	Rebound  int        `json:"rebound,omitempty"` // how often its tool changed meanwhile
}

// CallStatus is where a tool call stands.
type CallStatus string

const (
	CallAsked   CallStatus = "asked" // by the model
	CallHeld    CallStatus = "held"  // people are asked
	CallRunning CallStatus = "running"
	CallBackoff CallStatus = "backoff"
	CallDone    CallStatus = "done" // answered, denied included
)

// loop returns a task's loop for writing.
func (s *State) loop(i, k int) *Loop {
	t := s.task(i, k)
	if s.isDraft && !t.ownLoop {
		t.Loop, t.ownLoop = t.Loop.clone(), true
	}
	return t.Loop
}

// loopAt finds the loop that a spot is about.
func (s *State) loopAt(spot Spot) *Loop {
	i, ok := s.plan.Step(spot.Step)
	k := max(indexOf(spot.Index), 0)
	if !ok || k >= len(s.Steps[i].Tasks) {
		return nil
	}
	return s.Steps[i].Tasks[k].Loop
}

func (s *State) callAt(spot Spot) *CallState {
	if l := s.loopAt(spot); l != nil {
		return l.call(spot.Call)
	}
	return nil
}

// nudgeLoop moves a loop on: calls, then the next turn once all are answered.
func (d *draft) nudgeLoop(i, k int) {
	if d.watchLimits(i, k) {
		return
	}
	for n := 0; n < len(d.loopOf(i, k).Calls); n++ {
		d.nudgeCall(i, k, d.loopOf(i, k).Calls[n])
		if t := d.taskIf(i, k); t == nil || t.Loop == nil || d.Status.Ended() {
			return
		}
	}
	l := d.loopOf(i, k)
	if turn, try, ok := l.nextTurn(d.env.Now); ok && d.mayStart() {
		d.startTurn(i, k, turn, try)
	}
}

func (d *draft) startTurn(i, k, turn, try int) {
	n := &d.Plan().Nodes[i]
	f := &TurnStarted{Step: n.Step.ID, Index: d.indexFor(i, k), Agent: d.loopOf(i, k).Agent, Turn: turn, Try: try}
	if t := n.Timeout(); t > 0 {
		f.Deadline = d.env.Now.Add(t)
	}
	d.emit(system, f)
}

func (d *draft) loopOf(i, k int) *Loop { return d.Steps[i].Tasks[k].Loop }

// taskIf returns a task that is still being worked on, or nil.
func (d *draft) taskIf(i, k int) *Task {
	if st := d.Steps[i]; st.Status == RunningStep && k < len(st.Tasks) && st.Tasks[k].Status == TaskRunning {
		return st.Tasks[k]
	}
	return nil
}

// indexFor is the index that facts about task k of step i carry.
func (s *State) indexFor(i, k int) *int {
	if s.isMap(i) {
		return &k
	}
	return nil
}

// thinking finds the turn that a key names, if it is still awaited.
func (d *draft) thinking(key Key) (i, k int, ok bool) {
	i, k, ok = d.locateTask(key, KeyTurn)
	if !ok {
		return
	}
	l := d.Steps[i].Tasks[k].Loop
	return i, k, l != nil && l.Thinking && l.Turn == key.N && l.Try == key.Try
}

// completeTurn takes a model's answer.
func (d *draft) completeTurn(c CompleteTurn) error {
	i, k, ok := d.thinking(c.Key)
	if !ok {
		return stale()
	}
	t := c.Turn
	calls := t.Calls
	t.Calls = nil
	if len(calls) > CallsMax {
		d.failTask(i, k, Failure{Code: "too_large",
			Message: fmt.Sprintf("the model asked for %d calls in one turn; the limit is %d", len(calls), CallsMax)})
		return nil
	}
	unclear := ""
	if t.Output != nil {
		out, err := value.Strict(t.Output)
		if out == nil {
			return d.retryTurn(i, k, Failure{Code: "invalid_output", Message: "the model's output is not valid: " + err.Error(),
				Transient: true, Usage: t.Usage})
		}
		if len(out) > OutputMax {
			return d.retryTurn(i, k, Failure{Code: "invalid_output",
				Message:   fmt.Sprintf("the model's output has %d bytes; the limit is %d", len(out), OutputMax),
				Transient: true, Usage: t.Usage})
		}
		if t.Output = out; err != nil { // told to the model as the words that they are
			t.Text, t.Output, unclear = string(out), nil, "the output is not valid: "+phrase.ClipBytes(err.Error(), 500)
		}
	}
	l := d.loopOf(i, k)
	by := Actor{Kind: Agent, Name: l.Agent}
	d.emit(by, &TurnCompleted{Step: d.id(i), Index: d.indexFor(i, k), Agent: l.Agent, Turn: t})
	for n, call := range calls {
		d.emit(by, &CallRequested{Step: d.id(i), Index: d.indexFor(i, k), No: l.CallNo + 1 + n, Call: normalCall(call)})
	}
	if len(calls) > 0 || len(d.loopOf(i, k).Inbox) > 0 {
		d.touch(i)
		return nil
	}
	d.finishLoop(i, k, t, unclear)
	return nil
}

// finishLoop turns a model's last words into the step's result, unless there is a
// problem with them that it can mend.
func (d *draft) finishLoop(i, k int, t Turn, problem string) {
	out := t.Output
	if out == nil {
		out = value.Object(value.Member{Key: "text", Value: value.Quote(t.Text)})
	}
	if ps := d.Plan().Nodes[i].OutputSchema.Validate(out); problem == "" && len(ps) > 0 {
		problem = fault.Of("the output does not match the schema", ps).Error()
	}
	if problem != "" {
		mends := d.loopOf(i, k).Mends
		d.emit(system, &NoteAdded{Step: d.id(i), Index: d.indexFor(i, k),
			Text: problem + ". Answer again with an output that matches it.", Mend: true})
		if mends >= MendsMax { // the note is for when the run is taken up again
			d.failTask(i, k, Failure{Code: "invalid_output", Message: problem})
			return
		}
		d.touch(i)
		return
	}
	if p := d.loopOf(i, k).Limit; p != nil { // it needs no more
		for _, ask := range p.Asks {
			if ask.Pending {
				d.withdraw(ask.Approval, "the agent has finished")
			}
		}
	}
	r := &Result{Output: out, Confidence: sane(t.Confidence), Reasoning: t.Reasoning}
	if d.isMap(i) {
		d.finishElement(i, k, r)
	} else {
		d.finishStep(i, r)
	}
}

// retryTurn tries a failed turn again, or gives up.
func (d *draft) retryTurn(i, k int, f Failure) error {
	n, l := &d.Plan().Nodes[i], d.loopOf(i, k)
	policy := n.RetryPolicy()
	f.Try = l.Try
	spared := l.Busy // tries that are not among those that the step is given
	if policy.Counted {
		spared = 0
	} else if f.Busy {
		d.awaitModel(i, k, f)
		return nil
	}
	if !f.Transient || l.Try-l.Tried-spared >= policy.Max {
		d.failTask(i, k, f)
		return nil
	}
	key := d.turnKey(i, k)
	key.Try -= spared
	at := d.env.Now.Add(key.Backoff(policy, f))
	d.emit(system, &TurnRetrying{Step: d.id(i), Index: d.indexFor(i, k), Error: f, RetryAt: at})
	return nil
}

// awaitModel asks a busy model again after pauses that grow, for as long as the
// step has patience. Such tries are not among those that the step is given: the
// model did not fail at anything.
func (d *draft) awaitModel(i, k int, f Failure) {
	n, l := &d.Plan().Nodes[i], d.loopOf(i, k)
	key := d.turnKey(i, k)
	key.Try = l.Busy + 1
	at := d.env.Now.Add(key.Backoff(n.RetryPolicy(), f))
	since := l.BusySince
	if since.IsZero() {
		since = d.env.Now
	}
	if p := n.Patience(); p > 0 && at.After(since.Add(p)) {
		f.Message = fmt.Sprintf("%s (busy for %s, after %d tries)", f.Message,
			quantity.Duration(d.env.Now.Sub(since).Round(time.Second)), f.Try)
		d.failTask(i, k, f)
		return
	}
	d.emit(system, &TurnRetrying{Step: d.id(i), Index: d.indexFor(i, k), Error: f, RetryAt: at})
}

func (d *draft) failTask(i, k int, f Failure) {
	index := -1
	if d.isMap(i) {
		index = k
	}
	d.failStep(i, index, f)
}

// agentSpec is the definition of the agent that asked for a call.
func (d *draft) agentSpec(i int, c *CallState) *plan.Agent { return d.agentNamed(i, c.Agent) }

func (d *draft) agentNamed(i int, name string) *plan.Agent {
	if a, ok := d.Plan().Definition.Agents[name]; ok {
		return &a
	}
	return d.Plan().Nodes[i].Agent
}

// rulesFor are those of the agent that asked for a call, and of all that handed
// over to it: handing over never loosens what an agent may do on its own.
func (d *draft) rulesFor(i int, c *CallState) (rules []risk.Rules, seesAll bool) {
	for _, name := range append([]string{c.Agent}, c.Under...) {
		a := d.agentNamed(i, name)
		rules = append(rules, risk.Rules{Autonomy: a.Autonomy, Overrides: a.ToolRisk})
		seesAll = seesAll || a.Autonomy.OrDefault() == risk.ApproveAll
		if mutant.Is(mutant.HandOffLoosens) {
			break
		}
	}
	return rules, seesAll
}
