package toolgraph

import (
	"cmp"
	"slices"
)

const (
	damping = 0.85
	rounds  = 30
)

// use is how a run used tools, as far as they are still there.
type use struct {
	tools      []int32
	then, fits [][2]int32
	past       []int
	weight     float32
}

// usesOf reads the runs; without any, each earlier request counts as one that used its tools together.
func usesOf(runs []Used, past []kept, ids map[string]int32) (out []use) {
	if len(runs) == 0 {
		for _, p := range past {
			out = append(out, use{tools: p.tools, past: []int{p.at}, weight: 1})
		}
		return out
	}
	for _, r := range runs[max(0, len(runs)-PastMax):] {
		u := use{tools: known(r.Tools, ids), past: r.Past, weight: r.Weight}
		if u.weight <= 0 {
			u.weight = 1
		}
		u.then, u.fits = pairsOf(r.Tools, r.Then, ids), pairsOf(r.Tools, r.Fits, ids)
		out = append(out, u)
	}
	return out
}

// pairsMax bounds the pairs of one run.
const pairsMax = PastTools * PastTools

func pairsOf(tools []string, pairs [][2]int, ids map[string]int32) (out [][2]int32) {
	for _, p := range pairs[:min(len(pairs), pairsMax)] {
		if min(p[0], p[1]) < 0 || max(p[0], p[1]) >= len(tools) {
			continue
		}
		from, ok := ids[tools[p[0]]]
		to, also := ids[tools[p[1]]]
		if ok && also && from != to {
			out = append(out, [2]int32{from, to})
		}
	}
	return out
}

// without leaves out the runs that made one of some requests.
func without(used []use, past map[int]bool) (out []use) {
	for _, u := range used {
		if !slices.ContainsFunc(u.past, func(at int) bool { return past[at] }) {
			out = append(out, u)
		}
	}
	return out
}

// edge leads from a tool to another one.
type edge struct {
	from, to int32
	weight   float32
}

// edges lists which tools lead to which: those that were used together to each other, and one to the next where it
// was used after it, or with its result. Of each kind, a run gives each of its tools the same say.
func edges(used []use) []edge {
	var all []edge
	for _, u := range used {
		for _, from := range u.tools {
			for _, to := range u.tools {
				if from != to {
					all = append(all, edge{from, to, u.weight / float32(len(u.tools)-1)})
				}
			}
		}
		for _, pairs := range [][][2]int32{u.then, u.fits} {
			leaving := map[int32]int{}
			for _, p := range pairs {
				leaving[p[0]]++
			}
			for _, p := range pairs {
				all = append(all, edge{p[0], p[1], u.weight / float32(leaving[p[0]])})
			}
		}
		if len(all) > edgesMax {
			all = merged(all)
		}
	}
	return merged(all)
}

// edgesMax bounds what is counted before it is added up.
const edgesMax = 4 << 20

// merged adds up the edges between the same two tools.
func merged(all []edge) []edge {
	slices.SortStableFunc(all, func(a, b edge) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	out := all[:0]
	for _, e := range all {
		if last := len(out) - 1; last >= 0 && out[last].from == e.from && out[last].to == e.to {
			out[last].weight += e.weight
		} else {
			out = append(out, e)
		}
	}
	return out
}

// importance is the PageRank of tools in the graph of their edges, scaled so that the highest is 1. A walk starts
// over at a tool as often as it was used.
func importance(used []use, tools int) []float32 {
	start, total := make([]float32, tools), float32(0)
	for _, u := range used {
		for _, tool := range u.tools {
			start[tool] += u.weight
			total += u.weight
		}
	}
	for i := range start {
		start[i] /= max(1e-9, total)
	}
	edges := edges(used)
	leaving := make([]float32, tools)
	for _, e := range edges {
		leaving[e.from] += e.weight
	}
	rank := slices.Clone(start)
	next := make([]float32, tools)
	for range rounds {
		lost := float32(0) // by tools that lead nowhere
		for i, r := range rank {
			if leaving[i] == 0 {
				lost += r
			}
		}
		for i := range next {
			next[i] = start[i] * (1 - damping + damping*lost)
		}
		for _, e := range edges {
			next[e.to] += damping * rank[e.from] * e.weight / leaving[e.from]
		}
		rank, next = next, rank
	}
	if top := slices.Max(append([]float32{0}, rank...)); top > 0 {
		for i := range rank {
			rank[i] /= top
		}
	}
	return rank
}
