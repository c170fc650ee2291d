package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

//go:embed migrations/*.sql
var migrations embed.FS

// appID marks the file as ours ("Asnt"), so that another application's database is not mistaken for an empty
// one.
const appID = 0x41736e74

// migrate upgrades the schema to this release, forward only and in one transaction. The lock on the directory
// excludes other processes.
func migrate(ctx context.Context, db *sql.DB) error {
	steps, err := storekit.Migrations(migrations, "migrations")
	if err != nil {
		return err
	}
	return migrateTo(ctx, db, steps)
}

func migrateTo(ctx context.Context, db *sql.DB, steps []storekit.Migration) (err error) {
	var version, id, tables int
	for _, q := range []struct {
		sql string
		to  *int
	}{{`PRAGMA user_version`, &version}, {`PRAGMA application_id`, &id}, {`SELECT count(*) FROM sqlite_schema`,
		&tables}} {
		if err := db.QueryRowContext(ctx, q.sql).Scan(q.to); err != nil {
			return fmt.Errorf("read the schema's version: %w", err)
		}
	}
	if id != appID && (tables > 0 || version != 0) {
		return fmt.Errorf("%w: %s is a database of another program", port.ErrUnavailable, FileName)
	}
	todo, err := storekit.Pending(steps, version)
	if err != nil || len(todo) == 0 {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin the migration: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	for _, m := range todo {
		if _, err := tx.ExecContext(ctx, m.SQL); err != nil {
			return fmt.Errorf("migration %s: %w", m.Name, err)
		}
		if m.Number == storekit.WordsStep {
			if err := fillWords(ctx, tx); err != nil {
				return fmt.Errorf("migration %s: %w", m.Name, err)
			}
		}
	}
	done := fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = %d`, appID, todo[len(todo)-1].Number)
	if _, err := tx.ExecContext(ctx, done); err != nil {
		return fmt.Errorf("record the schema's version: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit the migration: %w", err)
	}
	return nil
}
