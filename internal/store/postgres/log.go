package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/commit"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Append implements port.Log.
func (s *Store) Append(ctx context.Context, w port.Write) (int64, error) {
	if err := storekit.CheckWrite(&w); err != nil {
		return 0, err
	}
	body, err := storekit.EncodeBatch(w.Events)
	if err != nil {
		return 0, fmt.Errorf("append to run %s: %w", w.Run, err)
	}
	if len(body) > storekit.BodyMax {
		return 0, fault.Newf(fault.TooLarge, "%d bytes of events are more than %d", len(body), storekit.BodyMax)
	}
	forms, err := storekit.Forms(w.Audit)
	if err != nil {
		return 0, fmt.Errorf("append to run %s: %w", w.Run, err)
	}
	if err := s.vault.Refresh(ctx); err != nil {
		return 0, fmt.Errorf("append to run %s: %w", w.Run, err)
	}
	taught, err := s.vault.TaughtBy(&w)
	if err != nil {
		return 0, fmt.Errorf("append to run %s: %w", w.Run, err)
	}
	found := s.vault.HideWrite(&w)
	j := &job{
		Job: commit.Job{Bytes: len(body) + len(w.Snapshot)}, Write: w, found: found, taught: taught,
		refs: storekit.BlobsIn(body), last: w.After + int64(len(w.Events)), forms: forms,
	}
	j.body = s.vault.HideBatch(w.Run, j.last, body)
	if err := s.writer.queue.Do(ctx, j); err != nil {
		return 0, fmt.Errorf("append to run %s: %w", w.Run, err)
	}
	return j.feed, nil
}

// Batches implements aggregate.Log. The server applies the limits, because it sends every row it has started
// to send.
func (d database) Batches(
	ctx context.Context, q aggregate.BatchQuery, next func(*storekit.Batch) (bool, error),
) error {
	query := sqlBatchesOfRun
	switch {
	case q.Run == "":
		query = sqlFeed
	case q.Feed:
		query = sqlFeedOfRun
	}
	rows, err := d.s.pool.Query(ctx, query, q.Run, q.After, q.Events, storekit.ReadBytes)
	if err != nil {
		return explain(err)
	}
	return explain(eachBatch(rows, next))
}

func eachBatch(rows pgx.Rows, next func(*storekit.Batch) (bool, error)) error {
	defer rows.Close()
	for more := true; more && rows.Next(); {
		var b storekit.Batch
		err := rows.Scan(&b.LastFeed, &b.Run, &b.LastSeq, &b.Count, (*pgtype.DriverBytes)(&b.Body))
		if err == nil {
			more, err = next(&b)
		}
		if err != nil {
			return err
		}
	}
	rows.Close()
	return rows.Err()
}

// Past implements local.Past: what a run is loaded from, in one round trip.
func (s *Store) Past(ctx context.Context, id string) (port.RunRow, []port.Record, error) {
	return aggregate.Past(&s.Aggregates, id, func(row func(storekit.Row) error,
		next func(*storekit.Batch) (bool, error)) error {
		b := &pgx.Batch{}
		b.Queue(sqlPastRun, id).QueryRow(func(r pgx.Row) error { return row(r) })
		b.Queue(sqlPastBatches, id, 0, storekit.ReadDefault, storekit.ReadBytes).Query(func(rows pgx.Rows) error {
			return eachBatch(rows, next)
		})
		return explain(s.pool.SendBatch(ctx, b).Close())
	})
}

// Trouble implements aggregate.Log.
func (d database) Trouble() error { return d.s.writer.queue.Trouble() }

// LatestSnapshot implements aggregate.Log.
func (d database) LatestSnapshot(ctx context.Context, run string, atMost int64) (seq int64, state []byte, err error) {
	err = d.s.pool.QueryRow(ctx, sqlSnapshot, run, atMost).Scan(&seq, &state)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return seq, state, explain(err)
}

// KeepAnswer implements aggregate.Log. It is committed with other writes.
func (d database) KeepAnswer(ctx context.Context, a port.Answer) (port.Answer, error) {
	j := &job{Job: commit.Job{Bytes: len(a.Answer)}, answer: &a}
	err := d.s.writer.queue.Do(ctx, j)
	return j.kept, err
}
