package decide

import (
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/asking"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// asking is the situation that decides what people are asked now.
func (d *draft) asking() asking.Situation {
	return asking.Situation{State: &d.State, Now: d.env.Now, Judge: d.env.Judge, Stopped: d.env.Stopped,
		Requester: d.requester(), Elsewhere: d.env.Elsewhere, Decided: d.events}
}

func (d *draft) requester() string {
	if start, ok := d.cmd.Do.(run.Start); ok && d.Seq == 0 && d.Started.Owner == "" {
		return start.Owner
	}
	return d.Started.Owner
}

// heed records the warnings that came up while finding what is required somewhere.
func (d *draft) heed(r asking.Required) ([]asking.Want, *run.Failure) {
	for _, w := range r.Warnings {
		d.warn(w.Code, w.Path, w.Message)
	}
	return r.Wants, r.Denied
}

// silenceApproves is the warning shown if a timeout would approve a high risk.
const silenceApproves = "If there is no answer by the deadline, this is approved automatically."

// open requests all approvals that a spot requires at once. It reports whether an answer is needed.
func (d *draft) open(spot run.Spot, wants []asking.Want) bool {
	if d.Cancelling != nil {
		return true // a run that is ending requests no approvals, and passes none
	}
	implementation := d.implementationNow(spot)
	proposal := d.ProposalAt(spot)
	content := d.ContentOf(spot, proposal, implementation)
	var proposers []gate.Proposer
	if len(wants) > 0 {
		proposers = d.Proposers(spot, proposal)
	}
	var changed []gate.VersionChange
	if p := d.PlaceAt(spot); p != nil {
		changed = p.Changed
	}
	pending := false
	for n, w := range wants {
		if n > 0 && mutant.Is(mutant.SecondGateSkipped) {
			break
		}
		q := w.Request
		q.ID = fmt.Sprintf("apr_%s_%d", bareID(d.ID), len(d.Approvals)+1)
		policyHash := ""
		if q.Rule != nil {
			policyHash = q.Rule.Policy
		}
		q.Action.Digest = value.Digest([]byte(content), []byte(policyHash))
		q.Action.Implementation, q.Changed, q.ProposedBy = implementation, changed, proposers
		if d.triedAt(spot) {
			q.AsTried()
		}
		d.Distinct(&q)
		if t := &q.Terms; t.Then == gate.ThenApprove && !t.Deadline.IsZero() && q.Risk.Level.Rank() >= risk.High.Rank() &&
			!strings.Contains(q.Description, silenceApproves) {
			q.Description = strings.TrimSpace(q.Description + "\n\n" + silenceApproves)
		}
		if w.Auto != nil {
			d.emit(run.Actor{Kind: run.Policy, Name: w.Auto.Rule}, &run.ApprovalAutoApproved{
				Spot: spot, Want: w.ID, Content: content, Request: q,
				Reason: w.Auto.Reason, Sample: w.Auto.Sample, Notify: w.Auto.NotifyAfter,
			})
			if a := d.Approvals[len(d.Approvals)-1]; a.Outcome != nil {
				d.tellAnswer(a, *a.Outcome, run.Actor{Kind: run.Policy, Name: w.Auto.Rule})
			}
			continue
		}
		d.emit(system, &run.ApprovalNeeded{Spot: spot, Want: w.ID, Content: content, Request: q})
		pending = true
	}
	return pending
}

// denied applies the policy's denial at a spot.
func (d *draft) denied(spot run.Spot, f run.Failure) {
	i, _ := d.Plan().Step(spot.Step)
	if spot.At == run.AtCall {
		d.answerCall(i, max(spot.Element(), 0), d.CallAt(spot), run.CallResult{Error: f.Message}, true)
		return
	}
	d.failStep(i, spot.Element(), f)
}
