package browse

import (
	"context"
	"fmt"
	"strconv"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// SecondLooks lists results that passed with a confidence at which a second look is suggested, limited to runs that
// the viewer sees and that contain every word of a text. No approval was requested, so there is nothing to decide:
// each entry shows where the result is, like an approval that was not needed.
func (l *Lists) SecondLooks(ctx context.Context, q port.SecondLookQuery,
	text string) (view.List[view.Approval], error) {
	q.Scope = l.viewer.Scope()
	return view.Found(text, q.Cursor, q.Limit, false, func(cursor string, limit int) (view.List[view.Approval], error) {
		q.Cursor, q.Limit = cursor, limit
		page, err := l.store.SecondLooks(ctx, q)
		if err != nil {
			return view.List[view.Approval]{}, err
		}
		return view.PageOf(page, viewSecondLook)
	}, view.Approval.Texts)
}

// viewSecondLook shows names and a number, which are never masked.
func viewSecondLook(l port.SecondLook) (view.Approval, error) {
	at := l.Step
	if l.Index != nil {
		at += "[" + strconv.Itoa(*l.Index) + "]"
	}
	v := view.Approval{
		ID: l.ID, Run: l.Run, Workflow: l.Workflow, Step: l.Step, Index: l.Index, Agent: l.Agent,
		Kind: gate.KindApproval, Reason: gate.ReasonSuggested, Status: gate.AutoApproved,
		Title: "Review the result of " + at,
		Description: fmt.Sprintf("The run continued with this result at a confidence of %g. See step %s.",
			l.Confidence, l.Step),
		Proposed: view.OrNull(nil), Show: view.OrNull(nil), InputSchema: view.OrNull(nil), Confidence: &l.Confidence,
		Source:  &gate.ConfidenceSource{Step: l.Step, Agent: l.Agent, Confidence: &l.Confidence},
		Options: []gate.Option{}, Assignees: []string{}, Decisions: []gate.Decision{}, Acts: []gate.Act{},
		Comments: []gate.Comment{}, RequestedAt: l.At,
	}
	return v, nil
}
