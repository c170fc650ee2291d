// Package schedule starts runs at the times of schedules.
//
//	host := &schedule.Host{Store: store, Registry: documents, Engine: engine, RunIDOf: engine.RunIDOf, Now: time.Now}
//	go schedule.New(host, engine.Leads, log).Run(ctx)
//
// Each time is handled exactly once, by the process that leads. The last one handled is stored after its run was
// started; a process that stops in between, or no longer leads without knowing it, starts the same run again, which
// changes nothing.
package schedule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/assent-run/assent/internal/core/cron"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Config is the environment of a scheduler.
type Config struct {
	Store port.Firings
	// Leads reports whether this process is the leader.
	Leads func() bool
	// Schedules lists those in force that are enabled. A document never changes.
	Schedules func() []Entry
	// Running reports whether a run of a schedule has not ended.
	Running func(ctx context.Context, schedule string) (bool, error)
	// Start starts the run of a time. For the same time it returns the same run, and starts it once.
	Start func(ctx context.Context, schedule string, at time.Time) (run string, err error)
	// Look is how soon a change of the schedules, of the leader or of the clock is noticed, and how soon a run that
	// waits for another one starts after it.
	Look time.Duration
	Now  func() time.Time
	Log  *slog.Logger
}

// Entry is a schedule in force.
type Entry struct {
	*definition.Schedule
	Since time.Time // when it came into force: earlier times do not count
}

// clock computes the times of a schedule.
type clock struct {
	times *cron.Schedule
	zone  *time.Location
}

func (c clock) next(after time.Time) time.Time { return c.times.Next(after, c.zone) }

// Scheduler starts runs.
type Scheduler struct {
	Config
	last map[string]port.Firing // nil: not read yet
	// clocks are those of the schedules in force; reading a time zone takes long.
	clocks map[*definition.Schedule]clock
}

// New creates a scheduler of the schedules in force; call Run.
func New(h *Host, leads func() bool, log *slog.Logger) *Scheduler {
	return &Scheduler{Config: Config{Store: h.Store, Leads: leads, Schedules: h.Entries, Running: h.Running,
		Start: h.Start, Look: time.Second, Now: h.Now, Log: log}}
}

// Run starts runs whenever this process leads, until ctx ends.
func (s *Scheduler) Run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := s.Look
		if !s.Leads() {
			s.last = nil // another process continues from here
		} else if next, err := s.handle(ctx); err != nil && ctx.Err() == nil {
			s.Log.Error("start the runs of schedules; retrying", "error", err)
		} else if until := next.Sub(s.Now()); !next.IsZero() && until < wait {
			wait = max(until, 0)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// handle deals with all times up to now, and returns the next one; zero: there is none. A schedule that cannot be
// handled does not stop the others.
func (s *Scheduler) handle(ctx context.Context) (next time.Time, err error) {
	if err := s.read(ctx); err != nil {
		return time.Time{}, err
	}
	now, clocks := s.Now(), map[*definition.Schedule]clock{}
	for _, e := range s.Schedules() {
		c, known := s.clocks[e.Schedule]
		if !known {
			times, zone, unknown := e.Times()
			if unknown != nil { // such as a time zone that only the machine where it was published knows
				err = errors.Join(err, fmt.Errorf("schedule %s: %w", e.Name, unknown))
				continue
			}
			c = clock{times, zone}
		}
		clocks[e.Schedule] = c
		at, failed := s.one(ctx, e, c, now)
		err = errors.Join(err, failed)
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	s.clocks = clocks
	return next, err
}

// read reads the times that were handled last, once for each term as the leader.
func (s *Scheduler) read(ctx context.Context) error {
	if s.last != nil {
		return nil
	}
	return s.refresh(ctx)
}

func (s *Scheduler) refresh(ctx context.Context) error {
	all, err := s.Store.Firings(ctx)
	if err != nil {
		return err
	}
	s.last = make(map[string]port.Firing, len(all))
	for _, f := range all {
		s.last[f.Schedule] = f
	}
	return nil
}

// one deals with the times of a schedule up to now, and returns when to look at it again.
func (s *Scheduler) one(ctx context.Context, e Entry, c clock, now time.Time) (time.Time, error) {
	handled := s.handled(e)
	missed := c.missed(handled, now.Add(-e.Late()))
	if !missed.IsZero() { // unless this process was suspended, and another one led
		if err := s.refresh(ctx); err != nil {
			return now.Add(s.Look), err
		}
		handled = s.handled(e)
		missed = c.missed(handled, now.Add(-e.Late()))
	}
	if !missed.IsZero() {
		s.Log.Warn("a schedule missed a time", "schedule", e.Name, "at", missed, "catch_up", e.Late())
		err := s.put(ctx, port.Firing{Schedule: e.Name, At: missed, Outcome: port.FiringMissed,
			Cause: "it was too late to start a run"})
		if err != nil {
			return now.Add(s.Look), err
		}
		handled = missed
	}
	for {
		at := c.next(handled)
		if at.After(now) {
			return at, nil
		}
		f, err := s.fire(ctx, e, at)
		if err == nil && f.Outcome == "" {
			return now.Add(s.Look), nil // it waits for the previous run
		}
		if err == nil {
			err = s.put(ctx, f)
		}
		if err != nil {
			return now.Add(s.Look), err
		}
		handled = at
	}
}

// handled is the last time of a schedule that was handled, as far as this process knows.
func (s *Scheduler) handled(e Entry) time.Time {
	if at := s.last[e.Name].At; at.After(e.Since) {
		return at
	}
	return e.Since
}

// missed is the last time after one that was handled and before another; zero: there is none.
func (c clock) missed(handled, before time.Time) (last time.Time) {
	for at := c.next(handled); at.Before(before); at = c.next(at) {
		last = at
	}
	return last
}

// fire starts the run of a time, unless another one has not ended. It returns no outcome if the time has to wait.
func (s *Scheduler) fire(ctx context.Context, e Entry, at time.Time) (port.Firing, error) {
	f := port.Firing{Schedule: e.Name, At: at}
	if e.Overlapping() != definition.OverlapAllow {
		running, err := s.Running(ctx, e.Name)
		switch {
		case err != nil:
			return f, err
		case running && e.Overlapping() == definition.OverlapQueue:
			return f, nil
		case running:
			s.Log.Warn("a schedule was skipped: its previous run has not ended", "schedule", e.Name, "at", at)
			f.Outcome, f.Cause = port.FiringSkipped, "the previous run had not ended"
			return f, nil
		}
	}
	run, err := s.Start(ctx, e.Name, at)
	switch {
	case err == nil:
		f.Outcome, f.Run = port.FiringStarted, run
	case !refused(err):
		return f, err
	default:
		s.Log.Error("a schedule could not start a run", "schedule", e.Name, "at", at, "error", err)
		f.Outcome, f.Cause = port.FiringFailed, err.Error()
	}
	return f, nil
}

// refused reports whether a run cannot start, however often it is tried.
func refused(err error) bool {
	switch fault.CodeOf(err) {
	case fault.Invalid, fault.NotFound, fault.Forbidden, fault.TooLarge, fault.Unsupported:
		return true
	}
	return false
}

// put stores that a time was handled.
func (s *Scheduler) put(ctx context.Context, f port.Firing) error {
	if err := s.Store.PutFiring(ctx, f); err != nil {
		return err
	}
	s.last[f.Schedule] = f
	return nil
}
