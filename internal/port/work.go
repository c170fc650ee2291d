package port

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/core/run"
)

// Works adds up what agents did in all runs, and what it cost. It is part of the log's writes: see Write.Worked.
type Works interface {
	// AgentWork returns the totals of a period.
	AgentWork(ctx context.Context, q WorkQuery) (AgentWork, error)
}

// Worked is an agent's part in one event: a step that it ended, or something that it spent.
type Worked struct {
	Seq    int64 // of the event
	Agent  string
	At     time.Time
	Steps  int // completed or failed
	Failed int // how many of them failed
	Usage  run.Usage
}

// WorkQuery selects the work to add up. Days are in UTC.
type WorkQuery struct {
	Since, Until time.Time // Until is exclusive
	Workflow     string
	Agent        string // empty: all
	ByDay        bool   // also the totals of each day
	Scope        *Scope // of the reader; nil: everything
}

// AgentWork are totals of agents' work, the most expensive agents first. A store returns a bounded number of agents and
// of days.
type AgentWork struct {
	Agents []WorkTotal
	Days   []WorkTotal // per agent and day, oldest first, if wanted; days without any work are left out
	// From is when counting began. It is zero if all work was counted.
	From time.Time
}

// WorkTotal is the work of one agent.
type WorkTotal struct {
	Agent  string
	Day    time.Time // zero if not by day
	Runs   int64     // in which it worked
	Steps  int64     // completed or failed
	Failed int64     // how many of them failed
	Usage  run.Usage
	Last   time.Time // when it last worked
}
