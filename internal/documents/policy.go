package documents

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
)

// Validate checks a document against those in force, without saving it.
func (d *Documents) Validate(
	_ context.Context, who guard.Who, kind definition.Kind, format definition.Format, body []byte,
) (registry.Validation, error) {
	if err := d.guard.May(who, access.Look); err != nil {
		return registry.Validation{}, err
	}
	return d.registry.Validate(kind, format, body), nil
}

// Policy shows the policy in force; without one, an empty one.
func (d *Documents) Policy(ctx context.Context, who guard.Who) (registry.Policy, error) {
	if err := d.guard.May(who, access.Look); err != nil {
		return registry.Policy{}, err
	}
	return d.registry.Policy(ctx)
}

// EmergencyStop turns all automatic approvals off, or back on. When it returns, no process
// approves anything automatically, also after a restart.
func (d *Documents) EmergencyStop(ctx context.Context, who guard.Who, on bool,
	reason string) (out registry.Stop, err error) {
	defer d.guard.Refusing(ctx, who, "policy.emergency_stop", string(definition.KindPolicy), &err)
	if err := d.guard.May(who, access.Stop); err != nil {
		return registry.Stop{}, err
	}
	return d.registry.SetStop(ctx, on, reason, who.Key())
}

const (
	riskShown    = 20 // cases named in a refusal
	riskWordsMax = 2000
	kindAccepted = "accepted_risk" // who published a policy despite its risk, and why
)

// weighRisk refuses a policy that would have approved something that people rejected, unless the caller gives a reason
// to publish it anyway.
func (d *Documents) weighRisk(ctx context.Context, who guard.Who, doc definition.Document, accept string) error {
	if len(accept) > riskWordsMax {
		return fault.Of("the request is not valid", []fault.Problem{{
			Path: "accept_risk", Message: fmt.Sprintf("at most %d characters", riskWordsMax),
		}})
	}
	passed, err := d.registry.WouldPass(ctx, doc)
	if err != nil || len(passed) == 0 {
		return err
	}
	if accept == "" {
		return fault.New(fault.Conflict, "this policy would have approved "+registry.Actions(len(passed))+
			" that people rejected in the last 30 days",
			"review them with a backtest; to publish it anyway, give a reason "+
				"in accept_risk").With("would_pass_rejected", passed[:min(len(passed), riskShown)])
	}
	return d.noteRisk(ctx, who, doc, accept, len(passed))
}

// noteRisk records who accepted a risk, and why.
func (d *Documents) noteRisk(ctx context.Context, who guard.Who, doc definition.Document, why string, cases int) error {
	policyDigest := value.Digest(doc.JSONWithSecrets())
	body, err := value.Marshal(map[string]any{
		"policy": policyDigest, "comment": why, "by": who.Key(), "rejected_actions": cases, "at": d.now(),
	})
	if err != nil {
		return err
	}
	v := port.Version{
		ID: "doc" + d.newID(d.now())[len("run"):], Kind: kindAccepted, Name: string(definition.KindPolicy),
		Digest: value.Digest(body), Body: body, By: who.Key(), At: d.now(),
	}
	detail := map[string]any{"policy": policyDigest, "rejected_actions": cases}
	_, _, err = d.store.SaveVersion(ctx, v, v.Entry("policy.risk_accepted", string(definition.KindPolicy), detail, why))
	d.logger.Warn("a policy is published despite a risk", "by", who.Name, "comment", why, "rejected_actions", cases)
	return err
}
