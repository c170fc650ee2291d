package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/commit"
	"github.com/assent-run/assent/internal/store/storekit"
)

// job is a task for the writer. It either returns a fault and has changed nothing, or makes all its changes.
type job struct {
	commit.Job
	do func(*tx) error
}

// writer owns the connection that writes.
type writer struct {
	s     *Store
	conn  *sql.Conn
	stmts map[string]*sql.Stmt // that return rows
	queue *commit.Queue[*job]

	direct map[string]driver.StmtExecContext // that return none; see do
	named  []driver.NamedValue               // reused by do
	args   []any                             // reused by updateRun
	runs   knownRuns
	shares map[storekit.Share]bool // that are stored

	head       int64          // number of the newest event in the feed
	leader     int64          // the epoch in force, 0 for none
	generation int64          // of the definitions in force
	chain      storekit.Chain // the end of the audit log
	tails      tails          // rows whose words are not indexed
	tailMax    int            // constant except in tests
}

// tx is one commit in progress.
type tx struct {
	*writer
	grew    bool
	stored  int64           // the leader's epoch in the file, 0 before it was read
	after   []func()        // runs once it is durable
	entries []port.AuditRow // to be stored with the commit
}

func startWriter(ctx context.Context, s *Store) (*writer, error) {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{s: s, conn: conn, stmts: map[string]*sql.Stmt{}, direct: map[string]driver.StmtExecContext{},
		shares: map[storekit.Share]bool{}, tailMax: tailMax}
	w.runs = knownRuns{cells: map[string]cells{}, updates: map[uint32]string{}}
	if err := w.recall(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	w.queue = commit.NewQueue(func(group []*job) (alone bool, err error) { return true, w.attempt(group) })
	return w, nil
}

// recall reads the state that the writer otherwise keeps in memory.
func (w *writer) recall() error {
	ctx := context.Background()
	return errors.Join(
		w.conn.QueryRowContext(ctx, sqlHead).Scan(&w.head),
		w.conn.QueryRowContext(ctx, sqlGeneration).Scan(&w.generation),
		w.conn.QueryRowContext(ctx, sqlAuditEnd).Scan(&w.chain.N, &w.chain.Hash),
		w.countTails(),
	)
}

// stop stops the writer; queued jobs are still executed.
func (w *writer) stop() {
	w.queue.Stop()
	for _, s := range w.stmts {
		_ = s.Close() // the connection is closed right after
	}
	_ = w.conn.Raw(func(any) error {
		for _, s := range w.direct {
			_ = s.(driver.Stmt).Close() // as above
		}
		return nil
	})
	_ = w.conn.Close() // returns it to w.s.write, whose Close reports errors
}

// attempt runs the jobs in one transaction. After an error, nothing is stored.
func (w *writer) attempt(group []*job) (err error) {
	t := &tx{writer: w}
	head, leader, generation, chain, tails := w.head, w.leader, w.generation, w.chain, w.tails
	if err := t.exec(`BEGIN IMMEDIATE`); err != nil {
		return explain(fmt.Errorf("begin: %w", err))
	}
	defer func() {
		if err == nil {
			return
		}
		w.head, w.leader, w.generation, w.chain, w.tails = head, leader, generation, chain, tails
		w.runs.forget()
		clear(w.shares)
		_ = t.exec(`ROLLBACK`) // the original error is more informative; a full disk rolls back by itself
	}()
	for _, j := range group {
		if err := j.do(t); err != nil {
			if fault.CodeOf(err) == "" {
				return explain(err)
			}
			j.Err = err
		}
	}
	if err := errors.Join(t.storeAudit(), t.indexTails()); err != nil {
		return explain(err)
	}
	if err := t.exec(`COMMIT`); err != nil {
		return explain(fmt.Errorf("commit: %w", err))
	}
	for _, f := range t.after {
		f()
	}
	if t.grew {
		w.s.watch.Wake()
	}
	return nil
}

// stmt prepares each statement once.
func (w *writer) stmt(query string) (*sql.Stmt, error) {
	if s, ok := w.stmts[query]; ok {
		return s, nil
	}
	s, err := w.conn.PrepareContext(context.Background(), steady(query))
	if err != nil {
		return nil, err
	}
	w.stmts[query] = s
	return s, nil
}

func (w *writer) exec(query string, args ...any) error {
	_, err := w.do(query, args...)
	return err
}

// execN returns the number of changed rows.
func (w *writer) execN(query string, args ...any) (int64, error) {
	r, err := w.do(query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// do runs a statement that returns no rows. It bypasses database/sql, whose handling of arguments and
// connections costs more than a small statement itself: nothing but the writer uses the connection, so it need not be
// locked.
func (w *writer) do(query string, args ...any) (driver.Result, error) {
	s, ok := w.direct[query]
	if !ok {
		var err error
		if s, err = w.prepareDirect(query); err != nil {
			return nil, err
		}
	}
	w.named = w.named[:0]
	for i, a := range args {
		if n, ok := a.(int); ok {
			a = int64(n)
		}
		w.named = append(w.named, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return s.ExecContext(context.Background(), w.named)
}

func (w *writer) prepareDirect(query string) (s driver.StmtExecContext, err error) {
	err = w.conn.Raw(func(c any) error {
		prepared, err := c.(driver.ConnPrepareContext).PrepareContext(context.Background(), steady(query))
		if err == nil {
			s = prepared.(driver.StmtExecContext)
			w.direct[query] = s
		}
		return err
	})
	return s, err
}

// queryRow reads one row; found is false if there is none.
func (w *writer) queryRow(query string, args []any, to ...any) (found bool, err error) {
	s, err := w.stmt(query)
	if err != nil {
		return false, err
	}
	err = s.QueryRowContext(context.Background(), args...).Scan(to...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}
