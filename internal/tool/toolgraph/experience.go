package toolgraph

import (
	"maps"
	"slices"
)

// panels are the earlier requests that may vote, by how many of the nearest they are
// and whether stop words count for nearness; which panel is used follows from the history.
var panels = [...]struct {
	most  int
	stops bool
}{{10, false}, {25, false}, {60, false}, {10, true}, {25, true}, {60, true}}

// panelMost is the size of the largest.
const panelMost = 60

// profilesMost is how many tools are looked at because of all that they ever served.
const profilesMost = 50

// kept is an earlier request as far as it is remembered.
type kept struct {
	terms []int32
	ends  []int32 // of its sentences
	tools []int32
	not   []int32
	loud  float32
	at    int // in the list that was given
}

// remember reads the newest earlier requests.
func remember(v *vocabulary, past []Past, ids map[string]int32) []kept {
	var out []kept
	for at, p := range past {
		if at < len(past)-PastMax {
			continue
		}
		k := kept{at: at, tools: known(p.Tools, ids), not: known(p.Not, ids), loud: p.Weight}
		if len(k.tools)+len(k.not) == 0 {
			continue
		}
		if k.loud <= 0 {
			k.loud = 1
		}
		for _, sentence := range sentences(beginning(p.Request, RequestMax)) {
			k.terms = v.learn(sentence, RequestMax, true, k.terms)
			k.terms = k.terms[:min(len(k.terms), pastTermsMax)]
			k.ends = append(k.ends, int32(len(k.terms)))
			if len(k.terms) == pastTermsMax {
				break
			}
		}
		k.terms, k.ends = slices.Clip(k.terms), slices.Clip(k.ends)
		out = append(out, k)
	}
	return out
}

// known are the tools that are still there.
func known(names []string, ids map[string]int32) (out []int32) {
	for _, id := range names {
		if tool, ok := ids[id]; ok && !slices.Contains(out, tool) && len(out) < PastTools {
			out = append(out, tool)
		}
	}
	return out
}

// experience is what earlier requests say about the next one.
type experience struct {
	requests *index
	served   [][]int32 // the tools of each request
	not      [][]int32 // those that did not serve it
	loud     []float32 // how much each request counts
	words    []int32   // different words of each request
	profiles *index    // all requests that a tool served, as one text
	owners   []int32   // the tool of each profile
	rank     []float32 // how central each tool is, from 0 to 1
}

var (
	requestField = []field{{1, 0.9}} // a long request resembles many others by chance
	profileField = []field{{1, 0.5}}
)

func newExperience(past []kept, terms, tools int) *experience {
	e := &experience{served: make([][]int32, len(past)), not: make([][]int32, len(past)),
		loud: make([]float32, len(past)), words: make([]int32, len(past)), rank: make([]float32, tools)}
	requests := &texts{fields: requestField}
	of := map[int32][]int{}
	for i, p := range past {
		e.served[i], e.not[i], e.loud[i] = p.tools, p.not, p.loud
		words, _ := askedAgain(p.terms)
		e.words[i] = int32(len(words))
		requests.add(append(requests.terms, p.terms...))
		for _, tool := range p.tools {
			of[tool] = append(of[tool], i)
		}
	}
	profiles := &texts{fields: profileField}
	e.owners = slices.Sorted(maps.Keys(of))
	for _, tool := range e.owners {
		all := profiles.terms
		for _, i := range of[tool] {
			for _, term := range past[i].terms {
				if !isStop(term) {
					all = append(all, term)
				}
			}
		}
		profiles.add(all)
	}
	e.requests, e.profiles = newIndex(requests, terms), newIndex(profiles, terms)
	return e
}

// runs counts the requests among those nearest that a tool served.
func (e *experience) runs(nearest []int32, tool int32) (n int) {
	for _, i := range nearest {
		if slices.Contains(e.served[i], tool) {
			n++
		}
	}
	return n
}

// evidence is what speaks for a tool, each from 0 to 1.
type evidence struct {
	tool                 int32
	words, profile, rank float32
	near                 [len(panels)]float32
}

// answer is everything that may speak for some tool.
type answer struct {
	found     []evidence
	alike     float32              // the share of words in common with the earlier request that is nearest by words
	closeness [len(panels)]float32 // how much the nearest earlier request resembles this one
	nearest   [len(panels)][]int32 // earlier requests, the nearest first
	share     [len(panels)]float32 // of the votes that the tool with most of them got
}

// behind is how many more tools are looked at than are asked for, so that experience may bring them forward.
const behind = 20

// weigh collects the tools that may be wanted. Those left out have fewer words in
// common with the request than the most that are asked for and some more, and no experience.
func (g *Graph) weigh(q wanted, e *experience, most int, r *room) answer {
	g.byWords(q, r)
	r.picked.reset(g.tools.count)
	if e != nil {
		most += behind
	}
	for _, tool := range r.whole.best(most) {
		r.picked.raise(tool, 1)
	}
	if e == nil {
		return g.answer(answer{}, nil, r)
	}
	var a answer
	var votes [len(panels)]map[int32]float32
	r.near.reset(e.requests.count)
	for _, stops := range []bool{false, true} { // what the words found is added to
		nearest, closeness := e.ask(q, stops, r)
		if !stops && len(nearest) > 0 {
			a.alike = e.alike(q, nearest[0])
		}
		for k, p := range panels {
			if p.stops == stops {
				a.nearest[k], a.closeness[k] = nearest[:min(p.most, len(nearest))], closeness
				votes[k] = e.votes(&a, k, r)
			}
		}
	}
	r.profile.reset(g.tools.count)
	e.byProfile(q, r)
	return g.answer(a, func(v *evidence) {
		v.profile, v.rank = r.profile.of[v.tool], e.rank[v.tool]
		for k := range votes {
			v.near[k] = votes[k][v.tool]
		}
	}, r)
}

// answer lists what was picked, in the order of the tools.
func (g *Graph) answer(a answer, add func(*evidence), r *room) answer {
	slices.Sort(r.picked.touched)
	for _, tool := range r.picked.touched {
		v := evidence{tool: tool, words: r.whole.of[tool]}
		if add != nil {
			add(&v)
		}
		a.found = append(a.found, v)
	}
	return a
}

// ask finds the earlier requests nearest to a new one: those that share words with it. The second time, their stop
// words are compared as well; that requests have only those in common says nothing.
func (e *experience) ask(q wanted, stops bool, r *room) (nearest []int32, closeness float32) {
	whole := e.requests.weight(q.whole)
	if !stops {
		e.requests.add(q.whole, &r.near)
	} else {
		e.requests.addMore(q.stops, &r.near)
		whole += e.requests.weight(q.stops)
	}
	nearest = r.near.best(panelMost)
	if len(nearest) > 0 {
		closeness = min(1, r.near.of[nearest[0]]/whole)
	}
	return nearest, closeness
}

// alike is the share of words that a request and an earlier one have in common.
func (e *experience) alike(q wanted, past int32) float32 {
	both := 0
	for _, w := range q.whole {
		if e.requests.has(w.term, past) {
			both++
		}
	}
	return 2 * float32(both) / float32(len(q.whole)+int(e.words[past]))
}

// votes lets a panel vote for the tools that served its requests and against those that did not, each request as loud
// as it is near.
func (e *experience) votes(a *answer, k int, r *room) map[int32]float32 {
	out, all, most := map[int32]float32{}, float32(0), float32(0)
	for _, i := range a.nearest[k] {
		loud := r.near.of[i] * e.loud[i]
		all += loud
		for _, tool := range e.served[i] {
			out[tool] += loud
			r.picked.raise(tool, 1)
		}
		for _, tool := range e.not[i] {
			out[tool] -= loud
		}
	}
	for _, v := range out {
		most = max(most, v, -v)
	}
	if all == 0 || most == 0 {
		return out
	}
	for tool := range out {
		out[tool] /= most
	}
	a.share[k] = most / all
	return out
}

// byProfile scores tools by all that they ever served, into r.profile.
func (e *experience) byProfile(q wanted, r *room) {
	r.votes.reset(e.profiles.count)
	e.profiles.add(q.whole, &r.votes)
	r.votes.level()
	for _, i := range r.votes.best(profilesMost) {
		r.profile.add(e.owners[i], r.votes.of[i])
		r.picked.raise(e.owners[i], 1)
	}
}
