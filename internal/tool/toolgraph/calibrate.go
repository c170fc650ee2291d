package toolgraph

import (
	"math"
	"slices"
)

const (
	folds     = 5 // parts of the history that are held out, one after the other
	trialsMin = 8 // earlier requests that are asked again
	trialsMax = 600
	counted   = 5 // how many of the best tools have to contain those that served
	certainty = 2 // standard errors by which experience has to help
)

// weights say how much experience counts beside the words, which count 1.
type weights struct {
	panel               int  // which of them votes
	close               bool // whether votes count less, the less the nearest resembles the request
	untested            bool // there are too few earlier requests to try how much they help
	near, profile, rank float64
}

func (w weights) score(a answer, e evidence) float64 {
	score := float64(e.words) + w.profile*float64(e.profile) + w.rank*float64(e.rank)
	if not := a.against(w, e); not > 0 {
		return score * (1 - not)
	}
	near := w.near * float64(e.near[w.panel])
	switch {
	case near < 0, w.untested && a.alike < repeats:
		near = 0
	case w.untested:
		near *= float64(a.alike)
	case w.close:
		near *= float64(a.closeness[w.panel])
	}
	return score + near
}

// against is how much speaks against a tool, from 0 to 1: it did not serve a request that this one nearly repeats. That
// needs no trial: people said so.
func (a *answer) against(w weights, e evidence) float64 {
	if near := e.near[w.panel]; near < 0 && a.alike >= repeats {
		return float64(-near * a.alike)
	}
	return 0
}

// best are the tools with the highest scores, highest first.
func (w weights) best(a answer, most int) []evidence {
	all := make([]int32, len(a.found))
	scores := make([]float32, len(a.found))
	for i, e := range a.found {
		all[i], scores[i] = int32(i), float32(w.score(a, e))
	}
	var out []evidence
	for _, i := range highest(all, most, func(i int32) float32 { return scores[i] }) {
		if scores[i] > 0 {
			out = append(out, a.found[i])
		}
	}
	return out
}

// untried are the weights while there are too few earlier requests to try them: only a request that nearly repeats an
// earlier one is served as that one was.
var untried = weights{untested: true, near: 1}

// repeats is the share of words that a request has in common with one that it repeats, from 0 to 1.
const repeats = 0.6

// trial is an earlier request that is asked again, without being remembered.
type trial struct {
	answer answer
	wanted []int32
}

// recall is the share of the wanted tools among the best.
func (t *trial) recall(w weights) float64 {
	n := 0
	for _, e := range w.best(t.answer, counted) {
		if slices.Contains(t.wanted, e.tool) {
			n++
		}
	}
	return float64(n) / float64(len(t.wanted))
}

// calibrate finds how much experience counts: as much as helps to find the tools of
// earlier requests that were held out. Nothing, where it does not clearly help.
func (g *Graph) calibrate(past []kept, used []use) (w weights) {
	trials := g.trials(past, used)
	if len(trials) < trialsMin {
		return untried
	}
	for range 2 { // the second time, each kind sees what the others do
		for _, options := range []func(weights) []weights{profileOptions, nearOptions, rankOptions} {
			w = choose(trials, options(w))
		}
	}
	return w
}

// choose finds the option with the highest recall. The first is used unless another
// clearly helps.
func choose(trials []trial, options []weights) weights {
	without := recallsOf(trials, options[0])
	best, highest := options[0], mean(without)
	for _, w := range options[1:] {
		if r := recallsOf(trials, w); mean(r) > highest+1e-9 && helps(without, r) {
			best, highest = w, mean(r)
		}
	}
	return best
}

// trials asks earlier requests again, with the experience of the others, and of the runs that made no request which
// is asked again.
func (g *Graph) trials(past []kept, used []use) []trial {
	var out []trial
	r := &room{}
	step := max(1, len(past)/trialsMax)
	for fold := range folds {
		var others []kept
		held := map[int]bool{}
		for i, p := range past {
			if i/step%folds != fold {
				others = append(others, p)
			} else {
				held[p.at] = true
			}
		}
		if len(others) == 0 || len(others) == len(past) {
			continue
		}
		e := newExperience(others, g.vocabulary.size(), g.tools.count)
		e.rank = importance(without(used, held), g.tools.count)
		for i := fold * step; i < len(past); i += folds * step {
			if len(past[i].tools) == 0 {
				continue // it says what not to find
			}
			out = append(out, trial{g.weigh(past[i].asked(), e, counted, r), past[i].tools})
		}
	}
	return out
}

// asked is an earlier request as a new one.
func (k kept) asked() wanted {
	var q wanted
	q.whole, q.stops = askedAgain(k.terms)
	begin := int32(0)
	for _, end := range k.ends {
		if words, _ := askedAgain(k.terms[begin:end]); len(words) > 0 && len(q.wishes) < clausesMax {
			q.wishes = append(q.wishes, words)
		}
		begin = end
	}
	if len(q.wishes) < 2 {
		q.wishes = nil
	}
	return q
}

// askedAgain are terms as the words of a request, the stop words apart from the others.
func askedAgain(terms []int32) (out, stops []asked) {
	for _, term := range terms {
		if isStop(term) {
			stops = once(stops, term)
		} else {
			out = once(out, term)
		}
	}
	return out, stops
}

// What is tried for each kind of experience; doing without it comes first.

func nearOptions(w weights) []weights {
	w.near, w.panel, w.close = 0, 0, false
	out := []weights{w}
	for w.panel = range panels {
		for _, w.close = range []bool{false, true} {
			for _, w.near = range []float64{0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 4, 8} {
				out = append(out, w)
			}
		}
	}
	return out
}

func profileOptions(w weights) (out []weights) {
	for _, w.profile = range []float64{0, 0.1, 0.25, 0.5, 1, 2, 4, 8} {
		out = append(out, w)
	}
	return out
}

func rankOptions(w weights) (out []weights) {
	for _, w.rank = range []float64{0, 0.05, 0.1, 0.2, 0.4} {
		out = append(out, w)
	}
	return out
}

func recallsOf(trials []trial, w weights) []float64 {
	out := make([]float64, len(trials))
	for i := range trials {
		out[i] = trials[i].recall(w)
	}
	return out
}

// helps reports whether b is better than a by more than chance explains.
func helps(a, b []float64) bool {
	n := float64(len(a))
	sum, squares := 0.0, 0.0
	for i := range a {
		d := b[i] - a[i]
		sum += d
		squares += d * d
	}
	if sum <= 0 || n < 2 {
		return false
	}
	average := sum / n
	return average > certainty*math.Sqrt(max(0, squares/n-average*average)/n)
}

func mean(of []float64) (m float64) {
	for _, x := range of {
		m += x
	}
	return m / float64(max(1, len(of)))
}
