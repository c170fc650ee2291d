package value

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
)

// Path is a path into a document, one key or decimal index at a time:
//
//	p, err := value.ParsePath(`order.lines[0]["unit price"]`)
//	price, ok := value.Get(doc, p...)
type Path []string

// ParsePath parses a.b.c, a[0].b and a["odd key"].b. Names consist of letters, digits, _, - and $; every
// other key goes into brackets as a JSON string. The empty text is the empty path, which refers to the
// document itself.
func ParsePath(s string) (Path, error) {
	path := Path{}
	for i := 0; i < len(s); {
		if s[i] == '[' {
			seg, end, err := bracket(s, i)
			if err != nil {
				return nil, err
			}
			path, i = append(path, seg), end
			continue
		}
		if s[i] == '.' && i > 0 {
			i++
		} else if i > 0 {
			return nil, badPath(s, i, "expected . or [")
		}
		end := name(s, i)
		if end == i {
			return nil, badPath(s, i, "expected a name")
		}
		path, i = append(path, s[i:end]), end
	}
	return path, nil
}

// bracket parses [0] or ["key"] at i.
func bracket(s string, i int) (seg string, end int, err error) {
	j := i + 1
	if j < len(s) && s[j] == '"' {
		var sc scanner
		sc.raw = []byte(s)
		if end = sc.text(j); end < 0 {
			return "", 0, badPath(s, sc.at, sc.why)
		}
		seg = string(keyOf(sc.raw[j:end]))
		j = end
	} else {
		for j < len(s) && s[j]-'0' <= 9 {
			j++
		}
		if seg = s[i+1 : j]; seg == "" {
			return "", 0, badPath(s, j, `expected an index or a "key"`)
		}
		if !isIndex(seg) {
			return "", 0, badPath(s, i+1, "an index has no leading zero")
		}
	}
	if j >= len(s) || s[j] != ']' {
		return "", 0, badPath(s, j, "expected ]")
	}
	return seg, j + 1, nil
}

func badPath(s string, at int, why string) error {
	shown := s
	if len(shown) > 200 {
		shown = shown[:200] + "…"
	}
	return fault.Newf(fault.Invalid, "path %q, position %d: %s", shown, at+1, why).With("offset", at)
}

// name returns the offset after the name that starts at i.
func name(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r != '_' && r != '-' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		i += size
	}
	return i
}

func isIndex(seg string) bool {
	if seg == "" || len(seg) > 1 && seg[0] == '0' {
		return false
	}
	return strings.Trim(seg, "0123456789") == ""
}

// String formats the path so that ParsePath can parse it.
func (p Path) String() string {
	var b strings.Builder
	for i, seg := range p {
		switch {
		case isIndex(seg):
			b.WriteString("[" + seg + "]")
		case seg != "" && name(seg, 0) == len(seg):
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(seg)
		default:
			b.WriteByte('[')
			b.Write(appendKey(nil, []byte(seg)))
			b.WriteByte(']')
		}
	}
	return b.String()
}

// Pointer formats the path as a JSON pointer (RFC 6901).
func (p Path) Pointer() string {
	var b strings.Builder
	for _, seg := range p {
		b.WriteString("/" + pointerEscape(seg))
	}
	return b.String()
}
