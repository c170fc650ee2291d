package app

import (
	"cmp"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/sight"
)

// refuseMarkersIn is sight.RefuseMarker for the changes of a fork.
func refuseMarkersIn(e run.Edits) error {
	err := cmp.Or(sight.RefuseMarker("the fork", "edits/input", e.Input),
		sight.RefuseMarker("the fork", "edits/context", e.Context))
	for step, output := range e.Outputs {
		err = cmp.Or(err, sight.RefuseMarker("the fork", "edits/outputs/"+step, output))
	}
	return err
}
