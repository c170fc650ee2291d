// Command goworkflows measures github.com/cschleiden/go-workflows.
package main

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/cschleiden/go-workflows/backend"
	"github.com/cschleiden/go-workflows/backend/postgres"
	"github.com/cschleiden/go-workflows/backend/sqlite"
	"github.com/cschleiden/go-workflows/client"
	"github.com/cschleiden/go-workflows/diag"
	"github.com/cschleiden/go-workflows/worker"
	"github.com/cschleiden/go-workflows/workflow"
	"github.com/google/uuid"
)

type peer struct {
	backend diag.Backend
	client  *client.Client
	store   string
}

func open(ctx context.Context, s work.Spec) (work.Peer, error) {
	b, err := openBackend(s)
	if err != nil {
		return nil, err
	}
	options := worker.DefaultOptions
	options.WorkflowPollers, options.ActivityPollers = 4, 4
	options.WorkflowPollingInterval, options.ActivityPollingInterval = polling, polling
	w := worker.New(b, &options)
	err = errors.Join(w.RegisterWorkflow(three), w.RegisterWorkflow(gated), w.RegisterActivity(step),
		w.RegisterActivity(before), w.RegisterActivity(after))
	if err != nil {
		return nil, err
	}
	return &peer{b, client.New(b), s.Store}, w.Start(ctx)
}

// polling is how often an idle worker asks for work; the default is 200 ms.
const polling = 5 * time.Millisecond

func openBackend(s work.Spec) (diag.Backend, error) {
	quiet := backend.WithLogger(slog.New(slog.DiscardHandler))
	if s.Store == "postgres" {
		db, err := sql.Open("pgx", s.Postgres)
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(16)
		return postgres.NewPostgresBackendWithDB(db, postgres.WithApplyMigrations(true),
			postgres.WithBackendOptions(quiet)), nil
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.Dir, "workflows.db")+"?_txlock=immediate"+
		"&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // as the backend sets it
	return sqlite.NewSqliteBackendWithDB(db, sqlite.WithApplyMigrations(true), sqlite.WithBackendOptions(quiet)), nil
}

func step(context.Context) (bool, error) { return true, nil }

func before(context.Context) (bool, error) {
	work.First()
	return true, nil
}

func after(context.Context) (bool, error) {
	work.Next()
	return true, nil
}

func three(ctx workflow.Context) error {
	for range 3 {
		if _, err := workflow.ExecuteActivity[bool](ctx, workflow.DefaultActivityOptions, step).Get(ctx); err != nil {
			return err
		}
	}
	return nil
}

const signal = "decision"

func gated(ctx workflow.Context) error {
	if _, err := workflow.ExecuteActivity[bool](ctx, workflow.DefaultActivityOptions, before).Get(ctx); err != nil {
		return err
	}
	workflow.NewSignalChannel[string](ctx, signal).Receive(ctx)
	_, err := workflow.ExecuteActivity[bool](ctx, workflow.DefaultActivityOptions, after).Get(ctx)
	return err
}

func (p *peer) About() work.Report {
	r := work.Report{Sync: "SQLite, WAL, synchronous=FULL"}
	if p.store == "postgres" {
		r.Sync = "PostgreSQL, fsync=on, synchronous_commit=on"
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/cschleiden/go-workflows" {
				r.Version = m.Version
			}
		}
	}
	return r
}

func (p *peer) start(ctx context.Context, w workflow.Workflow) (*workflow.Instance, error) {
	return p.client.CreateWorkflowInstance(ctx, client.WorkflowInstanceOptions{InstanceID: uuid.NewString()}, w)
}

func (p *peer) Three(ctx context.Context) error {
	i, err := p.start(ctx, three)
	if err != nil {
		return err
	}
	return p.client.WaitForWorkflowInstance(ctx, i, time.Minute)
}

func (p *peer) Wait(ctx context.Context) (string, error) {
	i, err := p.start(ctx, gated)
	if err != nil {
		return "", err
	}
	return i.InstanceID, nil
}

func (p *peer) Decide(ctx context.Context, id string) error {
	return p.client.SignalWorkflow(ctx, id, signal, "approve")
}

// List returns the newest instances, waiting or not: the library has no filter.
func (p *peer) List(ctx context.Context) (int, error) {
	page, err := p.backend.GetWorkflowInstances(ctx, "", "", work.Page)
	return len(page), err
}

// Close leaves the worker to the end of the process.
func (p *peer) Close() error { return nil }

func main() { work.Main(open) }
