package storekit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/seal"
)

// sealedTables is where hide.go puts envelopes, by the columns that identify a row: a text, a number or both,
// to which the envelope is bound.
var sealedTables = []sealedTable{
	{"batches", "run", "last_seq", []sealedColumn{{"body", false}}},
	{"snapshots", "run", "seq", []sealedColumn{{"state", false}}},
	{"runs", "id", "", []sealedColumn{{"error", true}, {"subject", true}}},
	{"approvals", "id", "", []sealedColumn{{"title", true}, {"body", false}}},
	{"deliverables", "id", "", []sealedColumn{{"mime", true}, {"description", true}, {"url", true}}},
	{"answers", "key", "", []sealedColumn{{"answer", false}}},
	{"versions", "id", "", []sealedColumn{{"body", false}, {"source", false}}},
	{"bundles", "digest", "", []sealedColumn{{"bundle", false}}},
	{"audit", "", "n", []sealedColumn{{"body", false}, {"open", false}}},
	{"removals", "run", "", []sealedColumn{{"reason", true}}},
	{"blobs", "id", "", []sealedColumn{{"data", false}}},
	{"event_salts", "run", "", []sealedColumn{{"salt", true}}},
	{"experience", "run", "", []sealedColumn{{"body", false}}},
	{"pushes", "id", "", []sealedColumn{{"body", false}}},
	{"push_keys", "id", "", []sealedColumn{{"body", false}}},
	{"deliveries", "id", "", []sealedColumn{{"body", false}}},
	{"preferences", "person", "", []sealedColumn{{"body", false}}},
	{"hook_deliveries", "id", "", []sealedColumn{{"body", false}}},
	{"working_copies", "name", "", []sealedColumn{{"body", false}}},
}

type sealedTable struct {
	name, text, number string
	columns            []sealedColumn
}

type sealedColumn struct {
	name string
	text bool
}

// Rewriter is a store whose values can be re-encrypted while it is in use.
type Rewriter interface {
	// Rewriting runs f without concurrent writes to the tables; all of its changes are stored, or none.
	Rewriting(ctx context.Context, f func(RewriteTx) error) error
	// Apart are values outside of those tables: files, or pieces of blobs.
	Apart() []Apart
	// Renewed notifies other processes of a new data key.
	Renewed(ctx context.Context) error
}

// RewriteTx is a transaction, with question marks for arguments.
type RewriteTx interface {
	Query(sql string, args []any, each func(Row) error) error
	Exec(sql string, args ...any) error
}

// Apart are values that are not in a column, each with a number.
type Apart struct {
	List func(ctx context.Context, after int64, limit int) ([]int64, error)
	// Redo re-encrypts one of them if old returns true for one of its envelopes.
	Redo func(ctx context.Context, n int64, old Old) (done bool, err error)
}

// Old reports whether a value with this prefix has to be re-encrypted.
type Old func(head []byte) bool

const (
	rewriteRows  = 500     // read in one transaction
	rewriteBytes = 4 << 20 // written in one
	rewriteTime  = 500 * time.Millisecond
	passesMax    = 3
)

// spot is the progress. A pass that finds nothing is the last one: other processes may have continued with an
// older key for a moment.
type spot struct {
	Pass   int    `json:"pass"`
	Found  int64  `json:"found"` // in this pass
	Table  int    `json:"table"` // those after the tables are Apart
	Text   string `json:"text,omitempty"`
	Number int64  `json:"number,omitempty"`
}

// rewriting is one call of Rewrite.
type rewriting struct {
	v     *Vault
	r     Rewriter
	since int64
	at    spot
	seal.Rewriting
}

// Rewrite does a part of it: see seal.Keeper.
func (v *Vault) Rewrite(ctx context.Context, r Rewriter, all bool) (seal.Rewriting, error) {
	if !v.On() {
		return seal.Rewriting{}, fault.New(fault.Unsupported, "no encryption key is configured",
			"add one to encryption_keys; create it with: assent keys new")
	}
	w := &rewriting{v: v, r: r}
	if err := w.begin(ctx, all); err != nil {
		return seal.Rewriting{}, fmt.Errorf("encrypt stored values: %w", err)
	}
	for began := time.Now(); !w.Done && time.Since(began) < rewriteTime; {
		if err := w.step(ctx); err != nil {
			return w.Rewriting, fmt.Errorf("encrypt stored values: %w", err)
		}
	}
	return w.Rewriting, nil
}

// begin continues an earlier pass, or starts one.
func (w *rewriting) begin(ctx context.Context, all bool) error {
	found := false
	err := w.r.Rewriting(ctx, func(tx RewriteTx) error {
		found = false
		return tx.Query(`SELECT since, place, looked, rewritten, total FROM rewriting`, nil, func(r Row) error {
			var place string
			if err := r.Scan(&w.since, &place, &w.Looked, &w.Rewritten, &w.Total); err != nil {
				return err
			}
			found = true
			return json.Unmarshal([]byte(place), &w.at)
		})
	})
	if err != nil || found && (!all || w.since > 0) {
		return err
	}
	w.at, w.since, w.Rewriting = spot{}, 0, seal.Rewriting{}
	if all {
		w.since = time.Now().UnixNano()
		if err := w.v.fresh(ctx, w.since); err != nil {
			return err
		}
		if err := w.r.Renewed(ctx); err != nil {
			return err
		}
	}
	return w.r.Rewriting(ctx, func(tx RewriteTx) error {
		w.Total = 0
		for _, t := range sealedTables {
			err := tx.Query(`SELECT count(*) FROM `+t.name, nil, func(r Row) error {
				var n int64
				err := r.Scan(&n)
				w.Total += n
				return err
			})
			if err != nil {
				return err
			}
		}
		return w.save(tx)
	})
}

// fresh adopts a new data key.
func (v *Vault) fresh(ctx context.Context, since int64) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.claim(ctx, since)
}

// save records the progress.
func (w *rewriting) save(tx RewriteTx) error {
	if w.Done {
		return tx.Exec(`DELETE FROM rewriting`)
	}
	place, err := json.Marshal(w.at)
	if err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO rewriting (one, since, place, looked, rewritten, total) VALUES (1, ?, ?, ?, ?, ?)
		ON CONFLICT (one) DO UPDATE SET since = excluded.since, place = excluded.place, looked = excluded.looked,
		rewritten = excluded.rewritten, total = excluded.total`, w.since, string(place), w.Looked, w.Rewritten, w.Total)
}

// step processes some rows, or moves on to the next table.
func (w *rewriting) step(ctx context.Context) error {
	apart := w.r.Apart()
	switch n := w.at.Table - len(sealedTables); {
	case n < 0:
		was := *w
		return w.r.Rewriting(ctx, func(tx RewriteTx) error {
			*w = was // it may run again
			if err := w.table(tx, sealedTables[w.at.Table]); err != nil {
				return err
			}
			return w.save(tx)
		})
	case n < len(apart):
		return w.apart(ctx, apart[n])
	case w.at.Found > 0 && w.at.Pass+1 < passesMax:
		w.at, w.Looked = spot{Pass: w.at.Pass + 1}, 0
	default:
		w.Done = true
	}
	return w.r.Rewriting(ctx, w.save)
}

// row is one that was read.
type row struct {
	text   string
	number int64
	size   []int64
	old    []bool
}

// table processes the next rows of a table.
func (w *rewriting) table(tx RewriteTx, t sealedTable) error {
	rows, err := w.heads(tx, t)
	if err != nil {
		return err
	}
	written := int64(0)
	for _, r := range rows {
		for i, c := range t.columns {
			if !r.old[i] {
				continue
			}
			if err := w.cell(tx, t, c, &r); err != nil {
				return err
			}
			written += r.size[i]
		}
		w.Looked++
		w.at.Text, w.at.Number = r.text, r.number
		if written > rewriteBytes {
			return nil
		}
	}
	if len(rows) < rewriteRows {
		w.at.Table, w.at.Text, w.at.Number = w.at.Table+1, "", 0
	}
	return nil
}

// heads reads the prefixes of the next rows' values, which is enough to skip most of them.
func (w *rewriting) heads(tx RewriteTx, t sealedTable) ([]row, error) {
	text, number := t.text, t.number
	columns := []string{orElse(text, "''"), orElse(number, "0")}
	for _, c := range t.columns {
		head := seal.Head
		if c.text {
			head = seal.HeadText
		}
		columns = append(columns, fmt.Sprintf(`coalesce(octet_length(%s), 0), substr(%s, 1, %d)`, c.name, c.name, head))
	}
	sql := `SELECT ` + strings.Join(columns, ", ") + ` FROM ` + t.name
	where, args := t.where(">", w.at.Text, w.at.Number)
	sql += ` WHERE ` + where + ` ORDER BY ` + t.key() + fmt.Sprintf(` LIMIT %d`, rewriteRows)
	var out []row
	err := tx.Query(sql, args, func(scan Row) error {
		r := row{size: make([]int64, len(t.columns)), old: make([]bool, len(t.columns))}
		to := []any{&r.text, &r.number}
		bytes, texts := make([][]byte, len(t.columns)), make([]string, len(t.columns))
		for i, c := range t.columns {
			if to = append(to, &r.size[i]); c.text {
				to = append(to, &texts[i])
			} else {
				to = append(to, &bytes[i])
			}
		}
		if err := scan.Scan(to...); err != nil {
			return err
		}
		for i, c := range t.columns {
			switch {
			case r.size[i] == 0:
			case c.text:
				r.old[i] = w.oldKind(seal.LookText(texts[i]))
			default:
				r.old[i] = w.old(bytes[i])
			}
		}
		out = append(out, r)
		return nil
	})
	return out, err
}

func (w *rewriting) old(head []byte) bool { return w.oldKind(seal.Look(head)) }

// oldKind reports whether a value has to be re-encrypted. Damaged values stay.
func (w *rewriting) oldKind(kind seal.Kind, id int64) bool {
	switch kind {
	case seal.Plain, seal.Escaped:
		return true
	case seal.Sealed:
		key, err := w.v.key(id, seal.Place{})
		return err == nil && key.Created < w.since
	}
	return false
}

// cell re-encrypts one value. A damaged one is reported and left alone.
func (w *rewriting) cell(tx RewriteTx, t sealedTable, c sealedColumn, r *row) error {
	p := seal.Place{Table: t.name + "." + c.name, ID: r.text, N: r.number}
	where, args := t.where("=", r.text, r.number)
	var bytes []byte
	var text string
	err := tx.Query(`SELECT `+c.name+` FROM `+t.name+` WHERE `+where, args, func(scan Row) error {
		if c.text {
			return scan.Scan(&text)
		}
		return scan.Scan(&bytes)
	})
	if err != nil {
		return err
	}
	var hidden any
	if c.text {
		if text, err = w.v.OpenText(text, p); err == nil {
			hidden = w.v.Text(text, p)
		}
	} else if bytes, err = w.v.Open(bytes, p); err == nil {
		hidden = w.v.Bytes(bytes, p)
	}
	if err != nil {
		return w.spare(err)
	}
	w.Rewritten++
	w.at.Found++
	err = tx.Exec(`UPDATE `+t.name+` SET `+c.name+` = ? WHERE `+where, append([]any{hidden}, args...)...)
	if err == nil && (t.name == "runs" || t.name == "approvals") { // encrypted values are no longer searchable
		err = reword(tx, t.name, r.text)
	}
	return err
}

// damagedMax is how many damaged values are named.
const damagedMax = 20

func (w *rewriting) spare(err error) error {
	var d *seal.DamagedError
	if !errors.As(err, &d) {
		return err
	}
	if len(w.Damaged) < damagedMax {
		w.Damaged = append(w.Damaged, d.Place.String())
	}
	return nil
}

// apart processes values that are not in a column.
func (w *rewriting) apart(ctx context.Context, a Apart) error {
	list, err := a.List(ctx, w.at.Number, rewriteRows)
	if err != nil {
		return err
	}
	began := time.Now()
	for _, n := range list {
		done, err := a.Redo(ctx, n, w.old)
		if err != nil {
			if err = w.spare(err); err != nil {
				return err
			}
		}
		if done {
			w.Rewritten++
			w.at.Found++
		}
		if w.at.Number = n; time.Since(began) > rewriteTime {
			return w.r.Rewriting(ctx, w.save)
		}
	}
	if len(list) < rewriteRows {
		w.at.Table, w.at.Number = w.at.Table+1, 0
	}
	return w.r.Rewriting(ctx, w.save)
}

func (t sealedTable) key() string {
	return strings.Trim(t.text+", "+t.number, ", ")
}

// where compares the columns that identify a row.
func (t sealedTable) where(how, text string, number int64) (string, []any) {
	switch {
	case t.number == "":
		return t.text + " " + how + " ?", []any{text}
	case t.text == "":
		return t.number + " " + how + " ?", []any{number}
	}
	return "(" + t.key() + ") " + how + " (?, ?)", []any{text, number}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
