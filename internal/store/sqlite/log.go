package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

// Events implements port.Log.
func (s *Store) Events(ctx context.Context, run string, after int64, limit int) ([]port.Record, error) {
	if !wire.Word(run) {
		return nil, nil
	}
	r := reading{s: s, afterSeq: after, limit: wire.ReadSize(limit)}
	if err := r.read(ctx, sqlBatchesOfRun, run, after); err != nil {
		return nil, fmt.Errorf("read events of run %s: %w", run, err)
	}
	return r.out, nil
}

// Feed implements port.Log.
func (s *Store) Feed(ctx context.Context, after int64, limit int, f port.FeedFilter) ([]port.Record, int64, error) {
	after = max(after, 0)
	r := reading{s: s, afterFeed: after, at: after, limit: wire.ReadSize(limit), types: f.Types}
	var err error
	switch {
	case f.Run == "":
		err = r.read(ctx, sqlFeed, after)
	case wire.Word(f.Run):
		err = r.read(ctx, sqlFeedOfRun, f.Run, after)
	}
	if err != nil {
		return nil, after, fmt.Errorf("read the feed behind %d: %w", after, err)
	}
	return r.out, r.at, nil
}

// Moves implements port.Log.
func (s *Store) Moves(ctx context.Context, after int64, limit int) (moves []port.Move, next int64, err error) {
	next = max(after, 0)
	moves, err = collect(func(rows *sql.Rows) (m port.Move, err error) { return m, rows.Scan(&next, &m.Run, &m.Seq) })(
		s.read.QueryContext(ctx, sqlMoves, next, wire.ReadSize(limit)))
	if err != nil {
		return nil, after, fmt.Errorf("read what moved behind %d: %w", after, explain(err))
	}
	return moves, next, nil
}

// reading is one read of events, bounded in number, bytes and effort.
type reading struct {
	s                   *Store
	afterSeq, afterFeed int64
	limit               int
	types               []string

	out    []port.Record
	at     int64 // the feed number looked at last
	looked int64
	bytes  int
}

func (r *reading) read(ctx context.Context, query string, args ...any) error {
	q, err := r.s.prepared(ctx, query)
	if err != nil {
		return explain(err)
	}
	rows, err := q.QueryContext(ctx, args...)
	if err != nil {
		return explain(err)
	}
	defer rows.Close() //nolint:errcheck // Err tells
	for len(r.out) < r.limit && r.bytes < wire.ReadBytes && r.looked < wire.ScanMax && rows.Next() {
		if err := r.batch(rows); err != nil {
			return explain(err)
		}
	}
	return explain(rows.Err())
}

func (r *reading) batch(rows *sql.Rows) error {
	var b wire.Batch
	var file sql.NullString
	// Decoding copies what it keeps, so the driver's own bytes will do.
	if err := rows.Scan(&b.LastFeed, &b.Run, &b.LastSeq, &b.Count, (*sql.RawBytes)(&b.Body), &file); err != nil {
		return err
	}
	if file.Valid {
		var err error
		if b.Body, err = r.s.bodies.get(file.String); err != nil {
			return fmt.Errorf("read the body of batch %d: %w", b.LastFeed, err)
		}
	}
	if err := r.s.vault.ShowBatch(&b); err != nil {
		return err
	}
	out, at, err := b.Records(r.out, r.afterSeq, r.afterFeed, r.types, r.limit)
	if err != nil {
		return err
	}
	r.out, r.at = out, at
	r.bytes += len(b.Body)
	r.looked += b.Count
	return nil
}

// Watch implements port.Log.
func (s *Store) Watch(ctx context.Context) <-chan struct{} { return s.watch.Add(ctx) }

// Head implements port.Log.
func (s *Store) Head(ctx context.Context) (int64, error) {
	var head int64
	if err := s.one(ctx, sqlHead).Scan(&head); err != nil {
		return 0, fmt.Errorf("read the feed's head: %w", explain(err))
	}
	return head, nil
}

// Ready implements port.Log.
func (s *Store) Ready(ctx context.Context) error {
	if _, err := s.Head(ctx); err != nil {
		return err
	}
	return s.writer.queue.Trouble()
}

// Snapshot implements port.Log.
func (s *Store) Snapshot(ctx context.Context, run string, atMost int64) (int64, json.RawMessage, error) {
	if !wire.Word(run) {
		return 0, nil, nil
	}
	seq, state, err := s.snapshot(ctx, run, atMost)
	if err == nil {
		state, err = s.vault.ShowSnapshot(run, seq, state)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("read the snapshot of run %s: %w", run, explain(err))
	}
	return seq, state, nil
}

func (s *Store) snapshot(ctx context.Context, run string, atMost int64) (int64, json.RawMessage, error) {
	q, err := s.prepared(ctx, sqlSnapshots)
	if err != nil {
		return 0, nil, err
	}
	rows, err := q.QueryContext(ctx, run, atMost)
	if err != nil {
		return 0, nil, err
	}
	defer rows.Close() //nolint:errcheck // Err tells
	for rows.Next() {
		var seq int64
		var state []byte
		var file sql.NullString
		if err := rows.Scan(&seq, &state, &file); err != nil {
			return 0, nil, err
		}
		if !file.Valid {
			return seq, state, nil
		}
		state, err := s.bodies.get(file.String)
		if err == nil {
			return seq, state, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return 0, nil, err
		}
		// A newer snapshot has taken its place meanwhile. An older one is as
		// good: the log tells the rest.
	}
	return 0, nil, rows.Err()
}

// Answer implements port.Log.
func (s *Store) Answer(ctx context.Context, key string) (port.Answer, bool, error) {
	if !wire.Key(key) {
		return port.Answer{}, false, nil
	}
	a, err := scanAnswer(s.one(ctx, sqlAnswer, key))
	if errors.Is(err, sql.ErrNoRows) {
		return port.Answer{}, false, nil
	}
	if err == nil {
		err = s.vault.ShowAnswer(&a)
	}
	if err != nil {
		return port.Answer{}, false, fmt.Errorf("read an answer: %w", explain(err))
	}
	return a, true, nil
}

// SaveAnswer implements port.Log.
func (s *Store) SaveAnswer(ctx context.Context, a port.Answer) (port.Answer, error) {
	if err := wire.CheckAnswer(&a); err != nil {
		return port.Answer{}, err
	}
	a = s.vault.HideAnswer(a)
	kept := a
	err := s.writer.queue.Do(ctx, &job{Job: wire.Job{Bytes: len(a.Answer)}, do: func(t *tx) error {
		q, err := t.stmt(sqlAnswer)
		if err != nil {
			return err
		}
		old, err := scanAnswer(q.QueryRowContext(context.Background(), a.Key))
		if errors.Is(err, sql.ErrNoRows) {
			kept = a
			return storeAnswer(t, &a)
		}
		kept = old
		return err
	}})
	if err == nil {
		err = s.vault.ShowAnswer(&kept)
	}
	if err != nil {
		return port.Answer{}, fmt.Errorf("save an answer: %w", err)
	}
	return kept, nil
}

// ForgetAnswers implements port.Log.
func (s *Store) ForgetAnswers(ctx context.Context, before time.Time) (int, error) {
	var n int64
	err := s.writer.queue.Do(ctx, &job{do: func(t *tx) (err error) {
		n, err = t.execN(sqlForgetAnswers, wire.Nanos(before), wire.ForgetMax)
		return err
	}})
	if err != nil {
		return 0, fmt.Errorf("forget answers: %w", err)
	}
	return int(n), nil
}

func storeAnswer(t *tx, a *port.Answer) error {
	answer := a.Answer
	if answer == nil {
		answer = []byte{}
	}
	if err := t.exec(sqlInsertAnswer, a.Key, a.Body, a.Status, wire.Nanos(a.At), answer); err != nil {
		return fmt.Errorf("store answer: %w", err)
	}
	return nil
}

func scanAnswer(row scanner) (a port.Answer, err error) {
	var at int64
	err = row.Scan(&a.Key, &a.Body, &a.Status, &at, &a.Answer)
	a.At = wire.Time(at)
	return a, err
}
