package tree

import "strings"

// keyAhead reports whether a key and its colon begin at the cursor.
func (r *reader) keyAhead() bool { return r.colonAhead() >= 0 }

// colonAhead finds the colon of a key that begins at the cursor, or -1. A key is on one line.
func (r *reader) colonAhead() int {
	switch c := r.char(r.i); {
	case c == '"' || c == '\'':
		i := r.quoteEnd(r.i)
		if i < 0 {
			return -1
		}
		for r.char(i) == ' ' || r.char(i) == '\t' {
			i++
		}
		if r.char(i) == ':' && r.blankAt(i+1) {
			return i
		}
	case r.plainStart(r.i, false):
		if i := r.plainLine(r.i, false); r.char(i) == ':' {
			return i
		}
	}
	return -1
}

// quoteEnd is the offset after a quoted string on one line, or -1.
func (r *reader) quoteEnd(i int) int {
	quote := r.char(i)
	for i++; r.char(i) != '\n' && i < r.end; i++ {
		switch c := r.char(i); {
		case c == '\\' && quote == '"':
			i++
		case c == quote && quote == '\'' && r.char(i+1) == quote:
			i++
		case c == quote:
			return i + 1
		}
	}
	return -1
}

// key reads a key and its colon, which keyAhead has found.
func (r *reader) key() (string, bool) {
	colon := r.colonAhead()
	var text string
	if c := r.char(r.i); c == '"' || c == '\'' {
		n, ok := r.quoted(-1)
		r.nodes-- // keys do not count
		if !ok {
			r.i = colon + 1
			return "", false
		}
		text = n.Text
	} else {
		text = strings.TrimRight(r.src[r.i:colon], " \t")
	}
	r.i = colon + 1
	return text, true
}
