package machine

import (
	"encoding/json"
	"strconv"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// ContentAt is the digest of the proposal at a spot, independent of key order and whitespace.
func (s *State) ContentAt(spot run.Spot) string {
	return s.ContentOf(spot, s.ProposalAt(spot), s.ImplementationAt(spot))
}

// ContentOf is ContentAt for another proposal, or another implementation.
func (s *State) ContentOf(spot run.Spot, proposal json.RawMessage, implementation []gate.Implementation) string {
	name := spot.Step
	if spot.At == run.AtCall {
		if c := s.CallAt(spot); c != nil {
			name = c.Call.Tool
		}
	}
	parts := [][]byte{[]byte(spot.At), []byte(name), value.Canonical(proposal), value.Canonical(s.SchemaAt(spot))}
	for _, im := range implementation {
		parts = append(parts, []byte(im.Kind), []byte(im.Name), []byte(strconv.Itoa(im.Version)), []byte(im.Digest))
	}
	return value.Digest(parts...)
}

// ProposalAt is the proposal that an answer at a spot refers to.
func (s *State) ProposalAt(spot run.Spot) json.RawMessage {
	i, _ := s.plan.Step(spot.Step)
	switch spot.At {
	case run.AtStart:
		return s.Input
	case run.AtBefore:
		if spot.Index != nil || !s.IsMap(i) {
			in, _ := s.InputOf(i, spot.Element())
			return in
		}
		return s.mapInputs(i)
	case run.AtAfter:
		if st := s.Steps[i]; spot.Index == nil && s.IsMap(i) {
			return s.MapOutput(st)
		}
		if r := s.Steps[i].Tasks[max(spot.Element(), 0)].Result; r != nil {
			return r.Output
		}
	case run.AtCall:
		if c := s.CallAt(spot); c != nil {
			return c.Call.Args
		}
	case run.AtReplan:
		if r := s.ReplanAt(spot); r != nil && r.Found != nil {
			steps, _ := value.Marshal(r.Found.Steps)
			return value.Object(value.Member{Key: "inject_steps", Value: steps},
				value.Member{Key: "skip_steps", Value: json.RawMessage("[]")})
		}
	case run.AtEnd:
		if s.Output != nil {
			return s.Output
		}
		out, _ := s.RunOutput()
		return out
	}
	return nil
}

func (s *State) mapInputs(i int) json.RawMessage {
	if st := s.Steps[i]; st.Input != nil {
		return st.Input
	}
	items := s.ItemsOf(i)
	ins := make([]json.RawMessage, len(items))
	for k, item := range items {
		ins[k], _ = s.elementInput(i, k, item)
	}
	return value.Array(ins...)
}

// MapOutput is the list of the outputs of a map's elements.
func (s *State) MapOutput(st *Step) json.RawMessage {
	if st.Output != nil {
		return st.Output
	}
	outs := make([]json.RawMessage, len(st.Tasks))
	for k, t := range st.Tasks {
		outs[k] = json.RawMessage("null")
		if t.Result != nil {
			outs[k] = t.Result.Output
		}
	}
	return value.Array(outs...)
}

// SchemaAt is the schema that a modified proposal must match.
func (s *State) SchemaAt(spot run.Spot) json.RawMessage {
	i, ok := s.plan.Step(spot.Step)
	switch {
	case spot.At == run.AtStart:
		return s.plan.Definition.Workflow.Input
	case spot.At == run.AtCall:
		if c := s.CallAt(spot); c != nil {
			return c.Call.Spec.ArgsSchema
		}
	case !ok || s.plan.Nodes[i].Agent == nil || s.IsMap(i) && spot.Index == nil:
	case spot.At == run.AtBefore:
		return s.plan.Nodes[i].Agent.Input
	case spot.At == run.AtAfter:
		return s.plan.Nodes[i].Agent.Output
	}
	return nil
}

// PlaceAt finds the place of a spot, or nil.
func (s *State) PlaceAt(spot run.Spot) *gate.Place {
	switch spot.At {
	case run.AtStart:
		return s.StartPlace
	case run.AtEnd:
		return s.EndPlace
	case run.AtLayer:
		return s.Point.Human
	case run.AtReplan:
		if r := s.ReplanAt(spot); r != nil {
			return r.Place
		}
		return nil
	}
	i, ok := s.plan.Step(spot.Step)
	if !ok {
		return nil
	}
	st := s.Steps[i]
	if k := spot.Element(); spot.At == run.AtBefore || spot.At == run.AtAfter {
		switch {
		case k >= 0 && k >= len(st.Tasks):
			return nil
		case k >= 0 && spot.At == run.AtBefore:
			return st.Tasks[k].Before
		case k >= 0:
			return st.Tasks[k].After
		case spot.At == run.AtBefore:
			return st.Before
		}
		return st.After
	}
	l := s.LoopAt(spot)
	switch {
	case l == nil:
		return nil
	case spot.At == run.AtLimit:
		return l.Limit
	}
	if c := l.Call(spot.Call); c != nil {
		return c.Place
	}
	return nil
}

func indexOf(p *int) int {
	if p == nil {
		return -1
	}
	return *p
}
