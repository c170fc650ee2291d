package postgres

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/store/storekit"
	"github.com/jackc/pgx/v5"
)

// A backup is a directory with a file for each table, in PostgreSQL's binary format, and a manifest. The manifest is
// written last, so a directory without one is a backup that was interrupted.
const (
	manifestName   = "manifest.json"
	manifestFormat = 1
)

// manifest describes a backup.
type manifest struct {
	Format    int              `json:"format"`
	Schema    int              `json:"schema"` // its version
	At        time.Time        `json:"at"`
	Tables    []backedUp       `json:"tables"` // in the order in which they can be filled
	Sequences map[string]int64 `json:"sequences"`
}

// backedUp is a table of a backup.
type backedUp struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	Rows    int64    `json:"rows"`
	Bytes   int64    `json:"bytes"`
	SHA256  string   `json:"sha256"`
}

const (
	sqlColumns = `SELECT attname FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
		AND attgenerated = '' ORDER BY attnum`
	// The sequences of our tables, and the one that belongs to none.
	sqlSequences = `SELECT s.relname::text FROM pg_class s WHERE s.relkind = 'S'
		AND s.relnamespace = current_schema()::regnamespace AND (s.relname = 'blob_pieces_no' OR EXISTS (
			SELECT FROM pg_depend d JOIN pg_class t ON t.oid = d.refobjid
			WHERE d.objid = s.oid AND d.deptype IN ('a', 'i') AND t.relname::text = ANY ($1)))`
	sqlSetSequence = `SELECT setval(to_regclass($1), greatest($2::bigint, 1), $2::bigint > 0)`
)

var createTable = regexp.MustCompile(`(?im)^\s*CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)

// tablesOf are the tables that some migrations create, each after those it refers to.
func tablesOf(steps []storekit.Migration) (out []string) {
	for _, m := range steps {
		for _, found := range createTable.FindAllStringSubmatch(m.SQL, -1) {
			if name := strings.ToLower(found[1]); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// Backup copies the database, while it is in use and as it is at one moment, into a new directory for Restore.
func (s *Store) Backup(ctx context.Context, dir string) error {
	err := s.backup(ctx, dir)
	if err != nil {
		return fmt.Errorf("back the database up to %s: %w", dir, err)
	}
	return nil
}

func (s *Store) backup(ctx context.Context, dir string) (err error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return errors.New("the directory is not empty")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	steps, err := storekit.Migrations(migrations, "migrations")
	if err != nil {
		return err
	}
	c, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig.Copy())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(ctx))) }()
	// Long copies are the purpose: no timeout of the settings applies.
	if _, err := c.Exec(ctx, "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0"); err != nil {
		return err
	}
	tx, err := c.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // it changes nothing
	m := manifest{Format: manifestFormat, At: time.Now().UTC(), Sequences: map[string]int64{}}
	if err := tx.QueryRow(ctx, sqlSchemaVersion).Scan(&m.Schema); err != nil {
		return err
	}
	for _, name := range tablesOf(steps[:min(m.Schema, len(steps))]) {
		t, err := saveTable(ctx, tx, dir, name)
		if err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
		if t != nil {
			m.Tables = append(m.Tables, *t)
		}
	}
	sequences, err := sequencesOf(ctx, tx, steps[:min(m.Schema, len(steps))])
	if err != nil {
		return err
	}
	for _, name := range sequences {
		var last int64
		if err := tx.QueryRow(ctx, "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM "+
			pgx.Identifier{name}.Sanitize()).Scan(&last); err != nil {
			return err
		}
		m.Sequences[name] = last
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return writeSynced(filepath.Join(dir, manifestName), append(text, '\n'))
}

func sequencesOf(ctx context.Context, tx pgx.Tx, steps []storekit.Migration) ([]string, error) {
	rows, err := tx.Query(ctx, sqlSequences, tablesOf(steps))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func writeSynced(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// saveTable copies a table into a file; nil: a later migration removed it.
func saveTable(ctx context.Context, tx pgx.Tx, dir, name string) (_ *backedUp, err error) {
	rows, err := tx.Query(ctx, sqlColumns, name)
	if err != nil {
		return nil, err
	}
	t := &backedUp{Name: name}
	if t.Columns, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || len(t.Columns) == 0 {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, name+".copy"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := &summed{hash: sha256.New()}
	buffered := bufio.NewWriterSize(f, 1<<20)
	sum.to = buffered
	done, err := tx.Conn().PgConn().CopyTo(ctx, sum, "COPY "+t.target()+" TO STDOUT (FORMAT binary)")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(buffered.Flush(), f.Sync()); err != nil {
		return nil, err
	}
	t.Rows, t.Bytes, t.SHA256 = done.RowsAffected(), sum.n, hex.EncodeToString(sum.hash.Sum(nil))
	return t, nil
}

// target names a table and its columns in a COPY.
func (t *backedUp) target() string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = pgx.Identifier{c}.Sanitize()
	}
	return pgx.Identifier{t.Name}.Sanitize() + " (" + strings.Join(names, ", ") + ")"
}

// summed counts and hashes what is written.
type summed struct {
	to   io.Writer
	hash hash.Hash
	n    int64
}

func (s *summed) Write(p []byte) (int, error) {
	s.n += int64(len(p))
	s.hash.Write(p)
	return s.to.Write(p)
}

// Restore fills an empty database from a backup: all of it, or nothing. Tell is called with each table before it is
// filled, and the number of its rows.
func Restore(ctx context.Context, url, dir string, tell func(table string, rows int64)) error {
	if err := restore(ctx, url, dir, tell); err != nil {
		return fmt.Errorf("restore %s: %w", dir, err)
	}
	return nil
}

func restore(ctx context.Context, url, dir string, tell func(string, int64)) (err error) {
	steps, err := storekit.Migrations(migrations, "migrations")
	if err != nil {
		return err
	}
	m, err := readManifest(dir, steps)
	if err != nil {
		return err
	}
	for i := range m.Tables {
		if err := m.Tables[i].verify(dir); err != nil {
			return err
		}
	}
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(ctx))) }()
	if _, err := c.Exec(ctx, "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0"); err != nil {
		return err
	}
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // after the commit it does nothing
	if err := createSchema(ctx, tx, m, steps); err != nil {
		return err
	}
	for i := range m.Tables {
		t := &m.Tables[i]
		tell(t.Name, t.Rows)
		if err := t.load(ctx, tx, dir); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	sequences, err := sequencesOf(ctx, tx, steps[:m.Schema])
	if err != nil {
		return err
	}
	for _, name := range sequences {
		last, ok := m.Sequences[name]
		if !ok {
			return fmt.Errorf("%s is damaged: it does not name the sequence %s", manifestName, name)
		}
		if _, err := tx.Exec(ctx, sqlSetSequence, name, last); err != nil {
			return err
		}
	}
	return tx.Commit(ctx)
}

// readManifest reads what a backup contains, and refuses one that this release cannot restore.
func readManifest(dir string, steps []storekit.Migration) (m manifest, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return m, errors.New("the directory has no " + manifestName +
			": it is not a backup of a PostgreSQL database, or the backup was interrupted")
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, fmt.Errorf("%s is damaged: %w", manifestName, err)
	}
	if m.Format != manifestFormat || m.Schema < 1 || m.Schema > len(steps) {
		return m, fmt.Errorf("it was written by another release (format %d, schema %d; this one knows format %d and "+
			"schemas up to %d); use that release", m.Format, m.Schema, manifestFormat, len(steps))
	}
	known := tablesOf(steps[:m.Schema])
	for i := range m.Tables {
		if !slices.Contains(known, m.Tables[i].Name) || slices.ContainsFunc(m.Tables[:i], func(t backedUp) bool {
			return t.Name == m.Tables[i].Name
		}) {
			return m, fmt.Errorf("%s is damaged: it names the table %q", manifestName, m.Tables[i].Name)
		}
	}
	return m, nil
}

// verify compares a file with the manifest.
func (t *backedUp) verify(dir string) error {
	f, err := os.Open(filepath.Join(dir, t.Name+".copy"))
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		return err
	}
	if n != t.Bytes || hex.EncodeToString(sum.Sum(nil)) != t.SHA256 {
		return fmt.Errorf("%s.copy is damaged: it is not the file that was backed up; use another backup", t.Name)
	}
	return nil
}

// createSchema creates the tables as they were, empty.
func createSchema(ctx context.Context, tx pgx.Tx, m manifest, steps []storekit.Migration) error {
	if _, err := tx.Exec(ctx, sqlMigrating); err != nil {
		return fmt.Errorf("lock the schema: %w", err)
	}
	var known bool
	if err := tx.QueryRow(ctx, sqlHasSchema).Scan(&known); err != nil {
		return err
	}
	if known {
		return errors.New("the database is in use by Assent already; restore into an empty one")
	}
	if _, err := schemaVersion(ctx, tx); err != nil {
		return err
	}
	for _, step := range steps[:m.Schema] {
		if _, err := tx.Exec(ctx, step.SQL); err != nil {
			return fmt.Errorf("migration %s: %w", step.Name, err)
		}
	}
	if _, err := tx.Exec(ctx, sqlSetSchema, m.Schema); err != nil {
		return err
	}
	var names []string
	for _, name := range tablesOf(steps[:m.Schema]) {
		var exists bool
		if err := tx.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, name).Scan(&exists); err != nil {
			return err
		}
		if !exists {
			continue
		}
		names = append(names, pgx.Identifier{name}.Sanitize())
		if !slices.ContainsFunc(m.Tables, func(t backedUp) bool { return t.Name == name }) {
			return fmt.Errorf("%s is damaged: it does not name the table %s", manifestName, name)
		}
	}
	_, err := tx.Exec(ctx, "TRUNCATE "+strings.Join(names, ", ")) // migrations fill some
	return err
}

// load fills a table.
func (t *backedUp) load(ctx context.Context, tx pgx.Tx, dir string) (err error) {
	f, err := os.Open(filepath.Join(dir, t.Name+".copy"))
	if err != nil {
		return err
	}
	defer f.Close()
	sum := &summed{hash: sha256.New(), to: io.Discard}
	done, err := tx.Conn().PgConn().CopyFrom(ctx, io.TeeReader(bufio.NewReaderSize(f, 1<<20), sum),
		"COPY "+t.target()+" FROM STDIN (FORMAT binary)")
	if err != nil {
		return err
	}
	if done.RowsAffected() != t.Rows || hex.EncodeToString(sum.hash.Sum(nil)) != t.SHA256 {
		return fmt.Errorf("%d rows were restored, not %d: the file was changed", done.RowsAffected(), t.Rows)
	}
	return nil
}
