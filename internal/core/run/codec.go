package run

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/assent-run/assent/internal/core/value"
)

// known creates an empty fact of each type, for decoding.
var known = map[string]func() Fact{
	"run.started":            func() Fact { return &RunStarted{} },
	"run.forked":             func() Fact { return &RunForked{} },
	"run.waiting":            func() Fact { return &RunWaiting{} },
	"run.resumed":            func() Fact { return &RunResumed{} },
	"run.paused":             func() Fact { return &RunPaused{} },
	"run.unpaused":           func() Fact { return &RunUnpaused{} },
	"run.reopened":           func() Fact { return &RunReopened{} },
	"run.cancelling":         func() Fact { return &RunCancelling{} },
	"run.completed":          func() Fact { return &RunCompleted{} },
	"run.failed":             func() Fact { return &RunFailed{} },
	"run.cancelled":          func() Fact { return &RunCancelled{} },
	"run.limit_reached":      func() Fact { return &RunLimitReached{} },
	"limit.raised":           func() Fact { return &LimitRaised{} },
	"agent.message":          func() Fact { return &AgentMessage{} },
	"payloads.removed":       func() Fact { return &PayloadsRemoved{} },
	"warning.raised":         func() Fact { return &WarningRaised{} },
	"snapshot.saved":         func() Fact { return &SnapshotSaved{} },
	"state.updated":          func() Fact { return &StateUpdated{} },
	"layer.started":          func() Fact { return &LayerStarted{} },
	"step.started":           func() Fact { return &StepStarted{} },
	"step.rebound":           func() Fact { return &StepRebound{} },
	"step.expanded":          func() Fact { return &StepExpanded{} },
	"step.returned":          func() Fact { return &StepReturned{} },
	"step.completed":         func() Fact { return &StepCompleted{} },
	"element.completed":      func() Fact { return &ElementCompleted{} },
	"step.retrying":          func() Fact { return &StepRetrying{} },
	"step.failed":            func() Fact { return &StepFailed{} },
	"step.skipped":           func() Fact { return &StepSkipped{} },
	"step.revised":           func() Fact { return &StepRevised{} },
	"step.args_changed":      func() Fact { return &StepArgsChanged{} },
	"step.speculated":        func() Fact { return &StepSpeculated{} },
	"speculation.returned":   func() Fact { return &SpeculationReturned{} },
	"speculation.used":       func() Fact { return &SpeculationUsed{} },
	"speculation.discarded":  func() Fact { return &SpeculationDiscarded{} },
	"child.waiting":          func() Fact { return &ChildWaiting{} },
	"child.ended":            func() Fact { return &ChildEnded{} },
	"review.suggested":       func() Fact { return &ReviewSuggested{} },
	"deliverable.created":    func() Fact { return &DeliverableCreated{} },
	"deliverable.marked":     func() Fact { return &DeliverableMarked{} },
	"plan.changed":           func() Fact { return &PlanChanged{} },
	"approval.needed":        func() Fact { return &ApprovalNeeded{} },
	"approval.auto_approved": func() Fact { return &ApprovalAutoApproved{} },
	"approval.decided":       func() Fact { return &ApprovalDecided{} },
	"approval.resolved":      func() Fact { return &ApprovalResolved{} },
	"approval.commented":     func() Fact { return &ApprovalCommented{} },
	"approval.reminder":      func() Fact { return &ApprovalReminder{} },
	"approval.escalated":     func() Fact { return &ApprovalEscalated{} },
	"approval.timed_out":     func() Fact { return &ApprovalTimedOut{} },
	"approval.paused":        func() Fact { return &ApprovalPaused{} },
	"gate.passed":            func() Fact { return &GatePassed{} },
	"turn.started":           func() Fact { return &TurnStarted{} },
	"turn.completed":         func() Fact { return &TurnCompleted{} },
	"turn.retrying":          func() Fact { return &TurnRetrying{} },
	"note.added":             func() Fact { return &NoteAdded{} },
	"call.requested":         func() Fact { return &CallRequested{} },
	"call.started":           func() Fact { return &CallStarted{} },
	"call.rebound":           func() Fact { return &CallRebound{} },
	"call.args_changed":      func() Fact { return &CallArgsChanged{} },
	"call.retrying":          func() Fact { return &CallRetrying{} },
	"call.input_needed":      func() Fact { return &CallInputNeeded{} },
	"call.completed":         func() Fact { return &CallCompleted{} },
	"agent.handed_off":       func() Fact { return &HandedOff{} },
	"message.added":          func() Fact { return &MessageAdded{} },
	"limit.warning":          func() Fact { return &LimitWarning{} },
	"limit.granted":          func() Fact { return &LimitGranted{} },
	"consult.started":        func() Fact { return &ConsultStarted{} },
	"consult.retrying":       func() Fact { return &ConsultRetrying{} },
	"consult.read":           func() Fact { return &ConsultRead{} },
	"consult.answered":       func() Fact { return &ConsultAnswered{} },
	"point.passed":           func() Fact { return &PointPassed{} },
	"replan.requested":       func() Fact { return &ReplanRequested{} },
	"replan.answered":        func() Fact { return &ReplanAnswered{} },
	"replan.settled":         func() Fact { return &ReplanSettled{} },
}

func (*RunStarted) Type() string           { return "run.started" }
func (*RunForked) Type() string            { return "run.forked" }
func (*RunWaiting) Type() string           { return "run.waiting" }
func (*RunResumed) Type() string           { return "run.resumed" }
func (*RunPaused) Type() string            { return "run.paused" }
func (*RunUnpaused) Type() string          { return "run.unpaused" }
func (*RunReopened) Type() string          { return "run.reopened" }
func (*RunCancelling) Type() string        { return "run.cancelling" }
func (*RunCompleted) Type() string         { return "run.completed" }
func (*RunFailed) Type() string            { return "run.failed" }
func (*RunCancelled) Type() string         { return "run.cancelled" }
func (*RunLimitReached) Type() string      { return "run.limit_reached" }
func (*LimitRaised) Type() string          { return "limit.raised" }
func (*AgentMessage) Type() string         { return "agent.message" }
func (*PayloadsRemoved) Type() string      { return "payloads.removed" }
func (*WarningRaised) Type() string        { return "warning.raised" }
func (*SnapshotSaved) Type() string        { return "snapshot.saved" }
func (*StateUpdated) Type() string         { return "state.updated" }
func (*LayerStarted) Type() string         { return "layer.started" }
func (*StepStarted) Type() string          { return "step.started" }
func (*StepRebound) Type() string          { return "step.rebound" }
func (*StepExpanded) Type() string         { return "step.expanded" }
func (*StepReturned) Type() string         { return "step.returned" }
func (*StepCompleted) Type() string        { return "step.completed" }
func (*ElementCompleted) Type() string     { return "element.completed" }
func (*StepRetrying) Type() string         { return "step.retrying" }
func (*StepFailed) Type() string           { return "step.failed" }
func (*StepSkipped) Type() string          { return "step.skipped" }
func (*StepRevised) Type() string          { return "step.revised" }
func (*StepArgsChanged) Type() string      { return "step.args_changed" }
func (*StepSpeculated) Type() string       { return "step.speculated" }
func (*SpeculationReturned) Type() string  { return "speculation.returned" }
func (*SpeculationUsed) Type() string      { return "speculation.used" }
func (*SpeculationDiscarded) Type() string { return "speculation.discarded" }
func (*ChildWaiting) Type() string         { return "child.waiting" }
func (*ChildEnded) Type() string           { return "child.ended" }
func (*ReviewSuggested) Type() string      { return "review.suggested" }
func (*DeliverableCreated) Type() string   { return "deliverable.created" }
func (*DeliverableMarked) Type() string    { return "deliverable.marked" }
func (*PlanChanged) Type() string          { return "plan.changed" }
func (*ApprovalNeeded) Type() string       { return "approval.needed" }
func (*ApprovalAutoApproved) Type() string { return "approval.auto_approved" }
func (*ApprovalDecided) Type() string      { return "approval.decided" }
func (*ApprovalResolved) Type() string     { return "approval.resolved" }
func (*ApprovalCommented) Type() string    { return "approval.commented" }
func (*ApprovalReminder) Type() string     { return "approval.reminder" }
func (*ApprovalEscalated) Type() string    { return "approval.escalated" }
func (*ApprovalTimedOut) Type() string     { return "approval.timed_out" }
func (*ApprovalPaused) Type() string       { return "approval.paused" }
func (*GatePassed) Type() string           { return "gate.passed" }
func (*TurnStarted) Type() string          { return "turn.started" }
func (*TurnCompleted) Type() string        { return "turn.completed" }
func (*TurnRetrying) Type() string         { return "turn.retrying" }
func (*NoteAdded) Type() string            { return "note.added" }
func (*CallRequested) Type() string        { return "call.requested" }
func (*CallStarted) Type() string          { return "call.started" }
func (*CallRebound) Type() string          { return "call.rebound" }
func (*CallArgsChanged) Type() string      { return "call.args_changed" }
func (*CallRetrying) Type() string         { return "call.retrying" }
func (*CallInputNeeded) Type() string      { return "call.input_needed" }
func (*CallCompleted) Type() string        { return "call.completed" }
func (*HandedOff) Type() string            { return "agent.handed_off" }
func (*MessageAdded) Type() string         { return "message.added" }
func (*LimitWarning) Type() string         { return "limit.warning" }
func (*LimitGranted) Type() string         { return "limit.granted" }
func (*ConsultStarted) Type() string       { return "consult.started" }
func (*ConsultRetrying) Type() string      { return "consult.retrying" }
func (*ConsultRead) Type() string          { return "consult.read" }
func (*ConsultAnswered) Type() string      { return "consult.answered" }
func (*PointPassed) Type() string          { return "point.passed" }
func (*ReplanRequested) Type() string      { return "replan.requested" }
func (*ReplanAnswered) Type() string       { return "replan.answered" }
func (*ReplanSettled) Type() string        { return "replan.settled" }

// Types lists the names of all facts that this release writes.
func Types() []string {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	return names
}

// wireEvent is an event as JSON, the same in the log, in lists and in streams.
type wireEvent struct {
	Run   string          `json:"run"`
	Seq   int64           `json:"seq"`
	At    time.Time       `json:"at"`
	Type  string          `json:"type"`
	Actor Actor           `json:"actor"`
	Cause string          `json:"cause,omitempty"`
	Data  json.RawMessage `json:"data"`
}

// EncodeFact encodes a fact's data; embedded values keep their bytes.
func EncodeFact(f Fact) (json.RawMessage, error) { return value.Marshal(f) }

// DecodeFact decodes the output of EncodeFact. Fields added by a newer release are ignored; an unknown type
// is an error, because skipping it would be guessing.
func DecodeFact(typ string, data json.RawMessage) (Fact, error) {
	make, ok := known[typ]
	if !ok {
		return nil, fmt.Errorf("event type %q is not known to this release: it was written by a newer one", typ)
	}
	f := make()
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("decode %s: %w", typ, err)
	}
	return f, nil
}

// MarshalJSON encodes the whole event. Call it through value.Marshal: json.Marshal escapes <, > and & inside
// values.
func (e Event) MarshalJSON() ([]byte, error) {
	data, err := EncodeFact(e.Fact)
	if err != nil {
		return nil, err
	}
	return value.Marshal(wireEvent{e.Run, e.Seq, e.At, e.Fact.Type(), e.Actor, e.Cause, data})
}

// UnmarshalJSON decodes it.
func (e *Event) UnmarshalJSON(b []byte) error {
	var w wireEvent
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	f, err := DecodeFact(w.Type, w.Data)
	if err != nil {
		return err
	}
	*e = Event{w.Run, w.Seq, w.At, w.Actor, w.Cause, f}
	return nil
}
