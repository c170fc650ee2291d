package sim

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
)

// begin starts a run of a workflow.
func (w *world) begin(id, name string, g *generator) {
	input := fmt.Sprintf(`{"n":%d,"items":[{"n":%d},{"n":%d}]}`, g.rnd.IntN(11), g.rnd.IntN(11), g.rnd.IntN(11))
	p := personNamed(pick(g.rnd, owners...))
	do := run.Start{Input: json.RawMessage(input), Owner: p.name, TestMode: g.coin(6)}
	r := w.store.create(id, w.flows[name].plan)
	w.after(0, func() { w.deliver(r.id, run.Command{ID: "start-" + id, By: p.actor(), Do: do}, 50) })
}

// commandSomething makes a person interfere with a run.
func (w *world) commandSomething(r *record) {
	p := cast[w.crowd.IntN(lively)]
	s := r.truth
	steps := s.Plan().Definition.Workflow.Steps
	step := steps[w.crowd.IntN(len(steps))].ID
	edits, refusals := !w.opts.off(Edits), !w.opts.off(Refusals)
	var do run.Operation
	switch k := w.crowd.IntN(40); {
	case k < 4:
		do = run.Pause{Reason: "wait"}
	case k < 9:
		do = run.Resume{}
	case k < 10 && refusals:
		do = run.Cancel{Reason: "enough"}
	case k < 11 && refusals:
		do = run.Abort{Reason: "now"}
	case k < 16:
		do = run.SendMessage{Text: "hello", To: []string{"", step, "thinker"}[w.crowd.IntN(3)]}
	case k < 19 && edits:
		do = run.SkipStep{Step: step}
		if w.crowd.IntN(3) == 0 {
			layer := w.crowd.IntN(3)
			do = run.SkipStep{Layer: &layer}
		}
	case k < 26 && edits:
		do = run.ModifyArgs{Step: step, Changes: json.RawMessage(fmt.Sprintf(`{"n":%d}`, w.crowd.IntN(11)))}
		if w.crowd.IntN(2) == 0 {
			do = w.changeCall(r)
		}
	case k < 29 && edits:
		do = run.InjectSteps{Steps: w.newSteps(s.Plan(), failedIn(s)), Agents: map[string]plan.Agent{"fresh": fresh}}
	case k < 31 && edits:
		do = run.Replan{Requirement: "do more"}
	case k < 33:
		do = run.TakeSnapshot{}
		if s.Status.Ended() {
			do = run.Forget{Reason: "a customer asked for it"}
		}
	case k < 34 && len(s.Deliverables) > 0:
		name := s.Deliverables[w.crowd.IntN(len(s.Deliverables))].Name
		places := s.Versions(name)
		do = run.MarkDeliverable{
			Deliverable: fmt.Sprintf("dlv_%s_%d", strings.TrimPrefix(s.ID, "run_"), places[len(places)-1]+1),
			Status:      run.DeliverableStatuses[w.crowd.IntN(len(run.DeliverableStatuses))], Version: len(places),
		}
	case k < 36 && refusals:
		if open := s.Pending(); len(open) > 0 {
			do = run.Expire{Approval: open[w.crowd.IntN(len(open))].ID}
		}
	case k < 38:
		do = run.Consult{}
	default:
		if len(s.Approvals) > 0 { // also settled ones, which accept nothing more
			do = run.Comment{Approval: s.Approvals[w.crowd.IntN(len(s.Approvals))].ID, Text: "why?"}
		}
	}
	if s.Status == run.Failed && w.crowd.IntN(2) == 0 && !w.opts.off(Forks) {
		do = run.Resume{}
	}
	if s.Status == run.LimitReached && w.crowd.IntN(2) == 0 && !w.opts.off(Forks) {
		do = w.raiseLimits(s)
	}
	if do != nil {
		w.command(r, p, do)
	}
}

// raiseLimits resumes a run that stopped at a limit: with a higher one, or unchanged.
func (w *world) raiseLimits(s *machine.State) run.Operation {
	var do run.Resume
	for _, m := range s.Meters(s.Error.Step, indexOf(s.Error.Index), s.EndedAt) {
		if w.crowd.IntN(6) == 0 {
			continue // perhaps too little
		}
		switch more := 2*max(m.Used, m.Max) + 1; m.Limit {
		case run.LimitDuration:
			do.Limits.Duration = quantity.Duration(more)
		case run.LimitCost:
			do.Limits.CostUSD = quantity.Money(more)
		default:
			do.Limits.Iterations = int(more)
		}
	}
	return do
}

func indexOf(index *int) int {
	if index == nil {
		return -1
	}
	return *index
}

// changeCall changes the arguments of a waiting call, if there is one.
func (w *world) changeCall(r *record) run.Operation {
	for _, a := range r.truth.Pending() {
		if a.Call != "" {
			return run.ModifyArgs{Step: a.Step, Call: a.Call,
				Changes: json.RawMessage(fmt.Sprintf(`{"n":%d}`, w.crowd.IntN(11)))}
		}
	}
	return nil
}

const forksMax = 2

// forkSomething forks or retries a run.
func (w *world) forkSomething(r *record) {
	if w.opts.off(Forks) || w.forks >= forksMax || r.truth.Started.Parent != nil {
		return
	}
	w.forks++
	id := fmt.Sprintf("%sf%d", w.idPrefix, w.forks)
	p := cast[w.crowd.IntN(lively-2)]
	if w.forker.IntN(3) == 0 {
		p = cast[lively-2+w.forker.IntN(2)] // programs
	}
	w.cover.add("fork by", string(p.actor().Kind))
	if w.crowd.IntN(5) == 0 {
		do := run.Start{Input: r.truth.Started.Input, Owner: r.truth.Started.Owner, RetryOf: r.id}
		w.store.create(id, r.plan)
		w.after(w.delay(), func() { w.deliver(id, run.Command{ID: "start-" + id, By: p.actor(), Do: do}, 5) })
		return
	}
	at := 1 + w.crowd.Int64N(r.last())
	edits := w.forkEdits(r)
	if !w.opts.off(Edits) && w.forker.IntN(2) == 0 {
		edits = w.tellingEdit(r, at)
	}
	w.after(w.delay(), func() { w.branch(r, id, at, edits, p) })
}

func (w *world) forkEdits(r *record) (e run.Edits) {
	if w.opts.off(Edits) || w.crowd.IntN(2) == 0 {
		return e
	}
	if w.crowd.IntN(2) == 0 {
		e.Input = json.RawMessage(fmt.Sprintf(`{"n":%d,"items":[{"n":3}]}`, w.crowd.IntN(11)))
	}
	if w.crowd.IntN(2) == 0 {
		e.Context = json.RawMessage(fmt.Sprintf(`{"n":%d}`, w.crowd.IntN(11)))
	}
	if w.crowd.IntN(3) == 0 {
		steps := r.plan.Definition.Workflow.Steps
		e.Outputs = map[string]json.RawMessage{steps[w.crowd.IntN(len(steps))].ID: json.RawMessage(fmt.Sprintf(`{"n":%d}`,
			w.crowd.IntN(11)))}
	}
	return e
}

// tellingEdit changes one value that the past may have depended on: the input, the context, or the output of a step
// that has one.
func (w *world) tellingEdit(r *record, at int64) (e run.Edits) {
	v := json.RawMessage(fmt.Sprintf(`{"n":%d}`, w.forker.IntN(11)))
	var done []string
	for _, past := range r.read[:at] {
		if f, ok := past.Fact.(*run.StepCompleted); ok {
			done = append(done, f.Step)
		}
	}
	switch k := w.forker.IntN(6); {
	case k == 0:
		e.Context = v
	case k < 3 || len(done) == 0:
		e.Input = v
	default:
		e.Outputs = map[string]json.RawMessage{done[w.forker.IntN(len(done))]: v}
	}
	return e
}

// fork writes the new run's whole log at once.
func (w *world) fork(r *record, id string, at int64, edits run.Edits, p person) {
	h := w.leader()
	if h == nil {
		return
	}
	past := make([]run.Event, at)
	for n := range past {
		past[n] = decode(r.lines[n])
	}
	w.say("%s: %s forks %s at %d into %s with %s", h, p.name, r.id, at, id, mustJSON(edits))
	c := run.Command{ID: "fork-" + id, By: p.actor()}
	log, err := decide.Fork(h.env(), id, r.plan, past, edits, c)
	if err == nil && w.store.grant(h.law, log[at:]) != nil {
		h.readLaw(true)
		log, err = decide.Fork(h.env(), id, r.plan, past, edits, c)
	}
	if err != nil {
		w.say("  refused: %v", err)
		if fault.CodeOf(err) == "" {
			w.complain("errors are typed", id, 0, "fork: %v", err)
		}
		return
	}
	made := w.store.create(id, r.plan)
	if err := w.store.fork(made, r, at, h.epoch, h.law, log); err != nil {
		w.complain("a fork can be stored", id, 0, "%v", err)
		return
	}
	w.cover.add("command", "fork")
	w.noteEvents(log[at:])
	w.acknowledge(id, c, log[at:])
	h.reconcile(made)
}

// calm stops the faults and lets everyone answer. Every run has to end.
func (w *world) calm() {
	w.say("the faults stop")
	w.quiet = true
	for _, h := range w.hosts {
		if !h.alive {
			h.alive = true
			h.life++
		}
		h.leads, h.skew, h.runs = false, 0, map[string]*loaded{}
	}
	w.elect(w.hosts[0])
	w.answerAll()
	for n := 0; w.found == nil && !w.settled(); n++ {
		if n > quietOps || !w.step() {
			w.stuck()
			return
		}
	}
}

// settled reports whether every run has ended and has no effects.
func (w *world) settled() bool {
	for _, r := range w.store.order {
		if len(r.lines) > 0 && r.open() {
			return false
		}
	}
	return true
}

func (w *world) stuck() {
	for _, r := range w.store.order {
		if s := r.truth; len(r.lines) > 0 && r.open() {
			var owed []string
			for _, e := range s.Effects() {
				owed = append(owed, fmt.Sprintf("%s %T", e.Key, e.Do))
			}
			for _, a := range s.Pending() {
				owed = append(owed, "pending "+a.ID)
			}
			w.complain("every run moves on once faults stop", r.id, s.Seq, "it is %s after %d operations; owed: %s", s.Status,
				w.ops, strings.Join(owed, ", "))
		}
	}
}

// answerAll makes the quiet people approve everything, and resume what is paused.
func (w *world) answerAll() {
	w.after(time.Second, w.answerAll)
	w.answerPending()
}

func (w *world) answerPending() {
	for _, r := range w.store.order {
		s := r.truth
		if len(r.lines) == 0 || s.Status.Ended() {
			continue
		}
		if s.Pause != nil {
			w.command(r, personNamed("eve"), run.Resume{})
		}
		for _, a := range s.Pending() {
			if p, ok := w.nextVoter(a); ok {
				w.command(r, p, run.Decide{Approval: a.ID, Answer: w.yes(a, p)})
			}
		}
	}
}

// nextVoter is a person who may still approve.
func (w *world) nextVoter(a *gate.Approval) (person, bool) {
	if a.Terms.OnlyOwner != "" {
		return personNamed(a.Terms.OnlyOwner), true
	}
	for _, p := range cast[lively:] {
		voted := false
		for _, d := range a.Decisions {
			voted = voted || d.By == p.name
		}
		if !voted {
			return p, true
		}
	}
	return person{}, false
}

func (w *world) yes(a *gate.Approval, p person) gate.Answer {
	ans := gate.Answer{By: p.sign(false), Version: a.Version, Act: gate.Approve}
	switch a.Kind {
	case gate.KindChoice:
		ans.Act, ans.Option = gate.Choose, a.Options[0].Value
	case gate.KindInput:
		ans.Act, ans.Data = gate.Submit, json.RawMessage(`{"n":5,"answer":"yes"}`)
		if a.Reason == gate.ReasonLimit {
			ans.Act, ans.Data = gate.Approve, nil
		}
	}
	return ans
}
