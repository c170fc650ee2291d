package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
)

// inbox reads pages of many pending approvals, and measures their memory.
type inbox struct{}

func (inbox) name() string { return "inbox" }

const (
	flows = 20 // workflows that require approval
	roles = 5  // their assignees
	rare  = 5000
)

// askingWorkflow asks a role before its only step.
func askingWorkflow(name, role string, level risk.Level, timeout string) string {
	return fmt.Sprintf(`{"workflow":%q,"steps":[{"id":"pay","agent":"x","risk":%q}],
		"gates":[{"id":"g","at":"before pay","title":"Pay this out?","role":%q,"timeout":{"after":%q,"then":"reject"}}]}`,
		name, level, role, timeout)
}

// queries are typical searches.
var queries = []struct {
	name string
	q    port.ApprovalQuery
}{
	{"all, by priority", port.ApprovalQuery{Sort: port.ByPriority}},
	{"all, by age", port.ApprovalQuery{Sort: port.ByAge}},
	{"all, by deadline", port.ApprovalQuery{Sort: port.ByDeadline}},
	{"one role, by priority", port.ApprovalQuery{Asked: []string{"role:role-1"}, Sort: port.ByPriority}},
	{"one role, by age", port.ApprovalQuery{Asked: []string{"role:role-1"}, Sort: port.ByAge}},
	{"one role, by deadline", port.ApprovalQuery{Asked: []string{"role:role-1"}, Sort: port.ByDeadline}},
	{"a person with two roles", port.ApprovalQuery{Asked: []string{"bob", "role:role-1", "role:role-2"}}},
	{"one risk level", port.ApprovalQuery{Risk: string(risk.Medium)}},
	{"one risk level, by age", port.ApprovalQuery{Risk: string(risk.Critical), Sort: port.ByAge}},
	{"one workflow", port.ApprovalQuery{Workflow: "flow-07"}},
	{"one role, risk level and workflow", port.ApprovalQuery{Asked: []string{"role:role-2"},
		Risk: string(risk.Critical), Workflow: "flow-07"}},
	{"one role, a workflow that asks another", port.ApprovalQuery{Asked: []string{"role:role-1"}, Workflow: "flow-07"}},
	{"a workflow that rarely asks", port.ApprovalQuery{Workflow: "flow-rare"}},
	{"one role, a workflow that rarely asks", port.ApprovalQuery{Asked: []string{"role:role-1"}, Workflow: "flow-rare"}},
	{"a workflow that never asks", port.ApprovalQuery{Workflow: "flow-never"}},
}

func (inbox) measure(ctx context.Context, b *bench, h home) error {
	empty, err := probe{Home: h}.ask(ctx)
	if err != nil {
		return err
	}
	store, err := h.open(ctx)
	if err != nil {
		return err
	}
	seeded := 0
	for _, n := range b.approvals {
		if err = seedApprovals(ctx, b, store, seeded, n); err == nil {
			err = h.settle(ctx)
		}
		if err == nil {
			err = readPages(ctx, b, store, n)
		}
		seeded = n
		if err != nil {
			break
		}
		if err = store.Close(); err != nil {
			return err
		}
		full, e := probe{Home: h}.ask(ctx)
		if err = e; err != nil {
			return err
		}
		b.say("  %d approvals: %.0f MB on disk, a fresh process needs %.0f MB", n, megabytes(h.sizeOf()),
			megabytes(full.Resident))
		b.report(single(fmt.Sprintf("memory of a fresh process, each of %d", n), "bytes",
			float64(full.Resident-empty.Resident)/float64(n)).below(amount, 100))
		if store, err = h.open(ctx); err != nil {
			return err
		}
	}
	return errors.Join(err, store.Close())
}

// seedApprovals adds waiting runs, until there are n.
func seedApprovals(ctx context.Context, b *bench, store store.Store, have, n int) error {
	s := seeding{store, time.Now().Add(-time.Duration(n) * time.Millisecond)}
	var plans []*plan.Plan
	for i := range flows {
		p, err := s.compile(ctx, askingWorkflow(fmt.Sprintf("flow-%02d", i), fmt.Sprintf("role-%d", i%roles),
			risk.Levels[i%len(risk.Levels)], fmt.Sprintf("%dd", 3+i)))
		if err != nil {
			return err
		}
		plans = append(plans, p)
	}
	seldom, err := s.compile(ctx, askingWorkflow("flow-rare", "role-1", risk.Low, "3d"))
	if err != nil {
		return err
	}
	at := time.Now()
	_, err = s.runs(ctx, n-have, func(i int) *plan.Plan {
		if i%rare == rare-1 {
			return seldom
		}
		return plans[i*7919%flows]
	})
	b.report(single(fmt.Sprintf("seeding up to %d approvals", n), "approvals/s", float64(n-have)/time.Since(at).Seconds()))
	return err
}

// readPages goes through the pages of each query.
func readPages(ctx context.Context, b *bench, store store.Store, n int) error {
	for _, query := range queries {
		q := query.q
		q.Status = []string{"pending"}
		var took []time.Duration
		for range b.pages {
			at := time.Now()
			page, err := store.Approvals(ctx, q)
			if err != nil {
				return err
			}
			took = append(took, time.Since(at))
			q.Cursor = page.Next
		}
		b.report(latencies(fmt.Sprintf("page of %d: %s", n, query.name), took).below(p99, 20))
	}
	return nil
}
