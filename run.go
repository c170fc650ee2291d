package assent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/feed"
	"github.com/assent-run/assent/internal/view"
)

// Status is the status of a run.
type Status string

const (
	Running      Status = "running"
	Waiting      Status = "waiting" // waiting for a decision
	Paused       Status = "paused"
	Completed    Status = "completed"
	Failed       Status = "failed"
	Cancelled    Status = "cancelled"
	LimitReached Status = "limit_reached"
)

// Ended reports whether the run has ended.
func (s Status) Ended() bool { return run.Status(s).Ended() }

// Run is one execution of a workflow, as it was when it was read.
type Run struct {
	ID        string
	Workflow  string
	Version   int
	Status    Status
	Owner     string
	Input     json.RawMessage
	Output    json.RawMessage // nil unless completed
	Error     string          // why it failed
	Steps     []Step
	Pending   []string // ids of its pending approvals
	Seq       int64    // of its newest event
	StartedAt time.Time
	EndedAt   time.Time // zero while it is active
}

// Step is one step of a run.
type Step struct {
	ID     string
	Status string // pending, running, waiting, done, failed, skipped, cancelled
	Try    int
	Output json.RawMessage
	Error  string
}

func runOf(v view.Run) Run {
	r := Run{
		ID: v.ID, Workflow: v.Workflow, Version: v.Version, Status: Status(v.Status), Owner: v.Owner, Input: v.Input,
		Pending: v.PendingApprovals,
		Seq:     v.Seq, StartedAt: v.StartedAt,
	}
	if v.Status == run.Completed {
		r.Output = v.Output
	}
	if v.EndedAt != nil {
		r.EndedAt = *v.EndedAt
	}
	if v.Error != nil {
		r.Error = v.Error.Message
	}
	for _, s := range v.Steps {
		step := Step{ID: s.ID, Status: string(s.Status), Try: s.Try, Output: s.Output}
		if s.Error != nil {
			step.Error = s.Error.Message
		}
		r.Steps = append(r.Steps, step)
	}
	return r
}

// Start starts a run of a workflow. Input is any value that encoding/json can encode. When Start returns, the
// run is durable.
func (e *Engine) Start(ctx context.Context, workflow string, input any, by ...Actor) (Run, error) {
	in, err := value.Marshal(input)
	if err != nil {
		return Run{}, fmt.Errorf("write the input: %w", err)
	}
	v, err := e.server.App.Begin(ctx, actor(by), app.NewRun{Workflow: workflow, Input: in}, nil)
	if err != nil {
		return Run{}, refusal(err)
	}
	return runOf(v), nil
}

// Run returns a run.
func (e *Engine) Run(ctx context.Context, id string, by ...Actor) (Run, error) {
	v, err := e.server.App.Run(ctx, actor(by), id, true)
	if err != nil {
		return Run{}, refusal(err)
	}
	return runOf(v), nil
}

// Wait returns when a run has ended, is paused, or waits for people.
func (e *Engine) Wait(ctx context.Context, id string, by ...Actor) (Run, error) {
	return e.watch(ctx, id, by, func(r Run) bool { return r.Status != Running })
}

// WaitEnd returns when a run has ended, however long people take.
func (e *Engine) WaitEnd(ctx context.Context, id string, by ...Actor) (Run, error) {
	return e.watch(ctx, id, by, func(r Run) bool { return r.Status.Ended() })
}

func (e *Engine) watch(ctx context.Context, id string, by []Actor, enough func(Run) bool) (Run, error) {
	// From now on, before the first read: nothing is missed in between.
	stream, err := e.server.App.Follow(ctx, actor(by), feed.Filter{Run: id})
	if err != nil {
		return Run{}, refusal(err)
	}
	defer stream.Close()
	for {
		r, err := e.Run(ctx, id, by...)
		if err != nil || enough(r) {
			return r, err
		}
		if _, err := stream.Next(ctx); err != nil {
			return r, err
		}
	}
}

// Cancel stops a run after work in progress has finished.
func (e *Engine) Cancel(ctx context.Context, id, reason string, by ...Actor) error {
	return e.send(ctx, id, run.Cancel{Reason: reason}, by)
}

// Pause stops starting steps until Resume.
func (e *Engine) Pause(ctx context.Context, id string, by ...Actor) error {
	return e.send(ctx, id, run.Pause{}, by)
}

// Resume continues after a pause, or after a failure from the last good state.
func (e *Engine) Resume(ctx context.Context, id string, by ...Actor) error {
	return e.send(ctx, id, run.Resume{}, by)
}

// Message adds to the run's thread.
func (e *Engine) Message(ctx context.Context, id, text string, by ...Actor) error {
	return e.send(ctx, id, run.SendMessage{Text: text}, by)
}

func (e *Engine) send(ctx context.Context, id string, do run.Operation, by []Actor) error {
	_, err := e.server.App.Command(ctx, actor(by), id, app.Command{Do: do}, nil)
	return refusal(err)
}

// Event is something that happened to a run.
type Event struct {
	Run  string
	Seq  int64
	At   time.Time
	Type string // run.started, step.completed, approval.needed, …
	By   string
	Data json.RawMessage
}

// Events lists the events of a run after a sequence number, oldest first.
func (e *Engine) Events(ctx context.Context, id string, after int64, by ...Actor) ([]Event, error) {
	var out []Event
	for {
		page, err := e.server.App.Events(ctx, actor(by), id, after, 1000, true)
		if err != nil {
			return out, refusal(err)
		}
		if len(page.Items) == 0 {
			return out, nil
		}
		for _, v := range page.Items {
			out = append(out, Event{v.Run, v.Seq, v.At, v.Type, v.Actor.Name, v.Data})
			after = v.Seq
		}
	}
}
