package aggregate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	pushColumns = `id, person, session, body, created_at, renewed_at`

	sqlPushOwner = `SELECT person FROM pushes WHERE id = ?`
	sqlPutPush   = `INSERT INTO pushes (` + pushColumns + `) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET person = excluded.person, session = excluded.session, body = excluded.body,
		created_at = CASE WHEN pushes.person = excluded.person THEN pushes.created_at ELSE excluded.created_at END,
		renewed_at = excluded.renewed_at`
	sqlPrunePushes = `DELETE FROM pushes WHERE person = ? AND id NOT IN
		(SELECT id FROM pushes WHERE person = ? ORDER BY renewed_at DESC, id LIMIT ?)`
	sqlPushesOf = `SELECT ` + pushColumns + ` FROM pushes WHERE person = ? ORDER BY renewed_at DESC, id LIMIT ?`
	sqlEndPush  = `DELETE FROM pushes WHERE person = ? AND id = ?`
	// With the session, or with all sessions of a person.
	sqlEndSessionPushes = `DELETE FROM pushes WHERE session = ?`
	sqlEndPushes        = `DELETE FROM pushes WHERE person = ?`

	sqlPushKey    = `SELECT body FROM push_keys WHERE id = ?`
	sqlAddPushKey = `INSERT INTO push_keys (id, body) VALUES (?, ?) ON CONFLICT (id) DO NOTHING`
)

// PutPush implements port.Pushes.
func (a *Aggregates) PutPush(ctx context.Context, p port.Push, audit ...port.AuditDraft) (created bool, err error) {
	if err := storekit.CheckPush(&p); err != nil {
		return false, err
	}
	forms, err := storekit.Forms(audit)
	if err != nil {
		return false, err
	}
	body, err := a.vault.HidePush(&p)
	if err != nil {
		return false, fmt.Errorf("store a subscription to push messages: %w", err)
	}
	err = a.db.Write(ctx, len(body), func(tx Tx) error {
		if err := tx.Lock("pushes of " + p.Person); err != nil { // others would not be counted
			return err
		}
		var owner string
		err := tx.RowForUpdate(sqlPushOwner, p.ID).Scan(&owner)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		created = owner != p.Person
		err = tx.Exec(sqlPutPush, p.ID, p.Person, p.Session, body, storekit.Nanos(p.CreatedAt), storekit.Nanos(p.RenewedAt))
		if err == nil {
			err = tx.Exec(sqlPrunePushes, p.Person, p.Person, port.PushesMax)
		}
		if err != nil || !created {
			return err
		}
		return tx.Audit(forms)
	})
	if err != nil {
		return false, fmt.Errorf("store a subscription to push messages of %s: %w", p.Person, err)
	}
	return created, nil
}

// PushesOf implements port.Pushes.
func (a *Aggregates) PushesOf(ctx context.Context, person string) ([]port.Push, error) {
	if !storekit.Word(person) {
		return nil, nil
	}
	all, err := list(ctx, a, a.scanPush, sqlPushesOf, person, port.PushesMax)
	if err != nil {
		return nil, fmt.Errorf("read the subscriptions to push messages of %s: %w", person, err)
	}
	return all, nil
}

// RemovePush implements port.Pushes.
func (a *Aggregates) RemovePush(
	ctx context.Context, person, id string, audit ...port.AuditDraft,
) (removed bool, err error) {
	if !storekit.Word(person) || !storekit.Word(id) {
		return false, nil
	}
	forms, err := storekit.Forms(audit)
	if err != nil {
		return false, err
	}
	err = a.db.Write(ctx, 0, func(tx Tx) error {
		n, err := tx.Changed(sqlEndPush, person, id)
		if removed = n > 0; err != nil || !removed {
			return err
		}
		return tx.Audit(forms)
	})
	if err != nil {
		return false, fmt.Errorf("remove a subscription to push messages of %s: %w", person, err)
	}
	return removed, nil
}

// PushKey implements port.Pushes.
func (a *Aggregates) PushKey(ctx context.Context, fresh []byte) (key []byte, err error) {
	if err := storekit.CheckPushKey(fresh); err != nil {
		return nil, err
	}
	stored := a.vault.HidePushKey(fresh)
	err = a.db.Write(ctx, 0, func(tx Tx) error {
		if err := tx.Exec(sqlAddPushKey, storekit.PushKeyID, stored); err != nil {
			return err
		}
		return tx.Row(sqlPushKey, storekit.PushKeyID).Scan(&key)
	})
	if err == nil {
		key, err = a.vault.ShowPushKey(key)
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of push messages: %w", err)
	}
	return key, nil
}

func (a *Aggregates) scanPush(row storekit.Row) (p port.Push, err error) {
	var body []byte
	var created, renewed int64
	if err := row.Scan(&p.ID, &p.Person, &p.Session, &body, &created, &renewed); err != nil {
		return p, err
	}
	p.CreatedAt, p.RenewedAt = storekit.Time(created), storekit.Time(renewed)
	return p, a.vault.ShowPush(&p, body)
}
