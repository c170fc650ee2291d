package port

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Engine drives runs: it accepts commands, carries out the effects that runs request, and watches their deadlines.
type Engine interface {
	// Begin starts a run on a definition, which must not be changed
	// afterwards. An id that exists is fault.Conflict.
	Begin(ctx context.Context, id string, def *plan.Definition, c run.Command, a Answering) (Receipt, error)
	// Do handles a command. When it returns without an error the outcome is durable.
	Do(ctx context.Context, id string, c run.Command, a Answering) (Receipt, error)
	// Fork starts a new run with the history of another, up to and including atSeq.
	Fork(ctx context.Context, id, from string, atSeq int64, edits run.Edits, c run.Command, a Answering) (Receipt, error)
	// View lets f read a run's state; f must not keep it.
	View(ctx context.Context, id string, f func(*machine.State) error) error
	// At folds a run up to a sequence number. No agent is called.
	At(ctx context.Context, id string, seq int64) (*machine.State, error)
	// Start carries out pending effects, and continues until Stop.
	Start()
	// Stop drains: nothing new starts, and work in progress may finish until ctx ends.
	Stop(ctx context.Context) error
	// Leads reports whether this process starts agents.
	Leads() bool
}

// Receipt is the result of a command.
type Receipt struct {
	Run    string
	Seq    int64 // of the newest event
	Feed   int64 // 0 when nothing was stored
	Events []run.Event
	// Approvals are those that the events changed, as lists show them now.
	Approvals []ApprovalRow
	Spent     run.Usage     // what agents used, as far as the events report it
	Took      time.Duration // to store the events
}

// Answering creates the answer that is stored with a command, from the resulting state; nil stores none. It must not
// keep the state.
type Answering func(s *machine.State, r Receipt) (*Answer, error)
