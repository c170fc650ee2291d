// Package loop is an LLM agent at work: turn, calls, results, next turn.
//
// A State is one agent's conversation within a step of a run, just as a gate.Approval is one question to
// people. Events change it, and it derives everything that follows from them alone: the next turn, the
// conversation the model sees, whether a call can be made at all, how much of its limits is used. Package
// decide decides who approves a call and how the step continues.
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

// State is an LLM agent at work: turn, calls, results, next turn. Each turn and each call is an obligation
// with its own key, so a crash repeats neither a paid turn nor a recorded side effect.
type State struct {
	Agent string `json:"agent"` // the current agent; hand-offs change it
	// Under lists the agents that handed off, oldest first: their rules apply to every later call as well.
	Under     []string        `json:"under,omitempty"`
	StartedAt time.Time       `json:"started_at"`
	Turn      int             `json:"turn"` // turns started
	Turns     int             `json:"turns"`
	Try       int             `json:"try,omitempty"`
	Tried     int             `json:"tried,omitempty"` // attempts at the turn before the run was resumed
	Thinking  bool            `json:"thinking,omitempty"`
	Deadline  time.Time       `json:"deadline,omitzero"`
	RetryAt   time.Time       `json:"retry_at,omitzero"` // set while a failed turn waits for a retry
	Busy      int             `json:"busy,omitempty"`    // attempts at this turn that found the model busy
	BusySince time.Time       `json:"busy_since,omitzero"`
	Calls     []*Call         `json:"calls,omitempty"` // of the newest turn
	CallNo    int             `json:"call_no,omitempty"`
	Entries   []run.Entry     `json:"entries,omitempty"`
	Inbox     []run.Message   `json:"inbox,omitempty"` // delivered at the next turn
	Usage     run.Usage       `json:"usage,omitzero"`
	Warned    []run.LimitKind `json:"warned,omitempty"`
	Granted   run.LimitAmount `json:"granted,omitzero"`
	Limit     *gate.Place     `json:"limit,omitempty"` // people are asked for more
	LimitKind run.LimitKind   `json:"limit_kind,omitempty"`
	Mends     int             `json:"mends,omitempty"`
	// Repeatable lists calls that people approved and that then failed: repeating one needs no new approval,
	// anything else does.
	Repeatable []string `json:"repeatable,omitempty"`
}

// Call is the state of a tool call.
type Call struct {
	No       int            `json:"no"`
	Agent    string         `json:"agent"`           // who requested it, and whose rules apply after a hand-off
	Under    []string       `json:"under,omitempty"` // the agents that had handed off when it was requested
	Call     run.Call       `json:"call"`
	Status   Status         `json:"status"`
	Try      int            `json:"try,omitempty"`
	Deadline time.Time      `json:"deadline,omitzero"`
	RetryAt  time.Time      `json:"retry_at,omitzero"`
	Place    *gate.Place    `json:"place,omitempty"`
	Repeats  bool           `json:"repeats,omitempty"` // uses the approval of an equal call that failed
	Tried    int            `json:"tried,omitempty"`   // attempts before the tool asked for input
	Input    *run.CallInput `json:"input,omitempty"`   // the tool's last question
	Round    int            `json:"round,omitempty"`   // how often it asked
	Rebound  int            `json:"rebound,omitempty"` // how often its tool changed in the meantime
	Denied   bool           `json:"denied,omitempty"`  // by people or the policy
}

// Status is the status of a tool call.
type Status string

const (
	Asked   Status = "asked" // by the model
	Held    Status = "held"  // awaiting approval
	Running Status = "running"
	Backoff Status = "backoff"
	Done    Status = "done" // answered, including denied
)
