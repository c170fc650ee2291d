package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

func deliverable(id, run string, i int) port.DeliverableRow {
	made := began.Add(time.Duration(i/3) * time.Second)
	return port.DeliverableRow{
		ID: id, Run: run, Workflow: "refund", Step: "draft", Agent: []string{"writer", "painter"}[i%2], Name: "letter.md",
		Type: []string{"text", "image", "link"}[i%3], Status: []string{"draft", "final"}[i/2%2], MIME: "text/markdown",
		Description: "A letter",
		Blob:        "sha256:b", URL: "https://example.com/?a=1&b=2", Size: 1 << 40, Version: 1 + i, Newest: i%7 != 6,
		CreatedAt: made, UpdatedAt: made.Add(time.Minute),
	}
}

func deliverables(t *testing.T, s store.Store) {
	_, err := s.Deliverable(t.Context(), "dlv_1")
	wantCode(t, err, fault.NotFound)
	var all []port.DeliverableRow
	for r := range 6 {
		a := newAuthor(runID(r))
		w := a.write(started(`{}`))
		for i := range 5 {
			w.Deliverables = append(w.Deliverables, deliverable(fmt.Sprintf("dlv_%d_%d", 9-r, i), a.id, r*5+i))
		}
		a.store(t, s, w)
		w2 := a.write(said("changed"))
		changed := w.Deliverables[2]
		changed.Status, changed.Version, changed.Name = "final", 100, "other"
		w2.Deliverables = []port.DeliverableRow{changed}
		a.store(t, s, w2)
		w.Deliverables[2] = changed
		all = append(all, w.Deliverables...)
	}
	got, err := s.Deliverable(t.Context(), all[7].ID)
	must(t, err)
	wantEqual(t, "row", got, all[7])
	slices.SortFunc(all, func(a, b port.DeliverableRow) int {
		if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
			return c
		}
		return compare(b.ID, a.ID)
	})
	for _, q := range []port.DeliverableQuery{
		{},
		{Run: runID(2)},
		{Agent: "painter"},
		{Type: "image"},
		{Status: "final"},
		{Run: runID(1), Agent: "writer", Type: "text", Status: "draft"},
		{Run: "run_none"},
		{All: true},
		{All: true, Name: "letter.md", Run: runID(3)},
		{Name: "other"},
	} {
		var want []port.DeliverableRow
		for _, d := range all {
			if (q.Run == "" || d.Run == q.Run) && (q.Agent == "" || d.Agent == q.Agent) && (q.Type == "" || d.Type == q.Type) &&
				(q.Status == "" || d.Status == q.Status) &&
				(q.Name == "" || d.Name == q.Name) && (q.All || d.Newest) {
				want = append(want, d)
			}
		}
		got, total := pages(t, func(cursor string) (port.Page[port.DeliverableRow], error) {
			q.Cursor, q.Limit = cursor, 4
			return s.Deliverables(t.Context(), q)
		})
		if total != int64(len(want)) {
			t.Errorf("%+v: total %d, want %d", q, total, len(want))
		}
		wantEqual(t, fmt.Sprintf("%+v", q), got, want)
	}
	drafts := map[string]int{}
	for _, d := range all {
		if d.Newest && d.Status == "draft" && (d.Run == runID(1) || d.Run == runID(2)) {
			drafts[d.Run]++
		}
	}
	counted, err := s.Drafts(t.Context(), []string{runID(1), runID(2), "run_none"})
	must(t, err)
	wantEqual(t, "drafts", counted, drafts)
	counted, err = s.Drafts(t.Context(), nil)
	must(t, err)
	wantEqual(t, "drafts of no run", counted, map[string]int{})
	badCursors(t, func(cursor string) error {
		_, err := s.Deliverables(t.Context(), port.DeliverableQuery{Cursor: cursor})
		return err
	})
}

func version(kind, name string, n int) port.Version {
	return port.Version{
		ID: fmt.Sprintf("wfv_%s_%s_%d", kind, name, n), Kind: kind, Name: name, Digest: fmt.Sprintf("sha256:%d", n),
		Body: json.RawMessage(fmt.Sprintf(`{"workflow":%q,"n":%d.10}`, name, n)), By: "ann", At: began,
	}
}

func versions(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, number := range []int{0, -1, 1} {
		_, err := s.Version(ctx, "workflow", "refund", number)
		wantCode(t, err, fault.NotFound)
	}
	wantCode(t, s.Publish(ctx, "workflow", "refund", 1, "ann", began), fault.NotFound)
	for i := 1; i <= 3; i++ {
		v := version("workflow", "refund", i)
		saved, created, err := s.SaveVersion(ctx, v)
		must(t, err)
		v.Number = i
		if !created {
			t.Errorf("version %d was not made", i)
		}
		wantEqual(t, "saved", saved, v)
	}
	same := version("workflow", "refund", 3)
	same.ID, same.By = "wfv_other", "bob"
	saved, created, err := s.SaveVersion(ctx, same)
	must(t, err)
	if created || saved.Number != 3 || saved.ID != "wfv_workflow_refund_3" || saved.By != "ann" {
		t.Errorf("equal content made version %d (%s by %s)", saved.Number, saved.ID, saved.By)
	}
	back := version("workflow", "refund", 1) // an older one again is a new version
	back.ID = "wfv_back"
	saved, created, err = s.SaveVersion(ctx, back)
	must(t, err)
	if !created || saved.Number != 4 {
		t.Errorf("an older content made version %d", saved.Number)
	}
	_, _, err = s.SaveVersion(ctx, func() port.Version {
		v := version("workflow", "refund",
			9)
		v.ID = "wfv_back"
		return v
	}())
	wantCode(t, err, fault.Conflict)
	for i := 1; i <= 2; i++ {
		_, _, err := s.SaveVersion(ctx, version("agent", "refund", i))
		must(t, err)
	}
	publishing(t, s)
}

func publishing(t *testing.T, s store.Store) {
	ctx := t.Context()
	_, err := s.Version(ctx, "workflow", "refund", 0)
	wantCode(t, err, fault.NotFound)
	for _, number := range []int{3, 2} {
		must(t, s.Publish(ctx, "workflow", "refund", number, "ann", began))
		v, err := s.Version(ctx, "workflow", "refund", 0)
		must(t, err)
		if v.Number != number || !v.Published || v.PublishedAt.IsZero() ||
			string(v.Body) != fmt.Sprintf(`{"workflow":"refund","n":%d.10}`, number) {
			t.Errorf("in force is %+v, want %d", v, number)
		}
	}
	wantCode(t, s.Publish(ctx, "workflow", "refund", 99, "ann", began), fault.NotFound)
	newest, err := s.Version(ctx, "workflow", "refund", -1)
	must(t, err)
	if newest.Number != 4 || newest.Published || !newest.PublishedAt.IsZero() {
		t.Errorf("newest is %+v", newest)
	}
	list, err := s.Versions(ctx, "workflow", "refund")
	must(t, err)
	for i, v := range list {
		if v.Number != 4-i || v.Body != nil || v.Published != (v.Number == 2) {
			t.Errorf("version %d of the list is %+v", i, v)
		}
	}
	if len(list) != 4 {
		t.Errorf("there are %d versions, want 4", len(list))
	}
	_, _, err = s.SaveVersion(ctx, version("workflow", "claims", 1))
	must(t, err)
	must(t, s.Publish(ctx, "workflow", "claims", 1, "ann", began))
	must(t, s.Publish(ctx, "agent", "refund", 1, "ann", began))
	force, err := s.InForce(ctx, "workflow")
	must(t, err)
	if len(force) != 2 || force[0].Name != "claims" || force[1].Name != "refund" || force[1].Number != 2 ||
		len(force[0].Body) == 0 {
		t.Errorf("in force: %+v", force)
	}
	withdrawn(t, s)
}

// withdrawn: a document that is taken out of force keeps its versions.
func withdrawn(t *testing.T, s store.Store) {
	t.Helper()
	ctx := context.Background()
	before, err := s.Generation(ctx)
	must(t, err)
	must(t, s.Withdraw(ctx, "workflow", "claims"))
	if err := s.Withdraw(ctx, "workflow", "claims"); !fault.Is(err, fault.NotFound) {
		t.Errorf("withdrawn twice: %v", err)
	}
	if after, err := s.Generation(ctx); err != nil || after != before+1 {
		t.Errorf("generation %d after %d: %v", after, before, err)
	}
	if _, err := s.Version(ctx, "workflow", "claims", 0); !fault.Is(err, fault.NotFound) {
		t.Errorf("still in force: %v", err)
	}
	all, err := s.Latest(ctx, "workflow")
	must(t, err)
	newest, err := s.Version(ctx, "workflow", "refund", -1)
	must(t, err)
	if len(all) != 2 || all[0].Name != "claims" || all[0].Published || len(all[0].Body) == 0 ||
		all[1].Number != newest.Number {
		t.Errorf("latest: %+v", all)
	}
	must(t, s.Publish(ctx, "workflow", "claims", 1, "ann", began))
}

// versionsRace: many save at once; numbers have no gaps, and equal content
// that lands behind itself is one version.
func versionsRace(t *testing.T, s store.Store) {
	const savers = 40
	var mu sync.Mutex
	numbers := map[int]int{}
	same := map[int]int{}
	var wg sync.WaitGroup
	for i := range savers {
		wg.Go(func() {
			v, created, err := s.SaveVersion(context.Background(), version("workflow", "refund", i))
			if err != nil || !created {
				t.Errorf("save %d: %v", i, err)
			}
			same1 := version("workflow", "same", 1)
			same1.ID = fmt.Sprint("wfv_same_", i)
			w, _, err := s.SaveVersion(context.Background(), same1)
			if err != nil {
				t.Errorf("save the same: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			numbers[v.Number]++
			same[w.Number]++
		})
	}
	wg.Wait()
	for n := 1; n <= savers; n++ {
		if numbers[n] != 1 {
			t.Errorf("number %d was given %d times", n, numbers[n])
		}
	}
	if len(same) != 1 || same[1] != savers {
		t.Errorf("equal content was numbered %v", same)
	}
}

func bundles(t *testing.T, s store.Store) {
	_, err := s.Bundle(t.Context(), "sha256:x")
	wantCode(t, err, fault.NotFound)
	for range 2 {
		must(t, s.PutBundle(t.Context(), "sha256:x", json.RawMessage(`{"a":0.10}`)))
	}
	b, err := s.Bundle(t.Context(), "sha256:x")
	must(t, err)
	if string(b) != `{"a":0.10}` {
		t.Errorf("got %s", b)
	}
	wantCode(t, s.PutBundle(t.Context(), "", json.RawMessage(`{}`)), fault.Invalid)
}
