package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	beat     = time.Second     // how often a leader checks whether it still leads
	beatWait = 2 * time.Second // timeout of the check: together below the 5 s within which Lost must be reported
)

// lead is held through an advisory lock on a connection of its own, and published by the epoch in the table
// head.
type lead struct {
	mu    sync.Mutex // held while a caller competes for leadership
	state sync.Mutex // guards the fields below
	conn  *pgx.Conn
	epoch int64
	lost  chan struct{}
	ended chan struct{}
	stop  context.CancelFunc
}

// Lead implements port.Leader.
func (s *Store) Lead(ctx context.Context) (int64, <-chan struct{}, error) {
	l := &s.lead
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.life.Err() != nil { // Close would not end what is taken from here on
		return 0, nil, fmt.Errorf("acquire leadership: %w", errClosed)
	}
	if epoch, lost := l.current(); epoch != 0 {
		return epoch, lost, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	for {
		err := s.takeLead(ctx)
		switch {
		case err == nil:
			epoch, lost := l.current()
			return epoch, lost, nil
		case s.life.Err() != nil:
			return 0, nil, fmt.Errorf("acquire leadership: %w", errClosed)
		case ctx.Err() != nil:
			return 0, nil, fmt.Errorf("acquire leadership: %w", context.Cause(ctx))
		case !lost(err):
			return 0, nil, fmt.Errorf("acquire leadership: %w", explain(err))
		}
		pause(ctx, 200*time.Millisecond) // the server is down; it will come back
	}
}

// takeLead waits for the lock and starts a new epoch.
func (s *Store) takeLead(ctx context.Context) (err error) {
	config := s.config.Copy()
	// The server also has to notice a leader whose machine is gone, or its lock would stay.
	for name, value := range map[string]string{"tcp_keepalives_idle": "3", "tcp_keepalives_interval": "1",
		"tcp_keepalives_count": "3"} {
		config.RuntimeParams[name] = value
	}
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			closeConn(c)
		}
	}()
	if _, err := c.Exec(ctx, sqlLead); err != nil {
		return err
	}
	var epoch int64
	if err := c.QueryRow(ctx, sqlNextEpoch).Scan(&epoch); err != nil {
		return err
	}
	s.lead.begin(s, c, epoch)
	return nil
}

func (l *lead) begin(s *Store, c *pgx.Conn, epoch int64) {
	l.state.Lock()
	defer l.state.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	l.conn, l.epoch, l.stop = c, epoch, stop
	l.lost, l.ended = make(chan struct{}), make(chan struct{})
	lost, ended := l.lost, l.ended
	s.tasks.Go(func() {
		defer close(ended)
		for holds(ctx, c, epoch) {
			pause(ctx, beat)
		}
		l.state.Lock()
		defer l.state.Unlock()
		l.epoch = 0
		close(lost)
		if ctx.Err() == nil { // not resigned: the connection is no longer usable
			closeConn(c)
		}
	})
}

// holds reports whether the connection is alive and the epoch is still ours.
func holds(ctx context.Context, c *pgx.Conn, epoch int64) bool {
	if ctx.Err() != nil {
		return false
	}
	// Not derived from ctx: cancelling a query breaks the connection, which
	// resigning still needs.
	wait, cancel := context.WithTimeout(context.Background(), beatWait)
	defer cancel()
	var now int64
	return c.QueryRow(wait, sqlEpoch).Scan(&now) == nil && now == epoch
}

func (l *lead) current() (int64, <-chan struct{}) {
	l.state.Lock()
	defer l.state.Unlock()
	return l.epoch, l.lost
}

// Epoch implements port.Leader.
func (s *Store) Epoch(ctx context.Context) (epoch int64, err error) {
	if err := s.pool.QueryRow(ctx, sqlEpoch).Scan(&epoch); err != nil {
		return 0, fmt.Errorf("read the leader's epoch: %w", explain(err))
	}
	return epoch, nil
}

// Resign implements port.Leader.
func (s *Store) Resign(ctx context.Context) error {
	if err := s.lead.close(ctx); err != nil {
		return fmt.Errorf("release leadership: %w", explain(err))
	}
	return nil
}

// close ends the epoch, so that nothing more is written under it, and then releases the lock.
func (l *lead) close(ctx context.Context) error {
	l.state.Lock()
	c, epoch, stop, ended := l.conn, l.epoch, l.stop, l.ended
	l.state.Unlock()
	if epoch == 0 {
		return nil
	}
	stop()
	select {
	case <-ended:
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err := c.Exec(ctx, sqlEndEpoch, epoch)
	if lost(err) {
		err = nil // then the lock is gone as well
	}
	return errors.Join(err, c.Close(ctx))
}
