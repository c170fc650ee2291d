package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/commit"
	"github.com/assent-run/assent/internal/store/storekit"
)

// Batches implements aggregate.Log.
func (d database) Batches(
	ctx context.Context, q aggregate.BatchQuery, next func(*storekit.Batch) (bool, error),
) error {
	query, args := sqlBatchesOfRun, []any{q.Run, q.After}
	switch {
	case q.Run == "":
		query, args = sqlFeed, args[1:]
	case q.Feed:
		query = sqlFeedOfRun
	}
	stmt, err := d.s.prepared(ctx, query)
	if err != nil {
		return explain(err)
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return explain(err)
	}
	defer rows.Close() //nolint:errcheck // Err reports it
	for more := true; more && rows.Next(); {
		var b storekit.Batch
		if err = d.batch(rows, &b); err == nil {
			more, err = next(&b)
		}
		if err == nil && more {
			err = ctx.Err() // rows notices too, but only some time later
		}
		if err != nil {
			return explain(err)
		}
	}
	return explain(rows.Err())
}

// batch reads a row. Its body is the driver's own memory, valid until the next row.
func (d database) batch(rows *sql.Rows, b *storekit.Batch) error {
	var file sql.NullString
	err := rows.Scan(&b.LastFeed, &b.Run, &b.LastSeq, &b.Count, (*sql.RawBytes)(&b.Body), &file)
	if err == nil && file.Valid {
		if b.Body, err = d.s.bodies.get(file.String); err != nil {
			err = fmt.Errorf("read the body of batch %d: %w", b.LastFeed, err)
		}
	}
	return err
}

// Watch implements port.Feed.
func (s *Store) Watch(ctx context.Context) <-chan struct{} { return s.watch.Add(ctx) }

// Trouble implements aggregate.Log.
func (d database) Trouble() error { return cmp.Or(d.s.writer.queue.Trouble(), d.s.files.Err()) }

// LatestSnapshot implements aggregate.Log.
func (d database) LatestSnapshot(ctx context.Context, run string, atMost int64) (int64, []byte, error) {
	seq, state, err := d.s.snapshot(ctx, run, atMost)
	return seq, state, explain(err)
}

func (s *Store) snapshot(ctx context.Context, run string, atMost int64) (seq int64, state []byte, err error) {
	for {
		var file sql.NullString
		err := s.one(ctx, sqlSnapshot, run, atMost).Scan(&seq, &state, &file)
		if errors.Is(err, sql.ErrNoRows) {
			return 0, nil, nil
		}
		if err != nil || !file.Valid {
			return seq, state, err
		}
		if state, err = s.bodies.get(file.String); !errors.Is(err, fs.ErrNotExist) {
			return seq, state, err
		}
		// It has been replaced by a newer snapshot in the meantime. An older one is as good: the log contains
		// the rest.
		atMost = seq - 1
	}
}

// KeepAnswer implements aggregate.Log.
func (d database) KeepAnswer(ctx context.Context, a port.Answer) (kept port.Answer, err error) {
	err = d.s.writer.queue.Do(ctx, &job{Job: commit.Job{Bytes: len(a.Answer)}, do: func(t *tx) error {
		old, err := aggregate.ScanAnswer(transaction{t}.Row(sqlAnswer, a.Key))
		if errors.Is(err, sql.ErrNoRows) {
			kept = a
			return storeAnswer(t, &a)
		}
		kept = old
		return err
	}})
	return kept, err
}

func storeAnswer(t *tx, a *port.Answer) error {
	answer := a.Answer
	if answer == nil {
		answer = []byte{}
	}
	if err := t.exec(sqlInsertAnswer, a.Key, a.Body, a.Status, storekit.Nanos(a.At), answer); err != nil {
		return fmt.Errorf("store answer: %w", err)
	}
	return nil
}
