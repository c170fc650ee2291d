package insight

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Lesson is the difference between an agent's proposal and a person's answer.
type Lesson struct {
	ID        string          `json:"id" holds:"id"` // The id of the approval.
	Agent     string          `json:"agent" holds:"id"`
	Workflow  string          `json:"workflow" holds:"id"`
	Run       string          `json:"run" holds:"id"`
	Step      string          `json:"step" holds:"id"`
	Tool      string          `json:"tool,omitempty" holds:"id"`
	Operation string          `json:"operation" holds:"id"`  // The operation, as policies see it.
	Scenario  string          `json:"scenario" holds:"line"` // The request.
	Act       gate.Act        `json:"act" holds:"id"`        // modify, reject or request_revision.
	Proposed  json.RawMessage `json:"proposed" holds:"payload"`
	Changed   json.RawMessage `json:"changed" holds:"payload"` // The changed version; null if it was rejected.
	Diff      []value.Change  `json:"diff"`                    // The person's changes.
	Comment   string          `json:"comment" holds:"text"`
	By        string          `json:"by" holds:"id"`
	At        time.Time       `json:"at"`
	// It grows with every correction. Send it with the next one.
	Version int `json:"version"`
	// The correction of the lesson; null if there is none.
	Correction *Correction `json:"correction"`
	view.Masking

	Void       bool            `json:"-"` // of a test run, or its payloads were deleted: it teaches nothing
	ProposedBy []gate.Proposer `json:"-"` // the agents whose results were changed or rejected
}

// Instructive are the statuses that teach something.
var Instructive = []string{string(gate.Modified), string(gate.Rejected), string(gate.RevisionRequested)}

func LessonOf(row port.ApprovalRow) (Lesson, error) {
	ap, err := view.ReadApproval(row)
	if err != nil {
		return Lesson{}, err
	}
	v := Lesson{
		ID: ap.ID, Agent: ap.Agent, Workflow: row.Workflow, Run: row.Run, Step: ap.Step, Tool: ap.Action.Tool,
		Operation: ap.Action.Operation,
		Scenario:  ap.Title, Proposed: view.OrNull(ap.Proposed), Changed: json.RawMessage("null"),
		Diff: []value.Change{}, At: ap.SettledAt,
		Void: ap.TestMode || ap.Title == run.RemovedText, Version: LessonVersion(0),
	}
	if o := ap.Outcome; o != nil {
		v.Act, v.By, v.Comment = o.Act, o.By, o.Comment
	}
	if changedByPeople(ap) {
		v.Changed = view.OrNull(ap.Current)
		v.Diff = view.NotNil(value.Diff(v.Proposed, v.Changed))
	}
	v.ProposedBy = proposersOf(ap, v.Diff)
	for _, d := range slices.Backward(ap.Decisions) { // the newest reason given
		if v.Comment == "" {
			v.Comment = d.Comment
		}
	}
	return v, nil
}

// LessonQuery selects lessons, newest first.
type LessonQuery struct {
	Agent, Workflow, Tool, Cursor string
	Removed                       bool // those that agents no longer receive, instead of the others
	Limit                         int
}

// Teaches reports whether a lesson is about an agent's work.
func (v *Lesson) Teaches(agent string) bool {
	return v.Agent == agent || slices.ContainsFunc(v.ProposedBy, func(p gate.Proposer) bool { return p.Agent == agent })
}
