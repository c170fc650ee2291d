// Command dbos measures DBOS Transact for Go.
package main

import (
	"context"
	"database/sql"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite"
)

type peer struct {
	dbos.Context
	store string
}

func open(ctx context.Context, s work.Spec) (work.Peer, error) {
	config := dbos.Config{AppName: "peers", Logger: slog.New(slog.DiscardHandler)}
	if s.Store == "postgres" {
		config.DatabaseURL = s.Postgres
	} else {
		// A database of its own choice would be opened with synchronous=NORMAL.
		db, err := sql.Open("sqlite", "file:"+filepath.Join(s.Dir, "dbos.db")+"?_txlock=immediate"+
			"&_pragma=busy_timeout(5000)&_pragma=foreign_keys(ON)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(8) // as DBOS sets it
		config.SQLiteSystemDB = db
	}
	c, err := dbos.NewContext(ctx, config)
	if err != nil {
		return nil, err
	}
	dbos.RegisterWorkflow(c, three)
	dbos.RegisterWorkflow(c, gated)
	return &peer{c, s.Store}, dbos.Launch(c)
}

func step(c dbos.Context, called func()) error {
	_, err := dbos.RunAsStep(c, func(context.Context) (bool, error) {
		called()
		return true, nil
	})
	return err
}

func three(c dbos.Context, _ int) (bool, error) {
	for range 3 {
		if err := step(c, func() {}); err != nil {
			return false, err
		}
	}
	return true, nil
}

const topic = "decision"

func gated(c dbos.Context, _ int) (bool, error) {
	if err := step(c, work.First); err != nil {
		return false, err
	}
	if _, err := dbos.Recv[string](c, topic, time.Hour); err != nil {
		return false, err
	}
	return true, step(c, work.Next)
}

func (p *peer) About() work.Report {
	r := work.Report{Sync: "SQLite, WAL, synchronous=FULL (NORMAL by default)"}
	if p.store == "postgres" {
		r.Sync = "PostgreSQL, fsync=on, synchronous_commit=on"
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/dbos-inc/dbos-transact-golang" {
				r.Version = m.Version
			}
		}
	}
	return r
}

func (p *peer) Three(context.Context) error {
	handle, err := dbos.RunWorkflow(p.Context, three, 1)
	if err != nil {
		return err
	}
	_, err = handle.GetResult()
	return err
}

func (p *peer) Wait(context.Context) (string, error) {
	handle, err := dbos.RunWorkflow(p.Context, gated, 1)
	if err != nil {
		return "", err
	}
	return handle.GetWorkflowID(), nil
}

func (p *peer) Decide(_ context.Context, id string) error {
	return dbos.Send(p.Context, id, "approve", topic)
}

// List returns workflows that have not ended: DBOS does not tell waiting from running.
func (p *peer) List(context.Context) (int, error) {
	page, err := dbos.ListWorkflows(p.Context, dbos.WithFilterStatus(dbos.WorkflowStatusPending),
		dbos.WithFilterLimit(work.Page), dbos.WithFilterLoadInput(false), dbos.WithFilterLoadOutput(false))
	return len(page), err
}

// Close does not wait for the thousands of workflows that wait.
func (p *peer) Close() error { return nil }

func main() { work.Main(open) }
