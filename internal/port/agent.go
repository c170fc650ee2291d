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

// Agent does one piece of work. The same Work.Key is the same piece of work, also after a crash and on another
// machine: an agent that can recognise it does it once.
type Agent interface {
	// Invoke works until it has a result, fails, or ctx ends. An error that carries a Failure reports whether a retry
	// may help; any other error is treated as transient. Tell may be called at any time before Invoke returns.
	Invoke(ctx context.Context, w Work, tell func(Progress)) (run.Result, error)
}

// Work is a request to an agent.
type Work struct {
	Run      string          `json:"run"`
	Step     string          `json:"step"`
	Index    *int            `json:"index,omitempty"` // element of a map
	Try      int             `json:"try"`
	Key      string          `json:"key"`
	Input    json.RawMessage `json:"input"`
	Guidance []string        `json:"guidance"` // people's comments on earlier tries, oldest first
	Lessons  []Lesson        `json:"lessons"`
	// Messages are those from other agents of the run, oldest first: information, not instructions.
	Messages []Message `json:"messages,omitempty"`
	// Approved are the implementations that people approved the work with, if they were asked; see ToolWork.
	Approved []gate.Implementation `json:"-"`
	// Ahead: an approval before it is still open, so its progress is not reported.
	Ahead bool `json:"-"`
}

// Message is a message from another agent of the run.
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

// Bound is an agent that knows its documents.
type Bound interface {
	Agent
	Implementation() []gate.Implementation
}

// Changed reports that nothing was done, because the implementation differs from the approved one.
type Changed struct {
	Spec *run.ToolSpec // of a call: the current description of its tool
}

func (*Changed) Error() string { return "the action has changed since it was approved" }

// WorkflowImplementation is the implementation that a sub-run of a definition is bound to.
func WorkflowImplementation(def *plan.Definition) []gate.Implementation {
	return []gate.Implementation{{Kind: "workflow", Name: def.Workflow.Name, Version: def.Version}}
}

// Lesson is people's answer to a similar case in the past.
type Lesson struct {
	Operation string          `json:"operation"`
	Proposed  json.RawMessage `json:"proposed"`
	Changed   json.RawMessage `json:"changed,omitempty"`
	Comment   string          `json:"comment,omitempty"`
}

// Progress is a message from an agent at work. It is shown, not stored.
type Progress struct {
	Text    string `json:"text,omitempty"`
	Percent int    `json:"percent,omitempty"`
}

// Failed is an error with the details that the core needs.
type Failed struct{ run.Failure }

func (f *Failed) Error() string { return f.Message }

// FailureOf classifies an agent's error. An error without further details is transient: networks and processes fail
// more often than they refuse.
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
