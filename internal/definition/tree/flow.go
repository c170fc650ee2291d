package tree

import "strings"

// flow reads a list or mapping in brackets. Lines inside may have any indentation deeper than the key they belong
// to; only a closing bracket may be in the key's own column.
func (r *reader) flow(parent int) (*Node, bool) {
	start, open := r.i, r.char(r.i)
	kind, closing := List, byte(']')
	if open == '{' {
		kind, closing = Map, '}'
	}
	n := r.enter(kind, start)
	if n == nil {
		return nil, false
	}
	defer func() { r.depth-- }()
	var seen map[string]Pos
	if kind == Map {
		seen = map[string]Pos{}
	}
	r.i++
	for {
		if !r.flowSkip(parent) {
			return nil, r.bad(start, "the %c that starts here is not closed", open)
		}
		if r.char(r.i) == closing {
			r.i++
			return n, true
		}
		var ok bool
		if kind == List {
			ok = r.flowItem(n, parent)
		} else {
			ok = r.flowPair(n, parent, seen)
		}
		if !ok {
			return nil, false
		}
		if !r.flowSkip(parent) {
			return nil, r.bad(start, "the %c that starts here is not closed", open)
		}
		switch c := r.char(r.i); {
		case c == ',':
			r.i++
		case c != closing && kind == List:
			return nil, r.bad(r.i, "expected a comma or ]")
		case c != closing:
			return nil, r.bad(r.i, "expected a comma or }")
		}
	}
}

// flowSkip moves to the next token inside brackets and reports whether there is one before the enclosing block
// continues.
func (r *reader) flowSkip(parent int) bool {
	line := r.ls
	if !r.skip() {
		return false
	}
	if r.ls == line {
		return true
	}
	c := r.char(r.i)
	return r.column() > parent || c == ']' || c == '}'
}

// flowItem reads one entry of a list in brackets. [a: b] is a list of one
// mapping.
func (r *reader) flowItem(n *Node, parent int) bool {
	start, line := r.i, r.ls
	at := r.at(start)
	item, ok := r.flowNode(parent)
	if !ok {
		return false
	}
	end, ls := r.i, r.ls
	if r.ls == line && r.skip() && r.ls == line && r.colon(item) {
		if item.Kind >= List {
			return r.bad(start, "a key must be a text")
		}
		pair := r.enter(Map, start)
		if pair == nil {
			return false
		}
		r.i++
		r.nodes-- // keys do not count
		v, ok := r.flowValue(parent)
		r.depth--
		if !ok {
			return false
		}
		pair.Pos = at
		pair.Members = []Member{{Key: item.Text, Pos: at, Value: v}}
		item = pair
	} else {
		if r.i, r.ls = end, ls; !r.settle(item, start) {
			return false
		}
	}
	n.Items = append(n.Items, item)
	return true
}

// flowPair reads one key and its value in braces. A key alone has no value.
func (r *reader) flowPair(n *Node, parent int, seen map[string]Pos) bool {
	start := r.i
	at := r.at(start)
	if r.char(start) == '?' && r.blankAt(start+1) {
		return !r.complexKey()
	}
	key, ok := r.flowNode(parent)
	if !ok {
		return false
	}
	if key.Kind >= List {
		return r.bad(start, "a key must be a text")
	}
	text := key.Text
	if text == "<<" && key.Style == Plain {
		return r.bad(start, "merge keys are not supported: write the keys out")
	}
	if !r.flowSkip(parent) {
		return true // not closed: reported by the caller
	}
	r.nodes-- // keys do not count
	if !r.colon(key) {
		if k := strings.IndexByte(text, ':'); k >= 0 && key.Style == Plain {
			return r.bad(start, "put a space after the colon: %s: %s", shorten(text[:k]), shorten(text[k+1:]))
		}
		v, ok := r.nothing(r.i)
		return ok && r.member(n, seen, text, at, v)
	}
	r.i++
	v, ok := r.flowValue(parent)
	return ok && r.member(n, seen, text, at, v)
}

// colon reports whether the colon of a key is at the cursor. After a quoted key it needs no space: {"a":1}.
func (r *reader) colon(key *Node) bool {
	if r.char(r.i) != ':' {
		return false
	}
	return key.Style != Plain || key.Kind >= List || r.blankAt(r.i+1) || strings.IndexByte(",[]{}", r.char(r.i+1)) >= 0
}

func (r *reader) flowValue(parent int) (*Node, bool) {
	behind := r.i
	if r.flowSkip(parent) {
		if c := r.char(r.i); c != ',' && c != ']' && c != '}' {
			start := r.i
			n, ok := r.flowNode(parent)
			return n, ok && r.settle(n, start)
		}
	}
	return r.nothing(behind)
}

// flowNode reads one value or key inside brackets; plain scalars are not resolved yet.
func (r *reader) flowNode(parent int) (*Node, bool) {
	switch c := r.char(r.i); {
	case c == '[' || c == '{':
		return r.flow(parent)
	case c == '"' || c == '\'':
		return r.quoted(parent)
	case r.plainStart(r.i, true):
		return r.plain(parent, true)
	case c == '|' || c == '>':
		return nil, r.bad(r.i, "texts over several lines (%c) are not allowed in brackets: use double quotes", c)
	}
	return nil, r.badStart()
}
