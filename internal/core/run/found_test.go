package run_test

import (
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
