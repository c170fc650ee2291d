package app

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// seesPlain reports whether the caller sees everything in a run: with the permission, or as its owner. Callers who
// retry or fork another person's run own the copy and still see no more than before.
func (a *App) seesPlain(ctx context.Context, who Who, row port.RunRow) (bool, error) {
	for range view.OriginsMax {
		s, rules := a.subject(who), a.rules()
		if rules.Decide(s, access.Unmasked, access.Object{Workflow: row.Workflow}).Allowed {
			return true, nil
		}
		if !rules.Decide(s, access.Unmasked, access.Object{Workflow: row.Workflow, Owner: row.Owner}).Allowed {
			return false, nil
		}
		origin := row.RetryOf
		if row.ForkedFrom != "" {
			origin = row.ForkedFrom
		}
		if origin == "" {
			return true, nil
		}
		var err error
		if row, err = a.masking.Row(ctx, origin); fault.Is(err, fault.NotFound) {
			return false, nil // the owner of these values is no longer known
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// veilFor is the mask that applies to the caller in a run.
func (a *App) veilFor(ctx context.Context, who Who, row port.RunRow) (*view.Veil, error) {
	words, err := a.approvalsFor(who).Words(ctx, row)
	if err != nil {
		return nil, err
	}
	plain, err := a.seesPlain(ctx, who, row)
	if err != nil {
		return nil, err
	}
	var s *view.SensitiveRun
	if !plain {
		if s, err = a.masking.Of(ctx, row, 0); err != nil {
			return nil, err
		}
	}
	return s.Veil(words), nil
}

// veilOf is veilFor a run by its id. If the run is not stored, everything is masked.
func (a *App) veilOf(ctx context.Context, who Who, id string) (*view.Veil, error) {
	row, err := a.masking.Row(ctx, id)
	if err != nil {
		return nil, err
	}
	return a.veilFor(ctx, who, row)
}

// veilOfApproval is veilOf for one approval: callers who may act on it, or have, see the values they decide about.
func (a *App) veilOfApproval(ctx context.Context, who Who, row port.ApprovalRow, ap *gate.Approval,
	acts []gate.Act) (*view.Veil, error) {
	if len(acts) > 0 || a.rules().Decide(a.subject(who), access.Unmasked, access.Object{Workflow: row.Workflow}).Allowed {
		return nil, nil
	}
	for _, d := range ap.Decisions {
		if d.By == who.Key() {
			return nil, nil
		}
	}
	return a.veilOf(ctx, who, row.Run)
}

// errMasked refuses things that can only be handed out whole.
func errMasked(what string) error {
	return fault.New(fault.Forbidden, what+" contains values that are masked for you",
		"ask someone with the permission sensitive, or the owner of the run")
}

// refuseMarker refuses values that contain the marker for masked values: the sender was not shown the original, and
// the marker would overwrite it.
func refuseMarker(what, field string, doc json.RawMessage) error {
	at, held := mask.Holds(doc)
	if !held {
		return nil
	}
	return fault.Of(what+" is not valid", []fault.Problem{{
		Path: field + at, Message: "this is the marker for a masked value (" + mask.Marker +
			"): remove the field, or set a value",
	}})
}

// refuseMarkersIn is refuseMarker for the changes of a fork.
func refuseMarkersIn(e run.Edits) error {
	err := cmp.Or(refuseMarker("the fork", "edits/input", e.Input), refuseMarker("the fork", "edits/context", e.Context))
	for step, output := range e.Outputs {
		err = cmp.Or(err, refuseMarker("the fork", "edits/outputs/"+step, output))
	}
	return err
}
