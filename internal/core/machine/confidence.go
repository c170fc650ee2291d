package machine

import (
	"slices"
	"strconv"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// The confidence behind an action. A step about to run is as confident as the least confident result that its
// input comes from. The run's input, and anything that people accepted, edited or chose, counts as certain. Of
// what a program wrote there since, nothing is known.

// origin is a result that a value comes from: of a step, or of one of its elements.
type origin struct{ step, element int } // element -1: all of it

// programmed is where a value comes from that a program wrote into the run.
const programmed = -2

// ConfidenceBefore returns the confidence of step i (element k, or -1), and its source. It is nil if one of
// the sources has none.
func (s *State) ConfidenceBefore(i, k int) (*float64, *gate.ConfidenceSource) {
	sure := 1.0
	lowest := gate.ConfidenceSource{Step: gate.SourceInput, Confidence: &sure}
	for _, o := range s.origins(i, k) {
		if mutant.Is(mutant.ConfidenceUnseen) {
			break
		}
		if o.step == programmed && !mutant.Is(mutant.ProgramsAreSure) {
			return nil, &gate.ConfidenceSource{Step: gate.SourceInput}
		}
		if o.step < 0 {
			continue
		}
		n := &s.plan.Nodes[o.step]
		src := gate.ConfidenceSource{Step: n.Step.ID, Agent: n.Step.Performer(), Confidence: s.confidenceOf(o)}
		if src.Confidence == nil {
			return nil, &src
		}
		if lowest.Step == gate.SourceInput || *src.Confidence < *lowest.Confidence {
			lowest = src
		}
	}
	return lowest.Confidence, &lowest
}

// origins lists the results that the input of step i (element k, or -1) comes from: the sources of its
// mapping, or else the steps it needs.
func (s *State) origins(i, k int) (out []origin) {
	st, n := s.Steps[i], &s.plan.Nodes[i]
	if k >= 0 && k < len(st.Tasks) && st.Tasks[k].Input != nil {
		return nil // as people edited it
	}
	if st.Programmed {
		out = append(out, origin{programmed, -1})
	}
	if st.Input != nil {
		return out // as it was edited
	}
	if n.With == nil {
		if out = s.needed(out, i); slices.ContainsFunc(s.Programmed, func(key string) bool { return s.isEdit(i, key) }) {
			out = append(out, origin{programmed, -1})
		}
		if s.IsMap(i) {
			out = s.originsOf(out, i, k, value.Path{"item"})
		}
		return out
	}
	for _, w := range n.With {
		if w.Source.Literal == nil && !slices.Contains(st.Given, w.Target) {
			out = s.originsOf(out, i, k, w.Source.Path)
		}
	}
	return out
}

// needed adds the needs of step i; skipped steps pass on their own needs.
func (s *State) needed(out []origin, i int) []origin {
	for _, a := range s.plan.Nodes[i].Needs {
		switch s.Steps[a].Status {
		case run.DoneStep:
			out = append(out, origin{a, -1})
		case run.SkippedStep:
			out = s.needed(out, a)
		}
	}
	return out
}

// originsOf adds the origins of a path in the mapping of step i (element k, or -1).
func (s *State) originsOf(out []origin, i, k int, path value.Path) []origin {
	switch path[0] {
	case "input", "index":
		return out
	case "item":
		if !s.IsMap(i) {
			return out
		}
		each := s.plan.Nodes[i].Each
		if a, ok := s.plan.Step(each[0]); ok && len(each) == 1 && s.IsMap(a) {
			return append(out, origin{a, k})
		}
		return s.originsOf(out, i, k, each)
	case "context":
		if len(path) == 1 {
			for _, a := range s.plan.Ancestors(i) {
				if s.Steps[a].Status == run.DoneStep {
					out = append(out, origin{a, -1})
				}
			}
			if slices.ContainsFunc(s.Programmed, func(key string) bool { return s.isEdit(i, key) }) {
				out = append(out, origin{programmed, -1})
			}
			return out
		}
		_, from, ok := s.contextFind(i, path[1])
		switch {
		case !ok:
		case from != given:
			out = append(out, origin{from, -1})
		case slices.Contains(s.Programmed, path[1]) && s.isEdit(i, path[1]):
			out = append(out, origin{programmed, -1})
		}
		return out
	}
	a, ok := s.plan.Step(path[0])
	if !ok || s.Steps[a].Status != run.DoneStep {
		return out
	}
	o := origin{a, -1}
	if s.IsMap(a) && len(path) > 1 {
		if e, err := strconv.Atoi(path[1]); err == nil {
			o.element = e
		}
	}
	return append(out, o)
}

// confidenceOf returns a result's confidence; nil: unknown.
func (s *State) confidenceOf(o origin) *float64 {
	st, n, sure := s.Steps[o.step], &s.plan.Nodes[o.step], 1.0
	switch {
	case n.Human >= 0, s.accepted(st.After):
		return &sure
	case n.Step.Workflow != "" && !s.IsMap(o.step) && !s.edited(o.step):
		return nil
	case !s.IsMap(o.step):
		if len(st.Tasks) == 0 || st.Tasks[0].Result == nil {
			return nil
		}
		return st.Tasks[0].Result.Confidence
	}
	tasks := st.Tasks
	if o.element >= 0 && o.element < len(tasks) {
		tasks = tasks[o.element : o.element+1]
	}
	lowest := &sure
	for _, t := range tasks {
		switch {
		case s.accepted(t.After):
		case t.Result == nil || t.Result.Confidence == nil || n.Step.Workflow != "":
			return nil
		case *t.Result.Confidence < *lowest:
			lowest = t.Result.Confidence
		}
	}
	return lowest
}

// accepted reports whether a person approved the current proposal at a place.
func (s *State) accepted(p *gate.Place) bool {
	return p != nil && slices.ContainsFunc(p.Asks, func(ask gate.Ask) bool {
		o := s.Approvals[ask.Approval].Outcome
		byPerson := o != nil && o.Positive() && o.By != "" && o.Status != gate.AutoApproved && o.Status != gate.TimedOut
		return byPerson && ask.Accepted == p.Content
	})
}

// edited reports whether the output of a step was set by a fork.
func (s *State) edited(i int) bool {
	if s.Forked == nil {
		return false
	}
	out, ok := s.Forked.Edits.Outputs[s.plan.Nodes[i].Step.ID]
	return ok && value.Equal(out, s.Steps[i].Output)
}
