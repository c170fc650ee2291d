// Package retention deletes expired data: deliverables, bytes without a reference, and the workspaces of agents.
//
//	s := retention.New(retention.Config{
//		Store: store, Leads: engine.Leads, Workspace: dir, Workspaces: 7 * 24 * time.Hour,
//	})
//	s.Start()
//	defer s.Stop()
//
// Events are kept; payloads are deleted as well if configured (Payloads), and on request by an Eraser. Runs that have
// not ended are left alone. Only the leading process deletes what has expired.
package retention

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

// Store is the part of the store that is cleaned up.
type Store interface {
	port.Retention
	Run(ctx context.Context, id string) (port.RunRow, error)
}

// Config sets retention periods; 0 is forever.
type Config struct {
	Store Store
	// Leads reports whether this process is the leader.
	Leads func() bool
	// Workspace is the parent directory of the workspaces; empty: there are none.
	Workspace string

	Runs       time.Duration // deliverables and blobs, from the end of their run
	Archived   time.Duration // archived deliverables, from when they were archived
	Workspaces time.Duration // directories, from the end of their run
	Payloads   time.Duration // payloads, from the end of their run

	// Forget deletes the payloads of runs that ended before a time (zero: none), resumes interrupted deletions, and
	// returns the number of runs; nil: payloads are never deleted.
	Forget func(ctx context.Context, ended time.Time, limit int) (int, error)

	Now func() time.Time
	Log *slog.Logger
}

const (
	every      = time.Hour
	blobAge    = time.Hour // a stored blob is referenced within seconds
	batch      = 100       // runs, names or blobs at once
	batchesMax = 1000      // per sweep; the next one continues
	waitToLead = time.Second
)

// Sweeper sweeps periodically.
type Sweeper struct {
	Config
	stop context.CancelFunc
	ctx  context.Context
	done sync.WaitGroup
}

// New creates a sweeper; call Start.
func New(c Config) *Sweeper {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Sweeper{Config: c}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// Start sweeps as soon as this process leads, and then every hour.
func (s *Sweeper) Start() { s.done.Go(s.loop) }

// Stop ends it. A sweep in progress is finished or left for the next time.
func (s *Sweeper) Stop() {
	s.stop()
	s.done.Wait()
}

func (s *Sweeper) loop() {
	for s.ctx.Err() == nil {
		wait := waitToLead
		if s.Leads() {
			wait = every
			if err := s.Sweep(s.ctx); err != nil && s.ctx.Err() == nil {
				s.Log.Error("delete expired data", "error", err)
			}
		}
		select {
		case <-time.After(wait):
		case <-s.ctx.Done():
		}
	}
}

// Sweep deletes expired data once. A failure with one kind of data does not stop the others.
func (s *Sweeper) Sweep(ctx context.Context) error {
	now := s.Now()
	expiry := port.Expiry{Ended: before(now, s.Runs), Archived: before(now, s.Archived), Limit: batch}
	made, expired := 0, error(nil)
	if !expiry.Ended.IsZero() || !expiry.Archived.IsZero() {
		made, expired = s.batches(ctx, func() (int, error) { return s.Store.Expire(ctx, expiry) })
	}
	blobs, collected := s.batches(ctx, func() (int, error) { return s.Store.CollectBlobs(ctx, now.Add(-blobAge), batch) })
	dirs, swept := s.workspaces(ctx, now)
	runs, forgotten := 0, error(nil)
	if s.Forget != nil {
		runs, forgotten = s.batches(ctx, func() (int, error) { return s.Forget(ctx, before(now, s.Payloads), batch) })
	}
	if made+blobs+dirs+runs > 0 {
		s.Log.Info("deleted expired data", "deliverables", made, "blobs", blobs, "workspaces",
			dirs, "payloads", runs)
	}
	return errors.Join(expired, collected, swept, forgotten)
}

// before is the time before which data has expired; zero: never.
func before(now time.Time, keep time.Duration) time.Time {
	if keep <= 0 {
		return time.Time{}
	}
	return now.Add(-keep)
}

// batches repeats a bounded piece of work until nothing is left.
func (s *Sweeper) batches(ctx context.Context, one func() (int, error)) (total int, err error) {
	for range batchesMax {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		if !s.Leads() {
			return total, nil // another process continues
		}
		n, err := one()
		total += n
		if err != nil || n == 0 {
			return total, err
		}
	}
	return total, nil
}

// RemoveWorkspace deletes the workspace of one run.
func RemoveWorkspace(all, run string) error {
	if all == "" {
		return nil
	}
	root, err := os.OpenRoot(all)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove the workspace of %s: %w", run, err)
	}
	defer root.Close() //nolint:errcheck // it only led there
	if err := root.RemoveAll(run); err != nil {
		return fmt.Errorf("remove the workspace of %s: %w", run, err)
	}
	return nil
}

// workspaces deletes the workspaces of runs that ended long ago. Directories that do not belong to a run of this store
// are left alone.
func (s *Sweeper) workspaces(ctx context.Context, now time.Time) (removed int, err error) {
	due := before(now, s.Workspaces)
	if runs := before(now, s.Runs); due.IsZero() || (!runs.IsZero() && runs.After(due)) {
		due = runs // a workspace is not kept longer than the rest of its run
	}
	if s.Workspace == "" || due.IsZero() {
		return 0, nil
	}
	all, err := os.OpenRoot(s.Workspace)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("check the workspaces: %w", err)
	}
	defer all.Close() //nolint:errcheck // it only read
	entries, err := fs.ReadDir(all.FS(), ".")
	if err != nil {
		return 0, fmt.Errorf("check the workspaces: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if ctx.Err() != nil {
			return removed, errors.Join(append(errs, ctx.Err())...)
		}
		if !e.IsDir() {
			continue
		}
		row, err := s.Store.Run(ctx, e.Name())
		switch {
		case fault.Is(err, fault.NotFound):
		case err != nil:
			errs = append(errs, err)
		case !row.EndedAt.IsZero() && row.EndedAt.Before(due):
			// Through the root: links inside lead nowhere else.
			if err := all.RemoveAll(e.Name()); err != nil {
				errs = append(errs, fmt.Errorf("remove the workspace of %s: %w", row.ID, err))
				continue
			}
			removed++
		}
	}
	return removed, errors.Join(errs...)
}
