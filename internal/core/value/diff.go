package value

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Change is one difference between two documents. Path is a JSON pointer
// (RFC 6901), Op is add, remove or replace.
type Change struct {
	Path string          `json:"path" holds:"text"`              // Where, as a JSON pointer.
	Op   string          `json:"op" holds:"id"`                  // add, remove or replace.
	From json.RawMessage `json:"from,omitempty" holds:"payload"` // The old value.
	To   json.RawMessage `json:"to,omitempty" holds:"payload"`   // The new value.
}

const (
	changesMax   = 1000 // more would not be read
	diffDepthMax = 64   // below, a difference is reported as one replacement
)

// Diff lists the changes from a to b: objects member by member in a's order and then b's additions, arrays
// element by element at the same index. It stops after 1000 changes. An empty document is a missing one.
func Diff(a, b json.RawMessage) []Change {
	var d differ
	d.compare("", trim(a), trim(b), 0)
	return d.changes
}

type differ struct{ changes []Change }

func (d *differ) full() bool { return len(d.changes) >= changesMax }

func (d *differ) compare(path string, a, b []byte, depth int) {
	if d.full() || bytes.Equal(a, b) {
		return
	}
	switch {
	case len(a) == 0:
		d.changes = append(d.changes, Change{Path: path, Op: "add", To: b})
		return
	case len(b) == 0:
		d.changes = append(d.changes, Change{Path: path, Op: "remove", From: a})
		return
	}
	if kind := KindOf(a); kind == KindOf(b) && depth < diffDepthMax {
		switch kind {
		case KindObject:
			d.objects(path, a, b, depth)
			return
		case KindArray:
			d.arrays(path, a, b, depth)
			return
		}
	}
	if !Equal(a, b) {
		d.changes = append(d.changes, Change{Path: path, Op: "replace", From: a, To: b})
	}
}

func (d *differ) objects(path string, a, b []byte, depth int) {
	// A nil value is a member that the other side lacks.
	var l layout
	eachMember(a, func(lit, val []byte) bool { l.slot(lit).val = val; return true })
	eachMember(b, func(lit, val []byte) bool { l.slot(lit).other = val; return true })
	for _, s := range l.slots {
		if d.full() {
			return
		}
		if !bytes.Equal(s.val, s.other) {
			d.compare(path+"/"+pointerEscape(string(keyOf(s.lit))), s.val, s.other, depth+1)
		}
	}
}

func (d *differ) arrays(path string, a, b []byte, depth int) {
	before, after := Elements(a), Elements(b)
	for i := range max(len(before), len(after)) {
		var x, y []byte
		if i < len(before) {
			x = before[i]
		}
		if i < len(after) {
			y = after[i]
		}
		if d.full() {
			return
		}
		if !bytes.Equal(x, y) {
			d.compare(path+"/"+strconv.Itoa(i), x, y, depth+1)
		}
	}
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func pointerEscape(key string) string { return pointerEscaper.Replace(key) }
