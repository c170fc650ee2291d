package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

// ended makes a run that ended some time after it began.
func ended(a *author, after time.Duration) *author {
	a.row.Status, a.row.EndedAt = run.Completed, began.Add(after)
	return a
}

func listed(t *testing.T, s store.Store, q port.DeliverableQuery) (ids []string) {
	t.Helper()
	q.Limit = 100
	page, err := s.Deliverables(t.Context(), q)
	must(t, err)
	for _, d := range page.Items {
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	return ids
}

// deliverableMarks: what is stored is changed, and nothing else.
func deliverableMarks(t *testing.T, s store.Store) {
	a, b := newAuthor("run_1"), newAuthor("run_2")
	for i, who := range []*author{a, b} {
		w := who.write(started(`{}`))
		d := deliverable(fmt.Sprintf("dlv_%d_1", i+1), who.id, 0)
		w.Deliverables = []port.DeliverableRow{d}
		who.store(t, s, w)
	}
	before, err := s.Deliverable(t.Context(), "dlv_1_1")
	must(t, err)
	w := a.write(said("more"))
	next := deliverable("dlv_1_2", a.id, 0)
	next.Version = 2
	w.Deliverables = []port.DeliverableRow{next}
	w.Marks = []port.DeliverableMark{
		{ID: "dlv_1_1", Outdated: true, At: began.Add(time.Hour)},
		{ID: "dlv_1_2", Status: "final", At: began.Add(time.Hour)},
		{ID: "dlv_1_2", Status: "archived", At: began.Add(2 * time.Hour)},
		{ID: "dlv_2_1", Status: "final", Outdated: true, At: began}, // not ours
		{ID: "dlv_1_9", Status: "final", At: began},                 // not there any more
	}
	a.store(t, s, w)
	old, err := s.Deliverable(t.Context(), "dlv_1_1")
	must(t, err)
	before.Newest = false
	wantEqual(t, "outdated", old, before)
	marked, err := s.Deliverable(t.Context(), "dlv_1_2")
	must(t, err)
	next.Status, next.UpdatedAt = "archived", began.Add(2*time.Hour)
	wantEqual(t, "marked", marked, next)
	other, err := s.Deliverable(t.Context(), "dlv_2_1")
	must(t, err)
	if other.Status != "draft" || !other.Newest {
		t.Errorf("another run's deliverable is %+v", other)
	}
	wantEqual(t, "newest", listed(t, s, port.DeliverableQuery{Run: "run_1"}), []string{"dlv_1_2"})
	bad := a.write(said("bad"))
	bad.Marks = []port.DeliverableMark{{Status: "final"}}
	_, err = s.Append(t.Context(), bad)
	wantCode(t, err, fault.Invalid)
}

// expire: runs that go on, and those below them, keep everything.
func expire(t *testing.T, s store.Store) {
	open := newAuthor("run_open")
	child := ended(newAuthor("run_child"), time.Hour)
	child.row.Parent = open.id
	old, late := ended(newAuthor("run_old"), time.Hour), ended(newAuthor("run_late"), 30*time.Hour)
	grown := ended(newAuthor("run_grown"), time.Hour)
	grown.row.Parent = old.id
	for i, a := range []*author{open, child, old, late, grown} {
		w := a.write(started(`{}`))
		for n := range 3 {
			w.Deliverables = append(w.Deliverables, deliverable(fmt.Sprintf("dlv_%s_%d", a.id[4:], n), a.id, i))
		}
		a.store(t, s, w)
	}
	blob := keep(t, s, "a long answer")
	quiet := ended(newAuthor("run_quiet"), time.Hour)
	quiet.store(t, s, quiet.write(started(`{"got":{"$blob":"`+blob+`","size":13}}`)))

	none, err := s.Expire(t.Context(), port.Expiry{Limit: 10})
	if err != nil || none != 0 {
		t.Fatalf("nothing was to go: %d, %v", none, err)
	}
	gone := 0
	for range 4 { // one run at a time: a limit holds
		n, err := s.Expire(t.Context(), port.Expiry{Ended: began.Add(24 * time.Hour), Limit: 1})
		must(t, err)
		if n > 3 {
			t.Errorf("%d were removed at once", n)
		}
		gone += n
	}
	if gone != 7 { // three of each run that is over, and one run with nothing but a blob
		t.Errorf("%d were removed, want 7", gone)
	}
	// a call that removed nothing leaves no entry
	if all := readAudit(t, s); len(all) != 3 || all[0].Action != "retention.removed" {
		t.Errorf("%d entries tell what was removed, want 3", len(all))
	}
	want := []string{
		"dlv_child_0", "dlv_child_1", "dlv_child_2", "dlv_late_0", "dlv_late_1", "dlv_late_2", "dlv_open_0",
		"dlv_open_1", "dlv_open_2",
	}
	wantEqual(t, "kept", listed(t, s, port.DeliverableQuery{All: true}), want)
	for _, id := range []string{old.id, quiet.id} {
		events, err := s.Events(t.Context(), id, 0, 10)
		if must(t, err); len(events) != 1 {
			t.Errorf("the log of %s has %d events", id, len(events))
		}
	}
	// A run that goes on again may make more.
	w := old.write(said("again"))
	w.Row.EndedAt, w.Row.Status = time.Time{}, run.Running
	w.Deliverables = []port.DeliverableRow{deliverable("dlv_old_3", old.id, 0)}
	w.Marks = []port.DeliverableMark{{ID: "dlv_old_2", Outdated: true}}
	old.store(t, s, w)
	if n, err := s.Expire(t.Context(), port.Expiry{Ended: began.Add(24 * time.Hour)}); err != nil || n != 0 {
		t.Errorf("an open run lost %d, %v", n, err)
	}
}

func expireArchived(t *testing.T, s store.Store) {
	shared, own, first := keep(t, s, "shared"), keep(t, s, "own"), keep(t, s, "first")
	over, open := ended(newAuthor("run_over"), time.Hour), newAuthor("run_open")
	for _, a := range []*author{over, open} {
		w := a.write(started(`{"$blob":["` + shared + `","` + own + `","` + first + `"]}`))
		add := func(n int, name, status, blob string, newest bool, at time.Duration) {
			d := deliverable(fmt.Sprintf("dlv_%s_%d", a.id[4:], n), a.id, 0)
			d.Name, d.Status, d.Blob, d.Newest, d.UpdatedAt = name, status, blob, newest, began.Add(at)
			w.Deliverables = append(w.Deliverables, d)
		}
		add(1, "old", "final", first, false, 0)
		add(2, "old", "archived", own, true, time.Minute)
		add(3, "other", "archived", shared, false, 0) // what counts is how the newest stands
		add(4, "other", "final", shared, true, 0)
		add(5, "same", "archived", shared, true, time.Minute)
		add(6, "young", "archived", own, true, time.Hour)
		a.store(t, s, w)
	}
	n, err := s.Expire(t.Context(), port.Expiry{Archived: began.Add(time.Minute + time.Second)})
	must(t, err)
	wantEqual(t, "kept", listed(t, s, port.DeliverableQuery{All: true}), []string{
		"dlv_open_1", "dlv_open_2", "dlv_open_3", "dlv_open_4", "dlv_open_5", "dlv_open_6", "dlv_over_3",
		"dlv_over_4", "dlv_over_6",
	})
	if n != 3 {
		t.Errorf("%d were removed, want 3", n)
	}
	page, err := s.AuditEntries(t.Context(),
		port.AuditQuery{Action: "retention.removed", Target: "deliverables/archived", Limit: 10})
	must(t, err)
	if len(page.Items) != 1 || !strings.Contains(string(page.Items[0].Body), `"count":3`) {
		t.Errorf("that 3 were removed is not on record: %+v", page.Items)
	}
	closeRun(t, s, open)
	_, err = s.Expire(t.Context(), port.Expiry{Archived: began.Add(time.Minute + time.Second)})
	must(t, err)
	_, err = s.CollectBlobs(t.Context(), time.Now().Add(time.Hour), 10)
	must(t, err)
	for blob, there := range map[string]bool{shared: true, own: true, first: false} {
		if has(t, s, blob) != there {
			t.Errorf("blob %s is there: %t", blob, !there)
		}
	}
}

func closeRun(t *testing.T, s store.Store, a *author) {
	t.Helper()
	ended(a, time.Hour)
	a.did(t, s, said("the end"))
}

func keep(t *testing.T, s store.Store, text string) string {
	t.Helper()
	id, _, err := s.PutBlob(t.Context(), bytes.NewReader([]byte(text)), 32<<20)
	must(t, err)
	return id
}

func has(t *testing.T, s store.Store, id string) bool {
	t.Helper()
	r, _, err := s.OpenBlob(t.Context(), id)
	if fault.Is(err, fault.NotFound) {
		return false
	}
	must(t, err)
	_, err = io.Copy(io.Discard, r)
	must(t, err)
	must(t, r.Close())
	return true
}

// collectBlobs: what a run refers to stays, wherever in an event it says so.
func collectBlobs(t *testing.T, s store.Store) {
	large := string(content(3<<20, 7))
	// What is stored again is as young as if it were new.
	keep(t, s, "again")
	keep(t, s, large)
	then := time.Now()
	for _, id := range []string{keep(t, s, "again"), keep(t, s, large)} {
		if n, err := s.CollectBlobs(t.Context(), then, 10); err != nil || n != 0 || !has(t, s, id) {
			t.Errorf("%d were removed, %v", n, err)
		}
	}
	_, err := s.CollectBlobs(t.Context(), time.Now().Add(time.Hour), 10)
	must(t, err)
	loose, looseLarge := keep(t, s, "loose"), keep(t, s, large)
	made, text, input, empty := keep(t, s, "made"), keep(t, s, "in a text"),
		keep(t, s, string(content(2<<20, 8))), keep(t, s, "")
	a := newAuthor("run_1")
	a.did(t, s, started(`{"file":{"$blob":"`+input+`","size":2097152}}`))
	a.did(t, s, &run.DeliverableCreated{Step: "a",
		Deliverable: run.Deliverable{ID: "dlv_1_1", Name: "x", Content: json.RawMessage(`{"$blob":"` + made + `"}`)}})
	quoted, err := json.Marshal(`see {"$blob":"` + text + `"}`)
	must(t, err)
	a.did(t, s, &run.StepCompleted{Step: "a", Result: &run.Result{Output: quoted}})
	a.did(t, s, said(`{"$blob":"sha256:`+string(bytes.Repeat([]byte("0"), 64))+`"}`)) // nothing is there

	if n, err := s.CollectBlobs(t.Context(), time.Now().Add(-time.Hour), 100); err != nil || n != 0 {
		t.Errorf("young blobs were removed: %d, %v", n, err)
	}
	later := time.Now().Add(time.Hour)
	if n, err := s.CollectBlobs(t.Context(), later, 1); err != nil || n != 1 {
		t.Errorf("%d were removed, want one: %v", n, err)
	}
	if n, err := s.CollectBlobs(t.Context(), later, 100); err != nil || n != 2 {
		t.Errorf("%d were removed, want the other two: %v", n, err)
	}
	for id, there := range map[string]bool{loose: false, looseLarge: false, empty: false, made: true,
		text: true, input: true} {
		if has(t, s, id) != there {
			t.Errorf("blob %s is there: %t", id, !there)
		}
	}
	// What was removed can come back, also as a file.
	if again := keep(t, s, large); again != looseLarge || !has(t, s, again) {
		t.Errorf("%s did not come back", again)
	}
	closeRun(t, s, a)
	_, err = s.Expire(t.Context(), port.Expiry{Ended: began.Add(2 * time.Hour)})
	must(t, err)
	_, err = s.CollectBlobs(t.Context(), later, 100)
	must(t, err)
	for _, id := range []string{made, text, input} {
		if has(t, s, id) {
			t.Errorf("blob %s is still there", id)
		}
	}
}

// collectRace: what is stored again, or referred to, while loose blobs are
// removed is not one of them.
func collectRace(t *testing.T, s store.Store) {
	const blobs = 12
	contents, ids := make([][]byte, blobs), make([]string, blobs)
	for i := range blobs {
		contents[i] = content(1000+(i%3)*(1<<20), byte(i)) // rows and files
		ids[i] = keep(t, s, string(contents[i]))
	}
	before := time.Now() // all of them are older
	authors := make([]*author, blobs)
	for i := range authors {
		authors[i] = newAuthor(fmt.Sprintf("run_%d", i))
		authors[i].did(t, s, started(`{}`))
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range blobs {
				if _, err := s.CollectBlobs(context.Background(), before, 1); err != nil {
					t.Errorf("collect: %v", err)
				}
			}
		})
	}
	for i := range blobs - 2 {
		wg.Go(func() {
			id, _, err := s.PutBlob(context.Background(), bytes.NewReader(contents[i]), 32<<20)
			if err != nil || id != ids[i] {
				t.Errorf("put %s again: %v", ids[i], err)
				return
			}
			if _, err := s.Append(context.Background(), authors[i].write(said(`{"$blob":"`+id+`"}`))); err != nil {
				t.Errorf("refer to %s: %v", id, err)
			}
		})
	}
	wg.Wait()
	for range blobs {
		_, err := s.CollectBlobs(t.Context(), before, 100)
		must(t, err)
	}
	for i, id := range ids {
		if want := i < blobs-2; has(t, s, id) != want {
			t.Errorf("blob %d is there: %t, want %t", i, !want, want)
		}
	}
	if _, err := s.CollectBlobs(t.Context(), time.Now().Add(time.Hour), 100); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids[:blobs-2] {
		if !has(t, s, id) {
			t.Errorf("%s was removed although a run refers to it", id)
		}
	}
}
