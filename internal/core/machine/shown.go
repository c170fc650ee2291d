package machine

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// How a change of a plan is shown and recorded.

// Rewired lists the steps of a plan whose needs another version of it changes.
func Rewired(before, after *plan.Plan) (out []run.Rewired) {
	for i := range before.Nodes {
		if !slices.Equal(before.Nodes[i].Needs, after.Nodes[i].Needs) {
			out = append(out, run.Rewired{Step: before.Nodes[i].Step.ID, Needs: needNames(after, i)})
		}
	}
	return out
}

func needNames(p *plan.Plan, i int) []string {
	out := make([]string, len(p.Nodes[i].Needs))
	for k, n := range p.Nodes[i].Needs {
		out[k] = p.Nodes[n].Step.ID
	}
	return out
}

// shownMax limits how many steps of a plan are shown before and after a change. Larger plans show the steps
// that change.
const shownMax = 200

// BeforeAndAfter shows two versions of a plan, each by layer.
func BeforeAndAfter(before, after *plan.Plan, found *run.FoundSteps) json.RawMessage {
	only := map[string]bool{}
	if len(after.Nodes) > shownMax {
		for i := len(before.Nodes); i < len(after.Nodes); i++ {
			only[after.Nodes[i].Step.ID] = true
		}
		for _, r := range Rewired(before, after) {
			only[r.Step] = true
		}
	}
	return value.Object(value.Member{Key: "before", Value: shownPlan(before, only, found)},
		value.Member{Key: "after", Value: shownPlan(after, only, found)})
}

// shownPlan lists the steps of a plan; only: those that are shown, empty: all.
func shownPlan(p *plan.Plan, only map[string]bool, found *run.FoundSteps) json.RawMessage {
	var out []json.RawMessage
	for layer, nodes := range p.Layers() {
		for _, i := range nodes {
			s := p.Nodes[i].Step
			if len(only) > 0 && !only[s.ID] {
				continue
			}
			needs, _ := value.Marshal(needNames(p, i))
			number, _ := value.Marshal(layer)
			members := []value.Member{{Key: "id", Value: value.Quote(s.ID)}, {Key: "layer", Value: number},
				{Key: "needs", Value: needs}}
			if who := performer(s); who != "" {
				members = append(members, value.Member{Key: "by", Value: value.Quote(who)})
			}
			if p.Nodes[i].Injected {
				members = append(members, value.Member{Key: "added", Value: json.RawMessage("true")})
			}
			if level := run.RiskAsFound(found.Because, s, p.Definition.RiskOf(s)); level != "" {
				members = append(members, value.Member{Key: "risk", Value: value.Quote(string(level))})
			}
			out = append(out, value.Object(members...))
		}
	}
	return value.Array(out...)
}

// performer names who performs a step; empty: people.
func performer(s *plan.Step) string {
	switch {
	case s.Tool != "":
		return s.Tool
	case s.Workflow != "":
		return "workflow:" + s.Workflow
	}
	return s.Agent
}

// AgentsAt are the agents that a change of the plan may use where people are asked: those that were found for it, those
// that people brought in before, and some more.
func (s *State) AgentsAt(spot run.Spot, more map[string]plan.Agent) map[string]plan.Agent {
	out := map[string]plan.Agent{}
	if r := s.ReplanAt(spot); r != nil && r.Found != nil {
		maps.Copy(out, r.Found.Agents)
	}
	maps.Copy(out, s.Brought)
	maps.Copy(out, more)
	return out
}

// bring remembers agents for changes of the plan. The map is shared with drafts, so it is copied.
func (s *State) bring(agents map[string]plan.Agent) {
	if len(agents) == 0 {
		return
	}
	all := make(map[string]plan.Agent, len(s.Brought)+len(agents))
	maps.Copy(all, s.Brought)
	maps.Copy(all, agents)
	s.Brought = all
}
