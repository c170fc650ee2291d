package value

import "encoding/json"

// Merge merges objects, top-level keys only: keys keep the order of their first appearance, the last value
// wins. Anything that is not an object is ignored; a single object is returned as is, and none at all as {}.
func Merge(objects ...json.RawMessage) json.RawMessage {
	var only json.RawMessage
	count := 0
	for _, o := range objects {
		if KindOf(o) == KindObject {
			only = o
			count++
		}
	}
	switch count {
	case 0:
		return json.RawMessage("{}")
	case 1:
		return only
	}
	var l layout
	for _, o := range objects {
		eachMember(o, func(lit, val []byte) bool { l.slot(lit).val = val; return true })
	}
	out := []byte{'{'}
	for i, s := range l.slots {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, s.lit...), ':')
		out = append(out, s.val...)
	}
	return append(out, '}')
}

// layout is an object under construction: each key once, in the order of first appearance.
type layout struct {
	slots []slot
	index map[string]int
}

type slot struct {
	lit   []byte // the key as first written
	val   []byte
	other []byte // Diff's second document
}

func (l *layout) slot(lit []byte) *slot {
	key := keyOf(lit)
	i, ok := l.index[string(key)]
	if !ok {
		if l.index == nil {
			l.index = map[string]int{}
		}
		i = len(l.slots)
		l.index[string(key)] = i
		l.slots = append(l.slots, slot{lit: lit})
	}
	return &l.slots[i]
}
