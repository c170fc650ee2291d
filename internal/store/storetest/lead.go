package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

func leadAlone(t *testing.T, s store.Store) {
	ctx := t.Context()
	fixture.Must(t, s.Resign(ctx)) // of nothing
	first, lost, err := s.Lead(ctx)
	fixture.Must(t, err)
	again, _, err := s.Lead(ctx)
	fixture.Must(t, err)
	if first < 1 || again != first {
		t.Fatalf("epochs %d, %d", first, again)
	}
	wantEpoch(t, s, first)
	a := fixture.New("run_1")
	w := a.Write(fixture.Started(`{}`))
	w.Epoch = first
	a.Store(t, s, w)
	select {
	case <-lost:
		t.Fatal("the lead is lost already")
	default:
	}
	fixture.Must(t, s.Resign(ctx))
	<-lost
	if now, err := s.Epoch(ctx); err != nil || now == first {
		t.Fatalf("epoch %d is in force, %v, and its leader resigned", now, err)
	}
	stale := a.Write(fixture.Said("stale"))
	stale.Epoch = first
	wantFenced(t, s, stale)
	second, _, err := s.Lead(ctx)
	fixture.Must(t, err)
	if second <= first {
		t.Fatalf("epoch %d follows %d", second, first)
	}
	wantEpoch(t, s, second)
	wantFenced(t, s, stale)
	stale.Epoch = second + 1
	wantFenced(t, s, stale)
	// A log conflict is a different error: it says nothing about leadership.
	behind := a.Write(fixture.Said("behind"))
	behind.After, behind.Events[0].Seq, behind.Row.Seq, behind.Epoch = 0, 1, 1, second
	if _, err := s.Append(ctx, behind); !fault.Is(err, fault.Conflict) || port.Fenced(err) {
		t.Fatalf("got %v, want a conflict that is no fence", err)
	}
	fixture.WantDense(t, s, "run_1", 1)
	w = a.Write(fixture.Said("by the new leader"))
	w.Epoch = second
	a.Store(t, s, w)
	a.Did(t, s, fixture.Said("by anyone"))
}

func wantEpoch(t *testing.T, s store.Store, want int64) {
	t.Helper()
	if now, err := s.Epoch(t.Context()); err != nil || now != want {
		t.Fatalf("epoch %d is in force (%v), want %d", now, err, want)
	}
}

// wantFenced: nothing of a write is stored if its leader no longer leads.
func wantFenced(t *testing.T, s store.Store, w port.Write) {
	t.Helper()
	ctx := t.Context()
	_, before, err := s.Moves(ctx, 0, 1000)
	fixture.Must(t, err)
	w.Snapshot = []byte(`{"seq":0}`)
	w.Answer = &port.Answer{Key: "of a leader that was", Status: 200, Answer: []byte(`{}`), At: fixture.Began}
	w.Audit = []port.AuditDraft{fixture.AuditDraft("run.paused", w.Run, w.Run)}
	entries := len(fixture.ReadAudit(t, s))
	if _, err := s.Append(ctx, w); !port.Fenced(err) {
		t.Fatalf("got %v, want the write to be refused because of its epoch", err)
	}
	if _, after, err := s.Moves(ctx, 0, 1000); err != nil || after != before {
		t.Errorf("the feed continued from %d to %d, %v", before, after, err)
	}
	if seq, _, err := s.Snapshot(ctx, w.Run, w.Row.Seq); err != nil || seq != 0 {
		t.Errorf("there is a snapshot at %d, %v", seq, err)
	}
	if _, ok, err := s.Answer(ctx, w.Answer.Key); err != nil || ok {
		t.Errorf("there is an answer: %v, %v", ok, err)
	}
	if now := len(fixture.ReadAudit(t, s)); now != entries {
		t.Errorf("%d audit entries became %d", entries, now)
	}
}

// leadHandover: the next leader has a higher epoch once the first is gone.
func leadHandover(t *testing.T, s store.Store, hooks Hooks) {
	first, lost, err := s.Lead(t.Context())
	fixture.Must(t, err)
	if !hooks.Shared {
		fixture.Must(t, s.Close())
		<-lost
	}
	other := hooks.Again(t, s)
	if hooks.Shared {
		short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, _, err := other.Lead(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("two lead at once: %v", err)
		}
		fixture.Must(t, s.Close())
		<-lost
	}
	second, _, err := other.Lead(t.Context())
	fixture.Must(t, err)
	if second <= first {
		t.Errorf("epoch %d follows %d", second, first)
	}
	wantEpoch(t, other, second)
	w := fixture.New("run_1").Write(fixture.Started(`{}`))
	w.Epoch = first
	wantFenced(t, other, w)
}

// twoHandles: each sees the other's writes, and neither can get ahead of the other.
func twoHandles(t *testing.T, s store.Store, hooks Hooks) {
	other := hooks.Again(t, s)
	followFeed(t, s, other)
	a := fixture.New("run_1")
	a.Did(t, s, fixture.Started(`{}`))
	b := fixture.New("run_1")
	_, err := other.Append(t.Context(), b.Write(fixture.Started(`{}`)))
	fixture.WantCode(t, err, fault.Conflict)

	epoch, lost, err := s.Lead(t.Context())
	fixture.Must(t, err)
	type lead struct {
		epoch int64
		err   error
	}
	led := make(chan lead)
	go func() {
		epoch, _, err := other.Lead(context.Background())
		led <- lead{epoch, err}
	}()
	w := a.Write(fixture.Said("x"))
	w.Epoch = epoch
	if _, err := other.Append(t.Context(), w); err != nil { // the epoch is the store's, not the handle's
		t.Fatal(err)
	}
	a.Seq++
	wantEpoch(t, other, epoch) // every process can tell
	fixture.Must(t, s.Resign(t.Context()))
	<-lost
	next := <-led
	fixture.Must(t, next.err)
	if next.epoch <= epoch {
		t.Errorf("epoch %d follows %d", next.epoch, epoch)
	}
	wantEpoch(t, s, next.epoch)
	w = a.Write(fixture.Said("y"))
	w.Epoch = epoch
	wantFenced(t, s, w)
}
