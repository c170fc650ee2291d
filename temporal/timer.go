package temporal

import (
	"context"
	"errors"
	"sync"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
)

// Deadlines are in the store, and the engine that leads watches them. Timers in Temporal let workers keep them while
// no engine leads. All deadlines of a minute share one, because 100,000 waiting runs have as many reminders: a worker
// looks up which runs are due. Deadlines that are near have none: retries, for example.
const (
	timersFromDefault = time.Minute
	timersWaiting     = 1000
	timersKnown       = 10_000
)

// timer is that of the deadlines from a time on.
type timer struct {
	from time.Time // by the clock of the runs
	here time.Time // the same, by the clock of this machine
}

// span is the input of the activity of a timer.
type span struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
}

// Wake implements local.Dispatcher.
func (c *Client) Wake(at time.Time, in time.Duration) {
	if in < c.TimersFrom {
		return
	}
	from := at.UTC().Truncate(c.TimersFrom)
	if !c.set.add(from) {
		return
	}
	select {
	case c.timers <- timer{from, time.Now().Add(in - at.Sub(from))}:
	default: // the engine that leads watches it anyway
		c.set.remove(from)
	}
}

func (c *Client) setTimers() {
	for {
		select {
		case t := <-c.timers:
			if err := c.setTimer(t); err != nil && c.ctx.Err() == nil {
				c.set.remove(t.from)
				c.Log.Warn("cannot set a timer in Temporal; only the server watches the deadlines of this time",
					"from", t.from, "until", t.from.Add(c.TimersFrom), "error", err)
			}
		case <-c.ctx.Done():
			return
		}
	}
}

func (c *Client) setTimer(t timer) error {
	ctx, cancel := context.WithTimeout(c.ctx, callWithin)
	defer cancel()
	_, err := c.c.ExecuteActivity(ctx, client.StartActivityOptions{
		ID:        c.Database + "/deadlines@" + t.from.Format(time.RFC3339Nano),
		TaskQueue: c.clockQueue(), StartDelay: max(time.Until(t.here), 0),
		StartToCloseTimeout: workMost, HeartbeatTimeout: c.Heartbeat,
		ActivityIDConflictPolicy: enums.ACTIVITY_ID_CONFLICT_POLICY_USE_EXISTING,
		ActivityIDReusePolicy:    enums.ACTIVITY_ID_REUSE_POLICY_REJECT_DUPLICATE,
		RetryPolicy: &sdk.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2,
			MaximumInterval: time.Minute},
	}, deadlinesType, span{t.from, t.from.Add(c.TimersFrom)})
	var started *serviceerror.ActivityExecutionAlreadyStarted
	if errors.As(err, &started) {
		return nil
	}
	return err
}

// timersSet are the timers that this process has set lately. Setting one twice changes nothing, but costs a request.
type timersSet struct {
	mu   sync.Mutex
	from map[time.Time]bool
}

func (s *timersSet) add(from time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from[from] {
		return false
	}
	if s.from == nil || len(s.from) >= timersKnown {
		s.from = map[time.Time]bool{}
	}
	s.from[from] = true
	return true
}

func (s *timersSet) remove(from time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.from, from)
}
