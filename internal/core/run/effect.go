package run

import (
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
)

// Effect is something that should be going on in the world for the run right
// now. The same key means the same obligation, for ever.
type Effect struct {
	Key Key
	Do  Effort
}

// Effort is what to do: one of the types below.
type Effort interface{ effort() }

type (
	// Invoke runs an agent.
	Invoke struct {
		Step, Agent string
		Index, Try  int // Index is -1 outside a map
		Deadline    time.Time
		Guidance    []string
		Approved    []gate.Implementation // only this may do it; empty: whatever is in force
		Messages    []Message             // from other agents, oldest first
	}
	// Think asks a model for its next turn.
	Think struct {
		Step, Agent string
		Index       int
		Turn, Try   int
		Deadline    time.Time
		Guidance    []string
		Entries     []Entry               // all that was said and done, oldest first
		Approved    []gate.Implementation // of the first turn, as in Invoke
	}
	// CallTool runs a tool.
	CallTool struct {
		Step, Agent string
		Index, Try  int
		Call        Call
		Deadline    time.Time
		Answer      json.RawMessage // what people said to what the tool asked last
		State       json.RawMessage // what the tool gave along with its question
	}
	// StartRun starts a sub-run; starting it twice is starting it once.
	StartRun struct {
		Run, Workflow string
		Step          string
		Index         int
		Approved      []gate.Implementation // as in Invoke
	}
	// CancelRun tells a sub-run that nobody waits for it.
	CancelRun struct{ Run string }
	// Advise asks the agent in the loop.
	Advise struct {
		Agent, Failed string
		Summary       string
		Deadline      time.Time
	}
	// FindSteps looks for steps that meet a requirement.
	FindSteps struct {
		Requirement string
		Deadline    time.Time
	}
	// Wake wants a Tick at that time.
	Wake struct{ At time.Time }
)

// Entry is one line of what the model sees.
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

func (Invoke) effort()    {}
func (Think) effort()     {}
func (CallTool) effort()  {}
func (StartRun) effort()  {}
func (CancelRun) effort() {}
func (Advise) effort()    {}
func (FindSteps) effort() {}
func (Wake) effort()      {}
