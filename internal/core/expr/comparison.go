package expr

import (
	"encoding/json"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// Comparison is an operator and its right-hand side, prepared for use with many values.
type Comparison struct {
	n      node
	right  val
	isNull bool
}

// NewComparison accepts the operators == != < <= > >= in contains startsWith endsWith and "not in".
func NewComparison(operator string, right json.RawMessage) (*Comparison, error) {
	word, negated := strings.CutPrefix(operator, "not ")
	o, known := infix[word]
	if !known || o == opMatches || negated && o != opIn && o != opContains {
		return nil, fault.Newf(fault.Invalid, "%q is not a comparison", operator)
	}
	c := &Comparison{n: node{op: o, negated: negated, sign: 2}}
	right, _ = value.Get(right)
	m := machine{fuel: Budget}
	var bad *trouble
	if c.right, bad = m.decode(c.n.sign, right); bad != nil {
		return nil, bad.fault("_ " + operator + " _")
	}
	c.isNull = c.right.kind == null && (o == opEq || o == opNe)
	return c, nil
}

// Operand is a parsed value, for any number of comparisons. The zero Operand is a missing one.
type Operand struct {
	v   val
	bad *trouble
}

// Read parses a JSON value; an empty one is missing.
func Read(budget *int, raw json.RawMessage) Operand {
	raw, _ = value.Get(raw)
	m := machine{fuel: *budget}
	v, bad := m.decode(0, raw)
	*budget = m.fuel
	return Operand{v, bad}
}

// Test compares a value, in the same way as TestWithin.
func (c *Comparison) Test(budget *int, left Operand) (ok bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			ok, err = false, fault.Newf(fault.Invalid, "cannot compare: %v", r)
		}
	}()
	if c.isNull {
		return (left.v.kind == missing || left.v.kind == null) == (c.n.op == opEq), nil
	}
	bad := left.bad
	m := machine{fuel: *budget}
	if bad == nil {
		ok, bad = m.compare(&c.n, left.v, c.right)
		*budget = m.fuel
	}
	if bad != nil {
		return false, bad.fault("_ _ _")
	}
	return ok, nil
}

// Compare is NewComparison, Read and Test in one. An empty left-hand side is a missing field.
func Compare(budget *int, operator string, left, right json.RawMessage) (bool, error) {
	c, err := NewComparison(operator, right)
	if err != nil {
		return false, err
	}
	return c.Test(budget, Read(budget, left))
}
