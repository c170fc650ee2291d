package value

import (
	"encoding/binary"
	"encoding/json"
	"math/bits"

	"github.com/assent-run/assent/internal/core/fault"
)

// DepthMax is the nesting limit of arrays and objects: far beyond any real document, and low enough for plain
// recursion everywhere.
const DepthMax = 1000

// Compact validates raw as strictly as encoding/json does, with a lower limit on nesting, and drops
// insignificant whitespace. If there is none, it returns raw itself. An error states the offset at which the
// document is invalid.
func Compact(raw []byte) (json.RawMessage, error) {
	s := scanner{raw: raw, keep: true}
	if !s.document() {
		return nil, fault.Newf(fault.Invalid, "not valid JSON at byte %d: %s", s.at, s.why)
	}
	if s.out == nil {
		return raw[s.from:s.end:s.end], nil
	}
	return append(s.out, raw[s.from:s.end]...), nil
}

// Valid reports whether Compact would accept raw.
func Valid(raw []byte) bool {
	s := scanner{raw: raw}
	return s.document()
}

// scanner walks one document. Its methods take the offset to start at and
// return the offset after what they read, or -1 after calling fail.
type scanner struct {
	raw   []byte
	keep  bool   // collect everything but whitespace in out
	out   []byte // nil until the first whitespace inside the document
	from  int    // raw[from:] is not yet in out
	end   int    // where the document ends
	depth int

	at  int
	why string

	one *oneReading // set by Strict
}

func (s *scanner) fail(at int, why string) int {
	s.at, s.why = at, why
	return -1
}

// unexpected reports what was found at i instead of what was expected.
func (s *scanner) unexpected(i int, wanted string) int {
	if i >= len(s.raw) {
		return s.fail(len(s.raw), "it ends where "+wanted+" should be")
	}
	return s.fail(i, "found "+show(s.raw[i])+" where "+wanted+" should be")
}

func show(c byte) string {
	if c > ' ' && c < 0x7f {
		return "'" + string(rune(c)) + "'"
	}
	return "byte 0x" + string([]byte{hexDigits[c>>4], hexDigits[c&15]})
}

func (s *scanner) document() bool {
	s.from = skipSpace(s.raw, 0)
	s.end = s.value(s.from)
	if s.end < 0 {
		return false
	}
	if i := skipSpace(s.raw, s.end); i < len(s.raw) {
		s.fail(i, "found "+show(s.raw[i])+" after the end of the value")
		return false
	}
	return true
}

// space skips whitespace inside the document.
func (s *scanner) space(i int) int {
	if i >= len(s.raw) || s.raw[i] > ' ' {
		return i
	}
	j := skipSpace(s.raw, i)
	if s.keep && j > i {
		if s.out == nil {
			s.out = make([]byte, 0, len(s.raw)-(j-i))
		}
		s.out = append(s.out, s.raw[s.from:i]...)
		s.from = j
	}
	return j
}

func (s *scanner) value(i int) int {
	if i >= len(s.raw) {
		return s.unexpected(i, "a value")
	}
	switch c := s.raw[i]; c {
	case '"':
		end := s.text(i)
		if s.one != nil && end > 0 {
			s.one.checkText(s.raw[i:end])
		}
		return end
	case '{':
		return s.object(i)
	case '[':
		return s.array(i)
	case 't':
		return s.word(i, "true")
	case 'f':
		return s.word(i, "false")
	case 'n':
		return s.word(i, "null")
	default:
		if c == '-' || '0' <= c && c <= '9' {
			end := s.number(i)
			if s.one != nil && end > 0 {
				s.one.number(s.raw[i:end])
			}
			return end
		}
	}
	return s.unexpected(i, "a value")
}

func (s *scanner) enter(i int) bool {
	if s.depth++; s.depth > DepthMax {
		s.fail(i, "it nests deeper than 1000 levels")
		return false
	}
	return true
}

func (s *scanner) object(i int) int {
	if !s.enter(i) {
		return -1
	}
	i = s.space(i + 1)
	if i < len(s.raw) && s.raw[i] == '}' {
		s.depth--
		return i + 1
	}
	if s.one != nil {
		s.one.enter(true)
	}
	for {
		if i >= len(s.raw) || s.raw[i] != '"' {
			return s.unexpected(i, "a key")
		}
		key := i
		if i = s.text(i); i < 0 {
			return -1
		}
		if s.one != nil {
			s.one.key(s.raw[key:i])
		}
		if i = s.space(i); i >= len(s.raw) || s.raw[i] != ':' {
			return s.unexpected(i, "':'")
		}
		if i = s.value(s.space(i + 1)); i < 0 {
			return -1
		}
		i = s.space(i)
		if i < len(s.raw) && s.raw[i] == ',' {
			i = s.space(i + 1)
			continue
		}
		if i < len(s.raw) && s.raw[i] == '}' {
			if s.depth--; s.one != nil {
				s.one.leave()
			}
			return i + 1
		}
		return s.unexpected(i, "',' or '}'")
	}
}

func (s *scanner) array(i int) int {
	if !s.enter(i) {
		return -1
	}
	i = s.space(i + 1)
	if i < len(s.raw) && s.raw[i] == ']' {
		s.depth--
		return i + 1
	}
	if s.one != nil {
		s.one.enter(false)
	}
	for {
		if i = s.value(i); i < 0 {
			return -1
		}
		i = s.space(i)
		if i < len(s.raw) && s.raw[i] == ',' {
			if i = s.space(i + 1); s.one != nil {
				s.one.next()
			}
			continue
		}
		if i < len(s.raw) && s.raw[i] == ']' {
			if s.depth--; s.one != nil {
				s.one.leave()
			}
			return i + 1
		}
		return s.unexpected(i, "',' or ']'")
	}
}

func (s *scanner) word(i int, w string) int {
	for j := range len(w) {
		if i+j >= len(s.raw) || s.raw[i+j] != w[j] {
			return s.unexpected(i+j, `the rest of "`+w+`"`)
		}
	}
	return i + len(w)
}

func (s *scanner) text(i int) int {
	raw := s.raw
	for i++; ; {
		if i = plain(raw, i); i >= len(raw) {
			return s.unexpected(i, "the rest of a string")
		}
		switch raw[i] {
		case '"':
			return i + 1
		case '\\':
			if i+1 >= len(raw) {
				return s.unexpected(i+1, "the rest of a string")
			}
			switch raw[i+1] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				i += 2
			case 'u':
				for j := i + 2; j < i+6; j++ {
					if j >= len(raw) || unhex(raw[j]) < 0 {
						return s.unexpected(j, "a hexadecimal digit")
					}
				}
				if s.one != nil {
					i = s.one.escape(raw, i)
					continue
				}
				i += 6
			default:
				return s.unexpected(i+1, "an escape such as n, u or \\")
			}
		default:
			return s.fail(i, "found the control character "+show(raw[i])+" in a string; escape it")
		}
	}
}

func (s *scanner) number(i int) int {
	raw := s.raw
	if raw[i] == '-' {
		i++
	}
	switch {
	case i < len(raw) && raw[i] == '0':
		i++
	default:
		if i = s.digits(i); i < 0 {
			return -1
		}
	}
	if i < len(raw) && raw[i] == '.' {
		if i = s.digits(i + 1); i < 0 {
			return -1
		}
	}
	if i < len(raw) && raw[i]|0x20 == 'e' {
		i++
		if i < len(raw) && (raw[i] == '+' || raw[i] == '-') {
			i++
		}
		return s.digits(i)
	}
	return i
}

// digits requires at least one.
func (s *scanner) digits(i int) int {
	start := i
	for i < len(s.raw) && s.raw[i]-'0' <= 9 {
		i++
	}
	if i == start {
		return s.unexpected(i, "a digit")
	}
	return i
}

// plain returns the offset of the first byte from i on that is special inside a string: a quote, a backslash
// or a control character. It checks eight bytes at a time; the lowest flagged byte is exact, and that is the
// one used.
func plain(raw []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for i+8 <= len(raw) {
		w := binary.LittleEndian.Uint64(raw[i:])
		quote, slash := w^('"'*ones), w^('\\'*ones)
		hit := ((w - ' '*ones) &^ w) | ((quote - ones) &^ quote) | ((slash - ones) &^ slash)
		if hit &= tops; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
		i += 8
	}
	for i < len(raw) && raw[i] >= ' ' && raw[i] != '"' && raw[i] != '\\' {
		i++
	}
	return i
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
