package run

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/value"
)

// want is one reason to ask people at a spot, ready to be put to them.
type want struct {
	id      string
	request gate.Request
	auto    *policy.Verdict // set when the policy answers in people's stead
}

// open asks for everything that is wanted at a spot, all at once. It reports
// whether anybody has to answer.
func (d *draft) open(spot Spot, wants []want) bool {
	if d.Cancelling != nil {
		return true // nobody is asked about a run that is ending, and nothing passes without them
	}
	content := d.contentAt(spot)
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
		if w.auto != nil {
			d.emit(Actor{Policy, w.auto.Rule}, &ApprovalAutoApproved{
				Spot: spot, Want: w.id, Content: content, Request: q,
				Reason: w.auto.Reason, Sample: w.auto.Sample, Notify: w.auto.NotifyAfter,
			})
			if a := d.Approvals[len(d.Approvals)-1]; a.Outcome != nil {
				d.tellAnswer(a, *a.Outcome, Actor{Policy, w.auto.Rule})
			}
			continue
		}
		d.emit(system, &ApprovalNeeded{Spot: spot, Want: w.id, Content: content, Request: q})
		pending = true
	}
	return pending
}

// passes reports whether everything wanted at a place has been answered about
// exactly what is proposed now. Questions about this very content that went
// without a yes are put again as they were; if the content changed, those who
// have not seen it are asked anew.
func (d *draft) passes(spot Spot, p *Place) bool {
	var again []want
	changed := false
	for _, ask := range p.Asks {
		switch {
		case ask.Pending:
			return false
		case ask.Accepted == p.Content: // what people made of it is looked at like anything new
			changed = changed || ask.Content != p.Content
		case ask.Content == p.Content && ask.Accepted == "":
			again = append(again, want{id: ask.Want, request: d.askAgain(ask.Approval)})
		default:
			changed = true
		}
	}
	if mutant.Is(mutant.ChangedArgsPass) {
		return true
	}
	if changed {
		wants, denied := d.wantsAt(spot)
		if denied != nil { // what people made of it is forbidden
			d.denied(spot, *denied)
			return false
		}
		for _, w := range wants {
			seen := slices.ContainsFunc(p.Asks, func(a Ask) bool {
				return a.Want == w.id && (a.Accepted == p.Content || a.Accepted == "" && a.Content == p.Content)
			})
			if !seen {
				again = append(again, w)
			}
		}
	}
	return len(again) == 0 || !d.open(spot, again)
}

// askAgain is a question as it was put before, with its times counted from now.
func (d *draft) askAgain(n int) gate.Request {
	a := d.Approvals[n]
	q := a.Request
	q.SoFar = d.soFar(d.Spots[n])
	t := &q.Terms
	later := d.env.Now.Sub(a.OpenedAt)
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

// denied does what the policy's "no" means at a spot.
func (d *draft) denied(spot Spot, f Failure) {
	i, _ := d.plan.Step(spot.Step)
	if spot.At == AtCall {
		d.answerCall(i, max(indexOf(spot.Index), 0), d.callAt(spot), CallResult{Error: f.Message}, true)
		return
	}
	d.failStep(i, indexOf(spot.Index), f)
}

// contentAt is the digest of what is proposed at a spot, independent of key order and spacing.
func (s *State) contentAt(spot Spot) string {
	return s.contentOf(spot, s.proposalAt(spot))
}

func (s *State) contentOf(spot Spot, proposal json.RawMessage) string {
	name := spot.Step
	if spot.At == AtCall {
		if c := s.callAt(spot); c != nil {
			name = c.Call.Tool
		}
	}
	return value.Digest([]byte(spot.At), []byte(name), value.Canonical(proposal), value.Canonical(s.schemaAt(spot)))
}

// proposalAt is what an answer at a spot is about.
func (s *State) proposalAt(spot Spot) json.RawMessage {
	i, _ := s.plan.Step(spot.Step)
	switch spot.At {
	case AtStart:
		return s.Input
	case AtBefore:
		if spot.Index != nil || !s.isMap(i) {
			in, _ := s.inputOf(i, indexOf(spot.Index))
			return in
		}
		return s.mapInputs(i)
	case AtAfter:
		if st := s.Steps[i]; spot.Index == nil && s.isMap(i) {
			return s.mapOutput(st)
		}
		if r := s.Steps[i].Tasks[max(indexOf(spot.Index), 0)].Result; r != nil {
			return r.Output
		}
	case AtCall:
		if c := s.callAt(spot); c != nil {
			return c.Call.Args
		}
	case AtEnd:
		if s.Output != nil {
			return s.Output
		}
		out, _ := s.runOutput()
		return out
	}
	return nil
}

func (s *State) mapInputs(i int) json.RawMessage {
	if st := s.Steps[i]; st.Input != nil {
		return st.Input
	}
	items := s.itemsOf(i)
	ins := make([]json.RawMessage, len(items))
	for k, item := range items {
		ins[k], _ = s.elementInput(i, k, item)
	}
	return value.Array(ins...)
}

func (s *State) mapOutput(st *Step) json.RawMessage {
	if st.Output != nil {
		return st.Output
	}
	outs := make([]json.RawMessage, len(st.Tasks))
	for k, t := range st.Tasks {
		outs[k] = json.RawMessage("null")
		if t.Result != nil {
			outs[k] = t.Result.Output
		}
	}
	return value.Array(outs...)
}

// schemaAt is the schema that a changed proposal has to fit.
func (s *State) schemaAt(spot Spot) json.RawMessage {
	i, ok := s.plan.Step(spot.Step)
	switch {
	case spot.At == AtStart:
		return s.plan.Definition.Workflow.Input
	case spot.At == AtCall:
		if c := s.callAt(spot); c != nil {
			return c.Call.Spec.ArgsSchema
		}
	case !ok || s.plan.Nodes[i].Agent == nil || s.isMap(i) && spot.Index == nil:
	case spot.At == AtBefore:
		return s.plan.Nodes[i].Agent.Input
	case spot.At == AtAfter:
		return s.plan.Nodes[i].Agent.Output
	}
	return nil
}

// placeAt finds the place of a spot, or nil.
func (s *State) placeAt(spot Spot) *Place {
	switch spot.At {
	case AtStart:
		return s.StartPlace
	case AtEnd:
		return s.EndPlace
	case AtLayer:
		return s.Point.Human
	}
	i, ok := s.plan.Step(spot.Step)
	if !ok {
		return nil
	}
	st := s.Steps[i]
	if k := indexOf(spot.Index); spot.At == AtBefore || spot.At == AtAfter {
		switch {
		case k >= 0 && k >= len(st.Tasks):
			return nil
		case k >= 0 && spot.At == AtBefore:
			return st.Tasks[k].Before
		case k >= 0:
			return st.Tasks[k].After
		case spot.At == AtBefore:
			return st.Before
		}
		return st.After
	}
	l := s.loopAt(spot)
	switch {
	case l == nil:
		return nil
	case spot.At == AtLimit:
		return l.Limit
	}
	if c := l.call(spot.Call); c != nil {
		return c.Place
	}
	return nil
}

func indexOf(p *int) int {
	if p == nil {
		return -1
	}
	return *p
}

// decide takes a person's answer to an approval.
func (d *draft) decide(c Decide) error {
	n, ok := d.findApproval(c.Approval)
	if !ok {
		return notFound("approval", c.Approval)
	}
	if d.cmd.By.Kind == Agent {
		c.Answer.By.Agent = true
	}
	a := d.Approvals[n]
	r, err := a.Decide(c.Answer, d.env.Now)
	if err != nil {
		return err
	}
	if err := d.checkAnswer(d.Spots[n], r); err != nil {
		return err
	}
	d.emit(d.cmd.By, &ApprovalDecided{ID: a.ID, Decision: r.Decision})
	if r.Outcome != nil {
		d.resolve(n, *r.Outcome, d.cmd.By)
	}
	return nil
}

// checkAnswer refuses answers that the run could not carry out.
func (d *draft) checkAnswer(spot Spot, r gate.Ruling) error {
	if len(r.Decision.Proposed) > OutputMax {
		return fault.Newf(fault.TooLarge, "what is proposed now has %d bytes; at most %d are taken", len(r.Decision.Proposed), OutputMax)
	}
	// Also while more people are needed: they should not be asked to agree to
	// what cannot be carried out.
	proposed := r.Decision.Proposed
	if r.Outcome != nil && r.Outcome.Proposed != nil {
		proposed = r.Outcome.Proposed
	}
	if proposed == nil {
		return nil
	}
	switch spot.At {
	case AtLayer:
		return d.checkLayerAnswer(proposed)
	case AtLimit:
		_, err := parseGrant(proposed)
		return err
	case AtBefore:
		if i, _ := d.plan.Step(spot.Step); d.isMap(i) && spot.Index == nil && value.KindOf(proposed) != value.KindArray {
			return fault.Of("the changed proposal does not fit", []fault.Problem{{Message: "a map works on a list"}})
		}
	}
	return nil
}

// expireApproval settles an approval that nobody will answer, as a rejection.
func (d *draft) expireApproval(c Expire) error {
	n, ok := d.findApproval(c.Approval)
	if !ok {
		return notFound("approval", c.Approval)
	}
	if d.cmd.By.Kind == Agent {
		return fault.New(fault.Forbidden, "agents never decide approvals", "let a person decide")
	}
	if a := d.Approvals[n]; a.Status != gate.Pending {
		_, err := a.Decide(gate.Answer{}, d.env.Now)
		return err
	}
	comment := c.Comment
	if comment == "" {
		comment = "expired by hand"
	}
	d.resolve(n, gate.Outcome{Status: gate.TimedOut, Act: gate.Reject, By: d.cmd.By.Name, Comment: comment}, d.cmd.By)
	return nil
}

// resolve settles an approval and does to the run what that means.
func (d *draft) resolve(n int, o gate.Outcome, by Actor) {
	a, spot := d.Approvals[n], d.Spots[n]
	if isQuestion(a) {
		o.Proposed = nil // an answer is not a change of the question
	}
	f := &ApprovalResolved{ID: a.ID, Spot: spot, Outcome: o}
	if o.Positive() || tells(spot, a, o) {
		f.Content = d.acceptedContent(n, o)
	}
	d.emit(by, f)
	d.tellAnswer(a, o, by)
	if d.Pause != nil && d.Pause.Approval == a.ID {
		d.unpause(by)
	}
	switch {
	case o.Cancel:
		d.cancelRun(system, "nobody answered "+a.Title+" in time")
	case o.Positive():
		d.supersede(spot, o)
		d.accepted(spot, a, o)
	default:
		d.rejected(spot, a, o)
	}
}

// tellAnswer lets those behind a gate see what was said there.
func (d *draft) tellAnswer(a *gate.Approval, o gate.Outcome, by Actor) {
	if a.Gate != "" {
		d.emit(by, &StateUpdated{Gate: a.Gate, Value: answerValue(o)})
	}
}

func (d *draft) acceptedContent(n int, o gate.Outcome) string {
	if o.Proposed != nil {
		return d.contentOf(d.Spots[n], o.Proposed)
	}
	if p := d.placeAt(d.Spots[n]); p != nil {
		for _, ask := range p.Asks {
			if ask.Approval == n {
				return ask.Content
			}
		}
	}
	return ""
}

// supersede withdraws the other questions at a place once what is proposed
// there has changed: nobody should answer about what will not happen.
func (d *draft) supersede(spot Spot, o gate.Outcome) {
	if o.Proposed != nil {
		d.withdrawAsks(d.placeAt(spot), "what is proposed was changed by "+o.By)
	}
}

func (d *draft) withdraw(n int, why string) {
	d.emit(system, &ApprovalResolved{ID: d.Approvals[n].ID, Spot: d.Spots[n], Outcome: gate.Outcome{Status: gate.Cancelled, Comment: why}})
}

// closeApprovals withdraws every open question of the run.
func (d *draft) closeApprovals(why string) {
	for _, n := range d.OpenApproval {
		if d.Approvals[n].Status == gate.Pending {
			d.withdraw(n, why)
		}
	}
}

// closeStepApprovals withdraws the open questions of one step.
func (d *draft) closeStepApprovals(i int, why string) {
	for _, n := range d.OpenApproval {
		if d.Approvals[n].Status == gate.Pending && d.Spots[n].Step == d.id(i) {
			d.withdraw(n, why)
		}
	}
}

// accepted goes on after a positive outcome.
func (d *draft) accepted(spot Spot, a *gate.Approval, o gate.Outcome) {
	switch spot.At {
	case AtStart:
		if d.passes(spot, d.StartPlace) {
			d.emit(system, &GatePassed{Spot: spot})
			d.touchAll()
		}
	case AtLayer:
		d.applyLayerAnswer(o)
	case AtLimit:
		d.grant(spot, a, o)
	case AtEnd: // finish looks at it
	default:
		i, _ := d.plan.Step(spot.Step)
		d.touch(i)
	}
}

// rejected does what the gate says a rejection does.
func (d *draft) rejected(spot Spot, a *gate.Approval, o gate.Outcome) {
	if tells(spot, a, o) {
		d.tellOn(spot)
		return
	}
	d.withdrawAsks(d.placeAt(spot), "it was rejected")
	does := a.Terms.OnReject
	if o.Act == gate.RequestRevision && spot.At != AtStart {
		does = gate.RejectRevises
	}
	switch {
	case spot.At == AtCall && (does == gate.RejectTells || does == gate.RejectRevises):
		d.denyCall(spot, o)
		return
	case spot.At == AtLimit:
		d.stopAtLimit(spot)
		return
	case does == gate.RejectCancels:
		d.cancelRun(Actor{Person, o.By}, "rejected: "+o.Comment)
	case does == gate.RejectTells:
		d.tell(spot)
	case does == gate.RejectRevises:
		d.revise(spot, a, o)
	default:
		d.failRejected(spot, o)
	}
}

func (d *draft) failRejected(spot Spot, o gate.Outcome) {
	f := Failure{Code: codeRejected, Message: "rejected: " + o.Comment}
	if o.By != "" {
		f.Message = fmt.Sprintf("%s rejected: %s", o.By, o.Comment)
	}
	if i, ok := d.plan.Step(spot.Step); ok {
		d.failStep(i, indexOf(spot.Index), f)
		return
	}
	d.failRun(f)
}

// tells reports whether the run goes on with what was rejected. The others who
// are asked at the same place still have their say.
func tells(spot Spot, a *gate.Approval, o gate.Outcome) bool {
	told := a.Terms.OnReject == gate.RejectTells && o.Act == gate.Reject && !o.Cancel
	return told && (spot.At == AtStart || spot.At == AtAfter || spot.At == AtEnd)
}

// tellOn goes on in spite of a rejection; those behind the gate can read it.
func (d *draft) tellOn(spot Spot) {
	switch spot.At {
	case AtStart:
		if d.passes(spot, d.StartPlace) {
			d.emit(system, &GatePassed{Spot: spot})
			d.touchAll()
		}
	case AtAfter:
		i, _ := d.plan.Step(spot.Step)
		d.touch(i)
	}
}

// tell leaves out what was rejected before it began.
func (d *draft) tell(spot Spot) {
	i, ok := d.plan.Step(spot.Step)
	switch {
	case spot.At == AtLayer:
		d.passPoint()
	case !ok:
	case spot.Index != nil: // before an element: it is left out
		d.emit(system, &ElementCompleted{Step: spot.Step, Index: *spot.Index, Result: &Result{Output: []byte("null")}})
		d.touch(i)
	default:
		d.closeStepApprovals(i, "the step is skipped")
		d.skipStep(system, i, SkipRejected)
	}
}

// revise sends the work back with what was said about it.
func (d *draft) revise(spot Spot, a *gate.Approval, o gate.Outcome) {
	i, ok := d.plan.Step(spot.Step)
	if a.Terms.Revise != "" {
		i, ok = d.plan.Step(a.Terms.Revise)
	}
	if !ok {
		d.failRejected(spot, o)
		return
	}
	index := -1
	if spot.Step == d.id(i) {
		index = indexOf(spot.Index)
	}
	rev := d.Steps[i].Rev + 1
	if rev > RevisionsMax {
		f := Failure{Code: codeRejected, Message: fmt.Sprintf("sent back %d times", RevisionsMax)}
		if at, ok := d.plan.Step(spot.Step); ok { // what waits here fails; the step that was sent back is done
			d.failStep(at, indexOf(spot.Index), f)
		} else {
			d.failRun(f)
		}
		return
	}
	f := &StepRevised{Step: d.id(i), Index: indexPtr(index), Rev: rev, Guidance: o.Comment}
	if index < 0 {
		for _, k := range d.behind(i) {
			f.Redo = append(f.Redo, d.id(k))
			d.closeStepApprovals(k, "the step before it is done again")
		}
		d.closeStepApprovals(i, "the step is done again")
		d.withdrawAsks(d.EndPlace, "a step is done again")
	}
	d.emit(Actor{Person, o.By}, f)
	d.touch(i)
}

// behind lists the steps that depend on step i and have begun.
func (d *draft) behind(i int) []int {
	seen := make([]bool, len(d.Steps))
	var out []int
	stack := []int{i}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, k := range d.plan.Nodes[n].Dependents {
			if !seen[k] {
				seen[k] = true
				stack = append(stack, k)
				if d.Steps[k].Status != PendingStep {
					out = append(out, k)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// withdrawAsks withdraws the open questions of a place; nil has none.
func (d *draft) withdrawAsks(p *Place, why string) {
	if p == nil {
		return
	}
	for _, ask := range p.Asks {
		if ask.Pending {
			d.withdraw(ask.Approval, why)
		}
	}
}
