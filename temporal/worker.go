package temporal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

// Engine is the part of an engine that a worker uses. It does not have to lead.
type Engine interface {
	Perform(ctx context.Context, key run.Key) error
	Lost(ctx context.Context, key run.Key) error
	TickDue(ctx context.Context, from, until time.Time) error
}

// Worker does the work of queues.
type Worker struct {
	client   *Client
	engine   Engine
	most     int
	stopping chan struct{}
	stopped  sync.WaitGroup
	once     sync.Once

	mu      sync.Mutex
	pollers map[worker.Worker]poller
	under   map[run.Key]*effort
}

// effort is work in progress in this process.
type effort struct {
	done     chan struct{}
	err      error
	progress atomic.Pointer[progress]
}

// progress is the content of a heartbeat.
type progress struct {
	port.Progress
	N int `json:"n"` // counts reports
}

// stopWithin is how long a stopping worker has to report to Temporal, after its agents ended.
const stopWithin = 10 * time.Minute

// handOnAfter is when work that was given back may start elsewhere. Until then the polls of the stopping worker have
// ended: what Temporal gives to one of them counts as begun, and as lost once it is silent for too long.
const handOnAfter = 2 * time.Second

// missingMost is how often a run that is not in the store is looked for.
const missingMost = 20

// Work starts to do the work of queues, up to a limit for each, and to watch deadlines.
func (c *Client) Work(e Engine, queues []string, most int) (*Worker, error) {
	w := &Worker{client: c, engine: e, most: most, stopping: make(chan struct{}),
		pollers: map[worker.Worker]poller{}, under: map[run.Key]*effort{}}
	polled := []poller{{c.clockQueue(), deadlinesType, w.tickDue}}
	for _, queue := range slices.Compact(slices.Sorted(slices.Values(queues))) {
		polled = append(polled, poller{c.taskQueue(queue), performType,
			func(ctx context.Context, j job) error { return w.perform(ctx, queue, j) }})
	}
	for _, p := range polled {
		if err := w.poll(p); err != nil {
			w.StopPolling()
			w.Wait(context.Background())
			return nil, fmt.Errorf("start a worker of Temporal: %w", err)
		}
	}
	return w, nil
}

// poller asks for the work of a task queue.
type poller struct {
	queue    string
	activity string
	does     any
}

// poll starts to poll a task queue.
func (w *Worker) poll(p poller) error {
	t := worker.New(w.client.c, p.queue, worker.Options{
		DisableWorkflowWorker:              true,
		MaxConcurrentActivityExecutionSize: w.most,
		MaxHeartbeatThrottleInterval:       w.beat(),
		WorkerStopTimeout:                  stopWithin,
		OnFatalError:                       func(err error) { go w.pollAgain(p, err) },
	})
	t.RegisterActivityWithOptions(p.does, activity.RegisterOptions{Name: p.activity})
	if err := t.Start(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pollers[t] = p
	if w.isStopping() {
		w.stopped.Go(t.Stop)
	}
	return nil
}

// pollAgain polls a task queue again after the SDK has given up permanently. It does that when Temporal refuses
// its requests for minutes: because the namespace does not exist yet after Temporal's database was lost, for example.
func (w *Worker) pollAgain(p poller, err error) {
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		w.client.Log.Error("Temporal refuses to give out work; asking again", "queue", p.queue, "error", err, "in", wait)
		select {
		case <-time.After(wait):
		case <-w.stopping:
			return
		}
		if err = w.poll(p); err == nil {
			w.client.Log.Info("Temporal gives out work again", "queue", p.queue)
			return
		}
	}
}

// beat is the interval of heartbeats. Three may be lost.
func (w *Worker) beat() time.Duration { return w.client.Heartbeat / 4 }

// StopPolling takes no more work. Work in progress continues: stop the engine next, and then call Wait.
func (w *Worker) StopPolling() {
	w.once.Do(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		close(w.stopping)
		for t := range w.pollers {
			w.stopped.Go(t.Stop)
		}
	})
}

// Wait returns when everything in progress has been reported to Temporal, or ctx ends.
func (w *Worker) Wait(ctx context.Context) {
	done := make(chan struct{})
	go func() { w.stopped.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Reported keeps what an agent reports for the next heartbeat; it is for the engine's configuration.
func (w *Worker) Reported(of port.Work, p port.Progress) {
	if w.client.Silent {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, e := range w.under {
		if key.Run == of.Run && key.Work() == of.Key {
			n := 1
			if had := e.progress.Load(); had != nil {
				n = had.N + 1
			}
			e.progress.Store(&progress{Progress: p, N: n})
		}
	}
}

// perform does the work of a key. The first attempt works; Temporal starts a second when the worker of the first
// was silent for too long, and that one reports the loss. Whatever became of the first: PostgreSQL accepts one
// result of a key.
func (w *Worker) perform(ctx context.Context, queue string, j job) error {
	key, err := run.ParseKey(j.Key)
	if err != nil {
		return sdk.NewNonRetryableApplicationError("not a key: "+j.Key, "invalid", err)
	}
	attempt := activity.GetInfo(ctx).Attempt
	e, mine := w.enter(key, attempt == 1)
	if e == nil {
		return w.lost(ctx, key, attempt)
	}
	beating := w.beating(ctx, e)
	defer beating()
	if !mine {
		// Temporal lost sight of this process while it continued the work.
		select {
		case <-e.done:
			return e.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	e.err = w.engine.Perform(ctx, key)
	w.leave(key, e)
	switch {
	case e.err == nil:
		return nil
	case w.isStopping():
		return w.handOn(queue, j)
	case ctx.Err() != nil:
		return ctx.Err() // cancelled: it is no longer owed
	}
	return e.err
}

// enter notes that this process does the work of a key, or finds that it already does.
func (w *Worker) enter(key run.Key, begin bool) (e *effort, mine bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.under[key]; e != nil || !begin {
		return e, false
	}
	e = &effort{done: make(chan struct{})}
	w.under[key] = e
	return e, true
}

func (w *Worker) leave(key run.Key, e *effort) {
	w.mu.Lock()
	delete(w.under, key)
	w.mu.Unlock()
	close(e.done)
}

// beating sends heartbeats until the function it returns is called. Short work ends before the first.
func (w *Worker) beating(ctx context.Context, e *effort) func() {
	stop := make(chan struct{})
	go func() {
		t := time.NewTicker(w.beat())
		defer t.Stop()
		for {
			select {
			case <-t.C:
			case <-stop:
				return
			case <-ctx.Done():
				return
			}
			if p := e.progress.Load(); p != nil {
				activity.RecordHeartbeat(ctx, *p)
			} else {
				activity.RecordHeartbeat(ctx)
			}
		}
	}()
	return func() { close(stop) }
}

// lost reports that the worker of an earlier attempt was lost.
func (w *Worker) lost(ctx context.Context, key run.Key, attempt int32) error {
	err := w.engine.Lost(ctx, key)
	if fault.Is(err, fault.NotFound) {
		if attempt > missingMost {
			return nil // it was deleted
		}
		return fmt.Errorf("is this worker connected to the right database? %w", err)
	}
	if err == nil {
		w.client.Log.Warn("a worker was lost", "key", key.String())
	}
	return err
}

// handOn gives work back that this process cannot finish because it stops.
func (w *Worker) handOn(queue string, j job) error {
	for next := j; ; {
		next.Round++
		err := w.client.start(context.Background(), queue, next, handOnAfter)
		if !errors.Is(err, errClosed) {
			return err
		}
	}
}

func (w *Worker) isStopping() bool {
	select {
	case <-w.stopping:
		return true
	default:
		return false
	}
}

// tickDue keeps the deadlines of a timer. If this worker stops, another continues.
func (w *Worker) tickDue(ctx context.Context, of span) error {
	defer w.beating(ctx, &effort{})()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-w.stopping:
			cancel()
		case <-ctx.Done():
		}
	}()
	return w.engine.TickDue(ctx, of.From, of.Until)
}
