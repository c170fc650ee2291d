package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/commit"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

// job is a write to a run, an answer to store, or audit entries.
type job struct {
	commit.Job
	port.Write
	found  storekit.Found
	taught storekit.Taught
	body   []byte
	refs   []string // blobs that the events refer to
	last   int64
	feed   int64
	answer *port.Answer // to be stored; nil for a write
	kept   port.Answer  // the stored answer
	forms  []*port.AuditForm
	entry  int64 // number of the last of them
	// entriesOnly reports that there is no write to a run.
	entriesOnly bool
}

type writer struct {
	s     *Store
	queue *commit.Queue[*job]
}

// groupWait limits one commit; a server that takes longer is considered dead.
const groupWait = 60 * time.Second

func startWriter(s *Store) *writer {
	w := &writer{s: s}
	w.queue = commit.NewQueue(w.attempt)
	return w
}

// attempt stores a group in one transaction of two round trips.
func (w *writer) attempt(group []*job) (alone bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), groupWait)
	defer cancel()
	for range 3 {
		var g *state
		g, err = w.once(ctx, group)
		switch {
		case err == nil:
			if g.grew {
				w.s.watch.Wake() // other processes are notified by the server
			}
			return false, nil
		case g.committing && lost(err):
			return false, w.inquire(g, err)
		case !again(err):
			if len(group) == 1 && group[0].Snapshot != nil && !lost(err) {
				return false, fmt.Errorf("%w: %w", port.ErrSnapshot, explain(err))
			}
			return !lost(err), explain(err)
		}
	}
	return true, explain(err)
}

func (w *writer) once(ctx context.Context, group []*job) (g *state, err error) {
	g = newState(&w.s.vault, group)
	c, err := w.s.write.Acquire(ctx)
	if err != nil {
		return g, err
	}
	defer c.Release()
	conn := c.Conn()
	if err := g.load(ctx, conn); err != nil {
		return g, g.undo(conn, err)
	}
	for _, j := range group {
		j.Err = g.decide(j)
	}
	if err := g.flush(ctx, conn); err != nil {
		return g, g.undo(conn, err)
	}
	return g, nil
}

// undo rolls back. If that fails, the pool discards the connection, and the server rolls back.
func (g *state) undo(c *pgx.Conn, err error) error {
	if c.IsClosed() {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectWait)
	defer cancel()
	if _, e := c.Exec(ctx, `ROLLBACK`); e != nil {
		closeConn(c)
	}
	return err
}

// inquire determines the outcome of a commit whose answer was lost with the connection.
func (w *writer) inquire(g *state, cause error) error {
	ctx, cancel := context.WithTimeout(w.s.life, 2*connectWait)
	defer cancel()
	for ctx.Err() == nil {
		stored, err := w.stored(ctx, g)
		switch {
		case err == nil && stored:
			w.s.watch.Wake()
			return nil
		case err == nil:
			return explain(cause)
		case !lost(err) && !again(err) && !readOnly(err):
			return errors.Join(fmt.Errorf("%w: it is unknown whether it was stored", port.ErrUnavailable), cause, err)
		}
		pause(ctx, 100*time.Millisecond)
	}
	return errors.Join(fmt.Errorf("%w: it is unknown whether it was stored", port.ErrUnavailable), cause)
}

// stored looks for what a group wrote. The number of its transaction is not enough: a server that crashed, or a replica
// that took over, may have given it to another one. It updates the head, which waits for the interrupted transaction if
// that is still under way, and for synchronous replicas: what is reported as stored is on them as well.
func (w *writer) stored(ctx context.Context, g *state) (stored bool, err error) {
	err = pgx.BeginFunc(ctx, w.s.write, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlTouchHead); err != nil {
			return err
		}
		query, args := g.trace()
		return tx.QueryRow(ctx, query, args...).Scan(&stored)
	})
	return stored, err
}

// trace is a query that reports whether the group is stored. It is stored as a whole, so one part of it is enough.
func (g *state) trace() (query string, args []any) {
	switch {
	case len(g.batches) > 0:
		j := slices.MinFunc(g.batches, func(a, b *job) int { return len(a.body) - len(b.body) })
		return sqlHasBatch, []any{j.feed, j.Run, j.last, j.body}
	case len(g.newAnswers) > 0:
		a := g.newAnswers[0]
		return sqlHasAnswer, []any{a.Key, a.Body, a.Status, storekit.Nanos(a.At)}
	case len(g.audit.n) > 0:
		last := len(g.audit.n) - 1
		return sqlHasEntry, []any{g.audit.n[last], g.audit.hash[last]}
	}
	return sqlCommitted, []any{g.xid} // it changed no more than a snapshot
}
