package plan

import (
	"fmt"
	"testing"
)

// Whether a step always runs before another is computed for many steps at once, 64 per traversal. The
// reported problems must not depend on how many there are.
func TestFarAwaySteps(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 128, 200} {
		// A chain of n steps next to one that no step needs; the last step refers to the outputs of all. Only
		// its predecessor is a direct need.
		steps := []Step{{ID: "alone", Agent: "plain", Needs: &[]string{}}}
		with := Mapping{}
		for i := range n {
			needs := []string{}
			if i > 0 {
				needs = []string{id(i - 1)}
			}
			steps = append(steps, Step{ID: id(i), Agent: "plain", Needs: &needs})
			with = append(with, Field{fmt.Sprint("f", i), id(i) + ".text"})
		}
		between := []string{id(n - 1)}
		steps = append(steps, Step{ID: "between", Agent: "plain", Needs: &between})
		steps = append(steps, Step{ID: "last", Agent: "plain", Needs: &[]string{"between"}, With: with})
		if p, problems := Compile(definitionOf(t, steps)); p == nil {
			t.Errorf("%d: %v", n, problems)
		}
		steps[len(steps)-1].With = append(with, Field{"x", "alone.text"})
		p, problems := Compile(definitionOf(t, steps))
		want := `steps[` + fmt.Sprint(n+2) + `].with.x: step "alone" is not before "last": add it to needs`
		if p != nil || len(problems) != 1 || problems[0].String() != want {
			t.Errorf("%d: %v", n, problems)
		}
	}
}
