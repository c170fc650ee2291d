package aggregate

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	deliveryColumns = `id, channel, event, run, workflow, seq, at, approval, person, recipient, edits, urgent, summary,
		part_of, fallback, status, wanted, shown, attempts, failures, unknown, due_at, created_at, updated_at, sent_at, body`
	deliveryMarks = `?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?`

	outboxLock = "outbox"

	sqlOutboxMark    = `SELECT feed FROM outbox WHERE id = 1`
	sqlPutOutboxMark = `INSERT INTO outbox (id, feed) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET feed = excluded.feed`
	sqlAddDelivery   = `INSERT INTO deliveries (` + deliveryColumns + `) VALUES (` + deliveryMarks + `)
		ON CONFLICT (id) DO NOTHING`
	sqlToldOf = `SELECT count(*) FROM deliveries WHERE approval = ? AND channel = ? AND recipient = ?
		AND status <> 'suppressed'`
	// What is there, or may be, has to be replaced, however often that failed before.
	sqlRaise = `UPDATE deliveries SET wanted = ?,
		failures = CASE WHEN edits = 1 AND (shown > 0 OR due_at = 0 AND unknown = 1) THEN 0 ELSE failures END,
		due_at = CASE WHEN due_at = 0 AND edits = 1 AND (shown > 0 OR unknown = 1) THEN ? ELSE due_at END
		WHERE approval = ? AND wanted < ?`

	sqlDueOf = `SELECT ` + deliveryColumns + ` FROM deliveries WHERE due_at > 0 AND channel = ? AND due_at <= ?
		ORDER BY due_at, id LIMIT ?`
	sqlLapsedOf = `SELECT ` + deliveryColumns + ` FROM deliveries WHERE claimed > 0 AND claimed < ? AND channel = ?
		AND due_at <= ? ORDER BY due_at, id LIMIT ?`
	sqlClaim = `UPDATE deliveries SET attempts = attempts + 1, unknown = 1, due_at = ?, claimed = ?
		WHERE id = ? AND attempts = ? AND due_at > 0 AND (due_at <= ? OR claimed > 0 AND claimed < ? AND due_at <= ?)`
	sqlSettle = `UPDATE deliveries SET status = ?, shown = ?, failures = ?, unknown = ?, updated_at = ?, sent_at = ?,
		body = ?, edits = ?, claimed = 0, due_at = CASE WHEN wanted > ? AND ? = 1
		THEN CAST(? AS bigint) ELSE CAST(? AS bigint) END
		WHERE id = ? AND attempts = ?`
	sqlSumUp = `UPDATE deliveries SET status = 'suppressed', part_of = ?, due_at = 0, attempts = attempts + 1, unknown = 0,
		updated_at = ? WHERE channel = ? AND recipient = ? AND status = 'queued' AND shown = 0 AND summary = 0
		AND ` + sqlOfClass + ` AND due_at > 0 AND unknown = 0 AND id <> ?`
	sqlDueChannels = `SELECT channel, min(at) FROM
		(SELECT channel, due_at AS at FROM deliveries WHERE due_at > 0 AND due_at <= ?
		UNION ALL SELECT channel, due_at - CAST(? AS bigint) AS at FROM deliveries
		WHERE claimed > 0 AND claimed < ? AND due_at <= ?) AS due GROUP BY channel ORDER BY channel`
	sqlSentSince = `SELECT count(*), coalesce(min(sent_at), 0) FROM deliveries
		WHERE channel = ? AND recipient = ? AND ` + sqlOfClass + ` AND sent_at > ?`
	sqlOfClass = `urgent = ? AND
		CASE WHEN event IN ('approval.needed', 'approval.reminder', 'approval.escalated') THEN 1 ELSE 0 END = ?`

	sqlDelivery      = `SELECT ` + deliveryColumns + ` FROM deliveries WHERE id = ?`
	sqlRetryDelivery = `UPDATE deliveries SET due_at = CASE WHEN claimed > 0 THEN due_at ELSE CAST(? AS bigint) END,
		failures = 0, updated_at = ?,
		status = CASE WHEN shown = 0 THEN 'queued' ELSE status END WHERE id = ?`
	sqlForgetDeliveries = `DELETE FROM deliveries WHERE id IN
		(SELECT id FROM deliveries WHERE due_at = 0 AND updated_at < ? AND
		approval NOT IN (SELECT id FROM approvals WHERE status = 'pending') ORDER BY updated_at LIMIT ?)`

	sqlPreferences    = `SELECT body FROM preferences WHERE person = ?`
	sqlPutPreferences = `INSERT INTO preferences (person, body, at) VALUES (?, ?, ?)
		ON CONFLICT (person) DO UPDATE SET body = excluded.body, at = excluded.at`
	sqlDisableChannel = `INSERT INTO disabled_channels (name, digest, why, at) VALUES (?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, why = excluded.why, at = excluded.at`
	sqlEnableChannel = `DELETE FROM disabled_channels WHERE name = ?`
	// What shows the past may have buttons; what never arrived is still asked.
	sqlFailedAgain = `UPDATE deliveries SET due_at = ?, failures = 0, updated_at = ?,
		status = CASE WHEN shown = 0 THEN 'queued' ELSE status END
		WHERE channel = ? AND status = 'failed' AND due_at = 0 AND
		(edits = 1 AND (shown > 0 OR unknown = 1) AND wanted > shown OR shown = 0 AND
		(approval IN (SELECT id FROM approvals WHERE status = 'pending') OR summary = 1) AND
		id NOT IN (SELECT fallback FROM deliveries WHERE fallback <> '' AND shown > 0))`
	sqlDisabledChannels = `SELECT name, digest, why, at FROM disabled_channels ORDER BY name`
)

// OutboxMark implements port.Outbox.
func (a *Aggregates) OutboxMark(ctx context.Context) (feed int64, set bool, err error) {
	err = a.db.Row(ctx, sqlOutboxMark).Scan(&feed)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("read the position of the outbox: %w", err)
	}
	return feed, true, nil
}

// ExpandOutbox implements port.Outbox.
func (a *Aggregates) ExpandOutbox(ctx context.Context, e port.Expansion) error {
	if err := checkExpansion(&e); err != nil {
		return err
	}
	rows, size, err := a.deliveryRows(e.New)
	if err != nil {
		return err
	}
	err = a.db.Write(ctx, size, func(tx Tx) error {
		if err := tx.Lock(outboxLock); err != nil {
			return err
		}
		var mark int64
		err := tx.Row(sqlOutboxMark).Scan(&mark)
		switch missing := errors.Is(err, sql.ErrNoRows); {
		case err != nil && !missing:
			return err
		case missing != e.First || mark != e.From && !e.First:
			return fault.New(fault.Conflict, "another process has expanded the outbox", "")
		}
		if err := addDeliveries(tx, e.New, rows); err != nil {
			return err
		}
		now := storekit.Nanos(e.At)
		for _, r := range e.Raised {
			if err := tx.Exec(sqlRaise, r.Feed, now, r.Approval, r.Feed); err != nil {
				return err
			}
		}
		return tx.Exec(sqlPutOutboxMark, e.To)
	})
	if err != nil {
		return fmt.Errorf("expand the outbox: %w", err)
	}
	return nil
}

// deliveryRows are the values of new deliveries, and about how much they store.
func (a *Aggregates) deliveryRows(all []port.Delivery) (rows [][]any, size int, err error) {
	for i := range all {
		d := &all[i]
		body, err := hideDelivery(a.vault, d)
		if err != nil {
			return nil, 0, fmt.Errorf("store a delivery: %w", err)
		}
		size += len(body) + 500
		rows = append(rows, []any{d.ID, d.Channel, d.Event, d.Run, d.Workflow, d.Seq, storekit.Nanos(d.At), d.Approval,
			d.Person, d.Recipient, bit(d.Edits), bit(d.Urgent), bit(d.Summary), d.In, d.Fallback, string(d.Status), d.Wanted,
			d.Shown, d.Attempts, d.Failures, bit(d.Unknown), storekit.Nanos(d.DueAt), storekit.Nanos(d.CreatedAt),
			storekit.Nanos(d.UpdatedAt), storekit.Nanos(d.SentAt), body})
	}
	return rows, size, nil
}

func addDeliveries(tx Tx, all []port.Delivery, rows [][]any) error {
	for i := range all {
		if d := &all[i]; d.Once {
			var n int
			if err := tx.Row(sqlToldOf, d.Approval, d.Channel, d.Recipient).Scan(&n); err != nil {
				return err
			}
			if n > 0 {
				continue
			}
		}
		if err := tx.Exec(sqlAddDelivery, rows[i]...); err != nil {
			return err
		}
	}
	return nil
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// ClaimDeliveries implements port.Outbox.
func (a *Aggregates) ClaimDeliveries(ctx context.Context, c port.DeliveryClaim) (out []port.Delivery, err error) {
	now, until, lapsed := storekit.Nanos(c.Now), storekit.Nanos(c.Until), storekit.Nanos(c.Now.Add(c.Early))
	limit := storekit.PageSize(c.Limit)
	due, err := list(ctx, a, a.scanDelivery, sqlLapsedOf, c.Epoch, c.Channel, lapsed, limit)
	if err == nil && len(due) < limit {
		var more []port.Delivery // those that were claimed and are due as well are claimed once: by their attempts
		more, err = list(ctx, a, a.scanDelivery, sqlDueOf, c.Channel, now, limit-len(due))
		due = append(due, more...)
	}
	if err == nil && len(due) > 0 {
		err = a.db.Write(ctx, 0, func(tx Tx) error {
			out = nil // it may run again
			for _, d := range due {
				n, err := tx.Changed(sqlClaim, until, c.Epoch, d.ID, d.Attempts, now, c.Epoch, lapsed)
				if err != nil {
					return err
				}
				if n == 1 {
					d.Attempts, d.DueAt = d.Attempts+1, storekit.Time(until)
					out = append(out, d)
				}
			}
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("claim deliveries of channel %s: %w", c.Channel, err)
	}
	return out, nil
}

// SettleDelivery implements port.Outbox.
func (a *Aggregates) SettleDelivery(ctx context.Context, r port.DeliveryResult) error {
	d := &r.Delivery
	if err := checkDelivery(d); err != nil {
		return err
	}
	for i := range r.Fallbacks {
		if err := checkDelivery(&r.Fallbacks[i]); err != nil {
			return err
		}
	}
	body, err := hideDelivery(a.vault, d)
	if err != nil {
		return fmt.Errorf("store a delivery: %w", err)
	}
	rows, size, err := a.deliveryRows(r.Fallbacks)
	if err != nil {
		return err
	}
	due, now := storekit.Nanos(d.DueAt), storekit.Nanos(d.UpdatedAt)
	// If something happened in the meantime:
	again := due == 0 && d.Edits && d.Shown > 0 && d.Status != port.DeliveryFailed
	err = a.db.Write(ctx, size+len(body), func(tx Tx) error {
		n, err := tx.Changed(sqlSettle, string(d.Status), d.Shown, d.Failures, bit(d.Unknown), now, storekit.Nanos(d.SentAt),
			body, bit(d.Edits), d.Shown, bit(again), now, due, d.ID, d.Attempts)
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Conflict, "there was another attempt in the meantime", "")
		}
		return addDeliveries(tx, r.Fallbacks, rows)
	})
	if err != nil {
		return fmt.Errorf("settle delivery %s: %w", d.ID, err)
	}
	return nil
}

// SumUpDeliveries implements port.Outbox.
func (a *Aggregates) SumUpDeliveries(ctx context.Context, d port.Delivery) (n int, err error) {
	if err := checkDelivery(&d); err != nil {
		return 0, err
	}
	rows, size, err := a.deliveryRows([]port.Delivery{d})
	if err != nil {
		return 0, err
	}
	err = a.db.Write(ctx, size, func(tx Tx) error {
		changed, err := tx.Changed(sqlSumUp, d.ID, storekit.Nanos(d.UpdatedAt), d.Channel, d.Recipient, bit(d.Urgent),
			bit(d.Class().Asks), d.ID)
		if n = int(changed); err != nil || n == 0 {
			return err
		}
		return tx.Exec(sqlAddDelivery, rows[0]...)
	})
	if err != nil {
		return 0, fmt.Errorf("combine deliveries of channel %s: %w", d.Channel, err)
	}
	return n, nil
}

// DueDeliveries implements port.Outbox.
func (a *Aggregates) DueDeliveries(ctx context.Context, c port.DeliveryClaim) ([]port.DueChannel, error) {
	out, err := list(ctx, a, func(row storekit.Row) (d port.DueChannel, err error) {
		var at int64
		err = row.Scan(&d.Channel, &at)
		d.At = storekit.Time(at)
		return d, err
	}, sqlDueChannels, storekit.Nanos(c.Now), int64(c.Early), c.Epoch, storekit.Nanos(c.Now.Add(c.Early)))
	if err != nil {
		return nil, fmt.Errorf("read which deliveries are due: %w", err)
	}
	return out, nil
}

// DeliveriesSent implements port.Outbox.
func (a *Aggregates) DeliveriesSent(
	ctx context.Context, channel, recipient string, c port.DeliveryClass, since time.Time,
) (n int, first time.Time, err error) {
	var at int64
	err = a.db.Row(ctx, sqlSentSince, channel, recipient, bit(c.Urgent), bit(c.Asks), storekit.Nanos(since)).Scan(&n, &at)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("count deliveries of channel %s: %w", channel, err)
	}
	return n, storekit.Time(at), nil
}

// Delivery implements port.DeliveryLog.
func (a *Aggregates) Delivery(ctx context.Context, id string) (port.Delivery, error) {
	return one(ctx, a, a.scanDelivery, nil, sqlDelivery, "delivery", id)
}

// Deliveries implements port.DeliveryLog.
func (a *Aggregates) Deliveries(ctx context.Context, q port.DeliveryQuery) (out port.Page[port.Delivery], err error) {
	from, err := storekit.ParseCursor(q.Cursor, deliveryList)
	if err != nil {
		return out, err
	}
	w := &storekit.Where{}
	if len(q.Status) > 0 {
		var args []any
		for _, s := range q.Status {
			if !slices.Contains(port.DeliveryStatuses, s) {
				return out, fault.Newf(fault.Invalid, "deliveries have one of the statuses %q", port.DeliveryStatuses)
			}
			args = append(args, string(s))
		}
		w.Add("status IN ("+strings.TrimSuffix(strings.Repeat("?, ", len(args)), ", ")+")", args...)
	}
	w.Eq("approval", q.Approval)
	w.Eq("run", q.Run)
	w.Eq("channel", q.Channel)
	w.Eq("person", q.Person)
	w.Eq("part_of", q.In)
	paged := paging[port.Delivery]{table: "deliveries", columns: deliveryColumns, keys: "created_at, id",
		scan: a.scanDelivery, cursor: func(d *port.Delivery) storekit.Cursor {
			return storekit.Cursor{List: deliveryList, A: storekit.Nanos(d.CreatedAt), ID: d.ID}
		}}
	if out, err = page(ctx, a, &paged, w, after(from), storekit.PageSize(q.Limit)); err != nil {
		return port.Page[port.Delivery]{}, fmt.Errorf("list deliveries: %w", err)
	}
	return out, nil
}

// RetryDelivery implements port.DeliveryLog.
func (a *Aggregates) RetryDelivery(
	ctx context.Context, id string, at time.Time, audit ...port.AuditDraft,
) (d port.Delivery, err error) {
	forms, err := storekit.Forms(audit)
	if err != nil {
		return d, err
	}
	missing := storekit.NotFound("delivery", id)
	if !storekit.Word(id) {
		return d, missing
	}
	err = a.db.Write(ctx, 0, func(tx Tx) (err error) {
		d, err = a.scanDelivery(tx.RowForUpdate(sqlDelivery, id))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return missing
		case err != nil:
			return err
		case d.In != "":
			return fault.New(fault.Conflict, "this message is part of a summary", "retry "+d.In)
		case d.Status != port.DeliveryFailed && d.Status != port.DeliverySuppressed && d.DueAt.IsZero():
			return fault.New(fault.Conflict, "this message was delivered", "")
		}
		now := storekit.Nanos(at)
		if err := tx.Exec(sqlRetryDelivery, now, now, id); err != nil {
			return err
		}
		if d, err = a.scanDelivery(tx.Row(sqlDelivery, id)); err != nil {
			return err
		}
		return tx.Audit(forms)
	})
	if err != nil {
		return port.Delivery{}, fmt.Errorf("retry a delivery: %w", err)
	}
	return d, nil
}

// ForgetDeliveries implements port.DeliveryLog.
func (a *Aggregates) ForgetDeliveries(ctx context.Context, before time.Time) (int, error) {
	n, err := a.db.Exec(ctx, sqlForgetDeliveries, storekit.Nanos(before), storekit.PageSize(0))
	if err != nil {
		return 0, fmt.Errorf("forget deliveries: %w", err)
	}
	return int(n), nil
}

// Preferences implements port.Notices.
func (a *Aggregates) Preferences(ctx context.Context, person string) (raw json.RawMessage, err error) {
	if !storekit.Word(person) {
		return nil, nil
	}
	var stored []byte
	err = a.db.Row(ctx, sqlPreferences, person).Scan(&stored)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err == nil {
		raw, err = showPreferences(a.vault, person, stored)
	}
	if err != nil {
		return nil, fmt.Errorf("read the preferences of %s: %w", person, err)
	}
	return raw, nil
}

// PutPreferences implements port.Notices.
func (a *Aggregates) PutPreferences(
	ctx context.Context, person string, prefs json.RawMessage, at time.Time, audit ...port.AuditDraft,
) error {
	forms, err := storekit.Forms(audit)
	if err == nil {
		err = checkPreferences(person, prefs)
	}
	if err != nil {
		return err
	}
	err = a.db.Write(ctx, 0, func(tx Tx) error {
		err := tx.Exec(sqlPutPreferences, person, hidePreferences(a.vault, person, prefs), storekit.Nanos(at))
		if err != nil {
			return err
		}
		return tx.Audit(forms)
	})
	if err != nil {
		return fmt.Errorf("store the preferences of %s: %w", person, err)
	}
	return nil
}

// DisableChannel implements port.Notices.
func (a *Aggregates) DisableChannel(ctx context.Context, c port.DisabledChannel) error {
	if err := checkDisabledChannel(&c); err != nil {
		return err
	}
	_, err := a.db.Exec(ctx, sqlDisableChannel, c.Name, c.Digest, clean(c.Why), storekit.Nanos(c.At))
	if err != nil {
		return fmt.Errorf("disable channel %s: %w", c.Name, err)
	}
	return nil
}

// EnableChannel implements port.Notices.
func (a *Aggregates) EnableChannel(ctx context.Context, name string, at time.Time) (n int, err error) {
	if !storekit.Word(name) {
		return 0, nil
	}
	now := storekit.Nanos(at)
	err = a.db.Write(ctx, 0, func(tx Tx) error {
		if err := tx.Exec(sqlEnableChannel, name); err != nil {
			return err
		}
		again, err := tx.Changed(sqlFailedAgain, now, now, name)
		n = int(again)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("enable channel %s: %w", name, err)
	}
	return n, nil
}

// DisabledChannels implements port.Notices.
func (a *Aggregates) DisabledChannels(ctx context.Context) ([]port.DisabledChannel, error) {
	out, err := list(ctx, a, func(row storekit.Row) (c port.DisabledChannel, err error) {
		var at int64
		err = row.Scan(&c.Name, &c.Digest, &c.Why, &at)
		c.At = storekit.Time(at)
		return c, err
	}, sqlDisabledChannels)
	if err != nil {
		return nil, fmt.Errorf("read which channels are disabled: %w", err)
	}
	return out, nil
}

func (a *Aggregates) scanDelivery(row storekit.Row) (d port.Delivery, err error) {
	var at, due, created, updated, sent, edits, urgent, summary, unknown int64
	var body []byte
	err = row.Scan(&d.ID, &d.Channel, &d.Event, &d.Run, &d.Workflow, &d.Seq, &at, &d.Approval, &d.Person, &d.Recipient,
		&edits, &urgent, &summary, &d.In, &d.Fallback, &d.Status, &d.Wanted, &d.Shown, &d.Attempts, &d.Failures, &unknown,
		&due, &created, &updated, &sent, &body)
	if err != nil {
		return d, err
	}
	d.Edits, d.Urgent, d.Summary, d.Unknown = edits == 1, urgent == 1, summary == 1, unknown == 1
	d.At, d.DueAt, d.CreatedAt = storekit.Time(at), storekit.Time(due), storekit.Time(created)
	d.UpdatedAt, d.SentAt = storekit.Time(updated), storekit.Time(sent)
	return d, showDelivery(a.vault, &d, body)
}
