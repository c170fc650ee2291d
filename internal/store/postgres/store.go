// Package postgres stores everything in a PostgreSQL database that several processes on several machines
// share.
//
//	s, err := postgres.Open(ctx, "postgres://assent@db/assent")
//	defer s.Close()
//
// # Layout
//
// Package aggregate, which Store embeds, contains everything that is the same in both SQL stores; it gets the
// pool and its transactions from database.go. This package contains what is specific to PostgreSQL: append
// (log.go, state.go, flush.go), the writer (writer.go), pages of runs and of the inbox (run.go, inbox.go),
// blobs (blob.go), leadership (leader.go), and notifications (store.go).
//
// # Group commit and the feed
//
// The feed has to be numbered without gaps and in the order of commits, by independent writers. A sequence
// guarantees neither: numbers of failed transactions are lost, and a later number may commit first, so that a
// reader skips an event that is not visible yet. Instead, each process collects the writes of its goroutines,
// as the SQLite store does, and one short transaction stores the whole group: it locks the one row of the
// table head (state.load), accepts or rejects every write in memory (state.decide), and stores and commits
// everything with statements that take one array per column (state.flush). Processes take turns, but a turn
// is two round trips and one flush for hundreds of writes, so turns are not the bottleneck of a busy store.
//
// Everything else is an ordinary transaction on the pool. If it also writes audit entries, it locks the row
// of head last, just before it commits; if it locks rows that groups change, it has to lock head first
// (WriteAlone).
//
// # Leadership and notifications
//
// An advisory lock on a connection of its own makes one process the leader; the server releases it when that
// connection ends. Each leader starts a new epoch, and a write with an older one is rejected, so a leader
// that was replaced without noticing changes nothing. LISTEN notifies other processes that the feed has
// grown, or that there is a new data key.
//
// # Migrations and encrypted columns
//
// Both work as in package sqlite. One process at a time migrates, under an advisory lock; the table
// assent_schema contains the number of the last migration.
//
// # Adding a table
//
// Write a migration with the next free number here, and one in package sqlite (the numbers differ), then follow
// its package comment.
package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/commit"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	readersMax  = 8
	connectWait = 5 * time.Second
)

// settings of every connection, unless the address overrides them: compiling a query takes longer than
// running any of ours.
var settings = map[string]string{"application_name": "assent", "jit": "off"}

// The writer finds rows only by their keys. Statistics that lag behind fast-growing tables must not lead the
// server to scan a whole table, and a plan that never changes need not be recomputed.
var writerSettings = map[string]string{
	"plan_cache_mode": "force_generic_plan",
	"enable_seqscan":  "off", "enable_hashjoin": "off", "enable_mergejoin": "off",
}

// Store is a store.Store in a database.
type Store struct {
	aggregate.Aggregates

	config *pgx.ConnConfig
	pool   *pgxpool.Pool // for reads and rare writes
	write  *pgxpool.Pool // one connection, used by the writer alone
	writer *writer
	watch  commit.Watchers
	vault  storekit.Vault
	lead   lead

	life    context.Context // ends with Close
	end     context.CancelFunc
	tasks   sync.WaitGroup
	closing sync.Once
}

var _ store.Store = (*Store)(nil)

// Identity tells this database from every other, so that programs beside it can keep their names apart. A server that
// takes over from another has the same identity; a copy that was restored from a dump has its own.
func (s *Store) Identity(ctx context.Context) (string, error) {
	var parts [3]string
	if err := s.pool.QueryRow(ctx, `SELECT (SELECT system_identifier::text FROM pg_control_system()),
		(SELECT oid::text FROM pg_database WHERE datname = current_database()), current_schema()::regnamespace::oid::text`).
		Scan(&parts[0], &parts[1], &parts[2]); err != nil {
		return "", fmt.Errorf("identify the database: %w", explain(err))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts[:], "/")))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:12]), nil
}

// Name identifies the database at an address, without credentials.
func Name(url string) string {
	c, err := pgx.ParseConfig(url)
	if err != nil {
		return "" // Open reports what is wrong with it
	}
	return fmt.Sprintf("%s:%d/%s %s", c.Host, c.Port, c.Database, c.RuntimeParams["search_path"])
}

// Open connects to a database and upgrades its schema. With keys, values are encrypted from now on; the first
// key is used for new values.
func Open(ctx context.Context, url string, keys ...seal.Key) (*Store, error) {
	s, err := open(ctx, url, keys)
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", explain(err))
	}
	return s, nil
}

func open(ctx context.Context, url string, keys []seal.Key) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the address of the database: %w", err)
	}
	config.ConnConfig.ConnectTimeout = connectWait
	set(config.ConnConfig, settings)
	config.MaxConns = max(config.MaxConns, readersMax)
	if err := migrate(ctx, config.ConnConfig); err != nil {
		return nil, err
	}
	s := &Store{config: config.ConnConfig}
	s.Aggregates = aggregate.New(database{s}, &s.vault, dialect)
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	single := config.Copy()
	single.MaxConns, single.MinConns = 1, 1
	set(single.ConnConfig, writerSettings)
	if s.write, err = pgxpool.NewWithConfig(ctx, single); err != nil {
		s.pool.Close()
		return nil, err
	}
	s.life, s.end = context.WithCancel(context.Background())
	listening, err := s.listen(ctx)
	if err == nil {
		if err = s.vault.Start(ctx, s.keyTable(), keys); err != nil {
			closeConn(listening)
		}
	}
	if err != nil {
		s.end()
		s.write.Close()
		s.pool.Close()
		return nil, err
	}
	s.writer = startWriter(s)
	s.tasks.Go(func() { s.hear(listening) })
	return s, nil
}

// set adds settings that the address does not contain.
func set(c *pgx.ConnConfig, settings map[string]string) {
	for name, value := range settings {
		if _, given := c.RuntimeParams[name]; !given {
			c.RuntimeParams[name] = value
		}
	}
}

// Close commits queued writes, resigns leadership and stops all goroutines.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), connectWait)
		defer cancel()
		s.writer.queue.Stop()
		s.end()
		s.lead.mu.Lock() // waiters for leadership have been notified
		err = s.lead.close(ctx)
		s.lead.mu.Unlock()
		s.tasks.Wait()
		s.watch.Close()
		s.write.Close()
		s.pool.Close()
	})
	return err
}

// Watch implements port.Feed.
func (s *Store) Watch(ctx context.Context) <-chan struct{} { return s.watch.Add(ctx) }

// listen opens the connection for notifications.
func (s *Store) listen(ctx context.Context) (*pgx.Conn, error) {
	c, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return nil, err
	}
	if _, err := c.Exec(ctx, sqlListen); err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	return c, nil
}

// hear wakes watchers when another process has written. They are also woken after a lost connection, since
// notifications may have been missed.
func (s *Store) hear(c *pgx.Conn) {
	for s.life.Err() == nil {
		if c == nil {
			var err error
			if c, err = s.listen(s.life); err != nil {
				pause(s.life, 200*time.Millisecond)
				continue
			}
			s.watch.Wake()
		}
		err := s.hearOnce(c)
		if err == nil {
			continue
		}
		closeConn(c)
		c = nil
	}
	if c != nil {
		closeConn(c)
	}
}

// hearOnce waits for a notification, and periodically checks whether the server is still there.
func (s *Store) hearOnce(c *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(s.life, 5*time.Second)
	defer cancel()
	n, err := c.WaitForNotification(ctx)
	if err == nil && n.Channel == keysChannel {
		_ = s.vault.Renew(ctx) // the current key remains usable until the next notification
		return nil
	}
	if err == nil {
		s.watch.Wake()
		return nil
	}
	if s.life.Err() != nil || c.IsClosed() {
		return err
	}
	ping, cancelPing := context.WithTimeout(s.life, 2*time.Second)
	defer cancelPing()
	return c.Ping(ping)
}

func closeConn(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Close(ctx) // it is closed either way
}

// pause waits for a duration, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
