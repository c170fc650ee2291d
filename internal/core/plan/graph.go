package plan

import (
	"slices"
	"strings"
)

// link turns names in needs into edges.
func (c *compiler) link() {
	steps := c.workflow().Steps
	nodes := make([]Node, len(steps))
	copy(nodes, c.plan.Nodes)
	c.plan.Nodes = nodes
	room := 0
	for i := range steps {
		nodes[i].Step = &steps[i]
		if n := steps[i].Needs; n != nil && c.isNew(i) {
			room += len(*n)
		} else {
			room++
		}
	}
	edges := make([]int, 0, room) // one array for all, to allocate few objects per plan
	lister := make([]int, len(steps))
	for i := range steps {
		if i >= c.base {
			nodes[i].Human = -1
		}
		if !c.isNew(i) {
			continue
		}
		from := len(edges)
		edges = c.needsOf(i, edges, lister)
		nodes[i].Needs = edges[from:len(edges):len(edges)]
		slices.Sort(nodes[i].Needs)
	}
	linkBack(nodes)
}

// isNew reports whether a step's needs have to be looked up.
func (c *compiler) isNew(i int) bool { return i >= c.base || c.changed[i] }

// needsOf appends the needs of step i to edges. lister[n] is the last step that listed n, plus one.
func (c *compiler) needsOf(i int, edges, lister []int) []int {
	step := c.step(i)
	if step.Needs == nil {
		if i > 0 {
			edges = append(edges, i-1)
		}
		return edges
	}
	for k, id := range *step.Needs {
		need, ok := c.plan.nodeByID[id]
		switch {
		case !ok:
			c.bad(c.atStep(i), at("needs", k), "%s", c.noStep(id))
		case need == i:
			c.bad(c.atStep(i), at("needs", k), "step %q needs itself: remove it", id)
		case lister[need] == i+1:
			if i >= c.base {
				c.warn(c.atStep(i), at("needs", k), "%q is listed twice", id)
			}
		default:
			lister[need] = i + 1
			edges = append(edges, need)
		}
	}
	return edges
}

// noStep reports that a name is not a step, and suggests one.
func (c *compiler) noStep(id string) string {
	if _, ok := c.plan.gateByID[id]; ok {
		return quote(id) + " is a gate, not a step: name the step it belongs to"
	}
	if id == "" {
		return "the name of the step is empty"
	}
	return "unknown step " + quote(id) + c.didYouMean(id, c.ids)
}

// linkBack fills in the dependents of each step, in ascending order.
func linkBack(nodes []Node) {
	counts := make([]int, len(nodes))
	total := 0
	for i := range nodes {
		for _, n := range nodes[i].Needs {
			counts[n]++
			total++
		}
	}
	all := make([]int, total)
	for i := range nodes {
		nodes[i].Dependents, all = all[:0:counts[i]], all[counts[i]:]
	}
	for i := range nodes {
		for _, n := range nodes[i].Needs {
			nodes[n].Dependents = append(nodes[n].Dependents, i)
		}
	}
}

// sort computes plan order and layers, or the cycles that prevent them. Steps in or after a cycle have no
// place in the order; see ordered.
func (c *compiler) sort() {
	nodes := c.plan.Nodes
	waiting := make([]int, len(nodes))
	var ready minHeap
	for i := range nodes {
		nodes[i].Layer, nodes[i].Order = 0, -1
		if waiting[i] = len(nodes[i].Needs); waiting[i] == 0 {
			ready.push(i)
		}
	}
	order := make([]int, 0, len(nodes))
	depth := 0
	for len(ready) > 0 {
		i := ready.pop()
		nodes[i].Order = len(order)
		order = append(order, i)
		depth = max(depth, nodes[i].Layer+1)
		for _, d := range nodes[i].Dependents {
			nodes[d].Layer = max(nodes[d].Layer, nodes[i].Layer+1)
			if waiting[d]--; waiting[d] == 0 {
				ready.push(d)
			}
		}
	}
	c.plan.order = order
	if len(order) < len(nodes) {
		c.reportCycles()
		return
	}
	c.plan.layers = layersOf(nodes, depth)
	c.plan.last = nil
	c.plan.replaced = map[int]int{}
	for i := range nodes {
		old, ok := c.plan.nodeByID[nodes[i].Step.Replaces]
		if _, before := c.plan.replaced[old]; ok && old < i && !before { // the first is what others need
			c.plan.replaced[old] = i
		}
	}
	for _, i := range order {
		if len(nodes[i].Dependents) == 0 && c.plan.InPlaceOf(i) == i {
			c.plan.last = append(c.plan.last, i)
		}
	}
}

// layersOf groups nodes by depth, in one array for all.
func layersOf(nodes []Node, depth int) [][]int {
	counts := make([]int, depth)
	for i := range nodes {
		counts[nodes[i].Layer]++
	}
	all, layers := make([]int, len(nodes)), make([][]int, depth)
	for l, n := range counts {
		layers[l], all = all[:0:n], all[n:]
	}
	for i := range nodes {
		l := nodes[i].Layer
		layers[l] = append(layers[l], i)
	}
	return layers
}

// ordered reports whether a step can be reached at all.
func (c *compiler) ordered(i int) bool { return c.plan.Nodes[i].Order >= 0 }

// cyclesMax limits how many cycles are reported.
const cyclesMax = 20

// reportCycles reports every cycle once, as a path. Fixing all reported cycles leaves none: each is closed by
// a different back edge.
func (c *compiler) reportCycles() {
	core, behind := c.cyclic()
	nodes := c.plan.Nodes
	onPath := make([]int, len(nodes)) // position on the path, plus one
	done := make([]bool, len(nodes))
	told := 0
	for root := range nodes {
		if !core[root] || done[root] {
			continue
		}
		path, next := []int{root}, []int{0}
		onPath[root] = 1
		for len(path) > 0 && told < cyclesMax {
			top := len(path) - 1
			i := path[top]
			if next[top] == len(nodes[i].Dependents) {
				done[i], onPath[i] = true, 0
				path, next = path[:top], next[:top]
				continue
			}
			d := nodes[i].Dependents[next[top]]
			next[top]++
			if !core[d] || done[d] {
				continue
			}
			if p := onPath[d]; p > 0 {
				c.reportCycle(path[p-1:], behind)
				behind = 0
				told++
				continue
			}
			onPath[d] = len(path) + 1
			path, next = append(path, d), append(next, 0)
		}
	}
}

// cyclic finds the steps on cycles or between them, and counts those after them.
func (c *compiler) cyclic() (core []bool, behind int) {
	nodes := c.plan.Nodes
	core = make([]bool, len(nodes))
	waitedFor := make([]int, len(nodes))
	var free []int
	for i := range nodes {
		if core[i] = !c.ordered(i); core[i] {
			if waitedFor[i] = len(nodes[i].Dependents); waitedFor[i] == 0 {
				free = append(free, i)
			}
		}
	}
	for len(free) > 0 {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		core[i] = false
		behind++
		for _, n := range nodes[i].Needs {
			if waitedFor[n]--; waitedFor[n] == 0 && core[n] {
				free = append(free, n)
			}
		}
	}
	return core, behind
}

func (c *compiler) reportCycle(cycle []int, behind int) {
	// The cycle starts at the step listed first; in an edit, at the first injected one.
	first := slices.Index(cycle, slices.Min(cycle))
	ids := make([]string, 0, len(cycle)+1)
	blame := -1
	for k := range len(cycle) + 1 {
		i := cycle[(first+k)%len(cycle)]
		ids = append(ids, c.ids[i])
		if i >= c.base && (blame < 0 || i < blame) {
			blame = i
		}
	}
	const shown = 12
	if len(ids) > shown {
		ids = slices.Concat(ids[:shown-2], []string{"…"}, ids[len(ids)-1:])
	}
	more := ""
	switch {
	case behind == 1:
		more = "; 1 step after it could never run"
	case behind > 1:
		more = "; " + itoa(behind) + " steps after it could never run"
	}
	c.bad(c.atStep(max(blame, c.base)), "needs", "these steps wait for each other: %s: remove one of the needs%s",
		strings.Join(ids, " → "), more)
}

// minHeap pops the smallest number first.
type minHeap []int

func (h *minHeap) push(v int) {
	s := append(*h, v)
	i := len(s) - 1
	for i > 0 && s[(i-1)/2] > v {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = v
	*h = s
}

func (h *minHeap) pop() int {
	s := *h
	top, v := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	i := 0
	for {
		k := 2*i + 1
		if k >= len(s) {
			break
		}
		if k+1 < len(s) && s[k+1] < s[k] {
			k++
		}
		if s[k] >= v {
			break
		}
		s[i] = s[k]
		i = k
	}
	if len(s) > 0 {
		s[i] = v
	}
	*h = s
	return top
}
