package app

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/automation"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/refusal"
	"github.com/assent-run/assent/internal/sight"
	"github.com/assent-run/assent/internal/trace"
	"github.com/assent-run/assent/internal/view"
)

// NewRun is a request to start a run.
type NewRun struct {
	// The name of the workflow.
	Workflow string `json:"workflow"`
	// The published version if omitted.
	Version int `json:"version,omitempty"`
	// The input; an empty object if omitted.
	Input json.RawMessage `json:"input,omitempty"`
	// Do not call tools or agents that declare an operation or a risk; use samples.
	TestMode bool              `json:"test_mode,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
}

// Begin starts a run of a workflow.
func (a *App) Begin(ctx context.Context, who Who, n NewRun, k Idempotency) (v view.Run, err error) {
	defer a.guard.Refusing(ctx, who, "run.started", "workflow/"+n.Workflow, &err)
	if err := a.guard.Workflow(ctx, who, access.Start, n.Workflow); err != nil {
		return view.Run{}, err
	}
	def, err := a.registry.DefinitionAt(ctx, n.Workflow, n.Version)
	if err != nil {
		return view.Run{}, a.guard.OrUnknown(err, who, definition.KindWorkflow, n.Workflow)
	}
	if len(n.Input) == 0 {
		n.Input = json.RawMessage(`{}`)
	}
	if err := sight.RefuseMarker("the input", "input", n.Input); err != nil {
		return view.Run{}, err
	}
	return a.begin(ctx, who, def, run.Start{Input: n.Input, Owner: who.Key(), Labels: n.Labels, TestMode: n.TestMode}, k)
}

func (a *App) begin(ctx context.Context, who Who, def *plan.Definition, start run.Start,
	k Idempotency) (view.Run, error) {
	id := a.newRunID(a.Now())
	start.Trace = trace.From(ctx).String()
	var shown view.Run
	_, err := a.engine.Begin(ctx, id, def, run.Command{ID: id, By: who.Actor(), Do: start}, a.viewing(ctx, who, &shown, k))
	return shown, err
}

// viewing shows the run as the write leaves it, and stores that view for repeated requests.
func (a *App) viewing(ctx context.Context, who Who, shown *view.Run, k Idempotency) port.Answering {
	return func(s *machine.State, _ port.Receipt) (_ *port.Answer, err error) {
		if *shown, err = a.sight.ShowRun(ctx, a.guard.Viewer(who), s, a.Now(), false); err != nil {
			return nil, err
		}
		return k.keep(*shown)
	}
}

// steering is how other rooms of use cases start and command runs.
type steering struct{ a *App }

// StartRun implements automation.Runs.
func (s steering) StartRun(ctx context.Context, who Who, workflow string, input json.RawMessage,
	k automation.Keep) (view.Run, error) {
	return s.a.Begin(ctx, who, NewRun{Workflow: workflow, Input: input}, k)
}

// Showing implements automation.Runs.
func (s steering) Showing(ctx context.Context, who Who, shown *view.Run, k automation.Keep) port.Answering {
	return s.a.viewing(ctx, who, shown, k)
}

// Send implements deliverables.Runs.
func (s steering) Send(ctx context.Context, who Who, to, id string, do run.Operation,
	answer port.Answering) (again bool, err error) {
	_, err = s.a.engine.Do(ctx, to, s.a.command(who, id, do), answer)
	_, again = taken(err)
	return again, err
}

// Run shows a run. Full shows long values whole.
func (a *App) Run(ctx context.Context, who Who, id string, full bool) (view.Run, error) {
	if _, err := a.guard.Run(ctx, who, access.See, id); err != nil {
		return view.Run{}, err
	}
	var (
		shown view.Run
		subs  []string
	)
	err := a.engine.View(ctx, id, func(s *machine.State) (err error) {
		shown, err = a.sight.ShowRun(ctx, a.guard.Viewer(who), s, a.Now(), full)
		subs = s.SubRuns()
		return err
	})
	if err == nil {
		ids, unseen := a.pendingIn(ctx, a.sight.Approvals(a.guard.Viewer(who)), subs)
		shown.PendingApprovals, shown.Unseen = append(shown.PendingApprovals, ids...), shown.Unseen+unseen
	}
	return shown, err
}

// pendingIn lists the approvals pending in sub-runs at any depth, as far as the caller may see them. Ids of approvals
// begin with that of their run.
func (a *App) pendingIn(ctx context.Context, d *sight.Approvals, runs []string) (ids []string, unseen int) {
	for _, id := range runs {
		var subs []string
		err := a.engine.View(ctx, id, func(s *machine.State) error {
			seen, more := d.Pending(s)
			ids, unseen = append(ids, seen...), unseen+more
			subs = s.SubRuns()
			return nil
		})
		if err == nil { // a run that is just starting has none yet
			seen, more := a.pendingIn(ctx, d, subs)
			ids, unseen = append(ids, seen...), unseen+more
		}
	}
	return ids, unseen
}

// RunAt shows a run as it was at a sequence number. No agent is called.
func (a *App) RunAt(ctx context.Context, who Who, id string, seq int64, full bool) (view.Run, error) {
	then, err := a.stateAt(ctx, who, id, seq)
	if err != nil {
		return view.Run{}, err
	}
	return a.sight.ShowRun(ctx, a.guard.Viewer(who), then.state, then.at, full)
}

// moment is a run at a point in the past, and the time of it.
type moment struct {
	state *machine.State
	at    time.Time
}

// stateAt folds a run's log up to and including an event; 0 is the newest.
func (a *App) stateAt(ctx context.Context, who Who, id string, seq int64) (moment, error) {
	row, err := a.guard.Run(ctx, who, access.See, id)
	if err != nil {
		return moment{}, err
	}
	at := a.Now()
	switch {
	case seq == 0:
		seq = row.Seq
	case seq < 0 || seq > row.Seq:
		return moment{}, fault.Newf(fault.Invalid, "run %s has no event %d; its last is %d", id, seq, row.Seq)
	default:
		last, err := a.log.Events(ctx, id, seq-1, 1)
		if err != nil {
			return moment{}, err
		}
		if len(last) > 0 {
			at = last[0].At
		}
	}
	s, err := a.engine.At(ctx, id, seq)
	return moment{s, at}, err
}

// Accepted reports that a command is durable.
type Accepted struct {
	Accepted bool  `json:"accepted"` // Always true.
	Seq      int64 `json:"seq"`      // The number of the newest event of the run.
}

// Command steers a run. A repeated command id gets the same answer again.
func (a *App) Command(ctx context.Context, who Who, id string, c Command, k Idempotency) (v Accepted, err error) {
	defer a.guard.Refusing(ctx, who, refusal.Command, id, &err)
	_, err = a.guard.Run(ctx, who, actionOf(c.Do), id)
	if change, ok := c.Do.(run.ModifyArgs); ok && err == nil {
		err = sight.RefuseMarker("the command", "changes", change.Changes)
	}
	if err != nil {
		return Accepted{}, err
	}
	do, err := a.agentsFor(c.Do)
	if err != nil {
		return Accepted{}, err
	}
	var answer Accepted
	r, err := a.engine.Do(ctx, id, a.command(who, c.ID, do),
		func(s *machine.State, r port.Receipt) (*port.Answer, error) {
			answer = Accepted{true, r.Seq}
			return k.keep(answer)
		})
	if seq, again := taken(err); again {
		return Accepted{true, seq}, nil
	}
	if err == nil && answer.Seq == 0 {
		answer = Accepted{true, r.Seq} // nothing had to change
	}
	return answer, err
}

// command is a caller's command to a run. Ids that callers choose are scoped to the caller.
func (a *App) command(who Who, id string, do run.Operation) run.Command {
	c := run.Command{ID: who.Key() + " " + id, By: who.Actor(), Do: do,
		May: a.guard.Rules().Answering(a.guard.Subject(who))}
	if id == "" {
		c.ID = a.newRunID(a.Now())
	}
	return c
}

// taken is the log position of a command that was accepted earlier.
func taken(err error) (seq int64, again bool) {
	if !fault.Is(err, fault.Duplicate) {
		return 0, false
	}
	seq, again = fault.DetailOf(err)["seq"].(int64)
	return seq, again
}

// Retry starts a run again: same input, same version.
func (a *App) Retry(ctx context.Context, who Who, id string, k Idempotency) (v view.Run, err error) {
	defer a.guard.Refusing(ctx, who, "run.started", id, &err)
	row, err := a.guard.Run(ctx, who, access.Steer, id)
	if err != nil {
		return view.Run{}, err
	}
	var start run.Start
	err = a.engine.View(ctx, id, func(s *machine.State) error {
		if !s.Status.Ended() {
			return fault.New(fault.Conflict, "the run has not ended yet", "cancel it first, or wait")
		}
		if s.Removed != nil {
			return s.Removed.Refusal()
		}
		owner := who.Key()
		if who.Actor().Kind != run.Person { // or the person who requested it could approve it
			owner = s.Started.Owner
		}
		start = run.Start{Input: s.Started.Input, Owner: owner, Labels: s.Started.Labels, TestMode: s.Started.TestMode,
			RetryOf: id, Family: s.Family()}
		return nil
	})
	if err != nil {
		return view.Run{}, err
	}
	def, err := a.registry.DefinitionAt(ctx, row.Workflow, row.Version)
	if err != nil {
		return view.Run{}, err
	}
	return a.begin(ctx, who, def, start, k)
}

// Resume continues a failed run from its last good state, a paused one, and with higher limits one that stopped at a
// limit.
func (a *App) Resume(ctx context.Context, who Who, id string, do run.Resume, k Idempotency) (v view.Run, err error) {
	defer a.guard.Refusing(ctx, who, refusal.Command, id, &err)
	if _, err := a.guard.Run(ctx, who, actionOf(do), id); err != nil {
		return view.Run{}, err
	}
	var shown view.Run
	_, err = a.engine.Do(ctx, id, a.command(who, "", do), a.viewing(ctx, who, &shown, k))
	return shown, err
}

// Fork is a request to fork a run.
type Fork struct {
	AtSeq int64     `json:"at_seq"`         // The last event to include in the new run.
	Edits run.Edits `json:"edits,omitzero"` // Changes to the history.
}

// Fork starts a run with the history of another, up to and including an event.
func (a *App) Fork(ctx context.Context, who Who, id string, f Fork, k Idempotency) (v view.Run, err error) {
	defer a.guard.Refusing(ctx, who, "run.forked", id, &err)
	if _, err := a.guard.Run(ctx, who, access.Fork, id); err != nil {
		return view.Run{}, err
	}
	if err := refuseMarkersIn(f.Edits); err != nil {
		return view.Run{}, err
	}
	if err := a.engine.View(ctx, id, func(s *machine.State) error {
		if s.Removed != nil {
			return s.Removed.Refusal()
		}
		return nil
	}); err != nil {
		return view.Run{}, err
	}
	fork := a.newRunID(a.Now())
	var shown view.Run
	_, err = a.engine.Fork(ctx, fork, id, f.AtSeq, f.Edits, run.Command{ID: fork, By: who.Actor()},
		a.viewing(ctx, who, &shown, k))
	return shown, err
}

// StateAt is a run as it was at a sequence number.
func (a *App) StateAt(ctx context.Context, id string, seq int64) (*machine.State, error) {
	return a.engine.At(ctx, id, seq)
}
