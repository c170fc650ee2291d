// Package published tests how stores put versions of documents in force.
package published

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// Over: nothing is published over another version than the expected one.
func Over(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, n := range []int{1, 2} {
		_, _, err := s.SaveVersion(ctx, port.Version{
			ID: fmt.Sprintf("pol_over_%d", n), Kind: "policy", Name: "over", Digest: fmt.Sprintf("sha256:%d", n),
			Body: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n)), By: "ann", At: fixture.Began,
		})
		fixture.Must(t, err)
	}
	over := func(number, over int) error {
		return s.PublishOver(ctx, "policy", "over", number, over, "ann", fixture.Began)
	}
	fixture.WantCode(t, over(1, 1), fault.VersionMismatch)
	fixture.WantCode(t, over(9, 0), fault.NotFound)
	before, err := s.Generation(ctx)
	fixture.Must(t, err)
	fixture.Must(t, over(1, 0))
	fixture.Must(t, over(2, 1))
	for _, wrong := range []int{0, 1, 9} {
		fixture.WantCode(t, over(1, wrong), fault.VersionMismatch)
	}
	if v, err := s.Version(ctx, "policy", "over", 0); err != nil || v.Number != 2 {
		t.Errorf("in force is %+v: %v", v, err)
	}
	if after, err := s.Generation(ctx); err != nil || after != before+2 {
		t.Errorf("generation %d after %d: %v", after, before, err)
	}
	fixture.Must(t, s.Withdraw(ctx, "policy", "over"))
	fixture.WantCode(t, over(1, 2), fault.VersionMismatch)
	// Of two at once, one wins.
	results := make(chan error)
	for range 2 {
		go func() { results <- over(1, 0) }()
	}
	var lost int
	for range 2 {
		if err := <-results; err != nil {
			fixture.WantCode(t, err, fault.VersionMismatch)
			lost++
		}
	}
	if lost != 1 {
		t.Errorf("%d of two lost", lost)
	}
}
