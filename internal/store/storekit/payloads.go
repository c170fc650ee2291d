package storekit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// Deleting a run's payloads: the same for both stores, in one transaction without concurrent writes.

// Closed are runs r that have ended, with no ancestor still running.
const Closed = `r.ended_at > 0 AND NOT EXISTS (SELECT 1 FROM runs above WHERE above.id = r.parent
	AND above.ended_at = 0)`

// OrderRemoval records an order; see port.Payloads.
func (v *Vault) OrderRemoval(tx RewriteTx, r port.Removal) (port.Removal, error) {
	found, ended := false, int64(0)
	err := tx.Query(`SELECT ended_at FROM runs WHERE id = ?`, []any{r.Run}, func(row Row) error {
		found = true
		return row.Scan(&ended)
	})
	switch {
	case err != nil:
		return r, err
	case !found:
		return r, NotFound("run", r.Run)
	case ended == 0:
		return r, fault.New(fault.Conflict, fmt.Sprintf("run %s has not ended: its payloads are still needed", r.Run),
			"cancel it first, or wait")
	}
	err = tx.Exec(`INSERT INTO removals (run, kind, actor, reason, at, files, done) VALUES (?, ?, ?, ?, ?, '', 0)
		ON CONFLICT (run) DO NOTHING`,
		r.Run, string(r.By.Kind), Text(r.By.Name), v.Text(r.Reason, atRemoval(r.Run)), Nanos(r.At))
	if err != nil {
		return r, err
	}
	all, err := v.removals(tx, `WHERE run = ?`, r.Run)
	if err == nil && len(all) == 1 {
		r = all[0]
	}
	return r, err
}

// DropRemoval withdraws an order.
func DropRemoval(tx RewriteTx, id string) error {
	return tx.Exec(`DELETE FROM removals WHERE run = ? AND done = 0 AND files = ''`, id)
}

// OpenRemovals lists pending orders.
func (v *Vault) OpenRemovals(tx RewriteTx, limit int) ([]port.Removal, error) {
	return v.removals(tx, `WHERE done = 0 ORDER BY at, run LIMIT ?`, limit)
}

func (v *Vault) removals(tx RewriteTx, where string, args ...any) (out []port.Removal, err error) {
	err = tx.Query(`SELECT run, kind, actor, reason, at, done FROM removals `+where, args, func(row Row) error {
		var r port.Removal
		var kind string
		var at, done int64
		err := row.Scan(&r.Run, &kind, &r.By.Name, &r.Reason, &at, &done)
		if err == nil {
			r.Reason, err = v.OpenText(r.Reason, atRemoval(r.Run))
		}
		r.By.Kind, r.At, r.Done = run.ActorKind(kind), Time(at), done != 0
		out = append(out, r)
		return err
	})
	return out, err
}

// Removable lists runs that ended before a given time and have no order.
func Removable(tx RewriteTx, ended time.Time, limit int) ([]string, error) {
	return words(tx, `SELECT r.id FROM runs r WHERE r.ended_at < ? AND `+Closed+`
		AND NOT EXISTS (SELECT 1 FROM removals m WHERE m.run = r.id) ORDER BY r.id LIMIT ?`, Nanos(ended), limit)
}

// Relatives lists sub-runs, and forks.
func Relatives(tx RewriteTx, id string) (subs, copies []string, err error) {
	if subs, err = words(tx, `SELECT id FROM runs WHERE parent = ? AND parent <> '' ORDER BY id`, id); err != nil {
		return nil, nil, err
	}
	copies, err = words(tx, `SELECT id FROM runs WHERE forked_from = ? AND forked_from <> '' UNION SELECT id FROM runs
		WHERE retry_of = ? AND retry_of <> '' ORDER BY id`, id, id)
	return subs, copies, err
}

func words(tx RewriteTx, sql string, args ...any) (out []string, err error) {
	err = tx.Query(sql, args, func(row Row) error {
		var s string
		err := row.Scan(&s)
		out = append(out, s)
		return err
	})
	return out, err
}

// RunFiles is a run's data outside of the tables that both stores have.
type RunFiles struct {
	// BatchFile is the column with the file name of a batch's body; empty: there is none.
	BatchFile string
	Read      func(file string) ([]byte, error)
	// SnapshotFiles lists the files with snapshots of a run.
	SnapshotFiles func(tx RewriteTx, run string) ([]string, error)
	// DropBlobs deletes unreferenced blobs.
	DropBlobs func(tx RewriteTx, ids []string) error
}

// removing is the deletion of one run's payloads.
type removing struct {
	v     *Vault
	tx    RewriteTx
	run   string
	ended int64
	apart RunFiles
	files []string // no longer referenced
}

// RemovePayloads executes an order. It returns files to delete once this is durable; FilesRemoved then
// completes it.
func (v *Vault) RemovePayloads(tx RewriteTx, id string, apart RunFiles) (files []string, err error) {
	r := &removing{v: v, tx: tx, run: id, apart: apart}
	found, left := false, ""
	err = tx.Query(`SELECT m.files, r.ended_at FROM removals m JOIN runs r ON r.id = m.run WHERE m.run = ?`, []any{id},
		func(row Row) error {
			found = true
			return row.Scan(&left, &r.ended)
		})
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fault.Newf(fault.Conflict, "no deletion of the payloads of run %s was requested", id)
	case r.ended == 0:
		return nil, fault.Newf(fault.Conflict, "run %s has not ended", id)
	}
	if left != "" { // from an interrupted attempt
		if err := json.Unmarshal([]byte(left), &r.files); err != nil {
			return nil, err
		}
	}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"events", r.batches}, {"snapshots", r.snapshots}, {"approvals", r.approvals},
		{"the run", r.row}, {"deliverables", r.deliverables},
		{"values on record", r.audit}, {"answers", r.answers}, {"notes", r.notes},
		{"what it taught", r.experience}, {"deliveries", r.hooks},
	} {
		if err := step.do(); err != nil {
			return nil, fmt.Errorf("%s: %w", step.what, err)
		}
	}
	if len(r.files) == 0 {
		return nil, FilesRemoved(tx, id)
	}
	names, err := json.Marshal(r.files)
	if err != nil {
		return nil, err
	}
	return r.files, tx.Exec(`UPDATE removals SET files = ? WHERE run = ?`, string(names), id)
}

// FilesRemoved records that all payloads of a run are deleted.
func FilesRemoved(tx RewriteTx, id string) error {
	return tx.Exec(`UPDATE removals SET files = '', done = 1 WHERE run = ?`, id)
}

// batchesAtOnce limits how many bodies are in memory.
const batchesAtOnce = 50

func (r *removing) batches() error {
	file := "''"
	if r.apart.BatchFile != "" {
		file = "coalesce(" + r.apart.BatchFile + ", '')"
	}
	for after := int64(0); ; {
		var page []Batch
		var files []string
		err := r.tx.Query(`SELECT last_feed, last_seq, count, body, `+file+` FROM batches WHERE run = ?
			AND last_seq > ? ORDER BY last_seq LIMIT ?`,
			[]any{r.run, after, batchesAtOnce}, func(row Row) error {
				b, name := Batch{Run: r.run}, ""
				err := row.Scan(&b.LastFeed, &b.LastSeq, &b.Count, &b.Body, &name)
				page, files = append(page, b), append(files, name)
				return err
			})
		if err != nil || len(page) == 0 {
			return err
		}
		for i := range page {
			if err := r.batch(&page[i], files[i]); err != nil {
				return err
			}
			after = page[i].LastSeq
		}
	}
}

func (r *removing) batch(b *Batch, file string) (err error) {
	if file != "" {
		if b.Body, err = r.apart.Read(file); err != nil {
			return err
		}
		r.files = append(r.files, file)
	}
	if err := r.v.ShowBatch(b); err != nil {
		return err
	}
	records, _, err := b.Records(nil, 0, 0, nil, int(b.Count))
	if err != nil {
		return err
	}
	events := make([]run.Event, len(records))
	for i, rec := range records {
		events[i] = rec.Event
		events[i].Fact = run.Strip(rec.Fact)
	}
	body, err := EncodeBatch(events)
	if err != nil {
		return err
	}
	sql := `UPDATE batches SET body = ?`
	if r.apart.BatchFile != "" {
		sql += `, ` + r.apart.BatchFile + ` = NULL`
	}
	return r.tx.Exec(sql+` WHERE last_feed = ?`, r.v.HideBatch(r.run, b.LastSeq, body), b.LastFeed)
}

func (r *removing) snapshots() error {
	if r.apart.SnapshotFiles != nil {
		files, err := r.apart.SnapshotFiles(r.tx, r.run)
		if err != nil {
			return err
		}
		r.files = append(r.files, files...)
	}
	return r.tx.Exec(`DELETE FROM snapshots WHERE run = ?`, r.run)
}

func (r *removing) approvals() error {
	type approval struct {
		id   string
		body []byte
	}
	var all []approval
	err := r.tx.Query(`SELECT id, body FROM approvals WHERE run = ?`, []any{r.run}, func(row Row) error {
		var a approval
		err := row.Scan(&a.id, &a.body)
		all = append(all, approval{a.id, bytes.Clone(a.body)})
		return err
	})
	if err != nil {
		return err
	}
	for _, a := range all {
		body, err := r.v.Open(a.body, atApproval(a.id))
		if err != nil {
			return err
		}
		whole := &gate.Approval{}
		if err := json.Unmarshal(body, whole); err != nil {
			return err
		}
		if body, err = value.Marshal(run.StripApproval(whole)); err != nil {
			return err
		}
		err = r.tx.Exec(`UPDATE approvals SET title = ?, body = ? WHERE id = ?`,
			r.v.Text(run.RemovedText, atTitle(a.id)), r.v.Bytes(body, atApproval(a.id)), a.id)
		if err == nil {
			err = reword(r.tx, "approvals", a.id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// row clears the run's own list entry.
func (r *removing) row() error {
	if err := r.tx.Exec(`DELETE FROM run_labels WHERE run = ?`, r.run); err != nil {
		return err
	}
	err := r.tx.Exec(`UPDATE runs SET labels = ?, subject = '', error = CASE WHEN error = '' THEN '' ELSE ? END,
		snapshot_seq = 0 WHERE id = ?`,
		Labels(nil), r.v.Text(run.RemovedText, atRun(r.run)), r.run)
	if err != nil {
		return err
	}
	return reword(r.tx, "runs", r.run)
}

// storedBehind is the clock skew allowed between the end of a run and a reference to a blob in its last
// event.
const storedBehind = int64(5 * time.Second)

// deliverables deletes deliverables, second looks, and blobs that no other run refers to and that were not
// stored again since: those may be about to be used.
func (r *removing) deliverables() error {
	for _, table := range []string{"deliverables", "second_looks"} {
		if err := r.tx.Exec(`DELETE FROM `+table+` WHERE run = ?`, r.run); err != nil {
			return err
		}
	}
	loose, err := words(r.tx, `SELECT f.blob FROM blob_refs f JOIN blobs b ON b.id = f.blob WHERE f.run = ?
		AND b.stored_at <= ? AND NOT EXISTS
		(SELECT 1 FROM blob_refs other WHERE other.blob = f.blob AND other.run <> f.run)`, r.run, r.ended+storedBehind)
	if err != nil {
		return err
	}
	if err := r.tx.Exec(`DELETE FROM blob_refs WHERE run = ?`, r.run); err != nil || len(loose) == 0 {
		return err
	}
	return r.apart.DropBlobs(r.tx, loose)
}

// experience deletes what the run taught.
func (r *removing) experience() error {
	if err := r.tx.Exec(SQLUntaught, r.run); err != nil {
		return err
	}
	return r.tx.Exec(SQLLearned)
}

// hooks deletes the content of the delivery that started the run.
func (r *removing) hooks() error {
	return r.tx.Exec(`UPDATE hook_deliveries SET body = ? WHERE run = ?`, []byte{}, r.run)
}

// bare is a run's id without its prefix, which is part of derived ids.
func (r *removing) bare() string { return strings.TrimPrefix(r.run, "run_") }

// within are the bounds of ids that begin with a word, a run and an underscore.
func (r *removing) within(word string) (from, to string) {
	return word + r.bare() + "_", word + r.bare() + "`" // the character behind the underscore
}

// audit deletes the values stored with entries, with their salts, and the salt of the digests of events. The
// chain contains the digests, and stays.
func (r *removing) audit() error {
	if err := r.tx.Exec(`DELETE FROM event_salts WHERE run = ?`, r.run); err != nil {
		return err
	}
	if err := r.tx.Exec(`UPDATE audit SET open = NULL WHERE run = ?`, r.run); err != nil {
		return err
	}
	for _, word := range []string{"apr_", "dlv_"} {
		from, to := r.within(word)
		if err := r.tx.Exec(`UPDATE audit SET open = NULL WHERE target >= ? AND target < ?`, from, to); err != nil {
			return err
		}
	}
	return nil
}

// answers deletes stored responses to requests about the run.
func (r *removing) answers() error {
	for after := ""; ; {
		var gone []string
		n := 0
		err := r.tx.Query(`SELECT key, answer FROM answers WHERE key > ? ORDER BY key LIMIT 500`, []any{after},
			func(row Row) error {
				var a port.Answer
				if err := row.Scan(&a.Key, &a.Answer); err != nil {
					return err
				}
				n++
				after = a.Key
				plain, err := r.v.Open(a.Answer, atAnswer(a.Key))
				// An unreadable one is useless.
				if err != nil || bytes.Contains(plain, []byte(r.bare())) {
					gone = append(gone, a.Key)
				}
				return nil
			})
		if err != nil {
			return err
		}
		for _, key := range gone {
			if err := r.tx.Exec(`DELETE FROM answers WHERE key = ?`, key); err != nil {
				return err
			}
		}
		if n == 0 {
			return nil
		}
	}
}

// notes deletes what people wrote about its approvals later: reviews of automatic ones, and corrections of lessons.
func (r *removing) notes() error {
	type note struct {
		id   string
		body []byte
	}
	var all []note
	from, to := r.within("apr_")
	err := r.tx.Query(`SELECT id, body FROM versions WHERE kind IN ('review', 'lesson') AND name >= ? AND name < ?`,
		[]any{from, to}, func(row Row) error {
			var v note
			err := row.Scan(&v.id, &v.body)
			all = append(all, note{v.id, bytes.Clone(v.body)})
			return err
		})
	if err != nil {
		return err
	}
	for _, v := range all {
		body, err := r.v.Open(v.body, atVersion(v.id))
		if err != nil {
			return err
		}
		for _, field := range []string{"comment", "text", "reason"} {
			if text, ok := value.Get(body, field); ok && string(text) != `""` {
				body = value.MergePatch(body, json.RawMessage(`{"`+field+`":"`+run.RemovedText+`"}`))
			}
		}
		if err := r.tx.Exec(`UPDATE versions SET body = ?, digest = ? WHERE id = ?`, r.v.Bytes(body, atVersion(v.id)),
			value.Digest(body), v.id); err != nil {
			return err
		}
	}
	return nil
}
