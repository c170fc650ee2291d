// Command temporal measures Temporal: its development server, which the variable
// TEMPORAL names, on a SQLite file.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

type peer struct {
	client.Client
	server *exec.Cmd
}

const (
	queue  = "peers"
	signal = "decision"
	// pollers is how many requests for work a worker has open; the default is 2.
	pollers = 8
)

func open(ctx context.Context, s work.Spec) (work.Peer, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		return nil, err
	}
	_, port, _ := strings.Cut(address, ":")
	server := exec.CommandContext(ctx, os.Getenv("TEMPORAL"), "server", "start-dev", "--headless", "--port", port,
		"--db-filename", filepath.Join(s.Dir, "temporal.db"), "--sqlite-pragma", "journal_mode=wal",
		"--sqlite-pragma", "synchronous=2", "--log-level", "never")
	if err := server.Start(); err != nil {
		return nil, err
	}
	c, err := dial(ctx, address)
	if err != nil {
		return nil, errors.Join(err, server.Process.Kill())
	}
	w := worker.New(c, queue, worker.Options{MaxConcurrentWorkflowTaskPollers: pollers,
		MaxConcurrentActivityTaskPollers: pollers})
	w.RegisterWorkflow(three)
	w.RegisterWorkflow(gated)
	w.RegisterActivity(step)
	w.RegisterActivity(before)
	w.RegisterActivity(after)
	return &peer{c, server}, w.Start()
}

// dial waits until the server answers.
func dial(ctx context.Context, address string) (c client.Client, err error) {
	for range 120 {
		c, err = client.DialContext(ctx, client.Options{HostPort: address, Logger: silent{}})
		if err == nil {
			return c, nil
		}
		time.Sleep(500 * time.Millisecond)
	}
	return nil, fmt.Errorf("dial the server: %w", err)
}

type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}

var _ log.Logger = silent{}

func step(context.Context) error { return nil }

func before(context.Context) error {
	work.First()
	return nil
}

func after(context.Context) error {
	work.Next()
	return nil
}

func call(ctx workflow.Context, activity any) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	return workflow.ExecuteActivity(ctx, activity).Get(ctx, nil)
}

func three(ctx workflow.Context) error {
	for range 3 {
		if err := call(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

func gated(ctx workflow.Context) error {
	if err := call(ctx, before); err != nil {
		return err
	}
	workflow.GetSignalChannel(ctx, signal).Receive(ctx, nil)
	return call(ctx, after)
}

func (p *peer) About() work.Report {
	out, err := exec.Command(os.Getenv("TEMPORAL"), "--version").Output()
	if err != nil {
		out = []byte("unknown")
	}
	return work.Report{Version: strings.TrimSpace(string(out)), Sync: "SQLite, WAL, synchronous=FULL (development server)"}
}

func (p *peer) Three(ctx context.Context) error {
	r, err := p.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: queue}, three)
	if err != nil {
		return err
	}
	return r.Get(ctx, nil)
}

func (p *peer) Wait(ctx context.Context) (string, error) {
	r, err := p.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: queue}, gated)
	if err != nil {
		return "", err
	}
	return r.GetID(), nil
}

func (p *peer) Decide(ctx context.Context, id string) error {
	return p.SignalWorkflow(ctx, id, "", signal, "approve")
}

// List returns workflows that have not ended: Temporal does not tell waiting from running.
func (p *peer) List(ctx context.Context) (int, error) {
	page, err := p.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{PageSize: work.Page,
		Query: "ExecutionStatus = 'Running' AND WorkflowType = 'gated'"})
	if err != nil {
		return 0, err
	}
	return len(page.Executions), nil
}

func (p *peer) Close() error {
	p.Client.Close()
	return p.server.Process.Kill()
}

func main() { work.Main(open) }
