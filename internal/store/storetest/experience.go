package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// taught ends a run that teaches something.
func taught(t *testing.T, s store.Store, id, workflow string, after time.Duration, e *run.Experience) *fixture.Author {
	t.Helper()
	a := fixture.New(id)
	a.Row.Workflow, a.Row.Status, a.Row.EndedAt = workflow, run.Completed, fixture.Began.Add(after)
	w := a.Write(fixture.Started(`{}`), &run.RunCompleted{})
	w.Taught = e
	a.Store(t, s, w)
	return a
}

func lessons(t *testing.T, s store.Store) (out []string) {
	t.Helper()
	all, err := s.Experiences(t.Context())
	fixture.Must(t, err)
	for _, e := range all {
		out = append(out, fmt.Sprintf("%s %s %v %v %v %v", e.Run, e.Workflow, e.Tools, e.Then, e.Fits, e.Served))
	}
	return out
}

func learnedVersion(t *testing.T, s store.Store) string {
	t.Helper()
	v, err := s.ExperienceVersion(t.Context())
	fixture.Must(t, err)
	return v
}

// experiences: what a run teaches is stored with its end, once, and goes when the run is resumed.
func experiences(t *testing.T, s store.Store) {
	fixture.WantEqual(t, "at first", lessons(t, s), nil)
	before := learnedVersion(t, s)
	taught(t, s, "run_b", "two", 2*time.Hour, fixture.Lesson("parse the files"))
	a := taught(t, s, "run_a", "one", time.Hour, fixture.Lesson("read the files"))
	if learnedVersion(t, s) == before {
		t.Error("the version is the same")
	}
	first := `run_a one [list parse mail] [[0 1] [1 2]] [[0 1]] [{read the files true true [parse] [guess]}]`
	second := `run_b two [list parse mail] [[0 1] [1 2]] [[0 1]] [{parse the files true true [parse] [guess]}]`
	fixture.WantEqual(t, "two", lessons(t, s), []string{first, second})

	a.Seq = 1 // refused writes teach nothing
	w := a.Write(&run.RunReopened{})
	w.Untaught = true
	_, err := s.Append(t.Context(), w)
	fixture.WantCode(t, err, fault.Conflict)
	fixture.WantEqual(t, "refused", lessons(t, s), []string{first, second})

	a = fixture.New("run_a")
	a.Seq = 2
	a.Row.Workflow, a.Row.EndedAt, a.Row.Status = "one", time.Time{}, run.Running
	w = a.Write(&run.RunReopened{})
	w.Untaught = true
	a.Store(t, s, w)
	fixture.WantEqual(t, "resumed", lessons(t, s), []string{second})
	a.Row.EndedAt, a.Row.Status = fixture.Began.Add(3*time.Hour), run.Completed
	w = a.Write(&run.RunCompleted{})
	w.Taught = &run.Experience{Tools: []string{"x", "y"}}
	a.Store(t, s, w)
	fixture.WantEqual(t, "ended again", lessons(t, s), []string{second, `run_a one [x y] [] [] []`})

	stale := port.Experience{Run: "run_a", Workflow: "one", At: fixture.Began.Add(3 * time.Hour)}
	for _, seq := range []int64{3, 5} { // the log is at 4
		done, err := s.Relearn(t.Context(), stale, seq)
		fixture.Must(t, err)
		fixture.WantEqual(t, "out of date", done, false)
	}
	done, err := s.Relearn(t.Context(), port.Experience{Run: "run_none"}, 1)
	fixture.Must(t, err)
	fixture.WantEqual(t, "no such run", done, false)
	stale.Experience = run.Experience{Tools: []string{"y", "z"}}
	done, err = s.Relearn(t.Context(), stale, 4)
	fixture.Must(t, err)
	fixture.WantEqual(t, "done", done, true)
	fixture.WantEqual(t, "learned again", lessons(t, s), []string{second, `run_a one [y z] [] [] []`})
	stale.Experience = run.Experience{}
	_, err = s.Relearn(t.Context(), stale, 4)
	fixture.Must(t, err)
	fixture.WantEqual(t, "nothing left", lessons(t, s), []string{second})
}

// unlearned: what is forgotten stays forgotten, also when the log is folded again; newer runs teach it again.
func unlearned(t *testing.T, s store.Store) {
	ctx, at := t.Context(), fixture.Began.Add(5*time.Hour)
	for i, id := range []string{"run_1", "run_2", "run_3"} {
		taught(t, s, id, fmt.Sprintf("flow_%d", i%2), time.Duration(i)*time.Hour, fixture.Lesson("parse"))
	}
	forget := func(want int, u port.Unlearning) {
		t.Helper()
		u.At = at
		before := learnedVersion(t, s)
		n, err := s.Unlearn(ctx, u, fixture.AuditDraft("graph.forgotten", "graph", ""))
		fixture.Must(t, err)
		fixture.WantEqual(t, "forgotten", n, want)
		if learnedVersion(t, s) == before {
			t.Error("the version is the same")
		}
	}
	forget(3, port.Unlearning{Tool: "list"})
	forget(0, port.Unlearning{Tool: "list"})
	forget(1, port.Unlearning{Run: "run_1"})
	forget(3-1, port.Unlearning{Tool: "guess"})
	rest := []string{
		`run_2 flow_1 [parse mail] [[0 1]] [] [{parse true true [parse] []}]`,
		`run_3 flow_0 [parse mail] [[0 1]] [] [{parse true true [parse] []}]`,
	}
	fixture.WantEqual(t, "without", lessons(t, s), rest)
	for i, id := range []string{"run_1", "run_2", "run_3"} { // the log says otherwise
		_, err := s.Relearn(ctx, port.Experience{Run: id, Workflow: fmt.Sprintf("flow_%d", i%2),
			At: fixture.Began.Add(time.Duration(i) * time.Hour), Experience: *fixture.Lesson("parse")}, 2)
		fixture.Must(t, err)
	}
	fixture.WantEqual(t, "folded again", lessons(t, s), rest)
	forget(1, port.Unlearning{Workflow: "flow_1"})
	fixture.WantEqual(t, "without a workflow", lessons(t, s), rest[1:])
	forget(1, port.Unlearning{})
	fixture.WantEqual(t, "without all", lessons(t, s), nil)
	taught(t, s, "run_4", "flow_1", 6*time.Hour, fixture.Lesson("parse"))
	fixture.WantEqual(t, "newer runs", len(lessons(t, s)), 1)
	all, err := s.Unlearnings(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "orders", len(all), 5)
	_, err = s.Unlearn(ctx, port.Unlearning{Run: "a", Tool: "b", At: at})
	fixture.WantCode(t, err, fault.Invalid)
	_, err = s.Unlearn(ctx, port.Unlearning{Run: "a"})
	fixture.WantCode(t, err, fault.Invalid)
	entries, err := s.AuditEntries(ctx, port.AuditQuery{Action: "graph.forgotten", Limit: 10})
	fixture.Must(t, err)
	fixture.WantEqual(t, "on record", len(entries.Items), 6)
}

// experiencesBounded: of a busy workflow the newest runs count. Words that were not declared are found among many runs.
func experiencesBounded(t *testing.T, s store.Store) {
	ctx, over := t.Context(), 5
	lesson := fixture.Lesson("parse")
	lesson.Served = append(lesson.Served, run.Served{Request: "call Miriam", Said: true, Tools: []string{"mail"}})
	rare := taught(t, s, "run_rare", "rare", 0, lesson) // the last in the order of ids
	for i := range port.ExperiencesWorkflow + over {
		taught(t, s, fixture.RunID(i), "busy", time.Duration(i+1)*time.Second, &run.Experience{Tools: []string{"a", "b"}})
	}
	all, err := s.Experiences(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "count", len(all), port.ExperiencesWorkflow+1)
	fixture.WantEqual(t, "rare", all[0].Run, rare.ID)
	fixture.WantEqual(t, "oldest", all[1].Run, fixture.RunID(over))
	n, err := s.PruneExperiences(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "pruned", n, over)
	again, err := s.Experiences(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "afterwards", again, all)
	n, err = s.ForgetUndeclared(ctx)
	fixture.Must(t, err)
	fixture.WantEqual(t, "runs with undeclared words", n, 1)

	ended, err := s.EndedRuns(ctx, port.EndedRun{}, 2)
	fixture.Must(t, err)
	newest := port.ExperiencesWorkflow + over - 1
	fixture.WantEqual(t, "ended", []string{ended[0].Run, ended[1].Run}, fixture.RunIDs(newest, newest-1))
	rest, err := s.EndedRuns(ctx, ended[1], port.ExperiencesMax)
	fixture.Must(t, err)
	fixture.WantEqual(t, "the rest", len(rest), newest)
	fixture.WantEqual(t, "last", rest[len(rest)-1], port.EndedRun{Run: rare.ID, Workflow: "rare", At: fixture.Began})
}

// experienceRemoved: deleting a run's payloads deletes what it taught.
func experienceRemoved(t *testing.T, s store.Store) {
	a := taught(t, s, "run_gone", "one", time.Hour, fixture.Lesson(fixture.Sent))
	taught(t, s, "run_stays", "one", time.Hour, &run.Experience{Tools: []string{"a", "b"}})
	before := learnedVersion(t, s)
	_, err := s.OrderRemoval(t.Context(), port.Removal{Run: a.ID, By: run.Actor{Kind: run.Person, Name: "ann"},
		Reason: "asked for", At: fixture.Began.Add(2 * time.Hour)})
	fixture.Must(t, err)
	fixture.Must(t, s.RemovePayloads(t.Context(), a.ID))
	fixture.WantEqual(t, "left", lessons(t, s), []string{`run_stays one [a b] [] [] []`})
	if learnedVersion(t, s) == before {
		t.Error("the version is the same")
	}
}

// undeclared: what an earlier release kept of requests is not read, and is deleted.
func undeclared(t *testing.T, s store.Store) {
	ctx := t.Context()
	kept := fixture.Lesson("parse")
	kept.Served = append(kept.Served, run.Served{Request: "call Miriam", Said: true, Tools: []string{"mail"}},
		run.Served{Request: "a description", Tools: []string{"list"}})
	taught(t, s, "run_both", "one", time.Hour, kept)
	taught(t, s, "run_declared", "one", 2*time.Hour, fixture.Lesson("read"))
	taught(t, s, "run_only", "one", 3*time.Hour, &run.Experience{Served: []run.Served{{Request: "Miriam", Said: true,
		Tools: []string{"mail"}}}})
	want := []string{
		`run_both one [list parse mail] [[0 1] [1 2]] [[0 1]] [{parse true true [parse] [guess]} ` +
			`{a description false false [list] []}]`,
		`run_declared one [list parse mail] [[0 1] [1 2]] [[0 1]] [{read true true [parse] [guess]}]`,
	}
	fixture.WantEqual(t, "read", lessons(t, s), want)
	for _, runs := range []int{2, 0} {
		before := learnedVersion(t, s)
		n, err := s.ForgetUndeclared(ctx)
		fixture.Must(t, err)
		fixture.WantEqual(t, "runs", n, runs)
		fixture.WantEqual(t, "the version changes", learnedVersion(t, s) != before, runs > 0)
		fixture.WantEqual(t, "left", lessons(t, s), want)
	}
}
