// Package preview runs a workflow in memory with samples for answers, to show the data
// along its edges and the questions that people would be asked:
//
//	shown, err := preview.Of(definition, preview.Options{Input: input, Now: now})
//
// It drives the same state machine as a real run (package run): every agent returns its
// sample, every approval is granted. Nothing is stored, and no agent or person is involved.
package preview

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/schema"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/view"
)

// Preview shows the data along each edge of a workflow, made of samples.
type Preview struct {
	Workflow string          `json:"workflow"`
	Version  int             `json:"version"`
	Steps    []Step          `json:"steps"`
	Edges    []Edge          `json:"edges"` // The data passed between steps.
	Gates    []Gate          `json:"gates"` // The questions that would be asked.
	Output   json.RawMessage `json:"output"`
	Error    *view.Error     `json:"error"` // The failure; null if it would not fail.
}

// Step is the input that a step would get, and the sample of its output.
type Step struct {
	ID     string          `json:"id"`
	Layer  int             `json:"layer"`  // The layer of the plan, from 0.
	Status run.StepStatus  `json:"status"` // done, skipped, failed or pending.
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
}

// Edge is the data that one step hands to another.
type Edge struct {
	From string          `json:"from"` // The source step.
	To   string          `json:"to"`   // The target step.
	Data json.RawMessage `json:"data"` // The data.
}

// Gate is a question that people would be asked.
type Gate struct {
	Gate  string    `json:"gate"` // The gate.
	Step  string    `json:"step"`
	Kind  gate.Kind `json:"kind"`
	Title string    `json:"title"`
	Role  string    `json:"role"`
	// The number of approvals needed, by role.
	Roles map[string]int `json:"roles"`
	// Who is asked: a person such as bob, or a role such as role:manager; with no role either, anyone who may decide.
	Assignees []string `json:"assignees"`
	Quorum    int      `json:"quorum"`     // The number of approvals needed.
	DeadlineS float64  `json:"deadline_s"` // Seconds until the deadline; 0: none.
}

func gateOf(ap *gate.Approval, now time.Time) Gate {
	g := Gate{Gate: ap.Gate, Step: ap.Step, Kind: ap.Kind, Title: ap.Title, Role: ap.Terms.Role,
		Roles: map[string]int{}, Assignees: []string{}, Quorum: max(ap.Terms.Quorum, 1)}
	maps.Copy(g.Roles, ap.Terms.Roles)
	g.Assignees = append(g.Assignees, ap.Terms.Assignees...)
	if at := ap.Terms.Deadline; at.After(now) {
		g.DeadlineS = at.Sub(now).Seconds()
	}
	return g
}

// Options are the circumstances of a preview.
type Options struct {
	Input json.RawMessage // empty: {}
	Owner string          // of the run, if it were one
	Now   time.Time
	Judge decide.Judge // the policy; nil: none
	// Agents are those in force: a scripted agent without a sample returns its first output.
	Agents map[string]*definition.Agent
	// Tools are those in force: they say which calls need approval.
	Tools map[string]*definition.Tool
	// Workflow finds a workflow that a step runs; nil: such steps return their sample, or nothing.
	Workflow func(name string) (*plan.Definition, error)

	left  *int // how many results and answers this preview may still take, with those within it
	depth int
}

// Of runs a workflow with samples.
func Of(def *plan.Definition, o Options) (Preview, error) {
	p, problems := plan.Compile(def)
	if p == nil {
		return Preview{}, fault.Of("the workflow is not valid", fault.Errors(problems))
	}
	if len(o.Input) == 0 {
		o.Input = json.RawMessage(`{}`)
	}
	r := &rehearsal{
		Options: o, s: machine.New("run_preview", p), inputs: map[string]json.RawMessage{},
		shown: Preview{Workflow: def.Workflow.Name, Version: def.Version, Edges: []Edge{}, Gates: []Gate{}},
	}
	if err := r.take(run.Start{Input: o.Input, Owner: o.Owner}); err != nil {
		return Preview{}, err
	}
	if r.left == nil {
		r.left = new(int)
		*r.left = stepsMax
	}
	for ; *r.left > 0; *r.left-- {
		if !r.goOn() {
			break
		}
	}
	return r.finish(), nil
}

// stepsMax bounds a preview; a workflow that needs more is shown as far as it came.
const stepsMax = 20_000

// rehearsal is a run that exists only in memory.
type rehearsal struct {
	Options
	s      *machine.State
	shown  Preview
	inputs map[string]json.RawMessage // by step
}

func (r *rehearsal) take(do run.Operation) error { return r.takeFrom(run.Actor{Kind: run.System}, do) }

// env has no other runs: sums over several runs are those of this one.
func (r *rehearsal) env() decide.Env {
	alone := func(run.Elsewhere) ([]run.Tally, bool) { return nil, true }
	return decide.Env{Now: r.Now, Judge: r.Judge, Elsewhere: alone}
}

func (r *rehearsal) takeFrom(by run.Actor, do run.Operation) error {
	events, err := decide.Handle(r.s, r.env(), run.Command{By: by, Do: do})
	for _, e := range events {
		r.s.Apply(e)
	}
	return err
}

// goOn provides one result or answer that the run waits for; false when it waits for none.
func (r *rehearsal) goOn() bool {
	if r.s.Status.Ended() {
		return false
	}
	for _, ap := range r.s.Pending() {
		r.shown.Gates = append(r.shown.Gates, gateOf(ap, r.Now))
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
			err = r.take(run.CompleteTurn{Key: e.Key, Turn: r.turn(do)})
		case run.CallTool:
			err = r.take(run.CompleteCall{Key: e.Key, Result: run.CallResult{Output: r.answer(do)}})
		case run.StartRun:
			r.inputs[do.Step] = r.s.InputFor(do.Step, do.Index)
			key := e.Key
			key.Kind = run.KeyStep
			err = r.take(run.EndChild{Key: key, Status: run.Completed, Output: r.child(do)})
		case run.Advise:
			err = r.take(run.AnswerConsult{Key: e.Key, Advice: run.AdviceRaw{Action: "continue"},
				Summary: "A summary by " + do.Agent + "."})
		default:
			continue
		}
		return err == nil
	}
	return false
}

// child is the output of a workflow that a step runs. Its approvals are those of the step.
func (r *rehearsal) child(do run.StartRun) json.RawMessage {
	if i, ok := r.s.Plan().Step(do.Step); ok && r.s.Plan().Nodes[i].Step.Sample != nil {
		return r.s.Plan().Nodes[i].Step.Sample
	}
	if r.Workflow == nil || r.depth >= run.DepthMax {
		return nil
	}
	def, err := r.Workflow(do.Workflow)
	if err != nil {
		return nil
	}
	o := r.Options
	o.Input, o.depth = r.inputs[do.Step], r.depth+1
	shown, err := Of(def, o)
	if err != nil {
		return nil
	}
	for _, g := range shown.Gates {
		g.Step = do.Step
		r.shown.Gates = append(r.shown.Gates, g)
	}
	return shown.Output
}

// sayYes approves as a person with every role would.
func (r *rehearsal) sayYes(ap *gate.Approval) bool {
	for i := range max(ap.Progress().Needed, 1) {
		by := gate.Person{Name: "preview " + string(rune('a'+i%26)), Roles: rolesOf(ap)}
		answer := gate.Answer{By: by, Act: gate.Approve, Version: ap.Version}
		switch ap.Kind {
		case gate.KindChoice:
			answer.Act, answer.Option = gate.Choose, ap.Options[0].Value
		case gate.KindInput:
			answer.Act, answer.Data = gate.Submit, schema.Sample(ap.InputSchema)
		}
		if ap.Terms.OnlyOwner != "" {
			answer.By.Name = ap.Terms.OnlyOwner
		}
		actor := run.Actor{Kind: run.Person, Name: answer.By.Name}
		if r.takeFrom(actor, run.Decide{Approval: ap.ID, Answer: answer}) != nil {
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

// turn is the answer of a model, or the call of a step that calls a tool.
func (r *rehearsal) turn(do run.Think) run.Turn {
	tool, ok := plan.CalledBy(do.Agent)
	if !ok {
		return run.Turn{Output: r.sample(do.Step)}
	}
	call := run.Call{ID: "call", Tool: tool}
	if doc := r.Tools[tool]; doc != nil {
		call.Spec = run.ToolSpec{Class: doc.Risk, Operation: doc.Operation, CostUSD: doc.CostUSD, Sample: doc.Sample,
			Effects: doc.Effects}
		if len(call.Spec.Sample) == 0 && len(doc.Output) > 0 {
			call.Spec.Sample = schema.Sample(doc.Output)
		}
	}
	return run.Turn{Calls: []run.Call{call}}
}

// answer is the output of a tool.
func (r *rehearsal) answer(do run.CallTool) json.RawMessage {
	if i, ok := r.s.Plan().Step(do.Step); ok && r.s.Plan().Nodes[i].Step.Sample != nil {
		return r.s.Plan().Nodes[i].Step.Sample
	}
	if len(do.Call.Spec.Sample) > 0 {
		return do.Call.Spec.Sample
	}
	return json.RawMessage(`{}`)
}

// sample is the output of a step.
func (r *rehearsal) sample(step string) json.RawMessage {
	for i := range r.s.Plan().Nodes {
		if n := &r.s.Plan().Nodes[i]; n.Step.ID == step {
			if out := r.scripted(n); out != nil {
				return out
			}
			return decide.SampleOf(n)
		}
	}
	return json.RawMessage("null")
}

// scripted is the first output of a scripted agent without a sample.
func (r *rehearsal) scripted(n *plan.Node) json.RawMessage {
	doc := r.Agents[n.Step.Agent]
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

func (r *rehearsal) finish() Preview {
	v, show := &r.shown, view.Shortener(false)
	v.Output = view.OrNull(r.s.Output)
	v.Error = view.ErrorOf(r.s.Error, r.s.ErrorAt, show)
	for i, st := range r.s.Steps {
		n := &r.s.Plan().Nodes[i]
		input, output := show(view.OrNull(r.inputs[n.Step.ID])), show(view.OrNull(st.Output))
		v.Steps = append(v.Steps, Step{n.Step.ID, n.Layer, st.Status, input, output})
		for _, need := range n.Needs {
			data := show(view.OrNull(r.s.Steps[need].Output))
			v.Edges = append(v.Edges, Edge{r.s.Plan().Nodes[need].Step.ID, n.Step.ID, data})
		}
	}
	return *v
}
