package assembly

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
)

// Remote lets workers on other machines do the work of agents. The module in temporal implements it.
type Remote interface {
	local.Dispatcher
	// Use sets the identity of the database that the work belongs to. It is called once, before anything else.
	Use(database string)
	// Work makes this process a worker of queues, with a maximum number of calls in progress for each.
	Work(e Performer, queues []string, most int) (Worker, error)
	// Close ends the connection. Work that was handed over continues.
	Close()
}

// RemoteOptions are how to reach workers.
type RemoteOptions struct {
	Address, Namespace string
	// Silent keeps what agents report out of databases other than our own.
	Silent bool
}

// Performer does the work of runs for workers.
type Performer interface {
	Perform(ctx context.Context, key run.Key) error
	Lost(ctx context.Context, key run.Key) error
	TickDue(ctx context.Context, from, until time.Time) error
}

// Worker does the work of queues.
type Worker interface {
	// Reported is told what agents report while they work.
	Reported(port.Work, port.Progress)
	// StopPolling takes no more work.
	StopPolling()
	// Wait returns when everything in progress has been reported, or ctx ends.
	Wait(ctx context.Context)
}

// identified is a store that knows its database from others.
type identified interface {
	Identity(context.Context) (string, error)
}

// connectRemote tells remote workers which database their work belongs to.
func (s *Server) connectRemote(ctx context.Context, to Remote) error {
	store, ok := s.Store.(identified)
	if !ok {
		return errors.New("workers on other machines need PostgreSQL")
	}
	id, err := store.Identity(ctx)
	if err != nil {
		return err
	}
	to.Use(id)
	s.remote = to
	return nil
}

// Work makes this process a worker, instead of Start: it never leads, and serves nothing.
func (s *Server) Work(queues []string, most int) error {
	w, err := s.remote.Work(s.engine, queues, most)
	if err != nil {
		return fmt.Errorf("work for queues: %w", err)
	}
	s.worker.Store(&w)
	s.pushing.start()
	return nil
}

// reported passes on what agents report, to readers here and to the server that leads.
func (s *Server) reported(w port.Work, p port.Progress) {
	s.App.Supply.Reported(w, p)
	if to := s.worker.Load(); to != nil {
		(*to).Reported(w, p)
	}
}

// closeRemote ends the connection to workers, after the engine has stopped.
func (s *Server) closeRemote(ctx context.Context) {
	if s.remote == nil {
		return
	}
	if w := s.worker.Load(); w != nil {
		(*w).Wait(ctx)
	}
	s.remote.Close()
}
