package aggregate

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// Figures implements port.Counts.
func (a *Aggregates) Figures(ctx context.Context, q port.FigureQuery) (out port.Figures, err error) {
	err = a.db.Snapshot(ctx, func(ask storekit.Asker) (err error) {
		out, err = storekit.Figures(ask, q, a.dialect.Cost)
		return err
	})
	if err != nil {
		return port.Figures{}, fmt.Errorf("figures: %w", err)
	}
	return out, nil
}

// Backlog implements port.Counts.
func (a *Aggregates) Backlog(ctx context.Context) (out port.Backlog, err error) {
	err = a.db.Snapshot(ctx, func(ask storekit.Asker) (err error) {
		out, err = countOpen(ask)
		return err
	})
	if err != nil {
		return port.Backlog{}, fmt.Errorf("count what is open: %w", err)
	}
	return out, nil
}
