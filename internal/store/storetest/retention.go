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
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

func listed(t *testing.T, s store.Store, q port.DeliverableQuery) (ids []string) {
	t.Helper()
	q.Limit = 100
	page, err := s.Deliverables(t.Context(), q)
	fixture.Must(t, err)
	for _, d := range page.Items {
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	return ids
}

// deliverableMarks: stored deliverables are changed, and nothing else.
func deliverableMarks(t *testing.T, s store.Store) {
	a, b := fixture.New("run_1"), fixture.New("run_2")
	for i, who := range []*fixture.Author{a, b} {
		w := who.Write(fixture.Started(`{}`))
		d := fixture.Deliverable(fmt.Sprintf("dlv_%d_1", i+1), who.ID, 0)
		w.Deliverables = []port.DeliverableRow{d}
		who.Store(t, s, w)
	}
	before, err := s.Deliverable(t.Context(), "dlv_1_1")
	fixture.Must(t, err)
	w := a.Write(fixture.Said("more"))
	next := fixture.Deliverable("dlv_1_2", a.ID, 0)
	next.Version = 2
	w.Deliverables = []port.DeliverableRow{next}
	w.Marks = []port.DeliverableMark{
		{ID: "dlv_1_1", Outdated: true, At: fixture.Began.Add(time.Hour)},
		{ID: "dlv_1_2", Status: "final", At: fixture.Began.Add(time.Hour)},
		{ID: "dlv_1_2", Status: "archived", At: fixture.Began.Add(2 * time.Hour)},
		{ID: "dlv_2_1", Status: "final", Outdated: true, At: fixture.Began}, // not ours
		{ID: "dlv_1_9", Status: "final", At: fixture.Began},                 // no longer there
	}
	a.Store(t, s, w)
	old, err := s.Deliverable(t.Context(), "dlv_1_1")
	fixture.Must(t, err)
	before.Newest = false
	fixture.WantEqual(t, "outdated", old, before)
	marked, err := s.Deliverable(t.Context(), "dlv_1_2")
	fixture.Must(t, err)
	next.Status, next.UpdatedAt = "archived", fixture.Began.Add(2*time.Hour)
	fixture.WantEqual(t, "marked", marked, next)
	other, err := s.Deliverable(t.Context(), "dlv_2_1")
	fixture.Must(t, err)
	if other.Status != "draft" || !other.Newest {
		t.Errorf("another run's deliverable is %+v", other)
	}
	fixture.WantEqual(t, "newest", listed(t, s, port.DeliverableQuery{Run: "run_1"}), []string{"dlv_1_2"})
	bad := a.Write(fixture.Said("bad"))
	bad.Marks = []port.DeliverableMark{{Status: "final"}}
	_, err = s.Append(t.Context(), bad)
	fixture.WantCode(t, err, fault.Invalid)
}

// expire: unfinished runs, and their sub-runs, keep everything.
func expire(t *testing.T, s store.Store) {
	open := fixture.New("run_open")
	child := fixture.Ended(fixture.New("run_child"), time.Hour)
	child.Row.Parent = open.ID
	old, late := fixture.Ended(fixture.New("run_old"), time.Hour), fixture.Ended(fixture.New("run_late"), 30*time.Hour)
	grown := fixture.Ended(fixture.New("run_grown"), time.Hour)
	grown.Row.Parent = old.ID
	for i, a := range []*fixture.Author{open, child, old, late, grown} {
		w := a.Write(fixture.Started(`{}`))
		for n := range 3 {
			w.Deliverables = append(w.Deliverables, fixture.Deliverable(fmt.Sprintf("dlv_%s_%d", a.ID[4:], n), a.ID, i))
		}
		a.Store(t, s, w)
	}
	blob := keep(t, s, "a long answer")
	quiet := fixture.Ended(fixture.New("run_quiet"), time.Hour)
	quiet.Store(t, s, quiet.Write(fixture.Started(`{"got":{"$blob":"`+blob+`","size":13}}`)))

	none, err := s.Expire(t.Context(), port.Expiry{Limit: 10})
	if err != nil || none != 0 {
		t.Fatalf("nothing was to go: %d, %v", none, err)
	}
	gone := 0
	for range 4 { // one run at a time: a limit applies
		n, err := s.Expire(t.Context(), port.Expiry{Ended: fixture.Began.Add(24 * time.Hour), Limit: 1})
		fixture.Must(t, err)
		if n > 3 {
			t.Errorf("%d were removed at once", n)
		}
		gone += n
	}
	if gone != 7 { // three of each finished run, and one run with nothing but a blob
		t.Errorf("%d were removed, want 7", gone)
	}
	// a call that removed nothing leaves no entry
	if all := fixture.ReadAudit(t, s); len(all) != 3 || all[0].Action != "retention.removed" {
		t.Errorf("%d entries tell what was removed, want 3", len(all))
	}
	want := []string{
		"dlv_child_0", "dlv_child_1", "dlv_child_2", "dlv_late_0", "dlv_late_1", "dlv_late_2", "dlv_open_0",
		"dlv_open_1", "dlv_open_2",
	}
	fixture.WantEqual(t, "kept", listed(t, s, port.DeliverableQuery{All: true}), want)
	for _, id := range []string{old.ID, quiet.ID} {
		events, err := s.Events(t.Context(), id, 0, 10)
		if fixture.Must(t, err); len(events) != 1 {
			t.Errorf("the log of %s has %d events", id, len(events))
		}
	}
	// A resumed run may create more.
	w := old.Write(fixture.Said("again"))
	w.Row.EndedAt, w.Row.Status = time.Time{}, run.Running
	w.Deliverables = []port.DeliverableRow{fixture.Deliverable("dlv_old_3", old.ID, 0)}
	w.Marks = []port.DeliverableMark{{ID: "dlv_old_2", Outdated: true}}
	old.Store(t, s, w)
	if n, err := s.Expire(t.Context(), port.Expiry{Ended: fixture.Began.Add(24 * time.Hour)}); err != nil || n != 0 {
		t.Errorf("an open run lost %d, %v", n, err)
	}
}

func expireArchived(t *testing.T, s store.Store) {
	shared, own, first := keep(t, s, "shared"), keep(t, s, "own"), keep(t, s, "first")
	over, open := fixture.Ended(fixture.New("run_over"), time.Hour), fixture.New("run_open")
	for _, a := range []*fixture.Author{over, open} {
		w := a.Write(fixture.Started(`{"$blob":["` + shared + `","` + own + `","` + first + `"]}`))
		add := func(n int, name, status, blob string, newest bool, at time.Duration) {
			d := fixture.Deliverable(fmt.Sprintf("dlv_%s_%d", a.ID[4:], n), a.ID, 0)
			d.Name, d.Status, d.Blob, d.Newest, d.UpdatedAt = name, status, blob, newest, fixture.Began.Add(at)
			w.Deliverables = append(w.Deliverables, d)
		}
		add(1, "old", "final", first, false, 0)
		add(2, "old", "archived", own, true, time.Minute)
		add(3, "other", "archived", shared, false, 0) // the status of the newest counts
		add(4, "other", "final", shared, true, 0)
		add(5, "same", "archived", shared, true, time.Minute)
		add(6, "young", "archived", own, true, time.Hour)
		a.Store(t, s, w)
	}
	n, err := s.Expire(t.Context(), port.Expiry{Archived: fixture.Began.Add(time.Minute + time.Second)})
	fixture.Must(t, err)
	fixture.WantEqual(t, "kept", listed(t, s, port.DeliverableQuery{All: true}), []string{
		"dlv_open_1", "dlv_open_2", "dlv_open_3", "dlv_open_4", "dlv_open_5", "dlv_open_6", "dlv_over_3",
		"dlv_over_4", "dlv_over_6",
	})
	if n != 3 {
		t.Errorf("%d were removed, want 3", n)
	}
	page, err := s.AuditEntries(t.Context(),
		port.AuditQuery{Action: "retention.removed", Target: "deliverables/archived", Limit: 10})
	fixture.Must(t, err)
	if len(page.Items) != 1 || !strings.Contains(string(page.Items[0].Body), `"count":3`) {
		t.Errorf("that 3 were removed is not on record: %+v", page.Items)
	}
	closeRun(t, s, open)
	_, err = s.Expire(t.Context(), port.Expiry{Archived: fixture.Began.Add(time.Minute + time.Second)})
	fixture.Must(t, err)
	_, err = s.CollectBlobs(t.Context(), time.Now().Add(time.Hour), 10)
	fixture.Must(t, err)
	for blob, there := range map[string]bool{shared: true, own: true, first: false} {
		if has(t, s, blob) != there {
			t.Errorf("blob %s is there: %t", blob, !there)
		}
	}
}

func closeRun(t *testing.T, s store.Store, a *fixture.Author) {
	t.Helper()
	fixture.Ended(a, time.Hour)
	a.Did(t, s, fixture.Said("the end"))
}

func keep(t *testing.T, s store.Store, text string) string {
	t.Helper()
	id, _, err := s.PutBlob(t.Context(), bytes.NewReader([]byte(text)), 32<<20)
	fixture.Must(t, err)
	return id
}

func has(t *testing.T, s store.Store, id string) bool {
	t.Helper()
	r, _, err := s.OpenBlob(t.Context(), id)
	if fault.Is(err, fault.NotFound) {
		return false
	}
	fixture.Must(t, err)
	_, err = io.Copy(io.Discard, r)
	fixture.Must(t, err)
	fixture.Must(t, r.Close())
	return true
}

// collectBlobs: blobs that a run refers to stay, wherever in an event the reference is.
func collectBlobs(t *testing.T, s store.Store) {
	large := string(content(3<<20, 7))
	// A blob that is stored again is as young as a new one.
	keep(t, s, "again")
	keep(t, s, large)
	then := time.Now()
	for _, id := range []string{keep(t, s, "again"), keep(t, s, large)} {
		if n, err := s.CollectBlobs(t.Context(), then, 10); err != nil || n != 0 || !has(t, s, id) {
			t.Errorf("%d were removed, %v", n, err)
		}
	}
	_, err := s.CollectBlobs(t.Context(), time.Now().Add(time.Hour), 10)
	fixture.Must(t, err)
	loose, looseLarge := keep(t, s, "loose"), keep(t, s, large)
	made, text, input, empty := keep(t, s, "made"), keep(t, s, "in a text"),
		keep(t, s, string(content(2<<20, 8))), keep(t, s, "")
	a := fixture.New("run_1")
	a.Did(t, s, fixture.Started(`{"file":{"$blob":"`+input+`","size":2097152}}`))
	a.Did(t, s, &run.DeliverableCreated{Step: "a",
		Deliverable: run.Deliverable{ID: "dlv_1_1", Name: "x", Content: json.RawMessage(`{"$blob":"` + made + `"}`)}})
	quoted, err := json.Marshal(`see {"$blob":"` + text + `"}`)
	fixture.Must(t, err)
	a.Did(t, s, &run.StepCompleted{Step: "a", Result: &run.Result{Output: quoted}})
	a.Did(t, s, fixture.Said(`{"$blob":"sha256:`+string(bytes.Repeat([]byte("0"), 64))+`"}`)) // nothing is there

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
	// A deleted blob can come back, also as a file.
	if again := keep(t, s, large); again != looseLarge || !has(t, s, again) {
		t.Errorf("%s did not come back", again)
	}
	closeRun(t, s, a)
	_, err = s.Expire(t.Context(), port.Expiry{Ended: fixture.Began.Add(2 * time.Hour)})
	fixture.Must(t, err)
	_, err = s.CollectBlobs(t.Context(), later, 100)
	fixture.Must(t, err)
	for _, id := range []string{made, text, input} {
		if has(t, s, id) {
			t.Errorf("blob %s is still there", id)
		}
	}
}

// collectRace: a blob that is stored again, or referred to, during a collection is not deleted.
func collectRace(t *testing.T, s store.Store) {
	const blobs = 12
	contents, ids := make([][]byte, blobs), make([]string, blobs)
	for i := range blobs {
		contents[i] = content(1000+(i%3)*(1<<20), byte(i)) // rows and files
		ids[i] = keep(t, s, string(contents[i]))
	}
	before := time.Now() // all of them are older
	authors := make([]*fixture.Author, blobs)
	for i := range authors {
		authors[i] = fixture.New(fmt.Sprintf("run_%d", i))
		authors[i].Did(t, s, fixture.Started(`{}`))
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
			if _, err := s.Append(context.Background(), authors[i].Write(fixture.Said(`{"$blob":"`+id+`"}`))); err != nil {
				t.Errorf("refer to %s: %v", id, err)
			}
		})
	}
	wg.Wait()
	for range blobs {
		_, err := s.CollectBlobs(t.Context(), before, 100)
		fixture.Must(t, err)
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
