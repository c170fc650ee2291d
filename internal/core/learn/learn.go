// Package learn folds what runs taught about tools into a graph, and into the requests that tools served.
//
//	g := learn.Fold(lessons, now)
//	for _, e := range g.Edges { fmt.Println(e.From, e.Kind, e.To, e.Weight) }
//
// A lesson counts less the older it is: half after HalfLife, and nothing once it has faded. The same lessons
// at the same time give the same graph, in whatever order they are given, so a graph of lessons that were
// collected one by one equals one of lessons derived from the logs again.
package learn

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/run"
)

const (
	HalfLife = 90 * 24 * time.Hour
	faded    = 1.0 / 1024 // weight of a lesson that no longer counts
	even     = 1e-9       // what served as often as it did not
)

// Lesson is what one run taught.
type Lesson struct {
	Run      string
	Workflow string
	At       time.Time // when it ended
	run.Experience
}

// Kind is how two tools are related.
type Kind string

const (
	Together Kind = "together" // used by the same run
	Then     Kind = "then"     // a step with the second needed one with the first
	Fits     Kind = "fits"     // the second was given a result of the first
)

// Kinds lists them all.
var Kinds = []Kind{Together, Then, Fits}

// Node is a tool.
type Node struct {
	Tool string
	Rank float64 // how central it is, from 0 to 1
	Runs int     // that used it
}

// Edge relates two tools. Of Together, From is the one that comes first by name.
type Edge struct {
	From, To string
	Kind     Kind
	Weight   float64 // runs, the older the less
}

// Request is a request of the past.
type Request struct {
	Text   string
	Tools  []string // that served it, the most useful first
	Not    []string // that did not
	Weight float64
	Runs   int
	At     time.Time // the last time
}

// Use is how one run used tools.
type Use struct {
	Tools      []string
	Then, Fits [][2]int // pairs of them, by position
	Requests   []int    // of the run, by position in Graph.Requests
	Weight     float64
}

// Graph is everything that was learned, as of a time.
type Graph struct {
	Nodes    []Node    // the most central first
	Edges    []Edge    // the heaviest first
	Requests []Request // the oldest first
	Uses     []Use     // the oldest first
}

// Fold adds up lessons.
func Fold(lessons []Lesson, asOf time.Time) Graph {
	lessons = slices.Clone(lessons)
	slices.SortFunc(lessons, func(a, b Lesson) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Run, b.Run)) })
	f := folding{tools: map[string]int32{}, edges: map[pair]float64{}, requests: map[string]*request{}}
	for i := range lessons {
		if w := weight(asOf.Sub(lessons[i].At)); w >= faded {
			f.add(&lessons[i], w)
		}
	}
	return f.graph()
}

// weight is what a lesson of some age counts.
func weight(age time.Duration) float64 { return math.Exp2(-max(0, age.Hours()/HalfLife.Hours())) }

type pair struct {
	from, to int32
	kind     int8
}

type request struct {
	Request
	tools map[string]float64
	uses  []int // the runs that made it, by position
}

// folding is the sum so far.
type folding struct {
	tools    map[string]int32
	names    []string
	runs     []int
	edges    map[pair]float64
	requests map[string]*request
	uses     []Use
}

func (f *folding) tool(name string) int32 {
	at, ok := f.tools[name]
	if !ok {
		at = int32(len(f.names))
		f.tools[name] = at
		f.names, f.runs = append(f.names, name), append(f.runs, 0)
	}
	return at
}

func (f *folding) add(l *Lesson, w float64) {
	at := make([]int32, len(l.Tools))
	for i, name := range l.Tools {
		at[i] = f.tool(name)
		f.runs[at[i]]++
		for k := range i {
			a, b := at[k], at[i]
			if l.Tools[k] > name {
				a, b = b, a
			}
			f.edges[pair{a, b, 0}] += w
		}
	}
	for kind, pairs := range [][][2]int{l.Then, l.Fits} {
		for _, p := range pairs {
			if min(p[0], p[1]) >= 0 && max(p[0], p[1]) < len(at) {
				f.edges[pair{at[p[0]], at[p[1]], int8(kind + 1)}] += w
			}
		}
	}
	f.uses = append(f.uses, Use{Tools: l.Tools, Then: l.Then, Fits: l.Fits, Weight: w})
	for i := range l.Served {
		f.serve(&l.Served[i], l.At, w)
	}
}

func (f *folding) serve(s *run.Served, at time.Time, w float64) {
	key := strings.Join(strings.Fields(strings.ToLower(s.Request)), " ")
	if key == "" {
		return
	}
	r := f.requests[key]
	if r == nil {
		r = &request{tools: map[string]float64{}}
		f.requests[key] = r
	}
	r.Text, r.At, r.Runs = s.Request, at, r.Runs+1
	r.uses = append(r.uses, len(f.uses)-1)
	r.Weight += w
	for _, tool := range s.Tools {
		r.tools[tool] += w
	}
	for _, tool := range s.Not {
		r.tools[tool] -= w
	}
}

func (f *folding) graph() (g Graph) {
	rank := f.rank()
	for i, name := range f.names {
		g.Nodes = append(g.Nodes, Node{Tool: name, Rank: rank[i], Runs: f.runs[i]})
	}
	slices.SortFunc(g.Nodes, func(a, b Node) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(a.Tool, b.Tool))
	})
	for p, w := range f.edges {
		g.Edges = append(g.Edges, Edge{f.names[p.from], f.names[p.to], Kinds[p.kind], w})
	}
	slices.SortFunc(g.Edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.From, b.From),
			cmp.Compare(a.To, b.To))
	})
	var all []*request
	for _, r := range f.requests {
		r.Tools, r.Not = verdict(r.tools)
		if len(r.Tools)+len(r.Not) > 0 {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *request) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Text, b.Text)) })
	for i, r := range all {
		g.Requests = append(g.Requests, r.Request)
		for _, use := range slices.Compact(r.uses) {
			f.uses[use].Requests = append(f.uses[use].Requests, i)
		}
	}
	g.Uses = f.uses
	return g
}

// verdict divides tools into those that served and those that did not.
func verdict(tools map[string]float64) (served, not []string) {
	for tool, net := range tools {
		switch {
		case net > even:
			served = append(served, tool)
		case net < -even:
			not = append(not, tool)
		}
	}
	by := func(a, b string) int { return cmp.Or(cmp.Compare(tools[b], tools[a]), cmp.Compare(a, b)) }
	slices.SortFunc(served, by)
	slices.SortFunc(not, by)
	return served, not
}

const (
	damping = 0.85
	rounds  = 30
)

// rank is the PageRank of the tools, scaled so that the highest is 1. A walk starts over at a tool as often as
// it was used; tools that are used together lead to each other.
func (f *folding) rank() []float64 {
	n := len(f.names)
	edges := make([]pair, 0, len(f.edges))
	for p := range f.edges {
		edges = append(edges, p)
	}
	slices.SortFunc(edges, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.kind, b.kind))
	})
	start, leaving, total := make([]float64, n), make([]float64, n), 0.0
	for i, runs := range f.runs {
		start[i] = float64(runs)
		total += start[i]
	}
	for i := range start {
		start[i] /= total
	}
	for _, p := range edges {
		leaving[p.from] += f.edges[p]
		if p.kind == 0 {
			leaving[p.to] += f.edges[p]
		}
	}
	rank, next := slices.Clone(start), make([]float64, n)
	for range rounds {
		lost := 0.0
		for i, r := range rank {
			if leaving[i] == 0 {
				lost += r
			}
		}
		for i := range next {
			next[i] = start[i] * (1 - damping + damping*lost)
		}
		for _, p := range edges {
			w := damping * f.edges[p]
			next[p.to] += rank[p.from] * w / leaving[p.from]
			if p.kind == 0 {
				next[p.from] += rank[p.to] * w / leaving[p.to]
			}
		}
		rank, next = next, rank
	}
	if n > 0 {
		top := slices.Max(rank)
		for i := range rank {
			rank[i] /= top
		}
	}
	return rank
}
