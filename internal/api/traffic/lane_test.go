package traffic

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-run/assent/internal/port"
)

// However many requests one identity has sent, others have every other turn.
func TestLaneTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLane(1)
		if err := l.Enter(t.Context(), "first", false); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []string
		var all sync.WaitGroup
		for _, key := range []string{"a", "a", "a", "a", "b", "c"} {
			all.Go(func() {
				if err := l.Enter(t.Context(), key, false); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, key)
				mu.Unlock()
				l.leave(key, 0)
			})
			synctest.Wait()
		}
		l.leave("first", 0)
		all.Wait()
		if got := strings.Join(order, ""); got != "abcaaa" {
			t.Errorf("the turns were %s", got)
		}
		if l.free != 1 || len(l.taken) != 0 || len(l.waiting) != 0 || len(l.turns) != 0 {
			t.Errorf("something is left: %+v", l)
		}
	})
}

func TestLaneLeavesOnePlaceToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLane(3)
		for range 2 {
			if err := l.Enter(t.Context(), "a", false); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Enter(ctx, "a", false); err == nil {
			t.Fatal("one identity has all places")
		}
		if err := l.Enter(t.Context(), "b", false); err != nil {
			t.Fatal(err)
		}
		if len(l.turns) != 0 || len(l.waiting) != 0 {
			t.Errorf("whoever left still waits: %+v", l)
		}
	})
}

func TestLaneRestsWhileOthersWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLane(1)
		work := func(key string, d time.Duration) time.Duration {
			began := time.Now()
			w := &Turn{lane: l, ctx: t.Context(), key: key}
			if err := w.Take(); err != nil {
				t.Fatal(err)
			}
			waited := time.Since(began)
			time.Sleep(d)
			w.Give()
			return waited
		}
		l.Saw("a", time.Now())
		work("a", 10*time.Millisecond)
		if waited := work("a", 10*time.Millisecond); waited != 0 {
			t.Errorf("whoever is alone need not rest: %s", waited)
		}
		l.Saw("b", time.Now())
		l.Saw("a", time.Now())
		work("a", 10*time.Millisecond)
		if waited := work("b", time.Millisecond); waited != 0 {
			t.Errorf("b waited %s for the rest of a", waited)
		}
		if waited := work("a", 10*time.Millisecond); waited != 29*time.Millisecond {
			t.Errorf("a rested for %s", waited)
		}
		time.Sleep(100 * time.Millisecond)
		flood := &Turn{lane: l, ctx: t.Context(), key: "a", flood: true}
		if err := flood.Take(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		flood.Give()
		if waited := work("a", 10*time.Millisecond); waited != 80*time.Millisecond {
			t.Errorf("after a flood, a rested for %s", waited)
		}
		time.Sleep(time.Minute) // b is no longer active
		l.Saw("a", time.Now())
		work("a", 10*time.Millisecond)
		if waited := work("a", 10*time.Millisecond); waited != 0 {
			t.Errorf("a rested for %s, for nobody", waited)
		}
	})
}

// Work that takes long lets others in between two parts of it, and is taken up
// before what its identity sent later.
func TestLanePauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLane(1)
		var order []string
		var all sync.WaitGroup
		job := func(name, key string, parts int) {
			all.Go(func() {
				w := &Turn{lane: l, ctx: t.Context(), key: key}
				if err := w.Take(); err != nil {
					t.Error(err)
				}
				ctx := port.WithPause(t.Context(), w.Pause)
				for i := range parts {
					order = append(order, fmt.Sprint(name, i))
					time.Sleep(5 * time.Millisecond) // synctest: no time passes
					if err := port.Pause(ctx); err != nil {
						t.Error(err)
					}
				}
				w.Give()
			})
			synctest.Wait()
		}
		job("x", "a", 3)
		job("y", "a", 1)
		job("z", "b", 1)
		all.Wait()
		if want := []string{"x0", "z0", "x1", "x2", "y0"}; !slices.Equal(order, want) {
			t.Errorf("%v, not %v", order, want)
		}
	})
}
