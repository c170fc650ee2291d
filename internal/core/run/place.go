package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/mutant"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/value"
)

// want is one reason to ask people at a spot, ready to be put to them.
type want struct {
	id      string
	request gate.Request
	auto    *policy.Verdict // set when the policy answers in people's stead
	firm    bool            // people are asked, whatever the policy would answer
}

// about notes what the policy looks at where these are wanted.
func about(wants []want, key Key, result bool) []want {
	for n := range wants {
		wants[n].request.Subject = &gate.Subject{Key: key.Work(), Result: result, Firm: wants[n].firm}
	}
	return wants
}

// silenceApproves is said where a high risk is taken if nothing is said.
const silenceApproves = "If there is no answer by the deadline, this is approved automatically."

// open asks for everything that is wanted at a spot, all at once. It reports
// whether anybody has to answer.
func (d *draft) open(spot Spot, wants []want) bool {
	if d.Cancelling != nil {
		return true // nobody is asked about a run that is ending, and nothing passes without them
	}
	implementation := d.implementationNow(spot)
	proposal := d.proposalAt(spot)
	content := d.contentOf(spot, proposal, implementation)
	var proposers []gate.Proposer
	if len(wants) > 0 {
		proposers = d.proposers(spot, proposal)
	}
	var changed []gate.VersionChange
	if p := d.placeAt(spot); p != nil {
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
			asTried(&q)
		}
		d.distinct(&q)
		if t := &q.Terms; t.Then == gate.ThenApprove && !t.Deadline.IsZero() && q.Risk.Level.Rank() >= risk.High.Rank() &&
			!strings.Contains(q.Description, silenceApproves) {
			q.Description = strings.TrimSpace(q.Description + "\n\n" + silenceApproves)
		}
		if w.auto != nil {
			d.emit(Actor{Kind: Policy, Name: w.auto.Rule}, &ApprovalAutoApproved{
				Spot: spot, Want: w.id, Content: content, Request: q,
				Reason: w.auto.Reason, Sample: w.auto.Sample, Notify: w.auto.NotifyAfter,
			})
			if a := d.Approvals[len(d.Approvals)-1]; a.Outcome != nil {
				d.tellAnswer(a, *a.Outcome, Actor{Kind: Policy, Name: w.auto.Rule})
			}
			continue
		}
		d.emit(system, &ApprovalNeeded{Spot: spot, Want: w.id, Content: content, Request: q})
		pending = true
	}
	return pending
}

// askAgain is a question as it was put before, with its times counted from now.
func (d *draft) askAgain(n int) gate.Request {
	a := d.Approvals[n]
	q := a.Request
	q.SoFar = d.soFar(d.Spots[n])
	t := &q.Terms
	later := d.env.Now.Sub(a.OpenedAt)
	if d.env.Stopped && q.Rule != nil && t.Then == gate.ThenApprove {
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

// denied does what the policy's "no" means at a spot.
func (d *draft) denied(spot Spot, f Failure) {
	i, _ := d.Plan().Step(spot.Step)
	if spot.At == AtCall {
		d.answerCall(i, max(indexOf(spot.Index), 0), d.callAt(spot), CallResult{Error: f.Message}, true)
		return
	}
	d.failStep(i, indexOf(spot.Index), f)
}

// contentAt is the digest of what is proposed at a spot, independent of key order and spacing.
func (s *State) contentAt(spot Spot) string {
	return s.contentOf(spot, s.proposalAt(spot), s.implementationAt(spot))
}

func (s *State) contentOf(spot Spot, proposal json.RawMessage, implementation []gate.Implementation) string {
	name := spot.Step
	if spot.At == AtCall {
		if c := s.callAt(spot); c != nil {
			name = c.Call.Tool
		}
	}
	parts := [][]byte{[]byte(spot.At), []byte(name), value.Canonical(proposal), value.Canonical(s.schemaAt(spot))}
	for _, im := range implementation {
		parts = append(parts, []byte(im.Kind), []byte(im.Name), []byte(strconv.Itoa(im.Version)), []byte(im.Digest))
	}
	return value.Digest(parts...)
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
