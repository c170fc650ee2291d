package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"

	"github.com/assent-run/assent/internal/store/storekit"
)

// lead belongs to the process that holds the directory, once it asks for it. Each time starts a new epoch, so
// that work begun under an older one is fenced off.
type lead struct {
	mu    sync.Mutex
	epoch int64 // 0: no leader
	lost  chan struct{}
	over  bool // the store is closed
}

// Lead implements port.Leader.
func (s *Store) Lead(ctx context.Context) (int64, <-chan struct{}, error) {
	l := &s.lead
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.epoch != 0 {
		return l.epoch, l.lost, nil
	}
	var epoch int64
	err := s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		if _, err := t.queryRow(sqlEpoch, nil, &epoch); err != nil {
			return err
		}
		epoch++
		t.leader, t.stored = epoch, epoch
		return t.exec(sqlSetEpoch, epoch)
	}})
	if err != nil {
		return 0, nil, fmt.Errorf("acquire leadership: %w", err)
	}
	l.epoch, l.lost = epoch, make(chan struct{})
	return l.epoch, l.lost, nil
}

// Epoch implements port.Leader.
func (s *Store) Epoch(ctx context.Context) (epoch int64, err error) {
	s.lead.mu.Lock()
	leads, over := s.lead.epoch != 0, s.lead.over
	s.lead.mu.Unlock()
	switch {
	case over:
		return 0, fmt.Errorf("read the leader's epoch: %w", errClosed)
	case !leads:
		return 0, nil
	}
	// The directory is locked, but locks can be lost: a deleted file, a file system without locks. The
	// database records who led last.
	if epoch, err = s.epochs.read(ctx); err != nil {
		return 0, fmt.Errorf("read the leader's epoch: %w", explain(err))
	}
	return epoch, nil
}

// epochs reads the epoch in the file, which is read before every effect: on a connection of its own, and
// bypassing database/sql, as writer.do does.
type epochs struct {
	mu   sync.Mutex
	conn *sql.Conn
	stmt driver.StmtQueryContext
	row  [1]driver.Value
}

func (e *epochs) open(ctx context.Context, db *sql.DB) (err error) {
	if e.conn, err = db.Conn(ctx); err != nil {
		return err
	}
	return e.conn.Raw(func(c any) error {
		stmt, err := c.(driver.ConnPrepareContext).PrepareContext(ctx, sqlEpoch)
		if err == nil {
			e.stmt = stmt.(driver.StmtQueryContext)
		}
		return err
	})
}

func (e *epochs) read(ctx context.Context) (epoch int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	err = e.conn.Raw(func(any) error {
		// One page in memory: not worth a goroutine that waits for ctx.
		rows, err := e.stmt.QueryContext(context.Background(), nil)
		if err != nil {
			return err
		}
		err = errors.Join(rows.Next(e.row[:]), rows.Close())
		epoch, _ = e.row[0].(int64)
		return err
	})
	return epoch, err
}

func (e *epochs) close() {
	if e.stmt != nil {
		_ = e.conn.Raw(func(any) error { return e.stmt.(driver.Stmt).Close() }) // as writer.stop
	}
	if e.conn != nil {
		_ = e.conn.Close()
	}
}

// checkEpoch rejects a write by a leader that no longer leads.
func (t *tx) checkEpoch(given int64) error {
	if given == 0 {
		return nil
	}
	current := t.leader
	if current == given {
		// Another process may have taken leadership in the file (see Epoch), but not during this transaction:
		// one check is enough for a whole group.
		if t.stored == 0 {
			if _, err := t.queryRow(sqlEpoch, nil, &t.stored); err != nil {
				return fmt.Errorf("read the leader's epoch: %w", err)
			}
		}
		current = t.stored
	}
	if current != given {
		return storekit.Fenced(given, current)
	}
	return nil
}

// Resign implements port.Leader.
func (s *Store) Resign(ctx context.Context) error {
	l := &s.lead
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.epoch == 0 {
		return nil
	}
	err := s.writer.queue.Do(ctx, &job{do: func(t *tx) error { t.leader = 0; return nil }})
	if err != nil {
		return fmt.Errorf("release leadership: %w", err)
	}
	l.end()
	return nil
}

func (l *lead) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	l.end()
}

func (l *lead) end() {
	if l.epoch != 0 {
		l.epoch = 0
		close(l.lost)
	}
}
