package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// Decode reads a JSON document into v, a pointer. It rejects keys that v does not have, that differ from a
// known one in case, or that appear twice, and any other text that two parsers could read differently
// (value.Strict). The error is Invalid and lists every such key and every value of the wrong type, each with
// its path.
func Decode(raw json.RawMessage, v any) error {
	doc, err := value.Strict(raw)
	if doc == nil {
		return fault.Of("the document is not JSON", []fault.Problem{syntaxProblem(raw, err)})
	}
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer {
		return fmt.Errorf("decode into %T: not a pointer", v)
	}
	d := decoder{fields: map[reflect.Type]map[string]reflect.Type{}}
	d.walk(doc, t.Elem(), "")
	var two *fault.Error
	told := func(p fault.Problem) bool {
		return p.Path != "" && strings.HasPrefix(two.Problems[0].Path+".", p.Path+".")
	}
	if errors.As(err, &two) && !slices.ContainsFunc(d.problems, told) {
		d.problems = append(d.problems, two.Problems...)
	}
	if len(d.problems) > 0 {
		return fault.Of("the document is not valid", d.problems)
	}
	if err := json.Unmarshal(doc, v); err != nil {
		return fault.Of("the document is not valid", []fault.Problem{{Message: err.Error()}})
	}
	return nil
}

// syntaxProblem converts the standard library's offset to a line and column.
func syntaxProblem(raw []byte, err error) fault.Problem {
	p := fault.Problem{Message: err.Error(), Line: 1, Column: 1}
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(raw, new(json.RawMessage)), &syntax) {
		before := raw[:min(max(syntax.Offset-1, 0), int64(len(raw)))]
		p.Line += bytes.Count(before, []byte("\n"))
		p.Column = len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	}
	return p
}

// decoder compares a document with a type without decoding into it, so that one wrong value does not hide the
// next.
type decoder struct {
	suggester
	problems []fault.Problem
	fields   map[reflect.Type]map[string]reflect.Type
}

func (d *decoder) bad(path, format string, args ...any) {
	if len(d.problems) < problemsMax {
		d.problems = append(d.problems, fault.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

var (
	unmarshaler  = reflect.TypeFor[json.Unmarshaler]()
	wordOrObject = reflect.TypeFor[HumanLoop]() // decodes itself, but only as a word
)

func (d *decoder) walk(raw json.RawMessage, t reflect.Type, path string) {
	kind := value.KindOf(raw)
	switch {
	case t == wordOrObject && kind == value.KindObject:
		d.object(raw, t, path)
		return
	case t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(unmarshaler):
		d.leaf(raw, t, path)
		return
	case kind == value.Null:
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		d.walk(raw, t.Elem(), path)
	case reflect.Struct:
		if kind != value.KindObject {
			d.bad(path, "must be an object, not %s", article(kind))
			return
		}
		d.object(raw, t, path)
	case reflect.Map:
		if kind != value.KindObject {
			d.bad(path, "must be an object, not %s", article(kind))
			return
		}
		seen := map[string]bool{}
		for key, val := range value.Members(raw) {
			if seen[key] {
				d.bad(join(path, key), "duplicate key %q: keep one", key)
			}
			seen[key] = true
			d.walk(val, t.Elem(), join(path, key))
		}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			d.leaf(raw, t, path)
			return
		}
		if kind != value.KindArray {
			d.bad(path, "must be a list, not %s", article(kind))
			return
		}
		for i, val := range value.Elements(raw) {
			d.walk(val, t.Elem(), at(path, i))
		}
	case reflect.Interface:
	default:
		d.leaf(raw, t, path)
	}
}

func (d *decoder) object(raw json.RawMessage, t reflect.Type, path string) {
	fields := d.fieldsOf(t)
	seen := map[string]bool{}
	for key, val := range value.Members(raw) {
		ft, ok := fields[key]
		switch {
		case !ok:
			d.bad(join(path, key), "unknown key %s%s", quote(key), d.didYouMean(key, slices.Sorted(maps.Keys(fields))))
		case seen[key]:
			d.bad(join(path, key), "duplicate key %q: keep one", key)
		default:
			d.walk(val, ft, join(path, key))
		}
		seen[key] = true
	}
}

// leaf checks a single value.
func (d *decoder) leaf(raw json.RawMessage, t reflect.Type, path string) {
	err := json.Unmarshal(raw, reflect.New(t).Interface())
	if err == nil {
		return
	}
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		d.bad(path, "%s", messageOf(err))
		return
	}
	switch t.Kind() {
	case reflect.String:
		d.bad(path, "must be text, not %s", article(value.KindOf(raw)))
	case reflect.Bool:
		d.bad(path, "must be true or false, not %s", article(value.KindOf(raw)))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.bad(path, "must be a whole number, not %s", clip(string(raw)))
	case reflect.Float32, reflect.Float64:
		d.bad(path, "must be a number, not %s", clip(string(raw)))
	default:
		d.bad(path, "%s is not valid here", clip(string(raw)))
	}
}

// fieldsOf lists the keys that encoding/json knows for a struct.
func (d *decoder) fieldsOf(t reflect.Type) map[string]reflect.Type {
	if m, ok := d.fields[t]; ok {
		return m
	}
	out := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		if tag == "-" || !f.IsExported() || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if _, outer := out[name]; !outer {
			out[name] = f.Type
		}
	}
	d.fields[t] = out
	return out
}

// article returns a kind of value with its article, for messages.
func article(k value.Kind) string {
	switch k {
	case value.KindObject:
		return "an object"
	case value.KindArray:
		return "a list"
	case value.String:
		return "text"
	case value.Number:
		return "a number"
	case value.Bool:
		return "true or false"
	}
	return "nothing"
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
