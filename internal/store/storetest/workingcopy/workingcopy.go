// Package workingcopy tests how stores keep the workflows that people are editing.
package workingcopy

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// Copies: one for each name, replaced only by those who know the current one.
func Copies(t *testing.T, s store.Store) {
	ctx := t.Context()
	of := func(name string, revision int64, body string) port.WorkingCopy {
		return port.WorkingCopy{Name: name, Revision: revision, By: "ann",
			At: fixture.Began.Add(time.Duration(revision) * time.Second), Body: []byte(body)}
	}
	want := func(want ...port.WorkingCopy) {
		t.Helper()
		got, err := s.WorkingCopies(ctx)
		fixture.Must(t, err)
		fixture.WantEqual(t, "working copies", got, want)
	}
	want()
	_, err := s.WorkingCopy(ctx, "refund")
	fixture.WantCode(t, err, fault.NotFound)
	refund, claims := of("refund", 7, "workflow: refund # ø"), of("claims", 3, "not: [valid")
	fixture.Must(t, s.PutWorkingCopy(ctx, refund, 0))
	fixture.Must(t, s.PutWorkingCopy(ctx, claims, 0))
	want(claims, refund)
	fixture.WantCode(t, s.PutWorkingCopy(ctx, of("refund", 9, "mine"), 0), fault.VersionMismatch)
	fixture.WantCode(t, s.PutWorkingCopy(ctx, of("refund", 9, "mine"), 6), fault.VersionMismatch)
	fixture.WantCode(t, s.PutWorkingCopy(ctx, of("other", 9, "mine"), 6), fault.VersionMismatch)
	want(claims, refund)
	refund = of("refund", 8, "workflow: refund")
	refund.By = "bob"
	fixture.Must(t, s.PutWorkingCopy(ctx, refund, 7))
	got, err := s.WorkingCopy(ctx, "refund")
	fixture.Must(t, err)
	fixture.WantEqual(t, "working copy", got, refund)
	entry := fixture.AuditDraft("working_copy.deleted", "workflow/refund", "")
	fixture.WantCode(t, s.DeleteWorkingCopy(ctx, "refund", 7, entry), fault.VersionMismatch)
	fixture.Must(t, s.DeleteWorkingCopy(ctx, "refund", 8, entry))
	fixture.WantCode(t, s.DeleteWorkingCopy(ctx, "refund", 8, entry), fault.VersionMismatch)
	if log := fixture.ReadAudit(t, s); len(log) != 1 { // of what was deleted, in the same transaction
		t.Errorf("%d audit entries: %v", len(log), log)
	}
	want(claims)

	for name, bad := range map[string]port.WorkingCopy{
		"no name":     of("", 1, "x"),
		"NUL":         of("a\x00b", 1, "x"),
		"no revision": of("x", 0, "x"),
		"no content":  of("x", 1, ""),
		"too large":   {Name: "x", Revision: 1, By: "ann", At: fixture.Began, Body: bytes.Repeat([]byte("x"), 9<<20)},
		"no time":     {Name: "x", Revision: 1, By: "ann", Body: []byte("x")},
		"no author":   {Name: "x", Revision: 1, At: fixture.Began, Body: []byte("x")},
		"long name":   of(strings.Repeat("x", 1<<20), 1, "x"),
	} {
		t.Run(name, func(t *testing.T) { fixture.WantCode(t, s.PutWorkingCopy(ctx, bad, 0), fault.Invalid) })
	}
	want(claims)

	var all sync.WaitGroup // of several who change the same one, one succeeds
	var stored atomic.Int64
	for i := range 8 {
		all.Go(func() {
			switch err := s.PutWorkingCopy(ctx, of("claims", int64(10+i), "x"), 3); {
			case err == nil:
				stored.Add(1)
			case !fault.Is(err, fault.VersionMismatch):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if stored.Load() != 1 {
		t.Errorf("%d changes of one revision were stored", stored.Load())
	}
}
