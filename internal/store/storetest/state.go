package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

func snapshots(t *testing.T, s store.Store) {
	a := fixture.New("run_1")
	a.Did(t, s, fixture.Started(`{}`))
	if seq, state, err := s.Snapshot(t.Context(), "run_1", 10); seq != 0 || state != nil || err != nil {
		t.Fatalf("there is a snapshot: %d %s %v", seq, state, err)
	}
	for i := 2; i <= 9; i++ {
		w := a.Write(fixture.Said("x"))
		w.Snapshot = json.RawMessage(fmt.Sprintf(`{"at":%d,"n":0.10}`, i))
		a.Store(t, s, w)
	}
	for atMost, want := range map[int64]int64{100: 9, 9: 9, 8: 8, 7: 7, 6: 6, 5: 5, 4: 0, 1: 0, 0: 0, -1: 0} {
		seq, state, err := s.Snapshot(t.Context(), "run_1", atMost)
		fixture.Must(t, err)
		if seq != want || want > 0 && string(state) != fmt.Sprintf(`{"at":%d,"n":0.10}`, want) || want == 0 && state != nil {
			t.Errorf("at most %d: got %d %s, want %d", atMost, seq, state, want)
		}
	}
	// A snapshot may come without events, and once is enough.
	a.Did(t, s, fixture.Said("y"))
	for range 2 {
		w := a.Write()
		w.Snapshot = json.RawMessage(`{"at":10}`)
		a.Store(t, s, w)
	}
	row, err := s.Run(t.Context(), "run_1")
	fixture.Must(t, err)
	if row.SnapshotSeq != 10 || row.Seq != 10 {
		t.Errorf("the row says %d of %d", row.SnapshotSeq, row.Seq)
	}
	a.Did(t, s, fixture.Said("z"))
	if row, err = s.Run(t.Context(), "run_1"); err != nil || row.SnapshotSeq != 10 {
		t.Errorf("a write without a snapshot made it %d (%v)", row.SnapshotSeq, err)
	}
}

func answers(t *testing.T, s store.Store) {
	if _, ok, err := s.Answer(t.Context(), "k1"); ok || err != nil {
		t.Fatalf("an unknown key has an answer (%v)", err)
	}
	first := port.Answer{Key: "ann POST /runs k1", Body: "sha256:a", Status: 201,
		Answer: []byte("{\"a\":0.10}\x00\xff"), At: fixture.Began}
	got, err := s.SaveAnswer(t.Context(), first)
	fixture.Must(t, err)
	fixture.WantEqual(t, "saved", got, first)
	second := first
	second.Body, second.Status, second.Answer = "sha256:b", 409, []byte("other")
	got, err = s.SaveAnswer(t.Context(), second)
	fixture.Must(t, err)
	fixture.WantEqual(t, "saved again", got, first)
	got, ok, err := s.Answer(t.Context(), first.Key)
	fixture.Must(t, err)
	if !ok {
		t.Fatal("it is gone")
	}
	fixture.WantEqual(t, "read", got, first)

	var mu sync.Mutex
	said := map[string]int{}
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			a, err := s.SaveAnswer(context.Background(),
				port.Answer{Key: "race", Status: 200 + i, Answer: fmt.Appendf(nil, "%d", i), At: fixture.Began})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			said[fmt.Sprint(a.Status, string(a.Answer))]++
		})
	}
	wg.Wait()
	if len(said) != 1 {
		t.Errorf("one key got several answers: %v", said)
	}
	empty, err := s.SaveAnswer(t.Context(), port.Answer{Key: "empty", Status: 204, At: fixture.Began.Add(time.Hour)})
	fixture.Must(t, err)
	if len(empty.Answer) != 0 {
		t.Errorf("no answer became %q", empty.Answer)
	}
	n, err := s.ForgetAnswers(t.Context(), fixture.Began.Add(time.Minute))
	fixture.Must(t, err)
	if n != 2 {
		t.Errorf("%d answers were forgotten, want 2", n)
	}
	if _, ok, _ := s.Answer(t.Context(), "race"); ok {
		t.Error("an old answer was not forgotten")
	}
	if _, ok, _ := s.Answer(t.Context(), "empty"); !ok {
		t.Error("a young answer was forgotten")
	}
}

// answerWithAppend: a key is answered once, whichever run it started.
func answerWithAppend(t *testing.T, s store.Store) {
	var mu sync.Mutex
	var winners []string
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			a := fixture.New(fixture.RunID(i))
			w := a.Write(fixture.Started(`{}`))
			w.Answer = &port.Answer{Key: "start", Status: 201, Answer: []byte(a.ID), At: fixture.Began}
			_, err := s.Append(context.Background(), w)
			switch {
			case err == nil:
				mu.Lock()
				defer mu.Unlock()
				winners = append(winners, a.ID)
			case !fault.Is(err, fault.Duplicate):
				t.Errorf("got %v, want a duplicate", err)
			}
		})
	}
	wg.Wait()
	a, ok, err := s.Answer(t.Context(), "start")
	fixture.Must(t, err)
	if len(winners) != 1 || !ok || string(a.Answer) != winners[0] {
		t.Fatalf("started %v, answered %q", winners, a.Answer)
	}
	page, err := s.Runs(t.Context(), port.RunQuery{})
	fixture.Must(t, err)
	if len(page.Items) != 1 || page.Total != 1 {
		t.Errorf("%d runs were started", len(page.Items))
	}
	// Repeated with an outdated number, the key still takes precedence.
	again := fixture.New(winners[0]).Write(fixture.Started(`{}`))
	again.Answer = &port.Answer{Key: "start", At: fixture.Began}
	_, err = s.Append(t.Context(), again)
	fixture.WantCode(t, err, fault.Duplicate)
}
