// Package trail holds the use cases of the audit log: reading, checking and exporting it, and proving what it says.
//
//	page, err := log.Entries(ctx, who, port.AuditQuery{Target: "run_…"})
//	err = log.ProveRun(ctx, who, "run_…", w)
//
// Each authorises the caller, and records when they are refused. Package audit signs and verifies the log.
package trail

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// Store is the part of a store that keeps the audit log.
type Store interface {
	AppendAudit(ctx context.Context, entries ...port.AuditDraft) (n int64, err error)
	AuditEntries(ctx context.Context, q port.AuditQuery) (port.Page[port.AuditRow], error)
}

// Trail is the audit log as callers may see it. Any number of goroutines may use it.
type Trail struct {
	guard *guard.Guard
	sight *sight.Sight
	store Store
	audit port.Audit
	now   func() time.Time
}

// New creates the use cases of an audit log. Without audit, it cannot be read.
func New(g *guard.Guard, s *sight.Sight, store Store, audit port.Audit, now func() time.Time) *Trail {
	return &Trail{guard: g, sight: s, store: store, audit: audit, now: now}
}

// mayAudit refuses callers that may not read the audit log. The refusal is recorded.
func (t *Trail) mayAudit(ctx context.Context, who guard.Who) error {
	if t.audit == nil {
		return fault.New(fault.Unsupported, "the audit log cannot be read here", "")
	}
	err := t.guard.May(who, access.Audit)
	t.guard.Refused(ctx, who, "audit.read", "audit", err)
	return err
}

// Entries lists entries, newest first.
func (t *Trail) Entries(ctx context.Context, who guard.Who, q port.AuditQuery) (view.List[port.AuditEntry], error) {
	if err := t.mayAudit(ctx, who); err != nil {
		return view.List[port.AuditEntry]{}, err
	}
	page, err := t.store.AuditEntries(ctx, q)
	if err != nil {
		return view.List[port.AuditEntry]{}, err
	}
	return view.PageOf(page, t.showAudit(ctx, who))
}

// Check checks that the log is unchanged since it was written, after an entry and for at most limit entries (0:
// all).
func (t *Trail) Check(ctx context.Context, who guard.Who, after int64, limit int) (port.AuditCheck, error) {
	if err := t.mayAudit(ctx, who); err != nil {
		return port.AuditCheck{}, err
	}
	return t.audit.Check(ctx, after, limit)
}

// AuditEndView is the end of the log, to be stored elsewhere.
type AuditEndView struct {
	// N:HASH of the newest entry. Store it elsewhere, to detect a truncated log.
	Head string `json:"head"`
	// The same, signed.
	Signed port.AuditHead `json:"signed"`
	// All signing keys, oldest first.
	Keys []port.AuditKey `json:"keys"`
}

// Head signs the end of the log and returns it.
func (t *Trail) Head(ctx context.Context, who guard.Who) (AuditEndView, error) {
	if err := t.mayAudit(ctx, who); err != nil {
		return AuditEndView{}, err
	}
	h, err := t.audit.Cut(ctx)
	if err != nil {
		return AuditEndView{}, err
	}
	keys, err := t.audit.Keys(ctx)
	return AuditEndView{Head: strconv.FormatInt(h.N, 10) + ":" + h.Hash, Signed: h, Keys: view.NotNil(keys)}, err
}

// Export writes the whole log so that it can be verified elsewhere. Callers for whom values are masked get it
// without the values; their digests suffice for the check.
func (t *Trail) Export(ctx context.Context, who guard.Who, w io.Writer) error {
	if err := t.mayAudit(ctx, who); err != nil {
		return err
	}
	if !t.sight.Unmasked(t.guard.Viewer(who)) {
		w = &view.WithoutValues{To: w}
	}
	return t.audit.Export(ctx, w)
}

// ProveRun writes everything about a run, so that it can be verified on its own. A run with values that are masked for
// the caller is refused.
func (t *Trail) ProveRun(ctx context.Context, who guard.Who, id string, w io.Writer) error {
	if err := t.mayAudit(ctx, who); err != nil {
		return err
	}
	if err := t.sight.Whole(ctx, t.guard.Viewer(who), id, "this run"); err != nil {
		return err
	}
	return t.audit.Prove(ctx, id, who.Actor(), w)
}

// ProveConsistency writes a proof that one signed end of the log follows another.
func (t *Trail) ProveConsistency(ctx context.Context, who guard.Who, from, to int64, w io.Writer) error {
	if err := t.mayAudit(ctx, who); err != nil {
		return err
	}
	return t.audit.Follow(ctx, from, to, w)
}

// csvPage is the number of entries that are read at a time.
const csvPage = 500

// Table writes entries as CSV, newest first. It is for spreadsheets: to verify the log, export it.
func (t *Trail) Table(ctx context.Context, who guard.Who, q port.AuditQuery, w io.Writer) error {
	if err := t.mayAudit(ctx, who); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	if err := out.Write(view.AuditColumns); err != nil {
		return err
	}
	q.Limit = csvPage
	for {
		page, err := t.store.AuditEntries(ctx, q)
		if err != nil {
			return err
		}
		for _, row := range page.Items {
			e, err := t.showAudit(ctx, who)(row)
			if err != nil {
				return err
			}
			cells, err := view.AuditCells(e)
			if err == nil {
				err = out.Write(cells)
			}
			if err != nil {
				return err
			}
		}
		out.Flush()
		if err := out.Error(); err != nil || page.Next == "" {
			return err
		}
		q.Cursor = page.Next
	}
}

// Record adds an entry for an event that has no transaction of its own.
func (t *Trail) Record(ctx context.Context, d port.AuditDraft) error {
	if d.At.IsZero() {
		d.At = t.now()
	}
	_, err := t.store.AppendAudit(ctx, d)
	return err
}

// showAudit shows an entry of the audit log to the caller.
func (t *Trail) showAudit(ctx context.Context, who guard.Who) func(port.AuditRow) (port.AuditEntry, error) {
	return func(row port.AuditRow) (port.AuditEntry, error) {
		shown, err := t.audit.Entry(row)
		if err != nil {
			return shown, err
		}
		return t.sight.ShowAudit(ctx, t.guard.Viewer(who), shown)
	}
}
