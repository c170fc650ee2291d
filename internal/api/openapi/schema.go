package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/api/problem"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/quantity"
)

// Object is a JSON object of the document; its keys are written in alphabetical order.
type Object = map[string]any

// Types holds what the document has to know of Go types beyond their structure.
type Types struct {
	Vocabularies map[reflect.Type][]string // types with a fixed set of words
	Names        map[reflect.Type]string   // of components whose type has a misleading name
	Comments     *Comments
}

// Schemas creates the schemas of types that are encoded and decoded. Structs and vocabularies become components.
type Schemas struct {
	Types
	Components Object
}

// NewSchemas creates an empty set of schemas.
func NewSchemas(t Types) *Schemas { return &Schemas{t, Object{}} }

// Name is the name of a type's component: a RuleView is a Rule.
func (s *Schemas) Name(t reflect.Type) string {
	if name, ok := s.Names[t]; ok {
		return name
	}
	name := t.Name()
	if outer, inner, generic := strings.Cut(name, "["); generic && outer == "List" {
		inner = strings.TrimSuffix(inner[strings.LastIndexByte(inner, '.')+1:], "]")
		return strings.TrimSuffix(inner, "View") + "List"
	}
	return strings.TrimSuffix(name, "View")
}

// Of creates the schema of a type. Strict ones, those of requests, accept no other members.
func (s *Schemas) Of(t reflect.Type, strict bool) Object {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return Object{"description": "Any JSON."}
	case reflect.TypeFor[time.Time]():
		return Object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[quantity.Duration]():
		return Object{"type": "string", "description": "A duration such as 90s, 72h or 30d.", "examples": []string{"72h"}}
	case reflect.TypeFor[quantity.Money]():
		return Object{"type": "string", "description": "US dollars as a decimal.", "examples": []string{"0.0375"}}
	case reflect.TypeFor[plan.Step]():
		return Object{"type": "object", "description": "A step, as in a workflow.", "additionalProperties": true}
	}
	if known, ok := s.Vocabularies[t]; ok {
		return s.component(t, func() Object { return Object{"type": "string", "enum": known} })
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.Of(t.Elem(), strict)
	case reflect.Struct:
		return s.component(t, func() Object { return s.Structure(t, strict) })
	case reflect.Slice:
		return Object{"type": "array", "items": s.Of(t.Elem(), strict)}
	case reflect.Map:
		return Object{"type": "object", "additionalProperties": s.Of(t.Elem(), strict)}
	case reflect.String:
		return Object{"type": "string"}
	case reflect.Bool:
		return Object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return Object{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return Object{"type": "number"}
	}
	panic(fmt.Sprintf("the OpenAPI document has no %s", t)) // found by the first test
}

// component creates a schema once and refers to it.
func (s *Schemas) component(t reflect.Type, make func() Object) Object {
	name := s.Name(t)
	if s.Components[name] == nil {
		s.Components[name] = Object{} // types may contain themselves
		made := make()
		made["description"] = Components[name]
		if t == reflect.TypeFor[problem.Problem]() {
			alsoInProblems(made)
		}
		s.Components[name] = made
	}
	return Object{"$ref": "#/components/schemas/" + name}
}

// alsoInProblems adds the members that only some codes have.
func alsoInProblems(schema Object) {
	properties := schema["properties"].(Object)
	properties["fork_at"] = withWords(Object{"type": "integer", "format": "int64"},
		"With a fork that would bypass approval: the last event to fork from.")
	properties["needed_by"] = withWords(Object{"type": "array", "items": Object{"type": "string"}},
		"With conflict about a role: what needs it, or who has it.")
	properties["decided_by"] = withWords(Object{"type": "string"}, "With already_decided: who decided.")
	properties["decided_at"] = withWords(Object{"type": "string", "format": "date-time"}, "With already_decided: when.")
	properties["act"] = withWords(Object{"type": "string"}, "With already_decided: the act.")
	schema["additionalProperties"] = true
}

// addProblem adds the component of errors, to which all error responses refer.
func (s *Schemas) addProblem() { s.Of(reflect.TypeFor[problem.Problem](), false) }

// Structure creates the schema of a struct, without a component.
func (s *Schemas) Structure(t reflect.Type, strict bool) Object {
	properties, required := Object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() || f.Anonymous && name == "" {
			continue
		}
		if properties[name] != nil && len(f.Index) > 1 {
			continue // an outer one shadows it
		}
		optional := strings.Contains(options, "omit")
		words := cmp.Or(s.Comments.Of(t, f), Common[name])
		properties[name] = withWords(s.property(f.Type, optional, strict), words)
		if !optional && !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	out := Object{"type": "object", "properties": properties}
	if len(required) > 0 {
		slices.Sort(required)
		out["required"] = required
	}
	if strict {
		out["additionalProperties"] = false
	}
	return out
}

// property is the schema of a member; a pointer that is always present may be null.
func (s *Schemas) property(t reflect.Type, optional, strict bool) Object {
	schema := s.Of(t, strict)
	if t.Kind() != reflect.Pointer || optional {
		return schema
	}
	if schema["$ref"] != nil {
		return Object{"oneOf": []Object{schema, {"type": "null"}}}
	}
	schema["type"] = []any{schema["type"], "null"}
	return schema
}

// withWords adds a description to a schema.
func withWords(schema Object, words string) Object {
	if words != "" {
		schema["description"] = words
	}
	return schema
}
