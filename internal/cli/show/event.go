package show

import (
	"fmt"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/view"
)

// Teller turns the events of a run into lines for people. It keeps what a line needs from earlier events:
// when a step began, how many elements a map has.
type Teller struct {
	Theme Theme
	All   bool // include internals

	began   map[string]time.Time
	total   map[string]int
	done    map[string]int
	waiting map[string]string // approval → step
}

// NewTeller returns a Teller for a run.
func NewTeller(t Theme, all bool) *Teller {
	return &Teller{Theme: t, All: all, began: map[string]time.Time{}, total: map[string]int{}, done: map[string]int{},
		waiting: map[string]string{}}
}

// subjectWidth is the width of the step names before lines.
const subjectWidth = 10

// Tell returns one line about an event; ok is false if it is not worth one.
func (t *Teller) Tell(e view.Event) (line string, ok bool) {
	fact, err := run.DecodeFact(e.Type, e.Data)
	subject, text := "", ""
	if err == nil {
		subject, text = t.say(e, fact)
	} else {
		subject, text = "", e.Type // written by a newer release
	}
	if text == "" && t.All {
		text = t.Theme.Dim(e.Type)
	}
	if text == "" {
		return "", false
	}
	if subject == "" {
		subject = "run"
	}
	return t.Theme.Dim(Clock(e.At)) + "  " + Pad(Line(subject), subjectWidth) + " " + text, true
}

// say returns an event's subject, and its description.
func (t *Teller) say(e view.Event, fact run.Fact) (subject, text string) {
	if subject, text = t.sayStep(e, fact); text != "" {
		return subject, text
	}
	if subject, text = t.sayApproval(e, fact); text != "" {
		return subject, text
	}
	return t.sayRun(e, fact)
}

func (t *Teller) sayStep(e view.Event, fact run.Fact) (subject, text string) {
	th := t.Theme
	switch f := fact.(type) {
	case *run.StepStarted:
		if f.Index == nil {
			t.began[f.Step] = e.At
		}
		if f.Try > 1 {
			return element(f.Step, f.Index), th.Warn(fmt.Sprintf("try %d", f.Try))
		}
		if f.Index == nil {
			return f.Step, "started" + prefixed(" ", f.Child)
		}
	case *run.StepExpanded:
		t.began[f.Step], t.total[f.Step], t.done[f.Step] = e.At, f.Count, 0
		return f.Step, "started: " + Count(int64(f.Count), "element")
	case *run.ElementCompleted:
		t.done[f.Step]++
		return f.Step, fmt.Sprintf("%d of %d done", t.done[f.Step], t.total[f.Step])
	case *run.StepCompleted:
		return f.Step, th.Good("done") + t.took(f.Step, e.At)
	case *run.StepRetrying:
		return element(f.Step, f.Index), th.Warn(Line(f.Error.Message)) + ", retrying in " + Duration(f.RetryAt.Sub(e.At))
	case *run.StepFailed:
		return f.Step, th.Bad("failed: "+Line(f.Error.Message)) + afterTries(f.Error.Try)
	case *run.StepSkipped:
		return f.Step, th.Dim(skipped[f.Why])
	case *run.StepRevised:
		return element(f.Step, f.Index), th.Warn("sent back") + prefixed(": ", Line(f.Guidance))
	case *run.StepSpeculated:
		return f.Step, th.Dim("running ahead")
	case *run.SpeculationUsed:
		return f.Step, th.Good("ran ahead, used")
	case *run.SpeculationDiscarded:
		return f.Step, th.Dim("ran ahead, discarded")
	case *run.CallRequested:
		return element(f.Step, f.Index), "wants to call " + Line(f.Call.Tool)
	case *run.CallCompleted:
		if f.Denied {
			return element(f.Step, f.Index), th.Warn("call denied")
		}
		return element(f.Step, f.Index), "call done" + prefixed(": ", Line(f.Result.Error))
	case *run.HandedOff:
		return element(f.Step, f.Index), fmt.Sprintf("%s hands over to %s", Line(f.From), Line(f.To))
	case *run.AgentMessage:
		return element(f.Step, f.Index), fmt.Sprintf("%s to %s: %s", Line(f.From), Line(f.To), Line(f.Text))
	case *run.DeliverableMarked:
		return "", "marked " + th.Info(Line(f.Name)) + " " + f.Status + "  " + th.Dim("was "+f.Was)
	case *run.DeliverableCreated:
		return f.Step, "created " + th.Info(Line(f.Deliverable.Name)) + prefixed("  ", th.Dim(f.Deliverable.ID))
	case *run.ReviewSuggested:
		return element(f.Step, f.Index), fmt.Sprintf("confidence %d %%: worth a second look", int(f.Confidence*100+0.5))
	case *run.LimitWarning:
		return element(f.Step, f.Index), th.Warn("close to its limit of " + words(string(f.Limit)))
	case *run.LimitRaised:
		return f.Step, fmt.Sprintf("limit of %s raised from %s to %s", words(string(f.Limit)),
			f.Limit.Amount(f.From), f.Limit.Amount(f.To))
	}
	return "", ""
}

func element(step string, index *int) string {
	if index == nil {
		return step
	}
	return fmt.Sprintf("%s[%d]", step, *index)
}

func (t *Teller) took(step string, at time.Time) string {
	began, ok := t.began[step]
	if !ok {
		return ""
	}
	return " in " + Duration(at.Sub(began))
}

func afterTries(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (after %d tries)", n)
}

func (t *Teller) sayApproval(e view.Event, fact run.Fact) (subject, text string) {
	th := t.Theme
	switch f := fact.(type) {
	case *run.ApprovalNeeded:
		t.waiting[f.Request.ID] = f.Spot.Step
		line := th.Warn("waiting for "+whoIsAsked(f.Request.Terms)) + ": " + Line(f.Request.Title)
		if f.Request.Risk.Level != "" {
			line += " (" + th.Risk(f.Request.Risk.Level) + " risk)"
		}
		return f.Spot.Step, line + "  " + th.Dim(f.Request.ID)
	case *run.ApprovalAutoApproved:
		return f.Spot.Step, th.Good("approved by the policy") + prefixed(": ", Line(f.Reason))
	case *run.ApprovalDecided:
		return t.waiting[f.ID], Line(decided(f.Decision))
	case *run.ApprovalResolved:
		if f.Outcome.By != "" { // the decision that settled it was already shown
			return "", ""
		}
		return t.waiting[f.ID], words(string(f.Outcome.Status))
	case *run.ApprovalCommented:
		return t.waiting[f.ID], Who(e.Actor) + " " + Line("commented: "+f.Text)
	case *run.ApprovalReminder:
		return t.waiting[f.ID], th.Warn("still waiting: reminder sent")
	case *run.ApprovalEscalated:
		return t.waiting[f.ID], th.Warn("escalated to " + Line(f.To))
	case *run.ApprovalTimedOut:
		return t.waiting[f.ID], th.Bad("timed out: " + words(string(f.Then)))
	}
	return "", ""
}

// past is the past tense of an act.
var past = map[gate.Act]string{
	gate.Approve: "approved", gate.Modify: "changed and approved", gate.Reject: "rejected", gate.Choose: "chose",
	gate.Submit:   "submitted data",
	gate.Escalate: "escalated", gate.RequestRevision: "requested a revision", gate.Delegate: "delegated",
}

func decided(d gate.Decision) string {
	as := strings.TrimSuffix(d.Role, gate.RoleNone)
	return d.By + prefixed(" for ", d.OnBehalfOf) + prefixed(" as ", as) + " " + Past(d.Act) + prefixed(" ", d.Option) +
		prefixed(" to ", d.To) + prefixed(" in ", d.Via.Product()) + prefixed(": ", d.Comment)
}

func whoIsAsked(terms gate.Terms) string {
	who := terms.Assignees
	if terms.Role != "" {
		who = append(who[:len(who):len(who)], terms.Role)
	}
	for role := range terms.Roles {
		who = append(who[:len(who):len(who)], role)
	}
	return Line(Or(strings.Join(who, ", "), "an approver"))
}

// saySnapshot names the place to fork from; those who only follow a run need not know.
func (t *Teller) saySnapshot(f *run.SnapshotSaved) string {
	switch {
	case !t.All:
		return ""
	case f.Layer != nil:
		return fmt.Sprintf("snapshot saved after layer %d", *f.Layer+1)
	}
	return "snapshot saved" + prefixed(" after ", Line(f.Step))
}

func (t *Teller) sayRun(e view.Event, fact run.Fact) (subject, text string) {
	th := t.Theme
	switch f := fact.(type) {
	case *run.RunStarted:
		return "", fmt.Sprintf("started: %s v%d", Line(f.Workflow), f.Version) + prefixed(", retry of ", f.RetryOf)
	case *run.RunForked:
		return "", fmt.Sprintf("forked from %s at %d", f.From, f.AtSeq)
	case *run.SnapshotSaved:
		return "", t.saySnapshot(f)
	case *run.PayloadsRemoved:
		return "", th.Warn("payloads deleted: ") + Line(f.Reason)
	case *run.RunPaused:
		return "", th.Warn("paused") + prefixed(": ", Line(f.Reason))
	case *run.RunUnpaused, *run.RunReopened:
		return "", "resumed"
	case *run.RunCancelling:
		return "", th.Warn("cancelling") + prefixed(": ", Line(f.Reason))
	case *run.RunCompleted:
		return "", th.Good("completed")
	case *run.RunFailed:
		return "", th.Bad("failed: " + Line(f.Error.Message))
	case *run.RunCancelled:
		return "", th.Bad("cancelled") + prefixed(": ", Line(f.Reason))
	case *run.RunLimitReached:
		return "", th.Bad("stopped at its limit of " + words(string(f.Limit)))
	case *run.WarningRaised:
		return "", th.Warn("warning: " + Line(f.Message))
	case *run.MessageAdded:
		return "", Line(f.From.Name) + prefixed(" to ", Line(f.To)) + ": " + Line(f.Text)
	case *run.PlanChanged:
		if requirement, found := strings.CutPrefix(f.Why, "replan: "); found {
			return "", "steps were added for " + phrase.Quote(Line(requirement))
		}
		return "", "the plan changed" + prefixed(": ", Line(f.Why))
	case *run.ConsultAnswered:
		switch {
		case f.Summary != "":
			return "", "a summary was written"
		case f.Fallback:
			return "", th.Warn("no usable advice"+prefixed(": ", Line(f.Advice.Action))) +
				prefixed(": ", Line(f.Advice.Reasoning))
		}
		return "", "the agent in the loop advises: " + Line(f.Advice.Action) + prefixed(" ", Line(f.Advice.Requirement)) +
			prefixed(": ", Line(f.Advice.Reasoning))
	case *run.ConsultRetrying:
		return "", th.Warn("the agent in the loop is asked again: " + Line(f.Error.Message))
	case *run.ConsultRead:
		return "", "the agent in the loop looks something up"
	}
	return "", ""
}

// Past is the past tense of an act, in words.
func Past(act gate.Act) string { return Or(past[act], words(string(act))) }
