// Package engine contains what all engines share: projecting the events of a run to the rows that lists show.
// The engines themselves are its sub-packages.
package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/experience"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// Projector applies events to a state and tracks what they changed:
//
//	p := engine.NewProjector(state)
//	for _, e := range events { p.Apply(e) }
//	write, err := p.Write(events)
type Projector struct {
	s            *machine.State
	approvals    map[string]*gate.Approval // complete rows after the events
	deliverables []port.DeliverableRow
	marks        []port.DeliverableMark
	owed         []run.Effect
	audit        []port.AuditDraft
	worked       []port.Worked
}

// NewProjector starts from a stored state.
func NewProjector(s *machine.State) *Projector { return &Projector{s: s} }

// Owed returns the effects after the events, once Write has been called: the row contains part of them, and
// hosts act on all of them.
func (p *Projector) Owed() []run.Effect { return p.owed }

// Apply applies an event to the state.
func (p *Projector) Apply(e run.Event) {
	worker, before := workerOf(p.s, e.Fact), spentBy(p.s)
	p.apply(e)
	p.count(e, worker, before)
}

func (p *Projector) apply(e run.Event) {
	p.record(e)
	id := approvalOf(e.Fact)
	if r, ok := e.Fact.(*run.ApprovalResolved); ok {
		// The state drops the details of settled approvals; the row keeps them.
		if a, known := p.s.Approval(id); known {
			a = a.Clone()
			a.Settle(r.Outcome, e.At)
			p.changed(a)
		}
		p.s.Apply(e)
		return
	}
	p.s.Apply(e)
	if f, ok := e.Fact.(*run.ApprovalAutoApproved); ok {
		a := gate.Open(f.Request, e.At)
		a.Sample = f.Sample
		a.Settle(gate.Outcome{Status: gate.AutoApproved, Act: gate.Approve, Comment: f.Reason}, e.At)
		p.changed(a)
	} else if a, known := p.s.Approval(id); known {
		p.changed(a)
	}
	switch f := e.Fact.(type) {
	case *run.DeliverableCreated:
		p.delivered(f, e.At)
	case *run.DeliverableMarked:
		p.mark(port.DeliverableMark{ID: p.own(f.ID), Status: f.Status, At: e.At})
	}
}

func (p *Projector) changed(a *gate.Approval) {
	if p.approvals == nil {
		p.approvals = map[string]*gate.Approval{}
	}
	p.approvals[a.ID] = a
}

// approvalOf is the id of the approval that a fact changes.
func approvalOf(f run.Fact) string {
	switch f := f.(type) {
	case *run.ApprovalNeeded:
		return f.Request.ID
	case *run.ApprovalAutoApproved:
		return f.Request.ID
	case *run.ApprovalDecided:
		return f.ID
	case *run.ApprovalResolved:
		return f.ID
	case *run.ApprovalCommented:
		return f.ID
	case *run.ApprovalReminder:
		return f.ID
	case *run.ApprovalEscalated:
		return f.ID
	case *run.ApprovalTimedOut:
		return f.ID
	case *run.ApprovalPaused:
		return f.ID
	}
	return ""
}

// Write returns what to store for the applied events.
func (p *Projector) Write(events []run.Event) (port.Write, error) {
	first := events[0]
	w := port.Write{Run: p.s.ID, After: first.Seq - 1, Events: events, Row: p.runRow(events[len(events)-1].At),
		Deliverables: p.deliverables, Marks: p.marks, Audit: p.audit, Worked: p.worked}
	w.Taught, w.Untaught = p.taught(events)
	if len(p.approvals) == 0 {
		return w, nil
	}
	// A fork's log begins with another run's history, whose approvals belong to that run.
	own := fmt.Sprintf("apr_%s_", strings.TrimPrefix(p.s.ID, "run_"))
	for _, id := range slices.Sorted(maps.Keys(p.approvals)) {
		if !strings.HasPrefix(id, own) {
			continue
		}
		row, err := p.approvalRow(p.approvals[id])
		if err != nil {
			return w, fmt.Errorf("project approval %s: %w", id, err)
		}
		w.Approvals = append(w.Approvals, row)
	}
	return w, nil
}

// taught is what the run teaches, if it ended with the events, and whether what it taught no longer counts.
func (p *Projector) taught(events []run.Event) (e *run.Experience, gone bool) {
	changes := false
	for i := range events {
		changes = changes || Teaches(events[i].Fact)
		switch events[i].Fact.(type) {
		case *run.RunReopened, *run.PayloadsRemoved:
			gone = true
		}
	}
	if changes {
		e = experience.Of(p.s)
	}
	return e, gone
}

// Teaches reports whether a fact changes what its run teaches.
func Teaches(f run.Fact) bool {
	switch f.(type) {
	case *run.RunCompleted, *run.RunFailed, *run.RunCancelled, *run.RunLimitReached, *run.RunReopened,
		*run.PayloadsRemoved:
		return true
	}
	return false
}

func (p *Projector) runRow(at time.Time) port.RunRow {
	s := p.s
	row := port.RunRow{
		ID: s.ID, Workflow: s.Started.Workflow, Version: s.Started.Version,
		Definition: s.Started.Definition, Status: s.Status,
		Owner: s.Started.Owner, Labels: s.Started.Labels, Subject: s.Subject(), TestMode: s.Started.TestMode, Seq: s.Seq,
		StepsTotal: len(s.Steps), StepsDone: s.StepsDone(),
		Pending: len(s.Pending()), CostUSD: s.Usage.CostUSD.String(), RetryOf: s.Started.RetryOf,
		StartedAt: s.StartedAt, UpdatedAt: at, EndedAt: s.EndedAt, Cancelling: s.Cancelling != nil,
	}
	if s.Error != nil {
		row.Error = s.Error.Message
	}
	if s.Started.Parent != nil {
		row.Parent = s.Started.Parent.Run
	}
	if s.Forked != nil {
		row.ForkedFrom = s.Forked.From
	}
	p.owed = s.Effects()
	for _, e := range p.owed {
		if wake, ok := e.Do.(run.Wake); ok {
			row.DueAt = wake.At
		} else {
			row.Busy = true
		}
	}
	return row
}

func (p *Projector) approvalRow(a *gate.Approval) (port.ApprovalRow, error) {
	body, err := value.Marshal(a)
	t := &a.Terms
	row := port.ApprovalRow{
		ID: a.ID, Run: p.s.ID, Workflow: p.s.Started.Workflow, Step: a.Step, Agent: a.Agent,
		Tool: a.Action.Tool, Kind: string(a.Kind),
		Reason: string(a.Reason), Status: string(a.Status), Risk: string(a.Risk.Level), Title: a.Title,
		Requester: t.Requester,
		Priority:  -urgentBy(a).Unix(), Version: a.Version, RequestedAt: a.OpenedAt, DeadlineAt: t.Deadline,
		SettledAt: a.SettledAt,
		Asked:     asked(a), Body: body,
	}
	return row, err
}

// asked lists who may decide; an empty list means anyone. Delegates of an approval open to anyone are listed
// anyway: they may not be able to see the workflow, and this is how their inbox finds it.
func asked(a *gate.Approval) []string {
	t := &a.Terms
	if t.OnlyOwner != "" {
		return []string{t.OnlyOwner}
	}
	var who []string
	if t.Role != "" {
		who = append(who, "role:"+t.Role)
	}
	for _, r := range slices.Sorted(maps.Keys(t.Roles)) {
		who = append(who, "role:"+r)
	}
	who = append(who, t.Assignees...)
	if len(who) == 0 {
		if len(a.Also)+len(a.Delegations) == 0 {
			return nil
		}
		who = append(who, port.Anyone)
	}
	who = append(who, a.Also...)
	for _, d := range a.Delegations {
		who = append(who, d.To)
	}
	slices.Sort(who)
	return slices.Compact(who)
}
