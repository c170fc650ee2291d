// Package phrase puts values into words that people read in lists: a subject
// such as "Refund 2,400.00 EUR to Ann" from the template
//
//	Refund {amount} {currency} to {customer.name}
//
// and, where there is no template, the values that tell one thing from another.
package phrase

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

const (
	TemplateMax = 500 // bytes of a template
	TextMax     = 200 // runes of a finished phrase
	ValueMax    = 60  // runes of one value in it
	missing     = "?" // stands for a field that is not there
)

// Phrase is a template that was read.
type Phrase struct{ parts []part }

// part is text, or a field if it has a path.
type part struct {
	text string
	path value.Path
}

// Parse reads a template. {field} and {a.b[0]} stand for values, {{ for a brace.
func Parse(template string) (Phrase, error) {
	var p Phrase
	if len(template) > TemplateMax {
		return p, fault.Newf(fault.TooLarge, "the text has %d bytes; at most %d are accepted", len(template), TemplateMax)
	}
	text := ""
	for i := 0; i < len(template); {
		switch c := template[i]; {
		case (c == '{' || c == '}') && i+1 < len(template) && template[i+1] == c:
			text += template[i : i+1]
			i += 2
		case c == '{':
			end := strings.IndexByte(template[i:], '}')
			if end < 0 {
				return p, fault.Newf(fault.Invalid, "the { at position %d has no }; write {{ for a brace", i+1)
			}
			name := strings.TrimSpace(template[i+1 : i+end])
			path, err := value.ParsePath(name)
			if err == nil && len(path) == 0 {
				err = fault.New(fault.Invalid, "{} names no field", "write a field such as {amount}")
			}
			if err != nil {
				return p, fmt.Errorf("{%s}: %w", name, err)
			}
			p.parts = append(p.parts, part{text: text}, part{path: path})
			text = ""
			i += end + 1
		case c == '}':
			return p, fault.Newf(fault.Invalid, "the } at position %d closes nothing; write }} for a brace", i+1)
		default:
			text += template[i : i+1]
			i++
		}
	}
	p.parts = append(p.parts, part{text: text})
	return p, nil
}

// Fields are the paths that a template names.
func (p Phrase) Fields() (out []value.Path) {
	for _, one := range p.parts {
		if one.path != nil {
			out = append(out, one.path)
		}
	}
	return out
}

// Fill puts values into the template, each as its type is written. A field that is
// not there reads "?", so that people see that something is missing.
func (p Phrase) Fill(get func(value.Path) (json.RawMessage, bool)) string {
	var b strings.Builder
	for _, one := range p.parts {
		if one.path == nil {
			b.WriteString(one.text)
			continue
		}
		text := missing
		if v, ok := get(one.path); ok {
			last := len(one.path) - 1
			beside, _ := get(append(slices.Clone(one.path[:last]), currencyName))
			text = Typed(one.path[last], v, currencyIn(beside))
		}
		b.WriteString(text)
	}
	return ClipWords(oneLine(b.String()), TextMax)
}

// Text is a value in words: texts and numbers as they are, lists and objects by
// their size.
func Text(v json.RawMessage) string {
	switch value.KindOf(v) {
	case value.Missing, value.Null:
		return missing
	case value.String:
		text, _ := value.Text(v)
		return ClipWords(oneLine(text), ValueMax)
	case value.KindArray, value.KindObject:
		n := len(value.Elements(v))
		for range value.Members(v) {
			n++
		}
		if n == 1 {
			return "1 item"
		}
		return fmt.Sprintf("%d items", n)
	}
	return ClipWords(string(v), ValueMax)
}

// Guess makes words of the values that tell one object from another where nothing
// was written about it: what identifies it, how much, for whom, and then its first
// other texts and numbers. An object with a name is called by it; other objects are looked through.
func Guess(data json.RawMessage, most int) string {
	var words []string
	found := telling(data, nil, 1)
	slices.SortStableFunc(found, func(a, b guess) int { return a.rank - b.rank })
	for _, g := range found {
		if len(words) < most && !slices.Contains(words, g.text) {
			words = append(words, g.text)
		}
	}
	return ClipWords(strings.Join(words, " · "), TextMax)
}

// guess is a value in words. The lowest rank is the most telling.
type guess struct {
	text string
	rank int
}

func telling(object json.RawMessage, found []guess, deeper int) []guess {
	currency := CurrencyOf(object)
	ranks := [][]string{idWords, amountWords, partyWords}
	for name, v := range value.Members(object) {
		kind := value.KindOf(v)
		rank := slices.IndexFunc(ranks, func(words []string) bool { return isNamed(name, words) })
		switch {
		case kind == value.KindObject && nameOf(v) == nil:
			if deeper > 0 {
				found = telling(v, found, deeper-1)
			}
			continue
		case kind == value.KindArray, kind == value.Bool, kind == value.Null, name == currencyName && currency != "":
			continue
		case rank < 0:
			rank = len(ranks)
		}
		text := Typed(name, v, currency)
		if text == "" {
			continue
		}
		if isNamed(name, amountWords) && currency != "" {
			text += " " + currency
		}
		found = append(found, guess{text, rank})
	}
	return found
}

// Grouped writes the digits of a plain decimal in threes: 1,800.50. Anything else
// stays as it is.
func Grouped(number string) string {
	digits, minus := strings.CutPrefix(number, "-")
	whole, part, dot := strings.Cut(digits, ".")
	if whole == "" || strings.Trim(whole+part, "0123456789") != "" {
		return number
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if dot {
		whole += "." + part
	}
	if minus {
		return "-" + whole
	}
	return whole
}

// Plain leaves out what would not be seen, or would let a text read in
// another order than it is written.
func Plain(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r) && r != '\u200d': // bidirectional marks and the like
			return -1
		}
		return r
	}, s)), " ")
}

// oneLine joins what stands on several lines.
func oneLine(s string) string { return strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " ") }

// Clip shortens text that is repeated in a message to a number of characters.
func Clip(s string, most int) string {
	for i := range s {
		if most--; most < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// ClipBytes is Clip for a number of bytes. It cuts between characters.
func ClipBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// ClipValid is ClipBytes for text that may not be valid UTF-8; what it returns is.
func ClipValid(s string, most int) string { return ClipBytes(strings.ToValidUTF8(s, "\uFFFD"), most) }

// wordMax is how much of a last word is given up so that none is cut.
const wordMax = 30

// ClipWords shortens a phrase so that it has at most a number of characters in all. It cuts
// between words, unless the last one is too long for that, and drops punctuation before the ellipsis.
func ClipWords(s string, most int) string {
	all := []rune(s)
	if len(all) <= most {
		return s
	}
	end := wordEnd(all, most)
	if kept := strings.TrimRight(string(all[:end]), " ,;:.·–—-([{"); kept != "" {
		return kept + "…"
	}
	return cutAt(all, end)
}

// wordEnd is where ClipWords cuts.
func wordEnd(text []rune, most int) int {
	for i := most - 1; i > 0 && i > most-1-wordMax; i-- {
		if text[i] == ' ' {
			return i
		}
	}
	return most - 1
}

func cutAt(text []rune, end int) string { return strings.TrimSpace(string(text[:end])) + "…" }

// Sentence makes a title of names that people gave for machines: they read
// "Refund writer is unsure", not "refund_writer is unsure".
func Sentence(format string, names ...string) string {
	args := make([]any, len(names))
	for i, n := range names {
		args[i] = strings.Map(func(r rune) rune {
			if r == '_' || r == '-' {
				return ' '
			}
			return r
		}, n)
	}
	s := fmt.Sprintf(format, args...)
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// Or joins words: a, b or c.
func Or[T ~string](words []T) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(string(w))
	}
	return b.String()
}

// Quote puts a text in quotes, on one line. Quotes in it become single ones, so that no part of it seems to follow it.
func Quote(s string) string {
	return "“" + strings.NewReplacer("“", "‘", "”", "’").Replace(Plain(s)) + "”"
}

// Quoted lists words as people would: “a”, “b” and “c”. Of many, it counts the rest.
func Quoted(words []string, most int) string {
	var out []string
	for _, w := range words[:min(len(words), most)] {
		out = append(out, Quote(w))
	}
	if more := len(words) - most; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	last := len(out) - 1
	if last < 1 {
		return strings.Join(out, "")
	}
	return strings.Join(out[:last], ", ") + " and " + out[last]
}
