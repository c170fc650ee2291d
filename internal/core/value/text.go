package value

import (
	"bytes"
	"encoding/json"
	"unicode/utf16"
	"unicode/utf8"
)

// Quote returns s as a JSON string without HTML escaping. Invalid UTF-8 becomes U+FFFD, so the result is
// always a valid document.
func Quote(s string) json.RawMessage {
	out := append(make([]byte, 0, len(s)+2), '"')
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			out = appendASCII(out, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		out = utf8.AppendRune(out, r)
		i += size
	}
	return append(out, '"')
}

// Text returns the string if raw is a JSON string, decoded as encoding/json would: what UTF-8 cannot
// represent (half a surrogate pair, stray bytes) becomes U+FFFD.
func Text(raw json.RawMessage) (string, bool) {
	lit := trim(raw)
	if KindOf(lit) != String {
		return "", false
	}
	if check := (scanner{raw: lit}); check.text(0) != len(lit) {
		return "", false
	}
	s := unquote(lit, utf8.AppendRune)
	if utf8.Valid(s) {
		return string(s), true
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRune(s[i:])
		out = utf8.AppendRune(out, r)
		i += size
	}
	return string(out), true
}

// keyOf unescapes a string literal. Half a surrogate pair is kept as the three bytes that UTF-8 would use if
// it could (WTF-8), and stray bytes as they are, so that different keys stay different.
func keyOf(lit []byte) []byte { return unquote(lit, appendWide) }

// unquote unescapes a string literal; appendRune handles half pairs.
func unquote(lit []byte, appendRune func([]byte, rune) []byte) []byte {
	if len(lit) < 2 || lit[0] != '"' {
		return nil
	}
	in := lit[1:]
	if in[len(in)-1] == '"' {
		in = in[:len(in)-1]
	}
	i := bytes.IndexByte(in, '\\')
	if i < 0 {
		return in
	}
	out := append(make([]byte, 0, len(in)), in[:i]...)
	for i < len(in) {
		if in[i] != '\\' {
			out = append(out, in[i])
			i++
			continue
		}
		if i++; i == len(in) {
			break
		}
		if in[i] == 'u' {
			var r rune
			r, i = escaped(in, i+1)
			out = appendRune(out, r)
			continue
		}
		out = append(out, unescape(in[i]))
		i++
	}
	return out
}

func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// escaped decodes the digits after \u, and a second escape if the two make a pair.
func escaped(in []byte, i int) (rune, int) {
	r, i := hex4(in, i)
	if utf16.IsSurrogate(r) && i+1 < len(in) && in[i] == '\\' && in[i+1] == 'u' {
		low, j := hex4(in, i+2)
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, j
		}
	}
	return r, i
}

func hex4(in []byte, i int) (r rune, end int) {
	for end = i; end < len(in) && end < i+4 && unhex(in[end]) >= 0; end++ {
		r = r<<4 | rune(unhex(in[end]))
	}
	return r, end
}

// appendWide is utf8.AppendRune that also writes halves of surrogate pairs.
func appendWide(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
	}
	return utf8.AppendRune(dst, r)
}

// halfAt returns the half of a surrogate pair at s[i], or 0.
func halfAt(s []byte, i int) rune {
	if i+2 >= len(s) || s[i] != 0xED || s[i+1] < 0xA0 || s[i+1] > 0xBF || s[i+2] < 0x80 || s[i+2] > 0xBF {
		return 0
	}
	return 0xD000 | rune(s[i+1]&0x3F)<<6 | rune(s[i+2]&0x3F)
}

// appendKey encodes what keyOf decoded, so that keyOf can decode it again: half pairs as escapes, stray bytes
// as they are.
func appendKey(dst, key []byte) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(key); i++ {
		c := key[i]
		if c < utf8.RuneSelf {
			dst = appendASCII(dst, c)
			continue
		}
		half := halfAt(key, i)
		if half == 0 {
			dst = append(dst, c)
			continue
		}
		// Two adjacent halves came in as raw bytes. Escaped, they would decode to one character, so the first
		// stays raw.
		if next := halfAt(key, i+3); utf16.DecodeRune(half, next) != utf8.RuneError {
			dst = append(dst, key[i:i+3]...)
		} else {
			dst = append(dst, '\\', 'u', 'd', hexDigits[half>>8&15], hexDigits[half>>4&15], hexDigits[half&15])
		}
		i += 2
	}
	return append(dst, '"')
}

const hexDigits = "0123456789abcdef"

func appendASCII(dst []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c >= ' ':
		return append(dst, c)
	case c == '\n':
		return append(dst, '\\', 'n')
	case c == '\r':
		return append(dst, '\\', 'r')
	case c == '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// keyIs compares a key literal with a plain string.
func keyIs(lit []byte, key string) bool {
	if bytes.IndexByte(lit, '\\') < 0 {
		return len(lit) == len(key)+2 && string(lit[1:len(lit)-1]) == key
	}
	return string(keyOf(lit)) == key
}
