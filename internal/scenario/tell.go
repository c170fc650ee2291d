package scenario

import (
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
)

// tell describes an event in plain English, or returns nothing if it would only repeat the previous line. The
// event has already been applied to the state.
func (w *World) tell(e run.Event) string {
	switch f := e.Fact.(type) {
	case *run.RunStarted:
		how := ""
		if f.TestMode {
			how = " in test mode"
		}
		if f.RetryOf != "" {
			how += ", a retry of " + f.RetryOf
		}
		return fmt.Sprintf("%s starts %s%s", e.Actor.Name, f.Workflow, how)
	case *run.RunForked:
		return fmt.Sprintf("%s forks %s into %s", e.Actor.Name, f.From, e.Run)
	case *run.RunWaiting:
		return "the run waits for people"
	case *run.RunResumed:
		return "the run continues"
	case *run.RunPaused:
		return "the run is paused" + reason(f.Reason)
	case *run.RunUnpaused:
		return "the run is no longer paused"
	case *run.RunReopened:
		if w.limited {
			w.limited = false
			return e.Actor.Name + " resumes the stopped run"
		}
		return e.Actor.Name + " resumes the failed run"
	case *run.RunCancelling:
		return "the run is being cancelled; running steps may finish" + reason(f.Reason)
	case *run.RunCompleted:
		return "the run is completed: " + text(f.Output)
	case *run.RunFailed:
		return "the run failed" + reason(f.Error.Message) + " (" + f.Error.Code + ")"
	case *run.RunCancelled:
		return "the run is cancelled" + reason(f.Reason)
	case *run.RunLimitReached:
		w.limited = true
		return fmt.Sprintf("the run stops: the %s limit of %s is reached", f.Limit, f.Step)
	case *run.WarningRaised:
		return fmt.Sprintf("warning: %s (%s)", f.Message, f.Code)
	case *run.PayloadsRemoved:
		return e.Actor.Name + " deletes the payloads of the run" + reason(f.Reason)
	case *run.SnapshotSaved:
		switch {
		case f.Step != "":
			return "a snapshot is saved after " + f.Step
		case f.Layer != nil:
			return fmt.Sprintf("a snapshot is saved after layer %d", *f.Layer)
		}
		return "a snapshot is saved"
	case *run.MessageAdded:
		to := ""
		if f.To != "" {
			to = " to " + f.To
		}
		return fmt.Sprintf("%s says%s: %s", f.From.Name, to, f.Text)
	case *run.AgentMessage:
		return fmt.Sprintf("%s writes to %s: %s", f.From, f.To, f.Text)
	case *run.DeliverableCreated:
		return fmt.Sprintf("%s delivers %s (%s)", f.Step, f.Deliverable.Name, f.Deliverable.Status)
	case *run.DeliverableMarked:
		return fmt.Sprintf("%s marks %s %s (was %s)", e.Actor.Name, f.Name, f.Status, f.Was)
	case *run.ReviewSuggested:
		return fmt.Sprintf("a second look at %s is suggested: confidence %v", at(f.Step, f.Index), f.Confidence)
	}
	if line := w.tellStep(e); line != "" {
		return line
	}
	if line := w.tellApproval(e); line != "" {
		return line
	}
	return w.tellLoop(e)
}

func reason(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}

func at(step string, index *int) string {
	if index == nil {
		return step
	}
	return placed(step, *index)
}

func (w *World) tellStep(e run.Event) string {
	switch f := e.Fact.(type) {
	case *run.StepRebound:
		return at(f.Step, f.Index) + " does not run: " + changes(f.Changed)
	case *run.StepStarted:
		line := at(f.Step, f.Index) + " starts"
		if f.Try > 1 {
			line += fmt.Sprintf(" (try %d)", f.Try)
		}
		if f.Child != "" {
			line += " as run " + f.Child
		}
		return line
	case *run.StepExpanded:
		return fmt.Sprintf("%s works on a list of %d", f.Step, f.Count)
	case *run.StepReturned:
		return fmt.Sprintf("%s answers, to be reviewed: %s", at(f.Step, f.Index), outcome(&f.Result))
	case *run.StepCompleted:
		if f.Result != nil {
			return fmt.Sprintf("%s is done: %s", f.Step, outcome(f.Result))
		}
		st, _ := w.s.StepByID(f.Step)
		return fmt.Sprintf("%s is done: %s", f.Step, text(st.Output))
	case *run.ElementCompleted:
		if f.Result != nil {
			return fmt.Sprintf("%s is done: %s", placed(f.Step, f.Index), outcome(f.Result))
		}
		st, _ := w.s.StepByID(f.Step)
		return fmt.Sprintf("%s is done: %s", placed(f.Step, f.Index), text(st.Tasks[f.Index].Result.Output))
	case *run.StepRetrying:
		return fmt.Sprintf("%s fails, to be retried at %s: %s", at(f.Step, f.Index), clock(f.RetryAt), f.Error.Message)
	case *run.StepFailed:
		x := f.Error
		line := fmt.Sprintf("%s failed (step %d of %d", at(f.Step, x.Index), x.StepIndex, x.StepCount)
		if x.Agent != "" {
			line += ", agent " + x.Agent
		}
		if x.Try > 0 {
			line += fmt.Sprintf(", try %d", x.Try)
		}
		line += "): " + x.Message
		if f.Goes {
			line += "; the run continues without it"
		}
		return line
	case *run.StepSkipped:
		why := map[run.SkipReason]string{
			run.SkipIf: "its condition is false", run.SkipNeed: "a step it needs failed",
			run.SkipCommand: "by " + e.Actor.Name, run.SkipRejected: "rejected",
		}
		return fmt.Sprintf("%s is skipped: %s", f.Step, why[f.Why])
	case *run.StepRevised:
		line := fmt.Sprintf("%s is sent back: %s", at(f.Step, f.Index), f.Guidance)
		if len(f.Redo) > 0 {
			line += " (and the steps that used it: " + strings.Join(f.Redo, ", ") + ")"
		}
		return line
	case *run.StepArgsChanged:
		return fmt.Sprintf("%s changes the input of %s: %s", e.Actor.Name, f.Step, f.Changes)
	case *run.StepSpeculated:
		return fmt.Sprintf("%s runs ahead with %s", f.Step, text(f.Input))
	case *run.SpeculationReturned:
		return fmt.Sprintf("%s answers ahead: %s", f.Step, outcome(&f.Result))
	case *run.SpeculationUsed:
		return fmt.Sprintf("the early result of %s is used", f.Step)
	case *run.SpeculationDiscarded:
		return fmt.Sprintf("the early result of %s is discarded (%s)", f.Step, f.Why)
	case *run.ChildWaiting:
		if f.Waiting {
			return fmt.Sprintf("the sub-run of %s waits for people", at(f.Step, f.Index))
		}
		return fmt.Sprintf("the sub-run of %s continues", at(f.Step, f.Index))
	case *run.ChildEnded:
		return fmt.Sprintf("sub-run %s has ended: %s", f.Run, f.Status)
	case *run.PlanChanged:
		var ids []string
		for _, s := range f.Steps {
			ids = append(ids, s.ID)
		}
		return fmt.Sprintf("added to the plan: %s (%s)", strings.Join(ids, ", "), f.Why)
	}
	return ""
}

func outcome(r *run.Result) string {
	line := text(r.Output)
	if r.Confidence != nil {
		line += fmt.Sprintf(" (confidence %v)", *r.Confidence)
	}
	if r.DryRun {
		line += " (a sample: test mode)"
	}
	return line
}

func (w *World) name(id string) string {
	a, _ := w.s.Approval(id)
	return number(id) + " " + a.Title
}

func (w *World) tellApproval(e run.Event) string {
	switch f := e.Fact.(type) {
	case *run.ApprovalNeeded:
		return w.asked(f)
	case *run.ApprovalAutoApproved:
		return fmt.Sprintf("%s is approved by policy: %s", w.name(f.Request.ID), f.Reason)
	case *run.ApprovalDecided:
		return w.decided(f)
	case *run.ApprovalResolved:
		o := f.Outcome
		switch {
		case o.Status == gate.Cancelled:
			return fmt.Sprintf("%s is withdrawn: %s", w.name(f.ID), o.Comment)
		case o.Status == gate.TimedOut && o.By != "":
			return fmt.Sprintf("%s is closed by %s: %s", w.name(f.ID), o.By, o.Comment)
		case o.Status == gate.TimedOut && o.Cancel:
			return fmt.Sprintf("%s timed out: cancel", w.name(f.ID))
		case o.Status == gate.TimedOut:
			return fmt.Sprintf("%s timed out: %s%s", w.name(f.ID), o.Act, reason(o.Option+string(o.Data)))
		}
		return fmt.Sprintf("%s is %s", w.name(f.ID), strings.ReplaceAll(string(o.Status), "_", " "))
	case *run.ApprovalCommented:
		return e.Actor.Name + " comments on " + w.name(f.ID) + ": " + f.Text
	case *run.ApprovalReminder:
		return w.name(f.ID) + ": people are reminded"
	case *run.ApprovalEscalated:
		return w.name(f.ID) + " is escalated to " + f.To
	case *run.ApprovalTimedOut:
		return w.name(f.ID) + " timed out without an answer: " + string(f.Then)
	}
	return ""
}

// asked describes who is asked what, and by when.
func (w *World) asked(f *run.ApprovalNeeded) string {
	q := f.Request
	who := "anyone"
	t := q.Terms
	switch {
	case t.OnlyOwner != "":
		who = t.OnlyOwner + " alone"
	case len(t.Roles) > 0:
		var parts []string
		for _, role := range sortedNames(t.Roles) {
			parts = append(parts, fmt.Sprintf("%d %s", t.Roles[role], role))
		}
		who = strings.Join(parts, " and ")
	case t.Role != "":
		who = t.Role
	case len(t.Assignees) > 0:
		who = strings.Join(t.Assignees, ", ")
	}
	line := fmt.Sprintf("%s waits for %s", w.name(q.ID), who)
	if q.Index != nil {
		line = fmt.Sprintf("%s (about %s) waits for %s", w.name(q.ID), at(q.Step, q.Index), who)
	}
	if q.Kind != gate.KindApproval {
		line += " (" + string(q.Kind) + ")"
	}
	if t.Quorum > 1 {
		line += fmt.Sprintf(", %d needed", t.Quorum)
	}
	if t.ExcludeRequester && t.Requester != "" {
		line += ", not " + t.Requester
	}
	if !t.Deadline.IsZero() {
		line += fmt.Sprintf(", until %s (then %s)", clock(t.Deadline), t.Then)
	}
	return line
}

func (w *World) decided(f *run.ApprovalDecided) string {
	d := f.Decision
	by, title := d.By, w.name(f.ID)
	if d.OnBehalfOf != "" {
		by += " (for " + d.OnBehalfOf + ")"
	}
	verb := map[gate.Act]string{
		gate.Approve: "approves", gate.Modify: "changes", gate.Reject: "rejects", gate.Choose: "chooses " + d.Option + " at",
		gate.Submit: "submits data at", gate.Escalate: "escalates", gate.Delegate: "delegates",
		gate.RequestRevision: "requests a revision of",
	}[d.Act]
	line := fmt.Sprintf("%s %s %s", by, verb, title)
	if d.To != "" {
		line += " to " + d.To
	}
	if d.Proposed != nil {
		line += " into " + text(d.Proposed)
	}
	a, _ := w.s.Approval(f.ID)
	if q := a.Progress(); q.Needed > 1 && (d.Act == gate.Approve || d.Act == gate.Modify || d.Act == gate.Choose) {
		line += fmt.Sprintf(": %d of %d", q.Given, q.Needed)
		if missing := sortedNames(q.ByRole); len(missing) > 0 {
			line += ", missing " + strings.Join(missing, ", ")
		}
	}
	if d.Comment != "" {
		line += fmt.Sprintf(" (%q)", d.Comment)
	}
	return line
}
