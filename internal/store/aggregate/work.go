package aggregate

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// AgentWork implements port.Works.
func (a *Aggregates) AgentWork(ctx context.Context, q port.WorkQuery) (out port.AgentWork, err error) {
	err = a.db.Snapshot(ctx, func(ask storekit.Asker) (err error) {
		out, err = storekit.AgentWork(ask, q)
		return err
	})
	if err != nil {
		return port.AgentWork{}, fmt.Errorf("work of agents: %w", err)
	}
	return out, nil
}
