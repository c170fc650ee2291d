package scenario

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// Host plays a script on a real engine, while the world plays it on the state machine alone. Each method is called when
// the world has done the same, and returns an error if the host did something else.
type Host interface {
	// Define begins with a definition: runs that follow have nothing to do with earlier ones.
	Define(w *World) error
	// Do handles a command: of a person, the result of an effect, or a tick.
	Do(w *World, c run.Command, refused error) error
	// Fork starts a run with the first events of another.
	Fork(w *World, id, from string, at int64, edits run.Edits, c run.Command, refused error) error
	// Crash starts the engine again.
	Crash(w *World) error
}

func (w *World) played(by func(Host) error) error {
	if w.Host == nil {
		return nil
	}
	return by(w.Host)
}

// Now is the time in the world.
func (w *World) Now() time.Time { return w.now }

// State is the current run.
func (w *World) State() *machine.State { return w.s }

// Plan is what the current run is bound to.
func (w *World) Plan() *plan.Plan { return w.plan }

// Workflow is a workflow that the current run may start, nil if it is not defined.
func (w *World) Workflow(name string) *plan.Definition {
	all := w.plan.Definition
	wf, ok := all.Workflows[name]
	if !ok {
		return nil
	}
	return &plan.Definition{Workflow: wf, Version: 1, Agents: all.Agents, DefaultRole: all.DefaultRole,
		GatesIfMissing: all.GatesIfMissing}
}

// Log are the events of the current run, as a store keeps them.
func (w *World) Log() []json.RawMessage { return w.log }

// Judge is the policy in force, and whether the emergency stop is on.
func (w *World) Judge() (judge decide.Judge, stopped bool) { return w.env().Judge, w.stopped }

// Versions are the versions in force, by kind and name.
func (w *World) Versions() map[string]int { return maps.Clone(w.versions) }
