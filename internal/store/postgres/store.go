// Package postgres keeps everything in a PostgreSQL database that several
// processes on several machines share.
//
//	s, err := postgres.Open(ctx, "postgres://assent@db/assent")
//	defer s.Close()
//
// # Where things are
//
// Package aggregate, which Store embeds, has everything that is alike in both SQL
// stores; it gets the pool and its transactions from database.go. Here is what
// PostgreSQL does its own way: append (log.go, state.go, flush.go), the writer
// (writer.go), pages of runs and of the inbox (run.go, inbox.go), blobs (blob.go),
// leadership (leader.go), and notifications (store.go).
//
// # Group commit and the feed
//
// The feed has to be numbered without gaps and in the order of commits, by
// writers that know nothing of each other. A sequence does neither: numbers of
// transactions that fail are lost, and a later number may commit first, so that
// a reader passes an event that is not visible yet. Here each process collects
// the writes of its goroutines, as the SQLite store does, and one short
// transaction stores the whole group: it locks the one row of the table head
// (state.load), decides about every write in memory (state.decide), and stores
// and commits everything with statements that take one array per column
// (state.flush). Processes take turns, but a turn is two round trips and one
// flush for hundreds of writes, so turns are not what a busy store waits for.
//
// Everything else is an ordinary transaction on the pool. If it also writes
// audit entries, it locks the row of head last, just before it commits; if it
// locks rows that groups change, it has to lock head first (WriteAlone).
//
// # Leadership and notifications
//
// An advisory lock on a connection of its own makes one process the leader; the
// server releases it when that connection ends. Each leader takes a new epoch,
// and a write that carries an older one is refused, so a leader that was
// replaced without noticing changes nothing. LISTEN tells other processes that
// the feed has grown, or that there is a new data key.
//
// # Migrations and encrypted columns
//
// Both work as in package sqlite. One process at a time migrates, under an advisory
// lock; the table assent_schema holds the number of the last migration.
//
// # Adding a table
//
// Write the migration with the same number here and in package sqlite, and then
// as its package comment says.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	readersMax  = 8
	connectWait = 5 * time.Second
)

// settings of every connection, unless the address says otherwise: compiling
// a query takes longer than any of ours runs.
var settings = map[string]string{"application_name": "assent", "jit": "off"}

// The writer finds rows by their keys and nothing else. Statistics that lag
// behind tables which grow fast must not talk the server into reading all of
// one, and a plan that never changes need not be made anew.
var writerSettings = map[string]string{
	"plan_cache_mode": "force_generic_plan",
	"enable_seqscan":  "off", "enable_hashjoin": "off", "enable_mergejoin": "off",
}

// Store is a store.Store in a database.
type Store struct {
	aggregate.Aggregates

	config *pgx.ConnConfig
	pool   *pgxpool.Pool // for reading and for what is rare
	write  *pgxpool.Pool // one connection, used by the writer alone
	writer *writer
	watch  storekit.Watchers
	vault  storekit.Vault
	lead   lead

	life    context.Context // ends with Close
	end     context.CancelFunc
	tasks   sync.WaitGroup
	closing sync.Once
}

var _ store.Store = (*Store)(nil)

// Name is what tells the database at an address from others: nothing of how one
// gets in.
func Name(url string) string {
	c, err := pgx.ParseConfig(url)
	if err != nil {
		return "" // Open says what is wrong with it
	}
	return fmt.Sprintf("%s:%d/%s %s", c.Host, c.Port, c.Database, c.RuntimeParams["search_path"])
}

// Open connects to a database and brings its schema up to date. With keys, values
// are sealed from now on; the first of them is the one for new values.
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

// set adds settings that the address does not mention.
func set(c *pgx.ConnConfig, settings map[string]string) {
	for name, value := range settings {
		if _, given := c.RuntimeParams[name]; !given {
			c.RuntimeParams[name] = value
		}
	}
}

// Close commits what is queued, gives the lead up and stops every goroutine.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), connectWait)
		defer cancel()
		s.writer.queue.Stop()
		s.end()
		s.lead.mu.Lock() // whoever waits for the lead has seen the end
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

// listen connects for notifications.
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

// hear wakes watchers when another process has written. When the connection
// was away they are woken as well, since something may have come meanwhile.
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

// hearOnce waits for a notification, and asks now and then whether the other
// side is still there.
func (s *Store) hearOnce(c *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(s.life, 5*time.Second)
	defer cancel()
	n, err := c.WaitForNotification(ctx)
	if err == nil && n.Channel == keysChannel {
		_ = s.vault.Renew(ctx) // the key in use is as good until the next word
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
	_ = c.Close(ctx) // it is given up either way
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
