package traffic

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestFlightsTakeTurns: of requests with one key only one runs at a time, and a key that
// no request has any longer is forgotten.
func TestFlightsTakeTurns(t *testing.T) {
	var f Flights
	var all sync.WaitGroup
	var running, most atomic.Int64
	for range 50 {
		all.Go(func() {
			defer f.Enter("key")()
			if now := running.Add(1); now > most.Load() {
				most.Store(now)
			}
			running.Add(-1)
		})
	}
	all.Wait()
	leave := f.Enter("one")
	f.Enter("other")() // does not wait
	leave()
	if most.Load() != 1 || len(f.open) != 0 {
		t.Errorf("%d ran at a time; %d keys are kept", most.Load(), len(f.open))
	}
}
