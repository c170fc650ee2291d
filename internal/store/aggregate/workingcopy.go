package aggregate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

const (
	copyColumns   = `name, revision, by, at, body`
	sqlInsertCopy = `INSERT INTO working_copies (` + copyColumns + `) SELECT ?, ?, ?, ?, ?
		WHERE (SELECT count(*) FROM working_copies) < ? ON CONFLICT (name) DO NOTHING`
	sqlUpdateCopy = `UPDATE working_copies SET revision = ?, by = ?, at = ?, body = ? WHERE name = ? AND revision = ?`
	sqlHasCopy    = `SELECT 1 FROM working_copies WHERE name = ?`
	sqlCopy       = `SELECT ` + copyColumns + ` FROM working_copies WHERE name = ?`
	sqlCopies     = `SELECT ` + copyColumns + ` FROM working_copies ORDER BY name`
	sqlDeleteCopy = `DELETE FROM working_copies WHERE name = ? AND revision = ?`
)

// PutWorkingCopy implements port.WorkingCopies.
func (a *Aggregates) PutWorkingCopy(ctx context.Context, c port.WorkingCopy, was int64) error {
	if err := checkCopy(&c); err != nil {
		return err
	}
	body := a.vault.Bytes(c.Body, storekit.AtWorkingCopy(c.Name))
	err := a.db.Write(ctx, len(body), func(tx Tx) error {
		if err := tx.Lock("working copies"); err != nil {
			return err
		}
		if was == 0 {
			return a.insertCopy(tx, c, body)
		}
		n, err := tx.Changed(sqlUpdateCopy, c.Revision, c.By, storekit.Nanos(c.At), body, c.Name, was)
		if err == nil && n == 0 {
			err = copyChanged(c.Name)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("store the working copy of %s: %w", c.Name, err)
	}
	return nil
}

func (a *Aggregates) insertCopy(tx Tx, c port.WorkingCopy, body []byte) error {
	n, err := tx.Changed(sqlInsertCopy, c.Name, c.Revision, c.By, storekit.Nanos(c.At), body, port.WorkingCopiesMax)
	if err != nil || n > 0 {
		return err
	}
	there, err := exists(tx, sqlHasCopy, c.Name)
	if err == nil && there {
		err = copyChanged(c.Name)
	} else if err == nil {
		err = fault.New(fault.TooLarge, fmt.Sprintf("there are already %d working copies", port.WorkingCopiesMax),
			"delete some that are no longer needed")
	}
	return err
}

// copyChanged is the error for a working copy that is not the expected one.
func copyChanged(name string) error {
	return fault.New(fault.VersionMismatch, fmt.Sprintf("the working copy of %q was changed in the meantime", name),
		"read it again and merge your changes")
}

// WorkingCopy implements port.WorkingCopies.
func (a *Aggregates) WorkingCopy(ctx context.Context, name string) (port.WorkingCopy, error) {
	return one(ctx, a, scanCopy, a.showCopy, sqlCopy, "working copy", name)
}

// WorkingCopies implements port.WorkingCopies.
func (a *Aggregates) WorkingCopies(ctx context.Context) ([]port.WorkingCopy, error) {
	found, err := list(ctx, a, scanCopy, sqlCopies)
	if err == nil {
		err = storekit.ShowAll(found, a.showCopy)
	}
	if err != nil {
		return nil, fmt.Errorf("read the working copies: %w", err)
	}
	return found, nil
}

// DeleteWorkingCopy implements port.WorkingCopies.
func (a *Aggregates) DeleteWorkingCopy(
	ctx context.Context, name string, was int64, audit ...port.AuditDraft,
) error {
	forms, err := storekit.Forms(audit)
	if err != nil {
		return err
	}
	if !storekit.Word(name) {
		return storekit.NotFound("working copy", name)
	}
	err = a.db.Write(ctx, 0, func(tx Tx) error {
		n, err := tx.Changed(sqlDeleteCopy, name, was)
		if err == nil && n == 0 {
			err = copyChanged(name)
		}
		if err != nil {
			return err
		}
		return tx.Audit(forms)
	})
	if err != nil {
		return fmt.Errorf("delete the working copy of %s: %w", name, err)
	}
	return nil
}

func (a *Aggregates) showCopy(c *port.WorkingCopy) (err error) {
	c.Body, err = a.vault.Open(c.Body, storekit.AtWorkingCopy(c.Name))
	return err
}

func scanCopy(row storekit.Row) (c port.WorkingCopy, err error) {
	var at int64
	err = row.Scan(&c.Name, &c.Revision, &c.By, &at, &c.Body)
	c.At = storekit.Time(at)
	return c, err
}

// copyMax limits the stored content of a working copy.
const copyMax = 8 << 20

// checkCopy validates a working copy.
func checkCopy(c *port.WorkingCopy) error {
	bad := map[string]bool{
		"name": !storekit.Word(c.Name), "by": !storekit.Word(c.By), "revision": c.Revision < 1,
		"at": c.At.Unix() <= 0 || c.At.Year() >= 2262, "content": len(c.Body) == 0 || len(c.Body) > copyMax,
	}
	for _, field := range slices.Sorted(maps.Keys(bad)) {
		if bad[field] {
			return fault.Newf(fault.Invalid, "a working copy cannot be stored: its %s is not valid", field)
		}
	}
	return nil
}
