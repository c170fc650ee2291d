package experience_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/experience"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
)

// past is the log of a run on a plan.
type past struct {
	t      *testing.T
	plan   *plan.Plan
	events []run.Event
}

func newPast(t *testing.T, w plan.Workflow) *past {
	t.Helper()
	def := &plan.Definition{Workflow: w, Agents: map[string]plan.Agent{}}
	for _, s := range w.Steps {
		if s.Agent != "" {
			def.Agents[s.Agent] = plan.Agent{Name: s.Agent, Kind: plan.AgentScripted}
		}
	}
	p, problems := plan.Compile(def)
	if p == nil {
		t.Fatal(problems)
	}
	h := &past{t: t, plan: p}
	h.add(&run.RunStarted{Workflow: w.Name, Input: json.RawMessage(`{}`)})
	return h
}

func (h *past) add(facts ...run.Fact) *past {
	for _, f := range facts {
		by := run.Actor{Kind: run.Person, Name: "ann"}
		h.events = append(h.events, run.Event{Run: "run_1", Seq: int64(len(h.events) + 1), At: time.Unix(1, 0), Actor: by,
			Fact: f})
	}
	return h
}

func (h *past) done(steps ...string) *past {
	for _, id := range steps {
		h.add(&run.StepStarted{Step: id, Try: 1},
			&run.StepCompleted{Step: id, Result: &run.Result{Output: json.RawMessage(`{}`)}})
	}
	return h
}

func (h *past) teaches() *run.Experience {
	return experience.Of(machine.Fold("run_1", h.plan, h.events))
}

func (h *past) want(what string, want *run.Experience) {
	h.t.Helper()
	if got := h.teaches(); !reflect.DeepEqual(got, want) {
		h.t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

func needs(ids ...string) *[]string { return &ids }

var chain = plan.Workflow{Name: "chain", Description: "Count what is there", Steps: []plan.Step{
	{ID: "list", Agent: "lister", Needs: needs()},
	{ID: "ask", Human: &plan.Gate{Title: "Go on?"}, Needs: needs("list")},
	{ID: "count", Agent: "counter", Needs: needs("ask"), With: plan.Mapping{{Target: "files", Source: "list.files"}}},
	{ID: "spare", Agent: "sparer", Needs: needs("list")},
}}

func TestExperience(t *testing.T) {
	both := &run.Experience{
		Tools: []string{"agent:lister", "agent:counter"}, Then: [][2]int{{0, 1}}, Fits: [][2]int{{0, 1}},
		Served: []run.Served{{Request: "Count what is there", Tools: []string{"agent:lister", "agent:counter"}}},
	}
	h := newPast(t, chain).done("list", "ask", "count")
	h.add(&run.StepSkipped{Step: "spare", Why: run.SkipIf})
	h.want("it goes on", nil)
	ended := func(f run.Fact) *past {
		return (&past{t: t, plan: h.plan, events: h.events[:len(h.events):len(h.events)]}).add(f)
	}
	ended(&run.RunCompleted{}).want("completed", both)
	ended(&run.RunFailed{}).want("failed", nil)
	ended(&run.RunCancelled{}).want("cancelled", nil)
	ended(&run.RunCompleted{}).add(&run.PayloadsRemoved{}).want("removed", nil)
	ended(&run.RunCompleted{}).add(&run.RunReopened{}).want("resumed", nil)
	ended(&run.RunForked{From: "run_0"}).add(&run.RunCompleted{}).want("a fork did none of it", nil)
	test := newPast(t, chain).done("list", "ask", "count", "spare").add(&run.RunCompleted{})
	test.events[0].Fact.(*run.RunStarted).TestMode = true
	test.want("a test", nil)

	spare := newPast(t, chain).done("list", "ask", "count")
	spare.add(&run.StepStarted{Step: "spare", Try: 1}, &run.StepFailed{Step: "spare", Goes: true}, &run.RunCompleted{})
	with := *both
	with.Served = []run.Served{{Request: "Count what is there", Tools: both.Tools, Not: []string{"agent:sparer"}}}
	spare.want("one of them failed", &with)
}

// TestExperienceOfSearches: what was found for a requirement and worked, failed or was rejected.
func TestExperienceOfSearches(t *testing.T) {
	w := plan.Workflow{Name: "w", Steps: []plan.Step{{ID: "a", Agent: "x"}}, Loops: learning}
	grown := func(status ...run.Fact) *past {
		h := newPast(t, w).done("a").add(&run.PlanChanged{
			Steps:  []plan.Step{{ID: "new", Agent: "finder", Needs: needs("a")}},
			Agents: map[string]plan.Agent{"finder": {Name: "finder", Kind: plan.AgentScripted}}, Why: "replan: parse it",
			Because: []run.Because{{Step: "new", Tool: "agent:finder", Wanted: "parse"}},
		})
		return h.add(status...)
	}
	worked := []run.Fact{&run.StepStarted{Step: "new", Try: 1}, &run.StepCompleted{Step: "new", Result: &run.Result{}}}
	served := func(s run.Served) *run.Experience { return &run.Experience{Served: []run.Served{s}} }
	not := served(run.Served{Request: "parse", Said: true, Declared: true, Not: []string{"agent:finder"}})

	all := served(run.Served{Request: "parse", Said: true, Declared: true, Tools: []string{"agent:finder"}})
	all.Tools, all.Then = []string{"agent:x", "agent:finder"}, [][2]int{{0, 1}}
	grown(append(worked, &run.RunCompleted{})...).want("it worked", all)
	grown(append(worked, &run.RunFailed{})...).want("the run failed later", nil)
	grown(&run.StepStarted{Step: "new", Try: 1}, &run.StepFailed{Step: "new"}, &run.RunFailed{}).want("it failed", not)
	grown(&run.StepSkipped{Step: "new", Why: run.SkipRejected}, &run.RunCancelled{}).want("it was rejected", not)
	grown(&run.StepSkipped{Step: "new", Why: run.SkipCommand}, &run.RunCancelled{}).want("it was skipped", nil)

	proposed := &run.ReplanAnswered{N: 1, Found: 1, Proposed: &run.FoundSteps{
		Because: []run.Because{{Step: "new", Tool: "agent:finder", Wanted: "parse"}}}}
	declined := newPast(t, w).add(&run.ReplanRequested{N: 1, Requirement: "parse it"}, proposed)
	declined.add(&run.ReplanSettled{N: 1}).done("a").add(&run.RunCompleted{})
	declined.want("people did not want it", &run.Experience{Tools: []string{"agent:x"}, Served: not.Served})
	for i := range declined.events {
		declined.events[i].Actor = run.Actor{Kind: run.System, Name: "system"}
	}
	declined.want("no one answered", nil)

	// Requests are kept only where the workflow declares that they are not sensitive.
	for _, loops := range []*plan.Loops{nil, {}, {Learn: plan.LearnTools}} {
		w.Loops = loops
		grown(append(worked, &run.RunCompleted{})...).want("undeclared",
			&run.Experience{Tools: all.Tools, Then: all.Then})
		grown(&run.StepStarted{Step: "new", Try: 1}, &run.StepFailed{Step: "new"}, &run.RunFailed{}).want("undeclared", nil)
	}
}

var learning = &plan.Loops{Learn: plan.LearnRequests}

// TestExperienceIsBounded: limits, at and over.
func TestExperienceIsBounded(t *testing.T) {
	w := plan.Workflow{Name: "w", Description: strings.Repeat("word ", run.RequestMax)}
	for i := range run.ExperienceTools + 1 {
		w.Steps = append(w.Steps, plan.Step{ID: fmt.Sprint("s", i), Agent: fmt.Sprint("a", i), Needs: needs()})
	}
	h := newPast(t, w)
	for i := range w.Steps {
		h.done(w.Steps[i].ID)
	}
	e := h.add(&run.RunCompleted{}).teaches()
	if len(e.Tools) != run.ExperienceTools || len(e.Served[0].Request) > run.RequestMax ||
		len(e.Served[0].Tools) != run.ExperienceTools {
		t.Errorf("%d tools, %d bytes", len(e.Tools), len(e.Served[0].Request))
	}

	w = plan.Workflow{Name: "w"} // two layers that all need each other
	var first []string
	for i := range 10 {
		first = append(first, fmt.Sprint("s", i))
		w.Steps = append(w.Steps, plan.Step{ID: first[i], Agent: fmt.Sprint("a", i), Needs: needs()})
	}
	for i := 10; i < 20; i++ {
		w.Steps = append(w.Steps, plan.Step{ID: fmt.Sprint("s", i), Agent: fmt.Sprint("a", i), Needs: needs(first...)})
	}
	w.Steps = append(w.Steps, plan.Step{ID: "last", Agent: "a0", Needs: needs("s19")})
	h = newPast(t, w)
	for i := range w.Steps {
		h.done(w.Steps[i].ID)
	}
	if e = h.add(&run.RunCompleted{}).teaches(); len(e.Then) != run.ExperiencePairs {
		t.Errorf("%d pairs", len(e.Then))
	}

	var because []run.Because
	for i := range run.ServedMax + 1 {
		because = append(because, run.Because{Step: "a", Tool: "agent:x", Wanted: fmt.Sprint("wish ", i)})
	}
	h = newPast(t, plan.Workflow{Name: "w", Steps: []plan.Step{{ID: "a", Agent: "x"}}, Loops: learning})
	h.add(&run.ReplanRequested{N: 1, Requirement: "all"},
		&run.ReplanAnswered{N: 1, Proposed: &run.FoundSteps{Because: because}}, &run.ReplanSettled{N: 1}).done("a")
	if e = h.add(&run.RunCompleted{}).teaches(); len(e.Served) != run.ServedMax {
		t.Errorf("%d requests", len(e.Served))
	}
}
