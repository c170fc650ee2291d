// Package meter counts what happens in runs, for Prometheus.
//
//	m := meter.New(set)
//	engine := local.New(local.Config{Committed: m.Committed, …})
//	meter.Watch(set, meter.Sources{Store: store, Running: engine.Running, …})
//
// Counters are of this process: each process counts what it has stored, so sums over all processes are exact. Gauges
// are of the whole store, and the same in every process. Documents may have any number of names, so only the first of
// them are label values of their own.
package meter

import (
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/metrics"
	"github.com/assent-run/assent/internal/port"
)

// Bounds of histograms, in seconds.
var (
	stepBounds   = []float64{.01, .05, .1, .5, 1, 5, 15, 60, 300, 1800, 7200}
	waitBounds   = []float64{10, 60, 300, 900, 3600, 14400, 86400, 259200}
	appendBounds = []float64{.0005, .001, .0025, .005, .01, .025, .1, .5, 2}
)

// Meter counts.
type Meter struct {
	runs, steps, waits, decisions, verdicts, tokens, cost, appends metrics.Family
	workflows, agents, rules                                       names

	// Trace is the id of a run's trace; nil, or empty: none. It must be set before anything is counted.
	Trace func(*machine.State) string
}

// New adds the counters to a set.
func New(set *metrics.Set) *Meter {
	return &Meter{
		runs: set.Counter("assent_runs_total", "Runs that started or ended, by how.", "workflow", "status"),
		steps: set.Histogram("assent_step_seconds",
			"Time from the first start of a step to its result, retries and approvals of tool calls included.",
			stepBounds, "agent", "outcome"),
		waits: set.Histogram("assent_approval_wait_seconds", "Time from the request of an approval to its outcome.",
			waitBounds, "workflow", "outcome"),
		decisions: set.Counter("assent_decisions_total", "Decisions on approvals.", "act", "by"),
		verdicts:  set.Counter("assent_verdicts_total", "Decisions of the policy.", "rule", "verdict"),
		tokens:    set.Counter("assent_llm_tokens_total", "Tokens of language models.", "agent", "direction"),
		cost:      set.Counter("assent_cost_usd_total", "Cost reported by agents or computed from prices.", "agent"),
		appends:   set.Histogram("assent_append_seconds", "Time to store the events of a command.", appendBounds),
	}
}

// Committed counts what a commit has changed; s is the state after it, which is not kept.
func (m *Meter) Committed(s *machine.State, r port.Receipt) {
	trace := m.trace(s)
	m.appends.Of().ObserveIn(r.Took.Seconds(), trace)
	workflow := m.workflows.label(s.Started.Workflow)
	agent := ""
	events := own(r.Events)
	for i := range events {
		if agent == "" {
			agent = agentOf(s, events[i].Fact)
		}
		m.count(s, &events[i], workflow)
	}
	for i := range r.Approvals {
		if a := &r.Approvals[i]; !a.SettledAt.IsZero() && resolves(events, a.ID) {
			m.waits.Of(workflow, a.Status).ObserveIn(a.SettledAt.Sub(a.RequestedAt).Seconds(), trace)
		}
	}
	if r.Spent != (run.Usage{}) && len(events) == len(r.Events) {
		m.spend(m.agents.label(agent), r.Spent)
	}
}

// own are the events that happened in the run: a fork begins with a copy of another run's.
func own(events []run.Event) []run.Event {
	for i := len(events) - 1; i > 0; i-- {
		if _, fork := events[i].Fact.(*run.RunForked); fork {
			return events[i:]
		}
	}
	return events
}

func (m *Meter) count(s *machine.State, e *run.Event, workflow string) {
	switch f := e.Fact.(type) {
	case *run.RunStarted, *run.RunForked:
		m.runs.Of(workflow, "started").Add(1)
	case *run.RunCompleted, *run.RunFailed, *run.RunCancelled, *run.RunLimitReached:
		m.runs.Of(workflow, string(s.Status)).Add(1)
	case *run.StepCompleted:
		m.took(s, f.Step, "completed", e.At)
	case *run.StepFailed:
		m.took(s, f.Step, "failed", e.At)
		if f.Error.Code == "denied" {
			m.verdicts.Of("", "denied").Add(1)
		}
	case *run.CallCompleted:
		if f.Denied {
			m.verdicts.Of("", "denied").Add(1)
		}
	case *run.ApprovalNeeded:
		if f.Request.Rule != nil {
			m.verdicts.Of(m.rules.label(f.Request.Rule.Name), "ask").Add(1)
		}
	case *run.ApprovalAutoApproved:
		if f.Request.Rule != nil {
			m.verdicts.Of(m.rules.label(f.Request.Rule.Name), "approve").Add(1)
		}
		m.decisions.Of(string(gate.Approve), "policy").Add(1)
	case *run.ApprovalDecided:
		m.decisions.Of(string(f.Decision.Act), "person").Add(1)
	case *run.ApprovalTimedOut:
		m.decisions.Of("timeout", "deadline").Add(1)
	}
}

func (m *Meter) trace(s *machine.State) string {
	if m.Trace == nil {
		return ""
	}
	return m.Trace(s)
}

// took observes a step that has ended.
func (m *Meter) took(s *machine.State, step, outcome string, at time.Time) {
	if i, ok := s.Plan().Step(step); ok && !s.Steps[i].StartedAt.IsZero() {
		m.steps.Of(m.agents.label(nameOf(s, i)), outcome).ObserveIn(at.Sub(s.Steps[i].StartedAt).Seconds(), m.trace(s))
	}
}

func (m *Meter) spend(agent string, u run.Usage) {
	m.tokens.Of(agent, "in").Add(float64(u.TokensIn))
	m.tokens.Of(agent, "out").Add(float64(u.TokensOut))
	m.cost.Of(agent).Add(float64(u.CostUSD) / dollar)
}

// resolves reports whether an approval was settled by these events.
func resolves(events []run.Event, id string) bool {
	for i := range events {
		if f, ok := events[i].Fact.(*run.ApprovalResolved); ok && f.ID == id {
			return true
		}
	}
	return false
}

// agentOf is the agent whose work a fact is about; empty: none.
func agentOf(s *machine.State, f run.Fact) string {
	step := ""
	switch f := f.(type) {
	case *run.TurnCompleted:
		return f.Agent
	case *run.StepReturned:
		step = f.Step
	case *run.StepCompleted:
		step = f.Step
	case *run.ElementCompleted:
		step = f.Step
	case *run.StepRetrying:
		step = f.Step
	case *run.StepFailed:
		step = f.Step
	}
	if i, ok := s.Plan().Step(step); ok {
		return nameOf(s, i)
	}
	return ""
}

func nameOf(s *machine.State, i int) string {
	step := s.Plan().Nodes[i].Step
	switch {
	case step.Agent != "":
		return step.Agent
	case step.Tool != "":
		return "tool"
	}
	return other
}

// dollar is the unit of money in quantity.Money.
const dollar = 1e9

// namesMax is how many names of one kind have series of their own.
const namesMax = 200

// other is the label value of all further names.
const other = "other"

// names bounds label values.
type names struct {
	mu    sync.Mutex
	known map[string]bool
}

func (n *names) label(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known[name] {
		return name
	}
	if len(n.known) >= namesMax {
		return other
	}
	if n.known == nil {
		n.known = map[string]bool{}
	}
	n.known[name] = true
	return name
}
