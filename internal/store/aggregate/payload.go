package aggregate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// OrderRemoval implements port.Payloads.
func (a *Aggregates) OrderRemoval(ctx context.Context, r port.Removal) (port.Removal, error) {
	kept := r
	err := a.db.WriteAlone(ctx, func(tx Tx) (err error) {
		kept, err = a.vault.OrderRemoval(tx, r)
		return err
	})
	return kept, AboutRemoval(err)
}

// DropRemoval implements port.Payloads.
func (a *Aggregates) DropRemoval(ctx context.Context, run string) error {
	return AboutRemoval(a.db.WriteAlone(ctx, func(tx Tx) error { return storekit.DropRemoval(tx, run) }))
}

// OpenRemovals implements port.Payloads.
func (a *Aggregates) OpenRemovals(ctx context.Context, limit int) ([]port.Removal, error) {
	out, err := a.vault.OpenRemovals(readTx{ctx, a.db}, storekit.PageSize(limit))
	return out, AboutRemoval(err)
}

// Removable implements port.Payloads.
func (a *Aggregates) Removable(ctx context.Context, ended time.Time, limit int) ([]string, error) {
	out, err := storekit.Removable(readTx{ctx, a.db}, ended, storekit.PageSize(limit))
	return out, AboutRemoval(err)
}

// Relatives implements port.Payloads.
func (a *Aggregates) Relatives(ctx context.Context, run string) (subs, copies []string, err error) {
	subs, copies, err = storekit.Relatives(readTx{ctx, a.db}, run)
	return subs, copies, AboutRemoval(err)
}

// AboutRemoval adds context to an error.
func AboutRemoval(err error) error {
	if err != nil {
		return fmt.Errorf("delete the payloads of a run: %w", err)
	}
	return nil
}

// readTx reads committed rows for functions that take a transaction.
type readTx struct {
	ctx context.Context
	db  DB
}

// Query implements storekit.RewriteTx.
func (r readTx) Query(query string, args []any, each func(storekit.Row) error) error {
	return r.db.Query(r.ctx, query, args, each)
}

// Exec implements storekit.RewriteTx: reading changes nothing.
func (r readTx) Exec(string, ...any) error { return errors.New("this transaction only reads") }
