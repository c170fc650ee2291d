package mask

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/assent-run/assent/internal/core/value"
)

// Mask masks values. It is safe for concurrent use.
type Mask struct {
	rules  *Rules
	hide   *strings.Replacer
	exact  map[string]bool
	short  map[string]bool // searched only in titles
	blind  bool            // no text can be shown
	silent bool            // there is nothing to search for in texts
}

// New creates a mask from rules and the known values of sensitive places. It keeps a copy of the values.
func New(rules *Rules, values *Values) *Mask {
	m := &Mask{rules: rules, exact: make(map[string]bool, len(values.texts)),
		short: maps.Clone(values.short), blind: values.full}
	for text := range values.texts {
		m.exact[text] = true
	}
	m.hide, m.silent = values.replacer(), len(values.texts) == 0
	return m
}

// Text masks values in a text.
func (m *Mask) Text(s string) string {
	switch {
	case s == "" || s == Marker:
		return s
	case m.blind || len(s) > textMax:
		return Marker
	case m.silent:
		return s
	}
	return m.hide.Replace(s)
}

// Doc masks values in a document. Note receives the location of each masked value as a JSON pointer; it may be nil. A
// document without sensitive values keeps its bytes.
func (m *Mask) Doc(root Root, doc json.RawMessage, note func(pointer string)) json.RawMessage {
	if len(doc) == 0 {
		return doc
	}
	w := walk{m: m, root: root, note: note}
	out, _ := w.visit(nil, "", doc, m.rules.hides(root, nil), 0)
	return out
}

// At is Doc for a value inside a document.
func (m *Mask) At(root Root, path []string, v json.RawMessage, note func(pointer string)) json.RawMessage {
	if len(v) == 0 {
		return v
	}
	lower := make([]string, 0, len(path)+4)
	inside := false
	for _, seg := range path {
		if isIndex(seg) {
			continue
		}
		lower = append(lower, strings.ToLower(seg))
		inside = inside || m.rules.hides(root, lower)
	}
	w := walk{m: m, root: root, note: note}
	out, _ := w.visit(lower, "", v, inside || m.rules.hides(root, nil), 0)
	return out
}

type walk struct {
	m    *Mask
	root Root
	note func(string)
}

func (w *walk) told(at string) {
	if w.note != nil {
		w.note(at)
	}
}

var marker = value.Quote(Marker)

// visit returns a value as shown, and whether it changed.
func (w *walk) visit(path []string, at string, v json.RawMessage, inside bool, depth int) (json.RawMessage, bool) {
	switch kind := value.KindOf(v); kind {
	case value.KindObject, value.KindArray:
		if depth >= depthMax {
			w.told(at)
			return marker, true
		}
		if kind == value.KindArray {
			return w.list(path, at, v, inside, depth)
		}
		return w.object(path, at, v, inside, depth)
	case value.Null, value.Missing:
		return v, false
	case value.Bool:
		if !inside {
			return v, false
		}
	case value.Number:
		if !inside && !w.m.blind && !w.m.exact[strings.TrimSpace(string(v))] {
			return v, false
		}
	case value.String:
		text, _ := value.Text(v)
		if text == Marker {
			return v, false
		}
		if !inside {
			shown := w.m.Text(text)
			if shown == text {
				return v, false
			}
			w.told(at)
			return value.Quote(shown), true
		}
	}
	w.told(at)
	return marker, true
}

func (w *walk) list(path []string, at string, v json.RawMessage, inside bool, depth int) (json.RawMessage, bool) {
	elements := value.Elements(v)
	changed := false
	for i, e := range elements {
		shown, other := w.visit(path, fmt.Sprintf("%s/%d", at, i), e, inside, depth+1)
		if other {
			elements[i], changed = shown, true
		}
	}
	if !changed {
		return v, false
	}
	return value.Array(elements...), true
}

func (w *walk) object(path []string, at string, v json.RawMessage, inside bool, depth int) (json.RawMessage, bool) {
	var out []value.Member
	taken := map[string]int{}
	changed := false
	for key, m := range value.Members(v) {
		// The name of a field may be a value as well, as in a list by e-mail address.
		name := w.m.Text(key)
		if name != key {
			changed = true
			taken[name]++
			if n := taken[name]; n > 1 {
				name = fmt.Sprintf("%s (%d)", name, n)
			}
			w.told(at + "/" + escape(name))
		}
		here := append(path, strings.ToLower(key))
		shown, other := w.visit(here, at+"/"+escape(name), m, inside || w.m.rules.hides(w.root, here), depth+1)
		changed = changed || other
		out = append(out, value.Member{Key: name, Value: shown})
	}
	if !changed {
		return v, false
	}
	return value.Object(out...), true
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

func escape(key string) string { return escaper.Replace(key) }

// Holds finds the marker in a document: a caller sends back a masked value. It is a JSON pointer, and false if there is
// none.
func Holds(doc json.RawMessage) (at string, held bool) { return holds("", doc, 0) }

func holds(at string, v json.RawMessage, depth int) (string, bool) {
	if depth > depthMax {
		return "", false
	}
	switch value.KindOf(v) {
	case value.KindObject:
		for key, m := range value.Members(v) {
			here := at + "/" + escape(key)
			if strings.Contains(key, Marker) {
				return here, true
			}
			if where, ok := holds(here, m, depth+1); ok {
				return where, true
			}
		}
	case value.KindArray:
		for i, e := range value.Elements(v) {
			if where, ok := holds(fmt.Sprintf("%s/%d", at, i), e, depth+1); ok {
				return where, true
			}
		}
	case value.String:
		if text, _ := value.Text(v); strings.Contains(text, Marker) {
			return at, true
		}
	}
	return "", false
}
