// Package holds declares the data class of the fields of facts and views, so that values can be deleted and masked
// without guessing from names. Every field that may contain a text or a document has a tag:
//
//	Step    string          `json:"step" holds:"id"`
//	Comment string          `json:"comment" holds:"text"`
//	Output  json.RawMessage `json:"output" holds:"payload"`
//
// Numbers, booleans and times need none, and structs declare it field by field. A field without a tag is treated as a
// payload, and Untagged, which a test calls for every fact and every view, lists it.
package holds

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Kind is the data class of a field.
type Kind string

const (
	ID      Kind = "id"      // ids, names of people and parts of a plan, our own words and figures
	Text    Kind = "text"    // written by people, agents and services
	Line    Kind = "line"    // a line composed of values, such as a title
	Digest  Kind = "digest"  // a digest without a salt, which would help to guess its content
	Payload Kind = "payload" // a document sent by people or agents
	Amount  Kind = "amount"  // a single value of such a document
	Labels  Kind = "labels"  // names and values chosen by people
	Config  Kind = "config"  // a document that configures others
	Source  Kind = "source"  // a path, or a literal in its place
	Nested  Kind = ""        // a struct, whose fields declare it
)

var kinds = []Kind{ID, Text, Line, Digest, Payload, Amount, Labels, Config, Source}

// Removal is what becomes of a field when payloads are deleted.
type Removal string

const (
	Kept    Removal = "kept"
	Removed Removal = "removed"
	Blank   Removal = "blank" // removed without a trace: the rest must still be valid
)

// Field is the declaration of a field.
type Field struct {
	Kind    Kind
	Removal Removal
}

var (
	rawType  = reflect.TypeFor[json.RawMessage]()
	timeType = reflect.TypeFor[time.Time]()
)

// Of returns the declaration of a field. Ok is false if its tag is missing or wrong; it then counts as a payload.
func Of(f reflect.StructField) (field Field, ok bool) {
	tag, tagged := f.Tag.Lookup("holds")
	if !tagged {
		if ok = !needsTag(f.Type); ok {
			return Field{Removal: Removed}, true
		}
		return sent(f.Type), false
	}
	kind, removal, _ := strings.Cut(tag, ",")
	field = Field{Kind(kind), Removal(removal)}
	if kind == string(Kept) && isNested(f.Type) { // everything inside
		return Field{Nested, Kept}, true
	}
	switch field.Removal {
	case Kept, Removed, Blank:
	case "":
		if field.Removal = Removed; field.Kind == ID || field.Kind == Config {
			field.Removal = Kept
		}
	default:
		return sent(f.Type), false
	}
	if !slices.Contains(kinds, field.Kind) || !fits(field.Kind, f.Type) {
		return sent(f.Type), false
	}
	return field, true
}

// sent is the treatment of a field without a declaration.
func sent(t reflect.Type) Field {
	if base(t) == rawType {
		return Field{Payload, Removed}
	}
	return Field{Text, Removed}
}

// base is the element type of pointers, lists and maps.
func base(t reflect.Type) reflect.Type {
	for t != rawType && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array ||
		t.Kind() == reflect.Map) {
		t = t.Elem()
	}
	return t
}

func isMap(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.Map
}

func isNested(t reflect.Type) bool {
	return base(t).Kind() == reflect.Struct && base(t) != timeType
}

// needsTag reports whether the type alone does not determine the class.
func needsTag(t reflect.Type) bool {
	if isMap(t) {
		return true // its keys are strings
	}
	switch base(t).Kind() {
	case reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Float64, reflect.Struct:
		return false
	}
	return true
}

// fits reports whether a field of a type can have a class.
func fits(k Kind, t reflect.Type) bool {
	b := base(t)
	switch k {
	case ID:
		return b.Kind() == reflect.String || isMap(t) && b != rawType
	case Text, Line, Digest, Source:
		return b.Kind() == reflect.String && !isMap(t)
	case Labels:
		return b.Kind() == reflect.String && isMap(t)
	case Payload, Amount, Config:
		return b == rawType
	}
	return false
}

// Untagged lists the fields of a type, and of its nested types, without a valid declaration.
func Untagged(t reflect.Type) []string {
	out, seen := []string{}, map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(t reflect.Type) {
		t = base(t)
		if t.Kind() != reflect.Struct || t == timeType || seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			f := t.Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.IsExported() && !f.Anonymous || name == "-" {
				continue
			}
			if _, ok := Of(f); !ok {
				out = append(out, fmt.Sprintf("%s.%s (%s): tag %q", t, f.Name, f.Type, f.Tag.Get("holds")))
			}
			visit(f.Type)
		}
	}
	visit(t)
	return out
}
