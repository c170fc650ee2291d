package importer

import (
	"strconv"

	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/definition/tree"
)

// object is a mapping of a source that remembers which of its keys were read, so that none is overlooked: rest reports
// all others.
type object struct {
	notes *notes
	at    place
	node  *tree.Node
	asked map[string]bool
}

// entry is a value and its location.
type entry struct {
	at   place
	node *tree.Node
}

func (o *object) pathOf(key string) string {
	if o.at.path == "" {
		return key
	}
	return o.at.path + "." + key
}

// take returns the value of a key. Null counts as missing.
func (o *object) take(key string) (entry, bool) {
	if o.asked == nil {
		o.asked = map[string]bool{}
	}
	o.asked[key] = true
	for _, m := range o.node.Members {
		if m.Key != key {
			continue
		}
		e := entry{o.at, m.Value}
		e.at.path, e.at.line, e.at.column = o.pathOf(key), m.Pos.Line, m.Pos.Column
		return e, m.Value.Kind != tree.Null
	}
	return entry{}, false
}

// of is take for a value of one kind; any other is a problem.
func (o *object) of(key string, kind tree.Kind) (entry, bool) {
	e, ok := o.take(key)
	if !ok {
		return e, false
	}
	if e.node.Kind == kind {
		return e, true
	}
	o.notes.bad(e.at, "expected %s, got %s", kindWord(&tree.Node{Kind: kind}), kindWord(e.node))
	return e, false
}

func (o *object) text(key string) (string, entry, bool) {
	e, ok := o.of(key, tree.Text)
	if !ok {
		return "", e, false
	}
	return e.node.Text, e, true
}

// need is text for a required key.
func (o *object) need(key, why string) (string, entry, bool) {
	e, there := o.take(key)
	if !there || e.node.Kind == tree.Text && e.node.Text == "" {
		if e.node == nil {
			e.at = o.at
		}
		o.notes.bad(e.at, "%s is missing: %s", key, why)
		return "", e, false
	}
	return o.text(key)
}

func (o *object) flag(key string) (value bool, e entry, ok bool) {
	e, ok = o.of(key, tree.Bool)
	return ok && e.node.Text == "true", e, ok
}

// seconds reads a positive number of seconds.
func (o *object) seconds(key string) (quantity.Duration, entry, bool) {
	e, ok := o.of(key, tree.Number)
	if !ok {
		return 0, e, false
	}
	d, err := quantity.ParseDuration(e.node.Text)
	if err != nil || d <= 0 {
		o.notes.bad(e.at, "%s is not a number of seconds above 0", clip(e.node.Text))
		return 0, e, false
	}
	return d, e, true
}

// object reads a mapping inside this one.
func (o *object) object(key string) (*object, bool) {
	e, ok := o.of(key, tree.Map)
	if !ok {
		return nil, false
	}
	return o.within(e), true
}

func (o *object) within(e entry) *object {
	return &object{notes: o.notes, at: e.at, node: e.node}
}

// list reads a list and the locations of its elements.
func (o *object) list(key string) ([]entry, entry, bool) {
	e, ok := o.of(key, tree.List)
	if !ok {
		return nil, e, false
	}
	out := make([]entry, len(e.node.Items))
	for i, item := range e.node.Items {
		out[i] = entry{e.at, item}
		out[i].at.path += "[" + strconv.Itoa(i) + "]"
		out[i].at.line, out[i].at.column = item.Pos.Line, item.Pos.Column
	}
	return out, e, true
}

// texts reads a list of strings; a single string is accepted as well.
func (o *object) texts(key string) (out []entry, whole entry, ok bool) {
	whole, ok = o.take(key)
	if !ok {
		return nil, whole, false
	}
	if whole.node.Kind == tree.Text {
		return []entry{whole}, whole, true
	}
	items, whole, ok := o.list(key)
	for _, e := range items {
		if e.node.Kind != tree.Text {
			o.notes.bad(e.at, "expected a text, got %s", kindWord(e.node))
			continue
		}
		out = append(out, e)
	}
	return out, whole, ok
}

// rest reports every key that was not read.
func (o *object) rest() {
	for _, m := range o.node.Members {
		if !o.asked[m.Key] {
			at := o.at
			at.path, at.line, at.column = o.pathOf(clip(m.Key)), m.Pos.Line, m.Pos.Column
			o.notes.dropped(at, "no equivalent")
		}
	}
}
