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

// looked is an agent's result with a confidence at which a second look is suggested.
func looked(step string, index *int, confidence float64) []run.Fact {
	var done run.Fact = &run.StepCompleted{Step: step, Result: &run.Result{}}
	if index != nil {
		done = &run.ElementCompleted{Step: step, Index: *index, Result: &run.Result{}}
	}
	return []run.Fact{done, &run.ReviewSuggested{Step: step, Index: index, Confidence: confidence}}
}

// byAgent makes an agent the actor of a whole write.
func byAgent(w port.Write, name string) port.Write {
	for i := range w.Events {
		w.Events[i].Actor = run.Actor{Kind: run.Agent, Name: name}
	}
	return w
}

// LooksOf lists pending second looks.
func LooksOf(t *testing.T, s store.Store, q port.SecondLookQuery) (got []string) {
	t.Helper()
	all, total := Pages(t, func(cursor string) (port.Page[port.SecondLook], error) {
		q.Cursor, q.Limit = cursor, 2
		return s.SecondLooks(t.Context(), q)
	})
	fixture.WantEqual(t, fmt.Sprintf("how many of %+v", q), total, int64(len(all)))
	for _, l := range all {
		at := l.Run + " " + l.Step
		if l.Index != nil {
			at += fmt.Sprintf("[%d]", *l.Index)
		}
		got = append(got, fmt.Sprintf("%s %g", at, l.Confidence))
	}
	return got
}

// secondLooks: the store derives them from the events, and the last result counts.
func SecondLooks(t *testing.T, s store.Store) {
	a := fixture.New("run_a")
	a.Did(t, s, fixture.Started(`{}`))
	a.Store(t, s, byAgent(a.Write(looked("draft", nil, 0.7)...), "writer"))
	a.Store(t, s, byAgent(a.Write(append(looked("each", new(0), 0.8), looked("each", new(1), 0.89)...)...), "payer"))
	page, err := s.SecondLooks(t.Context(), port.SecondLookQuery{Agent: "writer"})
	fixture.Must(t, err)
	fixture.WantEqual(t, "row", page.Items, []port.SecondLook{{
		ID: "rev_a_3", Run: a.ID, Workflow: a.Row.Workflow, Step: "draft", Agent: "writer", Confidence: 0.7,
		At: fixture.Began.Add(time.Millisecond), // see author.write
	}})
	test := fixture.New("run_test")
	test.Row.TestMode = true
	test.Did(t, s, append([]run.Fact{fixture.Started(`{}`)}, looked("draft", nil, 0.8)...)...)
	fork := fixture.New("run_fork")
	past := append([]run.Fact{fixture.Started(`{}`)}, looked("draft", nil, 0.7)...)
	fork.Did(t, s, append(past, &run.RunForked{From: a.ID, AtSeq: 3})...)
	fork.Did(t, s, looked("send", nil, 0.75)...)

	want := func(what string, q port.SecondLookQuery, want ...string) {
		t.Helper()
		got := LooksOf(t, s, q)
		slices.Sort(got) // at the same time
		fixture.WantEqual(t, what, got, want)
	}
	of := port.SecondLookQuery{Run: a.ID}
	want("all", port.SecondLookQuery{}, "run_a draft 0.7", "run_a each[0] 0.8", "run_a each[1] 0.89", "run_fork send 0.75")
	want("of a workflow", port.SecondLookQuery{Workflow: "none"})
	want("of an agent", port.SecondLookQuery{Agent: "payer"}, "run_a each[0] 0.8", "run_a each[1] 0.89")
	a.Did(t, s, looked("draft", nil, 0.71)...)
	a.Did(t, s, &run.StepRevised{Step: "each", Index: new(1)})
	want("done again", of, "run_a draft 0.71", "run_a each[0] 0.8")
	a.Did(t, s, append(looked("send", nil, 0.8), &run.StepRevised{Step: "draft", Redo: []string{"each"}})...)
	want("revised with later steps", of, "run_a send 0.8")
	a.Did(t, s, &run.StepFailed{Step: "send", Error: run.Failure{Code: "denied"}})
	want("failed", of)
	a.Did(t, s, append(looked("each", new(0), 0.8), looked("each", new(1), 0.89)...)...)
	a.Did(t, s, &run.StepFailed{Step: "each", Error: run.Failure{Code: "denied", Index: new(0)}})
	want("an element was refused", of, "run_a each[1] 0.89")
	a.Did(t, s, &run.StepSkipped{Step: "each", Why: run.SkipRejected})
	want("rejected", of)
	BadCursors(t, func(cursor string) error {
		_, err := s.SecondLooks(t.Context(), port.SecondLookQuery{Cursor: cursor})
		return err
	})
}

// ScopeSecondLooks is ScopeRuns for second looks.
func ScopeSecondLooks(t *testing.T, s store.Store) {
	w := newWorld(t, s, 60)
	for _, r := range w.runs {
		a := fixture.New(r.ID)
		a.Row, a.Seq = r, r.Seq
		if slices.ContainsFunc(w.failures, func(f port.RunRow) bool { return f.ID == r.ID }) {
			a.Seq++
		}
		a.Did(t, s, looked("draft", nil, 0.8)...)
	}
	for _, scope := range scopes {
		var want []string
		for _, r := range w.runs {
			if w.seesRun(scope, r.ID, r.Workflow) {
				want = append(want, r.ID+" draft 0.8")
			}
		}
		got := LooksOf(t, s, port.SecondLookQuery{Scope: scope})
		slices.Sort(got)
		slices.Sort(want)
		fixture.WantEqual(t, fmt.Sprintf("%+v", scope), got, want)
	}
}
