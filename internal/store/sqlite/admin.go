package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
)

// Queries of Check. Each returns nothing in a healthy store, or names the problem.
var checks = []struct{ what, sql string }{
	{"the database", `SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok' LIMIT 20`},
	{"a reference", `SELECT "table" || ' names a missing ' || parent FROM pragma_foreign_key_check LIMIT 20`},
	{"the feed", `SELECT 'a gap before ' || last_feed FROM
		(SELECT last_feed, count, lag(last_feed, 1, 0) OVER (ORDER BY last_feed) AS before FROM batches)
		WHERE last_feed - count <> before LIMIT 20`},
	{"a log", `SELECT 'run ' || run || ' has a gap before ' || last_seq FROM
		(SELECT run, last_seq, count, lag(last_seq, 1, 0) OVER (PARTITION BY run ORDER BY last_seq) AS before
		FROM batches) WHERE last_seq - count <> before LIMIT 20`},
	{"a run", `SELECT 'run ' || id || ' says ' || seq || ', its log ends elsewhere' FROM runs
		WHERE seq <> coalesce((SELECT max(last_seq) FROM batches WHERE run = id), 0) LIMIT 20`},
	{"the inbox", `SELECT 'approval ' || id || ' is not filed as it stands' FROM approvals a WHERE NOT EXISTS
		(SELECT 1 FROM inbox i WHERE i.who = '**' AND i.status = a.status AND i.rank = -a.priority
		AND i.requested_at = a.requested_at AND i.approval = a.id) LIMIT 20`},
}

// Check looks for damage: in the database, between its tables, and among the files next to it. It reads
// everything, so the time depends on the size.
func (s *Store) Check(ctx context.Context) error {
	var errs []error
	for _, c := range checks {
		found, err := collect(aggregate.ScanText)(s.read.QueryContext(ctx, c.sql))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.what, explain(err)))
			continue
		}
		for _, text := range found {
			errs = append(errs, fmt.Errorf("%s: %s", c.what, text))
		}
	}
	errs = append(errs, s.checkFiles(ctx))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("check the store in %s: %w", s.dir, err)
	}
	return nil
}

func (s *Store) checkFiles(ctx context.Context) error {
	type file struct {
		name string
		size int64
	}
	var errs []error
	for _, c := range []struct {
		in  folder
		sql string
	}{
		{s.bodies, `SELECT file, -1 FROM batches WHERE file IS NOT NULL`},
		{s.blobs, `SELECT substr(id, 8), size FROM blobs WHERE data IS NULL AND size > 0`},
	} {
		scan := func(r storekit.Row) (f file, err error) { return f, r.Scan(&f.name, &f.size) }
		files, err := collect(scan)(s.read.QueryContext(ctx, c.sql))
		if err != nil {
			return explain(err)
		}
		for _, f := range files {
			info, err := os.Stat(c.in.of(f.name))
			if err != nil {
				errs = append(errs, fmt.Errorf("a file: %w", err))
			} else if f.size >= 0 && info.Size() != f.size && info.Size() != storekit.SealedSize(f.size) {
				errs = append(errs, fmt.Errorf("a file: %s has %d bytes, not %d", f.name, info.Size(), f.size))
			}
		}
	}
	return errors.Join(errs...)
}

// Backup copies the store, while it is in use, into a new directory that Open can open. The database comes
// first: files exist before anything refers to them and never change, so the files found afterwards are
// sufficient.
func (s *Store) Backup(ctx context.Context, dir string) error {
	if err := s.backup(ctx, dir); err != nil {
		return fmt.Errorf("back the store up to %s: %w", dir, explain(err))
	}
	return nil
}

func (s *Store) backup(ctx context.Context, dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("the directory is not empty")
	}
	if err := prepareDir(dir); err != nil {
		return err
	}
	s.copying.Lock()
	defer s.copying.Unlock()
	from := &url.URL{Path: filepath.Join(s.dir, FileName)}
	db, err := sql.Open("sqlite", "file:"+from.EscapedPath()+"?_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	to := filepath.Join(dir, FileName)
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, to)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if err := syncFile(to); err != nil {
		return err
	}
	for _, name := range []string{blobsName, bodiesName} {
		if err := copyTree(ctx, filepath.Join(s.dir, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return syncDir(dir)
}

// copyTree copies files; those that vanish in the meantime are not needed.
func copyTree(ctx context.Context, from, to string) error {
	shards, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, shard := range shards {
		dir := filepath.Join(to, shard.Name())
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		files, err := os.ReadDir(filepath.Join(from, shard.Name()))
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := copyFile(filepath.Join(from, shard.Name(), f.Name()), filepath.Join(dir, f.Name()))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return syncDir(to)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
