package toolgraph

import (
	"cmp"
	"slices"
)

const (
	damping = 0.85
	rounds  = 30
)

// edge joins two tools that served the same request.
type edge struct {
	from, to int32
	weight   float32
}

// together lists who served a request with whom. A request gives each of its tools
// the same say, however many there were.
func together(past []kept) []edge {
	var all []edge
	for _, p := range past {
		for _, from := range p.tools {
			for _, to := range p.tools {
				if from != to {
					all = append(all, edge{from, to, 1 / float32(len(p.tools)-1)})
				}
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

// importance is the PageRank of tools in the graph of what was used together,
// scaled so that the highest is 1. A walk starts over at a tool as often as it was used.
func importance(past []kept, tools int) []float32 {
	start, total := make([]float32, tools), float32(0)
	for _, p := range past {
		for _, tool := range p.tools {
			start[tool]++
			total++
		}
	}
	for i := range start {
		start[i] /= max(1, total)
	}
	edges := together(past)
	leaving := make([]float32, tools)
	for _, e := range edges {
		leaving[e.from] += e.weight
	}
	rank := slices.Clone(start)
	next := make([]float32, tools)
	for range rounds {
		lost := float32(0) // by tools that were only used alone
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
