package sight

import (
	"context"
	"encoding/json"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/mask"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Unmasked reports whether nothing at all is masked for a viewer.
func (s *Sight) Unmasked(v Viewer) bool {
	return !s.masking.Any() || v.may(access.Unmasked, access.Object{})
}

// plain reports whether the viewer sees everything in a run: with the permission, or as its owner. Viewers who
// retry or fork another person's run own the copy and still see no more than before.
func (s *Sight) plain(ctx context.Context, v Viewer, row port.RunRow) (bool, error) {
	for range view.OriginsMax {
		if v.may(access.Unmasked, access.Object{Workflow: row.Workflow}) {
			return true, nil
		}
		if !v.may(access.Unmasked, access.Object{Workflow: row.Workflow, Owner: row.Owner}) {
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
		if row, err = s.masking.Row(ctx, origin); fault.Is(err, fault.NotFound) {
			return false, nil // the owner of these values is no longer known
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// Veil is the mask that applies to the viewer in a run; nil: none.
func (s *Sight) Veil(ctx context.Context, v Viewer, row port.RunRow) (*view.Veil, error) {
	words, err := s.Approvals(v).Words(ctx, row)
	if err != nil {
		return nil, err
	}
	plain, err := s.plain(ctx, v, row)
	if err != nil {
		return nil, err
	}
	var sensitive *view.SensitiveRun
	if !plain {
		if sensitive, err = s.masking.Of(ctx, row, 0); err != nil {
			return nil, err
		}
	}
	return sensitive.Veil(words), nil
}

// VeilOf is Veil for a run by its id. If the run is not stored, everything is masked.
func (s *Sight) VeilOf(ctx context.Context, v Viewer, id string) (*view.Veil, error) {
	row, err := s.masking.Row(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.Veil(ctx, v, row)
}

// VeilOfApproval is VeilOf for one approval: viewers who may act on it, or have, see the values they decide about.
func (s *Sight) VeilOfApproval(ctx context.Context, v Viewer, row port.ApprovalRow, ap *gate.Approval,
	acts []gate.Act) (*view.Veil, error) {
	if len(acts) > 0 || v.may(access.Unmasked, access.Object{Workflow: row.Workflow}) {
		return nil, nil
	}
	for _, d := range ap.Decisions {
		if d.By == v.key() {
			return nil, nil
		}
	}
	return s.VeilOf(ctx, v, row.Run)
}

// Whole refuses to hand out something of a run that cannot be masked in part, if anything in the run is masked.
func (s *Sight) Whole(ctx context.Context, v Viewer, runID, what string) error {
	veil, err := s.VeilOf(ctx, v, runID)
	if err == nil && veil.Holds() {
		err = Masked(what)
	}
	return err
}

// Masked refuses things that can only be handed out whole.
func Masked(what string) error {
	return fault.New(fault.Forbidden, what+" contains values that are masked for you",
		"ask someone with the permission sensitive, or the owner of the run")
}

// RefuseMarker refuses values that contain the marker for masked values: the sender was not shown the original, and
// the marker would overwrite it.
func RefuseMarker(what, field string, doc json.RawMessage) error {
	at, held := mask.Holds(doc)
	if !held {
		return nil
	}
	return fault.Of(what+" is not valid", []fault.Problem{{
		Path: field + at, Message: "this is the marker for a masked value (" + mask.Marker +
			"): remove the field, or set a value",
	}})
}
