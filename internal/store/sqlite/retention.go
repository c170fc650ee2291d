package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
)

// ExpireRuns implements aggregate.Retention.
func (d database) ExpireRuns(tx aggregate.Tx, before int64, limit int) (runs []string, removed int, err error) {
	err = tx.Query(sqlExpiredRuns, []any{before, before, before, limit}, func(r storekit.Row) error {
		id, err := aggregate.ScanText(r)
		runs = append(runs, id)
		return err
	})
	for _, id := range runs {
		var n int64
		if err == nil {
			err = tx.Exec(sqlForgetRefs, id)
		}
		if err == nil {
			n, err = tx.Changed(sqlDropDeliverables, id)
		}
		removed += max(int(n), 1) // a run that only referred to blobs counts as well
	}
	return runs, removed, err
}

// ExpireArchived implements aggregate.Retention.
func (d database) ExpireArchived(tx aggregate.Tx, before int64, limit int) (ids []string, removed int, err error) {
	type name struct{ run, name string }
	var names []name
	err = tx.Query(sqlExpiredNames, []any{before, limit}, func(r storekit.Row) error {
		var n name
		var id string
		err := r.Scan(&n.run, &n.name, &id)
		names, ids = append(names, n), append(ids, id)
		return err
	})
	for _, n := range names {
		var gone int64
		if err == nil {
			err = tx.Exec(sqlForgetRefsOfName, n.run, n.run, n.name, n.run, n.name)
		}
		if err == nil {
			gone, err = tx.Changed(sqlDropName, n.run, n.name)
		}
		removed += int(gone)
	}
	return ids, removed, err
}

// CollectBlobs implements port.Retention. No write may be between a file and its row in the meantime: the
// file would be deleted from under the row.
func (s *Store) CollectBlobs(ctx context.Context, before time.Time, limit int) (removed int, err error) {
	if !s.copying.TryLock() {
		return 0, nil // a backup needs the files that its database refers to
	}
	defer s.copying.Unlock()
	s.filing.Lock()
	defer s.filing.Unlock()
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		removed = 0
		stmt, err := t.stmt(sqlLooseBlobs)
		if err != nil {
			return err
		}
		blobs, err := collect(aggregate.ScanText)(
			stmt.QueryContext(context.Background(), storekit.Nanos(before), storekit.PageSize(limit)))
		if err != nil {
			return err
		}
		for _, id := range blobs {
			if err := t.exec(sqlDropBlob, id); err != nil {
				return err
			}
			name, _ := storekit.BlobHex(id)
			t.after = append(t.after, func() { t.s.blobs.remove(name) }) // a blob in a row has none
		}
		removed = len(blobs)
		return nil
	}})
	if err != nil {
		return 0, fmt.Errorf("remove blobs: %w", err)
	}
	return removed, nil
}

// refer records that a run refers to blobs. They count as stored now, so that the collection of unreferenced
// blobs leaves them alone.
func (e *entry) refer(t *tx) error {
	for _, id := range e.refs {
		n, err := t.execN(sqlTouchBlob, e.at, id)
		if err == nil && n > 0 {
			err = t.exec(sqlPutRef, id, e.Run)
		}
		if err != nil {
			return fmt.Errorf("record a reference to %s: %w", id, err)
		}
	}
	return nil
}
