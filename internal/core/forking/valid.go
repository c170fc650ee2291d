package forking

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// valid rejects edits that the plan could not continue with.
func valid(p *plan.Plan, e *run.Edits) error {
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

// forged rejects answers of people: results of steps that they do, and what is stored under the name of a gate.
func forged(s *machine.State, e *run.Edits) error {
	var ps []fault.Problem
	for _, id := range slices.Sorted(maps.Keys(e.Outputs)) {
		if i, _ := s.Plan().Step(id); s.Plan().Nodes[i].Human >= 0 && !isOutput(s, id, e.Outputs[id]) {
			ps = append(ps, fault.Problem{Path: "/outputs/" + id,
				Message: "people answer in this step; fork from before it, and they are asked again"})
		}
	}
	for key, v := range value.Members(e.Context) {
		if _, ok := s.Plan().GateByID(key); ok && !inContext(s, key, v) {
			ps = append(ps, fault.Problem{Path: "/context/" + key, Message: fmt.Sprintf(
				"it is the answer at gate %s, which only people give; fork from before it, and they are asked again", key)})
		}
	}
	if len(ps) > 0 {
		return fault.Of("the edits are not valid", ps)
	}
	return nil
}

// Forged rejects changes of the input of step i that would stand for the answer at a gate.
func Forged(p *plan.Plan, i int, changes []byte) error {
	var ps []fault.Problem
	for key := range value.Members(changes) {
		gate := key // without a mapping, the step sees the whole context
		for _, w := range p.Nodes[i].With {
			if gate = ""; w.Target == key {
				gate = contextKey(w.Source.Path)
				break
			}
		}
		if _, ok := p.GateByID(gate); ok {
			ps = append(ps, fault.Problem{Path: "/changes/" + key,
				Message: fmt.Sprintf("it is the answer at gate %s, which only people give", gate)})
		}
	}
	if len(ps) > 0 {
		return fault.Of("the changes are not valid", ps)
	}
	return nil
}

// contextKey is the key of the context that a path reads, "" if none.
func contextKey(path value.Path) string {
	if len(path) > 1 && path[0] == "context" {
		return path[1]
	}
	return ""
}
