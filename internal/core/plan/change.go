package plan

import "encoding/json"

// Change is what people change about a running plan at a decision point.
type Change struct {
	Inject []Step     `json:"inject_steps"`
	Skip   []string   `json:"skip_steps"`
	Edit   []StepEdit `json:"edit_steps"`
}

// StepEdit changes the input of a step that has not started.
type StepEdit struct {
	ID    string          `json:"id"`
	Input json.RawMessage `json:"input"` // a merge patch
}

// NoChange is the plan as people find it at a decision point.
const NoChange = `{"inject_steps":[],"skip_steps":[],"edit_steps":[]}`

// Used are the agents that perform some steps, and those that may take over from them.
func Used(agents map[string]Agent, steps []Step) map[string]Agent {
	var out map[string]Agent
	var take func(name string)
	take = func(name string) {
		a, known := agents[name]
		if _, taken := out[name]; !known || taken {
			return
		}
		if out == nil {
			out = map[string]Agent{}
		}
		out[name] = a
		for _, other := range a.HandOff {
			take(other)
		}
	}
	for i := range steps {
		take(steps[i].Agent)
	}
	return out
}
