package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
	"github.com/assent-run/assent/internal/store/storetest/list"
)

// auditEntries: appended entries exist, in order, and can be found.
func auditEntries(t *testing.T, s store.Store) {
	if got := fixture.ReadAudit(t, s); len(got) != 0 {
		t.Fatalf("an empty log has %d entries", len(got))
	}
	for i := range 30 {
		d := fixture.AuditDraft("approval.decided", fmt.Sprintf("apr_%d", i%3), fmt.Sprintf("run_%d", i%2))
		d.At = fixture.Began.Add(time.Duration(i) * time.Second)
		if i%5 == 0 {
			d.Actor.Name, d.Outcome, d.Action = "böb\x00"+strings.Repeat("x", 400), port.AuditRefused, "token.created"
			d.Run = ""
		}
		if i%7 == 3 {
			d.Action = "run.started"
		}
		n, err := s.AppendAudit(t.Context(), d)
		fixture.Must(t, err)
		if n != int64(i)+1 {
			t.Fatalf("entry %d got number %d", i+1, n)
		}
	}
	all := fixture.ReadAudit(t, s)
	for _, c := range []struct {
		name string
		q    port.AuditQuery
		fits func(port.AuditRow) bool
	}{
		{"everything", port.AuditQuery{}, func(port.AuditRow) bool { return true }},
		{"actor", port.AuditQuery{Actor: "ann"}, func(r port.AuditRow) bool { return r.Actor == "ann" }},
		{"action", port.AuditQuery{Action: "token.created"},
			func(r port.AuditRow) bool { return r.Action == "token.created" }},
		{"starts", port.AuditQuery{Action: "run.started"}, func(r port.AuditRow) bool { return r.Action == "run.started" }},
		{"target", port.AuditQuery{Target: "apr_1"}, func(r port.AuditRow) bool { return r.Target == "apr_1" }},
		{"run", port.AuditQuery{Target: "run_1"}, func(r port.AuditRow) bool { return r.Run == "run_1" }},
		{"refused", port.AuditQuery{Outcome: "refused"}, func(r port.AuditRow) bool { return r.Outcome == "refused" }},
		{"done", port.AuditQuery{Outcome: "done", Actor: "ann"}, func(r port.AuditRow) bool { return r.Outcome == "done" }},
		{"times", port.AuditQuery{Since: fixture.Began.Add(5 * time.Second), Until: fixture.Began.Add(20 * time.Second)},
			func(r port.AuditRow) bool { return r.N > 5 && r.N <= 20 }},
		{"nobody", port.AuditQuery{Actor: "zoe"}, func(port.AuditRow) bool { return false }},
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(r port.AuditRow) bool { return !c.fits(r) })
		slices.Reverse(want)
		c.q.Limit = 4
		got, total := list.Pages(t, func(cursor string) (port.Page[port.AuditRow], error) {
			c.q.Cursor = cursor
			return s.AuditEntries(t.Context(), c.q)
		})
		if total != int64(len(want)) {
			t.Errorf("%s: %d in all, want %d", c.name, total, len(want))
		}
		if len(got)+len(want) > 0 {
			fixture.WantEqual(t, c.name, got, want)
		}
		c.q.Cursor, c.q.Limit = "", max(len(want), 1)
		if page, err := s.AuditEntries(t.Context(), c.q); err != nil || page.Next != "" {
			t.Errorf("%s: behind the last one there is %q, %v", c.name, page.Next, err)
		}
	}
	_, err := s.AuditEntries(t.Context(), port.AuditQuery{Cursor: "nonsense"})
	fixture.WantCode(t, err, fault.Invalid)
	_, err = s.AppendAudit(t.Context(), port.AuditDraft{Action: "x"})
	fixture.WantCode(t, err, fault.Invalid)
}

// auditWithWrite: an entry exists if and only if the change it records does.
func auditWithWrite(t *testing.T, s store.Store) {
	a := fixture.New("run_1")
	w := a.Write(fixture.Started(`{}`))
	w.Audit = []port.AuditDraft{fixture.AuditDraft("run.started", a.ID, a.ID),
		fixture.AuditDraft("approval.decided", "apr_1", a.ID)}
	a.Store(t, s, w)
	late := fixture.New("run_1").Write(fixture.Started(`{}`))
	late.Audit = w.Audit
	_, err := s.Append(t.Context(), late)
	fixture.WantCode(t, err, fault.Conflict)
	bad := a.Write(fixture.Said("x"))
	bad.Audit = []port.AuditDraft{{}}
	_, err = s.Append(t.Context(), bad)
	fixture.WantCode(t, err, fault.Invalid)
	if all := fixture.ReadAudit(t, s); len(all) != 2 {
		t.Fatalf("%d entries", len(all))
	}
	if records, err := fixture.ReadRun(t.Context(), s, a.ID, 10); err != nil || len(records) != 1 {
		t.Fatalf("the write whose entry was refused is there: %d, %v", len(records), err)
	}

	v := fixture.Version("workflow", "refund", 1)
	_, created, err := s.SaveVersion(t.Context(), v, fixture.AuditDraft("definition.saved", "workflow/refund", ""))
	fixture.Must(t, err)
	if _, again, err := s.SaveVersion(t.Context(), v,
		fixture.AuditDraft("definition.saved", "workflow/refund", "")); !created || again || err != nil {
		t.Fatalf("%v %v %v", created, again, err)
	}
	fixture.Must(t, s.Publish(t.Context(), "workflow", "refund", 1, "ann", fixture.Began,
		fixture.AuditDraft("definition.published", "workflow/refund", "")))
	fixture.WantCode(t, s.Publish(t.Context(), "workflow", "refund", 9, "ann", fixture.Began,
		fixture.AuditDraft("definition.published", "workflow/refund", "")), fault.NotFound)
	if all := fixture.ReadAudit(t, s); len(all) != 4 || all[2].Action != "definition.saved" ||
		all[3].Action != "definition.published" {
		t.Fatalf("%d entries", len(all))
	}
}

// auditRace: many concurrent writers of all kinds produce one chain, with no entry lost or duplicated.
func auditRace(t *testing.T, s store.Store) {
	const writers, each = 64, 6
	var wg sync.WaitGroup
	errs := make(chan error, writers)
	for i := range writers {
		wg.Go(func() {
			a := fixture.New(fixture.RunID(i))
			for n := range each {
				var err error
				switch {
				case i%8 == 0:
					_, err = s.AppendAudit(t.Context(), fixture.AuditDraft("session.started", fmt.Sprint("account/", i), ""))
				case i%8 == 1:
					_, _, err = s.SaveVersion(t.Context(), fixture.Version("workflow", fmt.Sprint("w", i), n+1),
						fixture.AuditDraft("definition.saved", fmt.Sprint("workflow/w", i), ""))
				default:
					w := a.Write(fixture.Said("x"))
					if n == 0 {
						w = a.Write(fixture.Started(`{}`))
					}
					w.Audit = []port.AuditDraft{fixture.AuditDraft("approval.decided", "apr_"+a.ID, a.ID)}
					if _, err = s.Append(t.Context(), w); err == nil {
						a.Seq = w.Row.Seq
					}
				}
				if err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Fatal(err)
	}
	byTarget := map[string]int{}
	for _, r := range fixture.ReadAudit(t, s) {
		byTarget[r.Target]++
	}
	if len(byTarget) != writers {
		t.Fatalf("%d writers have entries", len(byTarget))
	}
	for target, n := range byTarget {
		if n != each {
			t.Errorf("%s has %d entries", target, n)
		}
	}
}

// auditHeads: heads follow one another and refer to existing entries.
func auditHeads(t *testing.T, s store.Store) {
	if h, err := s.LastAuditHead(t.Context()); err != nil || h.N != 0 {
		t.Fatalf("%+v, %v", h, err)
	}
	for range 10 {
		_, err := s.AppendAudit(t.Context(), fixture.AuditDraft("x.y", "z", ""))
		fixture.Must(t, err)
	}
	all := fixture.ReadAudit(t, s)
	head := func(from, n int64) port.AuditHead {
		return port.AuditHead{N: n, From: from, Hash: all[min(n, 10)-1].Hash, Root: "r", At: fixture.Began,
			Key: "k", Sig: "s"}
	}
	fixture.Must(t, s.PutAuditHead(t.Context(), head(1, 4)))
	wrong := head(5, 7)
	wrong.Hash = all[7].Hash
	for name, h := range map[string]port.AuditHead{"again": head(1, 4), "a gap": head(6, 7), "nothing": head(5, 4),
		"no entry": head(5, 11), "another entry": wrong} {
		if err := s.PutAuditHead(t.Context(), h); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: %v", name, err)
		}
	}
	fixture.Must(t, s.PutAuditHead(t.Context(), head(5, 7)))
	heads, err := s.AuditHeads(t.Context(), 1, 10)
	fixture.Must(t, err)
	fixture.WantEqual(t, "heads", heads, []port.AuditHead{head(1, 4), head(5, 7)})
	heads, err = s.AuditHeads(t.Context(), 5, 10)
	fixture.Must(t, err)
	fixture.WantEqual(t, "heads from 5", heads, []port.AuditHead{head(5, 7)})
	last, err := s.LastAuditHead(t.Context())
	fixture.Must(t, err)
	fixture.WantEqual(t, "last", last, head(5, 7))
}

// verifyAudited checks that each write of a child has its entry, and each entry its write.
func verifyAudited(t *testing.T, s store.Store, seqs map[string]int64) {
	t.Helper()
	entries := map[string]int64{}
	for _, r := range fixture.ReadAudit(t, s) {
		entries[r.Run]++
	}
	for id, seq := range seqs {
		if entries[id] != seq/2 {
			t.Errorf("%s has %d events and %d entries", id, seq, entries[id])
		}
		delete(entries, id)
	}
	if len(entries) > 0 {
		t.Errorf("entries without a run: %v", entries)
	}
}
