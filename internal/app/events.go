package app

import (
	"context"
	"strconv"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/view"
)

// snapshotScan bounds how many events one request for snapshots looks through.
const snapshotScan = 10_000

// Snapshots lists the snapshots of a run, oldest first. It looks at a bounded part of the log
// after a sequence number: while there is a next one, continue with it.
func (a *App) Snapshots(ctx context.Context, who Who, id string, after int64,
	limit int) (out view.List[view.Snapshot], err error) {
	row, err := a.guard.Run(ctx, who, access.See, id)
	if err != nil {
		return out, err
	}
	out.Items = []view.Snapshot{}
	for end := after + snapshotScan; after < min(row.Seq, end) && len(out.Items) < limit; {
		records, err := a.log.Events(ctx, id, after, eventsPage)
		if err != nil || len(records) == 0 {
			return out, err
		}
		for _, rec := range records {
			after = rec.Seq
			if s, ok := view.SnapshotOf(rec); ok {
				out.Items = append(out.Items, s)
			}
			if len(out.Items) == limit {
				break
			}
		}
	}
	out.Total, out.AtLeast = int64(len(out.Items)), after < row.Seq
	if out.AtLeast {
		out.Next = strconv.FormatInt(after, 10)
	}
	return out, nil
}

// eventsPage is how many events are read at a time.
const eventsPage = 1000

// Events reads a run's log after a sequence number, oldest first.
func (a *App) Events(ctx context.Context, who Who, id string, after int64, limit int,
	full bool) (view.List[view.Event], error) {
	row, err := a.guard.Run(ctx, who, access.See, id)
	if err != nil {
		return view.List[view.Event]{}, err
	}
	records, err := a.log.Events(ctx, id, after, limit)
	if err != nil {
		return view.List[view.Event]{}, err
	}
	out := view.List[view.Event]{Items: []view.Event{}, Total: row.Seq}
	for _, rec := range records {
		v, err := view.EventOf(rec, full)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, v)
	}
	out.Items, err = a.sight.ShowEvents(ctx, a.guard.Viewer(who), out.Items, full)
	return out, err
}
