package registry

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
)

// riskSince is how far back a policy is tried on decisions before it is published.
const riskSince = 30 * 24 * time.Hour

// WouldPass lists approvals that people rejected lately and a policy would have approved. Other documents approve
// nothing.
func (r *Registry) WouldPass(ctx context.Context, doc definition.Document) ([]string, error) {
	p, ok := doc.(*definition.Policy)
	if !ok || r.Rejected == nil {
		return nil, nil
	}
	set, problems := r.Compile(p)
	if set == nil {
		return nil, fault.Of("the policy is not valid", fault.Errors(problems))
	}
	now := r.Now()
	return r.Rejected(ctx, set, now.Add(-riskSince), now)
}

// weighFile refuses a policy from a file that would have approved rejected actions: a file cannot give a reason to
// publish it anyway.
func (r *Registry) weighFile(ctx context.Context, doc definition.Document, digest string) *definition.Problem {
	kind, name := Slot(doc)
	if r.Current().versions[ident(kind, name)].Digest == digest {
		return nil // it is in force already
	}
	passed, err := r.WouldPass(ctx, doc)
	if err == nil && len(passed) == 0 {
		return nil
	}
	var message string
	if err != nil {
		message = "it could not be backtested: " + err.Error()
	} else {
		message = fmt.Sprintf("it would have approved %s that people rejected in the last 30 days, such as %s; "+
			"publish it with: assent policy apply FILE --accept-risk COMMENT", Actions(len(passed)), passed[0])
	}
	at := doc.Where()
	return &definition.Problem{File: at.File, Problem: fault.Problem{
		Path: string(kind), Message: message, Line: at.Line, Column: at.Column,
	}}
}

// Actions is a number of actions in words.
func Actions(n int) string {
	if n == 1 {
		return "1 action"
	}
	return fmt.Sprintf("%d actions", n)
}
