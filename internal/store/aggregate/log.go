package aggregate

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// AnswerColumns are the columns of an answer, in the order of ScanAnswer.
const AnswerColumns = `key, body, status, at, answer`

const (
	sqlMoves         = `SELECT last_feed, run, last_seq FROM batches WHERE last_feed > ? ORDER BY last_feed LIMIT ?`
	sqlAnswer        = `SELECT ` + AnswerColumns + ` FROM answers WHERE key = ?`
	sqlForgetAnswers = `DELETE FROM answers WHERE key IN (SELECT key FROM answers WHERE at < ? ORDER BY at LIMIT ?)`
)

// Head implements port.Feed.
func (a *Aggregates) Head(ctx context.Context) (head int64, err error) {
	if err := a.db.Row(ctx, a.dialect.Head).Scan(&head); err != nil {
		return 0, fmt.Errorf("read the feed's head: %w", err)
	}
	return head, nil
}

// Events implements port.Log.
func (a *Aggregates) Events(ctx context.Context, run string, after int64, limit int) ([]port.Record, error) {
	if !storekit.Word(run) {
		return nil, nil
	}
	r := reading{vault: a.vault, afterSeq: after, limit: storekit.ReadSize(limit)}
	if err := a.db.Batches(ctx, BatchQuery{Run: run, After: after, Events: r.limit}, r.take); err != nil {
		return nil, fmt.Errorf("read events of run %s: %w", run, err)
	}
	return r.out, nil
}

// Past is what a run is loaded from: its row, and the events after its newest snapshot, as many as one read returns.
// The run is read by one call of read, which stores need not make in one transaction: events may be newer than the row.
func Past(
	a *Aggregates, id string, read func(row func(storekit.Row) error, next func(*storekit.Batch) (bool, error)) error,
) (row port.RunRow, events []port.Record, err error) {
	missing := storekit.NotFound("run", id)
	if !storekit.Word(id) {
		return row, nil, missing
	}
	r := reading{vault: a.vault, limit: storekit.ReadSize(0)}
	err = read(func(from storekit.Row) (err error) {
		if row, err = ScanRun(from); err == nil {
			r.afterSeq, err = row.SnapshotSeq, a.vault.ShowRun(&row)
		}
		return err
	}, r.take)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return port.RunRow{}, nil, missing
	case err != nil:
		return port.RunRow{}, nil, fmt.Errorf("load run %s: %w", id, err)
	}
	return row, r.out, nil
}

// Feed implements port.Feed.
func (a *Aggregates) Feed(
	ctx context.Context, after int64, limit int, f port.FeedFilter,
) ([]port.Record, int64, error) {
	after = max(after, 0)
	if f.Run != "" && !storekit.Word(f.Run) {
		return nil, after, nil
	}
	r := reading{vault: a.vault, afterFeed: after, at: after, limit: storekit.ReadSize(limit), types: f.Types}
	look := r.limit
	if len(r.types) > 0 {
		look = storekit.ScanMax
	}
	if err := a.db.Batches(ctx, BatchQuery{Run: f.Run, Feed: true, After: after, Events: look}, r.take); err != nil {
		return nil, after, fmt.Errorf("read the feed after %d: %w", after, err)
	}
	return r.out, r.at, nil
}

// reading is one read of events, limited in number, bytes and effort.
type reading struct {
	vault               *storekit.Vault
	afterSeq, afterFeed int64
	limit               int
	types               []string

	out    []port.Record
	at     int64 // the feed number read last
	looked int64
	bytes  int
}

// take reads the events of one more batch. Decoding copies what it retains.
func (r *reading) take(b *storekit.Batch) (more bool, err error) {
	if err := r.vault.ShowBatch(b); err != nil {
		return false, err
	}
	if r.out, r.at, err = b.Records(r.out, r.afterSeq, r.afterFeed, r.types, r.limit); err != nil {
		return false, err
	}
	r.bytes += len(b.Body)
	r.looked += b.Count
	return len(r.out) < r.limit && r.bytes < storekit.ReadBytes && r.looked < storekit.ScanMax, nil
}

// Ready implements port.Health.
func (a *Aggregates) Ready(ctx context.Context) error {
	if _, err := a.Head(ctx); err != nil {
		return err
	}
	return a.db.Trouble()
}

// Snapshot implements port.Log.
func (a *Aggregates) Snapshot(ctx context.Context, run string, atMost int64) (int64, json.RawMessage, error) {
	if !storekit.Word(run) {
		return 0, nil, nil
	}
	seq, state, err := a.db.LatestSnapshot(ctx, run, atMost)
	if err == nil {
		state, err = a.vault.ShowSnapshot(run, seq, state)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("read the snapshot of run %s: %w", run, err)
	}
	return seq, state, nil
}

// Moves implements port.Feed.
func (a *Aggregates) Moves(ctx context.Context, after int64, limit int) (moves []port.Move, next int64, err error) {
	next = max(after, 0)
	moves, err = list(ctx, a, func(r storekit.Row) (m port.Move, err error) {
		return m, r.Scan(&next, &m.Run, &m.Seq)
	}, sqlMoves, next, storekit.ReadSize(limit))
	if err != nil {
		return nil, after, fmt.Errorf("read the moves after %d: %w", after, err)
	}
	return moves, next, nil
}

// Answer implements port.Answers.
func (a *Aggregates) Answer(ctx context.Context, key string) (port.Answer, bool, error) {
	if !storekit.Key(key) {
		return port.Answer{}, false, nil
	}
	answer, err := ScanAnswer(a.db.Row(ctx, sqlAnswer, key))
	if errors.Is(err, sql.ErrNoRows) {
		return port.Answer{}, false, nil
	}
	if err == nil {
		err = a.vault.ShowAnswer(&answer)
	}
	if err != nil {
		return port.Answer{}, false, fmt.Errorf("read an answer: %w", err)
	}
	return answer, true, nil
}

// SaveAnswer implements port.Answers.
func (a *Aggregates) SaveAnswer(ctx context.Context, answer port.Answer) (port.Answer, error) {
	if err := storekit.CheckAnswer(&answer); err != nil {
		return port.Answer{}, err
	}
	kept, err := a.db.KeepAnswer(ctx, a.vault.HideAnswer(answer))
	if err == nil {
		err = a.vault.ShowAnswer(&kept)
	}
	if err != nil {
		return port.Answer{}, fmt.Errorf("save an answer: %w", err)
	}
	return kept, nil
}

// ForgetAnswers implements port.Answers.
func (a *Aggregates) ForgetAnswers(ctx context.Context, before time.Time) (int, error) {
	return a.forget(ctx, "answers", sqlForgetAnswers, storekit.Nanos(before))
}

// ScanAnswer reads AnswerColumns.
func ScanAnswer(row storekit.Row) (a port.Answer, err error) {
	var at int64
	err = row.Scan(&a.Key, &a.Body, &a.Status, &at, &a.Answer)
	a.At = storekit.Time(at)
	return a, err
}
