package expr

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokName
	tokNumber
	tokText
	tokSign // operators and brackets
)

// token is one token of the source. For texts and names in backticks, text is the unquoted value.
type token struct {
	kind   tokenKind
	quoted bool // a name in backticks, which is never a keyword
	at     int
	end    int
	text   string
}

// signs, longer ones first. Those in refused are recognised only to be rejected.
var signs = []string{
	"===", "!==", "==", "!=", "<=", ">=", "&&", "||", "<>", "=>", "..", "??", "?.", "**", "|>", ":=",
	"<", ">", "!", "+", "-", "*", "/", "%", "(", ")", "[", "]", ",", ".",
	"=", "&", "|", "^", "?", ":", "{", "}", "#", ";", "~", "@",
}

var refused = map[string]string{
	"===": "write == to compare",
	"!==": "write != to compare",
	"=":   "write == to compare",
	"<>":  "write != to compare",
	":=":  "write == to compare",
	"&":   "write && or and",
	"|":   "pipes are not supported; write || or or to combine conditions",
	"|>":  "pipes are not supported",
	"..":  "ranges are not supported; write x >= 1 && x <= 5",
	"??":  "a missing field needs no default: its comparison is false",
	"?.":  "write . instead: a missing field is not an error",
	"?":   "write the condition with && and || instead of ? :",
	":":   "write the condition with && and || instead of ? :",
	"**":  "powers are not supported",
	"^":   "powers are not supported",
	"=>":  "functions are not supported; write >= for “at least”",
	"{":   "functions over elements and objects are not supported",
	"}":   "functions over elements and objects are not supported",
	"#":   "functions over elements are not supported",
	";":   "write one condition only",
	"~":   "write matches to compare with a pattern",
	"@":   "put names with other characters in backticks: `@name`",
}

func lex(src string) ([]token, *trouble) {
	if !utf8.ValidString(src) {
		return nil, wrong(0, "it is not valid UTF-8")
	}
	var out []token
	for i := 0; i < len(src); {
		c := src[i]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			i++
			continue
		}
		t, bad := next(src, i, out)
		if bad != nil {
			return nil, bad
		}
		out = append(out, t)
		i = t.end
	}
	return append(out, token{kind: tokEnd, at: len(src), end: len(src)}), nil
}

func next(src string, i int, before []token) (token, *trouble) {
	r, _ := utf8.DecodeRuneInString(src[i:])
	switch {
	case nameStart(r):
		return lexName(src, i)
	case r == '`':
		return lexQuoted(src, i)
	case r == '"' || r == '\'':
		return lexText(src, i)
	case digit(src, i):
		return lexNumber(src, i, len(before) > 0 && before[len(before)-1].text == "." &&
			before[len(before)-1].kind == tokSign)
	case r == '.' && digit(src, i+1) && !afterValue(before):
		return lexNumber(src, i, false)
	}
	for _, s := range signs {
		if strings.HasPrefix(src[i:], s) {
			if why, no := refused[s]; no {
				return token{}, wrong(i, "%s is not an operator here: %s", s, why)
			}
			return token{kind: tokSign, at: i, end: i + len(s), text: s}, nil
		}
	}
	return token{}, wrong(i, "unexpected character %q", r)
}

// afterValue distinguishes a.5 and a.0.5 (elements) from > .5 (a number).
func afterValue(before []token) bool {
	if len(before) == 0 {
		return false
	}
	t := before[len(before)-1]
	return t.kind == tokName || t.kind == tokNumber || t.text == "]" || t.text == ")"
}

func nameStart(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) }

func digit(s string, i int) bool { return i < len(s) && '0' <= s[i] && s[i] <= '9' }

func lexName(src string, i int) (token, *trouble) {
	end := nameEnd(src, i)
	// a-b could be a name or a subtraction. A wrong guess would silently read a missing field, so the author
	// has to disambiguate.
	if end+1 < len(src) && src[end] == '-' {
		if r, _ := utf8.DecodeRuneInString(src[end+1:]); nameStart(r) || unicode.IsDigit(r) {
			left, right := src[i:end], src[end+1:nameEnd(src, end+1)]
			return token{}, wrong(i, "is this a name or a subtraction? write `%s-%s` in backticks for the name, or %s - %s "+
				"with spaces to subtract", left, right, left, right)
		}
	}
	return token{kind: tokName, at: i, end: end, text: src[i:end]}, nil
}

func nameEnd(src string, i int) int {
	for i < len(src) {
		r, n := utf8.DecodeRuneInString(src[i:])
		if !nameStart(r) && !unicode.IsDigit(r) {
			break
		}
		i += n
	}
	return i
}

func lexQuoted(src string, i int) (token, *trouble) {
	n := strings.IndexByte(src[i+1:], '`')
	if n <= 0 {
		return token{}, wrong(i, "a name in backticks must not be empty, and needs a closing backtick")
	}
	return token{kind: tokName, quoted: true, at: i, end: i + n + 2, text: src[i+1 : i+1+n]}, nil
}

// lexNumber reads a JSON number, and also .5 and 1_000. After a dot it is the index of an element, so 0.1
// there means two of them.
func lexNumber(src string, i int, element bool) (token, *trouble) {
	end := digits(src, i)
	if !element {
		if end < len(src) && src[end] == '.' && (digit(src, end+1) || end == i) {
			end = digits(src, end+1)
		}
		if end < len(src) && (src[end] == 'e' || src[end] == 'E') {
			exp := end + 1
			if exp < len(src) && (src[exp] == '+' || src[exp] == '-') {
				exp++
			}
			if digit(src, exp) {
				end = digits(src, exp)
			}
		}
	}
	if r, _ := utf8.DecodeRuneInString(src[end:]); nameStart(r) {
		return token{}, wrong(i, "%s is neither a number nor a name; put names that begin with a digit in backticks",
			src[i:nameEnd(src, end)])
	}
	return token{kind: tokNumber, at: i, end: end, text: strings.ReplaceAll(src[i:end], "_", "")}, nil
}

func digits(src string, i int) int {
	for digit(src, i) || i < len(src) && src[i] == '_' && digit(src, i+1) {
		i++
	}
	return i
}

func lexText(src string, i int) (token, *trouble) {
	quote := src[i]
	var b strings.Builder
	for j := i + 1; j < len(src); {
		switch c := src[j]; c {
		case quote:
			return token{kind: tokText, at: i, end: j + 1, text: b.String()}, nil
		case '\\':
			r, n, ok := escape(src[j:])
			if !ok {
				return token{}, wrong(j, `unknown escape: \n, \t, \", \\ and \u0041 are known; write \\ for a backslash`)
			}
			b.WriteRune(r)
			j += n
		default:
			b.WriteByte(c)
			j++
		}
	}
	return token{}, wrong(i, "the text that starts here has no closing %c", quote)
}

func escape(s string) (rune, int, bool) {
	if len(s) < 2 {
		return 0, 0, false
	}
	switch s[1] {
	case 'n':
		return '\n', 2, true
	case 't':
		return '\t', 2, true
	case 'r':
		return '\r', 2, true
	case '\\', '"', '\'', '/':
		return rune(s[1]), 2, true
	case 'u':
		if len(s) >= 6 {
			if n, err := strconv.ParseUint(s[2:6], 16, 16); err == nil && !utf16.IsSurrogate(rune(n)) {
				return rune(n), 6, true
			}
		}
	}
	return 0, 0, false
}
