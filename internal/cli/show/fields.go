package show

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/value"
)

// Fields lists a schema's properties, one per line. A schema that is not a simple form is shown as is.
func Fields(schema json.RawMessage) string {
	properties, ok := value.Get(schema, "properties")
	if !ok || value.KindOf(properties) != value.KindObject {
		return Value(schema)
	}
	var required []string
	if raw, ok := value.Get(schema, "required"); ok {
		_ = json.Unmarshal(raw, &required) // the server has validated it
	}
	var lines []string
	for name, p := range value.Members(properties) {
		line := Line(name) + ": " + Or(limits(p), "anything")
		if slices.Contains(required, name) {
			line += ", required"
		}
		if raw, ok := value.Get(p, "description"); ok {
			line += " – " + text(raw)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// limits describes a value's limits, briefly.
func limits(p json.RawMessage) string {
	var parts []string
	if raw, ok := value.Get(p, "type"); ok {
		parts = append(parts, text(raw))
	}
	for _, word := range []string{"format", "enum", "const", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum",
		"minLength", "maxLength", "pattern", "default"} {
		if raw, ok := value.Get(p, word); ok {
			parts = append(parts, fmt.Sprintf("%s %s", word, text(raw)))
		}
	}
	return strings.Join(parts, ", ")
}

// text is a JSON string without its quotes, or any other value as is.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	}
	return Line(s)
}
