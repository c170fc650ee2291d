package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	sqlMigrating     = `SELECT pg_advisory_xact_lock(hashtextextended('assent migration ' || current_schema(), 0))`
	sqlHasSchema     = `SELECT to_regclass('assent_schema') IS NOT NULL`
	sqlCreateSchema  = `CREATE TABLE assent_schema (one integer PRIMARY KEY CHECK (one = 1), version integer NOT NULL)`
	sqlFirstSchema   = `INSERT INTO assent_schema VALUES (1, 0)`
	sqlSchemaVersion = `SELECT version FROM assent_schema`
	sqlSetSchema     = `UPDATE assent_schema SET version = $1`
)

// migrate upgrades the schema to this release, forward only, in one transaction and one process at a time.
func migrate(ctx context.Context, config *pgx.ConnConfig) (err error) {
	steps, err := storekit.Migrations(migrations, "migrations")
	if err != nil {
		return err
	}
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // after the commit it does nothing
	if _, err := tx.Exec(ctx, sqlMigrating); err != nil {
		return fmt.Errorf("lock the schema: %w", err)
	}
	version, err := schemaVersion(ctx, tx)
	if err != nil {
		return err
	}
	todo, err := storekit.Pending(steps, version)
	if err != nil || len(todo) == 0 {
		return err
	}
	for _, m := range todo {
		if _, err := tx.Exec(ctx, m.SQL); err != nil {
			return fmt.Errorf("migration %s: %w", m.Name, err)
		}
		if m.Number == storekit.WordsStep {
			if err := fillWords(ctx, tx); err != nil {
				return fmt.Errorf("migration %s: %w", m.Name, err)
			}
		}
	}
	if _, err := tx.Exec(ctx, sqlSetSchema, todo[len(todo)-1].Number); err != nil {
		return fmt.Errorf("record the schema's version: %w", err)
	}
	return tx.Commit(ctx)
}

func schemaVersion(ctx context.Context, tx pgx.Tx) (version int, err error) {
	var known bool
	if err := tx.QueryRow(ctx, sqlHasSchema).Scan(&known); err != nil {
		return 0, fmt.Errorf("look for a schema: %w", err)
	}
	if !known {
		for _, sql := range []string{sqlCreateSchema, sqlFirstSchema} {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return 0, fmt.Errorf("begin a schema: %w", err)
			}
		}
	}
	if err := tx.QueryRow(ctx, sqlSchemaVersion).Scan(&version); err != nil {
		return 0, fmt.Errorf("read the schema's version: %w", err)
	}
	return version, nil
}
