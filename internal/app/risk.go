package app

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
)

const (
	riskSince    = 30 * 24 * time.Hour // how far back a policy is tried before it is put in force
	riskShown    = 20                  // cases named in a refusal
	riskWordsMax = 2000
	kindAccepted = "accepted_risk" // who put a policy in force all the same, and why
)

// weighRisk refuses a policy that would have let something pass that people
// rejected, unless somebody says why it should be put in force all the same.
func (a *App) weighRisk(ctx context.Context, who Who, doc definition.Document, accept string) error {
	if len(accept) > riskWordsMax {
		return fault.Of("the request is not valid", []fault.Problem{{Path: "accept_risk", Message: fmt.Sprintf("at most %d characters", riskWordsMax)}})
	}
	passed, err := a.wouldPass(ctx, doc)
	if err != nil || len(passed) == 0 {
		return err
	}
	if accept == "" {
		ids := make([]string, 0, riskShown)
		for _, p := range passed[:min(len(passed), riskShown)] {
			ids = append(ids, p.Approval)
		}
		return fault.New(fault.Conflict, fmt.Sprintf("this policy would have let through %s that people rejected in the last 30 days", plural(len(passed), "action")),
			"look at them with a backtest; to put it in force all the same, say why with accept_risk").With("would_pass_rejected", ids)
	}
	return a.noteRisk(ctx, who, doc, accept, len(passed))
}

// wouldPass lists what people rejected lately and a policy would let through.
// Other documents let nothing through.
func (a *App) wouldPass(ctx context.Context, doc definition.Document) ([]insight.Passed, error) {
	p, ok := doc.(*definition.Policy)
	if !ok {
		return nil, nil
	}
	set, problems := a.registry.compile(p)
	if set == nil {
		return nil, fault.Of("the policy is not valid", fault.Errors(problems))
	}
	now := a.now()
	v, err := a.record.Backtest(ctx, nil, set, now.Add(-riskSince), now)
	return v.WouldPassRejected, err
}

// noteRisk keeps who accepted which risk, and why.
func (a *App) noteRisk(ctx context.Context, who Who, doc definition.Document, why string, cases int) error {
	policyDigest := value.Digest(doc.JSONWithSecrets())
	body, err := value.Marshal(map[string]any{"policy": policyDigest, "comment": why, "by": who.Key(), "rejected_actions": cases, "at": a.now()})
	if err != nil {
		return err
	}
	v := port.Version{
		ID: "doc" + a.NewRunID(a.now())[len("run"):], Kind: kindAccepted, Name: string(definition.KindPolicy), Digest: value.Digest(body), Body: body, By: who.Key(), At: a.now(),
	}
	_, _, err = a.Store.SaveVersion(ctx, v, noted(v, "policy.risk_accepted", string(definition.KindPolicy), map[string]any{"policy": policyDigest, "rejected_actions": cases}, why))
	a.Log.Warn("a policy is put in force at a risk", "by", who.Name, "comment", why, "rejected_actions", cases)
	return err
}

// weighFile is weighRisk for a file, which has nobody to say why: what would be
// refused stays out, and what is in force stays.
func (a *App) weighFile(ctx context.Context, doc definition.Document, digest string) *definition.Problem {
	kind, name := slot(doc)
	if a.registry.now().versions[ident(kind, name)].Digest == digest {
		return nil // it is in force already
	}
	passed, err := a.wouldPass(ctx, doc)
	if err == nil && len(passed) == 0 {
		return nil
	}
	message := fmt.Sprintf("it would have let through %s that people rejected in the last 30 days, such as %s; put it in force with: assent policy apply FILE --accept-risk COMMENT",
		plural(len(passed), "action"), first(passed))
	if err != nil {
		message = "it could not be tried on what was decided before: " + err.Error()
	}
	at := doc.Where()
	return &definition.Problem{File: at.File, Problem: fault.Problem{Path: string(kind), Message: message, Line: at.Line, Column: at.Column}}
}

func first(passed []insight.Passed) string {
	if len(passed) == 0 {
		return "none"
	}
	return passed[0].Approval
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
