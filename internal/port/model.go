package port

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// Model is the language model of an agent. The core owns the loop: a model is asked for one turn at a time, and never
// retries by itself.
type Model interface {
	// Think asks for the next turn. Tell receives words as they come. An error that carries a Failure reports whether
	// a retry may help, and the cost of the attempt. Calls of the turn come back without a Spec.
	Think(ctx context.Context, t TurnRequest, tell func(Progress)) (run.Turn, error)
}

// LLMAgent is the model and the tools of an LLM agent.
type LLMAgent struct {
	Model  Model
	Tools  []string        // as its document names them, see Tools.List
	Output json.RawMessage // JSON Schema of its answer
	// CallConfidence: it may state its confidence with every call.
	CallConfidence bool
	// Needed: it cannot work without its tools. A turn fails while one of them cannot be reached.
	Needed bool
	// Implementation is the document that all this comes from.
	Implementation []gate.Implementation
}

// TurnRequest is the complete input of a model for one turn.
type TurnRequest struct {
	Run, Step, Agent string
	Index            *int // element of a map
	Turn, Try        int
	Key              string // of this turn, the same over all tries
	Input            json.RawMessage
	Guidance         []string // people's comments on earlier work, oldest first
	Lessons          []Lesson
	Entries          []run.Entry // the whole conversation, oldest first
	Tools            []ToolInfo
	Output           json.RawMessage // JSON Schema of the final answer; nil: plain text
}

// ErrNoTool is in an error of Tools.List if a tool does not exist, as opposed to one that cannot be reached.
var ErrNoTool = errors.New("no such tool")

// ToolInfo is a tool as a model sees it.
type ToolInfo struct {
	Name        string
	Description string
	Args        json.RawMessage // JSON Schema
}

// Toolbox describes the tools that agents may call. It cannot call any.
type Toolbox interface {
	// List finds the tools that an agent's document names: NAME, mcp:SERVER/TOOL or mcp:SERVER/*. Unreachable ones are
	// left out and reported in the error, next to the tools that were found.
	List(ctx context.Context, names []string) ([]ToolInfo, error)
	// Spec describes a call before it runs: its risk, and its effect in plain words. A tool that does not exist is
	// Unknown.
	Spec(ctx context.Context, c run.Call) run.ToolSpec
}

// Tools are the tools that agents may call, wherever they are.
type Tools interface {
	Toolbox
	// Call runs a tool. A refusal by the tool itself is a result with Error; an error is a failure to reach it, which
	// carries a Failure or is transient. A result with Input is a question to people: the call is repeated with their
	// answer.
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
	// Answer is people's answer to the tool's last question, and State the state that the tool sent with its question:
	// see run.CallInput. Nil: it asked nothing.
	Answer, State json.RawMessage
	// Approved are the implementations that the call was judged and approved with. If it would use any other, it is
	// not made: the error is a *Changed. Empty: anything.
	Approved []gate.Implementation
	// Whole: a long answer is returned as it is, not as a preview for a model.
	Whole bool
}
