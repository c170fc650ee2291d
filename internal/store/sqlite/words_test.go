package sqlite

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
	"github.com/assent-run/assent/internal/store/storetest/list"
)

// TestIndexHoldsWhatRowsHold: rows are found by their words and indexed once, at the end of the commit that adds them
// or of a later one, also when their words change before that, in it or after a rollback.
func TestIndexHoldsWhatRowsHold(t *testing.T) {
	for _, most := range []int{1, 3, 4, tailMax} {
		t.Run(fmt.Sprint(most), func(t *testing.T) { indexHolds(t, most) })
	}
}

func indexHolds(t *testing.T, most int) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	s.writer.tailMax = most
	commit := func(spoil error, writes ...port.Write) {
		t.Helper()
		var group []*job
		for _, w := range writes {
			e, err := s.entry(w)
			if err != nil {
				t.Fatal(err)
			}
			group = append(group, &job{do: e.store})
		}
		if spoil != nil {
			group = append(group, &job{do: func(*tx) error { return spoil }})
		}
		if err := s.writer.attempt(group); !errors.Is(err, spoil) {
			t.Fatal(err)
		}
		for _, j := range group {
			if j.Err != nil {
				t.Fatal(j.Err)
			}
		}
	}
	commit(nil, about(1, 0, "walnut"), about(2, 0, "hazel"))
	commit(nil, about(3, 0, "almond"), about(1, 1, "chestnut"), about(3, 1, "cashew kernel"), about(4, 0, "pecan"),
		about(4, 1, "pecan pie"))
	commit(errors.New("spoiled"), about(5, 0, "lost"), about(2, 1, "lost"))
	commit(nil, about(5, 0, "pistachio"), about(4, 2, "macadamia"))
	commit(nil, about(6, 0, "brazil"))
	known := s.writer.tails
	fixture.Must(t, s.Close())
	if s, err = Open(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	s.writer.tailMax = most
	if s.writer.tails != known || known[0] != known[1] || known[0] >= most {
		t.Fatalf("rows that are not indexed: %v, after opening again %v", known, s.writer.tails)
	}
	commit(nil, about(6, 1, "brazil nut"), about(5, 1, "pistachio shell"))
	commit(nil, about(6, 2, "nut brazil"), about(5, 2, "peanut"))

	for word, want := range map[string][]string{
		"walnut": nil, "hazel": {"run_2"}, "almond": nil, "chestnut": {"run_1"}, "cashew": {"run_3"},
		"pecan": nil, "pie": nil,
		"lost": nil, "pistachio": nil, "macadamia": {"run_4"}, "brazil": {"run_6"}, "nut": {"run_6"}, "shell": nil,
		"peanut": {"run_5"},
	} {
		runs, err := s.Runs(t.Context(), port.RunQuery{Text: word})
		if err != nil {
			t.Fatal(err)
		}
		approvals, err := s.Approvals(t.Context(), port.ApprovalQuery{Text: word})
		if err != nil {
			t.Fatal(err)
		}
		if len(runs.Items) != len(want) || len(approvals.Items) != len(want) {
			t.Errorf("%q finds %d runs and %d approvals, want %v", word, len(runs.Items), len(approvals.Items), want)
		} else if len(want) > 0 && (runs.Items[0].ID != want[0] || approvals.Items[0].Run != want[0]) {
			t.Errorf("%q finds %s and the approval of %s, want %v", word, runs.Items[0].ID, approvals.Items[0].Run, want)
		}
	}
	// FTS5 compares each index with the rows, once all are in it.
	s.writer.tailMax = 0
	commit(nil)
	if s.writer.tails != (tails{}) {
		t.Errorf("rows that are not indexed: %v", s.writer.tails)
	}
	for _, table := range []string{"runs", "approvals"} {
		check := `INSERT INTO %[1]s_by_words (%[1]s_by_words, rank) VALUES ('integrity-check', 1)`
		if err := s.writer.exec(fmt.Sprintf(check, table)); err != nil {
			t.Errorf("the index of %s: %v", table, err)
		}
	}
}

// TestIndexedWords: most of what the conformance suite searches for is in the tails; here no row is.
func TestIndexedWords(t *testing.T) {
	for name, check := range map[string]func(*testing.T, store.Store){
		"Words": list.SearchWords, "Changes": list.SearchChanges, "Removed": list.SearchRemoved, "Scope": list.SearchScope,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(t.Context(), t.TempDir())
			fixture.Must(t, err)
			defer s.Close() //nolint:errcheck // only a test
			s.writer.tailMax = 1
			check(t, s)
			fixture.Must(t, s.Check(t.Context()))
		})
	}
}

// about is a write of a run with one approval, both of them about a word.
func about(id int, after int64, word string) port.Write {
	name := fmt.Sprintf("run_%d", id)
	at := time.Unix(int64(id), after)
	return port.Write{
		Run: name, After: after,
		Events: []run.Event{{Run: name, Seq: after + 1, At: at, Fact: &run.RunWaiting{}}},
		Row:    port.RunRow{ID: name, Workflow: "w", Status: run.Waiting, Seq: after + 1, Subject: word, StartedAt: at},
		Approvals: []port.ApprovalRow{{
			ID: "apr_" + name, Run: name, Workflow: "w", Status: "pending", Title: word, RequestedAt: at,
		}},
	}
}
