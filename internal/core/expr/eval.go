package expr

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

type kind uint8

const (
	missing kind = iota
	null
	boolean
	number
	text
	array  // in the data
	object // in the data
	list   // written in the expression
)

func (k kind) String() string {
	return [...]string{"nothing", "null", "a condition", "a number", "a text", "a list", "an object", "a list"}[k]
}

// val is a value during evaluation. A number without raw and rat is i.
type val struct {
	kind kind
	b    bool
	i    int64
	raw  json.RawMessage
	rat  *big.Rat
	s    string
	list []val
}

func (m *machine) eval(n *node) (val, *trouble) {
	switch n.op {
	case opConst:
		return n.val, nil
	case opField:
		raw, bad := m.fetch(n.at, n.field)
		if bad != nil {
			return val{}, bad
		}
		return m.operand(n, raw)
	case opLength:
		return m.evalLength(n)
	case opAnd, opOr:
		return m.evalLogic(n)
	case opNot:
		t, bad := m.condition(n.kids[0])
		if t == Unknown {
			return val{}, bad
		}
		return val{kind: boolean, b: t == False}, bad
	case opIsNull:
		return m.evalIsNull(n)
	case opList:
		kids, bad := m.evalAll(n.kids)
		return val{kind: list, list: kids}, bad
	case opCall:
		return m.evalCall(n)
	case opMinus:
		v, bad := m.eval(n.kids[0])
		if bad != nil || v.kind == missing {
			return val{}, bad
		}
		if v.kind != number {
			return val{}, wrong(n.sign, "%s has no sign", describe(v))
		}
		return negate(v), m.spend(n.sign, len(v.raw))
	}
	left, bad := m.eval(n.kids[0])
	if bad != nil {
		return val{}, bad
	}
	right, bad := m.eval(n.kids[1])
	if bad != nil {
		return val{}, bad
	}
	if n.op >= opAdd && n.op <= opMod {
		if left.kind == missing || right.kind == missing {
			return val{}, nil
		}
		return m.arithmetic(n, n.op, left, right)
	}
	if m.kleene && (left.kind == missing || right.kind == missing) {
		return val{}, nil
	}
	b, bad := m.compare(n, left, right)
	return val{kind: boolean, b: b}, bad
}

// condition evaluates a node as a condition. Only Weigh returns Unknown: for missing or invalid operands.
func (m *machine) condition(n *node) (Truth, *trouble) {
	v, bad := m.eval(n)
	if bad == nil {
		switch v.kind {
		case boolean:
			return truthOf(v.b), nil
		case missing, null:
			if m.kleene {
				return Unknown, nil
			}
			return False, nil
		}
		bad = wrong(n.at, "%s is not a condition: compare it with something", describe(v))
	}
	if m.kleene && bad.code == fault.Invalid {
		if m.doubt == "" {
			m.doubt = bad.text
		}
		return Unknown, nil
	}
	return False, bad
}

func (m *machine) evalLogic(n *node) (val, *trouble) {
	unknown := false
	for _, k := range n.kids {
		t, bad := m.condition(k)
		if bad != nil {
			return val{}, bad
		}
		if t == Unknown {
			unknown = true
		} else if b := t == True; b == (n.op == opOr) {
			return val{kind: boolean, b: b}, nil
		}
	}
	if unknown {
		return val{}, nil
	}
	return val{kind: boolean, b: n.op == opAnd}, nil
}

// evalIsNull evaluates x == null without decoding x.
func (m *machine) evalIsNull(n *node) (val, *trouble) {
	k := n.kids[0]
	if k.op == opField {
		raw, bad := m.fetch(k.at, k.field)
		is := len(raw) == 0 || value.KindOf(raw) == value.Null
		return val{kind: boolean, b: is != n.negated}, bad
	}
	v, bad := m.eval(k)
	return val{kind: boolean, b: (v.kind <= null) != n.negated}, bad
}

func (m *machine) evalAll(nodes []*node) ([]val, *trouble) {
	out := make([]val, 0, len(nodes))
	for _, k := range nodes {
		v, bad := m.eval(k)
		if bad != nil {
			return nil, bad
		}
		out = append(out, v)
	}
	return out, nil
}

// evalLength is a.length: a member of that name, or else the length of a.
func (m *machine) evalLength(n *node) (val, *trouble) {
	whole, bad := m.fetch(n.at, n.kids[0].field)
	if bad != nil {
		return val{}, bad
	}
	if value.KindOf(whole) == value.KindObject {
		raw, bad := m.fetch(n.at, n.field)
		if bad != nil {
			return val{}, bad
		}
		if raw != nil {
			return m.operand(n, raw)
		}
	}
	v, bad := m.operand(n.kids[0], whole)
	if bad != nil {
		return val{}, bad
	}
	return m.length(n, v)
}

func (m *machine) length(n *node, v val) (val, *trouble) {
	if bad := m.spend(n.at, 3*len(v.raw)+len(v.s)); bad != nil {
		return val{}, bad
	}
	count := 0
	switch v.kind {
	case missing:
		return val{}, nil
	case text:
		count = utf8.RuneCountInString(v.s)
	case list:
		count = len(v.list)
	case array:
		for c := elementsOf(v.raw); ; count++ {
			if _, ok := c.next(); !ok {
				break
			}
		}
	case object:
		for range value.Members(v.raw) {
			count++
		}
	default:
		return val{}, wrong(n.at, "%s has no length", describe(v))
	}
	return val{kind: number, i: int64(count)}, nil
}

func (m *machine) evalCall(n *node) (val, *trouble) {
	args, bad := m.evalAll(n.kids)
	if bad != nil {
		return val{}, bad
	}
	for _, a := range args {
		if a.kind == missing {
			return val{}, nil
		}
	}
	v := args[0]
	switch n.name {
	case "len":
		return m.length(n, v)
	case "lower", "upper":
		if v.kind != text {
			return val{}, wrong(n.at, "%s needs a text, not %s", n.name, describe(v))
		}
		if bad := m.spend(n.at, 4*len(v.s)); bad != nil {
			return val{}, bad
		}
		if n.name == "lower" {
			return val{kind: text, s: strings.ToLower(v.s)}, nil
		}
		return val{kind: text, s: strings.ToUpper(v.s)}, nil
	}
	for _, a := range args {
		if a.kind != number {
			return val{}, wrong(n.at, "%s needs numbers, not %s", n.name, describe(a))
		}
		c, bad := m.order(n, a, v)
		if bad != nil {
			return val{}, bad
		}
		if n.name == "min" && c < 0 || n.name == "max" && c > 0 {
			v = a
		}
	}
	if n.name == "abs" {
		if c, bad := m.order(n, v, val{kind: number}); bad != nil || c >= 0 {
			return v, bad
		}
		return negate(v), nil
	}
	return v, nil
}

// arithmetic also concatenates texts, up to a limit.
func (m *machine) arithmetic(n *node, o op, a, b val) (val, *trouble) {
	if o == opAdd && a.kind == text && b.kind == text {
		if len(a.s)+len(b.s) > textMax {
			return val{}, wrong(n.sign, "the text would be longer than %d bytes", textMax)
		}
		return val{kind: text, s: a.s + b.s}, m.spend(n.sign, len(a.s)+len(b.s))
	}
	if a.kind != number || b.kind != number {
		return val{}, wrong(n.sign, "cannot calculate with %s and %s", describe(a), describe(b))
	}
	if bad := m.spend(n.sign, 1000+len(a.raw)+len(b.raw)); bad != nil {
		return val{}, bad
	}
	v, why := calculate(o, a, b)
	if why != "" {
		return val{}, wrong(n.sign, "%s", why)
	}
	return v, nil
}

// describe describes a value in a message, truncated.
func describe(v val) string {
	switch v.kind {
	case boolean:
		return fmt.Sprintf("the condition %v", v.b)
	case number:
		switch {
		case v.rat != nil:
			return "the number " + phrase.ClipBytes(v.rat.RatString(), 40)
		case v.raw != nil:
			return "the number " + phrase.ClipBytes(string(v.raw[:min(len(v.raw), 60)]), 40)
		}
		return fmt.Sprintf("the number %d", v.i)
	case text:
		return fmt.Sprintf("the text %q", phrase.ClipBytes(v.s, 40))
	}
	return v.kind.String()
}
