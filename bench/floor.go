package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "modernc.org/sqlite" // the driver that the store uses
)

// floor is the speed of the machine itself: nothing durable can be faster than a flush, and nothing in a
// database faster than a commit of one row.
type floor struct {
	FsyncP50 float64            `json:"fsync_p50_ms"` // 4 KiB appended to a file and flushed
	FsyncP99 float64            `json:"fsync_p99_ms"`
	Commits  map[string]float64 `json:"commits_per_s"` // of one row each, by store
}

// floorConnections commit to PostgreSQL concurrently. SQLite has one writer.
const floorConnections = 16

const (
	byFsync   = "fsync p50"
	byCommits = "single-row commits/s"
)

func (b *bench) measureFloor(ctx context.Context) error {
	b.topic, b.store = "floor", "-"
	took, err := fsyncs(filepath.Join(b.dir, "floor"), b.sizes.floor, 4<<10)
	if err != nil {
		return err
	}
	fsync := latencies("append 4 KiB and fsync", took)
	b.report(fsync)
	b.floor = floor{fsync.Figures[p50], fsync.Figures[p99], map[string]float64{}}
	for _, kind := range b.homes {
		b.store = kind.store()
		h, err := kind.fresh(ctx, "floor")
		if err != nil {
			return err
		}
		name, commits := "commits of one row", 0.0
		if h.shared() {
			name = fmt.Sprintf("%s, %d connections", name, floorConnections)
			commits, err = postgresCommits(ctx, string(h), b.sizes.commits)
		} else {
			commits, err = sqliteCommits(filepath.Join(string(h), "floor.db"), b.sizes.commits)
		}
		if err := errors.Join(err, h.remove(ctx)); err != nil {
			return err
		}
		b.floor.Commits[b.store] = commits
		b.report(single(name, "/s", commits))
	}
	return nil
}

// fsyncs appends to a file and flushes it, n times.
func fsyncs(path string, n, size int) (took []time.Duration, err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(path)) }()
	page := make([]byte, size)
	for range n {
		at := time.Now()
		if _, err := f.Write(page); err != nil {
			return nil, err
		}
		if err := f.Sync(); err != nil {
			return nil, err
		}
		took = append(took, time.Since(at))
	}
	return took, nil
}

// sqliteCommits counts commits in WAL mode with synchronous=FULL, as in the store.
func sqliteCommits(path string, n int) (perSecond float64, err error) {
	pragmas := url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(FULL)"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+pragmas.Encode())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE t (n INTEGER PRIMARY KEY, x TEXT)`); err != nil {
		return 0, err
	}
	insert, err := db.Prepare(`INSERT INTO t (x) VALUES (?)`)
	if err != nil {
		return 0, err
	}
	defer insert.Close() //nolint:errcheck // the database is closed right after
	began := time.Now()
	for range n {
		if _, err := insert.Exec("some text of a modest length"); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(began).Seconds(), nil
}

// postgresCommits counts commits on several connections, with the server's settings.
func postgresCommits(ctx context.Context, address string, n int) (perSecond float64, err error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return 0, err
	}
	config.MaxConns, config.MinConns = floorConnections, floorConnections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, `CREATE TABLE t (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, x text)`); err != nil {
		return 0, err
	}
	began := time.Now()
	err = work.Many(n, floorConnections, func(int) error {
		_, err := pool.Exec(ctx, `INSERT INTO t (x) VALUES ($1)`, "some text of a modest length")
		return err
	})
	return float64(n) / time.Since(began).Seconds(), err
}
