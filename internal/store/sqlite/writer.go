package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/assent-run/assent/internal/core/fault"
)

const (
	groupMax = 512     // jobs that share a commit
	groupMB  = 8 << 20 // bytes after which a group takes no more
	queueMax = 4096
)

// job is something to be done by the writer. It either refuses with a fault
// and has changed nothing, or changes what it has to; any other error undoes
// the whole commit, and its neighbours are then done again one by one.
type job struct {
	do    func(*tx) error
	bytes int
	state atomic.Int32 // waiting, taken or withdrawn
	done  chan struct{}
	err   error
	undo  func() // runs if the job was refused, to clean up outside of the database
}

const (
	waiting int32 = iota
	taken
	withdrawn
)

// writer owns the connection that writes.
type writer struct {
	s     *Store
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	queue chan *job
	quit  chan struct{}
	ended chan struct{}
	gate  sync.RWMutex // held for reading while a job is queued, so that stop sees all of them
	over  bool

	head   int64 // number of the newest event in the feed
	leader int64 // the epoch in force, 0 for none
}

// tx is one commit in the making.
type tx struct {
	*writer
	grew  bool
	after []func() // runs once it is durable
}

func startWriter(ctx context.Context, s *Store) (*writer, error) {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{
		s: s, conn: conn, stmts: map[string]*sql.Stmt{},
		queue: make(chan *job, queueMax), quit: make(chan struct{}), ended: make(chan struct{}),
	}
	if err := w.recall(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	go w.run()
	return w, nil
}

// recall reads what the writer otherwise keeps in memory.
func (w *writer) recall() error {
	return w.conn.QueryRowContext(context.Background(), sqlHead).Scan(&w.head)
}

// stop ends the writer; what is queued already is still done.
func (w *writer) stop() {
	w.gate.Lock()
	w.over = true
	w.gate.Unlock()
	close(w.quit)
	<-w.ended
}

// submit has the writer do something and waits until that is durable. If ctx
// ends before the writer took the job, nothing happens.
func (w *writer) submit(ctx context.Context, j *job) error {
	j.done = make(chan struct{})
	if err := w.enqueue(ctx, j); err != nil {
		j.refuse()
		return err
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if j.state.CompareAndSwap(waiting, withdrawn) {
			j.refuse()
			return ctx.Err()
		}
		<-j.done // it is being committed: the answer is near, and knowing is better
	}
	return j.err
}

func (w *writer) enqueue(ctx context.Context, j *job) error {
	w.gate.RLock()
	defer w.gate.RUnlock()
	if w.over {
		return errClosed
	}
	select {
	case w.queue <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refuse cleans up. It is only for jobs that are certainly not stored: after an
// I/O error a commit may turn out to be there when the store opens again.
func (j *job) refuse() {
	if j.undo != nil {
		j.undo()
	}
}

func (w *writer) run() {
	defer close(w.ended)
	group := make([]*job, 0, groupMax)
	for {
		select {
		case j := <-w.queue:
			group = w.gather(append(group[:0], j))
			w.commit(group)
		case <-w.quit:
			select {
			case j := <-w.queue:
				w.commit(w.gather(append(group[:0], j)))
				continue
			default:
			}
			w.closeConn()
			return
		}
	}
}

// gather adds whatever waits.
func (w *writer) gather(group []*job) []*job {
	size := group[0].bytes
	for len(group) < groupMax && size < groupMB {
		select {
		case j := <-w.queue:
			group = append(group, j)
			size += j.bytes
		default:
			return w.take(group)
		}
	}
	return w.take(group)
}

// take leaves out jobs that nobody waits for any more.
func (w *writer) take(group []*job) []*job {
	kept := group[:0]
	for _, j := range group {
		if j.state.CompareAndSwap(waiting, taken) {
			kept = append(kept, j)
		}
	}
	return kept
}

// commit does a group of jobs in one transaction, or each alone if one spoils it.
func (w *writer) commit(group []*job) {
	if len(group) == 0 {
		return
	}
	err := w.attempt(group)
	if err != nil && len(group) > 1 {
		for _, j := range group {
			if err := w.attempt([]*job{j}); err != nil {
				j.err = err
			}
		}
	} else if err != nil {
		group[0].err = err
	}
	for _, j := range group {
		if fault.CodeOf(j.err) != "" {
			j.refuse()
		}
		close(j.done)
	}
}

// attempt runs the jobs in one transaction. With an error, nothing is stored.
func (w *writer) attempt(group []*job) (err error) {
	t := &tx{writer: w}
	head, leader := w.head, w.leader
	if err := t.exec(`BEGIN IMMEDIATE`); err != nil {
		return explain(fmt.Errorf("begin: %w", err))
	}
	defer func() {
		if err == nil {
			return
		}
		w.head, w.leader = head, leader
		_ = t.exec(`ROLLBACK`) // the error that led here tells more; a full disk rolls back by itself
	}()
	for _, j := range group {
		j.err = nil
		if err := j.do(t); err != nil {
			if fault.CodeOf(err) == "" {
				return explain(err)
			}
			j.err = err
		}
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
	s, err := w.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	w.stmts[query] = s
	return s, nil
}

func (w *writer) exec(query string, args ...any) error {
	_, err := w.execN(query, args...)
	return err
}

// execN reports how many rows were changed.
func (w *writer) execN(query string, args ...any) (int64, error) {
	s, err := w.stmt(query)
	if err != nil {
		return 0, err
	}
	r, err := s.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
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

func (w *writer) closeConn() {
	for _, s := range w.stmts {
		_ = s.Close() // the connection is closed right behind it
	}
	_ = w.conn.Close() // gives it back to w.s.write, whose Close reports what went wrong
}
