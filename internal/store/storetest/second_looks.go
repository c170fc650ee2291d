package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

// looked is a result of an agent with a confidence at which a second look is suggested.
func looked(step string, index *int, confidence float64) []run.Fact {
	var done run.Fact = &run.StepCompleted{Step: step, Result: &run.Result{}}
	if index != nil {
		done = &run.ElementCompleted{Step: step, Index: *index, Result: &run.Result{}}
	}
	return []run.Fact{done, &run.ReviewSuggested{Step: step, Index: index, Confidence: confidence}}
}

// byAgent lets an agent have done all of a write.
func byAgent(w port.Write, name string) port.Write {
	for i := range w.Events {
		w.Events[i].Actor = run.Actor{Kind: run.Agent, Name: name}
	}
	return w
}

func looksOf(t *testing.T, s store.Store, q port.SecondLookQuery) (got []string) {
	t.Helper()
	all, total := pages(t, func(cursor string) (port.Page[port.SecondLook], error) {
		q.Cursor, q.Limit = cursor, 2
		return s.SecondLooks(t.Context(), q)
	})
	wantEqual(t, fmt.Sprintf("how many of %+v", q), total, int64(len(all)))
	for _, l := range all {
		at := l.Run + " " + l.Step
		if l.Index != nil {
			at += fmt.Sprintf("[%d]", *l.Index)
		}
		got = append(got, fmt.Sprintf("%s %g", at, l.Confidence))
	}
	return got
}

// secondLooks: the store takes them from the events, and the last result counts.
func secondLooks(t *testing.T, s store.Store) {
	a := newAuthor("run_a")
	a.did(t, s, started(`{}`))
	a.store(t, s, byAgent(a.write(looked("draft", nil, 0.7)...), "writer"))
	a.store(t, s, byAgent(a.write(append(looked("each", new(0), 0.8), looked("each", new(1), 0.89)...)...), "payer"))
	page, err := s.SecondLooks(t.Context(), port.SecondLookQuery{Agent: "writer"})
	must(t, err)
	wantEqual(t, "row", page.Items, []port.SecondLook{{
		ID: "rev_a_3", Run: a.id, Workflow: a.row.Workflow, Step: "draft", Agent: "writer", Confidence: 0.7,
		At: began.Add(time.Millisecond), // see author.write
	}})
	test := newAuthor("run_test")
	test.row.TestMode = true
	test.did(t, s, append([]run.Fact{started(`{}`)}, looked("draft", nil, 0.8)...)...)
	fork := newAuthor("run_fork")
	past := append([]run.Fact{started(`{}`)}, looked("draft", nil, 0.7)...)
	fork.did(t, s, append(past, &run.RunForked{From: a.id, AtSeq: 3})...)
	fork.did(t, s, looked("send", nil, 0.75)...)

	want := func(what string, q port.SecondLookQuery, want ...string) {
		t.Helper()
		got := looksOf(t, s, q)
		slices.Sort(got) // of one moment
		wantEqual(t, what, got, want)
	}
	of := port.SecondLookQuery{Run: a.id}
	want("all", port.SecondLookQuery{}, "run_a draft 0.7", "run_a each[0] 0.8", "run_a each[1] 0.89", "run_fork send 0.75")
	want("of a workflow", port.SecondLookQuery{Workflow: "none"})
	want("of an agent", port.SecondLookQuery{Agent: "payer"}, "run_a each[0] 0.8", "run_a each[1] 0.89")
	a.did(t, s, looked("draft", nil, 0.71)...)
	a.did(t, s, &run.StepRevised{Step: "each", Index: new(1)})
	want("done again", of, "run_a draft 0.71", "run_a each[0] 0.8")
	a.did(t, s, append(looked("send", nil, 0.8), &run.StepRevised{Step: "draft", Redo: []string{"each"}})...)
	want("revised with later steps", of, "run_a send 0.8")
	a.did(t, s, &run.StepFailed{Step: "send", Error: run.Failure{Code: "denied"}})
	want("failed", of)
	a.did(t, s, append(looked("each", new(0), 0.8), looked("each", new(1), 0.89)...)...)
	a.did(t, s, &run.StepFailed{Step: "each", Error: run.Failure{Code: "denied", Index: new(0)}})
	want("an element was refused", of, "run_a each[1] 0.89")
	a.did(t, s, &run.StepSkipped{Step: "each", Why: run.SkipRejected})
	want("rejected", of)
	badCursors(t, func(cursor string) error {
		_, err := s.SecondLooks(t.Context(), port.SecondLookQuery{Cursor: cursor})
		return err
	})
}

func scopeSecondLooks(t *testing.T, s store.Store) {
	w := newWorld(t, s, 60)
	for _, r := range w.runs {
		a := newAuthor(r.ID)
		a.row, a.seq = r, r.Seq
		if slices.ContainsFunc(w.failures, func(f port.RunRow) bool { return f.ID == r.ID }) {
			a.seq++
		}
		a.did(t, s, looked("draft", nil, 0.8)...)
	}
	for _, scope := range scopes {
		var want []string
		for _, r := range w.runs {
			if w.seesRun(scope, r.ID, r.Workflow) {
				want = append(want, r.ID+" draft 0.8")
			}
		}
		got := looksOf(t, s, port.SecondLookQuery{Scope: scope})
		slices.Sort(got)
		slices.Sort(want)
		wantEqual(t, fmt.Sprintf("%+v", scope), got, want)
	}
}
