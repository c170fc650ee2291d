package plan

import (
	"fmt"
	"testing"
)

// Shapes of plans on which a careless graph algorithm is slow.
var shapes = map[string]func(n int) []Step{
	"chain": func(n int) []Step {
		steps := make([]Step, n)
		for i := range steps {
			steps[i] = Step{ID: fmt.Sprintf("s%d", i), Agent: "plain"}
		}
		return steps
	},
	"fan": func(n int) []Step {
		steps := make([]Step, n)
		all := []string{}
		for i := range steps {
			needs := []string{"s0"}
			switch i {
			case 0:
				needs = nil
			case n - 1:
				needs = all
			default:
				all = append(all, fmt.Sprintf("s%d", i))
			}
			steps[i] = Step{ID: fmt.Sprintf("s%d", i), Agent: "plain", Needs: &needs}
		}
		return steps
	},
	"layers": layers,
	"typical": func(n int) []Step { // conditions, mappings, schemas, far references
		steps := make([]Step, n)
		for i := range steps {
			s := Step{ID: fmt.Sprintf("s%d", i), Agent: "drafter"}
			if i > 2 {
				s.If = fmt.Sprintf("s%d.amount > 3 and input.ok", i-1)
				s.Agent = "mailer"
				s.With = Mapping{{"to", "input.email"}, {"body", `"hello"`}, {"amount", fmt.Sprintf("s%d.amount", i-3)}}
				if i%3 != 0 {
					s.Agent, s.With = "drafter", Mapping{{"x", fmt.Sprintf("s%d.text", i-3)}}
				}
			}
			steps[i] = s
		}
		return steps
	},
	"layers-far": func(n int) []Step { // the maximum number of questions over the maximum number of edges
		steps := layers(n)
		for i := range steps {
			if i >= 250 {
				steps[i].With = Mapping{{"x", fmt.Sprintf("s%d.y", i-250)}}
			}
		}
		return steps
	},
	"farthest": func(n int) []Step { // every step refers to one that is far from it
		steps := make([]Step, n)
		for i := range steps {
			steps[i] = Step{ID: fmt.Sprintf("s%d", i), Agent: "plain", With: Mapping{{"x", fmt.Sprintf("s%d.y", i/2)}}}
		}
		steps[0].With = nil
		return steps
	},
}

// layers of steps that need the whole previous layer; 10,000 of them stay just under the limit of edges.
func layers(n int) []Step {
	steps := make([]Step, n)
	const wide = 100
	for i := range steps {
		needs := []string{}
		for k := range wide {
			if before := i/wide*wide - wide + k; before >= 0 {
				needs = append(needs, fmt.Sprintf("s%d", before))
			}
		}
		steps[i] = Step{ID: fmt.Sprintf("s%d", i), Agent: "plain", Needs: &needs}
	}
	return steps
}

func definitionOf(tb testing.TB, steps []Step) *Definition {
	def, err := read("")
	if err != nil {
		tb.Fatal(err)
	}
	def.Workflow.Steps = steps
	return def
}

func BenchmarkCompile(b *testing.B) {
	for name, shape := range shapes {
		for _, n := range []int{100, StepsMax} {
			def := definitionOf(b, shape(n))
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if p, problems := Compile(def); p == nil {
						b.Fatal(problems[:1])
					}
				}
			})
		}
	}
}

func BenchmarkInject(b *testing.B) {
	for _, n := range []int{100, StepsMax - 1} {
		p, problems := Compile(definitionOf(b, shapes["typical"](n)))
		if p == nil {
			b.Fatal(problems[:1])
		}
		step := []Step{{ID: "new", Agent: "plain", NeededBy: []string{fmt.Sprintf("s%d", n-1)}}}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := p.Inject(step, nil, nil, []int{0, 1, 2}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAncestors(b *testing.B) {
	for _, name := range []string{"chain", "layers"} {
		p, _ := Compile(definitionOf(b, shapes[name](StepsMax)))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Ancestors(StepsMax - 1)
			}
		})
	}
}
