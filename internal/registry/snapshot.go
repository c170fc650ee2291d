package registry

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Snapshot is everything in force at one moment. It never changes.
type Snapshot struct {
	set        *definition.Set
	versions   map[string]port.Version // by kind/name; without bodies
	generation int64
	policy     *policy.Set // stopped, if the emergency stop is on
	stop       Stop
	began      map[string]time.Time // start of each rollout that is under way
	uses       map[string]int       // of rules with a limited number of uses, at the time of the snapshot
	rules      *access.Rules        // permissions of the roles
	withdrawn  []string             // roles that were in force once
	plans      *sync.Map            // workflow name → *plan.Definition, created on first use
}

// unread is the generation of a snapshot that was not read from a store.
const unread = -1

func emptySnapshot() *Snapshot {
	return &Snapshot{set: definition.NewSet(), generation: unread, rules: access.New(nil), plans: &sync.Map{}}
}

// Documents are all documents in force. They must not be changed.
func (s *Snapshot) Documents() *definition.Set { return s.set }

// Rules are the permissions of the roles in force.
func (s *Snapshot) Rules() *access.Rules { return s.rules }

// Policy is the policy in force, or nil. While the emergency stop is on it approves nothing.
func (s *Snapshot) Policy() *policy.Set { return s.policy }

// Uses counts the approvals of rules with a limited number of uses, at the time of the snapshot.
func (s *Snapshot) Uses() map[string]int { return s.uses }

// Stop is the state of the emergency stop.
func (s *Snapshot) Stop() Stop { return s.stop }

// Generation is that of the store when the snapshot was read.
func (s *Snapshot) Generation() int64 { return s.generation }

// Version is the number and digest of a document in force.
func (s *Snapshot) Version(kind definition.Kind, name string) (number int, digest string) {
	v := s.versions[ident(kind, name)]
	return v.Number, v.Digest
}

// PublishedAt is when a document in force came into force.
func (s *Snapshot) PublishedAt(kind definition.Kind, name string) time.Time {
	return s.versions[ident(kind, name)].PublishedAt
}

// Judge is the policy in force as the core asks it; nil if there is nothing to ask.
func (s *Snapshot) Judge() decide.Judge {
	if s.policy == nil && !s.stop.On {
		return nil
	}
	return judge{s}
}

// judge is a policy that knows how often its rules have approved. The count may be too low by the time it is used: the
// store counts again, and refuses an approval over the limit.
type judge struct{ *Snapshot }

func (j judge) Judge(now time.Time, sub policy.Subject) policy.Verdict {
	here := sub.Uses // in the command that is being handled
	sub.Uses = func(rule string) int {
		n := j.uses[rule]
		if here != nil {
			n += here(rule)
		}
		return n
	}
	return j.policy.Judge(now, sub)
}

// Counts returns an act's contributions to the sums of the policy.
func (j judge) Counts(sub policy.Subject) []policy.Count { return j.policy.Counts(sub) }

// Stopped reports whether the emergency stop is on, for gates as for rules.
func (j judge) Stopped() bool { return j.stop.On || j.policy.Stops() }

// AgentImplementation lists the documents that an agent's work comes from.
func (s *Snapshot) AgentImplementation(name string) []gate.Implementation {
	doc, ok := s.set.Agents[name]
	if !ok {
		return nil
	}
	out := []gate.Implementation{s.implementation(definition.KindAgent, name)}
	if doc.MCP != nil {
		out = append(out, s.implementation(definition.KindMCPServer, doc.MCP.Server))
	}
	return out
}

// ToolImplementation lists the documents that a tool comes from; none if it is built in.
func (s *Snapshot) ToolImplementation(name string) []gate.Implementation {
	if rest, ok := strings.CutPrefix(name, "mcp:"); ok {
		server, _, _ := strings.Cut(rest, "/")
		if s.set.MCPServers[server] == nil {
			return nil
		}
		return []gate.Implementation{s.implementation(definition.KindMCPServer, server)}
	}
	if s.set.Tools[name] == nil {
		return nil
	}
	return []gate.Implementation{s.implementation(definition.KindTool, name)}
}

func (s *Snapshot) implementation(kind definition.Kind, name string) gate.Implementation {
	number, digest := s.Version(kind, name)
	return gate.Implementation{Kind: string(kind), Name: name, Version: number, Digest: digest}
}

// Bind combines a workflow with the agents and workflows in force.
func (s *Snapshot) Bind(w *plan.Workflow, number int) *plan.Definition {
	def := &plan.Definition{
		Workflow: *w, Version: number, Agents: map[string]plan.Agent{}, Workflows: map[string]plan.Workflow{},
	}
	take := func(name string) {
		if a, ok := s.set.Agents[name]; ok {
			def.Agents[name] = a.Agent
			if a.LLM != nil && a.LLM.Provider == definition.Script { // no model is called
				own := a.Agent
				own.Effects = plan.EffectsNone
				def.Agents[name] = own
			}
		}
	}
	for i := range w.Steps {
		take(w.Steps[i].Agent)
		if other, ok := s.set.Workflows[w.Steps[i].Workflow]; ok {
			def.Workflows[other.Name] = other.Workflow
		}
	}
	for _, name := range w.Loops.Agents() {
		take(name)
	}
	takeOver(def, take)
	return def
}

// takeOver binds a run to the agents that may take over a conversation in it: those that
// the workflow lists, those that its agents list, and so on.
func takeOver(def *plan.Definition, take func(string)) {
	next := slices.Clone(def.Workflow.HandOff)
	for _, a := range def.Agents {
		next = append(next, a.HandOff...)
	}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if _, known := def.Agents[name]; !known {
			take(name)
			next = append(next, def.Agents[name].HandOff...)
		}
	}
}

// ChangedKinds are the kinds with other versions in force than before.
func (s *Snapshot) ChangedKinds(before *Snapshot) map[definition.Kind]bool {
	out := map[definition.Kind]bool{}
	for id, v := range s.versions {
		if old, known := before.versions[id]; !known || old.Number != v.Number {
			out[definition.Kind(v.Kind)] = true
		}
	}
	for id, old := range before.versions {
		if _, still := s.versions[id]; !still {
			out[definition.Kind(old.Kind)] = true
		}
	}
	return out
}
