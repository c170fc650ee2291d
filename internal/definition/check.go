package definition

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // business hours must not depend on the machine

	"github.com/assent-run/assent/internal/core/expr"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
)

// Check validates everything in the set, alone and together, and lists every problem in the order of the files.
// known is what is defined elsewhere, such as a server's documents and its built-in tools; it may be nil. The
// definitions of the set take precedence.
func (s *Set) Check(known *Set) []Problem {
	if known == nil {
		known = NewSet()
	}
	c := &checker{set: s, known: known}
	c.gather()
	for _, d := range s.Documents() {
		c.document(d)
	}
	for _, p := range s.partial {
		before := len(c.problems)
		c.document(p.doc)
		c.problems = slices.Concat(c.problems[:before], p.certain(c.problems[before:]))
	}
	return arrange(c.problems)
}

// checker knows everything that can be referred to.
type checker struct {
	set, known *Set
	problems   []Problem

	agents    map[string]plan.Agent
	roles     map[string]*Role
	workflows map[string]plan.Workflow
	tools     []string
	does      map[string]bool // operations that steps and tools declare
	servers   []string
	channels  map[string]bool
	looked    int // names compared for suggestions
}

func (c *checker) document(d Document) {
	c.withdrawnAsked(d)
	switch d := d.(type) {
	case *Workflow:
		c.workflow(d)
	case *Agent:
		c.agent(d)
	case *Tool:
		c.tool(d)
	case *MCPServer:
		c.mcpServer(d)
	case *Policy:
		c.policy(d)
	case *Role:
		c.role(d)
	case *Schedule:
		c.schedule(d)
	case *Channel:
		c.channel(d)
	case *Notifications:
		c.notifications(d)
	case *Trigger:
		c.trigger(d)
	}
}

func (c *checker) add(problems ...Problem) { c.problems = append(c.problems, problems...) }

// tools that the engine itself executes.
var ownTools = append(slices.Clone(run.OwnTools), "create_deliverable")

// gather lists every name once. Documents that could not be read are represented by their names.
func (c *checker) gather() {
	c.agents, c.workflows = map[string]plan.Agent{}, map[string]plan.Workflow{}
	c.roles, c.does, c.channels = map[string]*Role{}, map[string]bool{}, map[string]bool{}
	for _, s := range []*Set{c.known, c.set} {
		maps.Copy(c.roles, s.Roles)
		for name := range s.broken[KindAgent] {
			c.agents[name] = plan.Agent{Name: name, Kind: plan.AgentLLM} // may be used anywhere
		}
		for name := range s.broken[KindWorkflow] {
			c.workflows[name] = plan.Workflow{Name: name}
		}
		for name, a := range s.Agents {
			c.agents[name] = a.Agent
		}
		for name, w := range s.Workflows {
			c.workflows[name] = w.Workflow
			for i := range w.Steps {
				c.does[w.Steps[i].Operation] = true
			}
		}
		for _, t := range s.Tools {
			c.does[t.Operation] = true
		}
		for name := range s.broken[KindChannel] {
			c.channels[name] = true
		}
		for name := range s.Channels {
			c.channels[name] = true
		}
		c.tools = slices.AppendSeq(slices.AppendSeq(c.tools, maps.Keys(s.Tools)), maps.Keys(s.broken[KindTool]))
		c.servers = slices.AppendSeq(slices.AppendSeq(c.servers, maps.Keys(s.MCPServers)), maps.Keys(s.broken[KindMCPServer]))
	}
	c.tools = append(c.tools, ownTools...)
	slices.Sort(c.tools)
	slices.Sort(c.servers)
}

// workflow compiles a workflow. Problems of an agent are reported once, at the agent.
func (c *checker) workflow(w *Workflow) {
	c.notify(w.Place, "notify", w.Notify)
	for i := range w.Gates {
		c.notify(w.Place, fmt.Sprintf("gates[%d].notify", i), w.Gates[i].Notify)
	}
	for i := range w.Steps {
		if h := w.Steps[i].Human; h != nil {
			c.notify(w.Place, fmt.Sprintf("steps[%d].human.notify", i), h.Notify)
		}
	}
	_, problems := plan.Compile(&plan.Definition{Workflow: w.Workflow, Agents: c.agentsOf(&w.Workflow),
		Workflows: c.workflows, Tools: c.toolOfStep})
	for _, p := range problems {
		if !strings.HasPrefix(p.Path, "agents.") {
			c.add(w.Place.locate(p))
		}
	}
	for i := range w.Steps {
		c.reversible(w.Place, fmt.Sprintf("steps[%d].reversible_by", i), w.Steps[i].ReversibleBy, w.Steps[i].Operation)
	}
	c.askable(w)
}

// reversible checks what undoes an action: a tool, or an operation that is defined here.
func (c *checker) reversible(place Place, key, by string, own ...string) {
	switch {
	case by == "", by == plan.ReversibleNone, strings.HasPrefix(by, "mcp:"):
	case slices.Contains(own, by):
		c.add(place.bad(key, "an action does not undo itself: name another tool or operation, or write none"))
	case !c.does[by] && !slices.Contains(c.tools, by):
		c.add(place.bad(key, "unknown tool or operation %q: name what undoes it, or write none", by))
	}
}

// agentsOf lists the agents that a workflow names, or all if one is missing, to suggest the nearest name.
func (c *checker) agentsOf(w *plan.Workflow) map[string]plan.Agent {
	out := map[string]plan.Agent{}
	take := func(name string) bool {
		a, ok := c.agents[name]
		if ok {
			out[name] = a
		}
		return ok || name == ""
	}
	for i := range w.Steps {
		if !take(w.Steps[i].Agent) {
			return c.agents
		}
	}
	for _, name := range slices.Concat(w.Loops.Agents(), w.HandOff) {
		if !take(name) {
			return c.agents
		}
	}
	return out
}

// policy compiles the policy. An expression is compiled once more for the position of its error, which the core
// does not report.
func (c *checker) policy(p *Policy) {
	c.policyChannels(p)
	_, problems := policy.Compile(p.Document, time.LoadLocation)
	for _, problem := range problems {
		if strings.HasSuffix(problem.Path, ".expr") && p.Place.root != nil {
			if spot := p.Place.root.Find(problem.Path); spot.Exact {
				problem = exactly(problem, spot.Node.Text)
			}
		}
		c.add(p.Place.locate(problem))
	}
}

// exactly adds the line and column inside an expression to its problem.
func exactly(p fault.Problem, source string) fault.Problem {
	_, err := expr.Compile(source)
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Problems) == 0 {
		return p
	}
	inner := f.Problems[0]
	inner.Path = p.Path
	return inner
}
