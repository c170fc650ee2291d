package sim

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/risk"
)

// generator generates random workflows and policies. All of them compile.
type generator struct {
	rnd   *rand.Rand
	opts  Options
	sub   string // a workflow that steps may start
	named int    // rules so far
}

// flow is a workflow that was generated.
type flow struct {
	name string
	plan *plan.Plan
	json []byte // as the auditor gets it
}

func (g *generator) coin(percent int) bool { return g.rnd.IntN(100) < percent }

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// world is the main workflow and, optionally, one that it starts, which may start another one.
func (g *generator) world() []*flow {
	var out []*flow
	if g.coin(30) && !g.opts.off(SubWorkflows) {
		if g.coin(50) {
			out = append(out, g.flow("grandchild", 2))
			g.sub = "grandchild"
		}
		out = append(out, g.flow("child", 3))
		g.sub = "child"
	}
	return append([]*flow{g.flow("main", 6)}, out...)
}

func (g *generator) flow(name string, steps int) *flow {
	if g.opts.Steps > 0 {
		steps = min(steps, g.opts.Steps)
	}
	wf := plan.Workflow{Name: name, OwnerOnly: g.coin(4)}
	if g.coin(40) {
		no := false
		wf.StopOnError = &no
	}
	if g.coin(20) {
		wf.Timeout = quantity.Of(pick(g.rnd, 0, 2*time.Minute, time.Hour))
	}
	if g.coin(25) && !g.opts.off(LoopPoints) {
		wf.Loops = g.loops()
	}
	for n := range 1 + g.rnd.IntN(steps) {
		wf.Steps = append(wf.Steps, g.step(n, wf.Steps))
	}
	if g.coin(40) && !g.opts.off(Ahead) {
		g.runAhead(&wf)
	}
	gates := g.rnd.IntN(5)
	if g.opts.Gates > 0 {
		gates = min(gates, g.opts.Gates-1)
	}
	for n := range gates {
		wf.Gates = append(wf.Gates, g.gateSomewhere(n, &wf))
	}
	if wf.OwnerOnly {
		ownersDecide(&wf)
	}
	if g.coin(25) {
		wf.Ask = &plan.Ask{Role: pick(g.rnd, "finance", "legal"), Quorum: g.rnd.IntN(3)}
	}
	def := &plan.Definition{Workflow: wf, Version: 1, Agents: g.agents(),
		DefaultRole: pick(g.rnd, "", plan.DefaultRole, plan.DefaultRole)}
	p, problems := plan.Compile(def)
	if p == nil {
		panic(fmt.Sprintf("the generator wrote a workflow that does not compile: %v\n%s", problems, mustJSON(def)))
	}
	return &flow{name: name, plan: p, json: mustJSON(p.Definition)}
}

// runAhead lets steps run ahead, and gives most of them an agent and an input that can.
func (g *generator) runAhead(wf *plan.Workflow) {
	wf.Speculate = true
	for i := range wf.Steps {
		s := &wf.Steps[i]
		if s.Agent == "" || s.Each != "" || g.coin(25) {
			continue
		}
		if s.Agent = "reader"; g.coin(30) {
			s.Agent, s.Effects = "worker", plan.EffectsNone
		}
		if from := plain(needed(*s, wf.Steps[:i]), wf.Steps); len(from) > 0 && g.coin(70) {
			s.With = plan.Mapping{{Target: "n", Source: pick(g.rnd, from...) + ".n"}}
		}
		if g.coin(70) {
			s.Operation, s.Risk = "", ""
		}
	}
}

// ownersDecide leaves out what makes no sense if only the owner decides.
func ownersDecide(wf *plan.Workflow) {
	alone := func(g *plan.Gate) {
		g.Quorum, g.Roles, g.Requester = 1, nil, ""
	}
	for i := range wf.Gates {
		alone(&wf.Gates[i])
	}
	for i := range wf.Steps {
		if h := wf.Steps[i].Human; h != nil {
			alone(h)
		}
	}
}

func (g *generator) loops() *plan.Loops {
	l := &plan.Loops{Human: plan.HumanLoop{When: pick(g.rnd, plan.HumanAlways, plan.HumanCriticalOnly, plan.HumanNever)}}
	l.Replan = pick(g.rnd, "", plan.ReplanAsk, plan.ReplanGo)
	if g.coin(60) {
		l.Agent = &plan.AgentLoop{Agent: "planner", At: pick(g.rnd, plan.PerLayer, plan.OnError, plan.Manual),
			Fallback: pick(g.rnd, plan.FallbackContinue, plan.FallbackContinue, plan.FallbackAsk, plan.FallbackPause)}
	}
	return l
}

var numeric = json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}}}`)

func (g *generator) agents() map[string]plan.Agent {
	threshold := pick(g.rnd, 0.5, 0.8)
	out := map[string]plan.Agent{
		"worker":  {Name: "worker", Kind: plan.AgentHTTP},
		"picky":   {Name: "picky", Kind: plan.AgentGo, Input: numeric, Output: numeric},
		"unsure":  {Name: "unsure", Kind: plan.AgentScripted, ConfidenceThreshold: &threshold},
		"reader":  {Name: "reader", Kind: plan.AgentHTTP, Effects: plan.EffectsNone},
		"planner": {Name: "planner", Kind: pick(g.rnd, plan.AgentScripted, plan.AgentLLM)},
		"thinker": {Name: "thinker", Kind: plan.AgentLLM, HandOff: []string{"careful", "bold"}, Autonomy: g.autonomy(),
			ToolRisk: g.overrides()},
		"careful": {Name: "careful", Kind: plan.AgentLLM, HandOff: []string{"thinker"}, Output: numeric,
			ToolRisk: map[string]risk.Class{"look": "approval_required", "mail": "safe"}},
		"bold": {
			Name: "bold", Kind: plan.AgentLLM, HandOff: []string{"thinker"}, Autonomy: risk.Full,
			ToolRisk: map[string]risk.Class{"mail": "safe", "pay": "safe", "wipe": "safe"},
		},
	}
	if g.coin(50) {
		t := out["thinker"]
		t.Limits = &plan.Limits{Iterations: g.rnd.IntN(5), OnLimit: pick(g.rnd, "stop", "ask", "")}
		if g.coin(30) {
			t.Limits.Duration = quantity.Duration(pick(g.rnd, 10*time.Minute, 2*time.Hour))
		}
		if g.coin(30) {
			t.Limits.CostUSD = 100_000_000
		}
		out["thinker"] = t
	}
	return out
}

func (g *generator) autonomy() risk.Autonomy {
	return pick(g.rnd, risk.Full, risk.ApproveHighRisk, risk.ApproveMilestones, risk.ApproveAll, "")
}

// overrides are an agent's settings for single tools.
func (g *generator) overrides() map[string]risk.Class {
	out := map[string]risk.Class{}
	for _, tool := range []string{"look", "note", "mail", "pay"} {
		if g.coin(20) {
			out[tool] = pick(g.rnd, risk.Safe, risk.ApprovalRequired, risk.Class(risk.Low), risk.Class(risk.High))
		}
	}
	return out
}

const letters = "abcdefgh"

func (g *generator) step(n int, before []plan.Step) plan.Step {
	s := plan.Step{ID: letters[n : n+1], Agent: pick(g.rnd, "worker", "worker", "picky", "unsure", "thinker", "careful")}
	if g.opts.off(LLM) && (s.Agent == "thinker" || s.Agent == "careful") {
		s.Agent = "worker"
	}
	needs := g.needs(n)
	s.Needs = needs
	switch k := g.rnd.IntN(20); {
	case k < 2:
		s.Agent, s.Human = "", g.gate("", "human", s.ID)
		s.Human.AutoApprovable = false
	case k < 5 && g.sub != "":
		s.Agent, s.Workflow = "", g.sub
	case k < 8 && !g.opts.off(LLM):
		s.Agent, s.Tool = "", pick(g.rnd, "look", "note", "mail", "pay", "wipe", "nothing")
	}
	if g.coin(20) {
		s.If = fmt.Sprintf("%s.n %s %d", pick(g.rnd, "input", "context"), pick(g.rnd, ">", "<", ">=", "<="), g.rnd.IntN(11))
	}
	source := "input"
	if from := plain(needed(s, before), before); len(from) > 0 {
		source = pick(g.rnd, append(from, "input", "context")...)
	}
	switch g.rnd.IntN(4) {
	case 0:
		s.With = plan.Mapping{{Target: "n", Source: source + ".n"}, {Target: "kind", Source: `"refund"`}}
	case 1:
		if g.coin(30) {
			s.With = plan.Mapping{{Target: "n", Source: fmt.Sprint(g.rnd.IntN(11))}}
		}
	}
	if s.Human == nil && g.coin(15) && !g.opts.off(Maps) {
		s.Each, s.Width = source+".items", 1+g.rnd.IntN(3)
		if s.With != nil {
			s.With = plan.Mapping{{Target: "n", Source: "item.n"}}
		}
	}
	if s.Human == nil {
		g.terms(&s)
	}
	return s
}

func (g *generator) terms(s *plan.Step) {
	if g.coin(30) {
		s.Timeout = quantity.Of(pick(g.rnd, 0, 10*time.Second, time.Minute))
	}
	if g.coin(40) {
		s.Retry = &plan.Retry{Max: 1 + g.rnd.IntN(4), Backoff: quantity.Of(pick(g.rnd, 0, time.Second, time.Minute))}
	}
	if g.coin(30) && s.Tool == "" { // a tool declares its own
		s.Operation = pick(g.rnd, "refund", "send_email", "read")
	}
	if g.coin(25) {
		s.Risk = pick(g.rnd, risk.Levels...)
	}
}

// needs generates chains, fans and diamonds.
func (g *generator) needs(n int) *[]string {
	if n == 0 || g.coin(40) {
		return nil
	}
	out := []string{}
	for k := range n {
		if g.coin(50) {
			out = append(out, letters[k:k+1])
		}
	}
	return &out
}

func needed(s plan.Step, before []plan.Step) []string {
	switch {
	case s.Needs != nil:
		return *s.Needs
	case len(before) > 0:
		return []string{before[len(before)-1].ID}
	}
	return nil
}

// plain leaves out the steps whose output is a list.
func plain(ids []string, steps []plan.Step) (out []string) {
	for _, s := range steps {
		if s.Each == "" && slices.Contains(ids, s.ID) {
			out = append(out, s.ID)
		}
	}
	return out
}
