package scenariotest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/sums"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
)

// configure gives an engine everything that comes from the script.
func (h *host) configure(c *local.Config) {
	c.Agent = func(name string) (port.Agent, bool) { return agent{h, name}, true }
	c.LLMAgent = func(name string) (port.LLMAgent, error) {
		return port.LLMAgent{Model: model{h}, Tools: []string{"all"}, Implementation: h.approved(name)}, nil
	}
	c.Tools, c.Find, c.InForce = toolbox{h}, h.find, h.inForce
	c.Judge = func() (decide.Judge, int64) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.judge == nil {
			return nil, 0
		}
		return judge{h.judge, h.stopped}, 0
	}
	c.Workflow = func(_ context.Context, name string) (*plan.Definition, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if def := h.workflow(name); def != nil {
			return def, nil
		}
		return nil, fmt.Errorf("no workflow %s", name)
	}
	c.Now = func() time.Time {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.now
	}
}

// judge is a policy that knows about the emergency stop.
type judge struct {
	policy  decide.Judge
	stopped bool
}

func (j judge) Judge(now time.Time, s policy.Subject) policy.Verdict { return j.policy.Judge(now, s) }

func (j judge) Stopped() bool { return j.stopped }

func (j judge) Counts(s policy.Subject) []policy.Count { return j.policy.(sums.Counter).Counts(s) }

func (h *host) inForce(kind, name string) []gate.Implementation {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n, ok := h.versions[kind+" "+name]; ok {
		return []gate.Implementation{{Kind: kind, Name: name, Version: n}}
	}
	return nil
}

// approved is what an agent's work was approved with: that another version is in force is noticed when the script says.
func (h *host) approved(name string) []gate.Implementation {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, ef := range h.owed {
		switch do := ef.Do.(type) {
		case run.Invoke:
			if do.Agent == name {
				return do.Approved
			}
		case run.Think:
			if do.Agent == name {
				return do.Approved
			}
		}
	}
	return nil
}

// await waits for the result of work. It continues when it is cancelled, as agents may: its result is late.
func (h *host) await(ctx context.Context, name string) (run.Operation, error) {
	result := make(chan run.Operation, 1)
	h.mu.Lock()
	h.calls[name] = result
	over := h.over
	h.mu.Unlock()
	select {
	case do := <-result:
		switch do := do.(type) {
		case run.Fail:
			return nil, &port.Failed{Failure: do.Failure}
		case run.Rebind:
			return nil, &port.Changed{Spec: do.Spec}
		}
		return do, nil
	case <-over:
		<-ctx.Done()
		return nil, ctx.Err()
	}
}

func work(key string, try int) string { return key + " try " + strconv.Itoa(try) }

// agent is an agent of any kind.
type agent struct {
	h    *host
	name string
}

func (a agent) Implementation() []gate.Implementation { return a.h.approved(a.name) }

func (a agent) Invoke(ctx context.Context, w port.Work, _ func(port.Progress)) (run.Result, error) {
	do, err := a.h.await(ctx, work(w.Key, w.Try))
	if err != nil {
		return run.Result{}, err
	}
	switch do := do.(type) {
	case run.Complete:
		do.Result.Deliverables = slices.Clone(do.Result.Deliverables)
		return do.Result, nil
	case run.AnswerConsult:
		out, err := adviceOf(do)
		return run.Result{Output: out, Usage: do.Advice.Usage}, err
	}
	return run.Result{}, fmt.Errorf("%T is not the result of an agent", do)
}

// adviceOf is what the agent in the loop answers.
func adviceOf(do run.AnswerConsult) ([]byte, error) {
	if do.Summary != "" {
		return value.Marshal(map[string]string{"summary": do.Summary})
	}
	out := map[string]string{"action": do.Advice.Action}
	if do.Advice.Requirement != "" {
		out["requirement"] = do.Advice.Requirement
	}
	if do.Advice.Reasoning != "" {
		out["reasoning"] = do.Advice.Reasoning
	}
	return value.Marshal(out)
}

// model is the model of any agent.
type model struct{ h *host }

func (m model) Think(ctx context.Context, t port.TurnRequest, _ func(port.Progress)) (run.Turn, error) {
	do, err := m.h.await(ctx, work(t.Key, t.Try))
	if err != nil {
		return run.Turn{}, err
	}
	switch do := do.(type) {
	case run.CompleteTurn:
		do.Turn.Calls = slices.Clone(do.Turn.Calls)
		return do.Turn, nil
	case run.AnswerConsult:
		out, err := adviceOf(do)
		return run.Turn{Output: out, Usage: do.Advice.Usage}, err
	case run.ReadForConsult:
		turn := run.Turn{Text: do.Text, Usage: do.Usage}
		for _, r := range do.Reads {
			turn.Calls = append(turn.Calls, run.Call{ID: r.ID, Tool: r.Tool, Args: r.Args})
		}
		return turn, nil
	}
	return run.Turn{}, fmt.Errorf("%T is not the result of a model", do)
}

// toolbox has all tools of the script.
type toolbox struct{ h *host }

func (b toolbox) List(context.Context, []string) (out []port.ToolInfo, _ error) {
	for _, name := range b.h.tools {
		out = append(out, port.ToolInfo{Name: name})
	}
	return out, nil
}

func (b toolbox) Spec(_ context.Context, c run.Call) run.ToolSpec {
	b.h.mu.Lock()
	defer b.h.mu.Unlock()
	return b.h.specs[c.ID]
}

func (b toolbox) Call(ctx context.Context, w port.ToolWork, _ func(port.Progress)) (run.CallResult, error) {
	do, err := b.h.await(ctx, work(w.Key, w.Try))
	if err != nil {
		return run.CallResult{}, err
	}
	if do, ok := do.(run.CompleteCall); ok {
		do.Result.Deliverables = slices.Clone(do.Result.Deliverables)
		return do.Result, nil
	}
	return run.CallResult{}, fmt.Errorf("%T is not the result of a tool", do)
}

func (h *host) find(ctx context.Context, n port.Need) (port.NewSteps, error) {
	do, err := h.await(ctx, "a search for "+n.Run)
	if err != nil {
		return port.NewSteps{}, err
	}
	found, ok := do.(run.AnswerReplan)
	if !ok {
		return port.NewSteps{}, fmt.Errorf("%T is not the result of a search", do)
	}
	return port.NewSteps{Steps: found.Steps, Agents: found.Agents, Because: found.Because, Reason: found.Reason,
		Harmless: found.Harmless}, nil
}
