package examples_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/agent/scripted"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/decide"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/machine"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/engine"
	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

// load reads a directory and fails on every problem, warnings included.
func load(t testing.TB, folder string) *definition.Set {
	t.Helper()
	set, problems := definition.LoadPath(folder)
	for _, p := range append(problems, set.Check(assembly.Known())...) {
		t.Errorf("%s", p)
	}
	return set
}

// desk is an engine with the documents of a directory, and people who decide.
type desk struct {
	*testing.T
	set   *definition.Set
	e     *local.Engine
	store store.Store
}

// openDesk starts an engine on its own store. Scripts have no delays here.
func openDesk(t *testing.T, set *definition.Set) *desk {
	t.Helper()
	agents := map[string]port.Agent{}
	for name, a := range set.Agents {
		if a.Scripted == nil {
			continue
		}
		s := *a.Scripted
		s.Answers = slices.Clone(s.Answers)
		for i := range s.Answers {
			s.Answers[i].Delay /= 100
		}
		agent, err := scripted.New(s)
		if err != nil {
			t.Fatal(err)
		}
		agents[name] = agent
	}
	var judge *policy.Set
	if set.Policy != nil {
		judge, _ = policy.Compile(set.Policy.Document, time.LoadLocation)
	}
	store, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{T: t, set: set, store: store}
	d.e = local.New(local.Config{
		Store: store,
		Agent: func(name string) (port.Agent, bool) { a, ok := agents[name]; return a, ok },
		Workflow: func(_ context.Context, name string) (*plan.Definition, error) {
			if set.Workflows[name] == nil {
				return nil, fmt.Errorf("no workflow %s", name)
			}
			return d.define(name, nil), nil
		},
		Judge: func() (decide.Judge, int64) { return judge, 0 },
		Log:   slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	d.e.Start()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := d.e.Stop(ctx); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// define combines a workflow with its agents. Delays between retries are short, and so are the timeouts of
// the gates in hurry.
func (d *desk) define(name string, hurry []string) *plan.Definition {
	d.Helper()
	doc, ok := d.set.Workflows[name]
	if !ok {
		d.Fatalf("there is no workflow %s", name)
	}
	w := doc.Workflow
	w.Steps, w.Gates = slices.Clone(w.Steps), slices.Clone(w.Gates)
	agents := map[string]plan.Agent{}
	for i := range w.Steps {
		if r := w.Steps[i].Retry; r != nil {
			fast := *r
			fast.Backoff = quantity.Of(time.Millisecond)
			w.Steps[i].Retry = &fast
		}
		if a := d.set.Agents[w.Steps[i].Agent]; a != nil {
			agents[a.Name] = a.Agent
		}
	}
	if w.Loops != nil && w.Loops.Agent != nil {
		agents[w.Loops.Agent.Agent] = d.set.Agents[w.Loops.Agent.Agent].Agent
	}
	for _, id := range hurry {
		i := slices.IndexFunc(w.Gates, func(g plan.Gate) bool { return g.ID == id })
		soon := *w.Gates[i].Timeout
		soon.After = quantity.Duration(20 * time.Millisecond)
		w.Gates[i].Timeout, w.Gates[i].Escalate = &soon, nil
	}
	return &plan.Definition{Workflow: w, Version: 1, Agents: agents}
}

// starter starts every run: the local admin, as in `assent` by default.
var starter = gate.Person{Name: "local", Roles: []string{gate.RoleAdmin}}

// holder is a person with a role; the same role and number are the same person.
func holder(role string, number ...int) gate.Person {
	return gate.Person{Name: fmt.Sprint(append([]any{role}, toAny(number)...)...), Roles: []string{role}}
}

func toAny(numbers []int) (out []any) {
	for _, n := range numbers {
		out = append(out, n)
	}
	return out
}

// answer is a decision on an approval, which is identified by its gate, its rule, or its reason and step.
type answer struct {
	at      string
	by      gate.Person
	says    gate.Answer
	refused fault.Code // the engine's response
}

// course is how a run went.
type course struct {
	asked        []string // approval, kind and assignees, in order
	approvals    []gate.Approval
	status       run.Status
	output       string
	steps        map[string]run.StepStatus
	events       map[string]int
	deliverables []string
	err          *run.Failure
}

// play starts a run and makes decisions until it ends.
func (d *desk) play(def *plan.Definition, input json.RawMessage, answers []answer) course {
	d.Helper()
	ctx, cancel := context.WithTimeout(d.Context(), 2*time.Minute)
	defer cancel()
	id := engine.NewRunID(time.Now())
	if _, err := d.e.Begin(ctx, id, def, d.command(starter, run.Start{Input: input, Owner: starter.Name}),
		nil); err != nil {
		d.Fatal(err)
	}
	changed := d.store.Watch(ctx)
	answers = slices.Clone(answers)
	asked := map[string]bool{}
	var c course
	for {
		var pending []*gate.Approval
		err := d.e.View(ctx, id, func(s *machine.State) error {
			for _, a := range s.Approvals {
				if !asked[a.ID] && a.Status != gate.AutoApproved {
					asked[a.ID] = true
					c.asked = append(c.asked, fmt.Sprintf("%s: %s of %s", nameOf(a), a.Kind, askedOf(a)))
					c.approvals = append(c.approvals, *a.Clone())
				}
				if a.Status == gate.Pending {
					pending = append(pending, a.Clone())
				}
			}
			d.look(s, &c)
			return nil
		})
		if err != nil {
			d.Fatal(err)
		}
		if c.status.Ended() {
			break
		}
		if d.decide(ctx, id, pending, &answers) {
			continue
		}
		if c.status == run.Waiting && !slices.ContainsFunc(pending, func(a *gate.Approval) bool {
			return !a.DeadlineAt.IsZero() && time.Until(a.DeadlineAt) < time.Second
		}) {
			d.Fatalf("nobody answers %s", c.asked[len(c.asked)-1])
		}
		select {
		case <-changed:
		case <-ctx.Done():
			d.Fatalf("the run is %s after a long time: %v", c.status, c.asked)
		}
	}
	if len(answers) > 0 {
		d.Errorf("%s was never asked", answers[0].at)
	}
	d.count(ctx, id, &c)
	return c
}

// look records a run's state. Runs of the examples raise no warnings.
func (d *desk) look(s *machine.State, c *course) {
	c.status, c.output, c.err = s.Status, string(s.Output), s.Error
	c.steps = map[string]run.StepStatus{}
	for i, st := range s.Steps {
		c.steps[s.Plan().Nodes[i].Step.ID] = st.Status
	}
	for _, w := range s.Warnings {
		d.Errorf("warning: %+v", w)
	}
}

// count reads the run's log and its results.
func (d *desk) count(ctx context.Context, id string, c *course) {
	c.events = map[string]int{}
	for after := int64(0); ; {
		records, err := d.store.Events(ctx, id, after, 1000)
		if err != nil {
			d.Fatal(err)
		}
		if len(records) == 0 {
			break
		}
		for _, r := range records {
			c.events[r.Fact.Type()]++
			after = r.Seq
		}
	}
	page, err := d.store.Deliverables(ctx, port.DeliverableQuery{Run: id, All: true, Limit: 100})
	if err != nil {
		d.Fatal(err)
	}
	for _, x := range slices.Backward(page.Items) {
		c.deliverables = append(c.deliverables, fmt.Sprintf("%s (%s, %s)", x.Name, x.Type, x.Status))
	}
}

// decide makes the next decision on one of the open approvals, if there is any.
func (d *desk) decide(ctx context.Context, id string, pending []*gate.Approval, answers *[]answer) bool {
	d.Helper()
	for _, a := range pending {
		i := slices.IndexFunc(*answers, func(x answer) bool { return x.at == nameOf(a) })
		if i < 0 {
			continue
		}
		next := (*answers)[i]
		*answers = slices.Delete(*answers, i, i+1)
		says := next.says
		says.By, says.Version = next.by, a.Version
		if says.Comment == "" {
			says.Comment = "checked"
		}
		_, err := d.e.Do(ctx, id, d.command(next.by, run.Decide{Approval: a.ID, Answer: says}), nil)
		if got := codeOf(err); got != next.refused {
			d.Fatalf("%s says %s at %s: %v, want %q", next.by.Name, says.Act, next.at, err, next.refused)
		}
		return true
	}
	return false
}

func codeOf(err error) fault.Code {
	if err == nil {
		return ""
	}
	return fault.CodeOf(err)
}

var commands int

func (d *desk) command(by gate.Person, do run.Operation) run.Command {
	commands++
	return run.Command{ID: fmt.Sprint("c", commands), By: run.Actor{Kind: run.Person, Name: by.Name}, Do: do}
}

func nameOf(a *gate.Approval) string {
	switch {
	case a.Gate != "":
		return a.Gate
	case a.Rule != nil:
		return a.Rule.Name
	}
	return fmt.Sprintf("%s at %s", a.Reason, a.Step)
}

func askedOf(a *gate.Approval) string {
	switch {
	case len(a.Terms.Roles) > 0:
		return strings.Join(slices.Sorted(maps.Keys(a.Terms.Roles)), " and ")
	case a.Terms.Role == "":
		return "anybody"
	case a.Terms.Quorum > 1:
		return fmt.Sprintf("%d × %s", a.Terms.Quorum, a.Terms.Role)
	}
	return a.Terms.Role
}

func read(t *testing.T, file string) json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
