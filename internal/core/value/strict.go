package value

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/mutant"
)

// Strict is Compact for external input. It also rejects text that two parsers could read differently, so that
// the value that was approved is the value that is used: a duplicate key in one object, at any depth and
// however it is escaped; keys that differ only in case, which many programs treat as equal (amount and
// Amount); text that is not Unicode (bytes that are not UTF-8, half of a surrogate pair); numbers outside the
// range of a float64. Like Compact, it takes a single pass.
//
// The error names the first such place with its path. The document is returned with it, unless it is not JSON
// at all.
func Strict(raw []byte) (json.RawMessage, error) {
	one := oneReading{utf8: utf8.Valid(raw)}
	s := scanner{raw: raw, keep: true, one: &one}
	if !s.document() {
		return nil, fault.Newf(fault.Invalid, "not valid JSON at byte %d: %s", s.at, s.why)
	}
	doc := json.RawMessage(raw[s.from:s.end:s.end])
	if s.out != nil {
		doc = append(s.out, raw[s.from:s.end]...)
	}
	if one.why == "" && !one.utf8 {
		one.why = "this text is not valid UTF-8"
	}
	if one.why == "" {
		return doc, nil
	}
	return doc, fault.Of("this JSON is ambiguous", []fault.Problem{{Path: one.where, Message: one.why}})
}

// keysLinear is the number of keys of an object up to which they are compared one by one.
const keysLinear = 16

// oneReading detects ambiguous text while a scanner walks. It records the first place and lets the scanner
// continue.
type oneReading struct {
	utf8   bool
	keys   [][]byte // of all open objects
	frames []frame
	why    string
	where  string
}

// frame is an open object or list.
type frame struct {
	first int               // the object's first key, or -1 for a list
	index int               // in a list
	seen  map[string][]byte // folded → as written
}

func (o *oneReading) enter(object bool) {
	f := frame{first: -1}
	if object {
		f.first = len(o.keys)
	}
	o.frames = append(o.frames, f)
}

func (o *oneReading) leave() {
	last := len(o.frames) - 1
	if f := o.frames[last]; f.first >= 0 {
		o.keys = o.keys[:f.first]
	}
	o.frames = o.frames[:last]
}

func (o *oneReading) next() { o.frames[len(o.frames)-1].index++ }

// key adds a member's name as written, in quotes.
func (o *oneReading) key(lit []byte) {
	name := lit[1 : len(lit)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		if text, ok := Text(lit); ok {
			name = []byte(text)
		}
	}
	f := &o.frames[len(o.frames)-1]
	alike := f.alike(o.keys[f.first:], name)
	if o.keys = append(o.keys, name); alike != nil && !mutant.Is(mutant.KeysTwice) {
		if bytes.Equal(alike, name) {
			o.note("this key is given twice: keep one")
		} else {
			o.note(fmt.Sprintf("this key differs from %q only in case: keep one", bytes.ToValidUTF8(alike, []byte("\uFFFD"))))
		}
	}
	o.checkText(lit)
}

// alike returns a key of the object that equals a name except for case; nil: none.
func (f *frame) alike(keys [][]byte, name []byte) []byte {
	if len(keys) <= keysLinear {
		for _, k := range keys {
			if bytes.EqualFold(k, name) {
				return k
			}
		}
		return nil
	}
	if f.seen == nil {
		f.seen = make(map[string][]byte, 2*len(keys))
		for _, k := range keys {
			f.seen[fold(k)] = k
		}
	}
	folded := fold(name)
	found := f.seen[folded]
	f.seen[folded] = name
	return found
}

// fold maps keys that bytes.EqualFold considers equal to the same text.
func fold(name []byte) string {
	return string(bytes.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name))
}

// checkText finds the text that makes the document invalid UTF-8.
func (o *oneReading) checkText(lit []byte) {
	if !o.utf8 && !utf8.Valid(lit) {
		o.note("this text is not valid UTF-8")
	}
}

// escape reads a \uXXXX at i, with the second one of a pair, and returns its end. Half a pair is not a
// character.
func (o *oneReading) escape(raw []byte, i int) int {
	r, end := escaped(raw, i+2)
	if utf16.IsSurrogate(r) {
		o.note("this text has half of a surrogate pair, which is not a character")
	}
	return end
}

// number rejects numbers outside the range of a float64: one parser reads the number, another infinity, zero
// or an error.
func (o *oneReading) number(lit []byte) {
	if len(lit) < 300 && bytes.IndexByte(lit, 'e') < 0 && bytes.IndexByte(lit, 'E') < 0 {
		return
	}
	f, err := strconv.ParseFloat(string(lit), 64)
	mantissa, _, _ := bytes.Cut(bytes.ToLower(lit), []byte("e"))
	if err != nil || f == 0 && bytes.ContainsAny(mantissa, "123456789") {
		o.note("this number is outside the range of numbers that programs share (a float64)")
	}
}

func (o *oneReading) note(why string) {
	if o.why != "" {
		return
	}
	var at Path
	for n, f := range o.frames {
		end := len(o.keys)
		for _, inner := range o.frames[n+1:] {
			if inner.first >= 0 {
				end = inner.first
				break
			}
		}
		switch {
		case f.first < 0:
			at = append(at, strconv.Itoa(f.index))
		case end > f.first:
			at = append(at, string(bytes.ToValidUTF8(o.keys[end-1], []byte("\uFFFD"))))
		}
	}
	o.why, o.where = why, at.String()
}
