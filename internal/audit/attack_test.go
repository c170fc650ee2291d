//go:build unix

package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
	_ "github.com/jackc/pgx/v5/stdlib"
)

// The attacker can write anything to the database, as often as they like, while no server is running. They
// have neither the key nor the anchor next to it. Their changes must be detected when the server starts, by
// assent audit verify, or by assent doctor. EDITS is the number of random edits per store (make attack:
// 1,000), SEED the first seed.

// covered are the tables in which any change is detected, and the columns that identify rows. The other
// tables are derived from these or are settings; docs/audit.md documents each.
var covered = map[string][]string{
	"audit":       {"n"},
	"audit_heads": {"n"},
	"batches":     {"last_feed"},
	"event_salts": {"run"},
}

// prey is a log with everything in it: runs, decisions, deleted payloads, two keys, several heads, and
// entries that are not signed yet, as after a crash.
type prey struct {
	t      *testing.T
	data   string // the directory with the key and the anchor
	db     *sql.DB
	open   func() (store.Store, error)
	tables map[string][][]any // their original contents
	cols   map[string][]string
	anchor []byte
	pg     bool
}

func newPrey(t *testing.T, pg bool) *prey {
	p := &prey{t: t, data: t.TempDir(), pg: pg, tables: map[string][][]any{}, cols: map[string][]string{}}
	dir := sqlitetest.Dir(t)
	p.open = func() (store.Store, error) { return sqlite.Open(t.Context(), dir) }
	driver, address := "sqlite", "file:"+filepath.Join(dir, "assent.db")
	if pg {
		url := pgtest.Database(t)
		kept, err := postgres.Open(t.Context(), url)
		must(t, err)
		t.Cleanup(func() { _ = kept.Close() })
		p.open = func() (store.Store, error) { return stays{kept}, nil } // it caches nothing that is read here
		driver, address = "pgx", url
	}
	p.live()
	var err error
	p.db, err = sql.Open(driver, address)
	must(t, err)
	p.db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = p.db.Close() })
	if pg {
		_, err = p.db.Exec(`SET session_replication_role = replica`) // no foreign keys are checked
		must(t, err)
	}
	p.anchor, err = os.ReadFile(string(AnchorFor(p.data, "")))
	must(t, err)
	for table := range covered {
		p.cols[table], p.tables[table] = p.rows(table)
	}
	return p
}

// stays is a store that other code continues to use.
type stays struct{ store.Store }

func (stays) Close() error { return nil }

func (p *prey) service(store store.Store) *Service {
	return New(Config{
		Store: store, Key: KeyIn(p.data), Anchor: AnchorFor(p.data, ""), Rotation: RotationIn(p.data),
	})
}

// live fills the store the way a server does, and ends like a crash.
func (p *prey) live() {
	t, ctx := p.t, p.t.Context()
	store, err := p.open()
	must(t, err)
	s := p.service(store)
	grow := func(from, n int) {
		for i := range n {
			d := draft(from + i)
			d.Sealed = d.Sealed[:1] // there is no event with the other value
			if i%3 == 0 {           // not about a run
				d = port.AuditDraft{At: d.At, Actor: ann, Action: "account.changed", Target: "account/bob",
					Detail: map[string]any{"roles": []string{"approver"}, "i": from + i}}
			}
			_, err := store.AppendAudit(ctx, d)
			must(t, err)
		}
	}
	cut := func() {
		_, err := s.Cut(ctx)
		must(t, err)
	}
	grow(0, 4)
	aRun(t, store, "run_1")
	must(t, paid(ctx, store, "run_2"))
	cut()
	grow(10, 4)
	must(t, paid(ctx, store, "run_3"))
	cut()
	must(t, forgotten(ctx, store, "run_3"))
	_, err = s.Rotate(ctx, ann)
	must(t, err)
	aRun(t, store, "run_4")
	must(t, s.Bind(ctx, sealTick))
	_, err = store.AppendAudit(ctx, port.AuditDraft{
		At: began, Actor: ann, Action: "sample.reviewed", Target: "apr_4_1",
		Sealed: []port.Sealed{{Name: "comment", Value: json.RawMessage(`"looks right"`)}},
	})
	must(t, err)
	cut()
	grow(20, 5)
	must(t, paid(ctx, store, "run_5"))
	must(t, s.Bind(ctx, sealTick))
	must(t, s.noteTip(ctx))
	checked(t, s, true, "")
	must(t, store.Close())
}

// rows reads a table in the order of its key.
func (p *prey) rows(table string) (cols []string, all [][]any) {
	rows, err := p.db.Query(`SELECT * FROM ` + table + ` ORDER BY ` + strings.Join(covered[table], ", "))
	must(p.t, err)
	defer rows.Close() //nolint:errcheck // only read
	cols, err = rows.Columns()
	must(p.t, err)
	for rows.Next() {
		row, at := make([]any, len(cols)), make([]any, len(cols))
		for i := range row {
			at[i] = &row[i]
		}
		must(p.t, rows.Scan(at...))
		all = append(all, row)
	}
	must(p.t, rows.Err())
	return cols, all
}

// write replaces a table. The error is that of a database that rejects it.
func (p *prey) write(table string, all [][]any) error {
	tx, err := p.db.Begin()
	if err != nil {
		return err
	}
	_, err = tx.Exec(`DELETE FROM ` + table)
	marks := make([]string, len(p.cols[table]))
	for i := range marks {
		marks[i] = "?"
		if p.pg {
			marks[i] = "$" + strconv.Itoa(i+1)
		}
	}
	for _, row := range all {
		if err == nil {
			_, err = tx.Exec(`INSERT INTO `+table+` (`+strings.Join(p.cols[table], ", ")+`) VALUES (`+strings.Join(marks, ", ")+
				`)`, row...)
		}
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// restore restores everything.
func (p *prey) restore() {
	for table, rows := range p.tables {
		must(p.t, p.write(table, rows))
	}
	must(p.t, os.WriteFile(string(AnchorFor(p.data, "")), p.anchor, 0o600)) // it continued if the edit was not detected
}

// seen is a digest of the readable log: entries, heads, events and salts.
func (p *prey) seen() string {
	store, err := p.open()
	if err != nil {
		return err.Error()
	}
	defer store.Close() //nolint:errcheck // only read
	ctx, h := p.t.Context(), sha256.New()
	e := json.NewEncoder(h)
	runs := []string{"run_1", "run_2", "run_3", "run_4", "run_5"}
	entries, err1 := store.AuditEntries(ctx, port.AuditQuery{Limit: 1000})
	heads, err2 := store.AuditHeads(ctx, -1000, 1000)
	events, _, err3 := store.Feed(ctx, 0, 1000, port.FeedFilter{})
	salts, err4 := store.EventSalts(ctx, runs)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err.Error()
	}
	for _, id := range runs {
		own, err := store.Events(ctx, id, 0, 1000)
		if err != nil {
			return err.Error()
		}
		events = append(events, own...)
	}
	must(p.t, errors.Join(e.Encode(entries), e.Encode(heads), e.Encode(salts)))
	for _, r := range events {
		must(p.t, errors.Join(e.Encode(r.Event), e.Encode(r.Feed)))
	}
	return string(h.Sum(nil))
}

// noticed returns who detects the change: empty if it is undetected.
func (p *prey) noticed() string {
	store, err := p.open()
	if err != nil {
		return "start: " + err.Error()
	}
	defer store.Close() //nolint:errcheck // only read
	ctx, end := context.WithTimeout(p.t.Context(), 5*time.Minute)
	defer end()
	got, err := p.service(store).Check(ctx, 0, 0)
	switch {
	case err != nil:
		return "verify: " + err.Error()
	case !got.OK:
		return fmt.Sprintf("verify: entry %d: %s", *got.FirstBad, got.Why)
	case got.HeadsMissing:
		return "verify: nothing is signed"
	}
	if _, err := p.service(store).Cut(ctx); err != nil {
		return "sign: " + err.Error()
	}
	return ""
}

// setting reads the number of attempts.
func setting(t *testing.T, name string, usual int) int {
	if os.Getenv(name) == "" {
		return usual
	}
	n, err := strconv.Atoi(os.Getenv(name))
	must(t, err)
	return n
}

// TestRandomEdits changes the database at random.
func TestRandomEdits(t *testing.T) {
	for _, pg := range []bool{false, true} {
		t.Run(map[bool]string{false: "sqlite", true: "postgres"}[pg], func(t *testing.T) {
			p := newPrey(t, pg)
			was := p.seen()
			edits, seed := setting(t, "EDITS", map[bool]int{false: 40, true: 15}[pg]), setting(t, "SEED", 1)
			tally, idle := map[string]int{}, 0
			for i := 0; i < edits; i++ {
				r := rand.New(rand.NewPCG(uint64(seed+i), 7))
				name, ok := p.edit(r)
				switch {
				case !ok: // the database rejected it
					edits++
				case p.seen() == was: // it changes nothing visible
					edits++
					idle++
				default:
					how := p.noticed()
					if how == "" {
						t.Errorf("seed %d: %s: nobody noticed", seed+i, name)
					}
					who, _, _ := strings.Cut(how, ":")
					tally[name[:strings.Index(name, " of ")]+", noticed by "+who]++
				}
				p.restore()
			}
			if p.noticed() != "" || idle > edits/2 {
				t.Fatalf("put back as it was: %q; %d edits changed nothing", p.noticed(), idle)
			}
			for name, n := range tally {
				t.Logf("%4d %s", n, name)
			}
			t.Logf("%4d changed nothing that anyone reads", idle)
		})
	}
}

// edit makes one random change and describes it.
func (p *prey) edit(r *rand.Rand) (name string, ok bool) {
	tables := []string{"audit", "audit", "audit", "audit_heads", "audit_heads", "batches", "batches", "event_salts"}
	table := tables[r.IntN(len(tables))]
	rows := make([][]any, len(p.tables[table]))
	for i, row := range p.tables[table] {
		rows[i] = slices.Clone(row)
	}
	i, j := r.IntN(len(rows)), r.IntN(len(rows))
	c := r.IntN(len(p.cols[table]))
	col, last := p.cols[table][c], len(rows)-1
	switch kind := r.IntN(9); kind {
	case 0, 1, 2:
		name = "a changed value of " + table + "." + col
		rows[i][c] = other(r, rows[i][c])
		name += fmt.Sprintf(" (%.80q now %.80q)", p.tables[table][i][c], rows[i][c])
	case 3:
		name = "a value of another row of " + table + "." + col
		rows[i][c] = rows[j][c]
	case 4:
		name = "a deleted row of " + table
		rows = slices.Delete(rows, i, i+1)
	case 5:
		name = "a deleted end of " + table
		rows = rows[:i]
	case 6:
		name = "two swapped rows of " + table
		for c := range rows[i] {
			if !slices.Contains(covered[table], p.cols[table][c]) {
				rows[i][c], rows[j][c] = rows[j][c], rows[i][c]
			}
		}
	case 7:
		name = "a row put at the end again of " + table
		again := slices.Clone(rows[i])
		if n, ok := rows[last][0].(int64); ok {
			again[0] = n + 1 + int64(r.IntN(2))
		}
		rows = append(rows, again)
	case 8:
		name = "moved numbers of " + table
		for ; i <= last; i++ {
			if n, ok := rows[i][0].(int64); ok {
				rows[i][0] = n + 1
			}
		}
	}
	return fmt.Sprintf("%s (row %d)", name, i), p.write(table, rows) == nil
}

// other is a different value of the same type.
func other(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case int64:
		return []int64{v + 1, v - 1, 0, -v, v + int64(time.Hour), r.Int64()}[r.IntN(6)]
	case string:
		return string(otherBytes(r, []byte(v)))
	case []byte:
		return otherBytes(r, v)
	case nil:
		return []byte(`{}`)
	}
	return v
}

func otherBytes(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	if len(b) == 0 {
		return []byte("x")
	}
	i := r.IntN(len(b))
	switch r.IntN(6) {
	case 0:
		return b[:i]
	case 1:
		return append(b, 'x')
	case 2:
		return slices.Insert(b, i, b[r.IntN(len(b))])
	case 3: // a different number or word
		for k := range b {
			if at := (i + k) % len(b); b[at] >= '0' && b[at] <= '9' {
				b[at] = '0' + (b[at]-'0'+1+byte(r.IntN(8)))%10
				return b
			}
		}
	}
	b[i] = byte(' ' + r.IntN(95))
	return b
}
