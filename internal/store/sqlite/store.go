// Package sqlite stores everything in one directory on one machine: a SQLite database in WAL mode and, next
// to it, files for bodies and blobs that are too large for rows.
//
//	s, err := sqlite.Open(ctx, "./.assent")
//	defer s.Close()
//
// A directory belongs to one process at a time. A second one gets an error with the process id of the first.
//
// # Layout
//
// Accounts, definitions, lists and the audit log are the same in both SQL stores and implemented in package
// aggregate, which Store embeds; database.go provides it with this store's connections and transactions.
// Formats, limits, checks and encryption are in package storekit. This package contains what is specific to
// SQLite: append (append.go, run_write.go), the writer (writer.go), pages of runs and of the inbox (run.go,
// inbox.go), blobs and files (blob.go, file.go), leadership (leader.go), backup and check (admin.go).
//
// # Group commit
//
// One goroutine owns the only connection that writes. It takes all jobs in its queue, a single append or
// hundreds, and commits them at once: with synchronous=FULL the disk flushes once per commit, so the busier
// the store, the cheaper a write. Readers have connections of their own and never wait for the writer.
//
// A job that returns a fault is rejected, and the others of its group still commit, so it must check before
// it changes anything. Any other error rolls the group back, and each job is retried alone. Statements of the
// writer are prepared once and kept.
//
// # Leadership
//
// The process that holds the directory's lock may lead. Each time starts a new epoch in the table meta; a
// write with an older one is rejected. This is what stops a process that lost its lock and did not notice.
//
// # Migrations and encrypted columns
//
// Files in migrations run once, in order, in one transaction; the number of the last one is PRAGMA
// user_version. They are never changed after a release. Columns with text or bytes from people and agents are
// encrypted and decrypted by storekit.Vault. TestColumnsAreKnown fails for a column without a decision.
//
// # Adding a table
//
// Write a migration with the next free number here, and one in package postgres (the numbers differ). Add the
// queries to package aggregate (or to both stores, if append writes it), name the columns in columns_test.go and
// docs/data-protection.md, and test it in storetest, which runs on both stores with and without encryption.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/commit"
	"github.com/assent-run/assent/internal/store/storekit"
	_ "modernc.org/sqlite" // the driver, in pure Go
)

// FileName is the name of the database in the directory of a store.
const FileName = "assent.db"

const (
	lockName   = "assent.lock"
	blobsName  = "blobs"  // by content
	bodiesName = "bodies" // of writes and snapshots, under random names
	tmpName    = "tmp"    // files being written; emptied when the store opens
)

// Store is a store.Store in a directory.
type Store struct {
	aggregate.Aggregates

	dir    string
	lock   *lockFile
	write  *sql.DB // one connection, used by the writer alone
	read   *sql.DB
	often  sync.Map // query → *sql.Stmt: for loading runs
	writer *writer
	watch  commit.Watchers
	lead   lead
	epochs epochs
	vault  storekit.Vault
	bodies folder
	blobs  folder
	files  commit.Trouble // of writing the files of both

	filing  sync.RWMutex // held between a blob's file and its row; see CollectBlobs
	copying sync.Mutex   // held by a backup

	rewriting sync.Mutex // held while stored values are re-encrypted

	closing sync.Once
	closed  error
}

var _ store.Store = (*Store)(nil)

// Open opens the store in dir and creates it if it does not exist. With keys, values are encrypted from now
// on; the first key is used for new values.
func Open(ctx context.Context, dir string, keys ...seal.Key) (*Store, error) {
	s, err := open(ctx, dir, keys)
	if err != nil {
		return nil, fmt.Errorf("open the store in %s: %w", dir, explain(err))
	}
	return s, nil
}

// private creates the database's file, if it does not exist, with owner-only permissions. SQLite gives the
// files next to it the same permissions.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func open(ctx context.Context, dir string, keys []seal.Key) (_ *Store, err error) {
	if err := prepareDir(dir); err != nil {
		return nil, err
	}
	s := &Store{dir: dir}
	s.Aggregates = aggregate.New(database{s}, &s.vault, dialect)
	if s.lock, err = lockDir(filepath.Join(dir, lockName)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.release())
		}
	}()
	if err := emptyDir(filepath.Join(dir, tmpName)); err != nil {
		return nil, err
	}
	s.bodies = folder{path: filepath.Join(dir, bodiesName), tmp: filepath.Join(dir, tmpName)}
	s.blobs = folder{path: filepath.Join(dir, blobsName), tmp: filepath.Join(dir, tmpName)}
	path := filepath.Join(dir, FileName)
	if err := private(path); err != nil {
		return nil, err
	}
	if s.write, err = sql.Open("sqlite", writeDSN(path)); err != nil {
		return nil, err
	}
	s.write.SetMaxOpenConns(1)
	if err := migrate(ctx, s.write); err != nil {
		return nil, err
	}
	if err := syncDir(dir); err != nil { // the names of the new files
		return nil, err
	}
	_ = syncDir(filepath.Dir(filepath.Clean(dir))) // we may not be allowed to read that directory
	if s.read, err = sql.Open("sqlite", readDSN(path)); err != nil {
		return nil, err
	}
	readers := max(4, 2*runtime.GOMAXPROCS(0))
	s.read.SetMaxOpenConns(readers + 1) // one is used by epochs
	s.read.SetMaxIdleConns(readers + 1)
	if err := s.epochs.open(ctx, s.read); err != nil {
		return nil, err
	}
	if s.writer, err = startWriter(ctx, s); err != nil {
		return nil, err
	}
	if err := s.vault.Start(ctx, s.keyTable(), keys); err != nil {
		s.writer.stop()
		return nil, err
	}
	return s, nil
}

// writeDSN: FULL makes the disk flush every commit. The write-ahead log is checkpointed every 16 MB, which
// costs two more flushes.
func writeDSN(path string) string {
	q := url.Values{"_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "wal_autocheckpoint(4000)",
		"journal_size_limit(67108864)", "cache_size(-16384)", "temp_store(MEMORY)", "secure_delete(1)",
	}}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

func readDSN(path string) string {
	q := url.Values{"_pragma": {"busy_timeout(10000)", "query_only(1)", "cache_size(-16384)", "temp_store(MEMORY)"}}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// Close commits queued jobs, stops all goroutines and unlocks the directory. Callers that still wait get
// port.ErrUnavailable.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.writer.stop()
		s.lead.close()
		s.watch.Close()
		s.closed = s.release()
	})
	return s.closed
}

// release closes everything that is open, also after a failed Open.
func (s *Store) release() error {
	var errs []error
	s.epochs.close()
	if s.read != nil {
		errs = append(errs, s.read.Close())
	}
	if s.write != nil {
		errs = append(errs, s.write.Close())
	}
	errs = append(errs, s.lock.release())
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close the store in %s: %w", s.dir, err)
	}
	return nil
}

func prepareDir(dir string) error {
	for _, d := range []string{dir, filepath.Join(dir, blobsName), filepath.Join(dir, bodiesName), filepath.Join(dir,
		tmpName)} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	return nil
}

func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
