package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// want is one reason to ask people at a spot, with the prepared request.
type want struct {
	id      string
	request gate.Request
	auto    *policy.Verdict // set when the policy decides in place of people
	firm    bool            // people are asked, whatever the policy would decide
}

// about records the subject the policy judges for these wants.
func about(wants []want, key run.Key, result bool) []want {
	for n := range wants {
		wants[n].request.Subject = &gate.Subject{Key: key.Work(), Result: result, Firm: wants[n].firm}
	}
	return wants
}

// silenceApproves is the warning shown if a timeout would approve a high risk.
const silenceApproves = "If there is no answer by the deadline, this is approved automatically."

// open requests all approvals that a spot requires at once. It reports whether an answer is needed.
func (d *draft) open(spot run.Spot, wants []want) bool {
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
		q := w.request
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
		if w.auto != nil {
			d.emit(run.Actor{Kind: run.Policy, Name: w.auto.Rule}, &run.ApprovalAutoApproved{
				Spot: spot, Want: w.id, Content: content, Request: q,
				Reason: w.auto.Reason, Sample: w.auto.Sample, Notify: w.auto.NotifyAfter,
			})
			if a := d.Approvals[len(d.Approvals)-1]; a.Outcome != nil {
				d.tellAnswer(a, *a.Outcome, run.Actor{Kind: run.Policy, Name: w.auto.Rule})
			}
			continue
		}
		d.emit(system, &run.ApprovalNeeded{Spot: spot, Want: w.id, Content: content, Request: q})
		pending = true
	}
	return pending
}

// askAgain repeats a question, with its times counted from now.
func (d *draft) askAgain(n int) gate.Request {
	a := d.Approvals[n]
	q := a.Request
	q.SoFar = d.soFar(d.Spots[n])
	t := &q.Terms
	later := d.env.Now.Sub(a.OpenedAt)
	if d.env.Stopped && q.Rule != nil && t.Then.Proceeds() {
		t.Then = gate.ThenPause // as the policy itself would ask now
	}
	if !t.Deadline.IsZero() {
		t.Deadline = t.Deadline.Add(later)
	}
	if !t.PauseAt.IsZero() {
		t.PauseAt = t.PauseAt.Add(later)
	}
	t.Escalate = slices.Clone(t.Escalate)
	for k := range t.Escalate {
		t.Escalate[k].At = t.Escalate[k].At.Add(later)
	}
	return q
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
