package expr

import (
	"encoding/json"
	"fmt"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// Truth is a truth value in Kleene's logic.
type Truth uint8

const (
	False Truth = iota
	Unknown
	True
)

func truthOf(b bool) Truth {
	if b {
		return True
	}
	return False
}

// Answer is the result of Weigh, and why it is unknown.
type Answer struct {
	Truth   Truth
	Missing []value.Path // fields that are missing or null
	Doubt   string       // why a comparison is invalid, or ""
}

// Weigh evaluates the condition in Kleene's logic. A missing field, a null and a value of the wrong type make
// their comparison unknown; false and unknown is false, true or unknown is true, and not unknown is unknown.
// Only the comparison with null detects a missing field.
func (p *Program) Weigh(budget *int, look Lookup) (out Answer) {
	defer func() {
		if r := recover(); r != nil {
			out = Answer{Truth: Unknown, Doubt: fmt.Sprintf("cannot evaluate %s: %v", p.source, r)}
		}
	}()
	var few [8]slot // on the stack, while they fit
	m := machine{prog: p, look: look, fuel: *budget, slots: few[:], kleene: true}
	if len(p.fields) > len(few) {
		m.slots = make([]slot, len(p.fields))
	}
	t, bad := m.test()
	*budget = m.fuel
	switch {
	case bad != nil:
		return Answer{Truth: Unknown, Doubt: bad.text}
	case t != Unknown:
		return Answer{Truth: t}
	}
	out = Answer{Truth: Unknown, Doubt: m.doubt}
	for _, i := range m.absent {
		out.Missing = append(out.Missing, p.path(i))
	}
	return out
}

// operand decodes a field. Weigh treats null as missing, and records both.
func (m *machine) operand(n *node, raw json.RawMessage) (val, *trouble) {
	v, bad := m.decode(n.at, raw)
	if m.kleene && bad == nil && v.kind <= null {
		m.note(n.field)
		return val{}, nil
	}
	return v, bad
}

func (m *machine) note(field int) {
	for _, i := range m.absent {
		if i == field {
			return
		}
	}
	m.absent = append(m.absent, field)
}

// weighMember looks for a value in a list. In a list from the data every element must be of the value's kind;
// in a literal list one is enough.
func (m *machine) weighMember(n *node, v, in val, it items) (bool, *trouble) {
	var odd *trouble
	alike, any, gaps := false, false, false
	for {
		e, more, bad := it.next(m)
		if bad != nil {
			return false, bad
		}
		if !more {
			break
		}
		any = true
		gaps = gaps || e.kind == missing
		if odd != nil && e.kind != v.kind && !(listed(e) && listed(v)) {
			continue // one is enough to tell
		}
		same, bad := m.equal(n, e, v)
		switch {
		case bad != nil && bad.code != fault.Invalid:
			return false, bad
		case bad != nil:
			odd = bad
		case same:
			return true, nil
		default:
			alike = true
		}
	}
	if odd != nil && (in.kind == array || gaps || any && !alike) {
		return false, odd
	}
	return false, nil
}

// Weigh compares a value as Program.Weigh does; why explains an invalid comparison, and is empty if the value
// is missing.
func (c *Comparison) Weigh(budget *int, left Operand) (t Truth, why string) {
	defer func() {
		if r := recover(); r != nil {
			t, why = Unknown, fmt.Sprintf("cannot compare: %v", r)
		}
	}()
	switch {
	case c.isNull:
		return truthOf(left.v.kind <= null == (c.n.op == opEq)), ""
	case left.bad != nil:
		return Unknown, left.bad.text
	case left.v.kind <= null:
		return Unknown, ""
	}
	m := machine{fuel: *budget, kleene: true}
	ok, bad := m.compare(&c.n, left.v, c.right)
	*budget = m.fuel
	if bad != nil {
		return Unknown, bad.text
	}
	return truthOf(ok), ""
}
