//go:build unix

package e2e

import (
	"fmt"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

// Two processes on one database get the same deliveries at the same time: each starts one run.
func TestTriggersOfTwoProcesses(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	a := shop(t, "--db", url)
	a.hookUp()
	b := shop(t, "--db", url)
	waitFor(t, "the other process to know the trigger", func() bool {
		return b.call("GET", "/triggers/orders", nil).status == 200
	})
	var many []*hook
	for i := range 10 {
		many = append(many, order(fmt.Sprintf("C-%d", i)))
	}
	sign(t, many...)
	var (
		all  sync.WaitGroup
		mu   sync.Mutex
		runs = map[string]map[string]bool{}
	)
	for _, h := range many {
		for _, s := range []*server{a, b, a, b} {
			all.Go(func() {
				got, err := h.send(s, "orders")
				if err != nil || got.status != 200 && got.status != 202 {
					t.Errorf("%d %s %v", got.status, got.body, err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if runs[h.ID] == nil {
					runs[h.ID] = map[string]bool{}
				}
				runs[h.ID][got.text("run")] = true
			})
		}
	}
	all.Wait()
	for id, found := range runs {
		if len(found) != 1 {
			t.Errorf("%s started %v", id, found)
		}
	}
	if ids := b.startedBy("orders"); len(ids) != len(many) {
		t.Errorf("%d runs of %d deliveries", len(ids), len(many))
	}
}
