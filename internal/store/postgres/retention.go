package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

// ExpireRuns implements aggregate.Retention. The rows of the runs are locked, so that none of them resumes in
// the middle of it.
func (d database) ExpireRuns(tx aggregate.Tx, before int64, limit int) ([]string, int, error) {
	return expire(tx, []any{before, before, limit}, sqlExpiredRuns, sqlDropRuns)
}

// ExpireArchived implements aggregate.Retention.
func (d database) ExpireArchived(tx aggregate.Tx, before int64, limit int) ([]string, int, error) {
	return expire(tx, []any{before, limit}, sqlExpiredNames, sqlDropNames)
}

// expire finds and locks rows with one query, and deletes them with another.
func expire(tx aggregate.Tx, args []any, find, drop string) (ids []string, removed int, err error) {
	err = tx.Query(find, args, func(r storekit.Row) error {
		id, err := aggregate.ScanText(r)
		ids = append(ids, id)
		return err
	})
	if err == nil && len(ids) > 0 {
		err = tx.Row(drop, ids).Scan(&removed)
	}
	return ids, removed, err
}

// CollectBlobs implements port.Retention. Storing or referring to a blob writes to its row, so that a blob in
// use again is either locked or young here.
func (s *Store) CollectBlobs(ctx context.Context, before time.Time, limit int) (removed int, err error) {
	err = s.transact(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, sqlCollectBlobs, storekit.Nanos(before), storekit.PageSize(limit)).Scan(&removed)
	})
	if err != nil {
		return 0, fmt.Errorf("remove blobs: %w", err)
	}
	return removed, nil
}

// flushRefs records which runs refer to which blobs.
func (g *state) flushRefs(b *pgx.Batch) {
	var runs, blobs []string
	for _, j := range g.batches {
		for _, id := range j.refs {
			runs, blobs = append(runs, j.Run), append(blobs, id)
		}
	}
	if len(blobs) > 0 {
		b.Queue(sqlPutRefMany, runs, blobs, storekit.Nanos(time.Now()))
	}
}

// flushMarks changes deliverables. Several changes to one of them in a group are combined.
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
				id, run, status = append(id, m.ID), append(run, j.Run), append(status, "")
				outdated, at = append(outdated, false), append(at, 0)
			}
			outdated[n] = outdated[n] || m.Outdated
			if m.Status != "" {
				status[n], at[n] = m.Status, storekit.Nanos(m.At)
			}
		}
	}
	if len(id) > 0 {
		b.Queue(sqlMarkDeliverableMany, id, run, status, outdated, at)
	}
}
