package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/preview"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// Approval shows one approval.
func (a *App) Approval(ctx context.Context, who Who, id string, full bool) (view.Approval, error) {
	row, err := a.guard.Approval(ctx, who, access.See, id)
	if err != nil {
		return view.Approval{}, err
	}
	v, err := a.sight.ShowApproval(ctx, a.guard.Viewer(who), row, full)
	if err == nil {
		err = a.sight.CountDrafts(ctx, &v)
	}
	return v, err
}

// Decision is a request to act on an approval.
type Decision struct {
	// What to do.
	Act gate.Act `json:"act"`
	// For choose: the value of the option.
	Option  string          `json:"option,omitempty"`
	Changes json.RawMessage `json:"changes,omitempty"`
	// For submit: the requested data.
	Data json.RawMessage `json:"data,omitempty"`
	// The comment, at most 10,000 characters. Required for reject and request_revision.
	Comment string `json:"comment,omitempty"`
	To      string `json:"to,omitempty"`
	// If votes are counted by role: the role to vote as. If omitted, an open place for one of your roles is used.
	Role string `json:"role,omitempty"`
	// The version of the approval that you saw. Required, unless If-Match is sent.
	Version int `json:"version"`
}

// Decide answers an approval. If several answers are needed or race, each caller gets the state after their own.
func (a *App) Decide(ctx context.Context, who Who, id string, d Decision, commandID string,
	k Idempotency) (v view.Approval, err error) {
	defer a.guard.Refusing(ctx, who, "approval.decided", id, &err)
	row, err := a.guard.Approval(ctx, who, access.See, id)
	if err != nil {
		return view.Approval{}, err
	}
	if d.Version < 1 {
		return view.Approval{}, fault.Of("the decision is not valid",
			[]fault.Problem{{Path: "version", Message: "set it to the version of the approval that you saw"}})
	}
	return a.decide(ctx, who, row, d, commandID, k)
}

func (a *App) decide(ctx context.Context, who Who, row port.ApprovalRow, d Decision, commandID string,
	k Idempotency) (view.Approval, error) {
	if !slices.Contains(gate.Acts, d.Act) {
		return view.Approval{}, fault.Of("the decision is not valid",
			[]fault.Problem{{Path: "act", Message: fmt.Sprintf("expected one of %v", gate.Acts)}})
	}
	ap, err := view.ReadApproval(row)
	if err != nil {
		return view.Approval{}, err
	}
	if err := cmp.Or(sight.RefuseMarker("the decision", "changes", d.Changes),
		sight.RefuseMarker("the decision", "data", d.Data)); err != nil {
		return view.Approval{}, err
	}
	allowed, person := a.guard.Rules().Act(a.guard.Subject(who), d.Act,
		access.Object{Workflow: row.Workflow, Approval: ap})
	if ap.Status == gate.Pending && !allowed.Allowed { // if it is not pending, the core reports who was faster
		return view.Approval{}, allowed.Refusal()
	}
	handing := d.Act == gate.Delegate || d.Act == gate.Escalate
	// otherwise the core refuses it, and no names are revealed
	if handing && d.To != "" && slices.Contains(ap.Allowed(person), d.Act) {
		if d.To, err = a.people.Recipient(ctx, ap, d.To, a.guard.Rules().Roles()); err != nil {
			return view.Approval{}, err
		}
	}
	answer := gate.Answer{
		By: person, Act: d.Act, Option: d.Option, Changes: d.Changes, Data: d.Data,
		Comment: d.Comment, To: d.To, Role: d.Role, Version: d.Version, Via: who.Via,
	}
	do := run.Decide{Approval: row.ID, Answer: answer}
	if changesPlan(ap) {
		do.Agents = a.agentsNamed(ctx, who, row.Run, value.MergePatch(view.OrNull(ap.Current), d.Changes))
	}
	return a.toApproval(ctx, who, row, do, commandID, k)
}

// Comment adds a comment to a pending approval.
func (a *App) Comment(ctx context.Context, who Who, id, words, commandID string,
	k Idempotency) (v view.Approval, err error) {
	defer a.guard.Refusing(ctx, who, "approval.commented", id, &err)
	row, err := a.guard.Approval(ctx, who, access.Comment, id)
	if err != nil {
		return view.Approval{}, err
	}
	return a.toApproval(ctx, who, row, run.Comment{Approval: id, Text: words}, commandID, k)
}

// toApproval sends a command about an approval and shows the result.
func (a *App) toApproval(ctx context.Context, who Who, row port.ApprovalRow, do run.Operation, commandID string,
	k Idempotency) (view.Approval, error) {
	var shown view.Approval
	_, err := a.engine.Do(ctx, row.Run, a.command(who, commandID, do),
		func(_ *machine.State, r port.Receipt) (*port.Answer, error) {
			for _, changed := range r.Approvals {
				if changed.ID == row.ID {
					row = changed
				}
			}
			v, err := a.sight.ShowApproval(ctx, a.guard.Viewer(who), row, false)
			if err = cmp.Or(err, a.sight.CountDrafts(ctx, &v)); err != nil {
				return nil, err
			}
			shown = v
			return k.keep(v)
		})
	if _, again := taken(err); again {
		return a.Approval(ctx, who, row.ID, false)
	}
	return shown, err
}

// ChangeView previews changes to a proposal.
type ChangeView struct {
	Diff     []value.Change  `json:"diff"`                     // The differences.
	Valid    bool            `json:"valid"`                    // Whether it matches the schema.
	Errors   []fault.Problem `json:"errors"`                   // All problems, with paths.
	Proposed json.RawMessage `json:"proposed" holds:"payload"` // The changed proposal.
	// At a decision point: what the changed plan would do. Null if it cannot be changed like that.
	Plan *preview.PlanChange `json:"plan,omitempty"`
	view.Masking
}

// PreviewChanges applies a merge patch to a proposal without storing it.
func (a *App) PreviewChanges(ctx context.Context, who Who, id string, changes json.RawMessage) (ChangeView, error) {
	row, err := a.guard.Approval(ctx, who, access.See, id)
	if err != nil {
		return ChangeView{}, err
	}
	ap, err := view.ReadApproval(row)
	if err != nil {
		return ChangeView{}, err
	}
	if err := sight.RefuseMarker("the changes", "changes", changes); err != nil {
		return ChangeView{}, err
	}
	if len(changes) == 0 {
		changes = json.RawMessage(`{}`)
	}
	current := view.OrNull(ap.Current)
	v := ChangeView{Proposed: value.MergePatch(current, changes), Errors: []fault.Problem{}}
	v.Diff = view.NotNil(value.Diff(current, v.Proposed))
	wanted := ap.Action.ArgsSchema
	if ap.Kind == gate.KindInput {
		wanted = ap.InputSchema
	}
	s, err := schema.Compile(wanted)
	if err != nil {
		return v, err
	}
	v.Errors = append(v.Errors, s.Validate(v.Proposed)...)
	if err := a.previewPlan(ctx, who, row, ap, &v); err != nil {
		return v, err
	}
	v.Valid = len(v.Errors) == 0
	veil, err := a.sight.VeilOfApproval(ctx, a.guard.Viewer(who), row, ap, a.guard.Viewer(who).Acts(row.Workflow, ap))
	if err != nil {
		return ChangeView{}, err
	}
	v, told := view.Hide(veil, v)
	v.Masking = told
	return v, nil
}

// Batch gives several approvals the same answer.
type Batch struct {
	// The ids of the approvals, 1 to 1,000.
	IDs []string `json:"ids"`
	// The act.
	Act     gate.Act `json:"act"`
	Option  string   `json:"option,omitempty"`
	Comment string   `json:"comment,omitempty"`
	// The versions you saw, by id; omitted ones mean the current version.
	Versions map[string]int `json:"versions,omitempty"`
}

// BatchView reports the result for each.
type BatchView struct {
	Results []BatchResult `json:"results"`
}

// BatchResult is the result for one of several approvals.
type BatchResult struct {
	ID     string      `json:"id"`
	OK     bool        `json:"ok"`
	Status gate.Status `json:"status,omitempty"`
	Error  error       `json:"-"` // the API shows it as a problem
}

// BatchMax bounds how many approvals one request may answer.
const BatchMax = 1000

// DecideMany answers approvals one by one: some may succeed while others do not.
func (a *App) DecideMany(ctx context.Context, who Who, b Batch, commandID string) (BatchView, error) {
	if len(b.IDs) == 0 || len(b.IDs) > BatchMax {
		return BatchView{}, fault.Of("the batch is not valid",
			[]fault.Problem{{Path: "ids", Message: "expected 1 to 1000 ids"}})
	}
	for id, version := range b.Versions {
		if version < 1 {
			return BatchView{}, fault.Of("the batch is not valid",
				[]fault.Problem{{Path: "versions." + phrase.ClipValid(id, 80), Message: "must be 1 or more"}})
		}
	}
	if err := a.guard.Deciding(who); err != nil {
		a.Access.Refused(ctx, who, "approval.decided", "approvals", err)
		return BatchView{}, err
	}
	out := BatchView{Results: make([]BatchResult, 0, len(b.IDs))}
	for _, id := range b.IDs {
		row, err := a.guard.Approval(ctx, who, access.See, id)
		if err == nil {
			d := Decision{Act: b.Act, Option: b.Option, Comment: b.Comment, Version: cmp.Or(b.Versions[id], row.Version)}
			one := commandID
			if one != "" {
				one += " " + id
			}
			var v view.Approval
			v, err = a.decide(ctx, who, row, d, one, nil)
			a.Access.Refused(ctx, who, "approval.decided", id, err)
			row.Status = cmp.Or(string(v.Status), row.Status)
		}
		out.Results = append(out.Results, BatchResult{ID: id, OK: err == nil, Status: gate.Status(row.Status), Error: err})
	}
	return out, nil
}

// Expiry is a request to reject old approvals that will not be answered.
type Expiry struct {
	OlderThan time.Duration
	Comment   string
	Query     port.ApprovalQuery // narrows it further
}

// Expire rejects pending approvals that are older than a duration, at most
// BatchMax at a time.
func (a *App) Expire(ctx context.Context, who Who, e Expiry) (v BatchView, err error) {
	defer a.guard.Refusing(ctx, who, "approvals.expired", "approvals", &err)
	if err := a.guard.May(who, access.Expire); err != nil {
		return BatchView{}, err
	}
	if e.OlderThan <= 0 {
		return BatchView{}, fault.Of("the request is not valid",
			[]fault.Problem{{Path: "older_than", Message: "a minimum age is required, such as 72h"}})
	}
	q := e.Query
	q.Status, q.Sort, q.Limit, q.OlderThan = []string{string(gate.Pending)}, port.ByAge, BatchMax,
		a.Now().Add(-e.OlderThan)
	page, err := a.lists.Approvals(ctx, q)
	if err != nil {
		return BatchView{}, err
	}
	out := BatchView{Results: []BatchResult{}}
	for _, row := range page.Items {
		do := run.Expire{Approval: row.ID, Comment: e.Comment}
		r, err := a.engine.Do(ctx, row.Run, a.command(who, "", do), nil)
		for _, changed := range r.Approvals {
			if changed.ID == row.ID {
				row = changed
			}
		}
		if fault.Is(err, fault.AlreadyDecided) || fault.Is(err, fault.Closed) {
			// An approval that expired earlier in this batch may have ended its run.
			if now, readErr := a.lists.Approval(ctx, row.ID); readErr == nil && gate.Status(now.Status) == gate.Cancelled {
				row, err = now, nil
			}
		}
		out.Results = append(out.Results, BatchResult{ID: row.ID, OK: err == nil,
			Status: gate.Status(row.Status), Error: err})
	}
	return out, a.recordExpiry(ctx, who, e, out)
}

// recordExpiry adds an entry about approvals that were settled in one batch. Each of them also has an entry of its
// own.
func (a *App) recordExpiry(ctx context.Context, who Who, e Expiry, v BatchView) error {
	settled := 0
	for _, r := range v.Results {
		if r.OK {
			settled++
		}
	}
	if len(v.Results) == 0 {
		return nil
	}
	return a.Audit.Record(ctx, port.AuditDraft{
		Actor: who.Actor(), Action: "approvals.expired", Target: "approvals",
		Detail: map[string]any{"older_than": e.OlderThan.String(), "settled": settled, "failed": len(v.Results) - settled},
	})
}
