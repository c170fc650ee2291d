package local_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// stop is a policy without rules under the emergency stop.
type stop struct{}

func (stop) Judge(time.Time, policy.Subject) policy.Verdict { return policy.Verdict{} }
func (stop) Stopped() bool                                  { return true }

// silence lets an approval time out that is approved by timeout, in a process that does not know yet that the
// emergency stop is on. It returns how often the process reloaded the definitions, and the run after the
// deadline.
func silence(t *testing.T) (read int64, row port.RunRow) {
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // the test is over
	publish := func(id, digest string) int64 {
		v, _, err := store.SaveVersion(t.Context(),
			port.Version{ID: id, Kind: "switch", Name: "s", Digest: digest, Body: []byte(`{}`), At: time.Now()})
		if err == nil {
			err = store.Publish(t.Context(), v.Kind, v.Name, v.Number, "ann", time.Now())
		}
		generation, e := store.Generation(t.Context())
		if err != nil || e != nil {
			t.Fatal(err, e)
		}
		return generation
	}
	var known, asked atomic.Int64
	var stopped atomic.Bool
	known.Store(publish("doc_1", "one"))
	e := local.New(local.Config{
		Store: store, Agent: func(string) (port.Agent, bool) { return enginetest.AgentFunc(enginetest.Echo), true },
		Judge: func() (decide.Judge, int64) {
			if stopped.Load() {
				return stop{}, known.Load()
			}
			return nil, known.Load()
		},
		Outdated: func(ctx context.Context) error {
			asked.Add(1)
			stopped.Store(true)
			generation, err := store.Generation(ctx)
			known.Store(generation)
			return err
		},
	})
	e.Start()
	defer e.Stop(context.Background()) //nolint:errcheck // the test is over
	id := engine.NewRunID(time.Now())
	def := enginetest.Define(t, `{"workflow":"w","steps":[{"id":"h","human":{"kind":"approval","timeout":{"after":"200ms","then":"approve"}}}]}`)
	if _, err := e.Begin(t.Context(), id, def, run.Command{Do: run.Start{}}, nil); err != nil {
		t.Fatal(err)
	}
	publish("doc_2", "two") // the emergency stop is turned on
	waitFor(t, 2*time.Minute, func() bool {
		row, err = store.Run(t.Context(), id)
		return asked.Load() > 0 || err == nil && row.Status.Ended()
	})
	time.Sleep(50 * time.Millisecond) // finish pending writes
	if row, err = store.Run(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	return asked.Load(), row
}

// A timeout approves by the definitions in force, not by outdated ones.
func TestSilenceApprovesByWhatIsInForce(t *testing.T) {
	if read, row := silence(t); read == 0 || row.Status == run.Completed || row.Pending != 1 {
		t.Errorf("the definitions were read %d times, and the run is %s with %d questions", read, row.Status, row.Pending)
	}
}
