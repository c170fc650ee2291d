package app

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/trial"
)

// trialsMax is how many trials run at the same time: they wait for models, and cost.
const trialsMax = 4

// Trial is a request to try an agent.
type Trial struct {
	// The input of the agent; an empty object if omitted.
	Input json.RawMessage `json:"input,omitempty"`
	// The agent as a file, to try it before it is saved; the one in force if omitted.
	YAML string `json:"yaml,omitempty"`
	// The workflow for which calls are judged: rules of the policy may apply to some workflows only.
	Workflow string `json:"workflow,omitempty"`
}

// TryAgent lets an agent work on an input without consequences: its model is called, its tools are not, and nothing is
// decided or stored except an audit entry. It needs the permission to start runs; a draft, which may name any address
// and any secret that documents may refer to, needs the permission to save it.
func (a *App) TryAgent(ctx context.Context, who Who, name string, t Trial) (v trial.Report, err error) {
	defer a.guard.Refusing(ctx, who, "agent.tried", "agent/"+name, &err)
	if err := a.allowTrial(ctx, who, t); err != nil {
		return v, err
	}
	if len(t.Input) == 0 {
		t.Input = json.RawMessage(`{}`)
	}
	if len(t.Input) > trial.InputMax {
		return v, fault.Newf(fault.TooLarge, "the input of a trial must be at most %s", phrase.Bytes(trial.InputMax))
	}
	if err := refuseMarker("the input", "input", t.Input); err != nil {
		return v, err
	}
	var draft *definition.Agent
	detail := map[string]any{}
	if t.YAML != "" {
		doc, _, err := a.registry.Read(definition.KindAgent, name, definition.YAML, []byte(t.YAML))
		if err != nil {
			return v, err
		}
		draft = doc.(*definition.Agent)
		detail["draft"] = value.Digest(doc.JSON())
	}
	alone, err := a.registry.Alone(cmp.Or(t.Workflow, trial.Workflow), trial.Step, name, draft)
	if err != nil {
		return v, a.guard.OrUnknown(err, who, definition.KindAgent, name)
	}
	select {
	case a.trials <- struct{}{}:
		defer func() { <-a.trials }()
	default:
		return v, fault.New(fault.RateLimited, "too many trials in progress", "try again shortly").
			With("retry_after_s", 5)
	}
	var tools port.Toolbox
	if a.toolbox != nil {
		tools = a.toolbox()
	}
	v, err = trial.Run(ctx, alone.Definition, trial.Options{
		ID: a.newRunID(a.Now()), Input: t.Input, Owner: who.Key(), Now: a.Now, Judge: a.registry.Current().Judge(),
		Agent: alone.Agent, LLMAgent: alone.LLMAgent, Tools: tools, Teach: a.lessons.Teach,
	})
	if err != nil {
		return v, err
	}
	v.Version, v.Workflow = alone.Version, t.Workflow
	if draft == nil {
		detail["version"] = alone.Version
	}
	calls := 0
	for _, turn := range v.Turns {
		calls += len(turn.Calls)
	}
	detail["outcome"], detail["turns"], detail["calls"] = string(v.Outcome), len(v.Turns), calls
	detail["tokens_in"], detail["tokens_out"], detail["cost_usd"] = v.Usage.TokensIn, v.Usage.TokensOut, v.Usage.CostUSD
	// A caller that went away has caused the cost all the same.
	return v, a.Audit.Record(context.WithoutCancel(ctx), port.AuditDraft{Actor: who.Actor(), Action: "agent.tried",
		Target: "agent/" + name, Detail: detail})
}

func (a *App) allowTrial(ctx context.Context, who Who, t Trial) error {
	if err := a.guard.May(who, access.Look); err != nil {
		return err
	}
	if t.YAML != "" {
		if err := a.guard.May(who, access.Write); err != nil {
			return err
		}
	}
	if t.Workflow == "" {
		return a.guard.May(who, access.Start)
	}
	if err := a.guard.Workflow(ctx, who, access.Start, t.Workflow); err != nil {
		return err
	}
	_, err := a.registry.DefinitionAt(ctx, t.Workflow, 0)
	return a.guard.OrUnknown(err, who, definition.KindWorkflow, t.Workflow)
}
