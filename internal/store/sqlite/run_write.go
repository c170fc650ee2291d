package sqlite

import (
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/store/storekit"
)

// cells are the columns of a run that later writes may change.
type cells struct {
	no                                 int64 // the row's number
	version, seq, done, total, pending int64
	updated, ended, due, snapshot      int64
	busy, cancelling                   bool
	definition, status, cause, cost    string
	subject, words                     string
}

func (e *entry) cells() cells {
	r := &e.Row
	c := cells{
		version: int64(r.Version), seq: r.Seq, done: int64(r.StepsDone), total: int64(r.StepsTotal),
		pending: int64(r.Pending), busy: r.Busy, cancelling: r.Cancelling,
		updated: storekit.Nanos(r.UpdatedAt), ended: storekit.Nanos(r.EndedAt), due: storekit.Nanos(r.DueAt),
		definition: r.Definition, status: string(r.Status), cause: r.Error, cost: r.CostUSD, subject: r.Subject,
		words: e.found.Run,
	}
	if e.Snapshot != nil {
		c.snapshot = e.last
	}
	return c
}

// storeRun writes the run's row if its log ends where the caller expects.
func (e *entry) storeRun(t *tx) error {
	now := e.cells()
	var ends int64
	var err error
	if e.After == 0 {
		ends, err = e.insertRun(t, &now)
	} else {
		ends, err = e.updateRun(t, &now)
	}
	if err != nil {
		return fmt.Errorf("store run: %w", err)
	}
	if ends != e.After {
		return storekit.LogConflict(e.Run, ends, e.After)
	}
	t.runs.put(e.Run, now)
	return nil
}

// insertRun stores a new run, or returns where the existing one's log ends. Most are new, so it does not
// check first.
func (e *entry) insertRun(t *tx, now *cells) (ends int64, err error) {
	r, started := &e.Row, storekit.Nanos(e.Row.StartedAt)
	result, err := t.do(sqlInsertRun, r.ID, r.Workflow, now.version, now.definition, now.status, r.Owner,
		storekit.Labels(r.Labels), now.seq, now.done, now.total, now.pending, now.cause, now.cost, r.Parent, r.RetryOf,
		r.ForkedFrom, started, now.updated, now.ended, now.due, now.busy, now.snapshot, now.cancelling, now.subject,
		r.TestMode, now.words)
	if err != nil {
		return 0, err
	}
	if n, err := result.RowsAffected(); err != nil {
		return 0, err
	} else if n == 0 {
		old, err := t.run(e.Run)
		return old.seq, err
	}
	if now.no, err = result.LastInsertId(); err != nil {
		return 0, err
	}
	t.tails[0]++
	for name, value := range r.Labels {
		if err := t.exec(sqlInsertLabel, name, value, started, r.ID); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// updateRun writes the columns that changed. SQLite does not touch an index if none of its columns is set, so
// most writes touch no index or one.
func (e *entry) updateRun(t *tx, now *cells) (ends int64, err error) {
	old, err := t.run(e.Run)
	if err != nil || old.seq != e.After {
		return old.seq, err
	}
	now.no, now.snapshot = old.no, max(old.snapshot, now.snapshot)
	d := difference{args: t.args[:0]}
	compare(&d, "version", old.version, now.version)
	compare(&d, "definition", old.definition, now.definition)
	compare(&d, "status", old.status, now.status)
	compare(&d, "seq", old.seq, now.seq)
	compare(&d, "steps_done", old.done, now.done)
	compare(&d, "steps_total", old.total, now.total)
	compare(&d, "pending", old.pending, now.pending)
	compare(&d, "error", old.cause, now.cause)
	compare(&d, "cost_usd", old.cost, now.cost)
	compare(&d, "updated_at", old.updated, now.updated)
	compare(&d, "ended_at", old.ended, now.ended)
	compare(&d, "due_at", old.due, now.due)
	compare(&d, "busy", old.busy, now.busy)
	compare(&d, "snapshot_seq", old.snapshot, now.snapshot)
	compare(&d, "cancelling", old.cancelling, now.cancelling)
	compare(&d, "subject", old.subject, now.subject)
	compare(&d, "words", old.words, now.words)
	if len(d.args) == 0 {
		return old.seq, nil
	}
	t.args = append(d.args, now.no)
	return old.seq, t.exec(t.runs.update(&d), t.args...)
}

// difference collects the columns in which two rows differ.
type difference struct {
	compared int
	which    uint32 // one bit per column
	columns  [17]string
	args     []any
}

func compare[T comparable](d *difference, column string, old, now T) {
	if old != now {
		d.which |= 1 << d.compared
		d.columns[len(d.args)] = column
		d.args = append(d.args, now)
	}
	d.compared++
}

// runsKnown limits how many runs the writer caches.
const runsKnown = 8192

// knownRuns saves the writer from reading back its own writes: there is no other writer, and a run that is
// written once is soon written again.
type knownRuns struct {
	cells   map[string]cells
	updates map[uint32]string // statements by the columns they set
}

// put caches a run that continues. Long texts are not worth the memory.
func (k *knownRuns) put(id string, c cells) {
	if c.ended != 0 || len(c.cause) > storekit.ValueMax {
		delete(k.cells, id)
		return
	}
	if len(k.cells) >= runsKnown {
		clear(k.cells)
	}
	k.cells[id] = c
}

// forget is for rollbacks.
func (k *knownRuns) forget() { clear(k.cells) }

func (k *knownRuns) update(d *difference) string {
	query, ok := k.updates[d.which]
	if !ok {
		query = `UPDATE runs SET ` + strings.Join(d.columns[:len(d.args)], ` = ?, `) + ` = ? WHERE no = ?`
		k.updates[d.which] = query
	}
	return query
}

// run is the run's row within the commit in progress; no 0 is none.
func (t *tx) run(id string) (c cells, err error) {
	if c, ok := t.runs.cells[id]; ok {
		return c, nil
	}
	_, err = t.queryRow(sqlRunCells, []any{id}, &c.no, &c.version, &c.definition, &c.status, &c.seq, &c.done, &c.total,
		&c.pending, &c.cause, &c.cost, &c.updated, &c.ended, &c.due, &c.busy, &c.snapshot, &c.cancelling, &c.subject,
		&c.words)
	return c, err
}
