package postgres_test

import (
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
	"github.com/assent-run/assent/internal/store/storetest/sealed"
)

var _ local.Past = (*postgres.Store)(nil)

// TestPast: a run is loaded from what Run and Events return.
func TestPast(t *testing.T) {
	for name, key := range map[string]string{"Plain": "", "Sealed": sealed.TestKey} {
		t.Run(name, func(t *testing.T) {
			s := (&urls{key: key}).open(t, pgtest.Database(t))
			other, a := fixture.New("run_2"), fixture.New("run_1")
			other.Did(t, s, fixture.Started(`{"n":2}`))
			a.Did(t, s, fixture.Started(`{"n":1}`), fixture.Said("one"))
			a.Did(t, s, fixture.Said("two"))
			wantPast(t, s, 0)
			w := a.Write(fixture.Said("three"))
			w.Snapshot = []byte(`{}`)
			a.Store(t, s, w)
			a.Did(t, s, fixture.Said("four"), fixture.Said("five"))
			wantPast(t, s, 4)
			for _, id := range []string{"run_3", "", "run\x00", "\xff"} {
				_, _, err := s.Past(t.Context(), id)
				fixture.WantCode(t, err, fault.NotFound)
			}
		})
	}
}

// wantPast compares the past of run_1 with what the other methods return.
func wantPast(t *testing.T, s *postgres.Store, snapshot int64) {
	t.Helper()
	row, events, err := s.Past(t.Context(), "run_1")
	fixture.Must(t, err)
	if row.SnapshotSeq != snapshot {
		t.Errorf("the snapshot is at %d, want %d", row.SnapshotSeq, snapshot)
	}
	want, err := s.Run(t.Context(), "run_1")
	fixture.Must(t, err)
	fixture.WantEqual(t, "row", row, want)
	after, err := s.Events(t.Context(), "run_1", snapshot, 100)
	fixture.Must(t, err)
	fixture.WantEqual(t, "events", events, after)
	if len(events) == 0 || events[0].Seq != snapshot+1 || events[len(events)-1].Seq != row.Seq {
		t.Errorf("got %d events", len(events))
	}
}

// TestPastTakesOneRoundTrip: a decision waits for each.
func TestPastTakesOneRoundTrip(t *testing.T) {
	var c counter
	s := (&urls{}).open(t, c.pass(t, pgtest.Database(t)))
	fixture.New("run_1").Did(t, s, fixture.Started(`{"n":1}`), fixture.Said("one"))
	least := int64(1 << 60)
	var row port.RunRow
	for range 4 { // statements are prepared first, and the store checks from time to time whether the server is there
		before := c.trips.Load()
		var err error
		row, _, err = s.Past(t.Context(), "run_1")
		fixture.Must(t, err)
		least = min(least, c.trips.Load()-before)
	}
	if least != 1 || row.Seq != 2 {
		t.Errorf("%d round trips for run %s", least, row.ID)
	}
}
