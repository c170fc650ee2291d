package decide

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

// Decision points: between layers an agent, then people, decide whether to continue.

func (d *draft) agentAt(at plan.AgentAt) bool {
	l := d.Loops().Agent
	return l != nil && (l.At == at || l.At == "" && at == plan.PerLayer)
}

func (d *draft) consultsOnError() bool { return d.agentAt(plan.OnError) }

// layered reports whether layers wait for each other.
func (d *draft) layered() bool {
	h := d.Loops().Human
	return d.agentAt(plan.PerLayer) || h == plan.HumanAlways || h == plan.HumanCriticalOnly
}

func (d *draft) layerOpen(i int) bool {
	return !d.layered() || d.Plan().Nodes[i].Layer <= d.Point.Open
}

// betweenLayers starts the next layer once all decisions are in.
func (d *draft) betweenLayers() {
	if !d.layered() || d.Point.Asking || len(d.Replans) > 0 || !d.mayStart() {
		return
	}
	next := -1
	for i, st := range d.Steps {
		if st.Status.Settled() {
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
	case p != nil && !d.passes(run.Spot{At: run.AtLayer, Layer: next}, p):
		return
	}
	d.passPoint()
}

// humanWanted reports whether people decide before a layer.
func (d *draft) humanWanted(layer int) bool {
	switch d.Loops().Human {
	case plan.HumanAlways:
		return true
	case plan.HumanCriticalOnly:
		for i, st := range d.Steps {
			n := &d.Plan().Nodes[i]
			if n.Layer == layer && !st.Status.Settled() && n.Step.Risk == risk.Critical {
				return true
			}
		}
	}
	return false
}

func (d *draft) askAboutLayer(layer int) {
	spot := run.Spot{At: run.AtLayer, Layer: layer}
	var next []string
	for i, st := range d.Steps {
		if d.Plan().Nodes[i].Layer == layer && !st.Status.Settled() {
			next = append(next, d.id(i))
		}
	}
	q := d.newRequest(spot, gate.ReasonLoop)
	for i, st := range d.Steps {
		n := &d.Plan().Nodes[i]
		if n.Layer == layer && !st.Status.Settled() && n.Step.Risk.Rank() > q.Risk.Level.Rank() {
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

// passPoint starts the next layer.
func (d *draft) passPoint() {
	next := -1
	for i, st := range d.Steps {
		if layer := d.Plan().Nodes[i].Layer; !st.Status.Settled() && layer > d.Point.Open && (next < 0 || layer < next) {
			next = layer
		}
	}
	if next < 0 {
		return
	}
	d.emit(system, &run.PointPassed{Layer: next})
	for i, st := range d.Steps {
		if st.Status == run.PendingStep && d.Plan().Nodes[i].Layer <= next {
			d.touch(i)
		}
	}
}

// layerAnswer is people's change to the plan at a decision point.
type layerAnswer struct {
	Inject []plan.Step `json:"inject_steps"`
	Skip   []string    `json:"skip_steps"`
}

func (d *draft) checkLayerAnswer(proposed json.RawMessage, agents map[string]plan.Agent) error {
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
	if err := d.mayReplace(a.Inject); err != nil {
		return err
	}
	_, _, err := d.Plan().Inject(a.Inject, agents, d.hasStarted, d.doneSteps())
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
	by := run.Actor{Kind: run.Person, Name: o.By}
	for _, id := range a.Skip {
		if i, err := d.skippable(id); err == nil {
			d.skipStep(by, i, run.SkipCommand)
		}
	}
	if len(a.Inject) > 0 {
		if err := d.injectAt(a.Inject, by); err != nil {
			d.warn("inject_failed", "", err.Error())
		}
	}
}

// consult asks the planning agent; failed is the step it is about, if any.
func (d *draft) consult(failed string) {
	if d.Point.Asking {
		return
	}
	d.emit(system, &run.ConsultStarted{N: d.Point.No + 1, Layer: d.Point.Open,
		Deadline: d.env.Now.Add(consultTimeout), Failed: failed})
}

func (d *draft) consultByHand() error {
	switch {
	case d.Loops().Agent == nil:
		return fault.New(fault.Unsupported, "this workflow has no agent in the loop", "add loops.agent to it")
	case d.Point.Asking:
		return fault.New(fault.Conflict, "the agent in the loop is already being asked", "")
	}
	d.consult("")
	return nil
}

func (d *draft) answerConsult(c run.AnswerConsult) error {
	if !d.Point.Asking || c.Key != d.ConsultKey() {
		return stale()
	}
	d.advised(c.Advice, run.Actor{Kind: run.Agent, Name: d.Loops().Agent.Agent})
	return nil
}

// advised applies the planning agent's answer; an unusable answer means continue.
func (d *draft) advised(a run.AdviceRaw, by run.Actor) {
	f, failed := &run.ConsultAnswered{N: d.Point.No, Advice: a}, d.Point.Failed
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
		_ = d.replan(a.Requirement, failed, by)
	}
	d.touchAll()
}

// soFar is the summary sent with every request.
func (d *draft) soFar(spot run.Spot) string {
	if l := d.LoopAt(spot); l != nil {
		return l.SoFar()
	}
	if len(d.Steps) == d.Unsettled {
		return ""
	}
	return phrase.ClipBytes(d.Summary(nil), 1_000)
}
