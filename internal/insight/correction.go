package insight

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
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
}

// Check reports what is missing in a correction.
func (c *Correction) Check() error {
	var wrong []fault.Problem
	if len(c.Text) > gate.CommentMax {
		wrong = append(wrong, fault.Problem{Path: "text", Message: fmt.Sprintf("at most %d bytes", gate.CommentMax)})
	}
	if len(c.Reason) > gate.CommentMax || c.Removed && c.Reason == "" {
		wrong = append(wrong, fault.Problem{Path: "reason", Message: "explain why agents should no longer receive it"})
	}
	if len(wrong) > 0 {
		return fault.Of("the correction is not valid", wrong)
	}
	return nil
}

// Version is a correction as it is stored.
func (c *Correction) Version(lesson, id string) (port.Version, error) {
	body, err := value.Marshal(c)
	return port.Version{ID: id, Kind: KindLesson, Name: lesson, Digest: value.Digest(body), Body: body, By: c.By,
		At: c.At}, err
}

func (v *Lesson) removed() bool { return v.Correction != nil && v.Correction.Removed }

// explanation is what agents are told about a lesson.
func (v *Lesson) explanation() string {
	if v.Correction != nil && v.Correction.Text != "" {
		return v.Correction.Text
	}
	return v.Comment
}

// Corrections are those in force, by lesson.
func Corrections(ctx context.Context, store interface {
	Latest(ctx context.Context, kind string) ([]port.Version, error)
}) (map[string]*Correction, error) {
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
		if c.Removed || c.Text != "" {
			out[v.Name] = c
		}
	}
	return out, nil
}
