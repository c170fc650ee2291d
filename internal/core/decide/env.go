package decide

import (
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
)

var system = run.Actor{Kind: run.System}

const (
	consultTimeout   = 60 * time.Second
	replanTimeout    = 60 * time.Second
	remindDefault    = 24 * time.Hour
	pauseDefault     = 72 * time.Hour
	confidenceSure   = 0.9
	confidenceUnsure = 0.7
)

// Judge is the policy in force. A verdict is recorded and never asked for again
// about the same thing.
type Judge interface {
	Judge(now time.Time, s policy.Subject) policy.Verdict
}

// Env is the world as Handle may see it.
type Env struct {
	Now   time.Time
	Judge Judge // nil: no policy
	// Stopped says that the emergency stop is on: silence approves nothing.
	Stopped bool
	// Elsewhere says what acts of other runs add up to, if that is known; nil: it
	// is not.
	Elsewhere func(run.Elsewhere) (tallies []run.Tally, known bool)
	// InForce lists what an agent or a sub-workflow would use now, by kind and
	// name; nil: the host keeps no versions.
	InForce func(kind, name string) []gate.Implementation
}
