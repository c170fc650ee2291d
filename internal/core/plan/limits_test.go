package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/quantity"
)

// TestLimits tests every limit at its value and one over.
func TestLimits(t *testing.T) {
	oneGate := func(g Gate) func(*Definition) {
		return func(d *Definition) {
			g.ID, g.At = "g", "end"
			d.Workflow.Gates = []Gate{g}
		}
	}
	tests := []struct {
		name  string
		limit int
		path  string
		set   func(d *Definition, n int)
	}{
		{"steps", StepsMax, "steps", func(d *Definition, n int) { d.Workflow.Steps = shapes["chain"](n) }},
		{"gates", GatesMax, "gates", func(d *Definition, n int) {
			for i := range n {
				d.Workflow.Gates = append(d.Workflow.Gates, Gate{ID: fmt.Sprint("g", i), At: "end"})
			}
		}},
		{"edges", EdgesMax, "steps", func(d *Definition, n int) {
			d.Workflow.Steps = layers(StepsMax)
			missing := n - edgesOf(d.Workflow.Steps)
			for i := StepsMax - 1; missing > 0; i-- {
				add := []string{}
				for k := range min(missing, 5000) {
					add = append(add, id(k))
				}
				missing -= len(add)
				needs := append(*d.Workflow.Steps[i].Needs, add...)
				d.Workflow.Steps[i].Needs = &needs
			}
		}},
		{"name of a workflow", NameMax, "workflow", func(d *Definition, n int) { d.Workflow.Name = strings.Repeat("a", n) }},
		{"id of a step", NameMax, "steps[0].id",
			func(d *Definition, n int) { d.Workflow.Steps[0].ID = strings.Repeat("A", n) }},
		{"id of a gate", NameMax, "gates[0].id", func(d *Definition, n int) {
			d.Workflow.Gates = []Gate{{ID: strings.Repeat("-", n), At: "end"}}
		}},
		{"expression", ExpressionMax, "steps[0].if", func(d *Definition, n int) {
			d.Workflow.Steps[0].If = "input.x == 1" + strings.Repeat(" ", n-12)
		}},
		{"width", WidthMax, "steps[0].width", func(d *Definition, n int) {
			d.Workflow.Steps[0].Each, d.Workflow.Steps[0].Width = "input.x", n
		}},
		{"retry", RetryMax, "steps[0].retry.max", func(d *Definition, n int) { d.Workflow.Steps[0].Retry = &Retry{Max: n} }},
		{"quorum", QuorumMax, "gates[0].quorum", func(d *Definition, n int) { oneGate(Gate{Quorum: n})(d) }},
		{"roles", QuorumMax, "gates[0].roles.x",
			func(d *Definition, n int) { oneGate(Gate{Roles: map[string]int{"x": n}})(d) }},
		{"options", OptionsMax, "gates[0].options", func(d *Definition, n int) {
			var g Gate
			for i := range n {
				g.Options = append(g.Options, gate.Option{Value: fmt.Sprint(i)})
			}
			oneGate(g)(d)
		}},
		{"escalations", EscalationsMax, "gates[0].escalate", func(d *Definition, n int) {
			var g Gate
			for i := range n {
				g.Escalate = append(g.Escalate, Escalation{After: quantity.Duration(i + 1), To: "ann"})
			}
			oneGate(g)(d)
		}},
		{"show", ShowMax, "gates[0].show", func(d *Definition, n int) {
			oneGate(Gate{Show: strings.Split(strings.Repeat("x,", n)[:2*n-1], ",")})(d)
		}},
		{"path", ExpressionMax, "steps[0].with.x", func(d *Definition, n int) {
			d.Workflow.Steps[0].With = Mapping{{"x", "input." + strings.Repeat("x", n-6)}}
		}},
		{"fields", FieldsMax, "steps[0].with", func(d *Definition, n int) {
			for i := range n {
				d.Workflow.Steps[0].With = append(d.Workflow.Steps[0].With, Field{fmt.Sprint("f", i), "input.x"})
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			def := definitionOf(t, []Step{{ID: "a", Agent: "plain"}})
			tt.set(def, tt.limit)
			if p, problems := Compile(def); p == nil {
				t.Errorf("refused at %d: %s", tt.limit, problems[0])
			}
			def = definitionOf(t, []Step{{ID: "a", Agent: "plain"}})
			tt.set(def, tt.limit+1)
			p, problems := Compile(def)
			if p != nil || len(problems) != 1 || problems[0].Path != tt.path {
				t.Errorf("at %d: %v", tt.limit+1, problems)
			}
		})
	}
}

// A document full of errors gets a short and quick answer.
func TestManyProblems(t *testing.T) {
	steps := make([]Step, StepsMax)
	for i := range steps {
		steps[i] = Step{ID: "step", Agent: "plian", Width: 2, Needs: &[]string{"stp"}}
	}
	p, problems := Compile(definitionOf(t, steps))
	errors, warnings := 0, 0
	for _, p := range problems {
		if p.Warning {
			warnings++
		} else {
			errors++
		}
	}
	if p != nil || errors != problemsMax+1 || warnings != warningsMax {
		t.Errorf("%d errors, %d warnings", errors, warnings)
	}
	if last := problems[len(problems)-1].String(); last != "28999 more problems are not listed: fix these first" {
		t.Error(last)
	}
}

func edgesOf(steps []Step) (n int) {
	for i := range steps {
		n += len(*steps[i].Needs)
	}
	return n
}

// Errors that only a Go program can make.
func TestDefinitionsFromGo(t *testing.T) {
	negative := quantity.Duration(-1)
	broken := json.RawMessage("{")
	tests := map[string]Workflow{
		"timeout: ":                {Timeout: &negative},
		"notify: ":                 {Notify: broken},
		"steps[0].timeout: ":       {Steps: []Step{{ID: "a", Agent: "plain", Timeout: &negative}}},
		"steps[0].sample: ":        {Steps: []Step{{ID: "a", Agent: "plain", Sample: broken}}},
		"steps[0].retry.backoff: ": {Steps: []Step{{ID: "a", Agent: "plain", Retry: &Retry{Backoff: &negative}}}},
		"steps[0].with.x: the target": {Steps: []Step{{ID: "a", Agent: "plain",
			With: Mapping{{"x", "input"}, {"x", "input"}}}}},
		"gates[0].remind: ":      {Gates: []Gate{{ID: "g", At: "end", Remind: &negative}}},
		"gates[0].pause_after: ": {Gates: []Gate{{ID: "g", At: "end", PauseAfter: &negative}}},
		"gates[0].notify: ":      {Gates: []Gate{{ID: "g", At: "end", Notify: broken}}},
		"gates[0].timeout.default: this ": {Gates: []Gate{{ID: "g", At: "end",
			Timeout: &GateTimeout{After: 1, Then: "default", Default: broken}}}},
		"input: ": {Input: broken},
	}
	for want, w := range tests {
		w.Name = "w"
		if w.Steps == nil {
			w.Steps = []Step{{ID: "a", Agent: "plain"}}
		}
		def := definitionOf(t, nil)
		def.Workflow = w
		p, problems := Compile(def)
		if p != nil || len(problems) != 1 || !strings.HasPrefix(problems[0].String(), want) {
			t.Errorf("want %q, got %v", want, problems)
		}
	}
	if p, problems := Compile(nil); p != nil || len(problems) != 1 {
		t.Errorf("nothing: %v", problems)
	}
	if Digest(&Definition{Workflow: Workflow{Notify: broken}}) != "" {
		t.Error("what cannot be stored has a digest")
	}
}
