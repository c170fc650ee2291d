package run

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
)

// Decision points: between layers an agent, then people, say whether to go on.

func (s *State) loops() plan.Loops {
	if l := s.plan.Definition.Workflow.Loops; l != nil {
		return *l
	}
	return plan.Loops{}
}

func (d *draft) agentAt(at plan.AgentAt) bool {
	l := d.loops().Agent
	return l != nil && (l.At == at || l.At == "" && at == plan.PerLayer)
}

func (d *draft) consultsOnError() bool { return d.agentAt(plan.OnError) }

// layered reports whether layers wait for each other.
func (d *draft) layered() bool {
	h := d.loops().Human
	return d.agentAt(plan.PerLayer) || h == plan.HumanAlways || h == plan.HumanCriticalOnly
}

func (d *draft) layerOpen(i int) bool {
	return !d.layered() || d.Plan().Nodes[i].Layer <= d.Point.Open
}

// betweenLayers opens the next layer once everybody who has a say has spoken.
func (d *draft) betweenLayers() {
	if !d.layered() || d.Point.Asking || len(d.Replans) > 0 || !d.mayStart() {
		return
	}
	next := -1
	for i, st := range d.Steps {
		if st.Status.settled() {
			continue
		}
		layer := d.Plan().Nodes[i].Layer
		if layer <= d.Point.Open {
			return
		}
		if next < 0 || layer < next {
			next = layer
		}
	}
	if next < 0 {
		d.withdrawAsks(d.Point.Human, "no steps are left to run")
		return
	}
	if d.agentAt(plan.PerLayer) && d.Point.Consulted <= d.Point.Open {
		d.consult("")
		return
	}
	switch p := d.Point.Human; {
	case p == nil && d.humanWanted(next):
		d.askAboutLayer(next)
		return
	case p != nil && !d.passes(Spot{At: AtLayer, Layer: next}, p):
		return
	}
	d.passPoint()
}

// humanWanted reports whether people have a say before a layer.
func (d *draft) humanWanted(layer int) bool {
	switch d.loops().Human {
	case plan.HumanAlways:
		return true
	case plan.HumanCriticalOnly:
		for i, st := range d.Steps {
			n := &d.Plan().Nodes[i]
			if n.Layer == layer && !st.Status.settled() && n.Step.Risk == risk.Critical {
				return true
			}
		}
	}
	return false
}

func (d *draft) askAboutLayer(layer int) {
	spot := Spot{At: AtLayer, Layer: layer}
	var next []string
	for i, st := range d.Steps {
		if d.Plan().Nodes[i].Layer == layer && !st.Status.settled() {
			next = append(next, d.id(i))
		}
	}
	q := d.newRequest(spot, gate.ReasonLoop)
	for i, st := range d.Steps {
		n := &d.Plan().Nodes[i]
		if n.Layer == layer && !st.Status.settled() && n.Step.Risk.Rank() > q.Risk.Level.Rank() {
			q.Risk = gate.Risk{Level: n.Step.Risk,
				Reasons: []string{"step " + n.Step.ID + " is rated " + string(n.Step.Risk) + " risk"}}
		}
	}
	q.Title = "Continue with " + strings.Join(next, ", ") + "?"
	if len(q.Title) > 200 {
		q.Title = fmt.Sprintf("Continue with %d steps?", len(next))
	}
	q.SoFar = d.Summary(next)
	q.Proposed = json.RawMessage(`{"inject_steps":[],"skip_steps":[]}`)
	q.Terms = d.termsFor(plan.Gate{}, spot)
	d.open(spot, []want{{id: fmt.Sprintf("layer:%d", layer), request: q}})
}

// passPoint lets the next layer run.
func (d *draft) passPoint() {
	next := -1
	for i, st := range d.Steps {
		if layer := d.Plan().Nodes[i].Layer; !st.Status.settled() && layer > d.Point.Open && (next < 0 || layer < next) {
			next = layer
		}
	}
	if next < 0 {
		return
	}
	d.emit(system, &PointPassed{Layer: next})
	for i, st := range d.Steps {
		if st.Status == PendingStep && d.Plan().Nodes[i].Layer <= next {
			d.touch(i)
		}
	}
}

// layerAnswer is how people change the plan at a decision point.
type layerAnswer struct {
	Inject []plan.Step `json:"inject_steps"`
	Skip   []string    `json:"skip_steps"`
}

func (d *draft) checkLayerAnswer(proposed json.RawMessage) error {
	var a layerAnswer
	if err := plan.Decode(proposed, &a); err != nil {
		return err
	}
	for _, id := range a.Skip {
		if _, err := d.skippable(id); err != nil {
			return err
		}
	}
	if len(a.Inject) == 0 {
		return nil
	}
	_, _, err := d.Plan().Inject(a.Inject, nil, d.hasStarted, d.doneSteps())
	return err
}

func (d *draft) applyLayerAnswer(o gate.Outcome) {
	if o.Proposed == nil {
		return
	}
	var a layerAnswer
	if plan.Decode(o.Proposed, &a) != nil {
		return
	}
	by := Actor{Kind: Person, Name: o.By}
	for _, id := range a.Skip {
		if i, err := d.skippable(id); err == nil {
			d.skipStep(by, i, SkipCommand)
		}
	}
	if len(a.Inject) > 0 {
		if err := d.injectAt(a.Inject, by); err != nil {
			d.warn("inject_failed", "", err.Error())
		}
	}
}

// consult asks the agent in the loop; failed names the step it is about, if any.
func (d *draft) consult(failed string) {
	if d.Point.Asking {
		return
	}
	d.emit(system, &ConsultStarted{N: d.Point.No + 1, Layer: d.Point.Open,
		Deadline: d.env.Now.Add(consultTimeout), Failed: failed})
}

func (d *draft) consultByHand() error {
	switch {
	case d.loops().Agent == nil:
		return fault.New(fault.Unsupported, "this workflow has no agent in the loop", "add loops.agent to it")
	case d.Point.Asking:
		return fault.New(fault.Conflict, "the agent in the loop is already being asked", "")
	}
	d.consult("")
	return nil
}

func (s *State) consultKey() Key {
	return Key{Run: s.ID, Kind: KeyConsult, Index: -1, N: s.Point.No, Try: 1}
}

func (d *draft) answerConsult(c AnswerConsult) error {
	if !d.Point.Asking || c.Key != d.consultKey() {
		return stale()
	}
	d.advised(c.Advice, Actor{Kind: Agent, Name: d.loops().Agent.Agent})
	return nil
}

// advised does what the agent in the loop said; what cannot be understood means go on.
func (d *draft) advised(a AdviceRaw, by Actor) {
	f := &ConsultAnswered{N: d.Point.No, Advice: a}
	if known := a.Action == "continue" || a.Action == "abort" ||
		a.Action == "replan" && strings.TrimSpace(a.Requirement) != ""; !known {
		f.Fallback = true
		f.Advice.Action = "continue"
	}
	d.emit(by, f)
	if f.Fallback {
		d.warn("no_advice", "loops.agent", "the agent in the loop gave no usable answer; the run continues")
	}
	switch f.Advice.Action {
	case "abort":
		d.cancelRun(by, a.Reasoning)
	case "replan":
		_ = d.replan(a.Requirement, by)
	}
	d.touchAll()
}

// replan asks for steps that meet a requirement.
func (d *draft) replan(requirement string, by Actor) error {
	switch r := strings.TrimSpace(requirement); {
	case r == "":
		return fault.Of("the command is incomplete",
			[]fault.Problem{{Path: "/requirement", Message: "describe what the new steps should do"}})
	case len(r) > TextMax:
		return fault.Newf(fault.TooLarge, "the requirement has %d bytes; the limit is %d", len(r), TextMax)
	case d.Cancelling != nil:
		return fault.New(fault.Conflict, "the run is being cancelled", "")
	}
	d.emit(by, &ReplanRequested{N: d.ReplanNo + 1, Requirement: requirement, Deadline: d.env.Now.Add(replanTimeout)})
	return nil
}

func (s *State) replanKey(n int) Key {
	return Key{Run: s.ID, Kind: KeyReplan, Index: -1, N: n, Try: 1}
}

func (d *draft) answerReplan(c AnswerReplan) error {
	for _, r := range d.Replans {
		if c.Key != d.replanKey(r.N) {
			continue
		}
		d.replanned(r, c)
		return nil
	}
	return stale()
}

func (d *draft) replanned(r OpenReplan, c AnswerReplan) {
	d.emit(system, &ReplanAnswered{N: r.N, Found: len(c.Steps), Reason: c.Reason})
	if len(c.Steps) == 0 {
		d.warn("nothing_found", "", strings.TrimSpace(fmt.Sprintf("no steps were found for %q. %s", r.Requirement, c.Reason)))
	} else if err := d.inject(c.Steps, c.Agents, system, "replan: "+r.Requirement); err != nil {
		d.warn("replan_failed", "", fmt.Sprintf("the steps found for %q do not fit the plan: %v", r.Requirement, err))
	}
	d.touchAll()
}

// Summary says in a few hundred words what was done and what is next.
func (s *State) Summary(next []string) string {
	const most = 4_000 // characters: some 1,000 tokens
	var b strings.Builder
	fmt.Fprintf(&b, "Workflow %s.", s.plan.Definition.Workflow.Name)
	shown := 0
	for _, i := range s.plan.Order() {
		st := s.Steps[i]
		if !st.Status.settled() || b.Len() > most-400 {
			continue
		}
		shown++
		fmt.Fprintf(&b, "\n- %s: %s", s.plan.Nodes[i].Step.ID, st.Status)
		switch {
		case st.Error != nil:
			fmt.Fprintf(&b, " (%s)", phrase.ClipBytes(st.Error.Message, 200))
		case st.Status == DoneStep:
			fmt.Fprintf(&b, " → %s", phrase.ClipBytes(string(st.Output), 200))
		}
	}
	if rest := len(s.Steps) - s.Unsettled - shown; rest > 0 {
		fmt.Fprintf(&b, "\n- and %d more", rest)
	}
	if len(next) > 0 {
		fmt.Fprintf(&b, "\nNext: %s.", phrase.ClipBytes(strings.Join(next, ", "), 300))
	}
	return b.String()
}

// soFar is the short form that goes with every request.
func (d *draft) soFar(spot Spot) string {
	if l := d.loopAt(spot); l != nil {
		return l.soFar()
	}
	if len(d.Steps) == d.Unsettled {
		return ""
	}
	return phrase.ClipBytes(d.Summary(nil), 1_000)
}
