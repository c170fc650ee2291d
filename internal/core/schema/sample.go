package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/value"
)

const (
	sampleDepthMax = 8
	sampleNodesMax = 1000
	sampleReadMax  = 16 << 20 // bytes of schema visited, counting repeats
	sampleItemsMax = 100
)

// Sample generates a small value that matches an ordinary schema: the constant, the first of an enum, the
// default or an example if there is one, else the minimum that the type allows. It is for previews and dry
// runs, and deterministic. Values taken from the schema keep their bytes. Without a usable schema it is {}.
func Sample(raw json.RawMessage) json.RawMessage {
	doc, err := value.Compact(raw)
	if err != nil || len(raw) > sizeMax || value.KindOf(doc) != value.KindObject {
		return json.RawMessage("{}")
	}
	s := sampler{root: doc, left: sampleNodesMax, read: sampleReadMax}
	if out := s.value(doc, 0, 0); out != nil {
		return out
	}
	return json.RawMessage("{}")
}

type sampler struct {
	root json.RawMessage
	left int // values still to generate
	read int // bytes still to visit
}

// value generates a value, or nil if the schema gives no clue. Different variants differ if possible, for
// arrays of unique items.
func (s *sampler) value(schema json.RawMessage, variant, depth int) json.RawMessage {
	s.left--
	s.read -= len(schema)
	if s.left < 0 || s.read < 0 || depth > 2*sampleDepthMax {
		return nil
	}
	if given := s.given(schema, variant); given != nil {
		return given
	}
	base, parts := s.typed(schema, variant, depth), s.parts(schema)
	if base != nil && len(parts) > 0 && value.KindOf(base) != value.KindObject {
		return s.typed(value.Merge(append(parts, schema)...), variant, depth)
	}
	for _, part := range parts {
		more := s.value(part, variant, depth+1)
		if base == nil || value.KindOf(base) == value.KindObject && value.KindOf(more) == value.KindObject {
			base = merge(base, more)
		}
	}
	return base
}

func merge(base, more json.RawMessage) json.RawMessage {
	if base == nil {
		return more
	}
	return value.Merge(base, more)
}

// given is a value that the schema itself contains.
func (s *sampler) given(schema json.RawMessage, variant int) json.RawMessage {
	if c, ok := value.Get(schema, "const"); ok {
		return c
	}
	for _, kw := range []string{"enum", "default", "examples"} {
		v, ok := value.Get(schema, kw)
		if !ok {
			continue
		}
		if kw == "default" {
			if variant == 0 {
				return v
			}
			continue
		}
		if list := value.Elements(v); variant < len(list) {
			return list[variant]
		}
	}
	return nil
}

// parts are the schemas that also apply: a reference, all of allOf, and one branch of anyOf or oneOf that is
// not just null.
func (s *sampler) parts(schema json.RawMessage) (parts []json.RawMessage) {
	if ref, ok := value.Get(schema, "$ref"); ok {
		if target := s.resolve(ref); target != nil {
			parts = append(parts, target)
		}
	}
	if all, ok := value.Get(schema, "allOf"); ok {
		parts = append(parts, value.Elements(all)...)
	}
	for _, kw := range []string{"anyOf", "oneOf"} {
		list, _ := value.Get(schema, kw)
		for i, branch := range value.Elements(list) {
			t, _ := value.Get(branch, "type")
			if i == 0 && string(t) == `"null"` && len(value.Elements(list)) > 1 {
				continue
			}
			parts = append(parts, branch)
			break
		}
	}
	return parts
}

func (s *sampler) resolve(ref json.RawMessage) json.RawMessage {
	text, _ := value.Text(ref)
	frag, ok := strings.CutPrefix(text, "#")
	if !ok {
		return nil
	}
	var path []string
	for _, seg := range strings.Split(unescapeURL(frag), "/")[1:] {
		path = append(path, strings.ReplaceAll(strings.ReplaceAll(seg, "~1", "/"), "~0", "~"))
	}
	if frag != "" && len(path) == 0 {
		return nil // an anchor
	}
	target, _ := value.Get(s.root, path...)
	return target
}

// typed generates the minimal value of the schema's type.
func (s *sampler) typed(schema json.RawMessage, variant, depth int) json.RawMessage {
	switch typeOf(schema) {
	case "object":
		return s.object(schema, depth)
	case "array":
		return s.array(schema, depth)
	case "string":
		return sampleText(schema, variant)
	case "integer":
		return sampleNumber(schema, variant, true)
	case "number":
		return sampleNumber(schema, variant, false)
	case "boolean":
		return json.RawMessage(strconv.FormatBool(variant%2 == 0))
	case "null":
		return json.RawMessage("null")
	}
	return nil
}

// typeOf is the declared type, the first of several that is not null, or the one implied by the keywords.
func typeOf(schema json.RawMessage) string {
	t, ok := value.Get(schema, "type")
	if ok {
		for _, e := range slices.Concat(value.Elements(t), []json.RawMessage{t}) {
			if name, ok := value.Text(e); ok && (name != "null" || value.KindOf(t) == value.String) {
				return name
			}
		}
		if len(value.Elements(t)) > 0 {
			return "null"
		}
	}
	for _, hint := range []struct{ keyword, kind string }{
		{"properties", "object"}, {"required", "object"}, {"additionalProperties", "object"}, {"minProperties", "object"},
		{"items", "array"}, {"prefixItems", "array"}, {"minItems", "array"},
		{"minLength", "string"}, {"pattern", "string"}, {"format", "string"}, {"maxLength", "string"},
		{"minimum", "number"}, {"maximum", "number"}, {"multipleOf", "number"}, {"exclusiveMinimum", "number"},
		{"exclusiveMaximum", "number"},
	} {
		if _, ok := value.Get(schema, hint.keyword); ok {
			return hint.kind
		}
	}
	return ""
}

// object contains the required properties; if there are none, the declared ones illustrate its shape.
func (s *sampler) object(schema json.RawMessage, depth int) json.RawMessage {
	props, _ := value.Get(schema, "properties")
	rest, _ := value.Get(schema, "additionalProperties")
	var needed []string
	req, _ := value.Get(schema, "required")
	for _, r := range value.Elements(req) {
		if name, ok := value.Text(r); ok && !slices.Contains(needed, name) {
			needed = append(needed, name)
		}
	}
	least := integer(schema, "minProperties", 0)
	optional := len(needed) == 0 && depth < sampleDepthMax/2
	var members []value.Member
	done := map[string]bool{}
	add := func(name string, sub json.RawMessage) {
		if done[name] || len(members) >= sampleItemsMax {
			return
		}
		done[name] = true
		members = append(members, value.Member{Key: name, Value: s.some(sub, 0, depth)})
	}
	for name, sub := range value.Members(props) {
		if slices.Contains(needed, name) || (optional || len(members) < least) && string(sub) != "false" {
			add(name, sub)
		}
	}
	for _, name := range needed {
		add(name, rest)
	}
	for i := 1; len(members) < min(least, sampleItemsMax); i++ {
		add("key"+strconv.Itoa(i), rest)
	}
	return value.Object(members...)
}

// some is a value for a required position, whatever the schema.
func (s *sampler) some(schema json.RawMessage, variant, depth int) json.RawMessage {
	if v := s.value(schema, variant, depth+1); v != nil {
		return v
	}
	if variant == 0 {
		return value.Quote("text")
	}
	return value.Quote("text" + strconv.Itoa(variant))
}

func (s *sampler) array(schema json.RawMessage, depth int) json.RawMessage {
	first, _ := value.Get(schema, "prefixItems")
	items, _ := value.Get(schema, "items")
	tuple := value.Elements(first)
	if tuple == nil && value.KindOf(items) == value.KindArray { // before 2020-12
		tuple = value.Elements(items)
		items, _ = value.Get(schema, "additionalItems")
	}
	least := integer(schema, "minItems", 0)
	want := max(least, len(tuple))
	if want == 0 && value.KindOf(items) == value.KindObject && depth < sampleDepthMax {
		want = 1
	}
	want = min(want, sampleItemsMax)
	if most := integer(schema, "maxItems", want); most >= 0 {
		want = min(want, most)
	}
	unique, _ := value.Get(schema, "uniqueItems")
	var elems []json.RawMessage
	for i := range want {
		sub, variant := items, 0
		if i < len(tuple) {
			sub = tuple[i]
		}
		if string(unique) == "true" {
			variant = i
		}
		elems = append(elems, s.some(sub, variant, depth))
	}
	return value.Array(elems...)
}

// integer parses a count such as minItems.
func integer(schema json.RawMessage, keyword string, otherwise int) int {
	v, ok := value.Get(schema, keyword)
	if !ok || value.KindOf(v) != value.Number {
		return otherwise
	}
	r, ok := rational(string(v))
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return otherwise
	}
	return int(min(r.Num().Int64(), 1<<30))
}
