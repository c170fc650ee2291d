package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

func leadAlone(t *testing.T, s port.Store) {
	ctx := t.Context()
	must(t, s.Resign(ctx)) // of nothing
	first, lost, err := s.Lead(ctx)
	must(t, err)
	again, _, err := s.Lead(ctx)
	must(t, err)
	if first < 1 || again != first {
		t.Fatalf("epochs %d, %d", first, again)
	}
	a := newAuthor("run_1")
	w := a.write(started(`{}`))
	w.Epoch = first
	a.store(t, s, w)
	select {
	case <-lost:
		t.Fatal("the lead is lost already")
	default:
	}
	must(t, s.Resign(ctx))
	<-lost
	stale := a.write(said("stale"))
	stale.Epoch = first
	_, err = s.Append(ctx, stale)
	wantCode(t, err, fault.Conflict)
	second, _, err := s.Lead(ctx)
	must(t, err)
	if second <= first {
		t.Fatalf("epoch %d follows %d", second, first)
	}
	_, err = s.Append(ctx, stale)
	wantCode(t, err, fault.Conflict)
	stale.Epoch = second + 1
	_, err = s.Append(ctx, stale)
	wantCode(t, err, fault.Conflict)
	wantDense(t, s, "run_1", 1)
	w = a.write(said("by the new leader"))
	w.Epoch = second
	a.store(t, s, w)
	a.did(t, s, said("by anybody"))
}

// leadHandover: the next one leads with a higher epoch once the first is gone.
func leadHandover(t *testing.T, s port.Store, hooks Hooks) {
	first, lost, err := s.Lead(t.Context())
	must(t, err)
	if !hooks.Shared {
		must(t, s.Close())
		<-lost
	}
	other := hooks.Again(t, s)
	if hooks.Shared {
		short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, _, err := other.Lead(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("two lead at once: %v", err)
		}
		must(t, s.Close())
		<-lost
	}
	second, _, err := other.Lead(t.Context())
	must(t, err)
	if second <= first {
		t.Errorf("epoch %d follows %d", second, first)
	}
	w := newAuthor("run_1").write(started(`{}`))
	w.Epoch = first
	_, err = other.Append(t.Context(), w)
	wantCode(t, err, fault.Conflict)
}

// twoHandles: what one writes the other sees, and none can outrun the other.
func twoHandles(t *testing.T, s port.Store, hooks Hooks) {
	other := hooks.Again(t, s)
	followFeed(t, s, other)
	a := newAuthor("run_1")
	a.did(t, s, started(`{}`))
	b := newAuthor("run_1")
	_, err := other.Append(t.Context(), b.write(started(`{}`)))
	wantCode(t, err, fault.Conflict)

	epoch, lost, err := s.Lead(t.Context())
	must(t, err)
	type lead struct {
		epoch int64
		err   error
	}
	led := make(chan lead)
	go func() {
		epoch, _, err := other.Lead(context.Background())
		led <- lead{epoch, err}
	}()
	w := a.write(said("x"))
	w.Epoch = epoch
	if _, err := other.Append(t.Context(), w); err != nil { // the epoch is the store's, not the handle's
		t.Fatal(err)
	}
	a.seq++
	must(t, s.Resign(t.Context()))
	<-lost
	next := <-led
	must(t, next.err)
	if next.epoch <= epoch {
		t.Errorf("epoch %d follows %d", next.epoch, epoch)
	}
	w = a.write(said("y"))
	w.Epoch = epoch
	_, err = s.Append(t.Context(), w)
	wantCode(t, err, fault.Conflict)
}
