package app

import (
	"cmp"
	"encoding/json"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/mask"
)

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
