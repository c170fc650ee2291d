package value

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// Canonical returns the canonical form: keys sorted by their unescaped bytes, the last of equal keys only, no
// whitespace. Numbers and strings stay exactly as written, so 1.0 and 1 are different content: an approval of
// one is not an approval of the other. Invalid JSON is returned unchanged. The result may be raw itself.
func Canonical(raw json.RawMessage) []byte {
	doc, err := Compact(raw)
	if err != nil {
		return raw
	}
	c := canon{raw: doc}
	c.index(0)
	if len(c.objects) == 0 {
		return doc
	}
	slices.SortFunc(c.objects, func(a, b object) int { return cmp.Compare(a.start, b.start) })
	return c.write(make([]byte, 0, len(doc)), 0, len(doc))
}

// Equal reports whether a and b have the same canonical form.
func Equal(a, b json.RawMessage) bool {
	return bytes.Equal(a, b) || bytes.Equal(Canonical(a), Canonical(b))
}

// canon works in two passes over compact JSON, so that the cost does not grow with the depth: index finds the
// objects whose members must move, write copies everything between them unchanged.
type canon struct {
	raw     []byte
	stack   []field
	objects []object
}

// object is one whose text is not canonical already.
type object struct {
	start, end int
	fields     []field // sorted, each key once
}

type field struct {
	key        []byte
	start, end int // of the value
}

func (c *canon) index(i int) int {
	switch {
	case i >= len(c.raw):
		return i
	case c.raw[i] == '{':
		return c.indexObject(i)
	case c.raw[i] == '[':
		for i++; i < len(c.raw) && c.raw[i] != ']'; {
			if i = c.index(i); i < len(c.raw) && c.raw[i] == ',' {
				i++
			}
		}
		return i + 1
	}
	return skipValue(c.raw, i)
}

func (c *canon) indexObject(start int) int {
	mark, moved := len(c.stack), false
	i := start + 1
	for c.raw[i] != '}' {
		colon := skipText(c.raw, i)
		lit := c.raw[i:colon]
		f := field{key: keyOf(lit), start: colon + 1}
		moved = moved || !asWritten(lit, f.key)
		if n := len(c.stack); !moved && n > mark && bytes.Compare(c.stack[n-1].key, f.key) >= 0 {
			moved = true
		}
		at := len(c.stack)
		c.stack = append(c.stack, f)
		i = c.index(f.start)
		c.stack[at].end = i
		if c.raw[i] == ',' {
			i++
		}
	}
	if moved {
		c.objects = append(c.objects, object{start: start, end: i + 1, fields: sorted(c.stack[mark:])})
	}
	c.stack = c.stack[:mark]
	return i + 1
}

// asWritten reports whether a key's literal is the one appendKey would write.
func asWritten(lit, key []byte) bool {
	if bytes.IndexByte(lit, '\\') < 0 && bytes.IndexByte(lit, 0xED) < 0 {
		return true
	}
	return bytes.Equal(lit, appendKey(nil, key))
}

func sorted(in []field) []field {
	out := slices.Clone(in)
	slices.SortStableFunc(out, func(a, b field) int { return bytes.Compare(a.key, b.key) })
	n := 0
	for i, f := range out {
		if i+1 < len(out) && bytes.Equal(f.key, out[i+1].key) {
			continue
		}
		out[n] = f
		n++
	}
	return out[:n]
}

// write appends raw[from:to] in canonical form.
func (c *canon) write(dst []byte, from, to int) []byte {
	for {
		k, _ := slices.BinarySearchFunc(c.objects, from, func(o object, at int) int { return cmp.Compare(o.start, at) })
		if k == len(c.objects) || c.objects[k].start >= to {
			return append(dst, c.raw[from:to]...)
		}
		o := c.objects[k]
		dst = append(append(dst, c.raw[from:o.start]...), '{')
		for i, f := range o.fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendKey(dst, f.key), ':')
			if c.raw[f.start] == '{' || c.raw[f.start] == '[' {
				dst = c.write(dst, f.start, f.end)
			} else {
				dst = append(dst, c.raw[f.start:f.end]...)
			}
		}
		dst = append(dst, '}')
		from = o.end
	}
}
