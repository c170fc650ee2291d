package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// loop is a language model at work: turns and calls.
type loop struct {
	agent    string
	under    []string // who handed over
	turn     int
	try      int
	turns    int // completed
	granted  int
	thinking bool
	calls    map[int]*tool // by number, of all turns
	last     int
	// calls that people approved and that then failed: repeating one is covered
	repeatable []*tool
}

type tool struct {
	call
	no       int
	agent    string   // who requested it
	under    []string // who had handed off, and whose rules also apply
	status   string   // asked, running, backoff, done
	try      int
	denied   bool
	approved bool // people were asked about it
	repeats  bool // uses the approval of an equal call that failed
	inputs   int  // how often the tool asked people
	taken    int  // how many of these questions were another version's
}

// asks reports whether the tool, in its current version, asked people.
func (c *tool) asks() bool { return c.inputs > c.taken }

// question identifies the tool's last question.
func (c *tool) question() string { return fmt.Sprintf("%s%d", asksInput, c.inputs) }

// asksInput is the prefix of a tool's own question. It is not an approval.
const asksInput = "input:"

func newLoop(agent string) *loop { return &loop{agent: agent, calls: map[int]*tool{}} }

func (l *loop) revive(forked bool) {
	if l.thinking {
		l.thinking = false
	}
	if forked {
		l.try, l.repeatable = 0, nil
	}
	for _, c := range l.calls {
		if c.status != "done" {
			c.status = "asked"
			if forked {
				c.try, c.approved, c.repeats, c.inputs, c.taken = 0, false, false, 0, 0
			}
		}
	}
}

// reviveCall resumes a step that is one call: the same call again if it was made, else another one.
func (l *loop) reviveCall(forked bool) {
	for no, c := range l.calls {
		switch {
		case forked || c.try == 0 || c.denied:
			delete(l.calls, no)
		case c.status == "done":
			c.status = "asked"
		}
	}
}

// loopEvent checks and records turns and calls.
func (r *replay) loopEvent() {
	f := &r.f
	s, ok := r.steps[f.Step]
	if !ok {
		r.fail(readable, "there is no step %q", f.Step)
	}
	index := indexOf(f.Index)
	t := s.task(index)
	if t.loop == nil || t.status != "running" {
		r.fail(fenced, "step %s is not thinking: %q", f.Step, t.status)
	}
	l := t.loop
	switch r.e.Type {
	case "turn.started":
		r.turnStarted(s, l)
	case "turn.completed":
		if !l.thinking {
			r.fail(fenced, "a turn of step %s completes that was not awaited", f.Step)
		}
		l.thinking = false
		l.turns++
	case "turn.retrying":
		if !l.thinking {
			r.fail(fenced, "a turn of step %s fails that was not awaited", f.Step)
		}
		l.thinking = false
	case "agent.handed_off":
		if may := append(slices.Clone(r.def.Workflow.HandOff),
			r.def.Agents[l.agent].HandOff...); !contains(may, string(f.To)) {
			r.fail(authority, "%s hands over to %s, and may only to %v", l.agent, f.To, may)
		}
		l.under = append(slices.Clip(l.under), l.agent)
		l.agent = string(f.To)
	case "limit.granted":
		var more struct {
			Iterations int `json:"iterations"`
		}
		_ = json.Unmarshal(f.More, &more)
		l.granted += more.Iterations
		if !r.anyPositive(placeOf("limit", f.Step, index, 0)) {
			r.fail(gated, "step %s is granted more without a decision", f.Step)
		}
		r.clear(func(p spot) bool { return p.At == "limit" && p.Step == f.Step && indexOf(p.Index) == index })
	case "call.requested":
		if f.No != l.last+1 {
			r.fail(order, "call %d comes after call %d", f.No, l.last)
		}
		l.last = f.No
		l.calls[f.No] = &tool{call: *f.Call, no: f.No, agent: l.agent, under: l.under, status: "asked"}
	default:
		r.callEvent(s, l, index)
	}
}

// messagesMax is how many messages the agents of a run may send.
const messagesMax = 200

// message checks an agent's message to another: it requested that itself, names itself, and writes to an
// agent of the run.
func (r *replay) message() {
	f := &r.f
	s, ok := r.steps[f.Step]
	if !ok || r.ended() {
		r.fail(order, "an agent of step %q writes in a run that is %s", f.Step, r.status)
	}
	var from string
	_ = json.Unmarshal(f.From, &from)
	asked := false
	if t := s.task(indexOf(f.Index)); t.loop != nil && t.status == "running" {
		for _, c := range t.loop.calls {
			asked = asked || c.Tool == "send_message" && c.status == "asked" && c.agent == from && c.ID == f.ID
		}
	}
	if n := slices.Index(r.unsent, f.Step+" "+string(f.To)); f.ID == "" && n >= 0 { // it came with a result
		asked, r.unsent = true, slices.Delete(r.unsent, n, n+1)
	}
	if !asked || r.e.Actor.Kind != "agent" || r.e.Actor.Name != from {
		r.fail(authority, "%s %s writes to %s as %s, and did not ask for it", r.e.Actor.Kind, r.e.Actor.Name, f.To, from)
	}
	if _, known := r.def.Agents[string(f.To)]; !known || string(f.To) == from {
		r.fail(authority, "%s writes to %s, which is no other agent of this run", from, f.To)
	}
	if r.messages++; r.messages > messagesMax {
		r.fail(completeness, "the agents have sent %d messages; at most %d are allowed", r.messages, messagesMax)
	}
}

func (r *replay) turnStarted(s *step, l *loop) {
	var turn int
	_ = json.Unmarshal(r.f.Turn, &turn)
	if r.ended() || r.paused || r.cancelling {
		r.fail(order, "a turn of step %s starts in a run that is %s (paused: %v, cancelling: %v)", s.def.ID, r.status,
			r.paused, r.cancelling)
	}
	if l.thinking || turn < l.turn || turn == l.turn && r.f.Try <= l.try || turn > l.turns+1 {
		r.fail(fenced, "turn %d try %d of step %s starts after turn %d try %d, of which %d are done", turn, r.f.Try,
			s.def.ID, l.turn, l.try, l.turns)
	}
	for _, c := range l.calls {
		if c.status != "done" {
			r.fail(order, "turn %d of step %s starts while call %d is %s", turn, s.def.ID, c.no, c.status)
		}
	}
	if lim := r.def.Agents[s.def.Agent].Limits; lim != nil && lim.Iterations > 0 &&
		l.turns >= lim.Iterations+l.granted+s.raised {
		r.fail(gated, "turn %d of step %s starts beyond its limit of %d turns, %d granted and %d raised", turn, s.def.ID,
			lim.Iterations, l.granted, s.raised)
	}
	l.thinking, l.turn, l.try = true, turn, r.f.Try
}

func (r *replay) callEvent(s *step, l *loop, index int) {
	f := &r.f
	c, ok := l.calls[f.No]
	if !ok {
		r.fail(fenced, "no call has the number %d", f.No)
	}
	where := placeOf("call", f.Step, index, f.No)
	switch r.e.Type {
	case "call.started":
		if r.ended() || r.paused || r.cancelling {
			r.fail(order, "call %d starts in a run that is %s (paused: %v, cancelling: %v)", f.No, r.status,
				r.paused, r.cancelling)
		}
		if c.status != "asked" && c.status != "backoff" || f.Try <= c.try {
			r.fail(fenced, "call %d try %d starts and is %s at try %d", f.No, f.Try, c.status, c.try)
		}
		r.checkCall(s, l, c, where, r.work("call", s.def.ID, index, s.task(index).rev, c.no))
		c.status, c.try = "running", f.Try
	case "call.rebound":
		if c.status != "running" {
			r.fail(order, "call %d is taken back and was %s", f.No, c.status)
		}
		c.Spec, c.status, c.repeats, c.taken = *f.Spec, "asked", false, c.inputs
		r.forgetRules(where)
	case "call.args_changed":
		if c.status != "asked" || c.asks() {
			r.fail(order, "the arguments of call %d change while it is %s and has asked %d times", f.No, c.status, c.inputs)
		}
		c.Args, c.approved, c.repeats = f.Args, false, false
		r.clear(func(p spot) bool { return p.place() == where })
	case "call.retrying":
		if c.status != "running" {
			r.fail(fenced, "call %d fails and was %s", f.No, c.status)
		}
		c.status = "backoff"
	case "call.input_needed":
		if c.status != "running" || f.Round != c.inputs+1 {
			r.fail(fenced, "call %d asks people for the time %d while it is %s and has asked %d times", f.No,
				f.Round, c.status, c.inputs)
		}
		c.status, c.inputs = "asked", f.Round
	case "call.completed":
		r.callCompleted(s, l, c, where, r.work("call", s.def.ID, index, s.task(index).rev, c.no))
	}
}

func (r *replay) callCompleted(s *step, l *loop, c *tool, where, key string) {
	f := &r.f
	switch {
	case f.ID != c.ID:
		r.fail(fenced, "call %d is %s, not %s", f.No, c.ID, f.ID)
	case c.status == "done":
		r.fail(fenced, "call %d completes twice", f.No)
	case f.DryRun && !r.testMode:
		r.fail(fenced, "call %d has a sample for a result, in a run that is no test", f.No)
	case c.status != "running" && !f.Denied && f.Result.Error == "":
		r.checkCall(s, l, c, where, key) // executed by the run itself, or simulated in a test
	}
	for _, a := range r.places[where] {
		if a.open {
			r.fail(completeness, "call %d completes while %s (%s) is open", f.No, a.id, a.want)
		}
	}
	if c.try > 0 && !f.Denied {
		if at := l.repeats(c); f.Result.Error == "" && at >= 0 {
			l.useUp(at)
		} else if f.Result.Error != "" && (c.approved || c.repeats) && at < 0 {
			l.repeatable = append(l.repeatable, c)
		}
	}
	c.status, c.denied = "done", f.Denied
}

// repeats finds an approved call that failed.
func (l *loop) repeats(c *tool) int {
	for i, had := range l.repeatable {
		if had.Tool == c.Tool && equal(had.Args, c.Args) &&
			slices.Equal(words(had.Spec.Implementation), words(c.Spec.Implementation)) {
			return i
		}
	}
	return -1
}

// useUp: an approval is valid for one call at a time.
func (l *loop) useUp(at int) { l.repeatable = append(l.repeatable[:at:at], l.repeatable[at+1:]...) }

// checkCall: a call runs only after all required approvals of these very arguments.
func (r *replay) checkCall(s *step, l *loop, c *tool, where, key string) {
	for _, a := range r.places[where] {
		if a.open {
			r.fail(gated, "call %d (%s) runs while %s (%s) is open", c.no, c.Tool, a.id, a.want)
		}
	}
	what := "call " + c.ID + " of " + c.Tool + " runs"
	asks, level, people := r.strictest(s, c)
	v := r.law.judge(subject{key: key, granted: r.granted(where, c.Args), workflow: r.def.Workflow.Name, agent: c.agent,
		tool: c.Tool, operation: c.Spec.Operation, risk: level, data: c.Args})
	if v.effect == "deny" {
		r.fail(denied, "%s, which %s forbids: %s", what, v.rule, c.Args)
	}
	if c.asks() && !r.answered(where, c.question()) {
		r.fail(gated, "%s again, without an answer to its question (%s)", what, c.question())
	}
	if c.asks() {
		return // work in progress was allowed to start
	}
	for _, a := range r.places[where] {
		c.approved = c.approved || !strings.HasPrefix(a.want, asksInput)
	}
	if at := l.repeats(c); at >= 0 && c.try == 0 {
		l.useUp(at)
		c.repeats = true
	}
	if c.repeats {
		return
	}
	for _, g := range r.gatesAt("call", c.Tool) {
		r.require(where, g.When, g.ID, c.Args, what)
	}
	if v.effect == "ask" {
		r.requireRule(r.law, where, v, c.Args, what)
	}
	if c.Tool == "ask_human" && !r.answered(where, "question") {
		r.fail(gated, "%s, without an answer to the question", what)
	}
	if asks && !r.covered(where, c.Args, people) {
		r.fail(gated, "%s with %s, and the agent had to ask", what, c.Args)
	}
}

func levelOf(class string) string {
	switch class {
	case "safe":
		return "low"
	case "low", "medium", "high", "critical":
		return class
	}
	return "high"
}

// strictest: the agent's settings for a tool take precedence over its autonomy, critical tools always ask,
// and among an agent and all that handed off to it the strictest counts. People means that no rule may decide
// instead.
func (r *replay) strictest(s *step, c *tool) (asks bool, level string, people bool) {
	for _, name := range append([]string{c.agent}, c.under...) {
		a := r.def.Agents[name]
		own, given := a.ToolRisk[c.Tool]
		class := c.Spec.Class
		if given && class != "critical" {
			class = own
		}
		risky := levelOf(class) == "high" || levelOf(class) == "critical"
		switch {
		case c.Tool == "ask_human": // is itself a question to people
		case a.Autonomy == "approve_all":
			asks, people = true, true
		case levelOf(class) == "critical":
			asks, people = true, true
		case given && risky, a.Autonomy == "approve_milestones" && c.Tool == "milestone":
			asks = true
		case a.Autonomy == "approve_high_risk" || a.Autonomy == "":
			asks = asks || risky
		}
		if rank[levelOf(class)] > rank[level] {
			level = levelOf(class)
		}
	}
	if own := s.def.Risk; s.def.Tool != "" && rank[own] > rank[level] { // a step can raise the risk of its call
		level, asks, people = own, asks || rank[own] >= rank["high"], people || own == "critical"
	}
	return asks, level, people
}

var rank = map[string]int{"low": 1, "medium": 2, "high": 3, "critical": 4}
