package toolgraph

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// vocabulary numbers the terms that texts are indexed by. A term is a word
// without case and ending.
type vocabulary struct {
	terms map[string]int32
	known map[string]int32 // words as they are written, while texts are read; -1: a stop word
}

func newVocabulary() *vocabulary {
	return &vocabulary{terms: map[string]int32{}, known: map[string]int32{}}
}

// unknown is the number of a word that no text has.
const unknown int32 = -1

// learn appends the terms of a text to a list, and numbers those that are new.
func (v *vocabulary) learn(text string, max int, into []int32) []int32 {
	for _, word := range split(clip(text, max)) {
		id, ok := v.known[word]
		if !ok {
			id = v.number(word)
			v.known[strings.Clone(word)] = id
		}
		if id != unknown {
			into = append(into, id)
		}
	}
	return into
}

func (v *vocabulary) number(word string) int32 {
	term, ok := termOf(word)
	if !ok {
		return unknown
	}
	id, ok := v.terms[term]
	if !ok {
		id = int32(len(v.terms))
		v.terms[strings.Clone(term)] = id
	}
	return id
}

// freeze ends the reading of texts: what only serves that is dropped.
func (v *vocabulary) freeze() { v.known = nil }

// asked is a word of a request.
type asked struct {
	term  int32 // unknown: no tool has it
	count float32
	word  string // as it was written
}

// read takes a text apart as a request: each term once, in the order of the text.
func (v *vocabulary) read(text string) []asked {
	var out []asked
	at := map[string]int{}
	for _, word := range split(text) {
		term, ok := termOf(word)
		if !ok {
			continue
		}
		if i, seen := at[term]; seen {
			out[i].count++
			continue
		}
		if len(out) == termsMax {
			continue
		}
		id, ok := v.terms[term]
		if !ok {
			id = unknown
		}
		at[term] = len(out)
		out = append(out, asked{id, 1, word})
	}
	return out
}

// Terms are the different words of a text as they are compared: without case, endings
// and words that say nothing.
func Terms(text string) []string {
	var out []string
	for _, word := range split(clip(text, FieldMax)) {
		if term, ok := termOf(word); ok && !slices.Contains(out, term) && len(out) < termsMax {
			out = append(out, term)
		}
	}
	return out
}

// termOf is the term of a word, unless it says nothing.
func termOf(word string) (string, bool) {
	word = strings.ToLower(word)
	if len(word) < 2 || len(word) > wordMax || stopWords[word] {
		return "", false
	}
	term := english.Stem(word, false)
	return term, term != ""
}

// split cuts a text between words, and words where their case or kind changes:
// "getHTTPStatus2xx" is get, HTTP, Status, 2, xx.
func split(text string) []string {
	var out []string
	begin := -1
	var before rune
	for i, sign := range text {
		switch {
		case !unicode.IsLetter(sign) && !unicode.IsDigit(sign):
			if begin >= 0 {
				out = append(out, text[begin:i])
			}
			begin = -1
		case begin < 0:
			begin = i
		case breaks(before, sign, text[i:]):
			out = append(out, text[begin:i])
			begin = i
		}
		before = sign
	}
	if begin >= 0 {
		out = append(out, text[begin:])
	}
	return out
}

// breaks reports whether a new word begins between two letters or digits. Rest
// begins with the second.
func breaks(before, sign rune, rest string) bool {
	switch {
	case unicode.IsDigit(before) != unicode.IsDigit(sign), unicode.IsLower(before) && unicode.IsUpper(sign):
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

var ends = strings.NewReplacer(". ", "\n", "? ", "\n", "! ", "\n", "; ", "\n")

// clip cuts a text to n bytes, and replaces what is not valid UTF-8.
func clip(text string, n int) string {
	return strings.ToValidUTF8(text[:min(len(text), n)], " ")
}

// stopWords say nothing about what a tool does.
var stopWords = setOf(`a about after all also am an and any are as at be been being but by can could did do does doing
	for from get give had has have help hers him his how i if in into is it its just let like ll looking make may me might
	my need no not now of on one or our out please re s should so some such t than that the their them then there these
	they this those to too up us use using ve very want was we were what when where which while who will with would you
	your provide show tell know d m`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
