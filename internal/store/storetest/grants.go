package storetest

import (
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// generation: a write decided under outdated definitions is rejected, and no other is.
func generation(t *testing.T, s store.Store) {
	ctx := t.Context()
	first, err := s.Generation(ctx)
	fixture.Must(t, err)
	if first < 1 {
		t.Errorf("the first generation is %d", first)
	}
	_, _, err = s.SaveVersion(ctx, fixture.Version("policy", "policy", 1))
	fixture.Must(t, err)
	if now, err := s.Generation(ctx); err != nil || now != first {
		t.Errorf("saving a draft made generation %d of %d, %v", now, first, err)
	}
	a := fixture.New("run_1")
	w := a.Write(fixture.Started(`1`))
	w.Generation = first
	a.Store(t, s, w)
	fixture.Must(t, s.Publish(ctx, "policy", "policy", 1, "ann", fixture.Began))
	second, err := s.Generation(ctx)
	fixture.Must(t, err)
	if second <= first {
		t.Errorf("generation %d comes after %d", second, first)
	}
	w = a.Write(fixture.Said("one"))
	w.Generation = first
	_, err = s.Append(ctx, w)
	fixture.WantCode(t, err, fault.Outdated)
	w.Generation = 0
	a.Store(t, s, w)
	w = a.Write(fixture.Said("two"))
	w.Generation = second
	a.Store(t, s, w)
}

// grants: a rule is never used more often than allowed, however many concurrent requests there are.
func grants(t *testing.T, s store.Store) {
	ctx := t.Context()
	const most, tries = 10, 40
	var mu sync.Mutex
	var all sync.WaitGroup
	stored := 0
	for i := range tries {
		all.Go(func() {
			w := fixture.New(fixture.RunID(i)).Write(fixture.Started(`1`))
			w.Uses = []port.Use{{Rule: "small", Max: most}}
			_, err := s.Append(ctx, w)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				stored++
			case !fault.Is(err, fault.Outdated):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if stored != most {
		t.Errorf("%d of %d were stored", stored, most)
	}
	// Two uses in one write need two free uses; a higher limit makes room.
	w := fixture.New("run_twice").Write(fixture.Started(`1`))
	w.Uses = []port.Use{{Rule: "small", Max: most + 1}, {Rule: "small", Max: most + 1}}
	_, err := s.Append(ctx, w)
	fixture.WantCode(t, err, fault.Outdated)
	w.Uses = []port.Use{{Rule: "small", Max: most + 2}, {Rule: "small", Max: most + 2}, {Rule: "other", Max: 1}}
	_, err = s.Append(ctx, w)
	fixture.Must(t, err)
	uses, err := s.Uses(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "uses", uses, map[string]int{"small": most + 2, "other": 1})
}
