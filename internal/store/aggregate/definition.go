package aggregate

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	versionColumns = `id, kind, name, number, published, digest, by, at`
	wholeVersion   = versionColumns + `, published_by, published_at, body, source`

	sqlVersions = `SELECT ` + versionColumns + `, published_by, published_at, CAST(NULL AS bytea),
		CAST(NULL AS bytea) FROM versions
		WHERE kind = ? AND name = ? ORDER BY number DESC`
	sqlLatest = `SELECT ` + wholeVersion + ` FROM versions v WHERE kind = ? AND number =
		(SELECT max(number) FROM versions WHERE kind = v.kind AND name = v.name) ORDER BY name`

	sqlVersionsNamed = `SELECT ` + wholeVersion + ` FROM versions WHERE kind = ? AND name = ?`
	sqlVersion       = sqlVersionsNamed + ` AND number = ?`
	sqlNewestVersion = sqlVersionsNamed + ` ORDER BY number DESC LIMIT 1`

	sqlHasVersion    = `SELECT 1 FROM versions WHERE kind = ? AND name = ? AND number = ?`
	sqlInsertVersion = `INSERT INTO versions (` + versionColumns + `, body, source, published_by, published_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0) ON CONFLICT (id) DO NOTHING`
	sqlSetSource = `UPDATE versions SET source = ? WHERE id = ?`
	sqlPublish   = `UPDATE versions SET published = ?, published_by = ?, published_at = ?
		WHERE kind = ? AND name = ? AND number = ?`

	sqlUses      = `SELECT rule, uses FROM grants`
	sqlPutBundle = `INSERT INTO bundles (digest, bundle) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING`
	sqlBundle    = `SELECT bundle FROM bundles WHERE digest = ?`
)

// inForce is the condition of the partial index versions_in_force.
func (a *Aggregates) inForce() string { return ` AND published = ` + a.dialect.True }

// anyVersion lets a version follow whichever is the newest.
const anyVersion = -1

// SaveVersion implements port.Definitions.
func (a *Aggregates) SaveVersion(
	ctx context.Context, v port.Version, audit ...port.AuditDraft,
) (saved port.Version, created bool, err error) {
	return a.save(ctx, v, anyVersion, audit)
}

// SaveVersionOver implements port.Amendments.
func (a *Aggregates) SaveVersionOver(
	ctx context.Context, v port.Version, over int, audit ...port.AuditDraft,
) (saved port.Version, created bool, err error) {
	return a.save(ctx, v, max(over, 0), audit)
}

func (a *Aggregates) save(
	ctx context.Context, v port.Version, over int, audit []port.AuditDraft,
) (saved port.Version, created bool, err error) {
	if err := storekit.CheckVersion(&v); err != nil {
		return port.Version{}, false, err
	}
	forms, err := storekit.Forms(audit)
	if err != nil {
		return port.Version{}, false, err
	}
	err = a.db.Write(ctx, len(v.Body)+len(v.Source), func(tx Tx) (err error) {
		if saved, created, err = a.saveVersion(tx, v, over); err == nil && created {
			err = tx.Audit(forms)
		}
		return err
	})
	if err == nil && !created {
		err = a.vault.ShowVersion(&saved)
	}
	if err != nil {
		return port.Version{}, false, fmt.Errorf("save %s %s: %w", v.Kind, v.Name, err)
	}
	return saved, created, nil
}

// lockDocument serialises numbering and publishing the versions of a document.
func lockDocument(tx Tx, kind, name string) error { return tx.Lock("document " + kind + " " + name) }

func (a *Aggregates) saveVersion(tx Tx, v port.Version, over int) (port.Version, bool, error) {
	if err := lockDocument(tx, v.Kind, v.Name); err != nil {
		return v, false, err
	}
	newest, err := scanVersion(tx.Row(sqlNewestVersion, v.Kind, v.Name))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return v, false, err
	}
	if over != anyVersion && newest.Number != over {
		return v, false, fault.New(fault.VersionMismatch, fmt.Sprintf("the %s was changed in the meantime", v.Kind),
			"load it again and review the changes")
	}
	if err == nil && newest.Digest == v.Digest {
		return newest, false, nil
	}
	v.Number, v.Published, v.At = newest.Number+1, false, storekit.Time(storekit.Nanos(v.At))
	body, source := a.vault.HideVersion(v)
	n, err := tx.Changed(sqlInsertVersion, v.ID, v.Kind, v.Name, v.Number, false, v.Digest, v.By,
		storekit.Nanos(v.At), body, source)
	if err == nil && n == 0 {
		err = fault.Newf(fault.Conflict, "the id %s is already in use", v.ID)
	}
	return v, err == nil, err
}

// SetSource implements port.Sources.
func (a *Aggregates) SetSource(
	ctx context.Context, kind, name string, number int, source []byte, audit ...port.AuditDraft,
) (changed bool, err error) {
	if err := storekit.CheckSource(source); err != nil {
		return false, err
	}
	forms, err := storekit.Forms(audit)
	if err != nil {
		return false, err
	}
	missing := storekit.NotFound(kind+" version", fmt.Sprintf("%s %d", name, number))
	if !storekit.Word(kind) || !storekit.Word(name) {
		return false, missing
	}
	err = a.db.Write(ctx, len(source), func(tx Tx) (err error) {
		changed, err = a.setSource(tx, kind, name, number, source)
		if errors.Is(err, sql.ErrNoRows) {
			return missing
		}
		if err == nil && changed {
			err = tx.Audit(forms)
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("store the source of %s %s %d: %w", kind, name, number, err)
	}
	return changed, nil
}

func (a *Aggregates) setSource(tx Tx, kind, name string, number int, source []byte) (bool, error) {
	if err := lockDocument(tx, kind, name); err != nil {
		return false, err
	}
	v, err := scanVersion(tx.Row(sqlVersion, kind, name, number))
	if err == nil {
		err = a.vault.ShowVersion(&v)
	}
	if err != nil || bytes.Equal(v.Source, source) {
		return false, err
	}
	v.Source = source
	_, hidden := a.vault.HideVersion(v)
	if err := tx.Exec(sqlSetSource, hidden, v.ID); err != nil {
		return false, err
	}
	if v.Published {
		err = tx.NextGeneration()
	}
	return true, err
}

// exists reports whether a query has a row.
func exists(tx Tx, query string, args ...any) (bool, error) {
	var one int
	err := tx.Row(query, args...).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Publish implements port.Definitions.
func (a *Aggregates) Publish(
	ctx context.Context, kind, name string, number int, by string, at time.Time, audit ...port.AuditDraft,
) error {
	return a.publish(ctx, kind, name, number, by, at, audit, func(Tx) error { return nil })
}

// PublishOver implements port.Definitions.
func (a *Aggregates) PublishOver(
	ctx context.Context, kind, name string, number, over int, by string, at time.Time, audit ...port.AuditDraft,
) error {
	return a.publish(ctx, kind, name, number, by, at, audit, func(tx Tx) error {
		var there int
		err := tx.Row(`SELECT number FROM versions WHERE kind = ? AND name = ?`+a.inForce(), kind, name).Scan(&there)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if there != over {
			return fault.New(fault.VersionMismatch,
				fmt.Sprintf("another version of the %s was published in the meantime", kind),
				"load it again and review the changes")
		}
		return nil
	})
}

// publish makes a version the one in force, if check permits it.
func (a *Aggregates) publish(
	ctx context.Context, kind, name string, number int, by string, at time.Time, audit []port.AuditDraft,
	check func(Tx) error,
) error {
	missing := storekit.NotFound(kind+" version", fmt.Sprintf("%s %d", name, number))
	find := func(tx Tx) (bool, error) {
		if err := check(tx); err != nil {
			return false, err
		}
		return exists(tx, sqlHasVersion, kind, name, number)
	}
	err := a.reform(ctx, kind, name, missing, find, audit, func(tx Tx) error {
		return tx.Exec(sqlPublish, true, storekit.Text(by), storekit.Nanos(at), kind, name, number)
	})
	if err != nil {
		return fmt.Errorf("publish %s %s %d: %w", kind, name, number, err)
	}
	return nil
}

// Withdraw implements port.Definitions.
func (a *Aggregates) Withdraw(ctx context.Context, kind, name string, audit ...port.AuditDraft) error {
	missing := storekit.NotFound(kind, name)
	find := func(tx Tx) (bool, error) {
		return exists(tx, `SELECT 1 FROM versions WHERE kind = ? AND name = ?`+a.inForce(), kind, name)
	}
	err := a.reform(ctx, kind, name, missing, find, audit, func(Tx) error { return nil })
	if err != nil {
		return fmt.Errorf("withdraw %s %s: %w", kind, name, err)
	}
	return nil
}

// reform replaces the version of a document in force, if find permits it.
func (a *Aggregates) reform(
	ctx context.Context, kind, name string, missing error, find func(Tx) (bool, error),
	audit []port.AuditDraft, change func(Tx) error,
) error {
	forms, err := storekit.Forms(audit)
	if err != nil {
		return err
	}
	if !storekit.Word(kind) || !storekit.Word(name) {
		return missing
	}
	return a.db.Write(ctx, 0, func(tx Tx) error {
		if err := lockDocument(tx, kind, name); err != nil {
			return err
		}
		if found, err := find(tx); err != nil {
			return err
		} else if !found {
			return missing
		}
		unpublish := `UPDATE versions SET published = ? WHERE kind = ? AND name = ?` + a.inForce()
		err := tx.Exec(unpublish, false, kind, name)
		if err == nil {
			err = change(tx)
		}
		if err == nil {
			err = tx.NextGeneration()
		}
		if err == nil {
			err = tx.Audit(forms)
		}
		return err
	})
}

// Generation implements port.Usage.
func (a *Aggregates) Generation(ctx context.Context) (n int64, err error) {
	if err := a.db.Row(ctx, a.dialect.Generation).Scan(&n); err != nil {
		return 0, fmt.Errorf("read the generation: %w", err)
	}
	return n, nil
}

// Uses implements port.Usage.
func (a *Aggregates) Uses(ctx context.Context) (map[string]int, error) {
	out, err := a.counts(ctx, sqlUses)
	if err != nil {
		return nil, fmt.Errorf("read the uses of rules: %w", err)
	}
	return out, nil
}

// counts reads a query of names and numbers.
func (a *Aggregates) counts(ctx context.Context, query string, args ...any) (map[string]int, error) {
	out := map[string]int{}
	err := a.db.Query(ctx, query, args, func(r storekit.Row) error {
		var name string
		var n int
		err := r.Scan(&name, &n)
		out[name] = n
		return err
	})
	return out, err
}

// Version implements port.Definitions.
func (a *Aggregates) Version(ctx context.Context, kind, name string, number int) (port.Version, error) {
	missing := storekit.NotFound(kind, name)
	if !storekit.Word(kind) || !storekit.Word(name) {
		return port.Version{}, missing
	}
	query, args := sqlVersion, []any{kind, name, number}
	switch number {
	case 0:
		query, args = sqlVersionsNamed+a.inForce(), args[:2]
	case -1:
		query, args = sqlNewestVersion, args[:2]
	}
	v, err := scanVersion(a.db.Row(ctx, query, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return port.Version{}, missing
	}
	if err == nil {
		err = a.vault.ShowVersion(&v)
	}
	if err != nil {
		return port.Version{}, fmt.Errorf("read %s %s: %w", kind, name, err)
	}
	return v, nil
}

// Versions implements port.Definitions.
func (a *Aggregates) Versions(ctx context.Context, kind, name string) ([]port.Version, error) {
	return a.versions(ctx, sqlVersions, kind, name)
}

// InForce implements port.Definitions.
func (a *Aggregates) InForce(ctx context.Context, kind string) ([]port.Version, error) {
	query := `SELECT ` + wholeVersion + ` FROM versions` + a.dialect.Using("versions_in_force") +
		` WHERE kind = ?` + a.inForce() + ` ORDER BY name`
	return a.versions(ctx, query, kind)
}

// Latest implements port.Definitions.
func (a *Aggregates) Latest(ctx context.Context, kind string) ([]port.Version, error) {
	return a.versions(ctx, sqlLatest, kind)
}

func (a *Aggregates) versions(ctx context.Context, query string, words ...string) ([]port.Version, error) {
	args := make([]any, len(words))
	for i, w := range words {
		if !storekit.Word(w) {
			return nil, nil
		}
		args[i] = w
	}
	all, err := list(ctx, a, scanVersion, query, args...)
	if err == nil {
		err = storekit.ShowAll(all, a.vault.ShowVersion)
	}
	if err != nil {
		return nil, fmt.Errorf("list versions of %v: %w", words, err)
	}
	return all, nil
}

// PutBundle implements port.Bundles.
func (a *Aggregates) PutBundle(ctx context.Context, digest string, bundle json.RawMessage) error {
	if err := storekit.CheckBundle(digest, bundle); err != nil {
		return err
	}
	hidden := a.vault.HideBundle(digest, bundle)
	err := a.db.Write(ctx, len(bundle), func(tx Tx) error { return tx.Exec(sqlPutBundle, digest, hidden) })
	if err != nil {
		return fmt.Errorf("store bundle %s: %w", digest, err)
	}
	return nil
}

// Bundle implements port.Bundles.
func (a *Aggregates) Bundle(ctx context.Context, digest string) (json.RawMessage, error) {
	show := func(b *[]byte) (err error) {
		*b, err = a.vault.ShowBundle(digest, *b)
		return err
	}
	return one(ctx, a, func(r storekit.Row) (b []byte, err error) { return b, r.Scan(&b) }, show, sqlBundle, "bundle",
		digest)
}

func scanVersion(row storekit.Row) (v port.Version, err error) {
	var at, published int64
	err = row.Scan(&v.ID, &v.Kind, &v.Name, &v.Number, &v.Published, &v.Digest, &v.By, &at,
		&v.PublishedBy, &published, (*[]byte)(&v.Body), &v.Source)
	if len(v.Source) == 0 {
		v.Source = nil
	}
	v.At, v.PublishedAt, v.Replaced = storekit.Time(at), storekit.Time(published), published != 0 && !v.Published
	return v, err
}
