package run

import (
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
)

// Effect is work that should be in progress for the run right now. A key identifies the same obligation
// forever.
type Effect struct {
	Key Key
	Do  Activity
}

// Activity is the work itself: one of the types below.
type Activity interface{ activity() }

type (
	// Invoke runs an agent.
	Invoke struct {
		Step, Agent string
		Index, Try  int // Index is -1 outside a map
		Deadline    time.Time
		Guidance    []string
		Approved    []gate.Implementation // the only one that may be used; empty: any in force
		Messages    []Message             // from other agents, oldest first
		Ahead       bool                  `json:",omitempty"` // an approval before it is still open
	}
	// Think asks a model for its next turn.
	Think struct {
		Step, Agent string
		Index       int
		Turn, Try   int
		Deadline    time.Time
		Guidance    []string
		Entries     []Entry               // the whole conversation, oldest first
		Approved    []gate.Implementation // for the first turn, as in Invoke
	}
	// CallTool runs a tool.
	CallTool struct {
		Step, Agent string
		Index, Try  int
		Call        Call
		Deadline    time.Time
		Answer      json.RawMessage // people's answers to the tool's last question
		State       json.RawMessage // the state that came with the tool's question
		Whole       bool            // the answer is a step's result: it is not shortened for a model
	}
	// StartRun starts a sub-run; it is idempotent.
	StartRun struct {
		Run, Workflow string
		Step          string
		Index         int
		Approved      []gate.Implementation // as in Invoke
	}
	// CancelRun cancels a sub-run that is no longer needed.
	CancelRun struct{ Run string }
	// Advise consults the planning agent.
	Advise struct {
		Agent, Failed string
		For           string // summary, else advice
		Turn, Try     int
		Deadline      time.Time
		Entries       []Entry // what it looked up, and what was wrong with its answers
	}
	// FindSteps looks for steps that meet a requirement.
	FindSteps struct {
		Requirement string
		Failed      string // the step that they are to replace, if any
		Deadline    time.Time
	}
	// Wake requests a Tick at that time.
	Wake struct{ At time.Time }
)

// Entry is one line of the conversation as the model sees it.
type Entry struct {
	Role   string          `json:"role"` // user | assistant | tool | note | agent
	Name   string          `json:"name,omitempty"`
	Text   string          `json:"text,omitempty"`
	Calls  []CallRef       `json:"calls,omitempty"`
	CallID string          `json:"call_id,omitempty"`
	Output json.RawMessage `json:"output,omitempty"`
	Failed bool            `json:"failed,omitempty"`
}

// CallRef is a call as the model wrote it.
type CallRef struct {
	ID   string          `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

func (Invoke) activity()    {}
func (Think) activity()     {}
func (CallTool) activity()  {}
func (StartRun) activity()  {}
func (CancelRun) activity() {}
func (Advise) activity()    {}
func (FindSteps) activity() {}
func (Wake) activity()      {}
