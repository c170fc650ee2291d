package port

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Bounds on the words by which rows are found.
const (
	WordsMax  = 256 // words of a row
	SearchMax = 16  // words of a search
	wordBytes = 64  // of a word; longer ones are cut, in rows and in searches alike
)

// Words splits texts into search words: letters and digits without case and accents, each word once. Everything else
// separates words, so no character of a search has a special meaning. A number with separators is also found without
// them.
func Words(texts ...string) []string {
	w := wording{out: make([]string, 0, 16)} // enough for most rows
	for _, text := range texts {
		w.add(text, true)
	}
	return w.out
}

// SearchWords are the words of a search: a row matches if each of them begins one
// of its words.
func SearchWords(text string) []string {
	var w wording
	w.add(text, false)
	return w.out[:min(len(w.out), SearchMax)]
}

// Matches reports whether each word of a search begins one of the words of a row.
func Matches(words, search []string) bool {
	for _, s := range search {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, s) }) {
			return false
		}
	}
	return true
}

// wording collects words.
type wording struct {
	out    []string
	seen   map[string]bool // of out, once there are many
	number []byte          // digits before and after separators
}

// textMax bounds how much of a text is read: it is enough for WordsMax words of
// wordBytes.
const textMax = 1 << 15

func (w *wording) add(text string, numbers bool) {
	if len(text) > textMax {
		text = text[:textMax]
	}
	text = fold(text)
	groups, separated := 0, false
	begin := -1
	end := func(at int) {
		if begin >= 0 {
			w.word(text[begin:at])
			begin = -1
		}
	}
	flush := func() {
		if numbers && groups > 1 {
			w.word(string(w.number))
		}
		w.number = w.number[:0]
		groups, separated = 0, false
	}
	for i, r := range text {
		switch {
		case r >= '0' && r <= '9':
			if begin < 0 {
				begin = i
				groups++
			}
			w.number = append(w.number, byte(r))
			separated = false
		case alone(r):
			end(i)
			flush()
			w.word(text[i : i+utf8.RuneLen(r)])
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			if begin < 0 {
				begin = i
			}
			flush()
		case strings.ContainsRune(".,'’", r) && len(w.number) > 0 && !separated:
			end(i)
			separated = true
		default:
			end(i)
			flush()
		}
	}
	end(len(text))
	flush()
}

func (w *wording) word(s string) {
	if len(s) > wordBytes {
		s = s[:wordBytes]
		for !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
	}
	if len(w.out) >= WordsMax || w.has(s) {
		return
	}
	w.out = append(w.out, s)
}

// has reports whether a word was found before. Most rows have a few, which are compared faster than hashed.
func (w *wording) has(s string) bool {
	if len(w.out) < 32 {
		return slices.Contains(w.out, s)
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
		for _, word := range w.out {
			w.seen[word] = true
		}
	}
	had := w.seen[s]
	w.seen[s] = true
	return had
}

// alone reports whether a script has no spaces between words: each character is one.
func alone(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar)
}

// strokes are letters without a separable accent that are often typed without the stroke.
var strokes = strings.NewReplacer("ø", "o", "đ", "d", "ł", "l", "ħ", "h", "ı", "i", "æ", "ae", "œ",
	"oe", "þ", "th", "ð", "d")

// fold removes case and accents.
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	s = cases.Fold().String(norm.NFKD.String(strings.ToValidUTF8(s, " ")))
	s = strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
	return strokes.Replace(s)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
