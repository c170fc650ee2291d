package run

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/value"
)

// Fork makes the log of a new run out of the first events of another: the past
// is copied, what was recorded is reused, and from there it goes its own way
// under its own keys.
func Fork(env Env, id string, p *plan.Plan, past []Event, edits Edits, c Command) ([]Event, error) {
	if len(past) == 0 {
		return nil, fault.New(fault.Invalid, "a fork needs at least one event", "")
	}
	from := past[0].Run
	log := make([]Event, len(past))
	for n, e := range past {
		e.Run, e.Cause = id, ""
		log[n] = e
	}
	s := Fold(id, p, log)
	if s.Removed != nil {
		return nil, s.Removed.Refusal()
	}
	if err := checkEdits(s.Plan(), &edits); err != nil {
		return nil, err
	}
	d := newDraft(s, env, &c)
	d.emit(c.By, &RunForked{From: from, AtSeq: s.Seq, Owner: c.By.Key(), Edits: edits,
		Family: cmp.Or(s.Started.Family, from)})
	d.askAtStart()
	d.touchAll()
	d.advance()
	return append(log, d.events...), nil
}

// checkEdits refuses edits that the plan could not go on with.
func checkEdits(p *plan.Plan, e *Edits) error {
	var ps []fault.Problem
	check := func(path string, v *[]byte) {
		if *v == nil {
			return
		}
		out, err := value.Strict(*v)
		if err != nil {
			ps = append(ps, fault.Problem{Path: path, Message: err.Error()})
		}
		*v = out
	}
	in, ctx := []byte(e.Input), []byte(e.Context)
	check("/input", &in)
	check("/context", &ctx)
	e.Input, e.Context = in, ctx
	if e.Context != nil && value.KindOf(e.Context) != value.KindObject {
		ps = append(ps, fault.Problem{Path: "/context", Message: "it has to be an object"})
	}
	if e.Input != nil && len(ps) == 0 {
		for _, p := range p.InputSchema.Validate(e.Input) {
			ps = append(ps, fault.Problem{Path: "/input" + p.Path, Message: p.Message})
		}
	}
	for id, v := range e.Outputs {
		i, ok := p.Step(id)
		if !ok {
			ps = append(ps, fault.Problem{Path: "/outputs/" + id, Message: "step not found"})
			continue
		}
		out := []byte(v)
		check("/outputs/"+id, &out)
		e.Outputs[id] = out
		for _, p := range p.Nodes[i].OutputSchema.Validate(out) {
			ps = append(ps, fault.Problem{Path: "/outputs/" + id + p.Path, Message: p.Message})
		}
	}
	if len(ps) > 0 {
		slices.SortFunc(ps, func(a, b fault.Problem) int { return strings.Compare(a.Path, b.Path) })
		return fault.Of("the edits are not valid", ps)
	}
	return nil
}

// applyFork turns the copied past into this run's own: what completed stays
// completed, everything else is owed anew. An approval is good for one run, so
// whatever had not been done yet is asked about again.
func (s *State) applyFork(f *RunForked, by Actor, at time.Time) {
	s.Forked = f
	s.Started.Family, s.Counted = f.Family, nil // what was done before is the other run's, and counts there
	if f.Owner != "" {
		s.Started.Owner = ownedBy(f.Owner, by)
	}
	s.Status, s.Pause, s.Cancelling = Running, nil, nil
	s.Error, s.ErrorAt, s.EndedAt = nil, time.Time{}, time.Time{}
	s.Worked, s.WorkSince = 0, at
	s.Answered, s.Children, s.Replans, s.ChildCount = nil, nil, nil, 0
	s.Point.Asking, s.Point.Human = false, nil
	s.EndPlace, s.Output = nil, nil
	s.Active = nil
	for _, n := range s.OpenApproval {
		if s.Approvals[n].Status == gate.Pending {
			a := s.approval(n)
			a.Settle(gate.Outcome{Status: gate.Cancelled, Comment: "asked again in the fork"}, at)
		}
	}
	s.OpenApproval = nil
	if s.StartPlace != nil && !s.StartPlace.Passed {
		s.askStartAgain()
	}
	s.reviveSteps(true)
	begun := s.begunMaps()
	defer s.restartMaps(begun)
	if f.Edits.Input != nil {
		s.Input = f.Edits.Input
		if len(s.plan.Start) > 0 { // people let another input through
			s.askStartAgain()
		}
	}
	s.copied() // before new edits: they count more than all results so far
	if f.Edits.Context != nil {
		s.Context = value.Merge(s.Context, f.Edits.Context)
	}
	for id, out := range f.Edits.Outputs {
		i, _ := s.plan.Step(id)
		if !s.Steps[i].Status.settled() {
			s.settle(i, DoneStep, at)
		}
		st := s.step(i) // a step that was skipped is settled already
		st.Status, st.Skipped, st.Output = DoneStep, "", out
	}
}

// copied notes which results came with the fork. What they replaced of earlier
// edits stays replaced.
func (s *State) copied() {
	if s.Context != nil {
		s.Context = s.editsLeft(s.plan.Order())
	}
	for i, st := range s.Steps {
		if st.Status == DoneStep && !st.Copied {
			s.step(i).Copied = true
		}
	}
}

// editsLeft are a fork's edits of the context without what steps of this run
// put out since.
func (s *State) editsLeft(steps []int) json.RawMessage {
	var left []value.Member
	for key, v := range value.Members(s.Context) {
		replaced := slices.ContainsFunc(steps, func(i int) bool {
			if st := s.Steps[i]; st.Status != DoneStep || st.Copied || value.KindOf(st.Output) != value.KindObject {
				return false
			}
			_, ok := value.Get(s.Steps[i].Output, key)
			return ok
		})
		if !replaced {
			left = append(left, value.Member{Key: key, Value: v})
		}
	}
	return value.Object(left...)
}

// begunMaps lists what the maps that have begun work on.
func (s *State) begunMaps() map[int]json.RawMessage {
	lists := map[int]json.RawMessage{}
	for i, st := range s.Steps {
		if s.isMap(i) && len(st.Tasks) > 0 && !st.Status.settled() {
			lists[i] = value.Array(s.itemsOf(i)...)
		}
	}
	return lists
}

// restartMaps begins those anew whose list was edited: what was done for
// another list is of no use.
func (s *State) restartMaps(lists map[int]json.RawMessage) {
	for i, was := range lists {
		if s.Steps[i].Status.settled() {
			continue
		}
		st := s.step(i)
		st.items = nil
		if is := value.Array(s.itemsOf(i)...); !value.Equal(is, was) {
			s.reset([]int{i})
		}
	}
}

// bareID is a run's id without its prefix, for the ids of what belongs to it.
func bareID(run string) string { return strings.TrimPrefix(run, "run_") }
