// Package aggregate reads and writes the aggregates that are the same in both SQL stores: accounts, tokens,
// sessions, names, stand-ins, definitions, deliverables, second looks, sums, the audit log, removals and the
// single rows of runs and approvals.
//
// A store embeds Aggregates and gets these parts of store.Store from it:
//
//	s.Aggregates = aggregate.New(database{s}, &s.vault, dialect)
//
// The SQL is plain and the same for both: `?` for arguments, no functions that only one of them has.
// Differences between dialects are either in their DB and Tx (how a transaction commits, how a row is locked)
// or one of the few values of a Dialect. Anything that needs more than that (append, group commit,
// leadership, blobs, the pages of runs and of the inbox) stays with the store.
//
// To add an aggregate: a migration in both stores, a file here with its columns, queries and methods, a test
// in storetest, and, for each column with text or bytes, a decision whether it is encrypted (checked by
// sqlite.TestColumnsAreKnown).
//
// One rule is easy to miss. A function passed to DB.Write may run several times, and SQLite runs it in one
// transaction with other callers' writes. So it must check first and change afterwards: once it has changed a
// row it must not return a fault, which rejects this write but commits the rest. Any other error rolls
// everything back.
package aggregate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// DB is the database of a store. Errors are explained, as port.ErrUnavailable if the database is the cause; a
// missing row is sql.ErrNoRows.
type DB interface {
	Reader
	Writer
	Lists
	Log
	Retention
}

// Reader reads committed data.
type Reader interface {
	// Row and Query read the newest state. The store may cache the prepared statement, so query must be one
	// of a fixed set of texts.
	Row(ctx context.Context, query string, args ...any) storekit.Row
	Query(ctx context.Context, query string, args []any, each func(storekit.Row) error) error
	// Page counts and reads. Its queries may be any text.
	Page(ctx context.Context, count, read storekit.Cond, each func(storekit.Row) error) (total int64, err error)
	// Snapshot runs arbitrary queries that all see the same state.
	Snapshot(ctx context.Context, f func(storekit.Asker) error) error
}

// Writer changes rows.
type Writer interface {
	// Exec runs one statement in its own transaction and returns the number of changed rows.
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	// Write runs f in a transaction, possibly several times and together with other writes; see the package
	// comment. Bytes estimates how much it stores.
	Write(ctx context.Context, bytes int, f func(Tx) error) error
	// WriteAlone is Write while no other transaction writes.
	WriteAlone(ctx context.Context, f func(Tx) error) error
}

// Lists are pages that each dialect reads in its own way: they merge several ranges of an index.
type Lists interface {
	// RunPage reads a page of runs and one more.
	RunPage(ctx context.Context, p *storekit.RunPlan) (port.Page[port.RunRow], error)
	// InboxPage reads a page of the inbox.
	InboxPage(ctx context.Context, p *storekit.InboxPlan) (port.Page[port.ApprovalRow], error)
}

// Log is for data that each store keeps in its own way because it is large or written in groups.
type Log interface {
	// Batches reads batches of events, in order, until next returns false.
	Batches(ctx context.Context, q BatchQuery, next func(*storekit.Batch) (bool, error)) error
	// LatestSnapshot reads the newest snapshot up to a sequence number; 0 is none.
	LatestSnapshot(ctx context.Context, run string, atMost int64) (seq int64, state []byte, err error)
	// KeepAnswer stores an answer unless its key is taken, and returns the stored one.
	KeepAnswer(ctx context.Context, a port.Answer) (port.Answer, error)
	// Trouble is why the writer cannot write; nil if it can.
	Trouble() error
}

// Retention deletes deliverables that are no longer needed, in a transaction. It returns the audit entries
// and the number of deleted rows.
type Retention interface {
	// ExpireRuns deletes those of runs that ended before a given time, with their references to blobs.
	ExpireRuns(tx Tx, before int64, limit int) (runs []string, removed int, err error)
	// ExpireArchived deletes those that were archived before a given time, with all their versions.
	ExpireArchived(tx Tx, before int64, limit int) (ids []string, removed int, err error)
}

// BatchQuery selects batches: those of a run after a sequence number, or those of the feed, optionally of one
// run, after a feed number.
type BatchQuery struct {
	Run    string
	Feed   bool
	After  int64
	Events int // maximum number
}

// Tx is a transaction that writes.
type Tx interface {
	storekit.RewriteTx // Query and Exec
	// Changed is Exec that returns the number of changed rows.
	Changed(query string, args ...any) (int64, error)
	Row(query string, args ...any) storekit.Row
	// RowForUpdate locks the row against other transactions.
	RowForUpdate(query string, args ...any) storekit.Row
	// Lock excludes transactions that lock the same name.
	Lock(name string) error
	// Audit appends entries to the audit log.
	Audit(forms []*port.AuditForm) error
	// NextGeneration increments the generation of the definitions in force.
	NextGeneration() error
}

// Dialect contains the differences between the stores' SQL.
type Dialect struct {
	True  string                    // as in the conditions of partial indexes
	Using func(index string) string // hint for the planner to use an index, if supported
	Among func(column string, values []string) storekit.Cond
	Cost  string // sum of runs' costs, in billionths of a dollar

	// Queries on tables that the stores keep differently.
	Head, Generation, AuditEnd, AuditStrays, Due, Busy string
}

// Aggregates is the part of a store.Store that this package implements.
type Aggregates struct {
	db      DB
	vault   *storekit.Vault
	dialect Dialect
}

// New returns the aggregates of a store. The vault may be started later.
func New(db DB, vault *storekit.Vault, d Dialect) Aggregates { return Aggregates{db, vault, d} }

// scanner reads one row.
type scanner[T any] func(storekit.Row) (T, error)

// list runs a fixed query and reads all its rows.
func list[T any](ctx context.Context, a *Aggregates, scan scanner[T], query string, args ...any) (out []T, err error) {
	err = a.db.Query(ctx, query, args, func(r storekit.Row) error {
		v, err := scan(r)
		out = append(out, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// one reads the row with an id, and decrypts it with show, if set.
func one[T any](
	ctx context.Context, a *Aggregates, scan scanner[T], show func(*T) error, query, what, id string,
) (out T, err error) {
	missing := storekit.NotFound(what, id)
	if !storekit.Word(id) {
		return out, missing
	}
	out, err = scan(a.db.Row(ctx, query, id))
	if errors.Is(err, sql.ErrNoRows) {
		return out, missing
	}
	if err == nil && show != nil {
		err = show(&out)
	}
	if err != nil {
		var none T
		return none, fmt.Errorf("read %s: %w", what, err) // the id may be a secret
	}
	return out, nil
}

// put runs a statement that has to change a row, or else is rejected, and records it in the audit log.
func (a *Aggregates) put(ctx context.Context, audit []port.AuditDraft, refused error, query string, args ...any) error {
	forms, err := storekit.Forms(audit)
	if err != nil {
		return err
	}
	return a.db.Write(ctx, 0, func(tx Tx) error {
		n, err := tx.Changed(query, args...)
		switch {
		case err != nil:
			return err
		case n == 0:
			return refused
		}
		return tx.Audit(forms)
	})
}

// insert stores a row whose id must be free.
func (a *Aggregates) insert(
	ctx context.Context, audit []port.AuditDraft, what, id, query string, args ...any,
) error {
	taken := fault.Newf(fault.Conflict, "%s %s already exists", what, id)
	if err := a.put(ctx, audit, taken, query, args...); err != nil {
		return fmt.Errorf("store %s %s: %w", what, id, err)
	}
	return nil
}

// touch changes a row that may be gone.
func (a *Aggregates) touch(ctx context.Context, what, id, query string, args ...any) error {
	if !storekit.Word(id) {
		return nil
	}
	if _, err := a.db.Exec(ctx, query, args...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// removal defines how to delete a row: the query that finds it, and the statements that delete it and its
// dependent rows. All take the id.
type removal[T any] struct {
	what   string
	scan   scanner[T]
	find   string
	delete []string
}

func remove[T any](
	ctx context.Context, a *Aggregates, r removal[T], id string, notes []port.Note[T],
) (out T, err error) {
	missing := storekit.NotFound(r.what, id)
	if !storekit.Word(id) {
		return out, missing
	}
	err = a.db.Write(ctx, 0, func(tx Tx) error {
		found, err := r.scan(tx.RowForUpdate(r.find, id))
		if errors.Is(err, sql.ErrNoRows) {
			return missing
		}
		out = found
		for _, query := range r.delete {
			if err == nil {
				err = tx.Exec(query, id)
			}
		}
		if err == nil {
			err = record(tx, found, notes)
		}
		return err
	})
	if err != nil {
		var none T
		return none, fmt.Errorf("remove %s %s: %w", r.what, id, err)
	}
	return out, nil
}

// record adds an audit entry for a change. It comes last, and its error is not a fault: the change has to be
// rolled back.
func record[T any](tx Tx, v T, notes []port.Note[T]) error {
	forms, err := storekit.Noted(v, notes)
	if err != nil {
		return fmt.Errorf("create an audit entry: %v", err)
	}
	return tx.Audit(forms)
}

// forget deletes old rows, a limited number at a time.
func (a *Aggregates) forget(ctx context.Context, what, query string, before int64) (int, error) {
	n, err := a.db.Exec(ctx, query, before, storekit.ForgetMax)
	if err != nil {
		return 0, fmt.Errorf("forget %s: %w", what, err)
	}
	return int(n), nil
}
