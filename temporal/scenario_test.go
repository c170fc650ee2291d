package temporal_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/engine/enginetest"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/engine/scenariotest"
	"github.com/assent-run/assent/internal/port"
)

// someScenarios is which part of the scripts make test plays here; make temporal plays all.
const someScenarios = 8

// TestScenarios plays the scripts of the state machine on this engine: agents, models and tools on a worker. Deadlines
// pass by the clock of the script, so Temporal sets no timers.
func TestScenarios(t *testing.T) {
	temporalServer(t)
	var all homes
	scenariotest.Run(t, "../internal/core/decide/testdata/scenario", someScenarios, func(t testing.TB, home string,
		configure func(*local.Config)) (port.Engine, scenariotest.Store) {
		url, queue := all.of(t, home)
		client := dial(t, queue, heartbeat)
		client.TimersFrom = 100 * 365 * 24 * time.Hour
		p := pairConfigured(t, client, url, queue, enginetest.Surroundings{}, configure)
		return crashing{p}, p.stores[0]
	})
}

// crashing stops without waiting for what is in progress.
type crashing struct{ *pair }

func (c crashing) Stop(ctx context.Context) error {
	c.worker.StopPolling()
	err := c.works.Stop(ctx)
	c.worker.Wait(context.Background())
	err = errors.Join(err, c.Engine.Stop(ctx))
	c.client.Close()
	return errors.Join(err, c.stores[1].Close())
}
