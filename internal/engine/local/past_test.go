package local_test

import (
	"context"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
)

// pastStore reads rows and events at once, as given.
type pastStore struct {
	local.Store
	past  func() (port.RunRow, []port.Record)
	asked int // for events, one by one
}

func (s *pastStore) Past(context.Context, string) (port.RunRow, []port.Record, error) {
	row, events := s.past()
	return row, events, nil
}

func (s *pastStore) Events(ctx context.Context, id string, after int64, limit int) ([]port.Record, error) {
	s.asked++
	return s.Store.Events(ctx, id, after, limit)
}

// TestARunIsLoadedFromItsPast: what was read with the row is not read again; gaps are filled, and events that the row
// does not know of are left out.
func TestARunIsLoadedFromItsPast(t *testing.T) {
	e, store := onSQLite(t, t.TempDir(), enginetest.Surroundings{Agent: enginetest.Echo})
	t.Cleanup(func() { store.Close() }) //nolint:errcheck // the test is over
	ctx, id := t.Context(), engine.NewRunID(time.Now())
	ann := run.Actor{Kind: run.Person, Name: "ann"}
	def := enginetest.Define(t, `{"workflow":"w","steps":[{"id":"a","agent":"x"}],"gates":[{"id":"g","at":"start"}]}`)
	if _, err := e.Begin(ctx, id, def, run.Command{By: ann, Do: run.Start{}}, nil); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two", "three"} {
		if _, err := e.Do(ctx, id, run.Command{ID: text, By: ann, Do: run.SendMessage{Text: text}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	row, err := store.Run(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	all, err := store.Events(ctx, id, 0, 100)
	if err != nil || int64(len(all)) != row.Seq {
		t.Fatalf("%d events of %d, %v", len(all), row.Seq, err)
	}
	before := row
	before.Seq--
	for name, c := range map[string]struct {
		row    port.RunRow
		events []port.Record
		asked  int
	}{
		"all":            {row, all, 0},
		"none":           {row, nil, 1},
		"the first":      {row, all[:2], 1},
		"the last":       {row, all[2:], 1},
		"newer than row": {before, all, 0},
	} {
		s := &pastStore{Store: store, past: func() (port.RunRow, []port.Record) { return c.row, c.events }}
		var seq int64
		err := local.New(local.Config{Store: s}).View(ctx, id, func(s *machine.State) error {
			seq = s.Seq
			return nil
		})
		if err != nil || seq != c.row.Seq || s.asked != c.asked {
			t.Errorf("%s: loaded up to %d of %d, %d more reads, %v", name, seq, c.row.Seq, s.asked, err)
		}
	}
}
