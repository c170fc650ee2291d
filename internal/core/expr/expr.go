// Package expr evaluates conditions on JSON data, as used in gates, steps and policy rules.
//
//	p, err := expr.Compile(`risk == "low" && claim.amount < 50`)
//	ok, err := p.Test(func(root string) (json.RawMessage, bool) {
//		raw, ok := fields[root] // called with "risk", then with "claim"
//		return raw, ok
//	})
//
// # Syntax
//
//	fraud_score > 0.7                 == != < <= > >=, exact at any size
//	claim.lines[0].price * 2 > 100    fields, elements, + - * / %
//	fraud_signals.length > 3          of lists, texts and objects
//	tags contains "vip"               an element of a list, a part of a text
//	country in ["NO", "SE"]           also: not in
//	name startsWith "a"               endsWith; matches "^a.+z$"
//	lower(name) == "ann"              upper, len, abs, min, max
//	a and not (b or c)                && || ! mean the same
//	`odd-name`.field == null          names with other characters in backticks
//
// # Semantics
//
// A missing field makes its comparison false, whatever the operator: with no score, both score > 3 and score
// != 3 are false. Only the comparison with null detects that it is missing. As conditions, missing and null
// count as false. An invalid comparison, such as "abc" > 3, is an error, and the caller should then ask a
// person.
//
// Weigh evaluates the same expressions in Kleene's three-valued logic: a missing field, a null and an invalid
// comparison are unknown, and so is the negation of an unknown value. Policies use it, because unknown is not
// safe.
//
// Numbers are never rounded: they are compared as decimals.
//
// There are no loops, no functions over elements and no clock, so the cost is bounded by the size of the
// expression times that of the data; in addition, Test stops at a fixed budget. Only the fields that an
// expression names are decoded, the rest of a document is skipped.
package expr

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// Limits of an expression. Each is tested at and over.
const (
	LengthMax  = 2_000 // bytes
	NodesMax   = 500   // names, literals and operators
	DepthMax   = 100   // nesting of parentheses
	PatternMax = 200   // bytes of a regular expression
	programMax = 500   // instructions it compiles to
	textMax    = 1 << 20
)

// Budget is the limit of one Test; a unit is about one byte read. It is enough to read a 10 MB document ten
// times, and used up in a fraction of a second.
const Budget = 100_000_000

// Lookup resolves the first name of a path.
type Lookup func(root string) (json.RawMessage, bool)

// Program is a compiled expression. It is immutable and safe for concurrent use.
type Program struct {
	source string
	top    *node
	fields []field
	used   []int // fields in order of first use
}

// field is one name of a path; paths with a common prefix share it.
type field struct {
	name   string
	parent int   // -1 for a root
	kids   []int // fields below it
}

// Compile parses an expression. The error is a *fault.Error with one problem that states the position and, if
// possible, a suggestion.
func Compile(source string) (*Program, error) {
	p := &parser{src: source, prog: &Program{source: source}}
	top, bad := p.parse()
	if bad != nil {
		return nil, bad.fault(source)
	}
	p.prog.top = top
	return p.prog, nil
}

// String returns the source.
func (p *Program) String() string { return p.source }

// Roots lists the names passed to Lookup, in order of first use.
func (p *Program) Roots() []string {
	var out []string
	for _, i := range p.used {
		if root := p.path(i)[0]; !slices.Contains(out, root) {
			out = append(out, root)
		}
	}
	return out
}

// Paths lists the fields that are read, in order of first use. The length in a.b.length is not part of the
// path: it may be the length of a.b.
func (p *Program) Paths() []value.Path {
	var out []value.Path
	for _, i := range p.used {
		out = append(out, p.path(i))
	}
	return out
}

func (p *Program) path(i int) value.Path {
	var out value.Path
	for ; i >= 0; i = p.fields[i].parent {
		out = append(out, p.fields[i].name)
	}
	slices.Reverse(out)
	return out
}

// Test evaluates the condition. It never panics; an error means that the condition is invalid for this data
// or too expensive.
func (p *Program) Test(look Lookup) (bool, error) {
	budget := Budget
	return p.TestWithin(&budget, look)
}

// TestWithin is Test with a shared budget, for callers that evaluate many programs on the same data.
func (p *Program) TestWithin(budget *int, look Lookup) (ok bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			ok, err = false, fault.Newf(fault.Invalid, "cannot evaluate %s: %v", p.source, r)
		}
	}()
	var few [8]slot // on the stack, while they fit
	m := machine{prog: p, look: look, fuel: *budget, slots: few[:]}
	if len(p.fields) > len(few) {
		m.slots = make([]slot, len(p.fields))
	}
	t, bad := m.test()
	if *budget = m.fuel; bad != nil {
		return false, bad.fault(p.source)
	}
	return t == True, nil
}

func (m *machine) test() (Truth, *trouble) {
	if bad := m.spend(m.prog.top.at, 0); bad != nil {
		return False, bad
	}
	return m.condition(m.prog.top)
}

// trouble is a problem at one position of the source. It becomes a fault only at the edge of the package,
// where the source is available.
type trouble struct {
	at   int // offset in bytes
	code fault.Code
	text string
}

func wrong(at int, format string, args ...any) *trouble {
	return &trouble{at, fault.Invalid, fmt.Sprintf(format, args...)}
}

func (t *trouble) fault(source string) *fault.Error {
	line, column := 1, 1
	for _, r := range source[:min(t.at, len(source))] {
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	e := fault.New(t.code, "expression "+phrase.ClipBytes(source, 80), "")
	e.Problems = []fault.Problem{{Message: t.text, Line: line, Column: column}}
	return e
}
