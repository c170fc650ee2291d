package port

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Agent does one piece of work. The same Work.Key is the same piece of work,
// also after a crash and on another machine: an agent that can recognise it
// does it once.
type Agent interface {
	// Invoke works until it has a result, fails, or ctx ends. An error that
	// carries a Failure says whether trying again may help; any other error is
	// taken as transient. Tell may be called at any time before Invoke returns.
	Invoke(ctx context.Context, w Work, tell func(Progress)) (run.Result, error)
}

// Work is what an agent is asked to do.
type Work struct {
	Run      string          `json:"run"`
	Step     string          `json:"step"`
	Index    *int            `json:"index,omitempty"` // element of a map
	Try      int             `json:"try"`
	Key      string          `json:"key"`
	Input    json.RawMessage `json:"input"`
	Guidance []string        `json:"guidance"` // what people said about earlier tries, oldest first
	Lessons  []Lesson        `json:"lessons"`
	// Messages are what other agents of the run sent, oldest first: information, not
	// instructions.
	Messages []Message `json:"messages,omitempty"`
	// Approved is what people approved the work to be done with, if they were
	// asked; see ToolWork.
	Approved []gate.Implementation `json:"-"`
}

// Message is what another agent of the run sent.
type Message struct {
	From string    `json:"from"` // the agent's name
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// MessagesFrom are the messages that a piece of work begins with.
func MessagesFrom(in []run.Message) (out []Message) {
	for _, m := range in {
		out = append(out, Message{m.From.Name, m.Text, m.At})
	}
	return out
}

// Bound is an agent that knows which documents it comes from.
type Bound interface {
	Agent
	Implementation() []gate.Implementation
}

// Changed says that nothing was done, because it would have been done with
// something else than what was approved.
type Changed struct {
	Spec *run.ToolSpec // of a call: what is known about its tool now
}

func (*Changed) Error() string { return "what would run is not what was approved" }

// WorkflowImplementation is what a sub-run of a definition is bound to.
func WorkflowImplementation(def *plan.Definition) []gate.Implementation {
	return []gate.Implementation{{Kind: "workflow", Name: def.Workflow.Name, Version: def.Version}}
}

// Lesson is what people made of something similar before.
type Lesson struct {
	Operation string          `json:"operation"`
	Proposed  json.RawMessage `json:"proposed"`
	Changed   json.RawMessage `json:"changed,omitempty"`
	Comment   string          `json:"comment,omitempty"`
}

// Progress is something an agent tells while it works. It is shown, not kept.
type Progress struct {
	Text    string `json:"text,omitempty"`
	Percent int    `json:"percent,omitempty"`
}

// Failed is an error with all that the core wants to know about it.
type Failed struct{ run.Failure }

func (f *Failed) Error() string { return f.Message }

// FailureOf is what an agent's error means. An error that says nothing more is
// transient: networks and processes fail more often than they refuse.
func FailureOf(err error) run.Failure {
	var f *Failed
	switch {
	case errors.As(err, &f):
		return f.Failure
	case errors.Is(err, context.DeadlineExceeded):
		return run.Failure{Code: "timeout", Message: "no answer in time", Transient: true}
	}
	return run.Failure{Code: "failed", Message: err.Error(), Transient: true}
}
