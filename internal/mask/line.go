package mask

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/phrase"
)

const (
	cutSign = "…" // ends a line that was too long
	cutMin  = 3   // bytes of a value at the end of such a line from which on they are hidden
)

// Line is Text for titles and subjects, which are put together from values: what
// is too short to be looked for in every text is hidden here where it stands as a
// word, and so is the beginning of a value with which a line that was cut ends.
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

// cutEnd hides the beginning of a value at the end of a line.
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

// hideWord hides a text where no letter or digit is next to it.
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
