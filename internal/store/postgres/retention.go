package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

// Expire implements port.Retention. The rows of the runs are locked meanwhile,
// so that none of them goes on in the middle of it.
func (s *Store) Expire(ctx context.Context, x port.Expiry) (removed int, err error) {
	limit := wire.PageSize(x.Limit)
	err = s.transact(ctx, func(tx pgx.Tx) error {
		removed = 0 // it may be done again
		if _, err := lockAudit(ctx, tx); err != nil {
			return err
		}
		if !x.Ended.IsZero() {
			if err := s.expire(ctx, tx, wire.RemovedRuns, &removed, sqlExpiredRuns, sqlDropRuns, wire.Nanos(x.Ended), limit); err != nil {
				return fmt.Errorf("of ended runs: %w", err)
			}
		}
		if !x.Archived.IsZero() {
			if err := s.expire(ctx, tx, wire.RemovedArchived, &removed, sqlExpiredNames, sqlDropNames, wire.Nanos(x.Archived), limit); err != nil {
				return fmt.Errorf("archived ones: %w", err)
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("remove deliverables: %w", err)
	}
	return removed, nil
}

// expire finds what is to go with one query, locking it, removes it with another
// and puts that on record.
func (s *Store) expire(ctx context.Context, tx pgx.Tx, what string, removed *int, find, drop string, before int64, limit int) error {
	rows, err := tx.Query(ctx, find, before, limit)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(ids) == 0 {
		return err
	}
	var n int
	if err := tx.QueryRow(ctx, drop, ids).Scan(&n); err != nil {
		return err
	}
	*removed += n
	forms, err := wire.Forms([]port.AuditDraft{wire.Removed(what, ids, n)})
	if err == nil {
		_, err = s.audit(ctx, tx, forms)
	}
	return err
}

// CollectBlobs implements port.Retention. Who stores or refers to a blob writes
// to its row, so that one that is wanted again is either locked or young here.
func (s *Store) CollectBlobs(ctx context.Context, before time.Time, limit int) (removed int, err error) {
	err = s.transact(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, sqlCollectBlobs, wire.Nanos(before), wire.PageSize(limit)).Scan(&removed)
	})
	if err != nil {
		return 0, fmt.Errorf("remove blobs: %w", err)
	}
	return removed, nil
}

// flushRefs notes which runs refer to which blobs.
func (g *state) flushRefs(b *pgx.Batch) {
	var runs, blobs []string
	for _, j := range g.batches {
		for _, id := range j.refs {
			runs, blobs = append(runs, j.Run), append(blobs, id)
		}
	}
	if len(blobs) > 0 {
		b.Queue(sqlPutRefMany, runs, blobs, wire.Nanos(time.Now()))
	}
}

// flushMarks changes deliverables. What several writes of the group say about
// one of them is one change.
func (g *state) flushMarks(b *pgx.Batch) {
	var id, run, status []string
	var outdated []bool
	var at []int64
	place := map[string]int{}
	for _, j := range g.marking {
		for _, m := range j.Marks {
			n, known := place[m.ID]
			if !known {
				n = len(id)
				place[m.ID] = n
				id, run, status, outdated, at = append(id, m.ID), append(run, j.Run), append(status, ""), append(outdated, false), append(at, 0)
			}
			outdated[n] = outdated[n] || m.Outdated
			if m.Status != "" {
				status[n], at[n] = m.Status, wire.Nanos(m.At)
			}
		}
	}
	if len(id) > 0 {
		b.Queue(sqlMarkDeliverableMany, id, run, status, outdated, at)
	}
}
