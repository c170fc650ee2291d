package expr

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/assent-run/assent/internal/core/value"
)

// compare evaluates n's comparison of two values; a missing one makes it false.
func (m *machine) compare(n *node, a, b val) (bool, *trouble) {
	if a.kind == missing || b.kind == missing {
		return false, nil
	}
	ok, bad := m.holds(n, a, b)
	return bad == nil && ok != n.negated, bad
}

func (m *machine) holds(n *node, a, b val) (bool, *trouble) {
	switch n.op {
	case opEq:
		return m.equal(n, a, b)
	case opNe:
		ok, bad := m.equal(n, a, b)
		return !ok, bad
	case opIn:
		return m.member(n, a, b)
	case opContains:
		if a.kind == text && b.kind == text {
			return strings.Contains(a.s, b.s), m.spend(n.sign, 2*(len(a.s)+len(b.s)))
		}
		if a.kind == text || a.kind == object {
			return false, wrong(n.sign, "cannot search for %s in %s", describe(b), describe(a))
		}
		return m.member(n, b, a)
	case opStarts, opEnds, opMatches:
		return m.textual(n, a, b)
	}
	c, bad := m.order(n, a, b)
	if bad != nil {
		return false, bad
	}
	switch n.op {
	case opLt:
		return c < 0, nil
	case opLe:
		return c <= 0, nil
	case opGt:
		return c > 0, nil
	}
	return c >= 0, nil
}

func (m *machine) textual(n *node, a, b val) (bool, *trouble) {
	if a.kind != text || b.kind != text {
		return false, wrong(n.sign, "expected two texts, got %s and %s", describe(a), describe(b))
	}
	switch n.op {
	case opStarts:
		return strings.HasPrefix(a.s, b.s), m.spend(n.sign, len(b.s))
	case opEnds:
		return strings.HasSuffix(a.s, b.s), m.spend(n.sign, len(b.s))
	}
	// A step of a regular expression costs several times a byte.
	if bad := m.spend(n.sign, 8*n.size*(len(a.s)+1)); bad != nil {
		return false, bad
	}
	return n.pattern.MatchString(a.s), nil
}

// order compares numbers with numbers and texts with texts.
func (m *machine) order(n *node, a, b val) (int, *trouble) {
	if bad := m.spend(n.sign, len(a.raw)+len(b.raw)); bad != nil {
		return 0, bad
	}
	switch {
	case a.kind == number && b.kind == number:
		c, ok := compareNumbers(a, b)
		if !ok {
			return 0, wrong(n.sign, "the number is too long to calculate with")
		}
		return c, nil
	case a.kind == text && b.kind == text:
		return cmp.Compare(a.s, b.s), m.spend(n.sign, min(len(a.s), len(b.s)))
	}
	return 0, wrong(n.sign, "cannot compare %s with %s", describe(a), describe(b))
}

// equal reports whether two values are equal. Values of different kinds are not. Objects are equal if they
// have the same members written the same way.
func (m *machine) equal(n *node, a, b val) (bool, *trouble) {
	if listed(a) && listed(b) {
		return m.equalLists(n, a, b)
	}
	if a.kind != b.kind {
		if m.kleene {
			return false, wrong(n.sign, "cannot compare %s with %s", describe(a), describe(b))
		}
		return false, nil
	}
	switch a.kind {
	case boolean:
		return a.b == b.b, nil
	case null:
		return true, nil
	case object:
		if bad := m.spend(n.sign, 10*(len(a.raw)+len(b.raw))); bad != nil {
			return false, bad
		}
		same := value.Equal(a.raw, b.raw)
		if m.kleene && !same { // members are not checked for missing or mistyped values
			return false, wrong(n.sign, "the objects are not the same")
		}
		return same, nil
	}
	c, bad := m.order(n, a, b)
	return bad == nil && c == 0, bad
}

func listed(v val) bool { return v.kind == array || v.kind == list }

// perElement is the cost of decoding an element, however short it is.
const perElement = 16

// items walks a list from any source.
type items struct {
	at   int
	list []val
	data cursor
}

func (m *machine) items(n *node, v val) (items, *trouble) {
	it := items{at: n.sign, list: v.list}
	if v.kind == array {
		it.data = elementsOf(v.raw)
	}
	return it, m.spend(n.sign, 2*len(v.raw))
}

func (it *items) next(m *machine) (v val, ok bool, bad *trouble) {
	if it.data.raw != nil {
		raw, ok := it.data.next()
		if !ok {
			return val{}, false, nil
		}
		if bad = m.spend(it.at, perElement); bad == nil {
			v, bad = m.decode(it.at, raw)
		}
		return v, true, bad
	}
	if len(it.list) == 0 {
		return val{}, false, nil
	}
	v, it.list = it.list[0], it.list[1:]
	return v, true, m.spend(it.at, perElement)
}

// skipOther skips elements that cannot be the text s, without decoding them.
func (it *items) skipOther(s string) {
	for it.data.raw != nil {
		c := it.data
		raw, ok := c.next()
		if !ok || raw[0] == '"' && (len(raw) == len(s)+2 || bytes.ContainsRune(raw, '\\')) {
			return
		}
		it.data = c
	}
}

func (m *machine) equalLists(n *node, a, b val) (bool, *trouble) {
	left, bad := m.items(n, a)
	if bad != nil {
		return false, bad
	}
	right, bad := m.items(n, b)
	if bad != nil {
		return false, bad
	}
	for {
		x, more, bad := left.next(m)
		if bad != nil {
			return false, bad
		}
		y, also, bad := right.next(m)
		if bad != nil || !more || !also {
			return more == also, bad
		}
		if same, bad := m.equal(n, x, y); bad != nil || !same {
			return false, bad
		}
	}
}

// member reports whether v is an element of a list or the name of one of an
// object's members.
func (m *machine) member(n *node, v, in val) (bool, *trouble) {
	switch in.kind {
	case object:
		if v.kind != text {
			return false, wrong(n.sign, "a field name must be a text, not %s", describe(v))
		}
		_, ok := value.Get(in.raw, v.s)
		return ok, m.spend(n.sign, len(in.raw))
	case array, list:
		it, bad := m.items(n, in)
		if bad != nil {
			return false, bad
		}
		if m.kleene {
			return m.weighMember(n, v, in, it)
		}
		for {
			if v.kind == text {
				it.skipOther(v.s)
			}
			e, more, bad := it.next(m)
			if bad != nil || !more {
				return false, bad
			}
			if same, bad := m.equal(n, e, v); bad != nil || same {
				return same, bad
			}
		}
	}
	return false, wrong(n.sign, "cannot search for %s in %s", describe(v), describe(in))
}
