package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestBindsWhenItIsQuiet: events are bound once nothing new has come since the last check, or after a while
// even if more keep coming; bound events are not bound again.
func TestBindsWhenItIsQuiet(t *testing.T) {
	s, store := open(t)
	now := began
	s.Now = func() time.Time { return now }
	var b binding
	look := func() (entries, bound int64) {
		t.Helper()
		must(t, s.bindIfDue(t.Context(), &b))
		entries, _, err := store.AuditEnd(t.Context())
		must(t, err)
		bound, err = s.lastBound(t.Context())
		must(t, err)
		return entries, bound
	}
	if entries, bound := look(); entries != 0 || bound != 0 {
		t.Errorf("nothing happened, and %d events are bound", bound)
	}
	aRun(t, store, "run_1")
	if _, bound := look(); bound != 0 {
		t.Errorf("%d events are bound while they come", bound)
	}
	entries, bound := look()
	if bound != 4 {
		t.Errorf("%d events are bound when it is quiet", bound)
	}
	if again, _ := look(); again != entries {
		t.Errorf("%d entries became %d", entries, again)
	}
	// More keep coming, some time later.
	now = now.Add(sealAfter)
	for i := range 3 {
		aRun(t, store, fmt.Sprint("run_busy", i))
		if i == 2 {
			now = now.Add(sealAfter)
		}
		if _, bound = look(); (bound > 4) != (i == 2) {
			t.Errorf("look %d: %d events are bound", i, bound)
		}
	}
	s.Leads = func() bool { return false }
	aRun(t, store, "run_elsewhere")
	look()
	if _, after := look(); after != bound {
		t.Errorf("a process that does not lead bound %d events", after-bound)
	}
}

// TestEntriesShowWhatIsKept: values stored with the entry are shown, those in the run's log are not.
func TestEntriesShowWhatIsKept(t *testing.T) {
	s, _ := open(t)
	rows := chained(t, 1)
	e, err := s.Entry(rows[0])
	if err != nil || e.Hash != rows[0].Hash || len(e.Values) != 1 ||
		!strings.Contains(string(e.Values["comment"]), "fine") {
		t.Errorf("%+v, %v", e, err)
	}
	bad := rows[0]
	bad.Open = []byte(`{"comment":7}`)
	if _, err := s.Entry(bad); err == nil {
		t.Error("a value that cannot be read is shown")
	}
}

// TestUnsignedLogsWarn: a log without signatures does not simply pass.
func TestUnsignedLogsWarn(t *testing.T) {
	h := newHouse(t)
	s := h.start()
	_, err := h.store.AppendAudit(t.Context(), draft(1))
	must(t, err)
	if got, err := s.Check(t.Context(), 0, 0); err != nil || !got.OK || len(got.Warnings) != 1 || got.HeadsMissing {
		t.Errorf("never signed: %+v, %v", got, err)
	}
	_, err = s.Cut(t.Context())
	must(t, err)
	if got, err := s.Check(t.Context(), 0, 0); err != nil || !got.OK || len(got.Warnings) != 0 {
		t.Errorf("signed: %+v, %v", got, err)
	}
	h.edit(`DELETE FROM audit_heads`)
	s = h.start()
	s.Anchor = nil
	if got, err := s.Check(t.Context(), 0, 0); err != nil || len(got.Warnings) != 1 || !got.HeadsMissing {
		t.Errorf("no longer signed: %+v, %v", got, err)
	}
}
