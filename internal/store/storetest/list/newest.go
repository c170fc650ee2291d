package list

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// newestFirst: newest first is oldest first reversed, also across pages and for several readers.
func NewestFirst(t *testing.T, s store.Store) {
	w := port.Write{
		Run: "run_1", Events: []run.Event{{Run: "run_1", Seq: 1, At: fixture.Began, Fact: &run.RunWaiting{}}},
		Row: port.RunRow{ID: "run_1", Workflow: "w", Status: run.Waiting, Seq: 1},
	}
	for i := range 20 {
		w.Approvals = append(w.Approvals, port.ApprovalRow{
			ID: fmt.Sprintf("apr_%02d", i), Run: "run_1", Workflow: fmt.Sprint("w", i%2), Status: "pending",
			Asked:       [][]string{{"ann", "bob"}, {"bob"}, nil}[i%3],
			RequestedAt: fixture.Began.Add(time.Duration(i/4) * time.Second),
		})
	}
	if _, err := s.Append(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	list := func(q port.ApprovalQuery) (ids []string) {
		for {
			page, err := s.Approvals(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range page.Items {
				ids = append(ids, a.ID)
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				return ids
			}
		}
	}
	for _, q := range []port.ApprovalQuery{
		{}, {Asked: []string{"ann", "bob"}}, {Workflow: "w1"}, {Workflow: "w1", Asked: []string{"ann"}},
		{Run: "run_1", Asked: []string{"ann"}},
		{Since: fixture.Began.Add(2 * time.Second), OlderThan: fixture.Began.Add(4 * time.Second)},
	} {
		q.Limit, q.Sort = 3, port.ByAge
		oldest := list(q)
		q.Sort = port.ByNewest
		newest := list(q)
		slices.Reverse(newest)
		if len(oldest) == 0 || !slices.Equal(oldest, newest) {
			t.Errorf("%+v: %v is not %v backwards", q, newest, oldest)
		}
	}
	if got := list(port.ApprovalQuery{Since: fixture.Began.Add(2 * time.Second),
		OlderThan: fixture.Began.Add(4 * time.Second)}); len(got) != 8 {
		t.Errorf("of two seconds: %v", got)
	}
}
