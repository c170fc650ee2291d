package toolgraph

import (
	"math"
	"slices"
)

// field is how much a word counts by where it stands, and how much the length of
// the text is held against it: 0 not at all, 1 in full.
type field struct{ weight, length float64 }

// saturation is how soon another occurrence of a word adds little (k1 of BM25).
const saturation = 1.2

// index finds texts by terms: BM25F, whose parts that do not depend on the request
// are worked out beforehand. The hits of term t are hits[starts[t]:starts[t+1]].
type index struct {
	count  int
	starts []int32
	rarity []float32
	hits   []hit
	none   float32 // rarity of a word that no text has
}

// hit is a text in which a term occurs.
type hit struct {
	text   int32
	weight float32 // how much the term says about the text; the rarity is not in it
}

// texts are what is indexed: every field of every text, as terms, one after the other.
type texts struct {
	fields []field
	terms  []int32
	ends   []int32 // of each field of each text
}

func (t *texts) count() int { return len(t.ends) / len(t.fields) }

// add closes a field that begins where the last one ended.
func (t *texts) add(terms []int32) {
	t.terms = terms
	t.ends = append(t.ends, int32(len(terms)))
}

func (t *texts) field(text, field int) []int32 {
	at := text*len(t.fields) + field
	begin := int32(0)
	if at > 0 {
		begin = t.ends[at-1]
	}
	return t.terms[begin:t.ends[at]]
}

// averages are the mean lengths of the fields.
func (t *texts) averages() []float64 {
	out := make([]float64, len(t.fields))
	for f := range t.fields {
		total := 0
		for i := range t.count() {
			total += len(t.field(i, f))
		}
		out[f] = max(1, float64(total)/float64(max(1, t.count())))
	}
	return out
}

// newIndex indexes texts over a vocabulary of that many terms.
func newIndex(t *texts, terms int) *index {
	x := &index{count: t.count(), starts: make([]int32, terms+1), rarity: make([]float32, terms)}
	last := make([]int32, terms) // the text that a term was seen in last, from 1 on
	each := func(text int, do func(term int32)) {
		for f := range t.fields {
			for _, term := range t.field(text, f) {
				if last[term] != int32(text)+1 {
					last[term] = int32(text) + 1
					do(term)
				}
			}
		}
	}
	for i := range x.count {
		each(i, func(term int32) { x.starts[term+1]++ })
	}
	for term := range terms {
		x.rarity[term] = float32(rarity(x.count, int(x.starts[term+1])))
		x.starts[term+1] += x.starts[term]
	}
	x.none = float32(rarity(x.count, 0))
	x.hits = make([]hit, x.starts[terms])
	x.fill(t, each, last)
	return x
}

// fill writes the hits, text by text, so that those of a term are in the texts' order.
func (x *index) fill(t *texts, each func(text int, do func(term int32)), last []int32) {
	clear(last)
	averages := t.averages()
	weights := make([]float64, len(x.rarity))
	next := make([]int32, len(x.rarity))
	for i := range x.count {
		for f, field := range t.fields {
			words := t.field(i, f)
			one := field.weight / (1 - field.length + field.length*float64(len(words))/averages[f])
			for _, term := range words {
				weights[term] += one
			}
		}
		each(i, func(term int32) {
			w := weights[term]
			weights[term] = 0
			x.hits[x.starts[term]+next[term]] = hit{int32(i), float32(w * (saturation + 1) / (saturation + w))}
			next[term]++
		})
	}
}

func rarity(texts, with int) float64 {
	return math.Log(1 + (float64(texts-with)+0.5)/(float64(with)+0.5))
}

// of is the rarity of a term.
func (x *index) of(term int32) float32 {
	if term == unknown {
		return x.none
	}
	return x.rarity[term]
}

// weight is the rarity of words together.
func (x *index) weight(words []asked) (sum float32) {
	for _, w := range words {
		sum += x.of(w.term)
	}
	return sum
}

// listed are the hits of a term.
func (x *index) listed(term int32) []hit {
	if term == unknown {
		return nil
	}
	return x.hits[x.starts[term]:x.starts[term+1]]
}

// has reports whether a text has a term.
func (x *index) has(term, text int32) bool {
	_, ok := slices.BinarySearchFunc(x.listed(term), text, func(h hit, t int32) int { return int(h.text - t) })
	return ok
}

// addMore adds what further words of a request say about the texts that some word has already found.
func (x *index) addMore(words []asked, to *scores) {
	for _, w := range words {
		factor := x.of(w.term)
		for _, h := range x.listed(w.term) {
			if to.of[h.text] > 0 {
				to.add(h.text, factor*h.weight)
			}
		}
	}
}

// add adds up what the words of a request say about each text.
func (x *index) add(words []asked, to *scores) {
	for _, w := range words {
		factor := x.of(w.term)
		for _, h := range x.listed(w.term) {
			to.add(h.text, factor*h.weight)
		}
	}
}
