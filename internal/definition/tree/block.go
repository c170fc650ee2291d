package tree

import "strings"

// block reads the node at the cursor: a list, a mapping or a single value.
// parent is the column of the mapping or list it belongs to, -1 at the top.
func (r *reader) block(parent int) (*Node, bool) {
	for r.feature() {
		if !r.skip() || r.fresh() && r.column() <= parent {
			return nil, false
		}
	}
	switch {
	case r.dead || r.tabbed():
		return nil, false
	case parent < 0 && !r.fresh() && (r.dash() || r.keyAhead()):
		return nil, r.bad(r.i, "start this on the line after ---")
	case r.dash():
		return r.list(r.column(), false)
	case r.complexKey():
		return nil, false
	case r.keyAhead():
		return r.mapping(r.column())
	}
	return r.single(parent)
}

// single reads a value that is not a block mapping or list, and checks that nothing follows it on its line.
func (r *reader) single(parent int) (*Node, bool) {
	n, ok := r.inline(parent)
	if !ok {
		return n, false
	}
	if n.Style == Literal || n.Style == Folded {
		return n, true
	}
	r.spaces()
	switch {
	case r.endOfLine() || r.comment():
		return n, true
	case r.char(r.i) == ':' && r.blankAt(r.i+1) && n.Kind >= List:
		return nil, r.bad(r.i, "a key must be a text")
	case r.char(r.i) == ':' && r.blankAt(r.i+1):
		return nil, r.bad(r.i, "a key must be on one line")
	case r.char(r.i) == '#':
		return nil, r.bad(r.i, "put a space before the comment")
	}
	return nil, r.bad(r.i, "unexpected text after the value: put all of it in quotes, or remove the rest")
}

// mapping reads key: value pairs that begin in the same column.
func (r *reader) mapping(col int) (*Node, bool) {
	n := r.enter(Map, r.i)
	if n == nil {
		return nil, false
	}
	defer func() { r.depth-- }()
	seen := map[string]Pos{}
	for !r.dead {
		if line := r.ls; !r.pair(n, col, seen) {
			r.recover(col, line)
		}
		if !r.more(col) {
			break
		}
		for !r.dead && !r.entryKey(col) {
			if r.recover(col, r.ls); !r.more(col) {
				return n, true
			}
		}
	}
	return n, true
}

// more moves to the next line with content and reports whether it belongs to a mapping or list in this column,
// even if it is misplaced.
func (r *reader) more(col int) bool {
	return r.skip() && !r.dead && r.column() >= col
}

// entryKey checks that a key of a mapping begins at the cursor.
func (r *reader) entryKey(col int) bool {
	switch {
	case r.tabbed():
	case r.column() > col:
		r.bad(r.i, "this line is indented more than the keys around it, which start in column %d", col+1)
	case r.dash():
		r.bad(r.i, "expected a key, found a list item: indent it under the key it belongs to")
	case r.feature() || r.complexKey():
	case r.keyAhead():
		return true
	case r.char(r.i) == ':' && r.blankAt(r.i+1):
		r.bad(r.i, "the key before the colon is missing")
	default:
		r.bad(r.i, "expected a key, a colon and a space: key: value")
	}
	return false
}

// pair reads one key and its value.
func (r *reader) pair(n *Node, col int, seen map[string]Pos) bool {
	start := r.i
	key, ok := r.key()
	if !ok {
		return false
	}
	at := r.at(start)
	if key == "<<" && r.src[start] == '<' {
		return r.bad(start, "merge keys are not supported: write the keys out")
	}
	v, ok := r.valueOf(col)
	if v == nil {
		return false
	}
	return r.member(n, seen, key, at, v) && ok
}

// valueOf reads the value after a colon, on its line or below.
func (r *reader) valueOf(col int) (*Node, bool) {
	behind := r.i
	r.spaces()
	for r.feature() {
		r.spaces()
	}
	if r.endOfLine() || r.comment() {
		more := r.skip()
		switch {
		case more && r.column() > col:
			return r.block(col)
		case more && r.column() == col && r.dash() && !r.tabbed():
			return r.list(col, true)
		}
		return r.nothing(behind)
	}
	switch {
	case r.dash():
		return nil, r.bad(r.i, "a list starts on the line after its key; if this is a text, put it in quotes")
	case r.complexKey():
		return nil, false
	case r.keyAhead():
		colon := r.colonAhead()
		return nil, r.bad(colon, "this line has a second colon: put the text in quotes, or start the "+
			"mapping on the next line")
	}
	return r.single(col)
}

// nothing is the value of a key without one.
func (r *reader) nothing(at int) (*Node, bool) {
	n := r.node(Null, at)
	if n == nil {
		return nil, false
	}
	n.silent = true
	return n, true
}

// list reads entries whose dashes are in the same column. Below a key they may be in the key's own column: then a
// key ends the list.
func (r *reader) list(col int, below bool) (*Node, bool) {
	n := r.enter(List, r.i)
	if n == nil {
		return nil, false
	}
	defer func() { r.depth-- }()
	for !r.dead {
		line := r.ls
		item, ok := r.entry(col)
		if item != nil {
			n.Items = append(n.Items, item)
		}
		if !ok {
			r.recover(col, line)
		}
		if !r.more(col) {
			break
		}
		for !r.dead && !(r.dash() && r.column() == col) {
			switch {
			case below && r.column() == col:
				return n, true
			case r.tabbed():
			case r.column() > col:
				r.bad(r.i, "this line is indented more than the items around it, whose dashes are in column %d", col+1)
			default:
				r.bad(r.i, "expected a list item: start it with a dash and a space")
			}
			if r.recover(col, r.ls); !r.more(col) {
				return n, true
			}
		}
	}
	return n, true
}

// entry reads one dash and the value after or below it.
func (r *reader) entry(col int) (*Node, bool) {
	r.i++
	behind := r.i
	r.spaces()
	for r.feature() {
		r.spaces()
	}
	if r.endOfLine() || r.comment() {
		if r.skip() && r.column() > col {
			return r.block(col)
		}
		return r.nothing(behind)
	}
	nested := r.dash() || r.keyAhead()
	if nested && strings.Contains(r.src[behind:r.i], "\t") {
		return nil, r.bad(behind, "tabs cannot indent: use spaces")
	}
	return r.block(col)
}

// dash reports whether an entry of a list begins at the cursor.
func (r *reader) dash() bool { return r.char(r.i) == '-' && r.blankAt(r.i+1) }

// complexKey refuses ? keys.
func (r *reader) complexKey() bool {
	if r.char(r.i) != '?' || !r.blankAt(r.i+1) {
		return false
	}
	r.bad(r.i, "keys after a question mark are not supported: write key: value")
	return true
}

// tabbed refuses tabs before the first token of a line.
func (r *reader) tabbed() bool {
	if !r.fresh() {
		return false
	}
	k := strings.IndexByte(r.src[r.ls:r.i], '\t')
	if k < 0 {
		return false
	}
	r.bad(r.ls+k, "tabs cannot indent: use spaces")
	return true
}

// feature refuses anchors, aliases and tags and skips them, so that the rest can be checked as well.
func (r *reader) feature() bool {
	start := r.i
	switch r.char(r.i) {
	case '&':
		r.bad(start, "anchors (&name) are not supported: write the value out where it is needed")
	case '*':
		r.bad(start, "aliases (*name) are not supported: write the value out; put a text that starts with * in quotes")
	case '!':
		r.bad(start, "tags (!name) are not supported: remove it; put a text that starts with ! in quotes")
	default:
		return false
	}
	for !r.blankAt(r.i) && !strings.ContainsRune(",[]{}", rune(r.char(r.i))) {
		r.i++
	}
	return true
}
