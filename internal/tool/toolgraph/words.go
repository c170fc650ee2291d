package toolgraph

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// vocabulary numbers the terms that texts are indexed by. A term is a word
// without case and ending. Stop words have the lowest numbers.
type vocabulary struct {
	terms map[string]int32 // without the stop words
	known map[string]int32 // words as they are written, while texts are read
}

func newVocabulary() *vocabulary {
	return &vocabulary{terms: map[string]int32{}, known: map[string]int32{}}
}

// size is one more than the highest number.
func (v *vocabulary) size() int { return len(stopWords) + len(v.terms) }

// unknown is the number of a word that no text has.
const unknown int32 = -1

// isStop reports whether a term is a stop word.
func isStop(term int32) bool { return term >= 0 && int(term) < len(stopWords) }

// learn appends the terms of a text to a list, and numbers those that are new. Stop
// words are left out unless they are asked for.
func (v *vocabulary) learn(text string, max int, stops bool, into []int32) []int32 {
	for _, word := range split(beginning(text, max)) {
		id, ok := v.known[word]
		if !ok {
			id = v.number(word)
			v.known[strings.Clone(word)] = id
		}
		if id != unknown && (stops || !isStop(id)) {
			into = append(into, id)
		}
	}
	return into
}

func (v *vocabulary) number(word string) int32 {
	if id, ok := stopWords[strings.ToLower(word)]; ok {
		return id
	}
	term, ok := termOf(word)
	if !ok {
		return unknown
	}
	id, ok := v.terms[term]
	if !ok {
		id = int32(v.size())
		v.terms[strings.Clone(term)] = id
	}
	return id
}

// freeze ends the reading of texts: what only serves that is dropped.
func (v *vocabulary) freeze() { v.known = nil }

// asked is a word of a request. Saying it twice does not make it count twice.
type asked struct {
	term int32  // unknown: no tool has it
	word string // as written
}

// read takes a text apart as a request: each term once, in the order of the text,
// and the stop words apart from the others.
func (v *vocabulary) read(text string) (out, stops []asked) {
	seen := map[string]bool{}
	for _, word := range split(text) {
		if id, ok := stopWords[strings.ToLower(word)]; ok {
			stops = once(stops, id)
			continue
		}
		term, ok := termOf(word)
		if !ok || seen[term] || len(out) == termsMax {
			continue
		}
		seen[term] = true
		id, ok := v.terms[term]
		if !ok {
			id = unknown
		}
		out = append(out, asked{id, word})
	}
	return out, stops
}

// once adds a term to a short list that does not have it.
func once(words []asked, term int32) []asked {
	if slices.ContainsFunc(words, func(w asked) bool { return w.term == term }) {
		return words
	}
	return append(words, asked{term: term})
}

// Terms are the different words of a text as they are compared: without case, endings
// and words that say nothing.
func Terms(text string) []string {
	var out []string
	for _, word := range split(beginning(text, FieldMax)) {
		if term, ok := termOf(word); ok && !slices.Contains(out, term) && len(out) < termsMax {
			out = append(out, term)
		}
	}
	return out
}

// termOf is the term of a word, unless it says nothing.
func termOf(word string) (string, bool) {
	word = strings.ToLower(word)
	if _, stop := stopWords[word]; stop || len(word) < 2 || len(word) > wordMax {
		return "", false
	}
	term := english.Stem(word, false)
	return term, term != ""
}

// split cuts a text between words, and words where their case or kind changes:
// "getHTTPStatus2xx" is get, HTTP, Status, 2, xx. Scripts that write no spaces are cut into pairs of signs: 請求書 is
// 請求, 求書.
func split(text string) []string {
	var out []string
	begin := -1
	add := func(word string) {
		if first, size := utf8.DecodeRuneInString(word); size < 3 || !spaceless(first) {
			out = append(out, word)
			return
		}
		signs := []rune(word)
		for i := range max(1, len(signs)-1) {
			out = append(out, string(signs[i:min(i+2, len(signs))]))
		}
	}
	var before rune
	for i, sign := range text {
		switch {
		case begin >= 0 && unicode.IsMark(sign): // a vowel or an accent of the letter before
			continue
		case !unicode.IsLetter(sign) && !unicode.IsDigit(sign):
			if begin >= 0 {
				add(text[begin:i])
			}
			begin = -1
		case begin < 0:
			begin = i
		case breaks(before, sign, text[i:]):
			add(text[begin:i])
			begin = i
		}
		before = sign
	}
	if begin >= 0 {
		add(text[begin:])
	}
	return out
}

// spaceless reports whether words of a script are not separated.
func spaceless(sign rune) bool {
	return sign >= 0x3040 && (unicode.In(sign, unicode.Han, unicode.Hiragana, unicode.Katakana) || sign == 'ー')
}

// breaks reports whether a new word begins between two letters or digits. Rest
// begins with the second.
func breaks(before, sign rune, rest string) bool {
	switch {
	case unicode.IsDigit(before) != unicode.IsDigit(sign), unicode.IsLower(before) && unicode.IsUpper(sign),
		spaceless(before) != spaceless(sign):
		return true
	case !unicode.IsUpper(before) || !unicode.IsUpper(sign):
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest[utf8.RuneLen(sign):])
	return unicode.IsLower(next)
}

// sentences cuts a request where one wish ends and the next begins. Commas and
// "and" do not end one: they join parts of the same wish more often than not.
func sentences(text string) []string { return strings.Split(ends.Replace(text), "\n") }

var ends = strings.NewReplacer(". ", "\n", "? ", "\n", "! ", "\n", "; ", "\n", "。", "\n")

// beginning is the first n bytes of a text, as valid UTF-8.
func beginning(text string, n int) string {
	return strings.ToValidUTF8(text[:min(len(text), n)], " ")
}

// stopWords say nothing about what a tool does. How people ask, with these words as well, can resemble how they asked
// earlier.
var stopWords = numbered(`a about after all also am an and any are as at be been being but by can could did do does doing
	for from get give had has have help hers him his how i if in into is it its just let like ll looking make may me might
	my need no not now of on one or our out please re s should so some such t than that the their them then there these
	they this those to too up us use using ve very want was we were what when where which while who will with would you
	your provide show tell know d m`)

func numbered(words string) map[string]int32 {
	out := map[string]int32{}
	for word := range strings.FieldsSeq(words) {
		out[word] = int32(len(out))
	}
	return out
}
