package app

import (
	"context"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/view"
)

// Events reads a run's log after a sequence number, oldest first.
func (a *App) Events(ctx context.Context, who Who, id string, after int64, limit int,
	full bool) (view.List[view.Event], error) {
	row, err := a.run(ctx, who, access.See, id)
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
	out.Items, err = a.showEvents(ctx, who, out.Items, full)
	return out, err
}
