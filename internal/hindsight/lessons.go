package hindsight

import (
	"context"
	"io"
	"slices"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/insight"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/view"
)

// Lessons lists how people judged agents' work. An agent's lessons cover the actions it was to carry out, and the
// actions that others were to base on its results.
func (h *Hindsight) Lessons(ctx context.Context, who guard.Who,
	q insight.LessonQuery) (view.List[insight.Lesson], error) {
	return insight.ListLessons(ctx, h.store, q, func(cursor string, limit int,
		corrections map[string]*insight.Correction) (view.List[insight.Lesson], error) {
		page, err := h.store.Approvals(ctx, port.ApprovalQuery{
			Status: insight.Instructive, Workflow: q.Workflow, Tool: q.Tool, Sort: port.ByNewest, Cursor: cursor,
			Limit: limit, Scope: h.guard.Scope(who),
		})
		if err != nil {
			return view.List[insight.Lesson]{}, err
		}
		return h.viewLessons(ctx, who, page, corrections)
	})
}

func (h *Hindsight) viewLessons(ctx context.Context, who guard.Who,
	page port.Page[port.ApprovalRow], corrections map[string]*insight.Correction) (view.List[insight.Lesson], error) {
	shown, err := view.PageOf(page, func(row port.ApprovalRow) (insight.Lesson, error) {
		v, err := insight.LessonOf(row)
		if err != nil || v.Void {
			return v, err
		}
		v.Correct(corrections[row.ID])
		proposers := v.ProposedBy // from the row: masking copies the view
		v, err = sight.ShowIn(ctx, h.sight, h.guard.Viewer(who), row.Run, v,
			func(v *insight.Lesson) *view.Masking { return &v.Masking })
		v.ProposedBy = proposers
		return v, err
	})
	all := len(shown.Items)
	shown.Items = slices.DeleteFunc(shown.Items, func(v insight.Lesson) bool { return v.Void })
	shown.Total -= int64(all - len(shown.Items))
	return shown, err
}

// ExportLessons writes lessons as JSON lines.
func (h *Hindsight) ExportLessons(ctx context.Context, who guard.Who, q insight.LessonQuery, w io.Writer) error {
	return insight.ExportLessons(w, q, func(q insight.LessonQuery) (view.List[insight.Lesson], error) {
		return h.Lessons(ctx, who, q)
	})
}

// CorrectLesson changes what agents are told about a decision, which stays as it is. Empty, it restores the lesson.
// Over is the version of the lesson that the caller saw; nil: any.
func (h *Hindsight) CorrectLesson(ctx context.Context, who guard.Who, id string, c insight.Correction, over *int) (
	_ insight.Correction, err error) {
	defer h.guard.Refusing(ctx, who, "lesson.corrected", id, &err)
	row, err := h.guard.Approval(ctx, who, access.See, id)
	if err == nil {
		err = h.guard.May(who, access.Write)
	}
	if err != nil {
		return insight.Correction{}, err
	}
	c.By, c.At = who.Key(), h.now()
	kept, err := c.Of(row, "doc"+h.newID(c.At)[len("run"):])
	if err != nil {
		return c, err
	}
	entry := kept.Entry("lesson.corrected", id, c.Detail(), c.Reason)
	if over != nil {
		kept, _, err = h.store.SaveVersionOver(ctx, kept, *over-insight.LessonVersion(0), entry)
	} else {
		kept, _, err = h.store.SaveVersion(ctx, kept, entry)
	}
	h.lessons.Forget()
	c.Version = insight.LessonVersion(kept.Number)
	return c, err
}
