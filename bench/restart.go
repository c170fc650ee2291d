package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
)

// restart starts a process on a store with many open runs. Most wait for people, all of these with a deadline
// that the engine has to watch, some of them close; one in a hundred was at work when the last process ended.
type restart struct{}

func (restart) name() string { return "restart" }

func (restart) measure(ctx context.Context, b *bench, h home) error {
	store, err := h.open(ctx)
	if err != nil {
		return err
	}
	s := seeding{store, time.Now().Add(-time.Duration(b.open) * time.Millisecond)}
	var plans []*plan.Plan
	for _, w := range []string{
		askingWorkflow("patient", "role-1", risk.Low, "30d"), askingWorkflow("hasty", "role-1", risk.High, "1h"),
		`{"workflow":"working","steps":[{"id":"a","agent":"x"}]}`,
	} {
		p, e := s.compile(ctx, w)
		err = errors.Join(err, e)
		plans = append(plans, p)
	}
	if err != nil {
		return errors.Join(err, store.Close())
	}
	ids, err := s.runs(ctx, b.open, func(i int) *plan.Plan {
		switch {
		case i%100 == 99:
			return plans[2]
		case i%10 == 5:
			return plans[1]
		}
		return plans[0]
	})
	if err := errors.Join(err, store.Close()); err != nil {
		return err
	}
	answer, err := probe{Home: h, Run: ids[b.open/2]}.ask(ctx)
	if err != nil {
		return err
	}
	with := fmt.Sprintf(", %d open runs", b.open)
	b.report(single("store open"+with, "s", answer.Open.Seconds()))
	b.report(single("first command durable"+with, "s", answer.Accepted.Seconds()).below(amount, 2))
	b.report(single("all that was owed taken up and done"+with, "s", answer.Idle.Seconds()))
	b.report(single("memory then"+with, "MB", megabytes(answer.Resident)))
	return nil
}
