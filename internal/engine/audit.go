package engine

import (
	"encoding/json"
	"strconv"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

// Which events go into the audit log, and with which content. An entry states who did what to what, in words
// that may be kept forever; values that people or agents sent are sealed (port.SealedPaths lists where they
// are in the event), so that they can be deleted without breaking the chain.
type (
	decisionDetail struct {
		Act        gate.Act `json:"act"`
		Gate       string   `json:"gate,omitempty"`
		OnBehalfOf string   `json:"on_behalf_of,omitempty"`
		Option     string   `json:"option,omitempty"`
		Role       string   `json:"role,omitempty"`
		Roles      []string `json:"roles,omitempty"`
		Seq        int64    `json:"seq"`
		Step       string   `json:"step,omitempty"`
		To         string   `json:"to,omitempty"`
		Version    int      `json:"version"`
		Via        gate.Via `json:"via,omitempty"`
		Workflow   string   `json:"workflow"`
	}
	outcomeDetail struct {
		Act      gate.Act    `json:"act,omitempty"`
		By       string      `json:"by,omitempty"`
		Option   string      `json:"option,omitempty"`
		Seq      int64       `json:"seq"`
		Status   gate.Status `json:"status"`
		Workflow string      `json:"workflow"`
	}
	ruleDetail struct {
		Policy   string `json:"policy,omitempty"`
		Reason   string `json:"reason,omitempty"`
		Rule     string `json:"rule,omitempty"`
		Sample   bool   `json:"sample,omitempty"`
		Seq      int64  `json:"seq"`
		Step     string `json:"step,omitempty"`
		Workflow string `json:"workflow"`
	}
)

// record adds an entry for an event if it is a decision or a change by a principal. It sees the state before
// the event.
func (p *Projector) record(e run.Event) {
	d := port.AuditDraft{At: e.At, Actor: e.Actor, Action: e.Fact.Type(), Target: p.s.ID, Run: p.s.ID}
	switch f := e.Fact.(type) {
	case *run.RunForked:
		// Earlier events are another run's history, and recorded there.
		p.audit = p.audit[:0]
		d.Detail = map[string]any{"seq": e.Seq, "from": f.From, "at_seq": f.AtSeq, "owner": f.Owner}
		d.Sealed = sealedAs("edits", f.Edits)
	case *run.RunStarted:
		d.Detail = startDetail(f, e.Seq)
		d.Sealed = []port.Sealed{{Name: "input", Value: f.Input, Beside: true}}
	case *run.ApprovalDecided, *run.ApprovalResolved, *run.ApprovalAutoApproved, *run.ApprovalTimedOut,
		*run.ApprovalEscalated:
		p.recordApproval(&d, e)
	default:
		if !p.recordChange(&d, e) {
			return
		}
	}
	p.audit = append(p.audit, d)
}

// startDetail is built manually with its keys in order, because every run has one.
func startDetail(f *run.RunStarted, seq int64) json.RawMessage {
	b := make([]byte, 0, 256)
	b = port.AppendText(append(b, `{"definition":`...), f.Definition)
	if f.Owner != "" {
		b = port.AppendText(append(b, `,"owner":`...), f.Owner)
	}
	if f.Parent != nil {
		b = port.AppendText(append(b, `,"parent":`...), f.Parent.Run)
	}
	if f.RetryOf != "" {
		b = port.AppendText(append(b, `,"retry_of":`...), f.RetryOf)
	}
	b = strconv.AppendInt(append(b, `,"seq":`...), seq, 10)
	if f.TestMode {
		b = append(b, `,"test_mode":true`...)
	}
	b = strconv.AppendInt(append(b, `,"version":`...), int64(f.Version), 10)
	return append(port.AppendText(append(b, `,"workflow":`...), f.Workflow), '}')
}

func (p *Projector) recordApproval(d *port.AuditDraft, e run.Event) {
	d.Target = approvalOf(e.Fact)
	workflow := p.s.Started.Workflow
	switch f := e.Fact.(type) {
	case *run.ApprovalDecided:
		v := &f.Decision
		detail := decisionDetail{Act: v.Act, OnBehalfOf: v.OnBehalfOf, Option: v.Option, Role: v.Role, Roles: v.Roles,
			Seq: e.Seq, To: v.To, Version: v.Version, Via: v.Via, Workflow: workflow}
		d.Sealed = []port.Sealed{text("comment", v.Comment), {Name: "changes", Value: v.Changes},
			{Name: "data", Value: v.Data}, {Name: "modified", Value: v.Proposed, Beside: true}}
		if a, ok := p.s.Approval(f.ID); ok {
			detail.Gate, detail.Step = a.Gate, a.Step
			// The original proposal is stored nowhere but here.
			d.Sealed = append(d.Sealed, port.Sealed{Name: "original", Value: a.Current, Beside: v.Proposed == nil})
		}
		d.Detail = detail
	case *run.ApprovalResolved:
		o := &f.Outcome
		d.Detail = outcomeDetail{Act: o.Act, By: o.By, Option: o.Option, Seq: e.Seq, Status: o.Status, Workflow: workflow}
		d.Sealed = []port.Sealed{text("comment", o.Comment), {Name: "data", Value: o.Data, Beside: true},
			{Name: "modified", Value: o.Proposed, Beside: true}, beside(text("content", f.Content))}
	case *run.ApprovalAutoApproved:
		detail := ruleDetail{Reason: f.Reason, Sample: f.Sample, Seq: e.Seq, Step: f.Request.Step, Workflow: workflow}
		if r := f.Request.Rule; r != nil {
			detail.Rule, detail.Policy = r.Name, r.Policy
		}
		d.Detail = detail
		d.Sealed = []port.Sealed{{Name: "proposed", Value: f.Request.Proposed, Beside: true},
			beside(text("content", f.Content))}
	case *run.ApprovalTimedOut:
		d.Detail = map[string]any{"seq": e.Seq, "then": f.Then, "workflow": workflow}
	case *run.ApprovalEscalated:
		d.Detail = map[string]any{"seq": e.Seq, "to": f.To, "workflow": workflow}
	}
}

// recordChange records changes to a run from outside. Routine actions of agents and the system are in the
// run's own log.
func (p *Projector) recordChange(d *port.AuditDraft, e run.Event) bool {
	var detail map[string]any // most events have no entry, and need none
	switch f := e.Fact.(type) {
	case *run.RunPaused:
		detail = map[string]any{"approval": f.Approval}
	case *run.RunUnpaused, *run.RunReopened:
	case *run.PayloadsRemoved:
		detail = map[string]any{"reason": f.Reason} // the reason for missing data stays on record
	case *run.RunCancelling:
		d.Sealed = []port.Sealed{text("reason", f.Reason)}
	case *run.RunCancelled:
		d.Sealed = []port.Sealed{text("reason", f.Reason)}
	case *run.StepSkipped:
		if f.Why != run.SkipCommand {
			return false
		}
		detail = map[string]any{"step": f.Step}
		if len(f.LeftOut) > 0 { // it is a decision as well
			detail["left_out"] = f.LeftOut
		}
		if f.OnBehalfOf != "" {
			detail["on_behalf_of"] = f.OnBehalfOf
		}
	case *run.StepArgsChanged:
		detail = map[string]any{"step": f.Step}
		d.Sealed = []port.Sealed{{Name: "changes", Value: f.Changes}}
	case *run.CallArgsChanged:
		detail = map[string]any{"step": f.Step, "call": f.No}
		d.Sealed = []port.Sealed{{Name: "args", Value: f.Args, Beside: true}}
	case *run.PlanChanged:
		detail = map[string]any{"steps": stepIDs(f.Steps)}
	case *run.ReplanRequested:
		detail = map[string]any{"replan": f.N}
	case *run.ConsultRetrying:
		if f.Error.Code != run.CodeInvalidAnswer {
			return false // it failed, and said nothing
		}
		d.Outcome = port.AuditRefused
	case *run.ConsultAnswered:
		if !f.Fallback || f.Advice.Action == "" {
			return false
		}
		detail = map[string]any{"fallback": f.Advice.Action}
	case *run.LimitGranted:
		detail = map[string]any{"step": f.Step, "limit": f.Limit, "more": f.More}
	case *run.LimitRaised:
		detail = map[string]any{"step": f.Step, "agent": f.Agent, "limit": f.Limit, "from": f.From, "to": f.To}
	case *run.DeliverableMarked:
		d.Target = p.own(f.ID)
		detail = map[string]any{"status": f.Status, "was": f.Was}
	case *run.MessageAdded:
		if e.Actor.Kind != run.Person && e.Actor.Kind != run.Service {
			return false
		}
		detail = map[string]any{"to": f.To}
		d.Sealed = []port.Sealed{text("text", f.Text)}
	default:
		return false
	}
	if detail == nil {
		detail = map[string]any{}
	}
	detail["seq"] = e.Seq
	d.Detail = detail
	return true
}

func stepIDs(steps []plan.Step) []string {
	ids := make([]string, len(steps))
	for i := range steps {
		ids[i] = steps[i].ID
	}
	return ids
}

// text seals a text, unless it is empty.
func text(name, words string) port.Sealed {
	if words == "" {
		return port.Sealed{}
	}
	raw, err := value.Marshal(words)
	if err != nil {
		return port.Sealed{} // a text can always be encoded
	}
	return port.Sealed{Name: name, Value: raw}
}

// beside leaves a value to the log.
func beside(s port.Sealed) port.Sealed {
	s.Beside = true
	return s
}

// sealedAs seals a value of ours that the log also contains as JSON.
func sealedAs(name string, v any) []port.Sealed {
	raw, err := value.Marshal(v)
	if err != nil || string(raw) == "{}" {
		return nil
	}
	return []port.Sealed{{Name: name, Value: json.RawMessage(raw), Beside: true}}
}
