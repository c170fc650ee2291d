package request

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/core/value"
)

// MissingMembers lists the required members that a body lacks; null counts as missing. Where the OpenAPI document
// promises a string, a number is also refused. Members in but were sent by other means.
func MissingMembers(body json.RawMessage, t reflect.Type, under string, but ...string) (problems []fault.Problem) {
	bad := func(path, message string) { problems = append(problems, fault.Problem{Path: path, Message: message}) }
	given := map[string]json.RawMessage{}
	for name, v := range value.Members(body) {
		given[name] = v
	}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		v, path := given[name], under+name
		kind := value.KindOf(v)
		switch {
		case kind == value.Missing || kind == value.Null:
			if !strings.Contains(options, "omit") && !slices.Contains(but, path) {
				bad(path, "is required")
			}
		case texts[f.Type] && kind != value.String:
			bad(path, "must be a string")
		case name == "version" && kind == value.Number && elem(f.Type).Kind() == reflect.Int && !positive(v):
			bad(path, "must be 1 or more")
		case kind == value.KindObject && nested(f.Type):
			problems = append(problems, MissingMembers(v, elem(f.Type), path+".")...)
		}
	}
	return problems
}

// texts are the types that are texts in requests, although files may have numbers.
var texts = map[reflect.Type]bool{
	reflect.TypeFor[quantity.Duration]():  true,
	reflect.TypeFor[*quantity.Duration](): true,
	reflect.TypeFor[quantity.Money]():     true,
	reflect.TypeFor[*quantity.Money]():    true,
}

// positive reports whether a whole number is at least one; others are refused elsewhere.
func positive(raw json.RawMessage) bool {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return err != nil || n >= 1
}

func elem(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// nested reports whether the members of a type are checked as well.
func nested(t reflect.Type) bool {
	t = elem(t)
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}
