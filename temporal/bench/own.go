package main

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const (
	ownQueue = "workflows"
	signal   = "decision"
)

// workflows do the same in Temporal's own way: a workflow that waits for a signal and then starts an activity.
type workflows struct {
	client.Client
	address string
	began   chan<- string
}

func newOwn(ctx context.Context, address string, began chan<- string) (*workflows, error) {
	c, err := dialOwn(ctx, address)
	return &workflows{c, address, began}, err
}

func dialOwn(ctx context.Context, address string) (client.Client, error) {
	return client.DialContext(ctx, client.Options{HostPort: address, Logger: sdklog.NewStructuredLogger(warnings())})
}

// Name implements contender.
func (o *workflows) Name() string { return "workflows of Temporal" }

// Work implements contender.
func (o *workflows) Work(ctx context.Context, n int) (func(), error) {
	var stops []func()
	stop := func() {
		for _, s := range stops {
			s()
		}
	}
	for range n {
		c, err := dialOwn(ctx, o.address)
		if err != nil {
			return stop, err
		}
		w := worker.New(c, ownQueue, worker.Options{MaxConcurrentActivityExecutionSize: 64})
		w.RegisterWorkflow(three)
		w.RegisterWorkflow(gated)
		w.RegisterWorkflow(waiting)
		w.RegisterActivityWithOptions(step, activity.RegisterOptions{Name: "step"})
		w.RegisterActivityWithOptions(o.next, activity.RegisterOptions{Name: "next"})
		if err := w.Start(); err != nil {
			c.Close()
			return stop, err
		}
		stops = append(stops, func() { w.Stop(); c.Close() })
	}
	return stop, nil
}

func step(context.Context) error { return nil }

func (o *workflows) next(ctx context.Context) error {
	select {
	case o.began <- activity.GetInfo(ctx).WorkflowExecution.ID:
	default: // not being measured
	}
	return nil
}

func call(ctx workflow.Context, name string) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	return workflow.ExecuteActivity(ctx, name).Get(ctx, nil)
}

func three(ctx workflow.Context) error {
	for range 3 {
		if err := call(ctx, "step"); err != nil {
			return err
		}
	}
	return nil
}

// gated waits for a signal between two activities.
func gated(ctx workflow.Context) error {
	if err := call(ctx, "step"); err != nil {
		return err
	}
	workflow.GetSignalChannel(ctx, signal).Receive(ctx, nil)
	return call(ctx, "next")
}

func waiting(ctx workflow.Context) error {
	workflow.GetSignalChannel(ctx, signal).Receive(ctx, nil)
	return nil
}

// Three implements contender.
func (o *workflows) Three(ctx context.Context) error {
	r, err := o.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: ownQueue}, three)
	if err != nil {
		return err
	}
	return r.Get(ctx, nil)
}

// Wait implements contender: its first step has ended when its history says so.
func (o *workflows) Wait(ctx context.Context) (string, error) {
	r, err := o.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: ownQueue}, gated)
	if err != nil {
		return "", err
	}
	for {
		d, err := o.DescribeWorkflowExecution(ctx, r.GetID(), r.GetRunID())
		if err != nil {
			return "", err
		}
		// Started, task scheduled, started, completed, activity scheduled, started, completed, and the same task again.
		if d.WorkflowExecutionInfo.HistoryLength >= 10 {
			return r.GetID(), nil
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// Decide implements contender.
func (o *workflows) Decide(ctx context.Context, id string) error {
	return o.SignalWorkflow(ctx, id, "", signal, "approve")
}

// Park implements contender.
func (o *workflows) Park(ctx context.Context) error {
	_, err := o.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: ownQueue}, waiting)
	return err
}
