// Package sqlite keeps everything in one directory of one machine: a SQLite
// database in WAL mode and, beside it, the bodies and blobs too large for rows.
//
//	s, err := sqlite.Open(ctx, "./.assent")
//	defer s.Close()
//
// One goroutine owns the one connection that writes. It takes whatever waits
// in its queue, a single append or hundreds, and commits it at once: with
// synchronous=FULL the disk is asked to flush once per commit, so the busier
// the store, the cheaper a write. Readers have connections of their own and
// never wait for the writer.
//
// A directory belongs to one process at a time. A second one is refused with
// the number of the first.
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
	"github.com/assent-run/assent/internal/store/wire"
	_ "modernc.org/sqlite" // the driver, in pure Go
)

const (
	fileName   = "assent.db"
	lockName   = "assent.lock"
	blobsName  = "blobs"  // by content
	bodiesName = "bodies" // of writes and snapshots, under random names
	tmpName    = "tmp"    // what is being written; emptied when the store opens
)

// Store is a store.Store in a directory.
type Store struct {
	dir    string
	lock   *lockFile
	write  *sql.DB // one connection, used by the writer alone
	read   *sql.DB
	often  sync.Map // query → *sql.Stmt: what runs are loaded by
	writer *writer
	watch  wire.Watchers
	lead   lead
	vault  wire.Vault
	bodies folder
	blobs  folder

	filing  sync.RWMutex // held between a blob's file and its row; see CollectBlobs
	copying sync.Mutex   // held by a backup

	rewriting sync.Mutex // held by whoever seals what is stored

	closing sync.Once
	closed  error
}

var _ store.Store = (*Store)(nil)

// Open opens the store in dir and makes it if it is not there. With keys, values
// are sealed from now on; the first of them is the one for new values.
func Open(ctx context.Context, dir string, keys ...seal.Key) (*Store, error) {
	s, err := open(ctx, dir, keys)
	if err != nil {
		return nil, fmt.Errorf("open the store in %s: %w", dir, explain(err))
	}
	return s, nil
}

// private makes the database's file, if it is not there, so that nobody else can
// read it. SQLite gives the files beside it the same rights.
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
	path := filepath.Join(dir, fileName)
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
	if err := syncDir(dir); err != nil { // the names of what was just made
		return nil, err
	}
	_ = syncDir(filepath.Dir(filepath.Clean(dir))) // we may not be allowed to look there
	if s.read, err = sql.Open("sqlite", readDSN(path)); err != nil {
		return nil, err
	}
	readers := max(4, 2*runtime.GOMAXPROCS(0))
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)
	if s.writer, err = startWriter(ctx, s); err != nil {
		return nil, err
	}
	if err := s.vault.Start(ctx, keyTable{s}, keys); err != nil {
		s.writer.stop()
		return nil, err
	}
	return s, nil
}

// writeDSN: FULL asks the disk to flush every commit. The log is folded back
// into the database every 16 MB, which costs two flushes more.
func writeDSN(path string) string {
	q := url.Values{"_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "wal_autocheckpoint(4000)",
		"journal_size_limit(67108864)", "cache_size(-65536)", "temp_store(MEMORY)", "secure_delete(1)",
	}}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

func readDSN(path string) string {
	q := url.Values{"_pragma": {"busy_timeout(10000)", "query_only(1)", "cache_size(-16384)", "temp_store(MEMORY)"}}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// Close commits what is queued, stops every goroutine and gives the directory
// free. Whoever still waits for something gets port.ErrUnavailable.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.writer.stop()
		s.lead.close()
		s.watch.Close()
		s.closed = s.release()
	})
	return s.closed
}

// release closes what is open, also of a store that did not open all the way.
func (s *Store) release() error {
	var errs []error
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
	for _, d := range []string{dir, filepath.Join(dir, blobsName), filepath.Join(dir, bodiesName), filepath.Join(dir, tmpName)} {
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
