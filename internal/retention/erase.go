package retention

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// familyMax bounds how many runs one request deletes payloads from.
const familyMax = 10_000

// eraser is the actor that deletes expired payloads.
var eraser = run.Actor{Kind: run.System, Name: "retention"}

// Engine records deletions in runs.
type Engine interface {
	Do(ctx context.Context, id string, c run.Command, a port.Answering) (port.Receipt, error)
}

// Payloads is the part of the store that keeps payloads and orders to delete them.
type Payloads interface {
	port.Payloads
	Run(ctx context.Context, id string) (port.RunRow, error)
}

// Eraser permanently deletes the payloads of runs that have ended: the data that people and agents sent. Their events
// stay on record. If the process is killed midway, EraseEnded continues; repeating a deletion does no harm.
type Eraser struct {
	Store  Payloads
	Engine Engine
	// Workspace removes the files that agents left in a run's directory; nil: there are none.
	Workspace func(run string) error
	// Erased is told of each run whose payloads were deleted, or might have been.
	Erased func(run string)
	Now    func() time.Time
}

// Family is a run with all runs to delete with it, and the runs that have copies and stay. Nothing is deleted while
// one of them is still running.
func (e *Eraser) Family(ctx context.Context, id string, withCopies bool) (all, copies []string, err error) {
	all = []string{id}
	for i := 0; i < len(all); i++ {
		row, err := e.Store.Run(ctx, all[i])
		if err != nil {
			return nil, nil, err
		}
		if row.EndedAt.IsZero() {
			return nil, nil, fault.New(fault.Conflict,
				fmt.Sprintf("run %s has not ended: its payloads are still needed", all[i]), "cancel it first, or wait")
		}
		subs, made, err := e.Store.Relatives(ctx, all[i])
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

// Erase carries out a deletion order, or continues it. The run records it before anything is deleted: from then on it
// can't be resumed.
func (e *Eraser) Erase(ctx context.Context, order port.Removal) error {
	order, err := e.Store.OrderRemoval(ctx, order)
	if err != nil || order.Done {
		return err
	}
	_, err = e.Engine.Do(ctx, order.Run, run.Command{By: order.By, Do: run.Forget{Reason: order.Reason}}, nil)
	if code := fault.CodeOf(err); code == fault.Conflict || code == fault.Invalid || code == fault.Closed {
		if dropped := e.Store.DropRemoval(ctx, order.Run); dropped != nil {
			return dropped
		}
	}
	if err == nil && e.Workspace != nil {
		err = e.Workspace(order.Run)
	}
	if err == nil {
		err = e.Store.RemovePayloads(ctx, order.Run)
	}
	e.Erased(order.Run)
	return err
}

// EraseEnded deletes the payloads of runs that ended before a time (zero: of none), and continues deletions already
// begun: a bounded number per call. It returns how many.
func (e *Eraser) EraseEnded(ctx context.Context, ended time.Time, limit int) (int, error) {
	open, err := e.Store.OpenRemovals(ctx, limit)
	if err != nil {
		return 0, err
	}
	if !ended.IsZero() && len(open) < limit {
		ids, err := e.Store.Removable(ctx, ended, limit-len(open))
		if err != nil {
			return 0, err
		}
		for _, id := range ids {
			open = append(open, port.Removal{Run: id, By: eraser,
				Reason: "it ended before " + ended.UTC().Format(time.RFC3339), At: e.Now()})
		}
	}
	for n, order := range open {
		if err := e.Erase(ctx, order); err != nil {
			return n, fmt.Errorf("run %s: %w", order.Run, err)
		}
	}
	return len(open), nil
}
