// Package automation holds the use cases of runs that start without a person: schedules and triggers.
//
//	all, err := auto.Schedules(ctx, who)
//	run, err := auto.ReplayDelivery(ctx, who, "new-order", "hook_…", keep)
//
// Each authorises the caller with package guard, except for Deliver: a delivery proves by itself who sent it. Packages
// schedule and trigger do the work, and know no callers.
package automation

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/guard"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/schedule"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/trigger"
	"github.com/assent-run/assent/internal/view"
)

// Keep creates the answer to store under an idempotency key from the response to the caller. It may be nil.
type Keep = func(shown any) (*port.Answer, error)

// Runs is how runs are started and shown.
type Runs interface {
	// StartRun starts a run of a workflow for a caller, if they may.
	StartRun(ctx context.Context, who guard.Who, workflow string, input json.RawMessage, k Keep) (view.Run, error)
	// Showing shows a run that is being started as its caller sees it.
	Showing(ctx context.Context, who guard.Who, shown *view.Run, k Keep) port.Answering
}

// Config is what Automation needs.
type Config struct {
	Guard     *guard.Guard
	Sight     *sight.Sight
	Documents *documents.Documents
	Masking   *view.Sensitive
	Schedules *schedule.Host
	Triggers  *trigger.Host
	Runs      Runs
	NewRunID  func(time.Time) string
	Now       func() time.Time
}

// Automation is the schedules and triggers in force, as callers may see them. Any number of goroutines may use it.
type Automation struct {
	guard     *guard.Guard
	sight     *sight.Sight
	documents *documents.Documents
	masking   *view.Sensitive
	schedules *schedule.Host
	triggers  *trigger.Host
	runs      Runs
	newRunID  func(time.Time) string
	now       func() time.Time
}

// New creates the use cases of schedules and triggers.
func New(c Config) *Automation {
	return &Automation{guard: c.Guard, sight: c.Sight, documents: c.Documents, masking: c.Masking,
		schedules: c.Schedules, triggers: c.Triggers, runs: c.Runs, newRunID: c.NewRunID, now: c.Now}
}

// pick is the one of a list that has a name.
func pick[T any](all view.List[T], err error, kind definition.Kind, name string,
	nameOf func(T) string) (none T, _ error) {
	var names []string
	for _, v := range all.Items {
		if nameOf(v) == name {
			return v, err
		}
		names = append(names, nameOf(v))
	}
	return none, cmp.Or(err, error(registry.Unknown(kind, name, names)))
}
