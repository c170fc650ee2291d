package temporal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	sdklog "go.temporal.io/sdk/log"
	sdk "go.temporal.io/sdk/temporal"
)

// Config is how to reach Temporal and how to use it.
type Config struct {
	// Address is HOST:PORT; empty: TEMPORAL_ADDRESS, or else localhost. TLS, API keys and everything else is
	// configured as in Temporal's own programs, by TEMPORAL_… variables or their file.
	Address string
	// Namespace of Temporal; empty: TEMPORAL_NAMESPACE, or else default.
	Namespace string
	// Database is the identity of the database that the work belongs to. It is part of all names in Temporal, so
	// that several databases may share a namespace, also a database and its copy.
	Database string
	// Heartbeat is after how much silence a worker counts as lost; 0: 20 s.
	Heartbeat time.Duration
	// TimersFrom is how far ahead a deadline has to be for Temporal to keep it as well, and the time whose deadlines
	// share a timer; 0: a minute.
	TimersFrom time.Duration
	// Queue names the workers that do an agent's work; nil: the agent's queue.
	Queue func(plan.Agent) string
	// Silent keeps progress reports out of heartbeats: Temporal stores those.
	Silent bool
	Log    *slog.Logger
}

// Names in Temporal. They have a prefix, so that other programs may share a namespace.
const (
	prefix        = "assent."
	performType   = "assent.perform"
	deadlinesType = "assent.deadlines"
)

const (
	heartbeatDefault = 20 * time.Second
	// workMost limits one attempt. The deadlines of a step are its own; this only has to be longer.
	workMost = 90 * 24 * time.Hour
	// callWithin limits one request to Temporal.
	callWithin = 10 * time.Second
)

// Client hands effects to workers. It implements local.Dispatcher.
type Client struct {
	Config
	c       client.Client
	carried atomic.Int64
	timers  chan timer
	set     timersSet
	stop    context.CancelFunc
	ctx     context.Context
	loops   sync.WaitGroup
}

var _ local.Dispatcher = (*Client)(nil)

// Dial connects to Temporal. If that cannot be reached it connects later, because people's decisions and the agents of
// this process do not need it.
func Dial(ctx context.Context, c Config) (*Client, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Heartbeat == 0 {
		c.Heartbeat = heartbeatDefault
	}
	if c.TimersFrom == 0 {
		c.TimersFrom = timersFromDefault
	}
	if c.Queue == nil {
		c.Queue = func(a plan.Agent) string { return a.Queue }
	}
	o, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return nil, fmt.Errorf("read Temporal's own settings: %w", err)
	}
	if c.Address != "" {
		o.HostPort = c.Address
	}
	if c.Namespace != "" {
		o.Namespace = c.Namespace
	}
	o.Logger = sdklog.NewStructuredLogger(c.Log)
	within, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	conn, err := client.DialContext(within, o)
	if unreachable(err) {
		c.Log.Warn("Temporal cannot be reached; agents with a queue do not start until it can", "address", o.HostPort,
			"error", err)
		conn, err = client.NewLazyClient(o)
	}
	if err != nil {
		return nil, fmt.Errorf("connect to Temporal at %s: %w", o.HostPort, err)
	}
	t := &Client{Config: c, c: conn, timers: make(chan timer, timersWaiting)}
	t.ctx, t.stop = context.WithCancel(context.Background())
	t.loops.Go(t.setTimers)
	return t, nil
}

// unreachable reports whether an error means that Temporal is not there, rather than that it refused something.
func unreachable(err error) bool {
	var down *serviceerror.Unavailable
	var late *serviceerror.DeadlineExceeded
	return errors.As(err, &down) || errors.As(err, &late) || errors.Is(err, context.DeadlineExceeded)
}

// Close ends the connection. Work that was handed over continues.
func (c *Client) Close() {
	c.stop()
	c.loops.Wait()
	c.c.Close()
}

// Use sets the identity of the database, before anything else is done.
func (c *Client) Use(database string) { c.Database = database }

// clockQueue is the task queue of deadlines.
func (c *Client) clockQueue() string { return prefix + c.Database }

// taskQueue is the task queue of a queue.
func (c *Client) taskQueue(queue string) string { return c.clockQueue() + "." + queue }

// activityID is the ID of the activity of a job. A closed activity cannot be started again, so every round has its own.
func (c *Client) activityID(j job) string {
	id := c.Database + "/" + j.Key
	if j.Round > 0 {
		id += "+" + strconv.Itoa(j.Round)
	}
	return id
}

// Queue implements local.Dispatcher.
func (c *Client) Queue(a plan.Agent) string { return c.Config.Queue(a) }

// job is the input of an activity: a reference, never data.
type job struct {
	Key string `json:"key"`
	// Round counts how often the work was handed on by workers that stopped, or had to be started again.
	Round int `json:"round,omitempty"`
}

// errClosed means that the activity of a round has ended.
var errClosed = errors.New("the activity has ended")

// start starts the activity of a job after a delay, unless it has been started before.
func (c *Client) start(ctx context.Context, queue string, j job, delay time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	_, err := c.c.ExecuteActivity(ctx, client.StartActivityOptions{
		ID: c.activityID(j), TaskQueue: c.taskQueue(queue),
		StartDelay: delay, StartToCloseTimeout: workMost, HeartbeatTimeout: c.Heartbeat,
		ActivityIDConflictPolicy: enums.ACTIVITY_ID_CONFLICT_POLICY_USE_EXISTING,
		ActivityIDReusePolicy:    enums.ACTIVITY_ID_REUSE_POLICY_REJECT_DUPLICATE,
		// The second attempt reports that the first was lost; see Worker.perform.
		RetryPolicy: &sdk.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
	}, performType, j)
	var started *serviceerror.ActivityExecutionAlreadyStarted
	if errors.As(err, &started) {
		return errClosed
	}
	return err
}

// How often work elsewhere is looked at: for its progress, and because a result may have been lost with
// Temporal's database. All together ask at most 50 times a second.
const (
	lookLeast = 2 * time.Second
	lookEach  = 20 * time.Millisecond
	retryMost = 5 * time.Second
)

// Carry implements local.Dispatcher.
func (c *Client) Carry(ctx context.Context, queue string, key run.Key, tell func(port.Progress),
	withdrawn func() bool) {
	c.carried.Add(1)
	defer c.carried.Add(-1)
	j, known := job{Key: key.String()}, false
	wait := 50 * time.Millisecond
	var seen progress
	for ctx.Err() == nil {
		if !known {
			err := c.start(ctx, queue, j, 0)
			switch {
			case err == nil:
				known, wait = true, 50*time.Millisecond
			case errors.Is(err, errClosed):
				// Its result is in the log, or about to be; or it was cancelled, and is owed again.
				j.Round++
				continue
			case ctx.Err() == nil:
				c.Log.Warn("cannot hand work to Temporal; retrying", "key", j.Key, "queue", queue, "error", err)
				pause(ctx, wait)
				wait = min(2*wait, retryMost)
				continue
			}
		}
		pause(ctx, max(lookLeast, time.Duration(c.carried.Load())*lookEach))
		if ctx.Err() != nil {
			break
		}
		open, p, err := c.look(ctx, j)
		switch {
		case ctx.Err() != nil: // the result came in the meantime
		case err != nil:
			c.Log.Warn("cannot look at work in Temporal; retrying", "key", j.Key, "error", err)
		case !open:
			known = false // it is still owed
		case p.N > seen.N:
			seen = p
			tell(p.Progress)
		}
	}
	if known && withdrawn() {
		c.cancel(j)
	}
}

// look reports whether an activity is under way, and its last progress report.
func (c *Client) look(ctx context.Context, j job) (open bool, p progress, err error) {
	ctx, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	d, err := c.c.GetActivityHandle(client.GetActivityHandleOptions{ActivityID: c.activityID(j)}).
		Describe(ctx, client.DescribeActivityOptions{IncludeHeartbeatDetails: true})
	var none *serviceerror.NotFound
	if errors.As(err, &none) {
		return false, p, nil
	}
	if err != nil {
		return false, p, err
	}
	if d.HasHeartbeatDetails() {
		_ = d.GetHeartbeatDetails(&p) // another version may report more
	}
	return d.Status == enums.ACTIVITY_EXECUTION_STATUS_RUNNING, p, nil
}

// cancel asks a worker to stop. It learns of it with its next heartbeat. If Temporal cannot be reached, it does
// the work for nothing: its result is refused.
func (c *Client) cancel(j job) {
	ctx, cancel := context.WithTimeout(c.ctx, callWithin)
	defer cancel()
	err := c.c.GetActivityHandle(client.GetActivityHandleOptions{ActivityID: c.activityID(j)}).
		Cancel(ctx, client.CancelActivityOptions{Reason: "no longer needed"})
	var none *serviceerror.NotFound
	var ended *serviceerror.FailedPrecondition
	if err != nil && !errors.As(err, &none) && !errors.As(err, &ended) && c.ctx.Err() == nil {
		c.Log.Warn("cannot cancel work in Temporal", "key", j.Key, "error", err)
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
