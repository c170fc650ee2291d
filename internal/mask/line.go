package mask

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/phrase"
)

const (
	cutSign = "…" // ends a truncated line
	cutMin  = 3   // minimum bytes of a value masked at the end of such a line
)

// Line is Text for titles and subjects, which are composed of values: values too short to be searched in every text
// are masked here as whole words, and so is the beginning of a value at the end of a truncated line.
func (m *Mask) Line(s string) string {
	s = m.Text(s)
	if s == Marker {
		return s
	}
	if begun, ok := strings.CutSuffix(s, cutSign); ok {
		s = m.cutEnd(begun) + cutSign
	}
	for word := range m.short {
		s = hideWord(s, word)
	}
	return s
}

// cutEnd masks the beginning of a value at the end of a line.
func (m *Mask) cutEnd(s string) string {
	longest := 0
	for text := range m.exact {
		for _, line := range phrase.Forms(text) {
			for n := min(len(line), len(s)); n >= cutMin && n > longest; n-- {
				if strings.HasSuffix(s, line[:n]) {
					longest = n
				}
			}
		}
	}
	if longest == 0 {
		return s
	}
	return s[:len(s)-longest] + Marker
}

// hideWord masks a text where no letter or digit is next to it.
func hideWord(s, word string) string {
	var out strings.Builder
	rest, last := s, rune(' ')
	for {
		at := strings.Index(rest, word)
		if at < 0 {
			out.WriteString(rest)
			return out.String()
		}
		if at > 0 {
			last, _ = utf8.DecodeLastRuneInString(rest[:at])
		}
		end := at + len(word)
		next, _ := utf8.DecodeRuneInString(rest[end:])
		if wordSign(last) || wordSign(next) {
			out.WriteString(rest[:end])
		} else {
			out.WriteString(rest[:at])
			out.WriteString(Marker)
		}
		last, _ = utf8.DecodeLastRuneInString(word)
		rest = rest[end:]
	}
}

func wordSign(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
