package expr

import (
	"regexp"
	"regexp/syntax"
	"strconv"
)

type op uint8

const (
	opConst op = iota
	opField
	opLength
	opList
	opCall
	opAnd
	opOr
	opNot
	opIsNull
	opMinus // the sign
	opAdd
	opSub
	opMul
	opDiv
	opMod
	opEq
	opNe
	opLt
	opLe
	opGt
	opGe
	opIn
	opContains
	opStarts
	opEnds
	opMatches
)

// The operators between two values. Comparisons do not chain, the others do.
var (
	orOps      = map[string]op{"||": opOr, "or": opOr}
	andOps     = map[string]op{"&&": opAnd, "and": opAnd}
	sumOps     = map[string]op{"+": opAdd, "-": opSub}
	productOps = map[string]op{"*": opMul, "/": opDiv, "%": opMod}
	infix      = map[string]op{
		"==": opEq, "!=": opNe, "<": opLt, "<=": opLe, ">": opGt, ">=": opGe,
		"in": opIn, "contains": opContains, "startsWith": opStarts, "endsWith": opEnds, "matches": opMatches,
	}
)

// calls are the functions, with the least and the most arguments each takes.
var calls = map[string][2]int{"len": {1, 1}, "lower": {1, 1}, "upper": {1, 1}, "abs": {1, 1},
	"min": {1, 8}, "max": {1, 8}}

// node is one operation. The fields after kids depend on op.
type node struct {
	op      op
	negated bool // not in, not contains, …
	at, end int  // the source it covers, from the first kid to the last
	sign    int  // position of the operator
	kids    []*node
	val     val            // opConst
	field   int            // opField; for opLength the member of that name
	name    string         // opCall
	pattern *regexp.Regexp // opMatches
	size    int            // of the pattern's program
}

// parser is a precedence parser, loosest first: or, and, not, comparison, sum, product, sign, operand.
type parser struct {
	src    string
	prog   *Program
	tokens []token
	pos    int
	nodes  int
	depth  int
}

func (p *parser) parse() (*node, *trouble) {
	if len(p.src) > LengthMax {
		return nil, wrong(0, "it is %d bytes long; at most %d are allowed", len(p.src), LengthMax)
	}
	var bad *trouble
	if p.tokens, bad = lex(p.src); bad != nil {
		return nil, bad
	}
	if len(p.tokens) == 1 {
		return nil, wrong(0, "it is empty")
	}
	n, bad := p.either()
	if bad != nil {
		return nil, bad
	}
	if t := p.peek(); t.kind != tokEnd {
		return nil, p.leftover(t)
	}
	return n, nil
}

func (p *parser) peek() token { return p.tokens[p.pos] }

func (p *parser) take() token {
	t := p.tokens[p.pos]
	if t.kind != tokEnd {
		p.pos++
	}
	return t
}

// is reports whether t is one of these symbols or keywords.
func (t token) is(words ...string) bool {
	if t.quoted || t.kind != tokSign && t.kind != tokName {
		return false
	}
	for _, w := range words {
		if t.text == w {
			return true
		}
	}
	return false
}

// add counts a node against the limit.
func (p *parser) add(n node) (*node, *trouble) {
	if p.nodes++; p.nodes > NodesMax {
		return nil, wrong(n.at, "it has more than %d names, literals and operators", NodesMax)
	}
	return &n, nil
}

func (p *parser) binary(o op, sign token, left, right *node) (*node, *trouble) {
	return p.add(node{op: o, at: left.at, end: right.end, sign: sign.at, kids: []*node{left, right}})
}

func (p *parser) either() (*node, *trouble) {
	if p.depth++; p.depth > DepthMax {
		return nil, wrong(p.peek().at, "it nests deeper than %d levels", DepthMax)
	}
	defer func() { p.depth-- }()
	return p.series(p.both, orOps)
}

func (p *parser) both() (*node, *trouble) {
	return p.series(p.inverse, andOps)
}

func (p *parser) sum() (*node, *trouble) {
	return p.series(p.product, sumOps)
}

func (p *parser) product() (*node, *trouble) {
	return p.series(p.signed, productOps)
}

// series parses operands with operators of one precedence between them.
func (p *parser) series(operand func() (*node, *trouble), ops map[string]op) (*node, *trouble) {
	left, bad := operand()
	for bad == nil {
		t := p.peek()
		o, ok := ops[t.text]
		if !ok || !t.is(t.text) {
			return left, nil
		}
		p.take()
		var right *node
		if right, bad = operand(); bad == nil {
			left, bad = p.binary(o, t, left, right)
		}
	}
	return nil, bad
}

func (p *parser) inverse() (*node, *trouble) {
	t := p.peek()
	if !t.is("not") {
		return p.comparison()
	}
	p.take()
	if p.depth++; p.depth > DepthMax {
		return nil, wrong(t.at, "it nests deeper than %d levels", DepthMax)
	}
	defer func() { p.depth-- }()
	n, bad := p.inverse()
	if bad != nil {
		return nil, bad
	}
	return p.add(node{op: opNot, at: t.at, end: n.end, sign: t.at, kids: []*node{n}})
}

func (p *parser) comparison() (*node, *trouble) {
	first := p.peek()
	left, bad := p.sum()
	if bad != nil {
		return nil, bad
	}
	o, sign, negated, ok := p.comparator()
	if !ok {
		return left, nil
	}
	if first.is("!") && o != opEq && o != opNe {
		return nil, wrong(first.at, "! belongs to the left side only here; write !(… %s …)", sign.text)
	}
	right, bad := p.sum()
	if bad != nil {
		return nil, bad
	}
	if _, next, _, ok := p.comparator(); ok {
		return nil, wrong(next.at, "comparisons do not chain; write a %s b && b %s c", sign.text, next.text)
	}
	n, bad := p.binary(o, sign, left, right)
	if bad != nil {
		return nil, bad
	}
	n.negated = negated
	switch {
	case o == opMatches:
		return n, p.compilePattern(n)
	case o == opEq || o == opNe:
		nullTest(n)
	}
	return n, nil
}

// comparator consumes a comparison operator if one is next.
func (p *parser) comparator() (o op, sign token, negated, ok bool) {
	t := p.peek()
	if t.is("not") {
		if after := p.tokens[min(p.pos+1, len(p.tokens)-1)]; after.kind == tokName && !after.quoted {
			if o, ok = infix[after.text]; ok {
				p.pos += 2
				return o, after, true, true
			}
		}
		return 0, t, false, false
	}
	if o, ok = infix[t.text]; ok && t.is(t.text) {
		p.take()
		return o, t, false, true
	}
	return 0, t, false, false
}

// nullTest marks the comparison with a literal null: the only one that detects a missing field.
func nullTest(n *node) {
	for i, k := range n.kids {
		if k.op == opConst && k.val.kind == null {
			n.negated = n.op == opNe
			n.op, n.kids = opIsNull, []*node{n.kids[1-i]}
			return
		}
	}
}

func (p *parser) compilePattern(n *node) *trouble {
	right := n.kids[1]
	if right.op != opConst || right.val.kind != text {
		return wrong(right.at, "matches needs a pattern written in quotes")
	}
	source := right.val.s
	if len(source) > PatternMax {
		return wrong(right.at, "the pattern is %d bytes long; at most %d are allowed", len(source), PatternMax)
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return wrong(right.at, "invalid pattern: %v", err)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > programMax {
		return wrong(right.at, "the pattern is too complex; use smaller repetitions")
	}
	if n.pattern, err = regexp.Compile(source); err != nil {
		return wrong(right.at, "invalid pattern: %v", err)
	}
	n.size = len(prog.Inst)
	return nil
}

// signed parses - and ! before an operand.
func (p *parser) signed() (*node, *trouble) {
	t := p.peek()
	if !t.is("-", "!", "+") || t.kind != tokSign {
		return p.postfix()
	}
	p.take()
	if p.depth++; p.depth > DepthMax {
		return nil, wrong(t.at, "it nests deeper than %d levels", DepthMax)
	}
	defer func() { p.depth-- }()
	n, bad := p.signed()
	if bad != nil || t.text == "+" {
		return n, bad
	}
	if t.text == "!" {
		return p.add(node{op: opNot, at: t.at, end: n.end, sign: t.at, kids: []*node{n}})
	}
	if n.op == opConst && n.val.kind == number {
		n.val, n.at = negate(n.val), t.at
		return n, nil
	}
	return p.add(node{op: opMinus, at: t.at, end: n.end, sign: t.at, kids: []*node{n}})
}

// postfix parses an operand and the fields after it.
func (p *parser) postfix() (*node, *trouble) {
	n, bad := p.operand()
	for bad == nil {
		switch t := p.peek(); {
		case t.is("."):
			p.take()
			n, bad = p.member(n)
		case t.is("["):
			p.take()
			n, bad = p.element(n)
		case t.is("("):
			return nil, wrong(t.at, "only the functions %s can be called", callNames)
		default:
			if n.op == opField || n.op == opLength {
				p.use(n)
			}
			return n, nil
		}
	}
	return nil, bad
}

// member parses the name after a dot.
func (p *parser) member(n *node) (*node, *trouble) {
	t := p.take()
	if t.kind == tokNumber {
		return p.below(n, t, t.text)
	}
	if t.kind != tokName {
		return nil, wrong(t.at, "expected a name after the dot")
	}
	if after := p.peek(); after.is("(") {
		return nil, wrong(t.at, "%s", methodHint(t.text))
	}
	length := t.text == "length" && !t.quoted
	if length && n.op != opField && n.op != opLength {
		return nil, wrong(t.at, "write len(…) for the length of anything but a field")
	}
	inner, bad := p.below(n, t, t.text)
	if bad != nil || !length {
		return inner, bad
	}
	asField := *n
	asField.op, asField.kids = opField, nil
	return p.add(node{op: opLength, at: n.at, end: t.end, sign: t.at, field: inner.field, kids: []*node{&asField}})
}

// element parses the brackets after a field.
func (p *parser) element(n *node) (*node, *trouble) {
	t := p.take()
	if t.kind != tokText && t.kind != tokNumber {
		return nil, wrong(t.at, `only a number or a quoted name is allowed in brackets: lines[0] or order["total price"]`)
	}
	if t.kind == tokNumber {
		if _, err := strconv.ParseUint(t.text, 10, 31); err != nil {
			return nil, wrong(t.at, "an index is 0, 1, 2, …")
		}
	}
	if end := p.take(); !end.is("]") {
		return nil, wrong(end.at, "] is missing")
	}
	return p.below(n, t, t.text)
}

// below turns n into its field called name.
func (p *parser) below(n *node, t token, name string) (*node, *trouble) {
	if n.op != opField && n.op != opLength {
		return nil, wrong(t.at, "only names have fields")
	}
	return &node{op: opField, at: n.at, end: p.tokens[p.pos-1].end, field: p.intern(name, n.field)}, nil
}
