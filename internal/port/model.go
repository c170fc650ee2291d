package port

import (
	"context"
	"encoding/json"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// Model is a language model that an agent thinks with. The core owns the loop:
// a model is asked for one turn at a time, and never tries again by itself.
type Model interface {
	// Think asks for the next turn. Tell hears words as they come. An error
	// that carries a Failure says whether trying again may help, and what the
	// attempt cost. Calls of the turn come back without a Spec.
	Think(ctx context.Context, t Thought, tell func(Progress)) (run.Turn, error)
}

// Mind is what an LLM agent thinks and works with.
type Mind struct {
	Model  Model
	Tools  []string        // as its document names them, see Tools.List
	Output json.RawMessage // JSON Schema of its answer
	// CallConfidence: with every call it may say how sure it is of it.
	CallConfidence bool
	// Implementation is the document that says all this.
	Implementation []gate.Implementation
}

// Thought is all that a model is told for one turn.
type Thought struct {
	Run, Step, Agent string
	Index            *int // element of a map
	Turn, Try        int
	Key              string // of this turn, the same over all tries
	Input            json.RawMessage
	Guidance         []string // what people said about earlier work, oldest first
	Lessons          []Lesson
	Entries          []run.Entry // all that was said and done, oldest first
	Tools            []ToolInfo
	Output           json.RawMessage // JSON Schema of the final answer; nil: words
}

// ToolInfo is a tool as a model gets to know it.
type ToolInfo struct {
	Name        string
	Description string
	Args        json.RawMessage // JSON Schema
}

// Tools are what agents may call, wherever they are.
type Tools interface {
	// List finds the tools that an agent's document names: NAME,
	// mcp:SERVER/TOOL or mcp:SERVER/*. What cannot be reached now is left out
	// and told in the error, beside what was found.
	List(ctx context.Context, names []string) ([]ToolInfo, error)
	// Spec is what is known about a call before it runs: its risk, and what it
	// would do in plain words. A tool that is not there is Unknown.
	Spec(ctx context.Context, c run.Call) run.ToolSpec
	// Call runs a tool. A tool's own "no" is a result with Error; an error is a
	// failure to ask, which carries a Failure or is transient. A result with
	// Input is a question to people: the call is made again with their answer.
	Call(ctx context.Context, w ToolWork, tell func(Progress)) (run.CallResult, error)
}

// ToolWork is one call. The same Key is the same call.
type ToolWork struct {
	Run, Step, Agent string
	Call             string // the model's id of it
	Key              string
	Tool             string
	Args             json.RawMessage
	Try              int
	// Answer is what people said to what the tool asked last, and State what it
	// gave along with its question: see run.CallInput. Nil: it asked nothing.
	Answer, State json.RawMessage
	// Approved is what the call was judged and approved with. If it would be made
	// with anything else it is not made: the error is a *Changed. Empty: anything.
	Approved []gate.Implementation
}
