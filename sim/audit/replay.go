package audit

import (
	"encoding/json"
	"fmt"
	"slices"
)

// replay is the auditor's own record of one run.
type replay struct {
	a   *auditor
	id  string
	e   *event
	f   fact
	def definition
	law law // the policy by which this event was judged

	owner      string
	input      json.RawMessage
	context    json.RawMessage // as forks set it
	output     json.RawMessage // as people changed it
	result     json.RawMessage // of a run that completed
	parent     string
	status     string // running, or how it ended
	paused     bool
	cancelling bool
	testMode   bool
	messages   int      // between agents
	unsent     []string // step and reader of messages that came with the newest result
	unraised   bool     // it stopped at a limit that has not been raised yet
	forked     *int64
	startOpen  bool // the required start approvals have been checked

	steps     map[string]*step
	approvals map[string]*approval
	places    map[string][]*approval // by place, those that still count
	told      map[string]bool        // places where people rejected and the run continues
	causes    map[string]span
	layer     int // steps up to this layer may run
	hires     []hire
	consult   int
	forPeople bool // the agent in the loop, or its fallback, left the decision to people
	asking    bool
	replans   map[int]bool
	proposals map[int]*proposal // steps that people are asked about, by search
	grows     bool              // the plan may grow by what was just found or accepted
	shown     bool              // and people were shown it
	early     map[string]*early // steps that run ahead, by step
	taking    string            // the step that has just started, and has to take over what it did ahead
	spent     int64
}

// span is where a command's events are in the log.
type span struct{ first, last int64 }

// hire is a result attributed to a sub-run.
type hire struct {
	child  string
	seq    int64
	output json.RawMessage
}

// step is the state of a step, according to the log.
type step struct {
	def    *stepDef
	status string // pending, running, done, failed, skipped, cancelled
	rev    int
	tasks  map[int]*task   // by index; -1 is a plain step's only one
	begun  bool            // a map that has been laid out
	count  int             // its elements
	output json.RawMessage // of a map, as people changed it
	raised int             // turns that people added after the run had stopped
	owed   *result         // what it did ahead and takes over

	set     json.RawMessage // its output, as a fork set it
	skipped string          // why it was
	changed bool            // people changed its input

	replaced bool // it failed, and another step does its work
}

// task is one piece of a step's work.
type task struct {
	status  string // "", running, backoff, review, done
	rev     int
	try     int
	result  *result
	child   string
	loop    *loop
	changed bool        // people changed its input
	law     law         // the policy by which it was allowed to begin
	let     []*approval // of the step as a whole, when it began
}

func newStep(def *stepDef) *step {
	if def.Human != nil && def.Human.ID == "" {
		def.Human.ID = def.ID // a human step's gate goes by the step's id
	}
	return &step{def: def, status: "pending", tasks: map[int]*task{}}
}

func (s *step) settled() bool {
	return s.status == "done" || s.status == "failed" || s.status == "skipped" || s.status == "cancelled"
}

func (s *step) task(index int) *task {
	t, ok := s.tasks[index]
	if !ok {
		t = &task{rev: -1}
		s.tasks[index] = t
	}
	return t
}

// work is the key of a piece of work as the outside world sees it.
func (r *replay) work(kind, step string, index, rev, n int) string {
	out := r.id
	if from := r.law.commit.Origin; from != "" {
		out = from
	}
	out += "/" + kind + "/" + step
	if index >= 0 {
		out += fmt.Sprintf("[%d]", index)
	}
	if out += fmt.Sprintf("#%d", rev); kind != "step" {
		out += fmt.Sprintf(".%d", n)
	}
	return out
}

func (r *replay) ended() bool { return r.status != "running" && r.status != "" }

// checkEvent checks what every event must satisfy.
func (r *replay) checkEvent(n int64) {
	e := r.e
	switch {
	case e.Seq != n:
		r.fail(seqDense, "event %d of the log has seq %d", n, e.Seq)
	case e.Run != r.id:
		r.fail(seqDense, "it belongs to %s", e.Run)
	}
	r.f = fact{}
	if err := json.Unmarshal(e.Data, &r.f); err != nil {
		r.fail(readable, "%s: %v", e.Type, err)
	}
	if e.Cause == "" {
		return
	}
	c, ok := r.causes[e.Cause]
	switch {
	case !ok:
		c = span{e.Seq, e.Seq}
	case c.last != e.Seq-1:
		r.fail(oneAnswer, "command %s had led to the events %d to %d before", e.Cause, c.first, c.last)
	}
	c.last = e.Seq
	r.causes[e.Cause] = c
}

// checkAcks compares acknowledgements with the log.
func (r *replay) checkAcks() {
	for _, k := range r.a.c.Acks {
		if k.Run != r.id || k.ID == "" {
			continue
		}
		c, ok := r.causes[k.ID]
		if !ok {
			r.fail(ackDurable, "command %s was acknowledged with seq %d and is not in the log", k.ID, k.Last)
		}
		if c.last != k.Last || !k.Again && c.first != k.First {
			r.fail(oneAnswer, "command %s was answered with seq %d; its events are %d to %d", k.ID, k.Last, c.first, c.last)
		}
	}
}

// replay applies one event, and complains if it is not allowed.
func (r *replay) replay() {
	f := &r.f
	if r.unraised && r.e.Type != "limit.raised" && r.e.Type != "run.forked" {
		r.fail(gated, "%s comes after a limit that was not raised", r.e.Type)
	}
	r.aheadEvent()
	r.spend()
	switch r.e.Type {
	case "run.started":
		r.begin()
	case "run.forked":
		r.fork()
	case "run.paused":
		r.paused = true
	case "run.unpaused":
		r.paused = false
	case "run.reopened":
		r.reopen()
	case "limit.raised":
		r.raise()
	case "run.cancelling":
		r.cancelling, r.paused = true, false
	case "run.completed", "run.failed", "run.cancelled", "run.limit_reached":
		r.finish()
	case "approval.needed", "approval.auto_approved", "approval.decided", "approval.resolved", "approval.escalated",
		"approval.timed_out", "gate.passed":
		r.approvalEvent()
	case "step.started", "step.expanded", "step.returned", "step.completed", "element.completed",
		"step.retrying", "step.failed",
		"step.skipped", "step.revised", "step.args_changed", "step.rebound":
		r.stepEvent()
	case "turn.started", "turn.completed", "turn.retrying", "agent.handed_off", "limit.granted",
		"call.requested", "call.rebound", "call.started", "call.args_changed", "call.retrying",
		"call.input_needed", "call.completed":
		r.loopEvent()
	case "agent.message":
		r.message()
	case "consult.started":
		r.consult, r.asking = f.N, true
	case "consult.retrying", "consult.read":
		if !r.asking || f.N != r.consult {
			r.fail(fenced, "no advice was requested: %d", f.N)
		}
	case "consult.answered":
		if !r.asking || f.N != r.consult {
			r.fail(fenced, "no advice was requested: %d", f.N)
		}
		r.asking, r.forPeople = false, r.forPeople || f.Advice.Action == "ask"
	case "replan.requested", "replan.answered", "replan.settled":
		r.replanEvent()
	case "point.passed":
		r.checkPoint()
		r.layer, r.forPeople = f.Layer, false
		r.clear(func(s spot) bool { return s.At == "layer" })
	case "plan.changed":
		r.checkGrows()
		r.inject(f.Steps, f.Agents)
		r.clear(func(s spot) bool { return s.At == "end" })
		r.output = nil
	}
}

func (r *replay) begin() {
	raw, ok := r.a.c.Definitions[r.f.Workflow]
	if !ok {
		r.fail(readable, "there is no workflow %s", r.f.Workflow)
	}
	if err := json.Unmarshal(raw, &r.def); err != nil {
		r.fail(readable, "workflow %s: %v", r.f.Workflow, err)
	}
	for i := range r.def.Workflow.Steps {
		r.steps[r.def.Workflow.Steps[i].ID] = newStep(&r.def.Workflow.Steps[i])
	}
	r.status, r.owner, r.input, r.testMode = "running", r.f.Owner, r.f.Input, r.f.TestMode
	r.places, r.told, r.replans = map[string][]*approval{}, map[string]bool{}, map[int]bool{}
	r.proposals = map[int]*proposal{}
	if r.f.Parent != nil {
		r.parent = r.f.Parent.Run
	}
}

// reopen returns a failed run to where it stopped.
func (r *replay) reopen() {
	if r.status != "failed" && r.status != "limit_reached" {
		r.fail(order, "a run that is %s is taken up again", r.status)
	}
	r.unraised = r.status == "limit_reached"
	r.revive(false)
	r.clear(func(s spot) bool { return s.At == "end" || s.At == "layer" })
}

// raise records a limit that a person raised.
func (r *replay) raise() {
	s, ok := r.steps[r.f.Step]
	if !ok || r.status != "running" {
		r.fail(readable, "a limit of step %q is raised in a run that is %s", r.f.Step, r.status)
	}
	if p := r.a.people[r.e.Actor.Name]; r.e.Actor.Kind != "person" || p == nil || p.Kind != "person" {
		r.fail(authority, "%s %s raised a limit", r.e.Actor.Kind, r.e.Actor.Name)
	}
	if more := r.f.To.number() - word(r.f.From).number(); more <= 0 {
		r.fail(gated, "a limit of step %s is raised by %d", r.f.Step, more)
	} else if r.f.Limit == "iterations" {
		s.raised += more
	}
	r.unraised = false
}

// revive resets work that had begun and not completed.
func (r *replay) revive(forked bool) {
	r.status, r.paused, r.cancelling, r.output = "running", false, false, nil
	for _, s := range r.steps {
		switch {
		case s.status == "skipped" && s.rev < 0: // see skipped
			s.status, s.rev = "pending", 0
		case s.replaced:
		case s.status == "failed" || s.status == "cancelled" || s.status == "running":
			s.status = "pending"
		}
		if s.settled() {
			continue
		}
		for _, t := range s.tasks {
			if t.status == "running" || t.status == "backoff" {
				t.status = ""
			}
			if forked && t.status != "done" {
				t.try = 0
			}
			if t.loop != nil {
				t.loop.revive(forked)
			}
			if t.loop != nil && s.def.Tool != "" {
				t.loop.reviveCall(forked)
			}
		}
	}
}

// fork starts a new run on a copied history. Completed work stays completed; other approvals no longer count.
func (r *replay) fork() {
	r.unraised = false // its agents have used up their limits, and stop again
	f := &r.f
	r.forked = &f.AtSeq
	if f.AtSeq != r.e.Seq-1 {
		r.fail(forks, "it says that it was forked at %d, but stands at %d", f.AtSeq, r.e.Seq)
	}
	r.checkPast(f)
	r.checkEdits()
	for _, a := range r.approvals {
		a.open = false
	}
	passed := r.startOpen
	r.clear(func(s spot) bool { return s.At != "start" || !passed })
	r.told, r.early = map[string]bool{}, map[string]*early{}
	r.revive(true)
	for _, s := range r.steps {
		s.owed = nil
	}
	if f.Owner != "" {
		r.owner = f.Owner
	}
	r.asking, r.replans = false, map[int]bool{}
	if f.Edits.Input != nil {
		r.input, r.startOpen = f.Edits.Input, false
	}
	if f.Edits.Context != nil {
		r.context = patch(r.context, f.Edits.Context)
	}
	for id, out := range f.Edits.Outputs {
		r.steps[id].status, r.steps[id].set = "done", out
	}
}

// checkPast compares the copied events with the originals.
func (r *replay) checkPast(f *fact) {
	var from string
	_ = json.Unmarshal(f.From, &from)
	source, ok := r.a.logs[from]
	if !ok || int64(len(source.Lines)) < f.AtSeq {
		r.fail(forks, "there is no event %d of run %s", f.AtSeq, from)
	}
	own := r.a.logs[r.id]
	for n := range f.AtSeq {
		var was, is event
		_ = json.Unmarshal(source.Lines[n], &was)
		_ = json.Unmarshal(own.Lines[n], &is)
		if was.Type != is.Type || !was.At.Equal(is.At) || string(was.Data) != string(is.Data) {
			r.fail(forks, "event %d is %s %s; in %s it was %s %s", n+1, is.Type, is.Data, from, was.Type, was.Data)
		}
	}
}

// finish ends the run.
func (r *replay) finish() {
	if r.ended() {
		r.fail(completeness, "it was %s before", r.status)
	}
	for _, a := range r.approvals {
		if a.open {
			r.fail(completeness, "%s while %s (%s) is still open", r.e.Type, a.id, a.want)
		}
	}
	for _, id := range sorted(r.early) {
		r.fail(ahead, "%s while step %s runs ahead", r.e.Type, id)
	}
	if r.e.Type == "run.completed" {
		r.checkCompleted()
		r.result = r.f.Output
	}
	r.status = r.e.Type[len("run."):]
	r.asking, r.replans, r.proposals = false, map[int]bool{}, map[int]*proposal{}
	for _, s := range r.steps {
		if s.status == "running" {
			s.status = "cancelled"
		}
	}
}

func (r *replay) checkCompleted() {
	for id, s := range r.steps {
		if !s.settled() {
			r.fail(completeness, "step %s is %s", id, s.status)
		}
	}
	if r.cancelling || r.paused || r.asking || len(r.replans)+len(r.proposals) > 0 {
		r.fail(completeness, "cancelling: %v, paused: %v, asking an agent: %v, searching for steps: %v", r.cancelling,
			r.paused, r.asking, len(r.replans)+len(r.proposals) > 0)
	}
	where := placeOf("end", "", -1, 0)
	if r.told[where] && !equal(r.f.Output, json.RawMessage("null")) {
		r.fail(gated, "the run completes with %s, and people rejected it", r.f.Output)
	}
	if !r.told[where] {
		for _, g := range r.gatesAt("end", "") {
			r.require(where, g.When, g.ID, r.f.Output, "the run completes")
		}
	}
}

// clear drops the decisions at the matching places.
func (r *replay) clear(match func(spot) bool) {
	for place, list := range r.places {
		if len(list) > 0 && match(list[0].spot) {
			delete(r.places, place)
			delete(r.told, place)
		}
	}
}

// checkEnd checks the whole run at the end of the log.
func (r *replay) checkEnd() {
	if spent, ok := r.a.c.Spent[r.id]; ok && spent != r.spent {
		r.fail(ahead, "the run is said to have cost %d, and its results cost %d", spent, r.spent)
	}
	if r.a.c.Quiet && !r.ended() {
		r.fail(moves, "the run is %s", r.status)
	}
}

// checkChildren checks sub-runs and their parents.
func (a *auditor) checkChildren() {
	for _, run := range a.c.Runs {
		r := a.ends[run.ID]
		if r.parent == "" || r.forked != nil {
			continue
		}
		p, ok := a.ends[r.parent]
		if !ok {
			r.fail(children, "it works for %s, which does not exist", r.parent)
		}
		if p.ended() && !r.ended() {
			r.fail(children, "%s has ended, and this one is %s", r.parent, r.status)
		}
	}
	for _, run := range a.c.Runs {
		r := a.ends[run.ID]
		for _, h := range r.hires {
			r.e.Seq = h.seq
			c, ok := a.ends[h.child]
			if !ok || c.status != "completed" || !equal(c.result, h.output) {
				r.fail(children, "sub-run %s is said to have put out %s, which it did not", h.child, h.output)
			}
		}
	}
}

func sorted[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
