package inventory

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/sight"
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
func (v *Inventory) TryAgent(ctx context.Context, who guard.Who, name string,
	t Trial) (report trial.Report, err error) {
	defer v.guard.Refusing(ctx, who, "agent.tried", "agent/"+name, &err)
	if err := v.allowTrial(ctx, who, t); err != nil {
		return report, err
	}
	if len(t.Input) == 0 {
		t.Input = json.RawMessage(`{}`)
	}
	if len(t.Input) > trial.InputMax {
		return report, fault.Newf(fault.TooLarge, "the input of a trial must be at most %s", phrase.Bytes(trial.InputMax))
	}
	if err := sight.RefuseMarker("the input", "input", t.Input); err != nil {
		return report, err
	}
	var draft *definition.Agent
	detail := map[string]any{}
	if t.YAML != "" {
		doc, _, err := v.registry.Read(definition.KindAgent, name, definition.YAML, []byte(t.YAML))
		if err != nil {
			return report, err
		}
		draft = doc.(*definition.Agent)
		detail["draft"] = value.Digest(doc.JSON())
	}
	alone, err := v.registry.Alone(cmp.Or(t.Workflow, trial.Workflow), trial.Step, name, draft)
	if err != nil {
		return report, v.guard.OrUnknown(err, who, definition.KindAgent, name)
	}
	select {
	case v.trials <- struct{}{}:
		defer func() { <-v.trials }()
	default:
		return report, fault.New(fault.RateLimited, "too many trials in progress", "try again shortly").
			With("retry_after_s", 5)
	}
	var tools port.Toolbox
	if v.toolbox != nil {
		tools = v.toolbox()
	}
	report, err = trial.Run(ctx, alone.Definition, trial.Options{
		ID: v.newRunID(v.now()), Input: t.Input, Owner: who.Key(), Now: v.now, Judge: v.registry.Current().Judge(),
		Agent: alone.Agent, LLMAgent: alone.LLMAgent, Tools: tools, Teach: v.teach,
	})
	if err != nil {
		return report, err
	}
	report.Version, report.Workflow = alone.Version, t.Workflow
	if draft == nil {
		detail["version"] = alone.Version
	}
	calls := 0
	for _, turn := range report.Turns {
		calls += len(turn.Calls)
	}
	detail["outcome"], detail["turns"], detail["calls"] = string(report.Outcome), len(report.Turns), calls
	used := report.Usage
	detail["tokens_in"], detail["tokens_out"], detail["cost_usd"] = used.TokensIn, used.TokensOut, used.CostUSD
	// A caller that went away has caused the cost all the same.
	return report, v.audit.Record(context.WithoutCancel(ctx), port.AuditDraft{Actor: who.Actor(), Action: "agent.tried",
		Target: "agent/" + name, Detail: detail})
}

func (v *Inventory) allowTrial(ctx context.Context, who guard.Who, t Trial) error {
	if err := v.guard.May(who, access.Look); err != nil {
		return err
	}
	if t.YAML != "" {
		if err := v.guard.May(who, access.Write); err != nil {
			return err
		}
	}
	if t.Workflow == "" {
		return v.guard.May(who, access.Start)
	}
	if err := v.guard.Workflow(ctx, who, access.Start, t.Workflow); err != nil {
		return err
	}
	_, err := v.registry.DefinitionAt(ctx, t.Workflow, 0)
	return v.guard.OrUnknown(err, who, definition.KindWorkflow, t.Workflow)
}
