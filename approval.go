package assent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Approval is a question to people, as it stood when it was looked at.
type Approval struct {
	ID          string
	Run         string
	Workflow    string
	Step        string
	Kind        string // approval, choice, input, escalation
	Status      string // pending, approved, modified, rejected, …
	Version     int
	Title       string
	Proposed    json.RawMessage
	Risk        string
	Reasoning   string
	Confidence  *float64
	Options     []string // of a choice
	Needed      int      // how many have to say yes
	Given       int
	Acts        []string // what whoever looked may do
	RequestedAt time.Time
	DeadlineAt  time.Time // zero: none
}

func approvalOf(v view.Approval) Approval {
	a := Approval{
		ID: v.ID, Run: v.Run, Workflow: v.Workflow, Step: v.Step, Kind: string(v.Kind), Status: string(v.Status),
		Version: v.Version, Title: v.Title,
		Proposed: v.Proposed, Risk: string(v.Risk.Level), Reasoning: v.Reasoning, Confidence: v.Confidence,
		Needed: v.Quorum.Needed,
		Given:  v.Quorum.Given, RequestedAt: v.RequestedAt,
	}
	if v.DeadlineAt != nil {
		a.DeadlineAt = *v.DeadlineAt
	}
	for _, o := range v.Options {
		a.Options = append(a.Options, o.Value)
	}
	for _, act := range v.Acts {
		a.Acts = append(a.Acts, string(act))
	}
	return a
}

// Approval looks at one.
func (e *Engine) Approval(ctx context.Context, id string, by ...Actor) (Approval, error) {
	v, err := e.server.App.Approval(ctx, actor(by), id, true)
	if err != nil {
		return Approval{}, refusal(err)
	}
	return approvalOf(v), nil
}

// inboxPage is how many approvals Inbox returns at most.
const inboxPage = 1000

// Inbox lists what waits for people, most urgent first, at most 1,000.
func (e *Engine) Inbox(ctx context.Context, by ...Actor) ([]Approval, error) {
	page, err := e.server.App.Approvals(ctx, actor(by),
		port.ApprovalQuery{Status: []string{string(gate.Pending)}, Sort: port.ByPriority, Limit: inboxPage})
	if err != nil {
		return nil, refusal(err)
	}
	out := make([]Approval, len(page.Items))
	for i, v := range page.Items {
		out[i] = approvalOf(v)
	}
	return out, nil
}

// Decision is an answer to an approval.
type Decision struct {
	d   app.Decision
	err error
}

// Approve says yes.
func Approve(comment string) Decision {
	return Decision{d: app.Decision{Act: gate.Approve, Comment: comment}}
}

// Reject says no, and why.
func Reject(comment string) Decision {
	return Decision{d: app.Decision{Act: gate.Reject, Comment: comment}}
}

// Modify says yes to something else: changes are a JSON merge patch on what is
// proposed, given as anything that encoding/json can write.
func Modify(changes any, comment string) Decision {
	patch, err := value.Marshal(changes)
	return Decision{app.Decision{Act: gate.Modify, Changes: patch, Comment: comment}, err}
}

// Choose takes one of the options.
func Choose(option, comment string) Decision {
	return Decision{d: app.Decision{Act: gate.Choose, Option: option, Comment: comment}}
}

// Submit gives the input that was asked for.
func Submit(data any, comment string) Decision {
	in, err := value.Marshal(data)
	return Decision{app.Decision{Act: gate.Submit, Data: in, Comment: comment}, err}
}

// RequestRevision sends it back with feedback.
func RequestRevision(comment string) Decision {
	return Decision{d: app.Decision{Act: gate.RequestRevision, Comment: comment}}
}

// On binds a decision to the version of the approval that was looked at: if it
// has changed since, Decide refuses with version_mismatch. Without it, Decide
// answers the approval as it is.
func (d Decision) On(a Approval) Decision {
	d.d.Version = a.Version
	return d
}

// Decide answers an approval. When it returns, the answer is on disk and the
// run goes on.
func (e *Engine) Decide(ctx context.Context, id string, d Decision, by ...Actor) (Approval, error) {
	if d.err != nil {
		return Approval{}, fmt.Errorf("write the decision: %w", d.err)
	}
	if d.d.Version == 0 {
		a, err := e.Approval(ctx, id, by...)
		if err != nil {
			return a, err
		}
		d.d.Version = a.Version
	}
	v, err := e.server.App.Decide(ctx, actor(by), id, d.d, "", nil)
	if err != nil {
		return Approval{}, refusal(err)
	}
	return approvalOf(v), nil
}
