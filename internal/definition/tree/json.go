package tree

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// json reads a JSON file: one document, or a list of them. It stops at the first error, because everything after
// one is a guess, and keeps what precedes it.
func (r *reader) json() []Document {
	if !r.jsonSpace() {
		return nil
	}
	root := r.jsonValue()
	if !r.dead && r.jsonSpace() {
		r.bad(r.i, "unexpected text after the end of the document: write several documents as a list, [ … ]")
	}
	broken := root == nil || len(r.problems) > 0
	if root == nil || root.Kind != List {
		return []Document{{Root: root, Broken: broken}}
	}
	var docs []Document
	for i, item := range root.Items {
		if i == DocumentsMax {
			r.problems = append(r.problems, Problem{item.Pos,
				fmt.Sprintf("the file contains more than %d documents: split it", DocumentsMax)})
			break
		}
		docs = append(docs, Document{Root: item, Broken: broken})
	}
	return docs
}

// jsonSpace skips white space and reports whether there is more.
func (r *reader) jsonSpace() bool {
	for r.i < r.end && strings.IndexByte(" \t\n", r.src[r.i]) >= 0 {
		r.i++
	}
	return r.i < r.end
}

// jsonValue reads one value, or records why it cannot.
func (r *reader) jsonValue() *Node {
	switch c := r.char(r.i); {
	case c == '{':
		return r.jsonObject()
	case c == '[':
		return r.jsonArray()
	case c == '"':
		return r.jsonText()
	case c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z':
		return r.jsonWord()
	case c == 0:
		r.stop(r.i, "the file ends where a value is expected")
	case c == '\'':
		r.stop(r.i, "texts must be in double quotes")
	case c == '/' || c == '#':
		r.stop(r.i, "JSON has no comments: remove them, or write YAML")
	case c == ',' || c == '}' || c == ']':
		r.stop(r.i, "a value is missing before this %c", c)
	default:
		r.stop(r.i, "expected a value, found %s", r.charText(r.i))
	}
	return nil
}

// jsonWord reads a number, true, false or null.
func (r *reader) jsonWord() *Node {
	start := r.i
	for c := r.char(r.i); c == '-' || c == '+' || c == '.' || c == '_' || c >= '0' && c <= '9' ||
		c|0x20 >= 'a' && c|0x20 <= 'z'; c = r.char(r.i) {
		r.i++
	}
	word := r.src[start:r.i]
	n := r.node(Null, start)
	switch {
	case n == nil:
	case word == "null":
	case word == "true" || word == "false":
		n.Kind, n.Text = Bool, word
	case jsonNumber.MatchString(word):
		n.Kind, n.Text = Number, word
	case word[0] == '-' || word[0] >= '0' && word[0] <= '9':
		r.stop(start, "%s is not a valid JSON number", shorten(word))
		return nil
	default:
		r.stop(start, "a text must be in double quotes: %q", shorten(word))
		return nil
	}
	return n
}

func (r *reader) jsonText() *Node {
	start := r.i
	n := r.node(Text, start)
	if n == nil {
		return nil
	}
	n.Style = Double
	var b []byte
	for r.i++; ; {
		switch c := r.char(r.i); {
		case c == 0 || c == '\n':
			r.stop(start, `the " that starts here is not closed in its line: write \n for a line end`)
			return nil
		case c == '"':
			r.i++
			n.Text, n.raw = string(b), r.src[start:r.i]
			return n
		case c == '\t':
			r.stop(r.i, `a tab in a text is written \t`)
			return nil
		case c == '\\' && strings.IndexByte(`"\/bfnrtu`, r.char(r.i+1)) < 0:
			r.stop(r.i, `\%s is not a valid escape in JSON: write \\ for a backslash`, r.charText(r.i+1))
			return nil
		case c == '\\':
			var ok bool
			if b, ok = r.escape(b); !ok {
				r.dead = true
				return nil
			}
		case c < utf8.RuneSelf:
			b = append(b, c)
			r.i++
		default:
			_, size := utf8.DecodeRuneInString(r.src[r.i:])
			b = append(b, r.src[r.i:r.i+size]...)
			r.i += size
		}
	}
}

func (r *reader) jsonArray() *Node {
	n := r.enter(List, r.i)
	if n == nil {
		return nil
	}
	defer func() { r.depth-- }()
	start := r.i
	r.i++
	for first := true; r.jsonSpace(); first = false {
		if c := r.char(r.i); c == ']' && first {
			r.i++
			return n
		}
		if item := r.jsonValue(); item != nil {
			n.Items = append(n.Items, item)
		}
		if r.dead || r.jsonNext(']') {
			return n
		}
	}
	r.stop(start, "the [ that starts here is not closed")
	return n
}

func (r *reader) jsonObject() *Node {
	n := r.enter(Map, r.i)
	if n == nil {
		return nil
	}
	defer func() { r.depth-- }()
	start := r.i
	seen := map[string]Pos{}
	r.i++
	for first := true; r.jsonSpace(); first = false {
		if c := r.char(r.i); c == '}' && first {
			r.i++
			return n
		}
		if !r.jsonMember(n, seen) || r.jsonNext('}') {
			return n
		}
	}
	r.stop(start, "the { that starts here is not closed")
	return n
}

// jsonMember reads one key and its value.
func (r *reader) jsonMember(n *Node, seen map[string]Pos) bool {
	if r.char(r.i) != '"' {
		return r.stop(r.i, "expected a key in double quotes")
	}
	key := r.jsonText()
	if key == nil {
		return false
	}
	r.nodes-- // keys do not count
	if !r.jsonSpace() || r.char(r.i) != ':' {
		return r.stop(r.i, "expected a colon after the key %q", shorten(key.Text))
	}
	r.i++
	r.jsonSpace()
	if v := r.jsonValue(); v != nil {
		r.member(n, seen, key.Text, key.Pos, v)
	}
	return !r.dead
}

// jsonNext skips a comma, or the end of a list or object, and reports whether it was the end.
func (r *reader) jsonNext(closing byte) bool {
	if !r.jsonSpace() {
		return false // reported by the caller
	}
	switch c := r.char(r.i); {
	case c == closing:
		r.i++
		return true
	case c != ',':
		r.stop(r.i, "expected a comma or %c", closing)
		return true
	}
	comma := r.i
	r.i++
	if r.jsonSpace() && r.char(r.i) == closing {
		r.stop(comma, "unexpected comma before the %c", closing)
		return true
	}
	return false
}
