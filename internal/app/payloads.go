package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
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

// familyMax bounds how many runs one request deletes payloads from.
const familyMax = 10_000

// Forget permanently deletes the payloads of a run that has ended and of its sub-runs. Its events stay on record. If
// the process is killed midway, the server continues when it starts again; repeating the request does no harm.
func (a *App) Forget(ctx context.Context, who Who, id string, f Forgetting) (v ForgottenView, err error) {
	defer a.refusing(ctx, who, "payloads.removed", id, &err)
	row, err := a.run(ctx, who, access.Forget, id)
	if err != nil {
		return ForgottenView{}, err
	}
	if f.Reason == "" {
		return ForgottenView{}, fault.Of("the request is not valid",
			[]fault.Problem{{Path: "reason", Message: "a reason is required; it is kept in the audit log"}})
	}
	all, copies, err := a.family(ctx, id, f.WithCopies)
	if err != nil {
		return ForgottenView{}, err
	}
	for _, one := range all {
		if err := a.forgetOne(ctx, port.Removal{Run: one, By: who.Actor(), Reason: f.Reason, At: a.Now()}); err != nil {
			return ForgottenView{}, err
		}
	}
	if row.Parent != "" {
		copies = append(copies, row.Parent)
	}
	v = ForgottenView{Run: id, Runs: all, Copies: view.NotNil(copies)}
	err = a.engine.View(ctx, id, func(s *machine.State) error {
		if r := s.Removed; r != nil {
			v.RemovedAt, v.RemovedBy, v.Reason = r.At, r.By.Name, r.Reason
		}
		return nil
	})
	return v, err
}

// family is a run with all runs to delete with it, and the runs that have copies and stay. Nothing is deleted while
// one of them is still running.
func (a *App) family(ctx context.Context, id string, withCopies bool) (all, copies []string, err error) {
	all = []string{id}
	for i := 0; i < len(all); i++ {
		row, err := a.lists.Run(ctx, all[i])
		if err != nil {
			return nil, nil, err
		}
		if row.EndedAt.IsZero() {
			return nil, nil, fault.New(fault.Conflict,
				fmt.Sprintf("run %s has not ended: its payloads are still needed", all[i]), "cancel it first, or wait")
		}
		subs, made, err := a.payloads.Relatives(ctx, all[i])
		if err != nil {
			return nil, nil, err
		}
		if withCopies {
			subs = append(subs, made...)
		} else {
			copies = append(copies, made...)
		}
		for _, one := range subs {
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
		if len(all) > familyMax {
			return nil, nil, fault.Newf(fault.TooLarge, "this run has more than %d related runs", familyMax)
		}
	}
	copies = slices.DeleteFunc(copies, func(one string) bool { return slices.Contains(all, one) })
	slices.Sort(copies)
	return all, slices.Compact(copies), nil
}

// forgetOne carries out a deletion order, or continues it. The run records it before anything is deleted: from then on
// it can't be resumed.
func (a *App) forgetOne(ctx context.Context, order port.Removal) error {
	order, err := a.payloads.OrderRemoval(ctx, order)
	if err != nil || order.Done {
		return err
	}
	_, err = a.engine.Do(ctx, order.Run, run.Command{By: order.By, Do: run.Forget{Reason: order.Reason}}, nil)
	if code := fault.CodeOf(err); code == fault.Conflict || code == fault.Invalid || code == fault.Closed {
		if dropped := a.payloads.DropRemoval(ctx, order.Run); dropped != nil {
			return dropped
		}
	}
	if err == nil && a.removeWorkspace != nil {
		err = a.removeWorkspace(order.Run)
	}
	if err == nil {
		err = a.payloads.RemovePayloads(ctx, order.Run)
	}
	a.masking.Forget(order.Run)
	a.lessons.Forget()
	return err
}

// retention is the actor that deletes expired payloads.
var retention = run.Actor{Kind: run.System, Name: "retention"}

// ForgetEnded deletes the payloads of runs that ended before a time (zero: of none), and continues deletions already
// begun: a bounded number per call. It returns how many.
func (a *App) ForgetEnded(ctx context.Context, ended time.Time, limit int) (int, error) {
	open, err := a.payloads.OpenRemovals(ctx, limit)
	if err != nil {
		return 0, err
	}
	if !ended.IsZero() && len(open) < limit {
		ids, err := a.payloads.Removable(ctx, ended, limit-len(open))
		if err != nil {
			return 0, err
		}
		for _, id := range ids {
			open = append(open, port.Removal{Run: id, By: retention,
				Reason: "it ended before " + ended.UTC().Format(time.RFC3339), At: a.Now()})
		}
	}
	for n, order := range open {
		if err := a.forgetOne(ctx, order); err != nil {
			return n, fmt.Errorf("run %s: %w", order.Run, err)
		}
	}
	if ended.IsZero() {
		return len(open), nil
	}
	n, err := a.triggers.Store.ExpireHookDeliveries(ctx, ended, limit)
	return len(open) + n, err
}
