package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/wire"
)

// Expire implements port.Retention.
func (s *Store) Expire(ctx context.Context, x port.Expiry) (removed int, err error) {
	limit := wire.PageSize(x.Limit)
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) (err error) {
		removed = 0 // a job may be done again
		if !x.Ended.IsZero() {
			if err = t.expireRuns(wire.Nanos(x.Ended), limit, &removed); err != nil {
				return fmt.Errorf("of ended runs: %w", err)
			}
		}
		if !x.Archived.IsZero() {
			if err = t.expireArchived(wire.Nanos(x.Archived), limit, &removed); err != nil {
				return fmt.Errorf("archived ones: %w", err)
			}
		}
		return nil
	}})
	if err != nil {
		return 0, fmt.Errorf("remove deliverables: %w", err)
	}
	return removed, nil
}

func (t *tx) expireRuns(before int64, limit int, removed *int) error {
	s, err := t.stmt(sqlExpiredRuns)
	if err != nil {
		return err
	}
	runs, err := collect(aggregate.ScanText)(
		s.QueryContext(context.Background(), before, before, before, limit))
	if err != nil {
		return err
	}
	had := *removed
	for _, id := range runs {
		if err := t.exec(sqlForgetRefs, id); err != nil {
			return err
		}
		n, err := t.execN(sqlDropDeliverables, id)
		if err != nil {
			return err
		}
		*removed += max(int(n), 1) // a run that only referred to blobs counts, too
	}
	return t.noteRemoved(wire.RemovedRuns, runs, *removed-had)
}

// noteRemoved puts what retention took away on record.
func (t *tx) noteRemoved(what string, names []string, count int) error {
	if len(names) == 0 {
		return nil
	}
	forms, err := wire.Forms([]port.AuditDraft{wire.Removed(what, names, count)})
	if err != nil {
		return err
	}
	t.audit(forms)
	return nil
}

func (t *tx) expireArchived(before int64, limit int, removed *int) error {
	s, err := t.stmt(sqlExpiredNames)
	if err != nil {
		return err
	}
	type name struct{ run, name, id string }
	names, err := collect(func(r wire.Row) (n name, err error) { return n, r.Scan(&n.run, &n.name, &n.id) })(
		s.QueryContext(context.Background(), before, limit))
	if err != nil {
		return err
	}
	had, ids := *removed, make([]string, 0, len(names))
	for _, n := range names {
		if err := t.exec(sqlForgetRefsOfName, n.run, n.run, n.name, n.run, n.name); err != nil {
			return err
		}
		gone, err := t.execN(sqlDropName, n.run, n.name)
		if err != nil {
			return err
		}
		*removed += int(gone)
		ids = append(ids, n.id)
	}
	return t.noteRemoved(wire.RemovedArchived, ids, *removed-had)
}

// CollectBlobs implements port.Retention. Nobody may be between a file and its
// row meanwhile: the file would be taken from under the row.
func (s *Store) CollectBlobs(ctx context.Context, before time.Time, limit int) (removed int, err error) {
	if !s.copying.TryLock() {
		return 0, nil // a backup needs the files that its database names
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
		type loose struct {
			id     string
			inFile bool
		}
		blobs, err := collect(func(r wire.Row) (b loose, err error) { return b, r.Scan(&b.id, &b.inFile) })(
			stmt.QueryContext(context.Background(), wire.Nanos(before), wire.PageSize(limit)))
		if err != nil {
			return err
		}
		for _, b := range blobs {
			if err := t.exec(sqlDropBlob, b.id); err != nil {
				return err
			}
			if name, ok := wire.BlobHex(b.id); ok && b.inFile {
				t.after = append(t.after, func() { t.s.blobs.remove(name) })
			}
		}
		removed = len(blobs)
		return nil
	}})
	if err != nil {
		return 0, fmt.Errorf("remove blobs: %w", err)
	}
	return removed, nil
}

// refer notes that a run refers to blobs. They count as stored now, so that
// whoever looks for loose ones leaves them alone.
func (e *entry) refer(t *tx) error {
	for _, id := range e.refs {
		n, err := t.execN(sqlTouchBlob, e.at, id)
		if err == nil && n > 0 {
			err = t.exec(sqlPutRef, id, e.Run)
		}
		if err != nil {
			return fmt.Errorf("note a reference to %s: %w", id, err)
		}
	}
	return nil
}
