package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/wire"
)

// SaveVersion implements port.Definitions.
func (s *Store) SaveVersion(ctx context.Context, v port.Version, audit ...port.AuditDraft) (port.Version, bool, error) {
	if err := wire.CheckVersion(&v); err != nil {
		return port.Version{}, false, err
	}
	forms, err := wire.Forms(audit)
	if err != nil {
		return port.Version{}, false, err
	}
	var saved port.Version
	var created bool
	err = s.writer.queue.Do(ctx, &job{Job: wire.Job{Bytes: len(v.Body)}, do: func(t *tx) (err error) {
		if saved, created, err = saveVersion(t, v); err == nil && created {
			t.audit(forms)
		}
		return err
	}})
	if err == nil && !created {
		err = s.vault.ShowVersion(&saved)
	}
	if err != nil {
		return port.Version{}, false, fmt.Errorf("save %s %s: %w", v.Kind, v.Name, err)
	}
	return saved, created, nil
}

func saveVersion(t *tx, v port.Version) (port.Version, bool, error) {
	q, err := t.stmt(sqlNewestVersion)
	if err != nil {
		return v, false, err
	}
	newest, err := scanVersion(q.QueryRowContext(context.Background(), v.Kind, v.Name))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return v, false, err
	}
	if err == nil && newest.Digest == v.Digest {
		return newest, false, nil
	}
	var one int
	if found, err := t.queryRow(sqlHasVersionID, []any{v.ID}, &one); err != nil {
		return v, false, err
	} else if found {
		return v, false, fault.Newf(fault.Conflict, "the id %s is taken", v.ID)
	}
	v.Number, v.Published, v.At = newest.Number+1, false, wire.Time(wire.Nanos(v.At))
	err = t.exec(sqlInsertVersion, v.ID, v.Kind, v.Name, v.Number, false, v.Digest, v.By, wire.Nanos(v.At), t.s.vault.HideVersion(v))
	return v, err == nil, err
}

// Publish implements port.Definitions.
func (s *Store) Publish(ctx context.Context, kind, name string, number int, by string, at time.Time, audit ...port.AuditDraft) error {
	forms, err := wire.Forms(audit)
	if err != nil {
		return err
	}
	missing := wire.NotFound(kind+" version", fmt.Sprintf("%s %d", name, number))
	if !wire.Word(kind) || !wire.Word(name) {
		return missing
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		var one int
		if found, err := t.queryRow(sqlHasVersion, []any{kind, name, number}, &one); err != nil {
			return err
		} else if !found {
			return missing
		}
		if err := t.exec(sqlUnpublish, kind, name); err != nil {
			return err
		}
		if err := t.exec(sqlPublish, wire.Text(by), wire.Nanos(at), kind, name, number); err != nil {
			return err
		}
		t.generation++
		if err := t.exec(sqlNextGeneration); err != nil {
			return err
		}
		t.audit(forms)
		return nil
	}})
	if err != nil {
		return fmt.Errorf("publish %s %s %d: %w", kind, name, number, err)
	}
	return nil
}

// Withdraw implements port.Definitions.
func (s *Store) Withdraw(ctx context.Context, kind, name string, audit ...port.AuditDraft) error {
	forms, err := wire.Forms(audit)
	if err != nil {
		return err
	}
	missing := wire.NotFound(kind, name)
	if !wire.Word(kind) || !wire.Word(name) {
		return missing
	}
	err = s.writer.queue.Do(ctx, &job{do: func(t *tx) error {
		var one int
		if found, err := t.queryRow(sqlHasInForce, []any{kind, name}, &one); err != nil {
			return err
		} else if !found {
			return missing
		}
		if err := t.exec(sqlUnpublish, kind, name); err != nil {
			return err
		}
		t.generation++
		if err := t.exec(sqlNextGeneration); err != nil {
			return err
		}
		t.audit(forms)
		return nil
	}})
	if err != nil {
		return fmt.Errorf("withdraw %s %s: %w", kind, name, err)
	}
	return nil
}

// Generation implements port.Definitions.
func (s *Store) Generation(ctx context.Context) (n int64, err error) {
	if err := s.one(ctx, sqlGeneration).Scan(&n); err != nil {
		return 0, fmt.Errorf("read the generation: %w", explain(err))
	}
	return n, nil
}

// Uses implements port.Definitions.
func (s *Store) Uses(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	_, err := collect(func(rows *sql.Rows) (_ struct{}, err error) {
		var rule string
		var n int
		err = rows.Scan(&rule, &n)
		out[rule] = n
		return struct{}{}, err
	})(s.read.QueryContext(ctx, sqlUses))
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
	query, args := sqlVersion, []any{kind, name, number}
	switch number {
	case 0:
		query, args = sqlVersionInForce, args[:2]
	case -1:
		query, args = sqlNewestVersion, args[:2]
	}
	v, err := scanVersion(s.one(ctx, query, args...))
	if errors.Is(err, sql.ErrNoRows) {
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
	return s.versions(ctx, sqlVersions, kind, name)
}

// InForce implements port.Definitions.
func (s *Store) InForce(ctx context.Context, kind string) ([]port.Version, error) {
	return s.versions(ctx, sqlInForce, kind)
}

// Latest implements port.Definitions.
func (s *Store) Latest(ctx context.Context, kind string) ([]port.Version, error) {
	return s.versions(ctx, sqlLatest, kind)
}

func (s *Store) versions(ctx context.Context, query string, words ...string) ([]port.Version, error) {
	for _, w := range words {
		if !wire.Word(w) {
			return nil, nil
		}
	}
	list, err := collect(func(r *sql.Rows) (port.Version, error) { return scanVersion(r) })(s.read.QueryContext(ctx, query, anys(words)...))
	if err == nil {
		err = wire.ShowAll(list, s.vault.ShowVersion)
	}
	if err != nil {
		return nil, fmt.Errorf("list versions of %v: %w", words, explain(err))
	}
	return list, nil
}

// PutBundle implements port.Definitions.
func (s *Store) PutBundle(ctx context.Context, digest string, bundle json.RawMessage) error {
	if err := wire.CheckBundle(digest, bundle); err != nil {
		return err
	}
	hidden := s.vault.HideBundle(digest, bundle)
	err := s.writer.queue.Do(ctx, &job{Job: wire.Job{Bytes: len(bundle)}, do: func(t *tx) error { return t.exec(sqlPutBundle, digest, hidden) }})
	if err != nil {
		return fmt.Errorf("store bundle %s: %w", digest, err)
	}
	return nil
}

// Bundle implements port.Definitions.
func (s *Store) Bundle(ctx context.Context, digest string) (json.RawMessage, error) {
	if !wire.Word(digest) {
		return nil, wire.NotFound("bundle", digest)
	}
	var bundle []byte
	err := s.one(ctx, sqlBundle, digest).Scan(&bundle)
	if errors.Is(err, sql.ErrNoRows) {
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

func scanVersion(row scanner) (v port.Version, err error) {
	var at, published int64
	err = row.Scan(&v.ID, &v.Kind, &v.Name, &v.Number, &v.Published, &v.Digest, &v.By, &at, &published, (*[]byte)(&v.Body))
	v.At, v.PublishedAt, v.Replaced = wire.Time(at), wire.Time(published), published != 0 && !v.Published
	return v, err
}
