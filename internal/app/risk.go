package app

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
)

const (
	riskShown    = 20 // cases named in a refusal
	riskWordsMax = 2000
	kindAccepted = "accepted_risk" // who published a policy despite its risk, and why
)

// weighRisk refuses a policy that would have approved something that people rejected, unless the caller gives a reason
// to publish it anyway.
func (a *App) weighRisk(ctx context.Context, who Who, doc definition.Document, accept string) error {
	if len(accept) > riskWordsMax {
		return fault.Of("the request is not valid", []fault.Problem{{
			Path: "accept_risk", Message: fmt.Sprintf("at most %d characters", riskWordsMax),
		}})
	}
	passed, err := a.registry.WouldPass(ctx, doc)
	if err != nil || len(passed) == 0 {
		return err
	}
	if accept == "" {
		return fault.New(fault.Conflict, "this policy would have approved "+registry.Actions(len(passed))+
			" that people rejected in the last 30 days",
			"review them with a backtest; to publish it anyway, give a reason "+
				"in accept_risk").With("would_pass_rejected", passed[:min(len(passed), riskShown)])
	}
	return a.noteRisk(ctx, who, doc, accept, len(passed))
}

// noteRisk records who accepted a risk, and why.
func (a *App) noteRisk(ctx context.Context, who Who, doc definition.Document, why string, cases int) error {
	policyDigest := value.Digest(doc.JSONWithSecrets())
	body, err := value.Marshal(map[string]any{
		"policy": policyDigest, "comment": why, "by": who.Key(), "rejected_actions": cases, "at": a.Now(),
	})
	if err != nil {
		return err
	}
	v := port.Version{
		ID: "doc" + a.newRunID(a.Now())[len("run"):], Kind: kindAccepted, Name: string(definition.KindPolicy),
		Digest: value.Digest(body), Body: body, By: who.Key(), At: a.Now(),
	}
	detail := map[string]any{"policy": policyDigest, "rejected_actions": cases}
	_, _, err = a.notes.SaveVersion(ctx, v, noted(v, "policy.risk_accepted", string(definition.KindPolicy), detail, why))
	a.logger.Warn("a policy is published despite a risk", "by", who.Name, "comment", why, "rejected_actions", cases)
	return err
}
