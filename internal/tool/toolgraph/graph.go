package toolgraph

import (
	"math"
	"slices"
	"sync"
)

// fields of a tool. Names are chosen with care, and short; what arguments are
// called and what is said about them often holds the words that people use.
var fields = []field{
	{1.2, 0.3}, // name
	{1, 0.3},   // description
	{0.8, 0.3}, // server
	{1.5, 0.1}, // arguments
	{0.3, 0.3}, // results
}

const (
	// Each sentence of a request is also looked at by itself, so that the tools of a
	// short one are not lost among those of a long one.
	wishShare = 0.85 // of the score; the rest is the request as a whole
	wishPower = 0.25 // how much less a sentence counts that says little
)

// Graph finds tools by purpose. It never changes.
type Graph struct {
	vocabulary *vocabulary
	tools      *index
	past       *experience // nil: none
	weights    weights
	rooms      sync.Pool // of *room
}

// room is what a search works in; the next one uses it again.
type room struct{ whole, wishes, one, near, profile, votes, picked scores }

// New indexes tools, what is known about earlier requests, oldest first, and how runs used tools. Tools that an
// earlier request or a run names and that are gone are left out. Without runs, each request counts as one.
func New(tools []Tool, past []Past, runs ...Used) *Graph {
	v := newVocabulary()
	t := &texts{fields: fields}
	ids := make(map[string]int32, len(tools))
	for i := range tools {
		tool := &tools[i]
		for _, text := range []string{tool.Name, tool.Description, tool.Server, tool.Arguments, tool.Results} {
			t.add(v.learn(text, FieldMax, false, t.terms))
		}
		ids[tool.ID] = int32(i)
	}
	all := remember(v, past, ids)
	used := usesOf(runs, all, ids)
	v.freeze()
	g := &Graph{vocabulary: v, tools: newIndex(t, v.size())}
	g.rooms.New = func() any { return &room{} }
	if len(all) > 0 {
		g.weights = g.calibrate(all, used)
		if g.weights != (weights{}) || slices.ContainsFunc(all, func(k kept) bool { return len(k.not) > 0 }) {
			g.past = newExperience(all, v.size(), len(tools))
			g.past.rank = importance(used, len(tools))
		}
	}
	return g
}

// Search finds the tools that fit a request best, the best first. There are none
// if no word of the request is known and no earlier request resembles it.
func (g *Graph) Search(request string, most int) []Found {
	r := g.rooms.Get().(*room)
	defer g.rooms.Put(r)
	q := g.read(request)
	a := g.weigh(q, g.past, min(max(most, 0), FoundMax), r)
	return g.explain(q, a, min(max(most, 0), FoundMax))
}

// wanted is a request taken apart.
type wanted struct {
	whole  []asked
	stops  []asked   // its stop words, which only earlier requests are compared by
	wishes [][]asked // its sentences; nil: it is one
}

func (g *Graph) read(request string) wanted {
	request = beginning(request, RequestMax)
	var q wanted
	q.whole, q.stops = g.vocabulary.read(request)
	for _, sentence := range sentences(request) {
		if words, _ := g.vocabulary.read(sentence); len(words) > 0 && len(q.wishes) < clausesMax {
			q.wishes = append(q.wishes, words)
		}
	}
	if len(q.wishes) < 2 {
		q.wishes = nil
	}
	return q
}

// byWords scores tools by the words of a request, from 0 to 1, into r.whole.
func (g *Graph) byWords(q wanted, r *room) {
	r.whole.reset(g.tools.count)
	g.tools.add(q.whole, &r.whole)
	r.whole.level()
	if len(q.wishes) == 0 {
		return
	}
	highest := float32(0)
	r.wishes.reset(g.tools.count)
	for _, wish := range q.wishes {
		r.one.reset(g.tools.count)
		g.tools.add(wish, &r.one)
		top := r.one.top()
		if top == 0 {
			continue
		}
		highest = max(highest, top)
		factor := float32(math.Pow(float64(top), wishPower-1))
		for _, i := range r.one.touched {
			r.wishes.raise(i, r.one.of[i]*factor)
		}
	}
	if highest == 0 {
		return
	}
	r.wishes.scale(float32(math.Pow(float64(highest), -wishPower)))
	r.whole.scale(1 - wishShare)
	for _, i := range r.wishes.touched {
		r.whole.add(i, r.wishes.of[i]*wishShare)
	}
}

// explain picks the best of the tools that were weighed, and says why.
func (g *Graph) explain(q wanted, a answer, most int) []Found {
	total := 1 + g.weights.near + g.weights.profile + g.weights.rank
	votes := g.past != nil && g.weights.near+g.weights.profile > 0 && (!g.weights.untested || a.alike >= repeats)
	if !votes {
		total -= g.weights.near
	}
	out := make([]Found, 0, most)
	for _, e := range g.weights.best(a, most) {
		f := Found{Tool: int(e.tool), Score: math.Min(1, g.weights.score(a, e)/total)}
		f.Confidence, f.Words = g.covered(q, e.tool)
		if votes {
			k := g.weights.panel
			like := a.closeness[k]
			if g.weights.untested {
				like = a.alike
			}
			f.Confidence = math.Max(f.Confidence, float64(e.near[k]*a.share[k]*like))
			f.Runs = g.past.runs(a.nearest[k], e.tool)
		}
		f.Confidence = math.Min(1, f.Confidence) * (1 - a.against(g.weights, e))
		out = append(out, f)
	}
	return out
}

// covered is the share of a request that a tool's words account for, and those
// words. Of several sentences, the one that it fits best counts.
func (g *Graph) covered(q wanted, tool int32) (share float64, words []string) {
	has := func(w asked) bool { return g.tools.has(w.term, tool) }
	for _, w := range q.whole {
		if has(w) {
			words = append(words, w.word)
		}
	}
	wishes := q.wishes
	if wishes == nil {
		wishes = [][]asked{q.whole}
	}
	for _, wish := range wishes {
		all, found := 0.0, 0.0
		for _, w := range wish {
			all += float64(g.tools.of(w.term))
			if has(w) {
				found += float64(g.tools.of(w.term))
			}
		}
		if all > 0 {
			share = math.Max(share, found/all)
		}
	}
	return share, words
}
