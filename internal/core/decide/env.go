package decide

import (
	"time"

	"github.com/assent-run/assent/internal/core/asking"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

var system = run.Actor{Kind: run.System}

const (
	consultTimeout = 60 * time.Second
	consultTries   = 3  // of an unusable answer or a transient failure
	consultTurns   = 10 // in which a model may look things up, unless its limits say otherwise
	replanTimeout  = 60 * time.Second
	confidenceSure = 0.9
)

// Judge is the policy in force.
type Judge = asking.Judge

// Env is the environment that Handle may see.
type Env struct {
	Now   time.Time
	Judge Judge // nil: no policy
	// Stopped reports that the emergency stop is on: timeouts approve nothing.
	Stopped bool
	// Elsewhere returns the totals of other runs, if known; nil: unknown.
	Elsewhere func(run.Elsewhere) (tallies []run.Tally, known bool)
	// InForce lists what an agent or a sub-workflow would use now, by kind and name; nil: the host keeps no
	// versions.
	InForce func(kind, name string) []gate.Implementation
	// Workflow is the definition in force of a workflow that a step runs, nil if there is none; nil: the host knows
	// none.
	Workflow func(name string) *plan.Definition
}
