package registry

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// agents keeps the workers and models of the documents in force, and of no others.
type agents struct {
	mu    sync.Mutex
	known map[string]*worker
}

// worker is created on first use.
type worker struct {
	once  sync.Once
	agent port.Agent
	model port.Model
	err   error
}

func (a *agents) at(key string) *worker {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.known[key]
	if w == nil {
		w = &worker{}
		a.known[key] = w
	}
	return w
}

// keep forgets every worker whose key is not listed. Work under way keeps its own.
func (a *agents) keep(keys map[string]bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.known, func(key string, _ *worker) bool { return !keys[key] })
}

// workerKey stays the same while an agent's document does.
func (s *Snapshot) workerKey(name string) string {
	return name + " " + s.versions[ident(definition.KindAgent, name)].Digest
}

// modelKey also names the prices: a model with other prices is another one.
func (s *Snapshot) modelKey(name string) string {
	prices := s.versions[ident(definition.KindPrices, string(definition.KindPrices))]
	return "llm " + s.workerKey(name) + prices.Digest
}

func (s *Snapshot) agentKeys() map[string]bool {
	keys := map[string]bool{}
	for name := range s.set.Agents {
		keys[s.workerKey(name)], keys[s.modelKey(name)] = true, true
	}
	return keys
}

// Agent finds the agent in force under a name. Its connections and counters are kept as long as its document stays the
// same.
func (r *Registry) Agent(name string) (port.Agent, bool) {
	s := r.Current()
	doc, ok := s.set.Agents[name]
	if !ok {
		return nil, false
	}
	w := r.agents.at(s.workerKey(name))
	w.once.Do(func() { w.agent, w.err = r.Connect(doc) })
	if w.err != nil {
		return broken{w.err}, true
	}
	return versioned{w.agent, s, name}, true
}

// versioned is an agent together with the documents that were in force when it was found.
type versioned struct {
	port.Agent
	from *Snapshot
	name string
}

func (v versioned) Implementation() []gate.Implementation { return v.from.AgentImplementation(v.name) }

// LLMAgent finds the model and tools of the LLM agent in force under a name, or of a step that calls a tool.
func (r *Registry) LLMAgent(name string) (port.LLMAgent, error) {
	s := r.Current()
	if tool, ok := plan.CalledBy(name); ok && r.Caller != nil {
		return port.LLMAgent{Model: r.Caller, Tools: []string{tool}, Needed: true,
			Implementation: s.ToolImplementation(tool)}, nil
	}
	doc, ok := s.set.Agents[name]
	if !ok || doc.LLM == nil {
		return port.LLMAgent{}, permanently("unknown_agent", fmt.Sprintf("unknown LLM agent %q", name))
	}
	if r.Model == nil {
		return port.LLMAgent{}, permanently(string(fault.Unsupported), "language models are not available here")
	}
	w := r.agents.at(s.modelKey(name))
	w.once.Do(func() { w.model, w.err = r.Model(doc, s.set.Prices) })
	if w.err != nil {
		return port.LLMAgent{}, permanently(string(cmp.Or(fault.CodeOf(w.err), fault.Unsupported)), w.err.Error())
	}
	return port.LLMAgent{
		Model: w.model, Tools: doc.LLM.Tools, Output: doc.Output, CallConfidence: doc.LLM.CallConfidence,
		Implementation: s.AgentImplementation(name),
	}, nil
}

func permanently(code, message string) error {
	return &port.Failed{Failure: run.Failure{Code: code, Message: message}}
}

// broken is an agent that could not be connected: its work fails with the reason.
type broken struct{ err error }

func (b broken) Invoke(context.Context, port.Work, func(port.Progress)) (run.Result, error) {
	return run.Result{}, permanently(string(cmp.Or(fault.CodeOf(b.err), fault.Unsupported)), b.err.Error())
}
