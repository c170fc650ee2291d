package plan

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"pgregory.net/rapid"
)

const threeSteps = `steps: [{"id": "a", "agent": "plain"}, {"id": "b", "agent": "plain"}, {"id": "c", "agent": "plain"}]
gates: [{"id": "g", "at": "before c", "on_reject": "revise"}]
`

func none(int) bool { return false }

func needsOf(s Step) string {
	if s.Needs == nil {
		return "default"
	}
	return strings.Join(*s.Needs, ",")
}

func TestInject(t *testing.T) {
	p := mustCompile(t, threeSteps)
	extra := map[string]Agent{"extra": {Kind: AgentHTTP}, "unused": {Kind: AgentHTTP}, "plain": {Kind: AgentLLM}}
	next, steps, err := p.Inject([]Step{
		{ID: "x", Agent: "extra"}, {ID: "y", Agent: "plain", NeededBy: []string{"c"}},
		{ID: "z", Agent: "plain", Needs: &[]string{"a"}}, {ID: "h", Human: &Gate{Title: "Well?"}},
	}, extra, none, []int{1, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"a,b", "x", "a", "z"} {
		if got := needsOf(steps[i]); got != want {
			t.Errorf("%s needs %s, want %s", steps[i].ID, got, want)
		}
	}
	var order []string
	for _, i := range next.Order() {
		order = append(order, next.Nodes[i].Step.ID)
	}
	if got := strings.Join(order, " "); got != "a b x y c z h" {
		t.Errorf("order %s", got)
	}
	if got := needsOf(*next.Nodes[2].Step); got != "b,y" {
		t.Errorf("c needs %s", got)
	}
	for i, n := range next.Nodes {
		if n.Injected != (i >= 3) {
			t.Errorf("node %d: injected %t", i, n.Injected)
		}
	}
	if len(next.Definition.Agents) != len(p.Definition.Agents)+1 || next.Nodes[4].Agent.Kind != AgentScripted {
		t.Error("agents: only new ones that are used are added, and none is replaced")
	}
	if g, ok := next.GateByID("h"); !ok || next.Nodes[6].Human != g || g != 1 {
		t.Error("the gate of the human step is missing")
	}
	if step, ok := next.Revises(0); !ok || step != 1 {
		t.Errorf("the gate before c revises %d now", step)
	}
	if len(p.Nodes) != 3 || len(p.Gates) != 1 || needsOf(*p.Nodes[2].Step) != "default" ||
		len(p.Definition.Agents) == len(next.Definition.Agents) {
		t.Error("the plan it was made from has changed")
	}
	if Digest(next.Definition) == Digest(p.Definition) {
		t.Error("another plan has the same digest")
	}
	if p, problems := Compile(next.Definition); p == nil {
		t.Errorf("the definition that results is refused: %v", problems)
	}
}

func TestInjectWithNothingDone(t *testing.T) {
	_, steps, err := mustCompile(t, threeSteps).Inject([]Step{{ID: "x", Agent: "plain"}}, nil, nil, nil)
	if err != nil || needsOf(steps[0]) != "" {
		t.Errorf("%v, %v", steps, err)
	}
}

// Gates before a step keep revising the same step after the edit, and naming a need twice counts once.
func TestInjectInFrontOfPeople(t *testing.T) {
	p := mustCompile(t, `steps: [{"id": "a", "agent": "plain"}, {"id": "ask", "human": {"on_reject": "revise"}}]`)
	next, _, err := p.Inject([]Step{
		{ID: "x", Agent: "plain", NeededBy: []string{"ask", "y"}}, {ID: "y", Agent: "plain", NeededBy: []string{"ask"}},
	}, nil, none, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	if step, ok := next.Revises(next.Nodes[1].Human); !ok || step != 0 || next.Nodes[1].Step.Human.Revise != "a" ||
		p.Nodes[1].Step.Human.Revise != "" {
		t.Errorf("revises %d", step)
	}
	if !slices.Equal(next.Nodes[1].Needs, []int{0, 2, 3}) || !slices.Equal(next.Nodes[3].Needs, []int{2}) {
		t.Errorf("needs %v and %v", next.Nodes[1].Needs, next.Nodes[3].Needs)
	}
	if p, problems := Compile(next.Definition); p == nil {
		t.Errorf("the definition that results is refused: %v", problems)
	}
}

func TestInjectIsRefused(t *testing.T) {
	p := mustCompile(t, threeSteps)
	tests := []struct {
		name  string
		steps []Step
		code  fault.Code
		want  []string
	}{
		{"nothing", nil, fault.Invalid, []string{"there are no steps to add"}},
		{"started", []Step{{ID: "x", Agent: "plain", NeededBy: []string{"c", "b"}}}, fault.Conflict,
			[]string{`step "b" has started, so nothing can be put in front of it`}},
		{"taken", []Step{{ID: "a", Agent: "plain"}, {ID: "g", Agent: "plain"}, {ID: "x", Agent: "plain", Needs: &[]string{}},
			{ID: "x", Agent: "plain", Needs: &[]string{}}}, fault.Invalid, []string{
			`steps[0].id: the id "a" is already used by a step of this run: rename one of them`,
			`steps[1].id: the id "g" is already used by a gate of this run: use another`,
			`steps[3].id: the id "x" is already used by steps[2]: rename one of them`,
		}},
		{"unknown", []Step{{ID: "x", Agent: "plian", Needs: &[]string{"aa"}, NeededBy: []string{"cc", "x"}},
			{ID: "", Agent: "plain"}}, fault.Invalid, []string{
			`steps[0].needed_by[0]: unknown step "cc"; did you mean "c"?`,
			`steps[0].needed_by[1]: step "x" needs itself: remove it`,
			`steps[0].needs[0]: unknown step "aa"; did you mean "a"?`,
			`steps[0].agent: unknown agent "plian"; did you mean "plain"?`,
			`steps[1].id: the id is missing: use letters, digits, - _ (at most 64)`,
		}},
		{"cycle", []Step{{ID: "x", Agent: "plain", Needs: &[]string{}},
			{ID: "y", Agent: "plain", Needs: &[]string{"c"}, NeededBy: []string{"c"}}}, fault.Invalid, []string{
			"steps[1].needs: these steps wait for each other: c → y → c: remove one of the needs",
		}},
		{"not before", []Step{{ID: "x", Agent: "plain", Needs: &[]string{"a"},
			With: Mapping{{"v", "b.text"}, {"w", "a.text"}}}}, fault.Invalid, []string{
			`steps[0].with.v: step "b" is not before "x": add it to needs`,
		}},
		{"a workflow of its own", []Step{{ID: "x", Workflow: "w"}}, fault.Invalid, []string{
			"steps[0].workflow: these workflows would start each other forever: w → w",
		}},
		{"human", []Step{{ID: "x", Human: &Gate{ID: "b", At: "end"}}}, fault.Invalid, []string{
			"steps[0].human.at: the gate of a human step belongs to that step: remove `at`",
			`steps[0].human.id: the id "b" is already used by a step of this run: steps and gates share their names`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			next, _, err := p.Inject(tt.steps, nil, func(i int) bool { return i < 2 }, []int{0})
			var f *fault.Error
			if next != nil || !errors.As(err, &f) || f.Code != tt.code {
				t.Fatalf("%v", err)
			}
			got := []string{f.Message}
			if len(f.Problems) > 0 {
				got = nil
				for _, p := range f.Problems {
					got = append(got, p.String())
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestInjectLimit(t *testing.T) {
	p, _ := Compile(definitionOf(t, shapes["chain"](StepsMax-2)))
	two := []Step{{ID: "x", Agent: "plain"}, {ID: "y", Agent: "plain"}}
	next, _, err := p.Inject(two, nil, none, nil)
	if err != nil || len(next.Nodes) != StepsMax {
		t.Fatal(err)
	}
	if _, _, err = next.Inject(two[:1], nil, none, nil); !fault.Is(err, fault.Invalid) {
		t.Errorf("over the limit: %v", err)
	}
}

// TestInjectProperties: completed steps do not change, the recorded steps give the same plan whatever
// completes later, and the order of existing steps that the edit cannot affect does not change.
func TestInjectProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := compiled(t, drawSteps(t, 10))
		for round := range rapid.IntRange(1, 3).Draw(t, "rounds") {
			done := p.Order()[:rapid.IntRange(0, len(p.Nodes)).Draw(t, "done")]
			started := func(i int) bool { return slices.Contains(done, i) }
			edit := drawEdit(t, p, round, started)
			next, steps, err := p.Inject(edit, nil, started, done)
			if err != nil {
				t.Fatalf("%v", err)
			}
			again, same, err := p.Inject(steps, nil, none, nil)
			if err != nil || !reflect.DeepEqual(same, steps) {
				t.Fatalf("recorded steps are understood differently: %v\n%v\n%v", err, steps, same)
			}
			if !reflect.DeepEqual(again, next) {
				t.Fatal("recorded steps give another plan")
			}
			checkUntouched(t, p, next, done)
			if whole, problems := Compile(next.Definition); whole == nil || !slices.Equal(whole.Order(), next.Order()) {
				t.Fatalf("the definition that results is another plan: %v", problems)
			}
			p = next
		}
	})
}

func drawEdit(t *rapid.T, p *Plan, round int, started func(int) bool) []Step {
	steps := make([]Step, rapid.IntRange(1, 4).Draw(t, "new"))
	for i := range steps {
		steps[i] = Step{ID: fmt.Sprintf("new%d_%d", round, i), Agent: "plain"}
		if rapid.Bool().Draw(t, "explicit") {
			needs := []string{}
			for j := range p.Nodes {
				if started(j) && rapid.IntRange(0, 3).Draw(t, "need") == 0 {
					needs = append(needs, p.Nodes[j].Step.ID)
				}
			}
			steps[i].Needs = &needs
		}
		for j := range p.Nodes {
			if !started(j) && rapid.IntRange(0, 5).Draw(t, "needed by") == 0 {
				steps[i].NeededBy = append(steps[i].NeededBy, p.Nodes[j].Step.ID)
			}
		}
	}
	return steps
}

func checkUntouched(t *rapid.T, p, next *Plan, done []int) {
	var order []int
	for _, i := range next.Order() {
		if slices.Contains(done, i) {
			order = append(order, i)
		}
	}
	if !slices.Equal(order, done) {
		t.Fatalf("the order of what is done was %v and is %v", done, order)
	}
	for i := range p.Nodes {
		was, is := p.Nodes[i], next.Nodes[i]
		if was.Step.ID != is.Step.ID || was.Injected != is.Injected {
			t.Fatalf("node %d was %s and is %s", i, was.Step.ID, is.Step.ID)
		}
		if slices.Contains(done, i) && (!slices.Equal(was.Needs, is.Needs) || was.Layer != is.Layer ||
			!slices.Equal(p.Ancestors(i), next.Ancestors(i))) {
			t.Fatalf("node %d is done and was changed", i)
		}
	}
}

// A gate that sends a failed step back sends the one in its place back, also if that was replaced in turn.
func TestReplacedStepsAreNotRevised(t *testing.T) {
	p := mustCompile(t, threeSteps)
	for n, by := range []Step{{ID: "x", Replaces: "b"}, {ID: "y", Replaces: "x"}, {ID: "z", Replaces: "b"}} {
		by.Agent, by.Needs = "plain", &[]string{}
		next, _, err := p.Inject([]Step{by}, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		p = next
		want := min(3+n, 4) // z comes too late: what needed b needs y
		if step, ok := p.Revises(0); !ok || step != want || p.InPlaceOf(1) != want || p.InPlaceOf(0) != 0 {
			t.Errorf("after %s the gate before c revises %d, and %d is in the place of b", by.ID, step, p.InPlaceOf(1))
		}
	}
}

// A step that replaces another has its gates, and the steps that needed that one need this one: also those that were
// skipped, since a log is read without knowing what had started.
func TestReplacingDoesNotDependOnWhatHasStarted(t *testing.T) {
	p := mustCompile(t, threeSteps)
	for _, started := range []func(int) bool{nil, none, func(int) bool { return true }} {
		next, steps, err := p.Inject([]Step{{ID: "x", Agent: "plain", Replaces: "b", Needs: &[]string{"a"}},
			{ID: "y", Agent: "plain", Replaces: "c", Needs: &[]string{"x"}}}, nil, started, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := needsOf(*next.Nodes[2].Step); got != "x" {
			t.Errorf("c needs %s", got)
		}
		if y := next.Nodes[4]; len(y.Before) != 1 || next.Gates[y.Before[0]].Gate.ID != "g" {
			t.Errorf("y has the gates %v", y.Before)
		}
		again, _, err := p.Inject(steps, nil, nil, nil)
		if err != nil || again.Digest() != next.Digest() || needsOf(*again.Nodes[2].Step) != "x" {
			t.Errorf("read again: %v, c needs %s", err, needsOf(*again.Nodes[2].Step))
		}
	}
}

// TestProposeIncomplete: a step that lacks a required argument can be shown, and is not added until it is complete.
func TestProposeIncomplete(t *testing.T) {
	p := mustCompile(t, threeSteps)
	input := []byte(`{"type":"object","required":["file","depth"],"properties":{"file":{"type":"string"},
		"depth":{"type":"integer"}}}`)
	agents := map[string]Agent{"parser": {Kind: AgentHTTP, Input: input}}
	step := []Step{{ID: "d", Agent: "parser", With: Mapping{{Target: "file", Source: "a.file"}}}}
	_, _, err := p.Inject(step, agents, none, []int{0})
	if err == nil || !strings.Contains(err.Error(), `requires "depth"`) {
		t.Errorf("an incomplete step is added: %v", err)
	}
	next, err := p.Propose(step, agents, map[string][]string{"d": {"depth"}}, none, []int{0})
	if err != nil || len(next.Nodes) != 4 {
		t.Errorf("an incomplete step is not shown: %v", err)
	}
	if _, err := p.Propose(step, agents, map[string][]string{"d": {"file"}}, none, []int{0}); err == nil {
		t.Error("a step is shown that lacks more than is said")
	}
}
