package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

// job is a write to a run, an answer to be kept, or entries of the audit log.
type job struct {
	storekit.Job
	port.Write
	found  storekit.Found
	body   []byte
	refs   []string // blobs that the events refer to
	last   int64
	feed   int64
	answer *port.Answer // to be kept; nil for a write
	kept   port.Answer  // what is kept in the end
	forms  []*port.AuditForm
	entry  int64 // number of the last of them
	// entriesOnly says that there is no write to a run.
	entriesOnly bool
}

type writer struct {
	s     *Store
	queue *storekit.Queue[*job]
}

// groupWait bounds one commit; a server that needs longer is taken for dead.
const groupWait = 60 * time.Second

func startWriter(s *Store) *writer {
	w := &writer{s: s}
	w.queue = storekit.NewQueue(w.attempt)
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
				w.s.watch.Wake() // others hear it from the server
			}
			return false, nil
		case g.committing && lost(err):
			return false, w.inquire(g, err)
		case !again(err):
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

// undo rolls back. If that does not work the pool throws the connection away,
// and the server rolls back by itself.
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

// inquire asks what became of a commit whose answer was lost with the
// connection. The server remembers transactions by their numbers.
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
			return errors.Join(fmt.Errorf("%w: nobody knows whether it was stored", port.ErrUnavailable), cause, err)
		}
		pause(ctx, 100*time.Millisecond)
	}
	return errors.Join(fmt.Errorf("%w: nobody knows whether it was stored", port.ErrUnavailable), cause)
}
