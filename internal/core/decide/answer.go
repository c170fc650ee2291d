package decide

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/asking"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// Decisions by people, and their effect on the run.

// decide handles a person's decision on an approval.
func (d *draft) decide(c run.Decide) error {
	n, ok := d.FindApproval(c.Approval)
	if !ok {
		return notFound("approval", c.Approval)
	}
	// The sender of the command counts: an answer cannot claim to be a person.
	if d.cmd.By.Kind != run.Person && d.Approvals[n].Status == gate.Pending && !mutant.Is(mutant.ServicesVote) {
		return gate.OnlyPeople(string(d.cmd.By.Kind))
	}
	a := d.Approvals[n]
	r, err := a.Decide(c.Answer, d.env.Now)
	if err != nil {
		return err
	}
	if err := d.checkAnswer(d.Spots[n], r, c.Agents); err != nil {
		return err
	}
	d.emit(d.cmd.By, &run.ApprovalDecided{ID: a.ID, Decision: r.Decision, Agents: c.Agents})
	if r.Outcome != nil {
		d.resolve(n, *r.Outcome, d.cmd.By)
	}
	return nil
}

// checkAnswer rejects answers that the run could not carry out.
func (d *draft) checkAnswer(spot run.Spot, r gate.Ruling, agents map[string]plan.Agent) error {
	if len(r.Decision.Proposed) > run.OutputMax {
		return fault.Newf(fault.TooLarge, "the changed proposal has %d bytes; the limit is %d",
			len(r.Decision.Proposed), run.OutputMax)
	}
	// Also while more approvals are needed: approvers should not be asked to agree to something that cannot
	// be carried out.
	proposed := r.Decision.Proposed
	if r.Outcome != nil && r.Outcome.Proposed != nil {
		proposed = r.Outcome.Proposed
	}
	if proposed == nil {
		return nil
	}
	switch spot.At {
	case run.AtCall:
		if c := d.CallAt(spot); r.Decision.Act == gate.Modify && c != nil && c.Input == nil && c.Attempted() &&
			!bytes.Equal(value.Canonical(proposed), value.Canonical(c.Call.Args)) {
			return changedAfterTry(c)
		}
	case run.AtLayer, run.AtReplan:
		if _, err := PlanWith(&d.State, spot, proposed, agents); err != nil {
			return err
		}
		return d.mayLeaveOut(proposed)
	case run.AtLimit:
		_, err := parseGrant(proposed)
		return err
	case run.AtBefore:
		i, _ := d.Plan().Step(spot.Step)
		if r.Decision.Act == gate.Modify && d.triedStep(i, spot.Element()) &&
			!bytes.Equal(value.Canonical(proposed), value.Canonical(d.ProposalAt(spot))) {
			return d.changedStepAfterTry(i, spot.Element())
		}
		if d.IsMap(i) && spot.Index == nil && value.KindOf(proposed) != value.KindArray {
			return fault.Of("the changed proposal does not match the schema", []fault.Problem{{Message: "expected a list"}})
		}
	}
	return nil
}

// expireApproval settles an approval that can no longer be answered, as a rejection.
func (d *draft) expireApproval(c run.Expire) error {
	n, ok := d.FindApproval(c.Approval)
	if !ok {
		return notFound("approval", c.Approval)
	}
	if d.cmd.By.Kind != run.Person {
		return gate.OnlyPeople(string(d.cmd.By.Kind))
	}
	if a := d.Approvals[n]; a.Status != gate.Pending {
		_, err := a.Decide(gate.Answer{}, d.env.Now)
		return err
	}
	comment := c.Comment
	if comment == "" {
		comment = "expired by an administrator"
	}
	d.resolve(n, gate.Outcome{Status: gate.TimedOut, Act: gate.Reject, By: d.cmd.By.Key(), Comment: comment}, d.cmd.By)
	return nil
}

// comment adds a comment to an open approval: a settled one does not change.
func (d *draft) comment(c run.Comment) error {
	n, ok := d.FindApproval(c.Approval)
	if !ok {
		return notFound("approval", c.Approval)
	}
	switch text := strings.TrimSpace(c.Text); {
	case d.Approvals[n].Status != gate.Pending:
		return fault.New(fault.Conflict, "the approval is settled and no longer takes comments",
			"comment in the run's thread")
	case text == "":
		return fault.Of("the comment is not valid", []fault.Problem{{Path: "text", Message: "it is empty"}})
	case len(text) > run.TextMax:
		return fault.Newf(fault.TooLarge, "the comment has %d bytes; the limit is %d", len(text), run.TextMax)
	case len(d.Approvals[n].Comments) >= run.CommentsMax:
		return fault.Newf(fault.TooLarge, "the approval has reached its limit of %d comments", run.CommentsMax)
	}
	d.emit(d.cmd.By, &run.ApprovalCommented{ID: c.Approval, Text: strings.TrimSpace(c.Text)})
	return nil
}

// resolve settles an approval and applies the outcome to the run.
func (d *draft) resolve(n int, o gate.Outcome, by run.Actor) {
	a, spot := d.Approvals[n], d.Spots[n]
	if asking.IsQuestion(a) {
		o.Proposed = nil // an answer does not change the question
	}
	f := &run.ApprovalResolved{ID: a.ID, Spot: spot, Outcome: o}
	if o.Positive() {
		f.Content = d.acceptedContent(n, o)
	}
	d.emit(by, f)
	d.tellAnswer(a, o, by)
	if d.Pause != nil && d.Pause.Approval == a.ID {
		d.unpause(by)
	}
	switch {
	case o.Cancel:
		d.cancelRun(system, "no answer in time: "+a.Title)
	case o.Positive():
		d.supersede(spot, o)
		d.accepted(spot, a, o)
	default:
		d.rejected(spot, a, o)
	}
}

// tellAnswer makes the answer at a gate visible to the steps after it.
func (d *draft) tellAnswer(a *gate.Approval, o gate.Outcome, by run.Actor) {
	if a.Gate != "" {
		d.emit(by, &run.StateUpdated{Gate: a.Gate, Value: answerValue(o)})
	}
}

func (d *draft) acceptedContent(n int, o gate.Outcome) string {
	if o.Proposed != nil {
		// the implementation that the approvers saw
		return d.ContentOf(d.Spots[n], o.Proposed, d.Approvals[n].Action.Implementation)
	}
	if p := d.PlaceAt(d.Spots[n]); p != nil {
		for _, ask := range p.Asks {
			if ask.Approval == n {
				return ask.Content
			}
		}
	}
	return ""
}

// supersede withdraws the other questions at a place once the proposal there has changed: they are about
// something that will not happen.
func (d *draft) supersede(spot run.Spot, o gate.Outcome) {
	if o.Proposed != nil {
		d.withdrawAsks(d.PlaceAt(spot), "the proposal was changed by "+cmp.Or(o.By, "a timeout"))
	}
}

func (d *draft) withdraw(n int, why string) {
	d.emit(system, &run.ApprovalResolved{ID: d.Approvals[n].ID, Spot: d.Spots[n],
		Outcome: gate.Outcome{Status: gate.Cancelled, Comment: why}})
}

// closeApprovals withdraws every open approval of the run.
func (d *draft) closeApprovals(why string) {
	for _, n := range d.OpenApproval {
		if d.Approvals[n].Status == gate.Pending {
			d.withdraw(n, why)
		}
	}
}

// closeStepApprovals withdraws the open approvals of one step.
func (d *draft) closeStepApprovals(i int, why string) {
	for _, n := range d.OpenApproval {
		if d.Approvals[n].Status == gate.Pending && d.Spots[n].Step == d.id(i) {
			d.withdraw(n, why)
		}
	}
}

// accepted continues after a positive outcome.
func (d *draft) accepted(spot run.Spot, a *gate.Approval, o gate.Outcome) {
	switch spot.At {
	case run.AtStart:
		if d.passes(spot, d.StartPlace) {
			d.emit(system, &run.GatePassed{Spot: spot})
			d.touchAll()
		}
	case run.AtLayer:
		d.applyLayerAnswer(o)
	case run.AtReplan:
		d.acceptReplan(spot, o)
	case run.AtLimit:
		d.grant(spot, a, o)
	case run.AtEnd: // finish checks it
	default:
		i, _ := d.Plan().Step(spot.Step)
		d.touch(i)
	}
}

// rejected applies the gate's on_reject.
func (d *draft) rejected(spot run.Spot, a *gate.Approval, o gate.Outcome) {
	d.withdrawAsks(d.PlaceAt(spot), "it was rejected")
	does := a.Terms.OnReject
	if o.Act == gate.RequestRevision && spot.At != run.AtStart {
		does = gate.RejectRevises
	}
	switch {
	case spot.At == run.AtCall && (does == gate.RejectTells || does == gate.RejectRevises) && !d.OnlyCallAt(spot):
		d.denyCall(spot, o)
		return
	case spot.At == run.AtLimit:
		d.stopAtLimit(spot)
		return
	case does == gate.RejectCancels:
		d.cancelRun(run.Actor{Kind: run.Person, Name: o.By}, "rejected: "+o.Comment)
	case does == gate.RejectTells:
		d.tell(spot, o)
	case does == gate.RejectRevises:
		d.revise(spot, a, o)
	default:
		d.failRejected(spot, o)
	}
}

func (d *draft) failRejected(spot run.Spot, o gate.Outcome) {
	f := run.Failure{Code: codeRejected, Message: "rejected: " + o.Comment}
	if o.By != "" {
		f.Message = fmt.Sprintf("%s rejected: %s", o.By, o.Comment)
	}
	if i, ok := d.Plan().Step(spot.Step); ok {
		d.failStep(i, spot.Element(), f)
		return
	}
	d.failRun(f)
}

// tell continues without the rejected proposal; the steps after the gate can read the reason. Rejected means
// not used: a step's result is treated like that of a skipped step, a run's output is empty, and a rejected
// input starts nothing.
func (d *draft) tell(spot run.Spot, o gate.Outcome) {
	i, ok := d.Plan().Step(spot.Step)
	switch {
	case spot.At == run.AtLayer:
		d.passPoint()
	case spot.At == run.AtReplan:
		d.rejectReplan(spot, o)
	case spot.At == run.AtStart:
		d.cancelRun(run.Actor{Kind: run.Person, Name: o.By}, "rejected: "+o.Comment)
	case spot.At == run.AtEnd: // finish checks it
	case !ok:
	case mutant.Is(mutant.RejectedIsUsed) && spot.At == run.AtAfter && !d.IsMap(i):
		d.emit(system, &run.StepCompleted{Step: spot.Step})
		d.touch(i)
	default:
		d.closeStepApprovals(i, "the step is skipped")
		d.skipStep(system, i, run.SkipRejected)
	}
}

// revise sends the work back with the feedback.
func (d *draft) revise(spot run.Spot, a *gate.Approval, o gate.Outcome) {
	i, ok := d.Plan().Step(spot.Step)
	if a.Terms.Revise != "" {
		i, ok = d.Plan().Step(a.Terms.Revise)
	}
	if !ok {
		d.failRejected(spot, o)
		return
	}
	i = d.Plan().InPlaceOf(i)
	index := -1
	if spot.Step == d.id(i) {
		index = spot.Element()
	}
	rev := d.Steps[i].Rev + 1
	if rev > run.RevisionsMax {
		f := run.Failure{Code: codeRejected, Message: fmt.Sprintf("sent back for revision %d times", run.RevisionsMax)}
		if at, ok := d.Plan().Step(spot.Step); ok { // work waiting here fails; the step that was sent back is done
			d.failStep(at, spot.Element(), f)
		} else {
			d.failRun(f)
		}
		return
	}
	f := &run.StepRevised{Step: d.id(i), Index: run.Index(index), Rev: rev, Guidance: o.Comment}
	if index < 0 {
		redo := d.Behind(i)
		// After a replacement, this step may not depend on that one.
		if at, ok := d.Plan().Step(spot.Step); ok && at != i && !slices.Contains(redo, at) {
			redo = append(redo, at)
			d.touch(at)
		}
		for _, k := range redo {
			f.Redo = append(f.Redo, d.id(k))
			d.closeStepApprovals(k, "an earlier step is being redone")
		}
		d.closeStepApprovals(i, "the step is being redone")
		d.withdrawAsks(d.EndPlace, "a step is being redone")
	}
	d.emit(run.Actor{Kind: run.Person, Name: o.By}, f)
	d.touch(i)
}

// withdrawAsks withdraws the open questions of a place, which may be nil.
func (d *draft) withdrawAsks(p *gate.Place, why string) {
	if p == nil {
		return
	}
	for _, ask := range p.Asks {
		if ask.Pending {
			d.withdraw(ask.Approval, why)
		}
	}
}

// answerValue is an outcome as later steps see it.
func answerValue(o gate.Outcome) json.RawMessage {
	m := []value.Member{{Key: "act", Value: value.Quote(string(o.Act))}}
	if o.Option != "" {
		m = append(m, value.Member{Key: "option", Value: value.Quote(o.Option)})
	}
	if o.Data != nil {
		m = append(m, value.Member{Key: "data", Value: o.Data})
	}
	m = append(m, value.Member{Key: "by", Value: value.Quote(o.By)})
	if o.Comment != "" {
		m = append(m, value.Member{Key: "comment", Value: value.Quote(o.Comment)})
	}
	return value.Object(m...)
}
