// Package supply holds what the engine and its tools ask of the published documents and of the past: agents, workflows,
// the policy in force, lessons. Nothing in it is asked by people, so nothing in it authorises anyone.
//
//	own := local.Config{Agent: s.Agent, Workflow: s.Definition, Judge: s.Judge, Teach: s.Teach, …}
package supply

import (
	"context"
	"encoding/json"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/feed"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
)

// Supply answers an engine. Any number of goroutines may use it.
type Supply struct {
	registry *registry.Registry
	lessons  *insight.Teacher
	memory   *insight.Memory
	feed     *feed.Feed
}

// New creates a supply from the documents, what the past teaches, and the feed that progress is reported to.
func New(r *registry.Registry, lessons *insight.Teacher, memory *insight.Memory, f *feed.Feed) *Supply {
	return &Supply{registry: r, lessons: lessons, memory: memory, feed: f}
}

// Agent finds the worker behind a name.
func (s *Supply) Agent(name string) (port.Agent, bool) { return s.registry.Agent(name) }

// LLMAgent finds the model and tools of an LLM agent.
func (s *Supply) LLMAgent(name string) (port.LLMAgent, error) { return s.registry.LLMAgent(name) }

// ToolDocuments are the tools and MCP servers in force, with their versions.
func (s *Supply) ToolDocuments() (map[string]*definition.Tool, map[string]*definition.MCPServer,
	func(definition.Kind, string) (int, string)) {
	now := s.registry.Current()
	return now.Documents().Tools, now.Documents().MCPServers, now.Version
}

// AgentDocuments are the agents in force. Callers do not modify them.
func (s *Supply) AgentDocuments() map[string]*definition.Agent {
	return s.registry.Current().Documents().Agents
}

// ChannelDocuments are the channels in force. Callers do not modify them.
func (s *Supply) ChannelDocuments() map[string]*definition.Channel {
	return s.registry.Current().Documents().Channels
}

// InForce lists the implementations that an agent, tool or sub-workflow would use now.
func (s *Supply) InForce(kind, name string) []gate.Implementation {
	switch kind {
	case "tool":
		return s.registry.Current().ToolImplementation(name)
	case "workflow":
		if def, err := s.registry.Definition(name); err == nil {
			return port.WorkflowImplementation(def)
		}
		return nil
	}
	return s.registry.Current().AgentImplementation(name)
}

// AgentFiles returns the files that an LLM agent adds to the workspaces of its runs.
func (s *Supply) AgentFiles(name string) map[string]string {
	if doc, ok := s.registry.Current().Documents().Agents[name]; ok && doc.LLM != nil {
		return doc.LLM.Files
	}
	return nil
}

// Teach passes an agent the lessons most similar to its task.
func (s *Supply) Teach(ctx context.Context, agent, operation string, input json.RawMessage) []port.Lesson {
	return s.lessons.Teach(ctx, agent, operation, input)
}

// Redact removes sensitive values from what a run teaches.
func (s *Supply) Redact(ctx context.Context, state *machine.State, e *run.Experience) *run.Experience {
	return s.memory.Redact(ctx, state, e)
}

// Learned records the lessons of a commit.
func (s *Supply) Learned(r port.Receipt) { s.lessons.Learned(r) }

// Definition is the workflow in force with the agents it names.
func (s *Supply) Definition(_ context.Context, name string) (*plan.Definition, error) {
	return s.registry.Definition(name)
}

// Judge is the policy in force, or nil, and the generation of the documents it belongs to.
func (s *Supply) Judge() (decide.Judge, int64) {
	now := s.registry.Current()
	return now.Judge(), now.Generation()
}

// Outdated reloads the published documents, for an engine that was refused because its copy was older.
func (s *Supply) Outdated(ctx context.Context) error { return s.registry.Reload(ctx) }

// CatchUp reloads the published documents if another process published something since.
func (s *Supply) CatchUp(ctx context.Context) error { return s.registry.CatchUp(ctx) }

// Reported passes on an agent's progress messages.
func (s *Supply) Reported(w port.Work, p port.Progress) { s.feed.Reported(w, p) }
