// Package forking decides what a fork may change about its past:
//
//	if err := forking.Check(state, past, &edits); err != nil { … } // names the event to fork from instead
//	if err := forking.Unasked(state, past, &edits, questions); err != nil { … }
//
// An answer is bound to what people, or a rule in their place, were shown. A fork keeps none that its edits may have
// changed: it starts from before the first of them instead, and people are asked again.
//
// It reads the state and changes nothing.
package forking

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Check rejects edits that the plan could not continue with, that would forge an answer, or that an answer in the
// fork's past may have depended on. Edits that change nothing are fine.
func Check(s *machine.State, past []run.Event, e *run.Edits) error {
	if err := valid(s.Plan(), e); err != nil {
		return err
	}
	if err := forged(s, e); err != nil {
		return err
	}
	if mutant.Is(mutant.ForkKeepsAnswers) {
		return nil
	}
	var r refusal
	for _, c := range changes(s, past, e) {
		for n := range past {
			if past[n].Seq <= c.since {
				continue
			}
			if what := answer(s, &past[n]); what != "" {
				r.add(c.path, past[n].Seq-1, "%s after that (event %d), and the edit may have changed the answer", what,
					past[n].Seq)
				break
			}
		}
	}
	return r.err()
}

// Begin is the first fact of a fork of a run. A person who forks becomes the requester, as the copy is theirs. A
// program leaves it to its requester.
func Begin(s *machine.State, from string, e run.Edits, by run.Actor) *run.RunForked {
	f := &run.RunForked{From: from, AtSeq: s.Seq, Edits: e, Family: cmp.Or(s.Started.Family, from)}
	if by.Kind == run.Person || mutant.Is(mutant.ForkOwned) {
		f.Owner = by.Key()
	}
	return f
}

// change is an edit that has an effect. It concerns everything after an event.
type change struct {
	path  string
	since int64
}

func changes(s *machine.State, past []run.Event, e *run.Edits) (out []change) {
	if e.Input != nil && !value.Equal(e.Input, s.Input) {
		out = append(out, change{"/input", 0})
	}
	for key, v := range value.Members(e.Context) {
		if !inContext(s, key, v) {
			out = append(out, change{"/context/" + key, 0})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(e.Outputs)) {
		if at := resultAt(past, id); at > 0 && !isOutput(s, id, e.Outputs[id]) {
			out = append(out, change{"/outputs/" + id, at})
		}
	}
	return out
}

// inContext reports whether every step and the end of the run find a value under a key already.
func inContext(s *machine.State, key string, v []byte) bool {
	for i := -1; i < len(s.Steps); i++ {
		if was, ok := s.ScopeAt(i, -1, nil).Path(value.Path{"context", key}); !ok || !value.Equal(was, v) {
			return false
		}
	}
	return true
}

// isOutput reports whether a step is done with an output.
func isOutput(s *machine.State, id string, v []byte) bool {
	st, ok := s.StepByID(id)
	return ok && st.Status == run.DoneStep && value.Equal(st.Output, v)
}

// first is the first event about a step for which a function returns that step; 0 if there is none.
func first(past []run.Event, step string, of func(run.Fact) string) int64 {
	for n := range past {
		if of(past[n].Fact) == step {
			return past[n].Seq
		}
	}
	return 0
}

// resultAt is the event from which on other steps could depend on the output of a step, or on its absence; 0 if none
// can.
func resultAt(past []run.Event, step string) int64 {
	return first(past, step, func(f run.Fact) string {
		switch f := f.(type) {
		case *run.StepReturned:
			return f.Step
		case *run.StepCompleted:
			return f.Step
		case *run.ElementCompleted:
			return f.Step
		case *run.SpeculationReturned:
			return f.Step
		case *run.StepFailed:
			return f.Step
		case *run.StepSkipped:
			return f.Step
		case *run.RunForked:
			if _, ok := f.Edits.Outputs[step]; ok {
				return step
			}
		}
		return ""
	})
}

// beganAt is the first event about the work of a step.
func beganAt(past []run.Event, step string) int64 {
	return max(1, first(past, step, func(f run.Fact) string {
		switch f := f.(type) {
		case *run.ApprovalNeeded:
			return f.Spot.Step
		case *run.ApprovalAutoApproved:
			return f.Spot.Step
		case *run.StepStarted:
			return f.Step
		case *run.StepExpanded:
			return f.Step
		case *run.StepCompleted:
			return f.Step
		case *run.StepSkipped:
			return f.Step
		}
		return ""
	}))
}

// answer says which answer an event records, or that something passed without one; "" if neither.
func answer(s *machine.State, e *run.Event) string {
	switch f := e.Fact.(type) {
	case *run.ApprovalDecided:
		if f.Decision.Act == gate.Delegate || f.Decision.Act == gate.Escalate {
			return ""
		}
		return fmt.Sprintf("%s answered %s", f.Decision.By, asked(s, f.ID))
	case *run.ApprovalResolved:
		if f.Outcome.Status == gate.Cancelled {
			return ""
		}
		return asked(s, f.ID) + " was settled"
	case *run.ApprovalAutoApproved:
		return fmt.Sprintf("a rule approved %s", asked(s, f.Request.ID))
	case *run.StepSkipped:
		if len(f.LeftOut) > 0 {
			return fmt.Sprintf("%s skipped step %s, about which people are asked,", e.Actor.Name, f.Step)
		}
	case *run.PointPassed:
		return "a decision point was passed"
	}
	return ""
}

// asked names a question by its place.
func asked(s *machine.State, id string) string {
	a, ok := s.Approval(id)
	if !ok {
		return "a question"
	}
	var name string
	switch {
	case a.Gate != "" && a.Gate != a.Step && a.Step != "":
		return fmt.Sprintf("gate %s of step %s", a.Gate, a.Step)
	case a.Gate != "":
		return "gate " + a.Gate
	case a.Action.Type == "run":
		name = "the start"
	case a.Action.Type == "layer":
		name = "a decision point"
	case a.Action.Type == "replan":
		name = "a change of the plan"
	case a.Action.Type == "output":
		name = "the result of the run"
	case a.Action.Type == "step":
		return "step " + a.Step
	case a.Action.Type == "tool_call" && a.Action.Tool != "":
		name = "a call of " + a.Action.Tool
	default:
		name = "the " + strings.ReplaceAll(a.Action.Type, "_", " ")
	}
	if a.Step != "" {
		name += " of step " + a.Step
	}
	return name
}

// refusal collects why edits are refused.
type refusal struct {
	problems []fault.Problem
	at       int64 // the last event that the fork can start from
	open     bool  // no event is early enough, or the edit fits none
}

// add adds a problem. At is the last event without it, 0 if there is none.
func (r *refusal) add(path string, at int64, format string, args ...any) {
	r.problems = append(r.problems, fault.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	if at > 0 && (r.at == 0 || at < r.at) {
		r.at = at
	}
	r.open = r.open || at == 0
}

func (r *refusal) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	slices.SortFunc(r.problems, func(a, b fault.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	err := fault.Of("these edits would bypass approval", slices.Compact(r.problems))
	if r.open {
		return err
	}
	err.Hint = fmt.Sprintf("fork from event %d or earlier (assent fork RUN --at %d), and people are asked again",
		r.at, r.at)
	return err.With("fork_at", r.at)
}
