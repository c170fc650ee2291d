package insight

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// KindLesson is the kind of the documents that hold corrections of lessons, by the id of the lesson. The newest version
// counts.
const KindLesson = "lesson"

// Correction is a change to a lesson, made after the decision that it comes from. The decision itself stays.
type Correction struct {
	Text    string    `json:"text" holds:"text"`   // The explanation that agents receive instead of the comment.
	Removed bool      `json:"removed"`             // Whether agents no longer receive the lesson.
	Reason  string    `json:"reason" holds:"text"` // Why.
	By      string    `json:"by" holds:"id"`
	At      time.Time `json:"at"`
	Version int       `json:"version"` // The version of the lesson since then.
}

// check reports what is missing in a correction.
func (c *Correction) check() error {
	var wrong []fault.Problem
	if gate.TooLong(c.Text) {
		wrong = append(wrong, fault.Problem{Path: "text", Message: fmt.Sprintf("at most %d characters", gate.CommentMax)})
	}
	if gate.TooLong(c.Reason) || c.Removed && c.Reason == "" {
		wrong = append(wrong, fault.Problem{Path: "reason", Message: "explain why agents should no longer receive it"})
	}
	if len(wrong) > 0 {
		return fault.Of("the correction is not valid", wrong)
	}
	return nil
}

// Of is the correction of the lesson of an approval as it is stored, under an id.
func (c *Correction) Of(row port.ApprovalRow, id string) (port.Version, error) {
	if row.Title == run.RemovedText {
		return port.Version{}, fault.New(fault.Conflict, "agents learn nothing from this approval",
			"the payloads of its run were deleted")
	}
	if !slices.Contains(Instructive, row.Status) {
		return port.Version{}, fault.New(fault.Conflict, "agents learn nothing from this approval",
			"only approvals that were rejected, changed or sent back are lessons")
	}
	if err := c.check(); err != nil {
		return port.Version{}, err
	}
	body, err := value.Marshal(c)
	return port.Version{ID: id, Kind: KindLesson, Name: row.ID, Digest: value.Digest(body), Body: body, By: c.By,
		At: c.At}, err
}

// Detail is what the audit log says about a correction.
func (c *Correction) Detail() map[string]any {
	return map[string]any{"removed": c.Removed, "text": c.Text != ""}
}

// LessonVersion is the version of a lesson after so many corrections: it is 1 without any.
func LessonVersion(corrections int) int { return corrections + 1 }

// Correct applies the newest correction, which may be nil.
func (v *Lesson) Correct(c *Correction) {
	if c == nil {
		return
	}
	if v.Version = c.Version; c.Removed || c.Text != "" {
		v.Correction = c
	}
}

func (v *Lesson) removed() bool { return v.Correction != nil && v.Correction.Removed }

// explanation is what agents are told about a lesson.
func (v *Lesson) explanation() string {
	if v.Correction != nil && v.Correction.Text != "" {
		return v.Correction.Text
	}
	return v.Comment
}

// CorrectionStore is the part of a store that finds corrections.
type CorrectionStore interface {
	Latest(ctx context.Context, kind string) ([]port.Version, error)
}

// corrections are the newest, by lesson; an empty one restored it.
func corrections(ctx context.Context, store CorrectionStore) (map[string]*Correction, error) {
	saved, err := store.Latest(ctx, KindLesson)
	if err != nil {
		return nil, fmt.Errorf("read the corrections of lessons: %w", err)
	}
	out := map[string]*Correction{}
	for _, v := range saved {
		c := &Correction{}
		if err := json.Unmarshal(v.Body, c); err != nil {
			return nil, fmt.Errorf("read the correction of %s: %w", v.Name, err)
		}
		c.Version = LessonVersion(v.Number)
		out[v.Name] = c
	}
	return out, nil
}

// ListLessons reads lessons and leaves out those that agents no longer receive, or all others.
func ListLessons(
	ctx context.Context, store CorrectionStore, q LessonQuery,
	read func(cursor string, limit int, corrections map[string]*Correction) (view.List[Lesson], error),
) (view.List[Lesson], error) {
	known, err := corrections(ctx, store)
	if err != nil {
		return view.List[Lesson]{}, err
	}
	if q.Agent == "" && !q.Removed && len(known) == 0 {
		return read(q.Cursor, q.Limit, known)
	}
	page := func(cursor string, limit int) (view.List[Lesson], error) { return read(cursor, limit, known) }
	return view.Kept(q.Cursor, q.Limit, false, page, func(v Lesson) bool {
		c := known[v.ID]
		return (q.Agent == "" || v.Teaches(q.Agent)) && (c != nil && c.Removed) == q.Removed
	})
}

// ExportLessons writes lessons as JSON lines.
func ExportLessons(w io.Writer, q LessonQuery, read func(LessonQuery) (view.List[Lesson], error)) error {
	out := bufio.NewWriter(w)
	for q.Limit = PageMost; ; {
		page, err := read(q)
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
