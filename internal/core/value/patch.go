package value

import "encoding/json"

// MergePatch applies an RFC 7396 patch: members of patch replace those of doc, null removes, objects are
// merged recursively, anything else replaces doc. Values that the patch does not mention keep their bytes and
// position. doc may be empty.
func MergePatch(doc, patch json.RawMessage) json.RawMessage {
	doc, patch = trim(doc), trim(patch)
	if KindOf(patch) != KindObject {
		if len(patch) == 0 {
			return doc
		}
		return patch
	}
	root, _ := readEdit(patch, 0, 1)
	if KindOf(doc) != KindObject {
		return root.write(nil)
	}
	if len(root.members) == 0 {
		return doc
	}
	out, _ := root.apply(make([]byte, 0, len(doc)+len(patch)), doc, 0)
	return out
}

// edit is a patch parsed once into a tree, so that the work is proportional to the two documents and not to
// their depth. Only objects have members; every other value is a leaf that replaces (or, if null, removes).
type edit struct {
	lit     []byte // the key as written in the patch
	leaf    []byte
	members []edit
	index   map[string]int
}

func (e *edit) removes() bool { return KindOf(e.leaf) == Null }

// readEdit reads the patch value at i and returns the offset after it.
func readEdit(raw []byte, i, depth int) (edit, int) {
	if i >= len(raw) || raw[i] != '{' || depth > DepthMax {
		end := skipValue(raw, i)
		return edit{leaf: raw[i:end:end]}, end
	}
	e := edit{index: map[string]int{}}
	end := walkObject(raw, i, func(lit []byte, at int) int {
		m, end := readEdit(raw, at, depth+1)
		if end == at {
			return at
		}
		m.lit = lit
		key := string(keyOf(lit))
		if n, ok := e.index[key]; ok {
			e.members[n] = m
		} else {
			e.index[key] = len(e.members)
			e.members = append(e.members, m)
		}
		return end
	})
	return e, end
}

// write appends the result of applying the edit to a missing value.
func (e *edit) write(dst []byte) []byte {
	if e.leaf != nil {
		return append(dst, e.leaf...)
	}
	dst = append(dst, '{')
	start := len(dst)
	for i := range e.members {
		if m := &e.members[i]; !m.removes() {
			dst = m.write(appendName(dst, start, m.lit))
		}
	}
	return append(dst, '}')
}

// appendName starts a member of the object whose members begin at start.
func appendName(dst []byte, start int, lit []byte) []byte {
	if len(dst) > start {
		dst = append(dst, ',')
	}
	return append(append(dst, lit...), ':')
}

// written is a member of the result: its key and where its value is in dst.
type written struct {
	lit        []byte
	start, end int
}

// apply appends the patched form of the object at doc[i], and returns the
// offset after that object.
func (e *edit) apply(dst, doc []byte, i int) ([]byte, int) {
	if len(e.members) == 0 {
		end := skipValue(doc, i)
		return append(dst, doc[i:end]...), end
	}
	dst = append(dst, '{')
	start := len(dst)
	var members []written
	seen, twice := map[string]int{}, false
	end := walkObject(doc, i, func(lit []byte, at int) int {
		key := string(keyOf(lit))
		n, patched := e.index[key]
		if patched && e.members[n].removes() {
			seen[key] = -1
			return skipValue(doc, at)
		}
		dst = appendName(dst, start, lit)
		w := written{lit: lit, start: len(dst)}
		var end int
		switch {
		case !patched:
			end = skipValue(doc, at)
			dst = append(dst, doc[at:end]...)
		case e.members[n].leaf == nil && at < len(doc) && doc[at] == '{':
			dst, end = e.members[n].apply(dst, doc, at)
		default:
			end = skipValue(doc, at)
			dst = e.members[n].write(dst)
		}
		w.end = len(dst)
		if n, ok := seen[key]; ok {
			twice = true
			w.lit = members[n].lit
			members[n] = w
		} else {
			seen[key] = len(members)
			members = append(members, w)
		}
		return end
	})
	if twice {
		dst = once(dst, start, members)
	}
	for n := range e.members {
		m := &e.members[n]
		if _, ok := seen[string(keyOf(m.lit))]; !ok && !m.removes() {
			dst = m.write(appendName(dst, start, m.lit))
		}
	}
	return append(dst, '}'), end
}

// once rewrites an object so that every key is at its first position, with its last value.
func once(dst []byte, start int, members []written) []byte {
	var out []byte
	for _, w := range members {
		out = append(appendName(out, 0, w.lit), dst[w.start:w.end]...)
	}
	return append(dst[:start], out...)
}
