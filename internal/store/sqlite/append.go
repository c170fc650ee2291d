package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/commit"
	"github.com/assent-run/assent/internal/store/storekit"
)

// entry is a write prepared by its caller, so that the single writer has little left to do.
type entry struct {
	port.Write
	found  storekit.Found
	taught storekit.Taught
	last   int64
	body   []byte
	files  struct{ body, snapshot string } // files of values that are too large for a row
	refs   []string                        // blobs that the events refer to
	audit  []*port.AuditForm
	at     int64 // when
	feed   int64
}

// Append implements port.Log.
func (s *Store) Append(ctx context.Context, w port.Write) (int64, error) {
	if err := storekit.CheckWrite(&w); err != nil {
		return 0, err
	}
	err := s.vault.Refresh(ctx)
	if err != nil {
		return 0, fmt.Errorf("append to run %s: %w", w.Run, err)
	}
	e, err := s.entry(w)
	if err != nil {
		return 0, fmt.Errorf("append to run %s: %w", w.Run, s.files.Note(explain(err)))
	}
	if e.files.body != "" || e.files.snapshot != "" {
		_ = s.files.Note(nil)
	}
	j := &job{Job: commit.Job{Bytes: len(e.body) + len(e.Snapshot), Refused: func() {
		s.bodies.remove(e.files.body)
		s.bodies.remove(e.files.snapshot)
	}}, do: e.store}
	if err := s.writer.queue.Do(ctx, j); err != nil {
		return 0, fmt.Errorf("append to run %s: %w", w.Run, err)
	}
	return e.feed, nil
}

func (s *Store) entry(w port.Write) (*entry, error) {
	found := s.vault.HideWrite(&w)
	e := &entry{Write: w, found: found, last: w.After + int64(len(w.Events))}
	var err error
	if e.audit, err = storekit.Forms(w.Audit); err != nil {
		return nil, err
	}
	if e.taught, err = s.vault.TaughtBy(&w); err != nil {
		return nil, err
	}
	if e.body, err = storekit.EncodeBatch(w.Events); err != nil {
		return nil, err
	}
	if len(e.body) > storekit.BodyMax {
		return nil, fault.Newf(fault.TooLarge, "%d bytes of events are more than %d", len(e.body), storekit.BodyMax)
	}
	e.refs, e.at = storekit.BlobsIn(e.body), storekit.Nanos(time.Now())
	e.body = s.vault.HideBatch(w.Run, e.last, e.body)
	if len(e.body) > storekit.InlineMax {
		if e.files.body, err = s.bodies.put(e.body); err != nil {
			return nil, err
		}
		e.body = nil
	}
	if len(w.Snapshot) > storekit.InlineMax {
		if e.files.snapshot, err = s.bodies.put(w.Snapshot); err != nil {
			s.bodies.remove(e.files.body)
			return nil, fmt.Errorf("%w: %w", port.ErrSnapshot, err)
		}
	}
	return e, nil
}

// store executes the write. Everything that can be rejected is checked before the first change, so that a
// rejection needs no rollback.
func (e *entry) store(t *tx) error {
	if e.Answer != nil {
		var one int
		if found, err := t.queryRow(sqlHasAnswer, []any{e.Answer.Key}, &one); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		} else if found {
			return storekit.Answered(e.Answer.Key)
		}
	}
	if err := t.checkEpoch(e.Epoch); err != nil {
		return err
	}
	if e.Generation != 0 && e.Generation != t.generation {
		return storekit.Outdated(e.Generation, t.generation)
	}
	uses, err := storekit.Grants(e.Uses, t.uses)
	if err != nil {
		return err
	}
	if err := e.checkSums(t); err != nil {
		return err
	}
	filed, err := e.look(t)
	if err != nil {
		return err
	}
	if err := e.storeRun(t); err != nil {
		return err
	}
	if err := e.storeBatch(t); err != nil {
		return err
	}
	if err := e.storeFailures(t); err != nil {
		return err
	}
	if err := e.storeWork(t); err != nil {
		return err
	}
	if err := e.storeLooks(t); err != nil {
		return err
	}
	if err := e.storeTaught(t); err != nil {
		return err
	}
	for i := range e.Approvals {
		if err := storeApproval(t, &e.Approvals[i], filed[i], e.found.Approvals[i]); err != nil {
			return fmt.Errorf("store approval %s: %w", e.Approvals[i].ID, err)
		}
	}
	for i := range e.Deliverables {
		if err := storeDeliverable(t, &e.Deliverables[i]); err != nil {
			return fmt.Errorf("store deliverable %s: %w", e.Deliverables[i].ID, err)
		}
	}
	for i := range e.Marks {
		if err := storeMark(t, e.Run, &e.Marks[i]); err != nil {
			return fmt.Errorf("mark deliverable %s: %w", e.Marks[i].ID, err)
		}
	}
	if err := e.refer(t); err != nil {
		return err
	}
	if e.Snapshot != nil {
		if err := e.storeSnapshot(t); err != nil {
			return fmt.Errorf("%w: %w", port.ErrSnapshot, err)
		}
	}
	for rule, n := range uses {
		if err := t.exec(sqlSetUses, rule, n); err != nil {
			return fmt.Errorf("count the uses of a rule: %w", err)
		}
	}
	if err := e.storeCounted(t); err != nil {
		return err
	}
	t.audit(e.audit)
	if e.Answer != nil {
		return storeAnswer(t, e.Answer)
	}
	return nil
}

// uses is how often a rule has been used.
func (t *tx) uses(rule string) (n int, err error) {
	_, err = t.queryRow(sqlUsesOf, []any{rule}, &n)
	return n, err
}

// look reads how approvals are filed now, and rejects ids of other runs.
func (e *entry) look(t *tx) ([]storekit.Filed, error) {
	old := make([]storekit.Filed, len(e.Approvals))
	for i := range e.Approvals {
		id, f := e.Approvals[i].ID, &old[i]
		found, err := t.queryRow(sqlFiled, []any{id}, f.Fields()...)
		if err != nil {
			return nil, fmt.Errorf("read approval %s: %w", id, err)
		}
		if found && f.Run != e.Run {
			return nil, fault.Newf(fault.Invalid, "approval %s belongs to run %s", id, f.Run)
		}
	}
	for i := range e.Deliverables {
		var run string
		id := e.Deliverables[i].ID
		found, err := t.queryRow(sqlDeliverableRun, []any{id}, &run)
		if err != nil {
			return nil, fmt.Errorf("read deliverable %s: %w", id, err)
		}
		if found && run != e.Run {
			return nil, fault.Newf(fault.Invalid, "deliverable %s belongs to run %s", id, run)
		}
	}
	return old, nil
}

func (e *entry) storeBatch(t *tx) error {
	if len(e.Events) == 0 {
		e.feed = t.head
		return nil
	}
	feed := t.head + int64(len(e.Events))
	if err := t.exec(sqlInsertBatch, feed, e.Run, e.last, len(e.Events), blobOrNull(e.body),
		textOrNull(e.files.body)); err != nil {
		return fmt.Errorf("store events: %w", err)
	}
	t.head, t.grew, e.feed = feed, true, feed
	return nil
}

func (e *entry) storeSnapshot(t *tx) error {
	state := []byte(e.Snapshot)
	if e.files.snapshot != "" {
		state = nil
	}
	if err := t.exec(sqlInsertSnapshot, e.Run, e.last, blobOrNull(state), textOrNull(e.files.snapshot)); err != nil {
		return err
	}
	s, err := t.stmt(sqlOldSnapshots)
	if err != nil {
		return err
	}
	type old struct {
		no   int64
		file string
	}
	drop, err := collect(func(r storekit.Row) (o old, err error) { return o, r.Scan(&o.no, &o.file) })(
		s.QueryContext(context.Background(), e.Run, storekit.SnapshotsMax))
	if err != nil {
		return err
	}
	for _, o := range drop {
		if err := t.exec(sqlDropSnapshot, o.no); err != nil {
			return err
		}
		if o.file != "" {
			t.after = append(t.after, func() { t.s.bodies.remove(o.file) })
		}
	}
	return nil
}

// blobOrNull distinguishes a missing body from an empty one.
func blobOrNull(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// collect reads all rows of a query.
func collect[T any](scan func(storekit.Row) (T, error)) func(*sql.Rows, error) ([]T, error) {
	return func(rows *sql.Rows, err error) (out []T, _ error) {
		err = forEach(func(r storekit.Row) error {
			v, err := scan(r)
			out = append(out, v)
			return err
		})(rows, err)
		if err != nil {
			return nil, err
		}
		return out, nil
	}
}
