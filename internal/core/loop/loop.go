// Package loop is an LLM agent at work: turn, calls, results, next turn.
//
// A State is one agent's conversation within a step of a run, as a gate.Approval
// is one question to people. Events change it, and it answers what follows from
// them alone: which turn is next, what the model sees, whether a call can be made
// at all, how much of its limits is used. Who is asked about a call, and what
// becomes of the step, is decided in package decide.
//
//	l := loop.New("researcher", at, nil)
//	l.BeginTurn(&run.TurnStarted{Turn: 1, Try: 1})
//	l.EndTurn(&run.TurnCompleted{Agent: "researcher", Turn: answer})
//	turn, try, ok := l.NextTurn(now)
package loop

import (
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// State is an LLM agent at work: turn, calls, results, next turn. Each turn and
// each call is an obligation with a key of its own, so a crash repeats neither
// a paid turn nor a recorded side effect.
type State struct {
	Agent string `json:"agent"` // who thinks now; hand-offs change it
	// Under lists the agents that handed over, oldest first: their rules hold
	// for every later call as well.
	Under     []string        `json:"under,omitempty"`
	StartedAt time.Time       `json:"started_at"`
	Turn      int             `json:"turn"` // turns started
	Turns     int             `json:"turns"`
	Try       int             `json:"try,omitempty"`
	Tried     int             `json:"tried,omitempty"` // tries of the turn before the run was taken up again
	Thinking  bool            `json:"thinking,omitempty"`
	Deadline  time.Time       `json:"deadline,omitzero"`
	RetryAt   time.Time       `json:"retry_at,omitzero"` // set while a failed turn waits to be tried again
	Busy      int             `json:"busy,omitempty"`    // tries of this turn that found the model busy
	BusySince time.Time       `json:"busy_since,omitzero"`
	Calls     []*Call         `json:"calls,omitempty"` // of the newest turn
	CallNo    int             `json:"call_no,omitempty"`
	Entries   []run.Entry     `json:"entries,omitempty"`
	Inbox     []run.Message   `json:"inbox,omitempty"` // taken at the next turn
	Usage     run.Usage       `json:"usage,omitzero"`
	Warned    []run.LimitKind `json:"warned,omitempty"`
	Granted   run.LimitAmount `json:"granted,omitzero"`
	Limit     *gate.Place     `json:"limit,omitempty"` // people are asked for more
	LimitKind run.LimitKind   `json:"limit_kind,omitempty"`
	Mends     int             `json:"mends,omitempty"`
	// Repeatable lists what people approved and what then failed: the same
	// again needs no new approval, anything else does.
	Repeatable []string `json:"repeatable,omitempty"`
}

// Call is where a tool call stands.
type Call struct {
	No       int            `json:"no"`
	Agent    string         `json:"agent"`           // who asked for it, and whose rules hold after a hand-off
	Under    []string       `json:"under,omitempty"` // who had handed over when it was asked for
	Call     run.Call       `json:"call"`
	Status   Status         `json:"status"`
	Try      int            `json:"try,omitempty"`
	Deadline time.Time      `json:"deadline,omitzero"`
	RetryAt  time.Time      `json:"retry_at,omitzero"`
	Place    *gate.Place    `json:"place,omitempty"`
	Repeats  bool           `json:"repeats,omitempty"` // runs on the yes to an equal call that failed
	Tried    int            `json:"tried,omitempty"`   // tries before the tool asked for input
	Input    *run.CallInput `json:"input,omitempty"`   // what the tool asked last
	Round    int            `json:"round,omitempty"`   // how often it asked
	Rebound  int            `json:"rebound,omitempty"` // how often its tool changed meanwhile
}

// Status is where a tool call stands.
type Status string

const (
	Asked   Status = "asked" // by the model
	Held    Status = "held"  // people are asked
	Running Status = "running"
	Backoff Status = "backoff"
	Done    Status = "done" // answered, denied included
)
