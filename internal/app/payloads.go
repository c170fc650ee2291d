package app

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

// Forgetting is a request to delete a run's payloads: the data that people and agents sent.
type Forgetting struct {
	// The reason. It is kept in the audit log, so do not include the deleted data.
	Reason     string `json:"reason"`
	WithCopies bool   `json:"with_copies,omitempty"` // Also delete payloads of forks and retries of the run.
}

// ForgottenView reports which payloads were deleted and which were not.
type ForgottenView struct {
	Run string `json:"run"`
	// When.
	RemovedAt time.Time `json:"removed_at"`
	// Who did it.
	RemovedBy string `json:"removed_by"`
	// Why.
	Reason string `json:"reason"`
	// All runs whose payloads are deleted: this run, its sub-runs, and copies if requested.
	Runs []string `json:"runs"`
	// Runs that may still contain copies: forks, retries, and the parent run.
	Copies []string `json:"copies"`
}

// Forget permanently deletes the payloads of a run that has ended and of its sub-runs. Its events stay on record. If
// the process is killed midway, the server continues when it starts again; repeating the request does no harm.
func (a *App) Forget(ctx context.Context, who Who, id string, f Forgetting) (v ForgottenView, err error) {
	defer a.guard.Refusing(ctx, who, "payloads.removed", id, &err)
	row, err := a.guard.Run(ctx, who, access.Forget, id)
	if err != nil {
		return ForgottenView{}, err
	}
	if f.Reason == "" {
		return ForgottenView{}, fault.Of("the request is not valid",
			[]fault.Problem{{Path: "reason", Message: "a reason is required; it is kept in the audit log"}})
	}
	all, copies, err := a.eraser.Family(ctx, id, f.WithCopies)
	if err != nil {
		return ForgottenView{}, err
	}
	for _, one := range all {
		if err := a.eraser.Erase(ctx, port.Removal{Run: one, By: who.Actor(), Reason: f.Reason, At: a.Now()}); err != nil {
			return ForgottenView{}, err
		}
	}
	if row.Parent != "" {
		copies = append(copies, row.Parent)
	}
	v = ForgottenView{Run: id, Runs: all, Copies: view.NotNil(copies)}
	err = a.engine.View(ctx, id, func(s *machine.State) error {
		if r := s.Removed; r != nil {
			v.RemovedAt, v.RemovedBy, v.Reason = r.At, r.By.Key(), r.Reason
		}
		return nil
	})
	return v, err
}

// ForgetEnded deletes the payloads of runs that ended before a time (zero: of none), and continues deletions already
// begun: a bounded number per call. It returns how many.
func (a *App) ForgetEnded(ctx context.Context, ended time.Time, limit int) (int, error) {
	done, err := a.eraser.EraseEnded(ctx, ended, limit)
	if err != nil || ended.IsZero() {
		return done, err
	}
	n, err := a.hooks.ExpireHookDeliveries(ctx, ended, limit)
	return done + n, err
}
