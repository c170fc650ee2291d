package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawSteps draws an acyclic plan whose steps are listed in any order.
func drawSteps(t *rapid.T, most int) []Step {
	n := rapid.IntRange(1, most).Draw(t, "steps")
	rank := rapid.Permutation(seq(n)).Draw(t, "rank") // rank[i]: steps only need those of lower rank
	steps := make([]Step, n)
	for i := range steps {
		needs := []string{}
		for j := range n {
			if rank[j] < rank[i] && rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
				needs = append(needs, id(j))
			}
		}
		steps[i] = Step{ID: id(i), Agent: "plain", Needs: &needs}
		if i > 0 && rank[i-1] < rank[i] && rapid.Bool().Draw(t, "default") {
			steps[i].Needs = nil
		}
	}
	return steps
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func id(i int) string { return fmt.Sprintf("s%d", i) }

func compiled(t rapid.TB, steps []Step) *Plan {
	p, problems := Compile(&Definition{Workflow: Workflow{Name: "w", Steps: steps},
		Agents: map[string]Agent{"plain": {Kind: AgentGo}}})
	if p == nil {
		t.Fatalf("refused: %v", problems)
	}
	return p
}

// naiveNeeds derives the needs from the definition without using the code under test.
func naiveNeeds(steps []Step, i int) []int {
	if steps[i].Needs == nil {
		if i == 0 {
			return nil
		}
		return []int{i - 1}
	}
	var out []int
	for j := range steps {
		if slices.Contains(*steps[i].Needs, steps[j].ID) {
			out = append(out, j)
		}
	}
	return out
}

// naiveOrder repeatedly picks the first listed step whose needs are met.
func naiveOrder(steps []Step) []int {
	var out []int
	for len(out) < len(steps) {
		for i := range steps {
			missing := slices.ContainsFunc(naiveNeeds(steps, i), func(n int) bool { return !slices.Contains(out, n) })
			if !missing && !slices.Contains(out, i) {
				out = append(out, i)
				break
			}
		}
	}
	return out
}

func naiveLayer(steps []Step, i int) int {
	layer := 0
	for _, n := range naiveNeeds(steps, i) {
		layer = max(layer, naiveLayer(steps, n)+1)
	}
	return layer
}

func naiveAncestors(steps []Step, i int) map[int]bool {
	out := map[int]bool{}
	for _, n := range naiveNeeds(steps, i) {
		out[n] = true
		for a := range naiveAncestors(steps, n) {
			out[a] = true
		}
	}
	return out
}

func TestGraphAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := drawSteps(t, 12)
		p := compiled(t, steps)
		order := naiveOrder(steps)
		if !slices.Equal(p.Order(), order) {
			t.Fatalf("order %v, want %v", p.Order(), order)
		}
		var last []int
		inLayers := 0
		for at, i := range order {
			n := p.Nodes[i]
			if n.Order != at || n.Step.ID != steps[i].ID {
				t.Fatalf("node %d: order %d, want %d", i, n.Order, at)
			}
			if !slices.Equal(n.Needs, naiveNeeds(steps, i)) {
				t.Fatalf("needs of %d: %v, want %v", i, n.Needs, naiveNeeds(steps, i))
			}
			if want := naiveLayer(steps, i); n.Layer != want || !slices.Contains(p.Layers()[want], i) {
				t.Fatalf("layer of %d: %d, want %d", i, n.Layer, want)
			}
			var dependents []int
			for j := range steps {
				if slices.Contains(naiveNeeds(steps, j), i) {
					dependents = append(dependents, j)
				}
			}
			if !slices.Equal(n.Dependents, dependents) {
				t.Fatalf("dependents of %d: %v, want %v", i, n.Dependents, dependents)
			}
			if dependents == nil {
				last = append(last, i)
			}
			checkAncestors(t, p, steps, i)
		}
		for _, layer := range p.Layers() {
			if len(layer) == 0 || !slices.IsSorted(layer) {
				t.Fatalf("layer %v", layer)
			}
			inLayers += len(layer)
		}
		if !slices.Equal(p.Last(), last) || inLayers != len(steps) {
			t.Fatalf("last %v, want %v; %d in layers", p.Last(), last, inLayers)
		}
	})
}

func checkAncestors(t *rapid.T, p *Plan, steps []Step, i int) {
	want := naiveAncestors(steps, i)
	got := p.Ancestors(i)
	if len(got) != len(want) || !slices.IsSortedFunc(got,
		func(a, b int) int { return p.Nodes[a].Order - p.Nodes[b].Order }) {
		t.Fatalf("ancestors of %d: %v, want %v", i, got, want)
	}
	for j := range steps {
		if want[j] != slices.Contains(got, j) || want[j] != p.IsAncestor(j, i) {
			t.Fatalf("is %d an ancestor of %d: want %t", j, i, want[j])
		}
	}
}

// The rejected references must agree with the ancestors, however many are checked at once.
func TestReferencesAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := drawSteps(t, 100)
		compiled(t, steps)
		want := map[string]bool{}
		ancestors := make([]map[int]bool, len(steps))
		for _, i := range naiveOrder(steps) {
			ancestors[i] = map[int]bool{}
			for _, n := range naiveNeeds(steps, i) {
				ancestors[i][n] = true
				for a := range ancestors[n] {
					ancestors[i][a] = true
				}
			}
		}
		for i := range steps {
			for k := range rapid.IntRange(0, 3).Draw(t, "references") {
				j := rapid.IntRange(0, len(steps)-1).Draw(t, "to")
				steps[i].With = append(steps[i].With, Field{fmt.Sprint("x", k), id(j) + ".y"})
				if !ancestors[i][j] {
					want[fmt.Sprintf("steps[%d].with.x%d", i, k)] = true
				}
			}
		}
		_, problems := Compile(&Definition{Workflow: Workflow{Name: "w", Steps: steps},
			Agents: map[string]Agent{"plain": {Kind: AgentGo}}})
		for _, p := range problems {
			if !want[p.Path] {
				t.Fatalf("refused without reason: %s", p)
			}
			delete(want, p.Path)
		}
		if len(want) > 0 {
			t.Fatalf("not refused: %v", want)
		}
	})
}

// More questions than fit into one traversal of the graph.
func TestManyReferences(t *testing.T) {
	const n = 500
	steps, want := shapes["chain"](n), 0
	for i := range n {
		lone := Step{ID: fmt.Sprint("lone", i), Agent: "plain", Needs: &[]string{}}
		if i > 0 {
			steps[i].With = Mapping{{"far", id(i/2) + ".x"}}
		}
		if i > 0 && i%7 == 0 {
			// Earlier in plan order and in depth, but still not an ancestor.
			steps[i].With = append(steps[i].With, Field{"lone", lone.ID})
			want++
		}
		steps = append(steps, lone)
	}
	slices.Reverse(steps)
	for i := range steps {
		if steps[i].Needs == nil {
			needs := []string{}
			if i+1 < len(steps) {
				needs = append(needs, steps[i+1].ID)
			}
			steps[i].Needs = &needs
		}
	}
	_, problems := Compile(definitionOf(t, steps))
	if len(problems) != want {
		t.Fatalf("%d problems, want %d: %v", len(problems), want, problems[:min(len(problems), 3)])
	}
	for _, p := range problems {
		if !strings.HasSuffix(p.Path, ".with.lone") || !strings.Contains(p.Message, "add it to needs") {
			t.Fatal(p)
		}
	}
}

// Every reported cycle is one, none is reported twice, and removing a need from each terminates.
func TestCyclesAreToldUntilNoneIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 10).Draw(t, "steps")
		steps := make([]Step, n)
		for i := range steps {
			needs := []string{}
			for j := range n {
				if i != j && rapid.IntRange(0, 4).Draw(t, "edge") == 0 {
					needs = append(needs, id(j))
				}
			}
			steps[i] = Step{ID: id(i), Agent: "plain", Needs: &needs}
		}
		for range n * n {
			p, problems := Compile(&Definition{Workflow: Workflow{Name: "w", Steps: steps},
				Agents: map[string]Agent{"plain": {Kind: AgentGo}}})
			if p != nil {
				return
			}
			cut, told := map[[2]string]bool{}, map[string]bool{}
			for _, p := range problems {
				path := cycleOf(t, steps, p.Message)
				if told[fmt.Sprint(path)] {
					t.Fatalf("told twice: %v", path)
				}
				told[fmt.Sprint(path)] = true
				cut[[2]string{path[1], path[0]}] = true
			}
			for i := range steps {
				needs := slices.DeleteFunc(slices.Clone(*steps[i].Needs),
					func(need string) bool { return cut[[2]string{steps[i].ID, need}] })
				steps[i].Needs = &needs
			}
		}
		t.Fatal("cycles were told for ever")
	})
}

// cycleOf checks that a reported cycle is one.
func cycleOf(t *rapid.T, steps []Step, message string) []string {
	_, rest, _ := strings.Cut(message, "each other: ")
	text, _, _ := strings.Cut(rest, ": remove")
	path := strings.Split(text, " → ")
	if len(path) < 3 || path[0] != path[len(path)-1] {
		t.Fatalf("not a cycle: %s", message)
	}
	for k := 1; k < len(path); k++ {
		i := slices.IndexFunc(steps, func(s Step) bool { return s.ID == path[k] })
		if !slices.Contains(*steps[i].Needs, path[k-1]) {
			t.Fatalf("%s does not need %s: %s", path[k], path[k-1], message)
		}
	}
	return path
}
