package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assent-run/assent/bench/peers/work"
	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/store"
)

// seeding adds runs to a store as an engine would, but without one: the same decisions, events and rows, but
// no notifications and no effects.
type seeding struct {
	store store.Store
	began time.Time // of the first run; each begins a millisecond later
}

// compile creates a plan and stores the definition its runs are bound to.
func (s seeding) compile(ctx context.Context, workflow string) (*plan.Plan, error) {
	def := define(workflow)
	p, problems := plan.Compile(def)
	if p == nil {
		return nil, fmt.Errorf("a workflow of this program is wrong: %v", problems)
	}
	bundle, err := value.Marshal(def)
	if err != nil {
		return nil, err
	}
	return p, s.store.PutBundle(ctx, plan.Digest(def), bundle)
}

// runs stores n runs; of returns the plan of each. It returns their ids.
func (s seeding) runs(ctx context.Context, n int, of func(i int) *plan.Plan) (ids []string, err error) {
	ids = make([]string, n)
	err = work.Many(n, 4*atOnce, func(i int) (err error) {
		ids[i], err = s.one(ctx, i, of(i))
		return err
	})
	return ids, err
}

func (s seeding) one(ctx context.Context, i int, p *plan.Plan) (id string, err error) {
	now := s.began.Add(time.Duration(i) * time.Millisecond)
	id = engine.NewRunID(now)
	state := machine.New(id, p)
	c := run.Command{ID: id, By: someone, Do: run.Start{Input: json.RawMessage(fmt.Sprintf(`{"amount":%d}`, i%1000)),
		Owner: someone.Name}}
	events, err := decide.Handle(state, decide.Env{Now: now.UTC()}, c)
	if err != nil {
		return id, err
	}
	projector := engine.NewProjector(state)
	for _, e := range events {
		projector.Apply(e)
	}
	w, err := projector.Write(events)
	if err != nil {
		return id, err
	}
	_, err = s.store.Append(ctx, w)
	return id, err
}
