package port

import (
	"context"

	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Engine drives runs: it takes commands, keeps the world in line with what runs
// are owed, and watches the clock for them.
type Engine interface {
	// Begin starts a run on a definition, which must not be changed
	// afterwards. An id that exists is fault.Conflict.
	Begin(ctx context.Context, id string, def *plan.Definition, c run.Command, a Answering) (Receipt, error)
	// Do takes a command. When it returns without an error the outcome is
	// durable.
	Do(ctx context.Context, id string, c run.Command, a Answering) (Receipt, error)
	// Fork starts a new run with the past of another, up to and with atSeq.
	Fork(ctx context.Context, id, from string, atSeq int64, edits run.Edits, c run.Command, a Answering) (Receipt, error)
	// View lets f read a run's state; f must not keep it.
	View(ctx context.Context, id string, f func(*machine.State) error) error
	// At folds a run up to a sequence number. Nobody is asked for anything.
	At(ctx context.Context, id string, seq int64) (*machine.State, error)
	// Start takes up what is owed, and goes on until Stop.
	Start()
	// Stop drains: nothing new starts, what is under way may finish until ctx ends.
	Stop(ctx context.Context) error
	// Leads reports whether this process starts agents.
	Leads() bool
}

// Receipt says what became of a command.
type Receipt struct {
	Run    string
	Seq    int64 // of the newest event
	Feed   int64 // 0 when nothing was stored
	Events []run.Event
	// Approvals are those that the events changed, as lists show them now.
	Approvals []ApprovalRow
}

// Answering makes the answer that is stored with a command, from the state
// that results; nil stores none. It must not keep the state.
type Answering func(s *machine.State, r Receipt) (*Answer, error)
