package app

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// LessonView is the difference between what an agent proposed and what a
// person made of it.
type LessonView struct {
	ID        string          `json:"id" holds:"id"` // of the approval
	Agent     string          `json:"agent" holds:"id"`
	Workflow  string          `json:"workflow" holds:"id"`
	Run       string          `json:"run" holds:"id"`
	Step      string          `json:"step" holds:"id"`
	Tool      string          `json:"tool,omitempty" holds:"id"`
	Operation string          `json:"operation" holds:"id"`
	Scenario  string          `json:"scenario" holds:"line"` // what was asked
	Act       gate.Act        `json:"act" holds:"id"`        // modify, reject or request_revision
	Proposed  json.RawMessage `json:"proposed" holds:"payload"`
	Changed   json.RawMessage `json:"changed" holds:"payload"` // null where it was refused
	Diff      []value.Change  `json:"diff"`
	Comment   string          `json:"comment" holds:"text"`
	By        string          `json:"by" holds:"id"`
	At        time.Time       `json:"at"`
	view.Masking

	test       bool            // of a test run: it teaches nothing
	proposedBy []gate.Proposer // the agents whose results were changed or refused
}

// instructive are the answers that teach something.
var instructive = []string{string(gate.Modified), string(gate.Rejected), string(gate.RevisionRequested)}

func lessonOf(row port.ApprovalRow) (LessonView, error) {
	ap, err := view.ReadApproval(row)
	if err != nil {
		return LessonView{}, err
	}
	v := LessonView{
		ID: ap.ID, Agent: ap.Agent, Workflow: row.Workflow, Run: row.Run, Step: ap.Step, Tool: ap.Action.Tool, Operation: ap.Action.Operation,
		Scenario: ap.Title, Proposed: view.OrNull(ap.Proposed), Changed: json.RawMessage("null"), Diff: []value.Change{}, At: ap.SettledAt,
		test: ap.TestMode,
	}
	if o := ap.Outcome; o != nil {
		v.Act, v.By, v.Comment = o.Act, o.By, o.Comment
	}
	if changedByPeople(ap) {
		v.Changed = view.OrNull(ap.Current)
		v.Diff = view.NotNil(value.Diff(v.Proposed, v.Changed))
	}
	v.proposedBy = proposersOf(ap, v.Diff)
	for _, d := range slices.Backward(ap.Decisions) { // the newest reason that somebody gave
		if v.Comment == "" {
			v.Comment = d.Comment
		}
	}
	return v, nil
}

// LessonQuery selects lessons, newest first.
type LessonQuery struct {
	Agent, Workflow, Tool, Cursor string
	Limit                         int
}

// Lessons lists what people made of agents' work. Those of an agent are about what
// it was to carry out, and about what others were to do with its results.
func (a *App) Lessons(ctx context.Context, who Who, q LessonQuery) (view.List[LessonView], error) {
	read := func(cursor string, limit int) (view.List[LessonView], error) {
		page, err := a.Store.Approvals(ctx, port.ApprovalQuery{
			Status: instructive, Workflow: q.Workflow, Tool: q.Tool, Sort: port.ByNewest, Cursor: cursor, Limit: limit, Scope: a.scope(who),
		})
		if err != nil {
			return view.List[LessonView]{}, err
		}
		return a.viewLessons(ctx, who, page)
	}
	if q.Agent == "" {
		return read(q.Cursor, q.Limit)
	}
	return kept(q.Cursor, q.Limit, false, read, func(v LessonView) bool { return v.teaches(q.Agent) })
}

// teaches reports whether a lesson is about an agent's work.
func (v *LessonView) teaches(agent string) bool {
	return v.Agent == agent || slices.ContainsFunc(v.proposedBy, func(p gate.Proposer) bool { return p.Agent == agent })
}

func (a *App) viewLessons(ctx context.Context, who Who, page port.Page[port.ApprovalRow]) (view.List[LessonView], error) {
	shown, err := view.PageOf(page, func(row port.ApprovalRow) (LessonView, error) {
		v, err := lessonOf(row)
		if err != nil || v.test {
			return v, err
		}
		proposers := v.proposedBy // of the row: masking makes a copy of what is shown
		v, err = showIn(ctx, a, who, row.Run, v, func(v *LessonView) *view.Masking { return &v.Masking })
		v.proposedBy = proposers
		return v, err
	})
	all := len(shown.Items)
	shown.Items = slices.DeleteFunc(shown.Items, func(v LessonView) bool { return v.test })
	shown.Total -= int64(all - len(shown.Items))
	return shown, err
}

// ExportLessons writes lessons as JSON lines.
func (a *App) ExportLessons(ctx context.Context, who Who, q LessonQuery, w io.Writer) error {
	out := bufio.NewWriter(w)
	for q.Limit = historyPage; ; {
		page, err := a.Lessons(ctx, who, q)
		if err != nil {
			return err
		}
		for _, l := range page.Items {
			line, err := value.Marshal(l)
			if err != nil {
				return err
			}
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		if page.Next == "" {
			return out.Flush()
		}
		q.Cursor = page.Next
	}
}
