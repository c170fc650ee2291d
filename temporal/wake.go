package temporal

import (
	"context"
	"errors"
	"fmt"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
)

// Deadlines are in the store, and the engine that leads watches them. A copy in Temporal lets workers tick the
// runs while no engine leads. Deadlines that are near are not worth a copy: retries, for example.
const (
	timersFromDefault = time.Minute
	wakesWaiting      = 10_000
	wakeSenders       = 4
	plannedMost       = 100_000
)

type wake struct {
	run  string
	at   time.Time // by the clock of the runs
	here time.Time // the same, by the clock of this machine
}

// Wake implements local.Dispatcher.
func (c *Client) Wake(id string, at time.Time, in time.Duration) {
	if in < c.TimersFrom {
		return
	}
	if had, ok := c.planned.Load(id); ok && had.(time.Time).Equal(at) {
		return
	}
	select {
	case c.wakes <- wake{id, at, time.Now().Add(in)}:
		if c.n.Add(1) > plannedMost {
			c.n.Store(0)
			c.planned.Clear()
		}
		c.planned.Store(id, at)
	default: // the engine that leads watches it anyway
	}
}

func (c *Client) sendWakes() {
	for {
		select {
		case w := <-c.wakes:
			if err := c.startWake(w); err != nil && c.ctx.Err() == nil {
				c.planned.Delete(w.run)
				c.Log.Warn("cannot set a timer in Temporal; only the server watches this deadline", "run", w.run,
					"at", w.at, "error", err)
			}
		case <-c.ctx.Done():
			return
		}
	}
}

func (c *Client) startWake(w wake) error {
	ctx, cancel := context.WithTimeout(c.ctx, callWithin)
	defer cancel()
	_, err := c.c.ExecuteActivity(ctx, client.StartActivityOptions{
		ID:         fmt.Sprintf("%s/%s@%s", c.Database, w.run, w.at.UTC().Format(time.RFC3339Nano)),
		TaskQueue:  c.clockQueue(),
		StartDelay: max(time.Until(w.here), 0), StartToCloseTimeout: time.Minute,
		ActivityIDConflictPolicy: enums.ACTIVITY_ID_CONFLICT_POLICY_USE_EXISTING,
		ActivityIDReusePolicy:    enums.ACTIVITY_ID_REUSE_POLICY_REJECT_DUPLICATE,
		RetryPolicy: &sdk.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2,
			MaximumInterval: time.Minute},
	}, wakeType, w.run)
	var started *serviceerror.ActivityExecutionAlreadyStarted
	if errors.As(err, &started) {
		return nil
	}
	return err
}
