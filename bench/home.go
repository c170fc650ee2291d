package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/jackc/pgx/v5"
)

// homes creates fresh homes of one kind of store.
type homes interface {
	store() string
	fresh(ctx context.Context, name string) (home, error)
}

// home is where a store keeps everything: a directory, or a schema in a database. Its text is enough to find
// it from another process.
type home string

// shared reports whether several processes may use the store at the same time.
func (h home) shared() bool { return strings.Contains(string(h), "://") }

func (h home) open(ctx context.Context) (store.Store, error) {
	if h.shared() {
		return postgres.Open(ctx, string(h))
	}
	return sqlite.Open(ctx, string(h))
}

// settle does now what PostgreSQL does in the minutes after many writes, and what would disturb a measurement.
func (h home) settle(ctx context.Context) error {
	if !h.shared() {
		return nil
	}
	return execSQL(ctx, string(h), `VACUUM (ANALYZE) inbox, approvals, shares`)
}

func (h home) remove(ctx context.Context) error {
	if !h.shared() {
		return os.RemoveAll(string(h))
	}
	u, err := url.Parse(string(h))
	if err != nil {
		return err
	}
	return execSQL(ctx, string(h), `DROP SCHEMA `+u.Query().Get("search_path")+` CASCADE`)
}

// findHomes: SQLite always, PostgreSQL on request.
func (b *bench) findHomes(ctx context.Context, o options) error {
	b.homes = []homes{directories{b.dir}}
	address := o.db
	if o.postgres && address == "" {
		var err error
		if address, err = b.privatePostgres(); err != nil {
			return fmt.Errorf("start a PostgreSQL: %w", err)
		}
	}
	if address != "" {
		b.homes = append(b.homes, schemas{address})
	}
	return ctx.Err()
}

// directories are homes of SQLite.
type directories struct{ in string }

func (directories) store() string { return "sqlite" }

func (d directories) fresh(_ context.Context, name string) (home, error) {
	path, err := os.MkdirTemp(d.in, name+"-")
	return home(path), err
}

// schemas are homes of PostgreSQL.
type schemas struct{ database string }

func (schemas) store() string { return "postgres" }

func (s schemas) fresh(ctx context.Context, name string) (home, error) {
	schema := fmt.Sprintf("assent_bench_%d_%s", os.Getpid(), strings.ReplaceAll(name, "-", "_"))
	u, err := url.Parse(s.database)
	if err != nil {
		return "", err
	}
	if err := execSQL(ctx, s.database, `CREATE SCHEMA `+schema); err != nil {
		return "", err
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return home(u.String()), nil
}

func execSQL(ctx context.Context, address, sql string) error {
	c, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, sql)
	return errors.Join(err, c.Close(ctx))
}

// sizeOf is the size of a directory in bytes; unknown for a database.
func (h home) sizeOf() (bytes int64) {
	if h.shared() {
		return 0
	}
	_ = filepath.Walk(string(h), func(_ string, info os.FileInfo, err error) error { // for a note only
		if err == nil && !info.IsDir() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
