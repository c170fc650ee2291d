package app

import (
	"bufio"
	"context"
	"io"
	"slices"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Lessons lists how people judged agents' work. An agent's lessons cover the actions it was to carry out, and the
// actions that others were to base on its results.
func (a *App) Lessons(ctx context.Context, who Who, q insight.LessonQuery) (view.List[insight.Lesson], error) {
	corrections, err := insight.Corrections(ctx, a.corrections)
	if err != nil {
		return view.List[insight.Lesson]{}, err
	}
	read := func(cursor string, limit int) (view.List[insight.Lesson], error) {
		page, err := a.lists.Approvals(ctx, port.ApprovalQuery{
			Status: insight.Instructive, Workflow: q.Workflow, Tool: q.Tool, Sort: port.ByNewest, Cursor: cursor,
			Limit: limit, Scope: a.scope(who),
		})
		if err != nil {
			return view.List[insight.Lesson]{}, err
		}
		return a.viewLessons(ctx, who, page, corrections)
	}
	if q.Agent == "" && !q.Removed && len(corrections) == 0 {
		return read(q.Cursor, q.Limit)
	}
	return view.Kept(q.Cursor, q.Limit, false, read, func(v insight.Lesson) bool {
		c := corrections[v.ID]
		return (q.Agent == "" || v.Teaches(q.Agent)) && (c != nil && c.Removed) == q.Removed
	})
}

func (a *App) viewLessons(ctx context.Context, who Who,
	page port.Page[port.ApprovalRow], corrections map[string]*insight.Correction) (view.List[insight.Lesson], error) {
	shown, err := view.PageOf(page, func(row port.ApprovalRow) (insight.Lesson, error) {
		v, err := insight.LessonOf(row)
		if err != nil || v.Test {
			return v, err
		}
		v.Correction = corrections[row.ID]
		proposers := v.ProposedBy // from the row: masking copies the view
		v, err = showIn(ctx, a, who, row.Run, v, func(v *insight.Lesson) *view.Masking { return &v.Masking })
		v.ProposedBy = proposers
		return v, err
	})
	all := len(shown.Items)
	shown.Items = slices.DeleteFunc(shown.Items, func(v insight.Lesson) bool { return v.Test })
	shown.Total -= int64(all - len(shown.Items))
	return shown, err
}

// ExportLessons writes lessons as JSON lines.
func (a *App) ExportLessons(ctx context.Context, who Who, q insight.LessonQuery, w io.Writer) error {
	out := bufio.NewWriter(w)
	for q.Limit = insight.PageMost; ; {
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

// CorrectLesson changes what agents are told about a decision, or whether they are. The decision itself stays as it is.
// An empty correction restores the lesson.
func (a *App) CorrectLesson(
	ctx context.Context, who Who, id string, c insight.Correction,
) (_ insight.Correction, err error) {
	defer a.refusing(ctx, who, "lesson.corrected", id, &err)
	row, err := a.approval(ctx, who, access.See, id)
	if err != nil {
		return insight.Correction{}, err
	}
	if err := a.may(who, access.Write); err != nil {
		return insight.Correction{}, err
	}
	if !slices.Contains(insight.Instructive, row.Status) {
		return insight.Correction{}, fault.New(fault.Conflict, "agents learn nothing from this approval",
			"only approvals that were rejected, changed or sent back are lessons")
	}
	if err := c.Check(); err != nil {
		return insight.Correction{}, err
	}
	c.By, c.At = who.Key(), a.Now()
	kept, err := c.Version(id, "doc"+a.newRunID(c.At)[len("run"):])
	if err != nil {
		return insight.Correction{}, err
	}
	_, _, err = a.notes.SaveVersion(ctx, kept,
		noted(kept, "lesson.corrected", id, map[string]any{"removed": c.Removed, "text": c.Text != ""}, c.Reason))
	a.lessons.Forget()
	return c, err
}
