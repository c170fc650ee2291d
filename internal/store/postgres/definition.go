package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
	"github.com/jackc/pgx/v5"
)

// transact runs f in a transaction, again if the server undid it for the sake
// of others. F must be free of other effects.
func (s *Store) transact(ctx context.Context, f func(pgx.Tx) error) (err error) {
	for range 3 {
		err = pgx.BeginFunc(ctx, s.pool, f)
		if !again(err) {
			break
		}
	}
	return explain(err)
}

// SaveVersion implements port.Definitions.
func (s *Store) SaveVersion(ctx context.Context, v port.Version, entries ...port.AuditDraft) (saved port.Version, created bool, err error) {
	if err := wire.CheckVersion(&v); err != nil {
		return port.Version{}, false, err
	}
	forms, err := wire.Forms(entries)
	if err != nil {
		return port.Version{}, false, err
	}
	err = s.transact(ctx, func(tx pgx.Tx) (err error) {
		if saved, created, err = s.saveVersion(ctx, tx, v); err == nil && created {
			_, err = s.audit(ctx, tx, forms)
		}
		return err
	})
	if err == nil && !created {
		err = s.vault.ShowVersion(&saved)
	}
	if err != nil {
		return port.Version{}, false, fmt.Errorf("save %s %s: %w", v.Kind, v.Name, err)
	}
	return saved, created, nil
}

func (s *Store) saveVersion(ctx context.Context, tx pgx.Tx, v port.Version) (port.Version, bool, error) {
	if _, err := tx.Exec(ctx, sqlLockDocument, v.Kind, v.Name); err != nil {
		return v, false, err
	}
	newest, err := scanVersion(tx.QueryRow(ctx, sqlNewestVersion, v.Kind, v.Name))
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return v, false, err
	}
	if err == nil && newest.Digest == v.Digest {
		return newest, false, nil
	}
	v.Number, v.Published, v.At = newest.Number+1, false, wire.Time(wire.Nanos(v.At))
	tag, err := tx.Exec(ctx, sqlInsertVersion, v.ID, v.Kind, v.Name, v.Number, v.Digest, v.By, wire.Nanos(v.At), s.vault.HideVersion(v))
	if err == nil && tag.RowsAffected() == 0 {
		err = fault.Newf(fault.Conflict, "the id %s is taken", v.ID)
	}
	return v, err == nil, err
}

// Publish implements port.Definitions.
func (s *Store) Publish(ctx context.Context, kind, name string, number int, by string, at time.Time, entries ...port.AuditDraft) error {
	forms, err := wire.Forms(entries)
	if err != nil {
		return err
	}
	missing := wire.NotFound(kind+" version", fmt.Sprintf("%s %d", name, number))
	if !wire.Word(kind) || !wire.Word(name) {
		return missing
	}
	err = s.transact(ctx, func(tx pgx.Tx) error {
		for _, sql := range []string{sqlLockDocument, sqlUnpublish} {
			if _, err := tx.Exec(ctx, sql, kind, name); err != nil {
				return err
			}
		}
		tag, err := tx.Exec(ctx, sqlPublish, kind, name, number, wire.Text(by), wire.Nanos(at))
		if err == nil && tag.RowsAffected() == 0 {
			return missing // which rolls back
		}
		if err == nil {
			_, err = tx.Exec(ctx, sqlNextGeneration)
		}
		if err == nil {
			_, err = s.audit(ctx, tx, forms)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("publish %s %s %d: %w", kind, name, number, err)
	}
	return nil
}

// Withdraw implements port.Definitions.
func (s *Store) Withdraw(ctx context.Context, kind, name string, entries ...port.AuditDraft) error {
	forms, err := wire.Forms(entries)
	if err != nil {
		return err
	}
	missing := wire.NotFound(kind, name)
	if !wire.Word(kind) || !wire.Word(name) {
		return missing
	}
	err = s.transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlLockDocument, kind, name); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, sqlUnpublish, kind, name)
		if err == nil && tag.RowsAffected() == 0 {
			return missing
		}
		if err == nil {
			_, err = tx.Exec(ctx, sqlNextGeneration)
		}
		if err == nil {
			_, err = s.audit(ctx, tx, forms)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("withdraw %s %s: %w", kind, name, err)
	}
	return nil
}

// Generation implements port.Definitions.
func (s *Store) Generation(ctx context.Context) (n int64, err error) {
	if err := s.pool.QueryRow(ctx, sqlGeneration).Scan(&n); err != nil {
		return 0, fmt.Errorf("read the generation: %w", explain(err))
	}
	return n, nil
}

// Uses implements port.Definitions.
func (s *Store) Uses(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	rows, err := s.pool.Query(ctx, sqlUses)
	if err == nil {
		var rule string
		var n int
		_, err = pgx.ForEachRow(rows, []any{&rule, &n}, func() error {
			out[rule] = n
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("read the uses of rules: %w", explain(err))
	}
	return out, nil
}

// Version implements port.Definitions.
func (s *Store) Version(ctx context.Context, kind, name string, number int) (port.Version, error) {
	missing := wire.NotFound(kind, name)
	if !wire.Word(kind) || !wire.Word(name) {
		return port.Version{}, missing
	}
	sql, args := sqlVersion, []any{kind, name, number}
	switch number {
	case 0:
		sql, args = sqlVersionInForce, args[:2]
	case -1:
		sql, args = sqlNewestVersion, args[:2]
	}
	v, err := scanVersion(s.pool.QueryRow(ctx, sql, args...))
	if errors.Is(err, pgx.ErrNoRows) {
		return port.Version{}, missing
	}
	if err == nil {
		err = s.vault.ShowVersion(&v)
	}
	if err != nil {
		return port.Version{}, fmt.Errorf("read %s %s: %w", kind, name, explain(err))
	}
	return v, nil
}

// Versions implements port.Definitions.
func (s *Store) Versions(ctx context.Context, kind, name string) ([]port.Version, error) {
	if !wire.Word(kind) || !wire.Word(name) {
		return nil, nil
	}
	all, err := list(ctx, s, scanVersion, sqlVersions, kind, name)
	if err != nil {
		return nil, fmt.Errorf("list versions of %s %s: %w", kind, name, err)
	}
	return all, nil
}

// InForce implements port.Definitions.
func (s *Store) InForce(ctx context.Context, kind string) ([]port.Version, error) {
	return s.versionsOf(ctx, sqlInForce, kind)
}

// Latest implements port.Definitions.
func (s *Store) Latest(ctx context.Context, kind string) ([]port.Version, error) {
	return s.versionsOf(ctx, sqlLatest, kind)
}

func (s *Store) versionsOf(ctx context.Context, sql, kind string) ([]port.Version, error) {
	if !wire.Word(kind) {
		return nil, nil
	}
	all, err := list(ctx, s, scanVersion, sql, kind)
	if err == nil {
		err = wire.ShowAll(all, s.vault.ShowVersion)
	}
	if err != nil {
		return nil, fmt.Errorf("list documents of kind %s: %w", kind, err)
	}
	return all, nil
}

// PutBundle implements port.Definitions.
func (s *Store) PutBundle(ctx context.Context, digest string, bundle json.RawMessage) error {
	if err := wire.CheckBundle(digest, bundle); err != nil {
		return err
	}
	if _, err := s.pool.Exec(ctx, sqlPutBundle, digest, s.vault.HideBundle(digest, bundle)); err != nil {
		return fmt.Errorf("store bundle %s: %w", digest, explain(err))
	}
	return nil
}

// Bundle implements port.Definitions.
func (s *Store) Bundle(ctx context.Context, digest string) (json.RawMessage, error) {
	if !wire.Word(digest) {
		return nil, wire.NotFound("bundle", digest)
	}
	var bundle []byte
	err := s.pool.QueryRow(ctx, sqlBundle, digest).Scan(&bundle)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, wire.NotFound("bundle", digest)
	}
	if err == nil {
		bundle, err = s.vault.ShowBundle(digest, bundle)
	}
	if err != nil {
		return nil, fmt.Errorf("read bundle %s: %w", digest, explain(err))
	}
	return bundle, nil
}

func scanVersion(row pgx.Row) (v port.Version, err error) {
	var at, published int64
	err = row.Scan(&v.ID, &v.Kind, &v.Name, &v.Number, &v.Published, &v.Digest, &v.By, &at, &published, (*[]byte)(&v.Body))
	v.At, v.PublishedAt, v.Replaced = wire.Time(at), wire.Time(published), published != 0 && !v.Published
	return v, err
}
