package tree

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/phrase"
)

// reader walks the text of one file. Its methods read one element at the cursor and report success; on failure, the
// problem is recorded and the enclosing mapping or list continues after it.
type reader struct {
	*Source
	src   string
	i     int // the cursor
	end   int // of the document
	ls    int // where the cursor's line starts
	depth int
	nodes int

	problems []Problem
	told     int  // problems of this document
	dead     bool // a limit is reached: reading stops

	mark mark
}

// mark is a place whose line and column are known.
type mark struct{ i, line, column int }

// at is the position of an offset. Positions are mostly requested in order, so counting continues from the last
// one.
func (r *reader) at(i int) Pos {
	m := r.mark
	if i < m.i {
		start := strings.LastIndexByte(r.src[:i], '\n') + 1
		m = mark{start, m.line - strings.Count(r.src[start:m.i], "\n"), 1}
	}
	for k := strings.IndexByte(r.src[m.i:i], '\n'); k >= 0; k = strings.IndexByte(r.src[m.i:i], '\n') {
		m = mark{m.i + k + 1, m.line + 1, 1}
	}
	m.column += utf8.RuneCountInString(r.src[m.i:i])
	m.i = i
	r.mark = m
	return Pos{m.line, m.column}
}

// bad records a problem at an offset; its result is false, for returning.
func (r *reader) bad(i int, format string, args ...any) bool {
	if r.dead {
		return false
	}
	if r.told++; r.told > problemsMax {
		r.dead = true
		r.problems = append(r.problems, Problem{r.at(i), "there are more problems after this one: fix these first"})
		return false
	}
	r.problems = append(r.problems, Problem{r.at(i), fmt.Sprintf(format, args...)})
	return false
}

// stop records a problem that ends the reading of the file.
func (r *reader) stop(i int, format string, args ...any) bool {
	r.bad(i, format, args...)
	r.dead = true
	return false
}

// node creates a node at an offset, or returns nil if there are too many.
func (r *reader) node(k Kind, i int) *Node {
	if r.dead {
		return nil
	}
	if r.nodes++; r.nodes > NodesMax {
		r.stop(i, "the file contains more than %d values: split it", NodesMax)
		r.nodes = NodesMax // nothing more is read
		return nil
	}
	return &Node{Kind: k, Pos: r.at(i), Source: r.Source}
}

// enter creates the node of a mapping or list and counts the depth.
func (r *reader) enter(k Kind, i int) *Node {
	if r.depth >= DepthMax {
		r.stop(i, "mappings and lists are nested more than %d levels deep", DepthMax)
		return nil
	}
	n := r.node(k, i)
	if n != nil {
		r.depth++
	}
	return n
}

// member adds a key to a mapping unless it exists.
func (r *reader) member(n *Node, seen map[string]Pos, key string, at Pos, v *Node) bool {
	if first, twice := seen[key]; twice {
		r.told++
		r.problems = append(r.problems, Problem{at,
			fmt.Sprintf("duplicate key %q: the first is in line %d, column %d", shorten(key),
				first.Line, first.Column)})
		return false
	}
	seen[key] = at
	n.Members = append(n.Members, Member{Key: key, Pos: at, Value: v})
	return true
}

func shorten(s string) string {
	return phrase.Clip(s, 40)
}

// char is the byte at an offset, or 0 at the end of the document. No file with
// zero bytes gets here.
func (r *reader) char(i int) byte {
	if i < r.end {
		return r.src[i]
	}
	return 0
}

// blankAt reports whether white space, a line end or nothing is at an offset.
func (r *reader) blankAt(i int) bool {
	switch r.char(i) {
	case ' ', '\t', '\n', 0:
		return true
	}
	return false
}

func (r *reader) endOfLine() bool { c := r.char(r.i); return c == '\n' || c == 0 }

// column is the distance of the cursor from the start of its line. It is only compared where nothing but spaces
// and dashes precede it.
func (r *reader) column() int { return r.i - r.ls }

// fresh reports whether the cursor is at the first token of its line.
func (r *reader) fresh() bool { return strings.Trim(r.src[r.ls:r.i], " \t") == "" }

// spaces skips white space within the line.
func (r *reader) spaces() {
	for r.char(r.i) == ' ' || r.char(r.i) == '\t' {
		r.i++
	}
}

// comment skips a comment and reports whether there was one. It needs a preceding space; otherwise it is part of
// the scalar.
func (r *reader) comment() bool {
	if r.char(r.i) != '#' || r.i > r.ls && r.src[r.i-1] != ' ' && r.src[r.i-1] != '\t' {
		return false
	}
	r.toLineEnd()
	return true
}

func (r *reader) toLineEnd() {
	if k := strings.IndexByte(r.src[r.i:r.end], '\n'); k >= 0 {
		r.i += k
		return
	}
	r.i = r.end
}

// newLine skips the line end at the cursor.
func (r *reader) newLine() {
	r.i++
	r.ls = r.i
}

// skip moves to the next token, over any number of lines, and reports whether there is one.
func (r *reader) skip() bool {
	for {
		r.spaces()
		r.comment()
		if r.char(r.i) != '\n' {
			return r.i < r.end
		}
		r.newLine()
	}
}

// lineIndent measures the line at an offset: the number of spaces, and the character after them (0: none).
func (r *reader) lineIndent(start int) (spaces int, first byte) {
	i := start
	for r.char(i) == ' ' {
		i++
	}
	spaces = i - start
	for r.char(i) == ' ' || r.char(i) == '\t' {
		i++
	}
	if first = r.char(i); first == '\n' {
		first = 0
	}
	return spaces, first
}

// recover skips an element that could not be read and began in the line at ls: it continues at the next line that
// is not indented deeper than col.
func (r *reader) recover(col, ls int) {
	if spaces, first := r.lineIndent(r.ls); r.ls > ls && first != 0 && spaces <= col && r.fresh() &&
		r.char(r.ls+spaces) != '\t' {
		r.i = r.ls + spaces // the unclosed element ended here
		return
	}
	for r.i < r.end && !r.dead {
		r.toLineEnd()
		if r.i == r.end {
			return
		}
		r.newLine()
		spaces, first := r.lineIndent(r.i)
		if first == 0 || first == '#' || first == ']' || first == '}' || spaces > col {
			continue
		}
		r.i += spaces
		return
	}
}
