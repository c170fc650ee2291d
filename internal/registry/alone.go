package registry

import (
	"fmt"
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Alone is an agent as the only step of a workflow, to try it. It shares no connection or counter with the agent in
// force.
type Alone struct {
	Definition *plan.Definition
	Version    int // 0: a draft
	doc        *definition.Agent
	prices     map[string]definition.Price
	registry   *Registry
	model      *port.LLMAgent
}

// Alone finds the agent in force under a name, or takes a draft of it, as the step of a workflow.
func (r *Registry) Alone(workflow, step, name string, draft *definition.Agent) (*Alone, error) {
	now := r.Current()
	out := &Alone{doc: draft, prices: now.set.Prices, registry: r}
	if draft == nil {
		doc, ok := now.set.Agents[name]
		if !ok {
			return nil, Unknown(definition.KindAgent, name, slices.Collect(maps.Keys(now.set.Agents)))
		}
		out.doc = doc
		out.Version, _ = now.Version(definition.KindAgent, name)
	}
	with := &Snapshot{set: r.with(out.doc)}
	out.Definition = r.bound(with, &plan.Workflow{Name: workflow, Steps: []plan.Step{{ID: step, Agent: name}}}, 0)
	if out.doc.LLM != nil { // its model is called on purpose; its tools are judged one by one
		own := out.Definition.Agents[name]
		own.Effects = plan.EffectsNone
		out.Definition.Agents[name] = own
	}
	return out, nil
}

// Agent connects the agent.
func (a *Alone) Agent(name string) (port.Agent, bool) {
	if name != a.doc.Name {
		return nil, false
	}
	agent, err := a.registry.Connect(a.doc)
	if err != nil {
		return broken{err}, true
	}
	return agent, true
}

// LLMAgent is the model of the agent, or of one in force that it hands over to.
func (a *Alone) LLMAgent(name string) (port.LLMAgent, error) {
	if name != a.doc.Name {
		return a.registry.LLMAgent(name)
	}
	if a.model == nil {
		if a.doc.LLM == nil || a.registry.Model == nil {
			return port.LLMAgent{}, permanently("unknown_agent", fmt.Sprintf("agent %q has no language model", name))
		}
		model, err := a.registry.Model(a.doc, a.prices)
		if err != nil {
			return port.LLMAgent{}, err
		}
		a.model = &port.LLMAgent{Model: model, Tools: a.doc.LLM.Tools, Output: a.doc.Output,
			CallConfidence: a.doc.LLM.CallConfidence}
	}
	return *a.model, nil
}
