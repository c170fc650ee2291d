package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Append implements port.Log.
func (s *Store) Append(ctx context.Context, w port.Write) (int64, error) {
	if err := wire.CheckWrite(&w); err != nil {
		return 0, err
	}
	body, err := wire.EncodeBatch(w.Events)
	if err != nil {
		return 0, fmt.Errorf("append to run %s: %w", w.Run, err)
	}
	if len(body) > wire.BodyMax {
		return 0, fault.Newf(fault.TooLarge, "%d bytes of events are more than %d", len(body), wire.BodyMax)
	}
	forms, err := wire.Forms(w.Audit)
	if err != nil {
		return 0, fmt.Errorf("append to run %s: %w", w.Run, err)
	}
	if err := s.vault.Refresh(ctx); err != nil {
		return 0, fmt.Errorf("append to run %s: %w", w.Run, err)
	}
	found := s.vault.HideWrite(&w)
	j := &job{Job: wire.Job{Bytes: len(body) + len(w.Snapshot)}, Write: w, found: found, refs: wire.BlobsIn(body), last: w.After + int64(len(w.Events)), forms: forms}
	j.body = s.vault.HideBatch(w.Run, j.last, body)
	if err := s.writer.queue.Do(ctx, j); err != nil {
		return 0, fmt.Errorf("append to run %s: %w", w.Run, err)
	}
	return j.feed, nil
}

// Events implements port.Log.
func (s *Store) Events(ctx context.Context, run string, after int64, limit int) ([]port.Record, error) {
	if !wire.Word(run) {
		return nil, nil
	}
	r := reading{afterSeq: after, limit: wire.ReadSize(limit)}
	if err := r.read(ctx, s, sqlBatchesOfRun, run, after); err != nil {
		return nil, fmt.Errorf("read events of run %s: %w", run, explain(err))
	}
	return r.out, nil
}

// Feed implements port.Log.
func (s *Store) Feed(ctx context.Context, after int64, limit int, f port.FeedFilter) ([]port.Record, int64, error) {
	after = max(after, 0)
	r := reading{afterFeed: after, at: after, limit: wire.ReadSize(limit), types: f.Types}
	var err error
	switch {
	case f.Run == "":
		err = r.read(ctx, s, sqlFeed, "", after)
	case wire.Word(f.Run):
		err = r.read(ctx, s, sqlFeedOfRun, f.Run, after)
	}
	if err != nil {
		return nil, after, fmt.Errorf("read the feed behind %d: %w", after, explain(err))
	}
	return r.out, r.at, nil
}

// reading is one read of events, bounded in number, bytes and effort.
type reading struct {
	afterSeq, afterFeed int64
	limit               int
	types               []string

	out []port.Record
	at  int64 // the feed number looked at last
}

func (r *reading) read(ctx context.Context, s *Store, query, run string, after int64) error {
	look := r.limit
	if len(r.types) > 0 {
		look = wire.ScanMax
	}
	rows, err := s.pool.Query(ctx, query, run, after, look, wire.ReadBytes)
	if err != nil {
		return err
	}
	defer rows.Close()
	for len(r.out) < r.limit && rows.Next() {
		var b wire.Batch
		if err := rows.Scan(&b.LastFeed, &b.Run, &b.LastSeq, &b.Count, (*pgtype.DriverBytes)(&b.Body)); err != nil {
			return err
		}
		if err := s.vault.ShowBatch(&b); err != nil {
			return err
		}
		if r.out, r.at, err = b.Records(r.out, r.afterSeq, r.afterFeed, r.types, r.limit); err != nil {
			return err
		}
	}
	rows.Close()
	return rows.Err()
}

// Moves implements port.Log.
func (s *Store) Moves(ctx context.Context, after int64, limit int) (moves []port.Move, next int64, err error) {
	next = max(after, 0)
	rows, err := s.pool.Query(ctx, sqlMoves, next, wire.ReadSize(limit))
	if err == nil {
		var m port.Move
		_, err = pgx.ForEachRow(rows, []any{&next, &m.Run, &m.Seq}, func() error {
			moves = append(moves, m)
			return nil
		})
	}
	if err != nil {
		return nil, after, fmt.Errorf("read what moved behind %d: %w", after, explain(err))
	}
	return moves, next, nil
}

// Head implements port.Log.
func (s *Store) Head(ctx context.Context) (head int64, err error) {
	if err := s.pool.QueryRow(ctx, sqlHead).Scan(&head); err != nil {
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
func (s *Store) Snapshot(ctx context.Context, run string, atMost int64) (seq int64, state json.RawMessage, err error) {
	if !wire.Word(run) {
		return 0, nil, nil
	}
	err = s.pool.QueryRow(ctx, sqlSnapshot, run, atMost).Scan(&seq, (*[]byte)(&state))
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil, nil
	}
	if err == nil {
		state, err = s.vault.ShowSnapshot(run, seq, state)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("read the snapshot of run %s: %w", run, explain(err))
	}
	return seq, state, nil
}

// Answer implements port.Log.
func (s *Store) Answer(ctx context.Context, key string) (port.Answer, bool, error) {
	if !wire.Key(key) {
		return port.Answer{}, false, nil
	}
	a, err := scanAnswer(s.pool.QueryRow(ctx, sqlAnswer, key))
	if errors.Is(err, pgx.ErrNoRows) {
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
	j := &job{Job: wire.Job{Bytes: len(a.Answer)}, answer: &a}
	err := s.writer.queue.Do(ctx, j)
	if err == nil {
		err = s.vault.ShowAnswer(&j.kept)
	}
	if err != nil {
		return port.Answer{}, fmt.Errorf("save an answer: %w", err)
	}
	return j.kept, nil
}

// ForgetAnswers implements port.Log.
func (s *Store) ForgetAnswers(ctx context.Context, before time.Time) (int, error) {
	tag, err := s.pool.Exec(ctx, sqlForgetAnswers, wire.Nanos(before), wire.ForgetMax)
	if err != nil {
		return 0, fmt.Errorf("forget answers: %w", explain(err))
	}
	return int(tag.RowsAffected()), nil
}

func scanAnswer(row pgx.Row) (a port.Answer, err error) {
	var at int64
	err = row.Scan(&a.Key, &a.Body, &a.Status, &at, &a.Answer)
	a.At = wire.Time(at)
	return a, err
}
