package forking

import (
	"cmp"
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/core/loop"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Question is something that people or rules are asked about work that is done.
type Question struct {
	At    run.SpotAt
	Step  string
	Index int // of an element, else -1
	Want  string

	input string // of a workflow that the step runs, whose questions depend on it
}

// Questions lists what would be asked now about all work that is done: at the start, before and after steps and
// elements, about the calls of steps that call a tool, in steps that run a workflow, and whether a step runs that was
// left out by its condition. A call is passed to asks as it would be made now.
func Questions(s *machine.State, past []run.Event, asks func(run.Spot, *loop.Call) []string) map[Question]bool {
	out := map[Question]bool{}
	add := func(at run.SpotAt, step string, k int) {
		spot := run.Spot{At: at, Step: step}
		if k >= 0 {
			spot.Index = &k
		}
		for _, want := range asks(spot, nil) {
			out[Question{At: at, Step: step, Index: k, Want: want}] = true
		}
	}
	inside := func(i, k int) {
		n := &s.Plan().Nodes[i]
		q := Question{At: run.AtCall, Step: n.Step.ID, Index: k}
		switch in, _ := s.InputOf(i, k); {
		case n.Step.Workflow != "":
			q.Want, q.input = "its workflow may ask", string(value.Canonical(in))
			out[q] = true
			q.At, q.input = run.AtAfter, ""
			out[q] = true
		case n.CallsTool():
			spec, known := specOf(past, n.Step.ID)
			c := &loop.Call{Agent: n.Step.Performer(), Call: run.Call{Tool: n.Step.Tool, Args: in, Spec: spec}}
			c.Call.Confidence, _ = s.ConfidenceBefore(i, k)
			for _, q.Want = range asks(s.CallSpot(i, max(k, 0), c), c) {
				if known || q.Want != "autonomy" { // which is about doing it
					out[q] = true
				}
			}
		}
	}
	if s.StartPlace == nil || s.StartPlace.Passed {
		add(run.AtStart, "", -1)
	}
	for i, st := range s.Steps {
		n := &s.Plan().Nodes[i]
		id := n.Step.ID
		switch {
		case st.Status == run.SkippedStep && st.Skipped == run.SkipIf && n.If != nil:
			if holds, err := n.If.Test(s.ScopeAt(i, -1, nil).Look()); holds || err != nil {
				out[Question{At: run.AtBefore, Step: id, Index: -1, Want: "its condition"}] = true
			}
		case st.Status == run.DoneStep:
			add(run.AtBefore, id, -1)
			add(run.AtAfter, id, -1)
			if !s.IsMap(i) {
				inside(i, -1)
			}
		}
		for k, t := range st.Tasks {
			if s.IsMap(i) && t.Status == machine.TaskDone {
				add(run.AtBefore, id, k)
				add(run.AtAfter, id, k)
				inside(i, k)
			}
		}
	}
	return out
}

// specOf is what was known last about the tool that a step calls.
func specOf(past []run.Event, step string) (spec run.ToolSpec, known bool) {
	for n := range past {
		switch f := past[n].Fact.(type) {
		case *run.CallRequested:
			if f.Step == step {
				spec, known = f.Call.Spec, true
			}
		case *run.CallRebound:
			if f.Step == step {
				spec = f.Spec
			}
		}
	}
	return spec, known
}

// Unasked rejects edits for which people would be asked where the past continued without asking them. Questions lists
// what would be asked in a fork with some edits.
func Unasked(s *machine.State, past []run.Event, e *run.Edits, questions func(run.Edits) map[Question]bool) error {
	if e.Input == nil && e.Context == nil && len(e.Outputs) == 0 || mutant.Is(mutant.ForkUnasked) {
		return nil
	}
	var r refusal
	was, now := questions(run.Edits{}), questions(*e)
	order := func(a, b Question) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.At, b.At), cmp.Compare(a.Want, b.Want))
	}
	for _, q := range slices.SortedFunc(maps.Keys(now), order) {
		out, edited := e.Outputs[q.Step]
		edited = edited && !isOutput(s, q.Step, out)
		began := beganAt(past, q.Step)
		switch {
		case edited && q.input != "": // its result is asked about
		case edited && q.At == run.AtAfter:
			r.add("/outputs/"+q.Step, 0, "the result of step %s needs approval (%s), so a fork can't set it; fork from before "+
				"the step without this edit", q.Step, q.Want)
		case was[q] || q.At == run.AtStart && e.Context == nil: // no output was known at the start
		case edited:
			r.add("/outputs/"+q.Step, 0, "step %s needs approval (%s), so a fork can't set its result instead; leave out this "+
				"edit", q.Step, q.Want)
		case q.At == run.AtStart:
			r.add("", 0, "the start of the run would need approval (%s); start a new run instead", q.Want)
		default:
			r.add("", began-1, "step %s would need approval (%s), and it has passed without (event %d)", q.Step, q.Want, began)
		}
	}
	return r.err()
}
