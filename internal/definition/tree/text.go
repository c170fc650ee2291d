package tree

import "strings"

// blockText reads a block scalar after | or >, line by line.
func (r *reader) blockText(parent int) (*Node, bool) {
	n := r.node(Text, r.i)
	if n == nil {
		return nil, false
	}
	n.Style = Literal
	if r.char(r.i) == '>' {
		n.Style = Folded
	}
	r.i++
	given, chomp, ok := r.textHeader()
	if !ok {
		return nil, false
	}
	n.indent = max(parent, 0) + given
	if given == 0 {
		if n.indent, ok = r.textIndent(parent); !ok {
			return nil, false
		}
	}
	lines, last := r.textLines(n.indent)
	empty := 0
	for empty < len(lines) && lines[len(lines)-1-empty] == "" {
		empty++
	}
	body := lines[:len(lines)-empty]
	if n.Style == Literal {
		n.Text = strings.Join(body, "\n")
	} else {
		n.Text = foldLines(body)
	}
	switch {
	case chomp == '-':
	case chomp == '+' && len(body) > 0:
		n.Text += strings.Repeat("\n", empty)
		if last {
			n.Text += "\n"
		}
	case chomp == '+' && last:
		n.Text = strings.Repeat("\n", empty)
	case chomp == '+' && empty > 0:
		n.Text = strings.Repeat("\n", empty-1)
	case len(body) > 0 && (last || empty > 0):
		n.Text += "\n"
	}
	return n, true
}

// textHeader reads the indicators after | or >: the indentation, and the handling of trailing line ends.
func (r *reader) textHeader() (indent int, chomp byte, ok bool) {
	for {
		c := r.char(r.i)
		switch {
		case c >= '1' && c <= '9' && indent == 0:
			indent = int(c - '0')
		case (c == '-' || c == '+') && chomp == 0:
			chomp = c
		default:
			r.spaces()
			if r.comment() || r.endOfLine() {
				if r.char(r.i) == '\n' {
					r.newLine()
				}
				return indent, chomp, true
			}
			return 0, 0, r.bad(r.i, "the text starts on the line after | or >, not next to it")
		}
		r.i++
	}
}

// textIndent finds the indentation of a block scalar: that of its first line.
func (r *reader) textIndent(parent int) (int, bool) {
	deepest, deepestAt := 0, 0
	for i := r.i; i < r.end; {
		k := i
		for r.char(k) == ' ' {
			k++
		}
		if c := r.char(k); c != '\n' && c != 0 {
			indent := k - i
			switch {
			case indent <= parent:
				return parent + 1, true // no text
			case deepest > indent:
				return 0, r.bad(deepestAt, "this empty line is indented more than the text below it")
			}
			return indent, true
		}
		if k-i > deepest {
			deepest, deepestAt = k-i, i
		}
		i = k + 1
	}
	return max(parent+1, deepest), true
}

// textLines reads the lines of a block scalar, without their indentation. last reports whether the last one ends
// in a line end.
func (r *reader) textLines(indent int) (lines []string, last bool) {
	for r.i < r.end {
		i := r.i
		for i-r.i < indent && r.char(i) == ' ' {
			i++
		}
		if c := r.char(i); i-r.i < indent && c != '\n' && c != 0 {
			break // the enclosing block continues
		}
		var stop int
		if k := strings.IndexByte(r.src[i:r.end], '\n'); k >= 0 {
			stop, last = i+k, true
		} else {
			stop, last = r.end, false
		}
		lines = append(lines, r.src[i:stop])
		r.i = stop
		if last {
			r.newLine()
		}
	}
	return lines, last
}

// foldLines joins lines with spaces. Empty lines become line ends, and lines that are indented further keep
// theirs.
func foldLines(lines []string) string {
	var b strings.Builder
	breaks, deep := 0, true // before the first line every line end counts
	for i, line := range lines {
		if line == "" {
			breaks++
			continue
		}
		further := line[0] == ' ' || line[0] == '\t'
		switch {
		case i == 0:
		case b.Len() == 0:
			b.WriteString(strings.Repeat("\n", breaks))
		case further || deep:
			b.WriteString(strings.Repeat("\n", breaks+1))
		case breaks == 0:
			b.WriteByte(' ')
		default:
			b.WriteString(strings.Repeat("\n", breaks))
		}
		b.WriteString(line)
		breaks, deep = 0, further
	}
	return b.String()
}
