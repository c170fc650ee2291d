package port

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

// Callable is something that a step can use: a tool, or an agent.
type Callable struct {
	Name         string // as steps name it: crm_lookup, mcp:files/read_file; of an agent: agent:NAME
	Source       CallableSource
	Server       string // of an MCP tool
	Description  string
	Args, Output json.RawMessage // JSON Schemas; nil: not declared
	Risk         risk.Class      // as far as declarations and the name tell; empty for an agent
	Operation    string
	Effects      string
	// Harmless: it is declared to change nothing.
	Harmless bool
	// AgentsOnly: only an agent at work can use it; a step cannot.
	AgentsOnly bool
	// Words are more words that it is found by, such as an agent's capabilities.
	Words string
}

// CallableSource is where a callable comes from.
type CallableSource string

const (
	SourceBuiltin CallableSource = "builtin"
	SourceHTTP    CallableSource = "http"
	SourceCommand CallableSource = "command"
	SourceMCP     CallableSource = "mcp"
	SourceAgent   CallableSource = "agent"
)

// CallableSources lists them all.
var CallableSources = []CallableSource{SourceBuiltin, SourceHTTP, SourceCommand, SourceMCP, SourceAgent}

// AgentPrefix begins the name of an agent in the catalogue.
const AgentPrefix = run.AgentPrefix

// Match is a callable that fits a request.
type Match struct {
	Callable
	Score float64 // 0 to 1, for the order
	// Confidence is the share of the request that it accounts for, from 0 to 1.
	Confidence float64
	Why        []string
}

// Catalogue lists everything that can be called. It never waits for long,
// but for its first index: a server that does not answer is left out, or
// its last known list is used, and the notes say so.
type Catalogue interface {
	// All lists everything, by name.
	All(ctx context.Context) (all []Callable, notes []string)
	// Search finds what fits a request in plain words, the best first.
	Search(ctx context.Context, request string, most int) (found []Match, notes []string)
	// ServerStates lists the MCP servers in force, by name. It asks nothing.
	ServerStates() []ServerState
	// CheckServer asks a server for its tools now, starting it if necessary, and waits for the answer; false if that
	// server is not found.
	CheckServer(ctx context.Context, name string) (ServerState, bool)
}

// ServerState is what is known about an MCP server.
type ServerState struct {
	Name         string
	Tools        int       // in its last list
	SeenAt       time.Time // when it sent its last list; zero: never
	FailingSince time.Time // when the first question failed since then; zero: the last one succeeded, or there was none
	FailedAt     time.Time // when the last question failed; zero likewise
	Why          string    // it fails
	Asking       bool      // a question is under way
}

// Need is a requirement of a running plan, and what is known about the run.
type Need struct {
	Run         string
	Requirement string
	Failed      string // the step that the new ones are to replace; empty: none
	Plan        *plan.Plan
	Input       json.RawMessage // of the run
	Done        []StepOutput    // completed steps, in plan order
	Pending     []string        // steps that have not started, in plan order
}

// StepOutput is the result of a step.
type StepOutput struct {
	Step   string
	Output json.RawMessage
}

// NewSteps are steps that meet a requirement; none is an answer.
type NewSteps struct {
	Steps   []plan.Step
	Agents  map[string]plan.Agent // those that the plan does not have yet
	Because []run.Because
	Reason  string // why there are none, or what to know about them
	// Harmless: all of them are declared to change nothing.
	Harmless bool
}

// Intent is what a plan is wanted for, in plain words.
type Intent struct {
	Text  string
	Name  string          // of the workflow; empty: made from the text
	Input json.RawMessage // an example of a run's input; nil: none
	// Candidates is how many tools and agents are listed beside the plan at most.
	Candidates int
	// Arrangement is a choice of tools and their order proposed from outside, by a language model for example. Nothing
	// of it is trusted; nil: the planner chooses.
	Arrangement []ArrangedStep
}

// ArrangedStep is one step of a proposed arrangement.
type ArrangedStep struct {
	Tool  string       // as the catalogue names it
	Part  string       // of the intent that it serves
	Needs []int        // earlier steps of the arrangement
	With  plan.Mapping // sources name the steps of the arrangement by number: steps[0].path
}

// Suggestion is a plan for an intent. No plan is an answer.
type Suggestion struct {
	Workflow   *plan.Workflow // nil: nothing was found
	Confidence float64        // 0 to 1
	Why        []StepReason   // of each step, in the order of the plan
	Missing    []string       // parts of the intent that nothing fits
	Candidates []Match        // that come nearest, the best first
	Notes      []string       // what to know about it
}

// StepReason is why a step was suggested.
type StepReason struct {
	Step       string
	Tool       string // or agent:NAME
	Part       string // of the intent that it serves
	Score      float64
	Confidence float64
	Because    []string
	Unset      []string   // required arguments that nothing provides: a run's input has to
	Asks       bool       // people are asked before it
	Risk       risk.Class // of the tool; empty: an agent
}
