package app

import (
	"bufio"
	"context"
	"io"
	"slices"

	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Lessons lists how people judged agents' work. An agent's lessons cover the actions it was to carry out, and the
// actions that others were to base on its results.
func (a *App) Lessons(ctx context.Context, who Who, q insight.LessonQuery) (view.List[insight.Lesson], error) {
	read := func(cursor string, limit int) (view.List[insight.Lesson], error) {
		page, err := a.lists.Approvals(ctx, port.ApprovalQuery{
			Status: insight.Instructive, Workflow: q.Workflow, Tool: q.Tool, Sort: port.ByNewest, Cursor: cursor,
			Limit: limit, Scope: a.scope(who),
		})
		if err != nil {
			return view.List[insight.Lesson]{}, err
		}
		return a.viewLessons(ctx, who, page)
	}
	if q.Agent == "" {
		return read(q.Cursor, q.Limit)
	}
	return view.Kept(q.Cursor, q.Limit, false, read, func(v insight.Lesson) bool { return v.Teaches(q.Agent) })
}

func (a *App) viewLessons(ctx context.Context, who Who,
	page port.Page[port.ApprovalRow]) (view.List[insight.Lesson], error) {
	shown, err := view.PageOf(page, func(row port.ApprovalRow) (insight.Lesson, error) {
		v, err := insight.LessonOf(row)
		if err != nil || v.Test {
			return v, err
		}
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
