package app

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// mayAudit refuses callers that may not read the audit log. The refusal is recorded.
func (a *App) mayAudit(ctx context.Context, who Who) error {
	if a.audit == nil {
		return fault.New(fault.Unsupported, "the audit log cannot be read here", "")
	}
	err := a.guard.May(who, access.Audit)
	a.Access.Refused(ctx, who, "audit.read", "audit", err)
	return err
}

// AuditView is an entry as the API shows it.
type AuditView = port.AuditEntry

// AuditEntries lists entries, newest first.
func (a *App) AuditEntries(ctx context.Context, who Who, q port.AuditQuery) (view.List[AuditView], error) {
	if err := a.mayAudit(ctx, who); err != nil {
		return view.List[AuditView]{}, err
	}
	page, err := a.records.AuditEntries(ctx, q)
	if err != nil {
		return view.List[AuditView]{}, err
	}
	return view.PageOf(page, a.showAudit(ctx, who))
}

// CheckAudit checks that the log is unchanged since it was written, after an entry and for at most limit entries (0:
// all).
func (a *App) CheckAudit(ctx context.Context, who Who, after int64, limit int) (port.AuditCheck, error) {
	if err := a.mayAudit(ctx, who); err != nil {
		return port.AuditCheck{}, err
	}
	return a.audit.Check(ctx, after, limit)
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

// AuditHead signs the end of the log and returns it.
func (a *App) AuditHead(ctx context.Context, who Who) (AuditEndView, error) {
	if err := a.mayAudit(ctx, who); err != nil {
		return AuditEndView{}, err
	}
	h, err := a.audit.Cut(ctx)
	if err != nil {
		return AuditEndView{}, err
	}
	keys, err := a.audit.Keys(ctx)
	return AuditEndView{Head: strconv.FormatInt(h.N, 10) + ":" + h.Hash, Signed: h, Keys: view.NotNil(keys)}, err
}

// ExportAudit writes the whole log so that it can be verified elsewhere. Callers for whom values are masked get it
// without the values; their digests suffice for the check.
func (a *App) ExportAudit(ctx context.Context, who Who, w io.Writer) error {
	if err := a.mayAudit(ctx, who); err != nil {
		return err
	}
	if !a.sight.Unmasked(a.guard.Viewer(who)) {
		w = &view.WithoutValues{To: w}
	}
	return a.audit.Export(ctx, w)
}

// ProveRun writes everything about a run, so that it can be verified on its own. A run with values that are masked for
// the caller is refused.
func (a *App) ProveRun(ctx context.Context, who Who, id string, w io.Writer) error {
	if err := a.mayAudit(ctx, who); err != nil {
		return err
	}
	if err := a.sight.Whole(ctx, a.guard.Viewer(who), id, "this run"); err != nil {
		return err
	}
	return a.audit.Prove(ctx, id, who.Actor(), w)
}

// ProveAuditConsistency writes a proof that one signed end of the log follows another.
func (a *App) ProveAuditConsistency(ctx context.Context, who Who, from, to int64, w io.Writer) error {
	if err := a.mayAudit(ctx, who); err != nil {
		return err
	}
	return a.audit.Follow(ctx, from, to, w)
}

// csvPage is the number of entries that are read at a time.
const csvPage = 500

// AuditTable writes entries as CSV, newest first. It is for spreadsheets: to verify the log, export it.
func (a *App) AuditTable(ctx context.Context, who Who, q port.AuditQuery, w io.Writer) error {
	if err := a.mayAudit(ctx, who); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	if err := out.Write(view.AuditColumns); err != nil {
		return err
	}
	q.Limit = csvPage
	for {
		page, err := a.records.AuditEntries(ctx, q)
		if err != nil {
			return err
		}
		for _, row := range page.Items {
			e, err := a.showAudit(ctx, who)(row)
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
func (a *App) Record(ctx context.Context, d port.AuditDraft) error {
	if d.At.IsZero() {
		d.At = a.Now()
	}
	_, err := a.records.AppendAudit(ctx, d)
	return err
}

// recordExpiry adds an entry about approvals that were settled in one batch. Each of them also has an entry of its
// own.
func (a *App) recordExpiry(ctx context.Context, who Who, e Expiry, v BatchView) error {
	settled := 0
	for _, r := range v.Results {
		if r.OK {
			settled++
		}
	}
	if len(v.Results) == 0 {
		return nil
	}
	return a.Record(ctx, port.AuditDraft{
		Actor: who.Actor(), Action: "approvals.expired", Target: "approvals",
		Detail: map[string]any{"older_than": e.OlderThan.String(), "settled": settled, "failed": len(v.Results) - settled},
	})
}

// showAudit shows an entry of the audit log to the caller.
func (a *App) showAudit(ctx context.Context, who Who) func(port.AuditRow) (AuditView, error) {
	return func(row port.AuditRow) (AuditView, error) {
		shown, err := a.audit.Entry(row)
		if err != nil {
			return shown, err
		}
		return a.sight.ShowAudit(ctx, a.guard.Viewer(who), shown)
	}
}
