//go:build mutant

package local_test

import (
	"context"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/mutant"
)

// The simulation has no runs with so much concurrent work, and hardly ever an approval that times out while a
// process has an outdated policy, or a process that stops while it stores a deliverable.
func TestEngineTestsCatchMutants(t *testing.T) {
	defer func() { mutant.Active = "" }()
	mutant.Active = mutant.SilenceUnguarded
	if read, row := silence(t); read > 0 || row.Pending > 0 {
		t.Errorf("no test notices %s", mutant.Active)
	}
	mutant.Active = mutant.BlobInterrupted
	if _, blamed, _ := interrupt(t, context.Context.Err, false); blamed == "" {
		t.Errorf("no test notices %s", mutant.Active)
	}
	mutant.Active = mutant.ManyNotCancelled
	if n := stoppedOf(t, 17, time.Second); n != 0 {
		t.Errorf("no test notices %s", mutant.Active)
	}
}
