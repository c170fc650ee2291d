package aggregate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	hookColumns = `id, hook, at, last_at, times, outcome, run, body`
	// A delivery that has started a run keeps what it is.
	sqlPutHook = `INSERT INTO hook_deliveries (` + hookColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET times = hook_deliveries.times + excluded.times,
		last_at = CASE WHEN excluded.last_at > hook_deliveries.last_at THEN excluded.last_at
			ELSE hook_deliveries.last_at END,
		outcome = CASE WHEN hook_deliveries.run <> '' THEN hook_deliveries.outcome ELSE excluded.outcome END,
		body = CASE WHEN hook_deliveries.run <> '' THEN hook_deliveries.body ELSE excluded.body END,
		run = CASE WHEN hook_deliveries.run <> '' THEN hook_deliveries.run ELSE excluded.run END`
	sqlPruneHooks = `DELETE FROM hook_deliveries WHERE id IN (SELECT id FROM hook_deliveries WHERE hook = ?
		ORDER BY at DESC, id DESC LIMIT 1000 OFFSET ?)`
	sqlHook        = `SELECT ` + hookColumns + ` FROM hook_deliveries WHERE id = ?`
	sqlHooks       = `SELECT ` + hookColumns + ` FROM hook_deliveries WHERE hook = ? ORDER BY at DESC, id DESC LIMIT ?`
	sqlExpireHooks = `DELETE FROM hook_deliveries WHERE id IN (SELECT id FROM hook_deliveries WHERE run = ''
		AND last_at < ? ORDER BY last_at LIMIT ?)`
)

// PutHookDelivery implements port.HookDeliveries.
func (a *Aggregates) PutHookDelivery(ctx context.Context, d port.HookDelivery) error {
	if err := checkHook(&d); err != nil {
		return err
	}
	body := []byte{} // not NULL
	if len(d.Body) > 0 {
		body = a.vault.Bytes(d.Body, storekit.AtHook(d.ID))
	}
	err := a.db.Write(ctx, len(body), func(tx Tx) error {
		err := tx.Exec(sqlPutHook, d.ID, d.Trigger, storekit.Nanos(d.At), storekit.Nanos(d.LastAt), d.Times,
			string(d.Outcome), d.Run, body)
		if err == nil {
			err = tx.Exec(sqlPruneHooks, d.Trigger, port.HookDeliveriesMax)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("store a delivery to trigger %s: %w", d.Trigger, err)
	}
	return nil
}

// HookDelivery implements port.HookDeliveries.
func (a *Aggregates) HookDelivery(ctx context.Context, id string) (port.HookDelivery, error) {
	return one(ctx, a, scanHook, a.showHook, sqlHook, "delivery", id)
}

// HookDeliveries implements port.HookDeliveries.
func (a *Aggregates) HookDeliveries(ctx context.Context, trigger string, limit int) ([]port.HookDelivery, error) {
	found, err := list(ctx, a, scanHook, sqlHooks, trigger, min(max(limit, 1), port.HookDeliveriesMax))
	if err == nil {
		err = storekit.ShowAll(found, a.showHook)
	}
	if err != nil {
		return nil, fmt.Errorf("read the deliveries to trigger %s: %w", trigger, err)
	}
	return found, nil
}

// ExpireHookDeliveries implements port.HookDeliveries.
func (a *Aggregates) ExpireHookDeliveries(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := a.db.Exec(ctx, sqlExpireHooks, storekit.Nanos(before), storekit.PageSize(limit))
	if err != nil {
		return 0, fmt.Errorf("delete old deliveries to triggers: %w", err)
	}
	return int(n), nil
}

func (a *Aggregates) showHook(d *port.HookDelivery) (err error) {
	d.Body, err = a.vault.Open(d.Body, storekit.AtHook(d.ID))
	return err
}

// hookMax limits the stored content of a delivery.
const hookMax = 2 << 20

// checkHook validates a delivery.
func checkHook(d *port.HookDelivery) error {
	at := func(t time.Time) bool { return t.Unix() > 0 && t.Year() < 2262 }
	bad := map[string]bool{
		"id": !storekit.Word(d.ID), "trigger": !storekit.Word(d.Trigger), "run": d.Run != "" && !storekit.Word(d.Run),
		"at": !at(d.At) || !at(d.LastAt), "outcome": !slices.Contains(port.HookOutcomes, d.Outcome),
	}
	for _, field := range slices.Sorted(maps.Keys(bad)) {
		if bad[field] {
			return fault.Newf(fault.Invalid, "a delivery to a trigger cannot be stored: its %s is not valid", field)
		}
	}
	if (d.Outcome == port.HookStarted) != (d.Run != "") {
		return fault.New(fault.Invalid, "a delivery to a trigger has a run if it has started one", "")
	}
	if len(d.Body) > hookMax {
		return fault.Newf(fault.TooLarge, "a delivery of %d bytes is larger than %d", len(d.Body), hookMax)
	}
	return nil
}

func scanHook(row storekit.Row) (d port.HookDelivery, err error) {
	var at, last int64
	err = row.Scan(&d.ID, &d.Trigger, &at, &last, &d.Times, &d.Outcome, &d.Run, &d.Body)
	d.At, d.LastAt = storekit.Time(at), storekit.Time(last)
	return d, err
}
