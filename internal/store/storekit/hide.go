package storekit

import (
	"slices"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/seal"
)

// Which values are encrypted, and where they are stored. Everything that queries filter or sort by stays in
// the clear, and so do digests. Any new column that may contain text from people or agents belongs here, and
// in sealedTables.
func atBatch(run string, last int64) seal.Place {
	return seal.Place{Table: "batches.body", ID: run, N: last}
}
func atSnapshot(run string, seq int64) seal.Place {
	return seal.Place{Table: "snapshots.state", ID: run, N: seq}
}
func atRun(id string) seal.Place { return seal.Place{Table: "runs.error", ID: id} }
func atRunSubject(id string) seal.Place {
	return seal.Place{Table: "runs.subject", ID: id}
}
func atTitle(id string) seal.Place    { return seal.Place{Table: "approvals.title", ID: id} }
func atApproval(id string) seal.Place { return seal.Place{Table: "approvals.body", ID: id} }
func atDeliverable(column, id string) seal.Place {
	return seal.Place{Table: "deliverables." + column, ID: id}
}
func atRemoval(run string) seal.Place           { return seal.Place{Table: "removals.reason", ID: run} }
func atAnswer(key string) seal.Place            { return seal.Place{Table: "answers.answer", ID: key} }
func atVersion(id string) seal.Place            { return seal.Place{Table: "versions.body", ID: id} }
func atSource(id string) seal.Place             { return seal.Place{Table: "versions.source", ID: id} }
func atBundle(digest string) seal.Place         { return seal.Place{Table: "bundles.bundle", ID: digest} }
func atExperience(run string) seal.Place        { return seal.Place{Table: "experience.body", ID: run} }
func atSalt(run string) seal.Place              { return seal.Place{Table: "event_salts.salt", ID: run} }
func atAudit(column string, n int64) seal.Place { return seal.Place{Table: "audit." + column, N: n} }

// AtHook is the position of the content of a delivery to a trigger.
func AtHook(id string) seal.Place { return seal.Place{Table: "hook_deliveries.body", ID: id} }

// AtWorkingCopy is the position of the content of a working copy.
func AtWorkingCopy(name string) seal.Place { return seal.Place{Table: "working_copies.body", ID: name} }

// AtBlob is the position of a piece of a blob.
func AtBlob(id string, piece int64) seal.Place {
	return seal.Place{Table: "blobs.data", ID: id, N: piece}
}

// HideWrite encrypts the rows stored with the events, and returns their search words. The caller's rows are
// not changed.
func (v *Vault) HideWrite(w *port.Write) Found {
	found := foundBy(w, v.On())
	w.Row.Error = v.Text(w.Row.Error, atRun(w.Run))
	w.Row.Subject = v.Text(w.Row.Subject, atRunSubject(w.Run))
	w.Snapshot = v.Bytes(w.Snapshot, atSnapshot(w.Run, w.After+int64(len(w.Events))))
	w.Approvals = hideRows(w.Approvals, v.hideApproval)
	w.Deliverables = hideRows(w.Deliverables, v.hideDeliverable)
	if w.Answer != nil {
		a := v.HideAnswer(*w.Answer)
		w.Answer = &a
	}
	return found
}

// hideRows copies rows only if hiding changes them.
func hideRows[T any](rows []T, hide func(T) (T, bool)) []T {
	copied := false
	for i := range rows {
		hidden, changed := hide(rows[i])
		if changed && !copied {
			rows, copied = slices.Clone(rows), true
		}
		if changed {
			rows[i] = hidden
		}
	}
	return rows
}

func (v *Vault) hideApproval(a port.ApprovalRow) (port.ApprovalRow, bool) {
	title, body := v.Text(a.Title, atTitle(a.ID)), v.Bytes(a.Body, atApproval(a.ID))
	changed := title != a.Title || len(body) != len(a.Body)
	a.Title, a.Body = title, body
	return a, changed
}

func (v *Vault) hideDeliverable(d port.DeliverableRow) (port.DeliverableRow, bool) {
	was := d
	d.Name = Text(d.Name)
	d.MIME = v.Text(d.MIME, atDeliverable("mime", d.ID))
	d.Description = v.Text(d.Description, atDeliverable("description", d.ID))
	d.URL = v.Text(d.URL, atDeliverable("url", d.ID))
	return d, d != was
}

// ShowRun decrypts a stored row.
func (v *Vault) ShowRun(r *port.RunRow) (err error) {
	if r.Error, err = v.OpenText(r.Error, atRun(r.ID)); err == nil {
		r.Subject, err = v.OpenText(r.Subject, atRunSubject(r.ID))
	}
	return err
}

// ShowApproval decrypts a stored row.
func (v *Vault) ShowApproval(a *port.ApprovalRow) (err error) {
	if a.Title, err = v.OpenText(a.Title, atTitle(a.ID)); err == nil {
		a.Body, err = v.Open(a.Body, atApproval(a.ID))
	}
	return err
}

// ShowDeliverable decrypts a stored row.
func (v *Vault) ShowDeliverable(d *port.DeliverableRow) (err error) {
	for _, c := range []struct {
		column string
		text   *string
	}{{"mime", &d.MIME}, {"description", &d.Description}, {"url", &d.URL}} {
		if *c.text, err = v.OpenText(*c.text, atDeliverable(c.column, d.ID)); err != nil {
			return err
		}
	}
	return nil
}

// ShowAll decrypts stored rows. A damaged row fails the whole list: skipping it would hide that something is
// missing.
func ShowAll[T any](rows []T, show func(*T) error) error {
	for i := range rows {
		if err := show(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// HideBatch encrypts a batch of events.
func (v *Vault) HideBatch(run string, last int64, body []byte) []byte {
	return v.Bytes(body, atBatch(run, last))
}

// ShowBatch decrypts a batch.
func (v *Vault) ShowBatch(b *Batch) (err error) {
	b.Body, err = v.Open(b.Body, atBatch(b.Run, b.LastSeq))
	return err
}

// ShowSnapshot decrypts a snapshot.
func (v *Vault) ShowSnapshot(run string, seq int64, stored []byte) ([]byte, error) {
	return v.Open(stored, atSnapshot(run, seq))
}

// HideAnswer encrypts an answer.
func (v *Vault) HideAnswer(a port.Answer) port.Answer {
	a.Answer = v.Bytes(a.Answer, atAnswer(a.Key))
	return a
}

// ShowAnswer decrypts an answer.
func (v *Vault) ShowAnswer(a *port.Answer) (err error) {
	a.Answer, err = v.Open(a.Answer, atAnswer(a.Key))
	return err
}

// HideVersion encrypts a document and its source.
func (v *Vault) HideVersion(d port.Version) (body, source []byte) {
	return v.Bytes(d.Body, atVersion(d.ID)), v.Bytes(d.Source, atSource(d.ID))
}

// ShowVersion decrypts a document and its source.
func (v *Vault) ShowVersion(d *port.Version) (err error) {
	if d.Body, err = v.Open(d.Body, atVersion(d.ID)); err == nil {
		d.Source, err = v.Open(d.Source, atSource(d.ID))
	}
	return err
}

// HideBundle encrypts a bundle.
func (v *Vault) HideBundle(digest string, bundle []byte) []byte {
	return v.Bytes(bundle, atBundle(digest))
}

// ShowBundle decrypts a bundle.
func (v *Vault) ShowBundle(digest string, stored []byte) ([]byte, error) {
	return v.Open(stored, atBundle(digest))
}

// HideAudit encrypts an entry, after its hash was computed.
func (v *Vault) HideAudit(r port.AuditRow) port.AuditRow {
	r.Body, r.Open = v.Bytes(r.Body, atAudit("body", r.N)), v.Bytes(r.Open, atAudit("open", r.N))
	return r
}

// ShowAudit decrypts an entry.
func (v *Vault) ShowAudit(r *port.AuditRow) (err error) {
	if r.Body, err = v.Open(r.Body, atAudit("body", r.N)); err == nil {
		r.Open, err = v.Open(r.Open, atAudit("open", r.N))
	}
	return err
}
