package tree

import (
	"strings"
	"unicode/utf8"
)

// inline reads a value that begins on the line of the cursor.
func (r *reader) inline(parent int) (*Node, bool) {
	switch c := r.char(r.i); c {
	case '|', '>':
		return r.blockText(parent)
	case '"', '\'':
		return r.quoted(parent)
	case '[', '{':
		return r.flow(parent)
	}
	if !r.plainStart(r.i, false) {
		return nil, r.badStart()
	}
	start := r.i
	n, ok := r.plain(parent, false)
	return n, ok && r.settle(n, start)
}

// badStart explains why no plain scalar can begin at the cursor.
func (r *reader) badStart() bool {
	switch c := r.char(r.i); c {
	case ']', '}':
		return r.bad(r.i, "unexpected %c: there is nothing to close", c)
	case ',':
		return r.bad(r.i, "the value before this comma is missing")
	case ':':
		return r.bad(r.i, "the key before the colon is missing")
	case '-':
		return r.bad(r.i, "lists with dashes are not allowed in brackets: write [a, b]; put a text that "+
			"starts with - in quotes")
	case '&', '*', '!':
		r.feature()
		return false
	case '?':
		r.complexKey()
		return false
	default:
		_, size := utf8.DecodeRuneInString(r.src[r.i:r.end])
		return r.bad(r.i, "a text cannot start with %s: put it in quotes", r.src[r.i:r.i+size])
	}
}

// plainStart reports whether a scalar without quotes can begin at an offset.
func (r *reader) plainStart(i int, flow bool) bool {
	switch c := r.char(i); c {
	case '-', '?', ':':
		return !r.blankAt(i+1) && !(flow && strings.IndexByte(",[]{}", r.char(i+1)) >= 0)
	case 0, '\n', ' ', '\t', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	}
	return true
}

// plainLine is where a plain scalar that begins or continues at an offset ends on its line: at a colon, a comment,
// a bracket or the end of the line, without trailing white space.
func (r *reader) plainLine(i int, flow bool) int {
	for ; ; i++ {
		switch c := r.char(i); c {
		case 0, '\n':
			return i
		case ':':
			if r.blankAt(i+1) || flow && strings.IndexByte(",[]{}", r.char(i+1)) >= 0 {
				return i
			}
		case '#':
			if b := r.src[i-1]; b == ' ' || b == '\t' {
				return i
			}
		case ',', '[', ']', '{', '}':
			if flow {
				return i
			}
		}
	}
}

// plain reads a scalar without quotes. It continues on lines indented deeper than its parent; line ends become
// spaces, and empty lines become line ends.
func (r *reader) plain(parent int, flow bool) (*Node, bool) {
	start := r.i
	n := r.node(Text, start)
	if n == nil {
		return nil, false
	}
	stop := r.plainLine(start, flow)
	text := strings.TrimRight(r.src[start:stop], " \t")
	r.i = start + len(text)
	if r.char(stop) == '\n' {
		more, ok := r.plainMore(parent, flow)
		if !ok {
			return nil, false
		}
		if more != "" {
			n.Text = text + more
			return n, true
		}
	}
	n.Text, n.raw = text, text
	return n, true
}

// settle resolves a plain scalar. Keys are never resolved.
func (r *reader) settle(n *Node, start int) bool {
	if n.raw == "" || n.Style != Plain {
		return true
	}
	kind, literal, why := resolve(n.Text)
	if why != "" {
		return r.bad(start, "%s", why)
	}
	n.Kind, n.Text = kind, literal
	return true
}

// plainMore reads the continuation lines of a plain scalar. The cursor stays after the last one.
func (r *reader) plainMore(parent int, flow bool) (string, bool) {
	var b strings.Builder
	for {
		i, ls, breaks := r.i, r.ls, 0
		for {
			for r.char(i) == ' ' || r.char(i) == '\t' {
				i++
			}
			if r.char(i) != '\n' {
				break
			}
			i, breaks = i+1, breaks+1
			ls = i
		}
		if breaks == 0 || i >= r.end || r.char(i) == '#' {
			return b.String(), true
		}
		if spaces, _ := r.lineIndent(ls); spaces <= parent && (!flow || i-ls <= parent) {
			return b.String(), true
		}
		stop := r.plainLine(i, flow)
		if flow && stop == i {
			return b.String(), true
		}
		if !flow && r.char(stop) == ':' {
			return "", r.bad(i, "this line looks like a key but continues the text above it: fix the indentation, or "+
				"put the text in quotes")
		}
		if breaks == 1 {
			b.WriteByte(' ')
		} else {
			b.WriteString(strings.Repeat("\n", breaks-1))
		}
		text := strings.TrimRight(r.src[i:stop], " \t")
		b.WriteString(text)
		r.i, r.ls = i+len(text), ls
		if r.char(stop) != '\n' {
			return b.String(), true
		}
	}
}

// quoted reads a string in single or double quotes.
func (r *reader) quoted(parent int) (*Node, bool) {
	start := r.i
	n := r.node(Text, start)
	if n == nil {
		return nil, false
	}
	quote := r.char(start)
	n.Style = Single
	if quote == '"' {
		n.Style = Double
	}
	var b []byte
	kept := 0 // b[kept:] is white space, which a line end removes
	lines := 1
	r.i++
	for {
		switch c := r.char(r.i); {
		case c == 0:
			return nil, r.unclosed(start, quote)
		case c == quote && quote == '\'' && r.char(r.i+1) == quote:
			b, r.i = append(b, quote), r.i+2
			kept = len(b)
		case c == quote:
			r.i++
			n.Text = string(b)
			if lines == 1 {
				n.raw = r.src[start:r.i]
			}
			return n, true
		case c == '\\' && quote == '"' && r.char(r.i+1) == '\n':
			// An escaped line end joins the lines without a space.
			r.i++
			breaks, ok := r.fold(parent)
			if !ok {
				return nil, r.unclosed(start, quote)
			}
			b = append(b, strings.Repeat("\n", breaks-1)...)
			kept = len(b)
			lines++
		case c == '\\' && quote == '"':
			var ok bool
			if b, ok = r.escape(b); !ok {
				return nil, false
			}
			kept = len(b)
		case c == '\n':
			b = b[:kept]
			breaks, ok := r.fold(parent)
			if !ok {
				return nil, r.unclosed(start, quote)
			}
			if breaks == 1 {
				b = append(b, ' ')
			} else {
				b = append(b, strings.Repeat("\n", breaks-1)...)
			}
			kept = len(b)
			lines++
		case c == ' ' || c == '\t':
			b, r.i = append(b, c), r.i+1
		default:
			b, r.i = append(b, c), r.i+1
			kept = len(b)
		}
	}
}

// fold skips a line end, empty lines and the white space before the next text, and counts the line ends.
func (r *reader) fold(parent int) (breaks int, ok bool) {
	for r.char(r.i) == '\n' {
		r.newLine()
		breaks++
		r.spaces()
	}
	spaces, first := r.lineIndent(r.ls)
	return breaks, first != 0 && spaces > parent
}

func (r *reader) unclosed(start int, quote byte) bool {
	return r.bad(start, "the %c that starts here is not closed: a quoted text ends where a line is not indented "+
		"more than its key", quote)
}

// escapes of one character in double quotes.
var escapes = map[byte]rune{
	'0': 0, 'a': 7, 'b': 8, 't': 9, '\t': 9, 'n': 10, 'v': 11, 'f': 12, 'r': 13, 'e': 27, ' ': ' ',
	'"': '"', '/': '/', '\\': '\\',
	'N': 0x85, '_': 0xA0, 'L': 0x2028, 'P': 0x2029,
}

// escape reads a backslash escape.
func (r *reader) escape(b []byte) ([]byte, bool) {
	at := r.i
	c := r.char(at + 1)
	if char, ok := escapes[c]; ok {
		r.i += 2
		return utf8.AppendRune(b, char), true
	}
	digits := 0
	switch c {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		return b, r.bad(at, `\%s is not a valid escape in double quotes: write \\ for a backslash, or use single quotes`,
			r.charText(at+1))
	}
	char, ok := r.hex(at+2, digits)
	if !ok {
		return b, r.bad(at, `\%c needs %d hexadecimal digits after it`, c, digits)
	}
	r.i = at + 2 + digits
	if c == 'u' && char >= 0xD800 && char < 0xE000 {
		low, ok := rune(0), r.char(r.i) == '\\' && r.char(r.i+1) == 'u'
		if ok {
			low, ok = r.hex(r.i+2, 4)
		}
		if !ok || char >= 0xDC00 || low < 0xDC00 || low >= 0xE000 {
			return b, r.bad(at, `\u%04x is only half of a character: the other half must follow`, char)
		}
		char = (char-0xD800)<<10 + low - 0xDC00 + 0x10000
		r.i += 6
	}
	if !utf8.ValidRune(char) {
		return b, r.bad(at, "there is no character with this number")
	}
	return utf8.AppendRune(b, char), true
}

func (r *reader) charText(i int) string {
	_, size := utf8.DecodeRuneInString(r.src[i:r.end])
	return r.src[i : i+size]
}

func (r *reader) hex(i, digits int) (rune, bool) {
	var n uint32
	for ; digits > 0; digits, i = digits-1, i+1 {
		c := r.char(i)
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | uint32(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			n = n<<4 | uint32(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return rune(n), n <= utf8.MaxRune
}
