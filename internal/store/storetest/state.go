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
)

func snapshots(t *testing.T, s store.Store) {
	a := newAuthor("run_1")
	a.did(t, s, started(`{}`))
	if seq, state, err := s.Snapshot(t.Context(), "run_1", 10); seq != 0 || state != nil || err != nil {
		t.Fatalf("there is a snapshot: %d %s %v", seq, state, err)
	}
	for i := 2; i <= 9; i++ {
		w := a.write(said("x"))
		w.Snapshot = json.RawMessage(fmt.Sprintf(`{"at":%d,"n":0.10}`, i))
		a.store(t, s, w)
	}
	for atMost, want := range map[int64]int64{100: 9, 9: 9, 8: 8, 7: 7, 6: 6, 5: 5, 4: 0, 1: 0, 0: 0, -1: 0} {
		seq, state, err := s.Snapshot(t.Context(), "run_1", atMost)
		must(t, err)
		if seq != want || want > 0 && string(state) != fmt.Sprintf(`{"at":%d,"n":0.10}`, want) || want == 0 && state != nil {
			t.Errorf("at most %d: got %d %s, want %d", atMost, seq, state, want)
		}
	}
	// A snapshot may come without events, and once is enough.
	a.did(t, s, said("y"))
	for range 2 {
		w := a.write()
		w.Snapshot = json.RawMessage(`{"at":10}`)
		a.store(t, s, w)
	}
	row, err := s.Run(t.Context(), "run_1")
	must(t, err)
	if row.SnapshotSeq != 10 || row.Seq != 10 {
		t.Errorf("the row says %d of %d", row.SnapshotSeq, row.Seq)
	}
	a.did(t, s, said("z"))
	if row, err = s.Run(t.Context(), "run_1"); err != nil || row.SnapshotSeq != 10 {
		t.Errorf("a write without a snapshot made it %d (%v)", row.SnapshotSeq, err)
	}
}

func answers(t *testing.T, s store.Store) {
	if _, ok, err := s.Answer(t.Context(), "k1"); ok || err != nil {
		t.Fatalf("an unknown key has an answer (%v)", err)
	}
	first := port.Answer{Key: "ann POST /runs k1", Body: "sha256:a", Status: 201,
		Answer: []byte("{\"a\":0.10}\x00\xff"), At: began}
	got, err := s.SaveAnswer(t.Context(), first)
	must(t, err)
	wantEqual(t, "saved", got, first)
	second := first
	second.Body, second.Status, second.Answer = "sha256:b", 409, []byte("other")
	got, err = s.SaveAnswer(t.Context(), second)
	must(t, err)
	wantEqual(t, "saved again", got, first)
	got, ok, err := s.Answer(t.Context(), first.Key)
	must(t, err)
	if !ok {
		t.Fatal("it is gone")
	}
	wantEqual(t, "read", got, first)

	var mu sync.Mutex
	said := map[string]int{}
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			a, err := s.SaveAnswer(context.Background(),
				port.Answer{Key: "race", Status: 200 + i, Answer: fmt.Appendf(nil, "%d", i), At: began})
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
	empty, err := s.SaveAnswer(t.Context(), port.Answer{Key: "empty", Status: 204, At: began.Add(time.Hour)})
	must(t, err)
	if len(empty.Answer) != 0 {
		t.Errorf("no answer became %q", empty.Answer)
	}
	n, err := s.ForgetAnswers(t.Context(), began.Add(time.Minute))
	must(t, err)
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
			a := newAuthor(runID(i))
			w := a.write(started(`{}`))
			w.Answer = &port.Answer{Key: "start", Status: 201, Answer: []byte(a.id), At: began}
			_, err := s.Append(context.Background(), w)
			switch {
			case err == nil:
				mu.Lock()
				defer mu.Unlock()
				winners = append(winners, a.id)
			case !fault.Is(err, fault.Duplicate):
				t.Errorf("got %v, want a duplicate", err)
			}
		})
	}
	wg.Wait()
	a, ok, err := s.Answer(t.Context(), "start")
	must(t, err)
	if len(winners) != 1 || !ok || string(a.Answer) != winners[0] {
		t.Fatalf("started %v, answered %q", winners, a.Answer)
	}
	page, err := s.Runs(t.Context(), port.RunQuery{})
	must(t, err)
	if len(page.Items) != 1 || page.Total != 1 {
		t.Errorf("%d runs were started", len(page.Items))
	}
	// Asked again with an old number, the key still counts first.
	again := newAuthor(winners[0]).write(started(`{}`))
	again.Answer = &port.Answer{Key: "start", At: began}
	_, err = s.Append(t.Context(), again)
	wantCode(t, err, fault.Duplicate)
}
