package postgres

import (
	"context"
	"errors"
	"fmt"
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

// inquire determines the outcome of a commit whose answer was lost with the connection. The server keeps the
// status of transactions by their numbers.
func (w *writer) inquire(g *state, cause error) error {
	ctx, cancel := context.WithTimeout(w.s.life, 2*connectWait)
	defer cancel()
	for ctx.Err() == nil {
		var status *string
		err := w.s.write.QueryRow(ctx, sqlCommitted, g.xid).Scan(&status)
		switch {
		case err == nil && status != nil && *status == "committed":
			w.s.watch.Wake()
			return nil
		case err == nil && (status == nil || *status == "aborted"):
			return explain(cause)
		case err != nil && !lost(err):
			return errors.Join(fmt.Errorf("%w: it is unknown whether it was stored", port.ErrUnavailable), cause, err)
		}
		pause(ctx, 100*time.Millisecond)
	}
	return errors.Join(fmt.Errorf("%w: it is unknown whether it was stored", port.ErrUnavailable), cause)
}
