package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// Mapping defines the source of each field of an input or output, in document order. Nil is no mapping at
// all; an empty one maps nothing.
type Mapping []Field

// Field is one line of a mapping: target ← source.
type Field struct {
	Target string `holds:"text,kept"` // a property name
	Source string `holds:"source"`    // a path, or a JSON literal
}

// Source is where a value comes from. Exactly one of the two is set.
type Source struct {
	Literal json.RawMessage
	Path    value.Path
}

// Assign is a compiled line of a mapping.
type Assign struct {
	Target string
	Source Source
}

// ParseSource parses "draft.text", "items[0].id" or a JSON literal: "\"refund\"", "42", "true", "null", "[1,
// 2]", "{\"a\": 1}".
func ParseSource(s string) (Source, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return Source{}, fault.New(fault.Invalid, "the source is empty",
			`write a path such as draft.text, or a literal such as '"refund"'`)
	}
	// A step may be called 2nd, so a leading digit does not make it a number.
	if value.Valid([]byte(s)) {
		raw, err := value.Compact([]byte(s))
		return Source{Literal: raw}, err
	}
	if strings.ContainsRune(`"{[`, rune(s[0])) {
		_, err := value.Compact([]byte(s))
		return Source{}, fmt.Errorf("%s is not a valid literal: %w", clip(s), err)
	}
	path, err := parsePath(s)
	if err != nil {
		return Source{}, fmt.Errorf(`%w; for the text itself write '"%s"'`, err, clip(s))
	}
	return Source{Path: path}, nil
}

// parsePath parses a non-empty path.
func parsePath(s string) (value.Path, error) {
	if len(s) > ExpressionMax {
		return nil, fault.Newf(fault.Invalid, "the path has %d characters; the maximum is %d",
			len(s), ExpressionMax)
	}
	path, err := value.ParsePath(s)
	if err == nil && len(path) == 0 {
		err = fault.New(fault.Invalid, "the path is empty", "")
	}
	return path, err
}

// MarshalJSON encodes an object in the order of the fields.
func (m Mapping) MarshalJSON() ([]byte, error) {
	if m == nil {
		return []byte("null"), nil
	}
	members := make([]value.Member, len(m))
	for i, f := range m {
		members[i] = value.Member{Key: f.Target, Value: value.Quote(f.Source)}
	}
	return value.Object(members...), nil
}

// UnmarshalJSON decodes an object whose values are sources. Numbers and booleans are literals; a nested
// object is rejected, because its author would expect the paths in it to be resolved.
func (m *Mapping) UnmarshalJSON(raw []byte) error {
	switch value.KindOf(raw) {
	case value.Null:
		*m = nil
		return nil
	case value.KindObject:
	default:
		return fault.New(fault.Invalid, "must be an object of target: source", "write { text: draft.text }")
	}
	out := Mapping{}
	seen := map[string]bool{}
	for target, src := range value.Members(raw) {
		if seen[target] {
			return fault.Newf(fault.Invalid, "the target %q is given twice: keep one", target)
		}
		seen[target] = true
		f := Field{Target: target}
		switch value.KindOf(src) {
		case value.String:
			if err := json.Unmarshal(src, &f.Source); err != nil {
				return fmt.Errorf("the source of %q: %w", target, err)
			}
		case value.Number, value.Bool:
			f.Source = string(bytes.TrimSpace(src))
		default:
			return fault.Newf(fault.Invalid,
				`the source of %q must be a path, or a literal in quotes such as '"refund"' or '[1, 2]'`, target)
		}
		out = append(out, f)
	}
	*m = out
	return nil
}

// clip truncates input for a message.
func clip(s string) string {
	return phrase.Clip(s, 40)
}
