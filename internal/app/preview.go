package app

import (
	"context"
	"encoding/json"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/view"
)

// PreviewView shows the data along each edge of a workflow, made of samples.
type PreviewView struct {
	Workflow string          `json:"workflow"`
	Version  int             `json:"version"`
	Steps    []PreviewStep   `json:"steps"`
	Edges    []PreviewEdge   `json:"edges"`
	Gates    []PreviewGate   `json:"gates"`
	Output   json.RawMessage `json:"output"`
	Error    *view.Error     `json:"error"`
}

// PreviewStep is what a step would get, and the sample of what it gives.
type PreviewStep struct {
	ID     string          `json:"id"`
	Layer  int             `json:"layer"`
	Status run.StepStatus  `json:"status"` // done, skipped, failed, pending
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

// PreviewEdge is the data that one step hands to another.
type PreviewEdge struct {
	From string          `json:"from"`
	To   string          `json:"to"`
	Data json.RawMessage `json:"data"`
}

// PreviewGate is a question that people would be asked.
type PreviewGate struct {
	Gate  string    `json:"gate"`
	Step  string    `json:"step"`
	Kind  gate.Kind `json:"kind"`
	Title string    `json:"title"`
	Role  string    `json:"role"`
}

// PreviewWorkflow lets a workflow run in memory with samples for answers:
// every agent gives its sample, every person says yes. Nobody is asked.
func (a *App) PreviewWorkflow(ctx context.Context, who Who, name string, number int, input json.RawMessage) (PreviewView, error) {
	if err := a.allowWorkflow(ctx, who, access.See, name); err != nil {
		return PreviewView{}, err
	}
	def, err := a.definitionAt(ctx, name, number)
	if err != nil {
		return PreviewView{}, a.orUnknown(err, who, definition.KindWorkflow, name)
	}
	p, problems := plan.Compile(def)
	if p == nil {
		return PreviewView{}, fault.Of("the workflow is not valid", fault.Errors(problems))
	}
	if len(input) == 0 {
		input = json.RawMessage(`{}`)
	}
	r := &rehearsal{app: a, s: run.New("run_preview", p), view: PreviewView{Workflow: name, Version: def.Version, Edges: []PreviewEdge{}, Gates: []PreviewGate{}}, inputs: map[string]json.RawMessage{}}
	if err := r.take(run.Start{Input: input, Owner: who.Key()}); err != nil {
		return PreviewView{}, err
	}
	for range rehearsalMax {
		if !r.goOn() {
			break
		}
	}
	return r.finish(), nil
}

// rehearsalMax bounds a rehearsal; a workflow that needs more is shown as far as it came.
const rehearsalMax = 20_000

// rehearsal is a run that exists nowhere but here.
type rehearsal struct {
	app    *App
	s      *run.State
	view   PreviewView
	inputs map[string]json.RawMessage // by step
}

func (r *rehearsal) take(do run.Doing) error { return r.takeFrom(run.Actor{Kind: run.System}, do) }

// env is the world as a rehearsal sees it: no other run has done anything.
func (r *rehearsal) env(judge run.Judge) run.Env {
	alone := func(run.Elsewhere) ([]run.Tally, bool) { return nil, true }
	return run.Env{Now: r.app.now(), Judge: judge, Elsewhere: alone}
}

func (r *rehearsal) takeFrom(by run.Actor, do run.Doing) error {
	judge, _ := r.app.Judge()
	events, err := r.s.Handle(r.env(judge), run.Command{By: by, Do: do})
	for _, e := range events {
		r.s.Apply(e)
	}
	return err
}

// goOn answers one thing that the run waits for; false when there is none.
func (r *rehearsal) goOn() bool {
	if r.s.Status.Ended() {
		return false
	}
	for _, ap := range r.s.Pending() {
		r.view.Gates = append(r.view.Gates, PreviewGate{ap.Gate, ap.Step, ap.Kind, ap.Title, ap.Terms.Role})
		return r.sayYes(ap)
	}
	for _, e := range r.s.Effects() {
		var err error
		switch do := e.Do.(type) {
		case run.Invoke:
			r.inputs[do.Step] = r.s.InputFor(do.Step, do.Index)
			err = r.take(run.Complete{Key: e.Key, Result: run.Result{Output: r.sample(do.Step)}})
		case run.Think:
			r.inputs[do.Step] = r.s.InputFor(do.Step, do.Index)
			err = r.take(run.CompleteTurn{Key: e.Key, Turn: run.Turn{Output: r.sample(do.Step)}})
		case run.StartRun:
			r.inputs[do.Step] = r.s.InputFor(do.Step, do.Index)
			key := e.Key
			key.Kind = run.KeyStep
			err = r.take(run.EndChild{Key: key, Status: run.Completed, Output: r.sample(do.Step)})
		case run.Advise:
			err = r.take(run.AnswerConsult{Key: e.Key, Advice: run.AdviceRaw{Action: "continue"}})
		default:
			continue
		}
		return err == nil
	}
	return false
}

// sayYes answers an approval as somebody who may do anything would.
func (r *rehearsal) sayYes(ap *gate.Approval) bool {
	for i := range max(ap.Progress().Needed, 1) {
		answer := gate.Answer{By: gate.Person{Name: "preview " + string(rune('a'+i%26)), Roles: rolesOf(ap)}, Act: gate.Approve, Version: ap.Version}
		switch ap.Kind {
		case gate.KindChoice:
			answer.Act, answer.Option = gate.Choose, ap.Options[0].Value
		case gate.KindInput:
			answer.Act, answer.Data = gate.Submit, schema.Sample(ap.InputSchema)
		}
		if ap.Terms.OnlyOwner != "" {
			answer.By.Name = ap.Terms.OnlyOwner
		}
		if r.takeFrom(run.Actor{Kind: run.Person, Name: answer.By.Name}, run.Decide{Approval: ap.ID, Answer: answer}) != nil {
			return i > 0
		}
		next, open := r.s.Approval(ap.ID)
		if !open || next.Status != gate.Pending {
			return true
		}
		ap = next
	}
	return true
}

func rolesOf(ap *gate.Approval) []string {
	roles := []string{gate.RoleAdmin}
	if ap.Terms.Role != "" {
		roles = append(roles, ap.Terms.Role)
	}
	for role := range ap.Terms.Roles {
		roles = append(roles, role)
	}
	return roles
}

// sample is what a step gives in a rehearsal.
func (r *rehearsal) sample(step string) json.RawMessage {
	for i := range r.s.Plan().Nodes {
		if n := &r.s.Plan().Nodes[i]; n.Step.ID == step {
			if out := r.scripted(n); out != nil {
				return out
			}
			return run.SampleOf(n)
		}
	}
	return json.RawMessage("null")
}

// scripted is the first thing that a scripted agent without a sample would put out.
func (r *rehearsal) scripted(n *plan.Node) json.RawMessage {
	doc := r.app.registry.now().set.Agents[n.Step.Agent]
	if doc == nil || doc.Scripted == nil || n.Step.Sample != nil || doc.Sample != nil {
		return nil
	}
	for _, answer := range doc.Scripted.Answers {
		if answer.Output != nil {
			return answer.Output
		}
	}
	return nil
}

func (r *rehearsal) finish() PreviewView {
	v, show := &r.view, view.Shortener(false)
	v.Output = view.OrNull(r.s.Output)
	v.Error = view.ErrorOf(r.s.Error, r.s.ErrorAt, show)
	for i, st := range r.s.Steps {
		n := &r.s.Plan().Nodes[i]
		v.Steps = append(v.Steps, PreviewStep{n.Step.ID, n.Layer, st.Status, show(view.OrNull(r.inputs[n.Step.ID])), show(view.OrNull(st.Output))})
		for _, need := range n.Needs {
			v.Edges = append(v.Edges, PreviewEdge{r.s.Plan().Nodes[need].Step.ID, n.Step.ID, show(view.OrNull(r.s.Steps[need].Output))})
		}
	}
	return *v
}
