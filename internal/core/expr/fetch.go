package expr

import (
	"encoding/json"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// machine is one evaluation: the values read so far and the remaining budget.
type machine struct {
	prog  *Program
	look  Lookup
	fuel  int
	slots []slot // one for each of the program's fields

	// For Weigh: why a comparison is undetermined.
	kleene bool
	absent []int  // fields that are missing or null
	doubt  string // the first invalid comparison
}

type slot struct {
	known bool
	raw   json.RawMessage // nil: missing
}

// spend charges for reading n bytes.
func (m *machine) spend(at, n int) *trouble {
	if m.fuel -= n; m.fuel < 0 || n < 0 {
		return &trouble{at, fault.TooLarge, "the data is too large for this expression"}
	}
	return nil
}

// many is the number of fields of one object from which a single pass pays off.
const many = 4

// fetch returns the text of a field, nil if there is none. Every field is looked up once, and only when it is
// needed.
func (m *machine) fetch(at, i int) (json.RawMessage, *trouble) {
	s := &m.slots[i]
	if s.known {
		return s.raw, nil
	}
	f := &m.prog.fields[i]
	if f.parent < 0 {
		s.known = true
		if m.look != nil {
			if raw, ok := m.look(f.name); ok {
				s.raw, _ = value.Get(raw)
			}
		}
		return s.raw, nil
	}
	whole, bad := m.fetch(at, f.parent)
	if bad != nil {
		return nil, bad
	}
	if bad := m.spend(at, len(whole)); bad != nil {
		return nil, bad
	}
	siblings := m.prog.fields[f.parent].kids
	if len(siblings) < many || value.KindOf(whole) != value.KindObject {
		s.known = true
		s.raw, _ = value.Get(whole, f.name)
		return s.raw, nil
	}
	if bad := m.spend(at, 3*len(whole)); bad != nil {
		return nil, bad
	}
	for key, raw := range value.Members(whole) {
		for _, k := range siblings {
			if m.prog.fields[k].name == key {
				m.slots[k].raw = raw
			}
		}
	}
	for _, k := range siblings {
		m.slots[k].known = true
	}
	return s.raw, nil
}

// decode turns the text of a field into a value. Lists and objects stay text.
func (m *machine) decode(at int, raw json.RawMessage) (val, *trouble) {
	switch value.KindOf(raw) {
	case value.Missing:
		if len(raw) > 0 {
			return val{}, wrong(at, "the data is not valid JSON")
		}
		return val{}, nil
	case value.Null:
		return val{kind: null}, nil
	case value.Bool:
		return val{kind: boolean, b: raw[0] == 't'}, nil
	case value.KindArray:
		return val{kind: array, raw: raw}, nil
	case value.KindObject:
		return val{kind: object, raw: raw}, nil
	}
	if bad := m.spend(at, 2*len(raw)); bad != nil {
		return val{}, bad
	}
	if raw[0] == '"' {
		s, ok := value.Text(raw)
		if !ok {
			return val{}, wrong(at, "the data is not valid JSON")
		}
		return val{kind: text, s: s}, nil
	}
	v, ok := numberOf(raw)
	if !ok {
		return val{}, wrong(at, "%s is not a number that can be compared",
			phrase.ClipBytes(string(raw[:min(len(raw), 60)]), 40))
	}
	return v, nil
}

// cursor walks the elements of a list in valid JSON, and ends early on anything else.
type cursor struct {
	raw []byte
	i   int
}

func elementsOf(raw []byte) cursor { return cursor{raw: raw, i: 1} }

func (c *cursor) next() (json.RawMessage, bool) {
	i := c.space(c.i)
	if i < len(c.raw) && c.raw[i] == ',' {
		i = c.space(i + 1)
	}
	start, depth := i, 0
	for i < len(c.raw) {
		switch c.raw[i] {
		case '"':
			i = textEnd(c.raw, i)
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				c.i = i
				return c.raw[start:i:i], i > start
			}
		}
		if depth < 0 {
			break
		}
		i++
	}
	c.i = i
	return c.raw[start:i:i], i > start
}

func (c *cursor) space(i int) int {
	for i < len(c.raw) && (c.raw[i] == ' ' || c.raw[i] == '\n' || c.raw[i] == '\t' || c.raw[i] == '\r') {
		i++
	}
	return i
}

func textEnd(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}
