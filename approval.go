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

// Approval is an approval as it was when it was read.
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
	Needed      int      // how many approvals are needed
	Given       int
	Acts        []string // what the reader may do
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

// Approval returns an approval.
func (e *Engine) Approval(ctx context.Context, id string, by ...Actor) (Approval, error) {
	v, err := e.server.App.Approval(ctx, actor(by), id, true)
	if err != nil {
		return Approval{}, refusal(err)
	}
	return approvalOf(v), nil
}

// inboxPage is the maximum number of approvals that Inbox returns.
const inboxPage = 1000

// Inbox lists pending approvals, most urgent first, at most 1,000.
func (e *Engine) Inbox(ctx context.Context, by ...Actor) ([]Approval, error) {
	page, _, err := e.InboxPage(ctx, inboxPage, "", by...)
	return page, err
}

// InboxPage lists pending approvals as Inbox does, limit of them after a cursor: ""
// for the first page, then the next that the page before returned, which is "" at
// the end.
func (e *Engine) InboxPage(ctx context.Context, limit int, cursor string, by ...Actor) (
	approvals []Approval, next string, err error,
) {
	page, err := e.server.App.Lists(actor(by)).Approvals(ctx, port.ApprovalQuery{Status: []string{string(gate.Pending)},
		Sort: port.ByPriority, Limit: limit, Cursor: cursor})
	if err != nil {
		return nil, "", refusal(err)
	}
	out := make([]Approval, len(page.Items))
	for i, v := range page.Items {
		out[i] = approvalOf(v)
	}
	return out, page.Next, nil
}

// Decision is a decision on an approval.
type Decision struct {
	d   app.Decision
	err error
}

// Approve approves the proposal.
func Approve(comment string) Decision {
	return Decision{d: app.Decision{Act: gate.Approve, Comment: comment}}
}

// Reject rejects the proposal, with a reason.
func Reject(comment string) Decision {
	return Decision{d: app.Decision{Act: gate.Reject, Comment: comment}}
}

// Modify approves a modified proposal: changes are a JSON merge patch, given as any value that encoding/json
// can encode.
func Modify(changes any, comment string) Decision {
	patch, err := value.Marshal(changes)
	return Decision{app.Decision{Act: gate.Modify, Changes: patch, Comment: comment}, err}
}

// Choose chooses one of the options.
func Choose(option, comment string) Decision {
	return Decision{d: app.Decision{Act: gate.Choose, Option: option, Comment: comment}}
}

// Submit submits the requested input.
func Submit(data any, comment string) Decision {
	in, err := value.Marshal(data)
	return Decision{app.Decision{Act: gate.Submit, Data: in, Comment: comment}, err}
}

// RequestRevision sends the work back with feedback.
func RequestRevision(comment string) Decision {
	return Decision{d: app.Decision{Act: gate.RequestRevision, Comment: comment}}
}

// On binds a decision to the version of the approval that was reviewed: if it has changed since, Decide fails
// with version_mismatch. Without it, Decide applies to the current version.
func (d Decision) On(a Approval) Decision {
	d.d.Version = a.Version
	return d
}

// Decide decides an approval. When it returns, the decision is durable and the run continues.
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
