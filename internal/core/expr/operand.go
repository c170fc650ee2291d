package expr

import (
	"maps"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/phrase"
)

var callNames = strings.Join(slices.Sorted(maps.Keys(calls)), ", ")

// operand parses a literal, a name, a call, a list or parentheses.
func (p *parser) operand() (*node, *trouble) {
	t := p.take()
	switch t.kind {
	case tokNumber:
		v, bad := literalNumber(t)
		if bad != nil {
			return nil, bad
		}
		return p.constant(t, v)
	case tokText:
		return p.constant(t, val{kind: text, s: t.text})
	case tokName:
		return p.name(t)
	case tokSign:
		switch t.text {
		case "(":
			return p.group()
		case "[":
			return p.list(t)
		}
		return nil, wrong(t.at, "expected a value, found %s", t.text)
	}
	// An empty condition was refused before.
	return nil, wrong(t.at, "it ends after %s; expected a value", p.tokens[p.pos-1].text)
}

func literalNumber(t token) (val, *trouble) {
	lit := t.text
	if lit[0] == '.' {
		lit = "0" + lit
	}
	v, ok := numberOf([]byte(lit))
	if !ok {
		return val{}, wrong(t.at, "%s is not a number that can be compared", t.text)
	}
	return v, nil
}

func (p *parser) constant(t token, v val) (*node, *trouble) {
	return p.add(node{op: opConst, at: t.at, end: t.end, sign: t.at, val: v})
}

func (p *parser) name(t token) (*node, *trouble) {
	if !t.quoted {
		switch t.text {
		case "true", "false":
			return p.constant(t, val{kind: boolean, b: t.text == "true"})
		case "null", "nil":
			return p.constant(t, val{kind: null})
		case "not":
			return nil, wrong(t.at, "put the part with not in parentheses: a == (not b)")
		case "and", "or", "in", "contains", "startsWith", "endsWith", "matches":
			return nil, wrong(t.at, "expected a value before %s; put a field of that name in backticks", t.text)
		}
		if p.peek().is("(") {
			return p.call(t)
		}
	}
	return p.add(node{op: opField, at: t.at, end: t.end, sign: t.at, field: p.intern(t.text, -1)})
}

func (p *parser) group() (*node, *trouble) {
	n, bad := p.either()
	if bad != nil {
		return nil, bad
	}
	if t := p.take(); !t.is(")") {
		if t.kind == tokEnd {
			return nil, wrong(t.at, ") is missing")
		}
		return nil, p.leftover(t)
	}
	return n, nil
}

func (p *parser) list(open token) (*node, *trouble) {
	kids, end, bad := p.items("]")
	if bad != nil {
		return nil, bad
	}
	return p.add(node{op: opList, at: open.at, end: end, sign: open.at, kids: kids})
}

func (p *parser) call(t token) (*node, *trouble) {
	arity, ok := calls[t.text]
	if !ok {
		return nil, wrong(t.at, "%s", callHint(t.text))
	}
	p.take()
	kids, end, bad := p.items(")")
	if bad != nil {
		return nil, bad
	}
	if len(kids) < arity[0] || len(kids) > arity[1] {
		return nil, wrong(t.at, "%s takes %d to %d values, not %d", t.text, arity[0], arity[1], len(kids))
	}
	return p.add(node{op: opCall, at: t.at, end: end, sign: t.at, name: t.text, kids: kids})
}

// items parses comma-separated values up to the closing bracket.
func (p *parser) items(closing string) ([]*node, int, *trouble) {
	var out []*node
	if t := p.peek(); t.is(closing) {
		return nil, p.take().end, nil
	}
	for {
		n, bad := p.either()
		if bad != nil {
			return nil, 0, bad
		}
		out = append(out, n)
		switch t := p.take(); {
		case t.is(closing):
			return out, t.end, nil
		case !t.is(","):
			return nil, 0, wrong(t.at, "%s or a comma is missing", closing)
		}
	}
}

// intern returns the number of a field, shared by all its uses.
func (p *parser) intern(name string, parent int) int {
	for i, f := range p.prog.fields {
		if f.parent == parent && f.name == name {
			return i
		}
	}
	i := len(p.prog.fields)
	p.prog.fields = append(p.prog.fields, field{name: name, parent: parent})
	if parent >= 0 {
		p.prog.fields[parent].kids = append(p.prog.fields[parent].kids, i)
	}
	return i
}

// use records that a field's value is needed.
func (p *parser) use(n *node) {
	i := n.field
	if n.op == opLength {
		i = n.kids[0].field
	}
	if !slices.Contains(p.prog.used, i) {
		p.prog.used = append(p.prog.used, i)
	}
}

// leftover explains a word that does not continue the expression.
func (p *parser) leftover(t token) *trouble {
	if t.is(")", "]") {
		return wrong(t.at, "unexpected %s", t.text)
	}
	if t.kind == tokName && !t.quoted {
		if hint := wordHint(t.text); hint != "" {
			return wrong(t.at, "%s is not an operator; %s", t.text, hint)
		}
	}
	return wrong(t.at, "expected an operator such as && or == before %s", phrase.ClipBytes(p.src[t.at:t.end], 40))
}
