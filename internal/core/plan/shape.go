package plan

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/value"
)

// shape is the first level of an object schema.
type shape struct {
	properties map[string]json.RawMessage
	required   []string
	closed     bool // other properties are rejected
}

func shapeOf(root json.RawMessage) shape {
	top := resolve(root, root)
	s := shape{properties: map[string]json.RawMessage{}}
	if props, ok := value.Get(top, "properties"); ok {
		maps.Insert(s.properties, value.Members(props))
	}
	if req, ok := value.Get(top, "required"); ok {
		_ = json.Unmarshal(req, &s.required) // an invalid schema is reported elsewhere
	}
	_, patterns := value.Get(top, "patternProperties")
	more, ok := value.Get(top, "additionalProperties")
	s.closed = ok && string(more) == "false" && !patterns
	return s
}

func (s shape) names() []string { return slices.Sorted(maps.Keys(s.properties)) }

// resolve follows references within the same document, to a limited depth.
func resolve(root, s json.RawMessage) json.RawMessage {
	for range 8 {
		ref, ok := value.Get(s, "$ref")
		if !ok {
			return s
		}
		text, _ := value.Text(ref)
		rest, local := strings.CutPrefix(text, "#/")
		if !local {
			return nil
		}
		if s, ok = value.Get(root, strings.Split(rest, "/")...); !ok {
			return nil
		}
	}
	return nil
}

// data describes what a name refers to, as far as a schema declares it.
type data struct {
	schema json.RawMessage
	list   bool   // a list of these, as a map returns
	name   string // for messages and as a cache key
}

// view is what a schema declares about one path of the data. With neither field set it declares nothing.
type view struct {
	schema json.RawMessage
	absent string // the missing name, unless undeclared ones are allowed
	shape  shape  // of the object that lacks it
}

// at resolves path.
func (d data) at(path []string) view {
	if value.KindOf(d.schema) != value.KindObject {
		return view{}
	}
	if d.list {
		if len(path) == 0 {
			if referring(d.schema) {
				return view{}
			}
			return view{schema: listOf(d.schema)}
		}
		path = path[1:]
	}
	cur := resolve(d.schema, d.schema)
	for _, seg := range path {
		var next json.RawMessage
		if _, err := strconv.Atoi(seg); err == nil {
			next, _ = value.Get(cur, "items")
		}
		if next == nil {
			s := shapeOf(cur)
			if next = s.properties[seg]; next == nil {
				return view{absent: seg, shape: s}
			}
		}
		if cur = resolve(d.schema, next); cur == nil {
			return view{}
		}
	}
	if len(path) > 0 && referring(cur) {
		return view{} // it cannot be resolved outside its document
	}
	return view{schema: cur}
}

// key distinguishes data within one workflow.
func (d data) key() string { return d.name + strconv.FormatBool(d.list) }

func listOf(item json.RawMessage) json.RawMessage {
	return value.Object(value.Member{Key: "type", Value: value.Quote("array")}, value.Member{Key: "items", Value: item})
}

func referring(s json.RawMessage) bool { return bytes.Contains(s, []byte(`"$ref"`)) }

// compared caches what schemas declare, because many steps share agents, and limits the work: these checks
// are early help for authors, and a run validates every value anyway.
type compared struct {
	views   map[fitKey]view
	fits    map[fitKey]string
	clashes map[fitKey][]clash
	shapes  map[string]shape // of sub-workflows
	bytes   int              // of schemas visited
}

const comparedMax = 200 << 20

// fitKey is the key of a cached answer.
type fitKey struct{ from, path, to, target string }

func newCompared() compared {
	return compared{map[fitKey]view{}, map[fitKey]string{}, map[fitKey][]clash{}, map[string]shape{}, 0}
}

// spend reports whether the budget allows this much more work.
func (c *compared) spend(bytes int) bool {
	c.bytes += bytes
	return c.bytes < comparedMax
}

// view resolves path, with a cache.
func (c *compared) view(d data, path value.Path) view {
	if d.schema == nil {
		return view{}
	}
	key := fitKey{from: d.key(), path: path.String()}
	v, known := c.views[key]
	if !known && c.spend(len(d.schema)*(len(path)+1)) {
		v = d.at(path)
		c.views[key] = v
	}
	return v
}
