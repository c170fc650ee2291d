package storetest

import (
	"context"
	"encoding/json"
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

func deliverables(t *testing.T, s store.Store) {
	_, err := s.Deliverable(t.Context(), "dlv_1")
	fixture.WantCode(t, err, fault.NotFound)
	var all []port.DeliverableRow
	for r := range 6 {
		a := fixture.New(fixture.RunID(r))
		w := a.Write(fixture.Started(`{}`))
		for i := range 5 {
			w.Deliverables = append(w.Deliverables, fixture.Deliverable(fmt.Sprintf("dlv_%d_%d", 9-r, i), a.ID, r*5+i))
		}
		a.Store(t, s, w)
		w2 := a.Write(fixture.Said("changed"))
		changed := w.Deliverables[2]
		changed.Status, changed.Version, changed.Name = "final", 100, "other"
		w2.Deliverables = []port.DeliverableRow{changed}
		a.Store(t, s, w2)
		w.Deliverables[2] = changed
		all = append(all, w.Deliverables...)
	}
	got, err := s.Deliverable(t.Context(), all[7].ID)
	fixture.Must(t, err)
	fixture.WantEqual(t, "row", got, all[7])
	slices.SortFunc(all, func(a, b port.DeliverableRow) int {
		if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	for _, q := range []port.DeliverableQuery{
		{},
		{Run: fixture.RunID(2)},
		{Agent: "painter"},
		{Type: "image"},
		{Status: "final"},
		{Run: fixture.RunID(1), Agent: "writer", Type: "text", Status: "draft"},
		{Run: "run_none"},
		{All: true},
		{All: true, Name: "letter.md", Run: fixture.RunID(3)},
		{Name: "other"},
		{Since: all[5].CreatedAt, Until: all[2].CreatedAt},
		{Until: all[3].CreatedAt, Agent: "writer"},
		{Since: all[0].CreatedAt.Add(time.Hour)},
	} {
		var want []port.DeliverableRow
		for _, d := range all {
			if (q.Run == "" || d.Run == q.Run) && (q.Agent == "" || d.Agent == q.Agent) && (q.Type == "" || d.Type == q.Type) &&
				(q.Status == "" || d.Status == q.Status) &&
				(q.Name == "" || d.Name == q.Name) && (q.All || d.Newest) && !d.CreatedAt.Before(q.Since) &&
				(q.Until.IsZero() || d.CreatedAt.Before(q.Until)) {
				want = append(want, d)
			}
		}
		got, total := list.Pages(t, func(cursor string) (port.Page[port.DeliverableRow], error) {
			q.Cursor, q.Limit = cursor, 4
			return s.Deliverables(t.Context(), q)
		})
		if total != int64(len(want)) {
			t.Errorf("%+v: total %d, want %d", q, total, len(want))
		}
		fixture.WantEqual(t, fmt.Sprintf("%+v", q), got, want)
	}
	drafts := map[string]int{}
	for _, d := range all {
		if d.Newest && d.Status == "draft" && (d.Run == fixture.RunID(1) || d.Run == fixture.RunID(2)) {
			drafts[d.Run]++
		}
	}
	counted, err := s.Drafts(t.Context(), []string{fixture.RunID(1), fixture.RunID(2), "run_none"})
	fixture.Must(t, err)
	fixture.WantEqual(t, "drafts", counted, drafts)
	counted, err = s.Drafts(t.Context(), nil)
	fixture.Must(t, err)
	fixture.WantEqual(t, "drafts of no run", counted, map[string]int{})
	list.BadCursors(t, func(cursor string) error {
		_, err := s.Deliverables(t.Context(), port.DeliverableQuery{Cursor: cursor})
		return err
	})
}

func versions(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, number := range []int{0, -1, 1} {
		_, err := s.Version(ctx, "workflow", "refund", number)
		fixture.WantCode(t, err, fault.NotFound)
	}
	fixture.WantCode(t, s.Publish(ctx, "workflow", "refund", 1, "ann", fixture.Began), fault.NotFound)
	for i := 1; i <= 3; i++ {
		v := fixture.Version("workflow", "refund", i)
		saved, created, err := s.SaveVersion(ctx, v)
		fixture.Must(t, err)
		v.Number = i
		if !created {
			t.Errorf("version %d was not made", i)
		}
		fixture.WantEqual(t, "saved", saved, v)
	}
	same := fixture.Version("workflow", "refund", 3)
	same.ID, same.By = "wfv_other", "bob"
	saved, created, err := s.SaveVersion(ctx, same)
	fixture.Must(t, err)
	if created || saved.Number != 3 || saved.ID != "wfv_workflow_refund_3" || saved.By != "ann" {
		t.Errorf("equal content made version %d (%s by %s)", saved.Number, saved.ID, saved.By)
	}
	back := fixture.Version("workflow", "refund", 1) // an older content again is a new version
	back.ID = "wfv_back"
	saved, created, err = s.SaveVersion(ctx, back)
	fixture.Must(t, err)
	if !created || saved.Number != 4 {
		t.Errorf("an older content made version %d", saved.Number)
	}
	_, _, err = s.SaveVersion(ctx, func() port.Version {
		v := fixture.Version("workflow", "refund",
			9)
		v.ID = "wfv_back"
		return v
	}())
	fixture.WantCode(t, err, fault.Conflict)
	for i := 1; i <= 2; i++ {
		_, _, err := s.SaveVersion(ctx, fixture.Version("agent", "refund", i))
		fixture.Must(t, err)
	}
	publishing(t, s)
}

func publishing(t *testing.T, s store.Store) {
	ctx := t.Context()
	_, err := s.Version(ctx, "workflow", "refund", 0)
	fixture.WantCode(t, err, fault.NotFound)
	for _, number := range []int{3, 2} {
		fixture.Must(t, s.Publish(ctx, "workflow", "refund", number, "ann", fixture.Began))
		v, err := s.Version(ctx, "workflow", "refund", 0)
		fixture.Must(t, err)
		if v.Number != number || !v.Published || v.PublishedAt.IsZero() || v.PublishedBy != "ann" ||
			string(v.Body) != fmt.Sprintf(`{"workflow":"refund","n":%d.10}`, number) {
			t.Errorf("in force is %+v, want %d", v, number)
		}
	}
	fixture.WantCode(t, s.Publish(ctx, "workflow", "refund", 99, "ann", fixture.Began), fault.NotFound)
	newest, err := s.Version(ctx, "workflow", "refund", -1)
	fixture.Must(t, err)
	if newest.Number != 4 || newest.Published || !newest.PublishedAt.IsZero() {
		t.Errorf("newest is %+v", newest)
	}
	list, err := s.Versions(ctx, "workflow", "refund")
	fixture.Must(t, err)
	for i, v := range list {
		if v.Number != 4-i || v.Body != nil || v.Published != (v.Number == 2) {
			t.Errorf("version %d of the list is %+v", i, v)
		}
	}
	if len(list) != 4 {
		t.Errorf("there are %d versions, want 4", len(list))
	}
	_, _, err = s.SaveVersion(ctx, fixture.Version("workflow", "claims", 1))
	fixture.Must(t, err)
	fixture.Must(t, s.Publish(ctx, "workflow", "claims", 1, "ann", fixture.Began))
	fixture.Must(t, s.Publish(ctx, "agent", "refund", 1, "ann", fixture.Began))
	force, err := s.InForce(ctx, "workflow")
	fixture.Must(t, err)
	if len(force) != 2 || force[0].Name != "claims" || force[1].Name != "refund" || force[1].Number != 2 ||
		len(force[0].Body) == 0 {
		t.Errorf("in force: %+v", force)
	}
	withdrawn(t, s)
}

// withdrawn: a withdrawn document keeps its versions.
func withdrawn(t *testing.T, s store.Store) {
	t.Helper()
	ctx := context.Background()
	before, err := s.Generation(ctx)
	fixture.Must(t, err)
	fixture.Must(t, s.Withdraw(ctx, "workflow", "claims"))
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
	fixture.Must(t, err)
	newest, err := s.Version(ctx, "workflow", "refund", -1)
	fixture.Must(t, err)
	if len(all) != 2 || all[0].Name != "claims" || all[0].Published || len(all[0].Body) == 0 ||
		all[1].Number != newest.Number {
		t.Errorf("latest: %+v", all)
	}
	fixture.Must(t, s.Publish(ctx, "workflow", "claims", 1, "ann", fixture.Began))
}

// versionsRace: concurrent saves produce numbers without gaps, and saving the same content twice in a row is
// one version.
func versionsRace(t *testing.T, s store.Store) {
	const savers = 40
	var mu sync.Mutex
	numbers := map[int]int{}
	same := map[int]int{}
	var wg sync.WaitGroup
	for i := range savers {
		wg.Go(func() {
			v, created, err := s.SaveVersion(context.Background(), fixture.Version("workflow", "refund", i))
			if err != nil || !created {
				t.Errorf("save %d: %v", i, err)
			}
			same1 := fixture.Version("workflow", "same", 1)
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
	fixture.WantCode(t, err, fault.NotFound)
	for range 2 {
		fixture.Must(t, s.PutBundle(t.Context(), "sha256:x", json.RawMessage(`{"a":0.10}`)))
	}
	b, err := s.Bundle(t.Context(), "sha256:x")
	fixture.Must(t, err)
	if string(b) != `{"a":0.10}` {
		t.Errorf("got %s", b)
	}
	fixture.WantCode(t, s.PutBundle(t.Context(), "", json.RawMessage(`{}`)), fault.Invalid)
}
