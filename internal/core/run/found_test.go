package run_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/risk"
	"github.com/assent-run/assent/internal/core/run"
)

// The risk of a step that was found is that of what it uses. Nothing that is unknown looks harmless.
func TestRiskOfFoundSteps(t *testing.T) {
	in := &plan.Plan{Definition: &plan.Definition{ToolRisk: map[string]risk.Class{"wire": "critical", "look": risk.Safe}}}
	for _, c := range []struct {
		step    plan.Step
		because run.Because
		want    risk.Level
	}{
		{plan.Step{Tool: "mcp:x/delete"}, run.Because{Tool: "mcp:x/delete", Risk: risk.ApprovalRequired}, "high"},
		{plan.Step{Tool: "mcp:x/get"}, run.Because{Tool: "mcp:x/get", Risk: risk.Safe}, "low"},
		{plan.Step{Tool: "mcp:x/get"}, run.Because{Tool: "mcp:x/get"}, ""},
		{plan.Step{Tool: "mcp:x/frobnicate"}, run.Because{Tool: "mcp:x/frobnicate"}, "high"},
		{plan.Step{Tool: "mcp:x/get", Risk: "medium"}, run.Because{Tool: "mcp:x/get", Risk: risk.Safe}, "medium"},
		{plan.Step{Tool: "wire"}, run.Because{Tool: "wire"}, "critical"},
		{plan.Step{Tool: "look"}, run.Because{Tool: "look"}, "low"},
		{plan.Step{Agent: "a"}, run.Because{Tool: "agent:a"}, "high"},
		{plan.Step{Agent: "a"}, run.Because{Tool: "agent:a", Risk: risk.Safe}, "low"},
		{plan.Step{Agent: "b"}, run.Because{Tool: "agent:a"}, ""}, // people chose another one
		{plan.Step{Agent: "a"}, run.Because{}, ""},
	} {
		c.step.ID, c.because.Step = "s", "s"
		f := run.FoundSteps{Steps: []plan.Step{c.step}, Because: []run.Because{c.because}}
		if got := f.Risk(in); got.Level != c.want || (len(got.Reasons) > 0) != (c.want != "") {
			t.Errorf("%+v for %+v: %+v, want %q", c.because, c.step, got, c.want)
		}
	}
}

// A question about new steps names them as people do, and at most three of them.
func TestQuestionsAboutNewSteps(t *testing.T) {
	step := func(id, title string) plan.Step { return plan.Step{ID: id, Title: title} }
	long := strings.Repeat("word ", 20)
	for _, c := range []struct {
		steps []plan.Step
		want  string
	}{
		{[]plan.Step{step("rates_mirror", "")}, "Add “Rates mirror” to the plan?"},
		{[]plan.Step{step("a", "Check the rates"), step("b-c", "")}, "Add “Check the rates” and “B c” to the plan?"},
		{[]plan.Step{step("pay", "Pay {amount}")}, "Add “Pay” to the plan?"},
		{[]plan.Step{step("a", ""), step("b", ""), step("c", "")}, "Add “A”, “B” and “C” to the plan?"},
		{[]plan.Step{step("a", ""), step("b", ""), step("c", ""), step("d", ""), step("e", "")},
			"Add “A”, “B”, “C” and 2 more to the plan?"},
		{[]plan.Step{step("pay_out", "Pay {")}, "Add “Pay out” to the plan?"}, // not a template
		{[]plan.Step{step("a", long)}, "Add “word word word word word word word word…” to the plan?"},
	} {
		r := run.FoundSteps{Steps: c.steps}
		if got := r.Question(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestReasonsForNewSteps(t *testing.T) {
	r := run.FoundSteps{Steps: make([]plan.Step, 2), Because: []run.Because{
		{Step: "rates_mirror", Tool: "agent:mirror", Wanted: "mirror the rates",
			Because: "matches “mirror”; served 2 similar requests", Unset: []string{"day"}},
		{Step: "round", Tool: "mcp:math/round", Wanted: "round them", Operation: "compute", Risk: "medium"},
		{Step: "plain", Tool: "get_echo", Wanted: "mirror the rates"},
		{Step: "look", Tool: "get_rates", Risk: risk.Safe},
		{Step: "old", Tool: "get_old", Because: "wanted: mirror the rates; matches mirror"}, // as logs may have it
	}}
	want := `The run needs steps for “mirror the rates”.
Rates bank failed and is replaced.
Rates mirror uses the agent mirror (high risk), which matches “mirror” and served 2 similar requests. Set day before you approve.
Round, for “round them”, uses mcp:math/round (compute, medium risk).
Plain uses get_echo.
Look uses get_rates.
Old uses get_old, which matches mirror.`
	if got := r.Reasons("mirror the rates", "rates_bank"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	one := run.FoundSteps{Steps: make([]plan.Step, 1)}
	if got, want := one.Reasons("mirror the rates", ""), "The run needs a step for “mirror the rates”."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What a search found is about the steps that it names, and about no others.
func TestFoundStepsByName(t *testing.T) {
	found := run.FoundSteps{Because: []run.Because{
		{Step: "pay", Tool: "wire", Risk: "critical", Unset: []string{"to", "amount"}}, {Step: "tell", Tool: "mail"}}}
	if got := found.Lacks(); len(got) != 2 || !slices.Equal(got["pay"], []string{"to", "amount"}) || got["tell"] != nil {
		t.Errorf("lacks %v", got)
	}
	other := plan.Step{ID: "other", Tool: "wire"}
	if got := run.RiskAsFound(found.Because, &other, "medium"); got != "medium" {
		t.Errorf("a step that was not searched for is rated %s", got)
	}
	changes := []*run.PlanChanged{{}, {Because: found.Because}}
	if !run.AddedBySearch("pay", changes) || !run.AddedBySearch("tell", changes) || run.AddedBySearch("other", changes) ||
		run.AddedBySearch("pay", changes[:1]) {
		t.Error("it is not clear which steps a search added")
	}
}

// Of steps with the same risk the first one is named.
func TestRiskiestStep(t *testing.T) {
	levels := []risk.Level{"low", "high", "medium", "high"}
	steps := []*plan.Step{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}}
	got := run.Riskiest(steps, func(n int) risk.Level { return levels[n] })
	if got.Level != "high" || !slices.Equal(got.Reasons, []string{"B is rated high risk"}) {
		t.Errorf("%+v", got)
	}
}
