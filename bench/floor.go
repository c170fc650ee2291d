package main

import (
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver that the store uses
)

// floor is what the machine itself does: nothing durable can be faster than a
// flush, and nothing in SQLite than a commit of one row.
type floor struct {
	FsyncP50 float64 `json:"fsync_p50_ms"` // 4 KiB appended to a file and flushed
	FsyncP99 float64 `json:"fsync_p99_ms"`
	Commits  float64 `json:"sqlite_commits_per_s"` // of one row each, WAL, synchronous=FULL
}

const (
	byFsync   = "fsync p50"
	byCommits = "single-row commits/s"
)

func (b *bench) measureFloor() error {
	b.topic, b.store = "floor", "-"
	took, err := fsyncs(filepath.Join(b.dir, "floor"), b.sizes.floor, 4<<10)
	if err != nil {
		return err
	}
	fsync := latencies("append 4 KiB and fsync", took)
	commits, err := singleRowCommits(filepath.Join(b.dir, "floor.db"), b.sizes.floor)
	if err != nil {
		return err
	}
	b.floor = floor{fsync.Figures[p50], fsync.Figures[p99], commits}
	b.report(fsync)
	b.report(single("SQLite commits of one row", "/s", commits))
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

func singleRowCommits(path string, n int) (perSecond float64, err error) {
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
	defer insert.Close() //nolint:errcheck // the database is closed right behind it
	began := time.Now()
	for range n {
		if _, err := insert.Exec("some text of a modest length"); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(began).Seconds(), nil
}
