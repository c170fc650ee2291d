package app

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/mask"
)

// How views and events are masked. Both are made of the same things: documents
// (json.RawMessage), texts (string) and words of ours. Every document and every
// text in them is masked, also those that somebody adds tomorrow, except what is
// named here: it is not people's or agents' to write.

// structural are the names of fields that hold ids, names of people and parts of
// the plan, and other words of ours.
var structural = wordSet(
	"id", "run", "workflow", "step", "agent", "gate", "tool", "operation", "owner", "by", "on_behalf_of", "role", "roles", "call", "requester", "kind", "type", "mime_type",
	"storage", "policy", "code", "key", "cost_usd", "estimated_cost_usd", "used", "max", "cause", "approval", "rule", "child", "parent", "retry_of", "forked_from", "status",
	"was", "hash", "prev", "target", "sealed", "next_cursor", "needs", "redo", "pending_approvals", "assignees", "escalated_to", "also", "to", "from", "decided_by", "want",
	"definition", "autonomy", "queue", "provider", "preview", "action", "limit", "masked_paths",
)

// schemas are documents of ours that say how others look.
var schemas = wordSet("args_schema", "input_schema", "schema", "rule", "terms", "notify")

// opaque are types that hold words of ours alone.
var opaque = map[reflect.Type]bool{
	reflect.TypeFor[time.Time](): true, reflect.TypeFor[run.Actor](): true, reflect.TypeFor[gate.Rule](): true, reflect.TypeFor[gate.Terms](): true,
	reflect.TypeFor[gate.Quorum](): true, reflect.TypeFor[run.Spot](): true, reflect.TypeFor[Masking](): true, reflect.TypeFor[plan.Agent](): true,
}

func wordSet(words ...string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

var (
	rawType    = reflect.TypeFor[json.RawMessage]()
	changeType = reflect.TypeFor[value.Change]()
	textType   = reflect.TypeFor[string]()
)

// tailor goes through a view or a fact and makes another of it. It never writes
// to what it is given: views share lists with the runs they show.
type tailor struct {
	step string // whose results these are
	doc  func(root mask.Root, path []string, at string, v json.RawMessage) json.RawMessage
	text func(name, at, s string) string
}

func (t *tailor) visit(v reflect.Value, root mask.Root, name, at string) reflect.Value {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		return t.visit(v.Elem(), root, name, at)
	case reflect.Pointer:
		if v.IsNil() || opaque[v.Type().Elem()] {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(t.visit(v.Elem(), root, name, at))
		return out
	case reflect.Struct:
		return t.object(v, at)
	case reflect.Slice:
		return t.slice(v, root, name, at)
	case reflect.Map:
		return t.members(v, name, at)
	case reflect.String:
		if v.Type() == textType && !structural[name] {
			return reflect.ValueOf(t.text(name, at, v.String()))
		}
	}
	return v
}

func (t *tailor) slice(v reflect.Value, root mask.Root, name, at string) reflect.Value {
	switch {
	case v.IsNil():
		return v
	case v.Type() == rawType:
		if schemas[name] {
			return v
		}
		return reflect.ValueOf(t.doc(root, nil, at, v.Interface().(json.RawMessage)))
	case v.Type().Elem().Kind() == reflect.Uint8:
		return v
	}
	out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		out.Index(i).Set(t.visit(v.Index(i), root, name, at+"/"+strconv.Itoa(i)))
	}
	return out
}

func (t *tailor) members(v reflect.Value, name, at string) reflect.Value {
	if v.IsNil() || structural[name] || v.Type().Key().Kind() != reflect.String {
		return v
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for entry := v.MapRange(); entry.Next(); {
		key := entry.Key().String()
		root := mask.Other
		if name == "outputs" {
			root = mask.StepOutput(key)
		} else if key == "input" {
			root = mask.Input
		}
		out.SetMapIndex(entry.Key(), t.visit(entry.Value(), root, "", at+"/"+pointerKey(key)))
	}
	return out
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func pointerKey(key string) string { return pointerEscapes.Replace(key) }

func (t *tailor) object(v reflect.Value, at string) reflect.Value {
	if opaque[v.Type()] {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	if v.Type() == changeType {
		return t.change(out, at)
	}
	outer := t.step
	defer func() { t.step = outer }()
	if step := stepOf(v); step != "" {
		t.step = step
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			out.Field(i).Set(t.visit(v.Field(i), mask.Other, "", at))
			continue
		case name == "-":
			continue
		case name == "":
			name = field.Name
		}
		out.Field(i).Set(t.visit(v.Field(i), t.rootOf(v.Type(), name), name, at+"/"+name))
	}
	return out
}

// stepOf is the step that something is about.
func stepOf(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case StepView:
		return x.ID
	case StepDetail:
		return x.ID
	case run.StepCompleted:
		return x.Step
	case run.StepReturned:
		return x.Step
	case run.ElementCompleted:
		return x.Step
	}
	return ""
}

// rootOf says which document of a run a field is.
func (t *tailor) rootOf(of reflect.Type, name string) mask.Root {
	switch of {
	case reflect.TypeFor[RunView](), reflect.TypeFor[run.RunStarted](), reflect.TypeFor[run.Edits](), reflect.TypeFor[run.RunCompleted]():
		switch name {
		case "input":
			return mask.Input
		case "output":
			return mask.Output
		case "context":
			return mask.Context
		}
	case reflect.TypeFor[StepView](), reflect.TypeFor[TryView](), reflect.TypeFor[run.Result]():
		if name == "output" && t.step != "" {
			return mask.StepOutput(t.step)
		}
	}
	return mask.Other
}

// change is one line of a difference: its path says what it is about.
func (t *tailor) change(v reflect.Value, at string) reflect.Value {
	c := v.Interface().(value.Change)
	path := strings.Split(strings.TrimPrefix(c.Path, "/"), "/")
	for i := range path {
		path[i] = strings.ReplaceAll(strings.ReplaceAll(path[i], "~1", "/"), "~0", "~")
	}
	if c.Path == "" {
		path = nil
	}
	c.From, c.To = t.doc(mask.Other, path, at+"/from", c.From), t.doc(mask.Other, path, at+"/to", c.To)
	c.Path = t.text("path", at+"/path", c.Path)
	return reflect.ValueOf(c)
}

// collectFrom notes what the sensitive places of a view or a fact hold.
func collectFrom(v any, rules *mask.Rules, values *mask.Values) {
	t := tailor{
		doc: func(root mask.Root, path []string, _ string, raw json.RawMessage) json.RawMessage {
			if path == nil {
				rules.Collect(root, raw, values)
			}
			return raw
		},
		text: func(_, _, s string) string { return s },
	}
	t.visit(reflect.ValueOf(v), mask.Other, "", "")
}

// digestFields hold digests without a salt: they would help to guess.
var digestFields = wordSet("digest", "content")

// lineFields are put together from values.
var lineFields = wordSet("title", "subject", "about", "scenario")

// pathsShown bounds how many places an answer lists.
const pathsShown = 200

// hide is a view, or a fact, as somebody may see it, and what was hidden in it.
// It sees to what the view itself holds, too: that may not be stored yet.
func hide[T any](v *veil, view T) (T, Masking) {
	if v == nil {
		return view, Masking{}
	}
	m := v.with(view)
	var told Masking
	note := func(at string) {
		told.Masked = true
		if len(told.Paths) < pathsShown {
			told.Paths = append(told.Paths, at)
		}
	}
	t := tailor{
		doc: func(root mask.Root, path []string, at string, raw json.RawMessage) json.RawMessage {
			return m.At(root, path, raw, func(within string) { note(at + within) })
		},
		text: func(name, at, s string) string {
			shown := s
			if digestFields[name] && strings.HasPrefix(s, "sha256:") {
				if v.held {
					shown = mask.Marker
				}
			} else if lineFields[name] {
				shown = m.Line(s)
			} else {
				shown = m.Text(s)
			}
			if shown != s {
				note(at)
			}
			return shown
		},
	}
	return t.visit(reflect.ValueOf(&view).Elem(), mask.Other, "", "").Interface().(T), told
}

// blind hides every document and every text of a fact, and says where they were.
func blind[T any](fact T) (T, Masking) {
	told := Masking{Masked: true, Paths: []string{}}
	note := func(at string) {
		if len(told.Paths) < pathsShown {
			told.Paths = append(told.Paths, at)
		}
	}
	t := tailor{
		doc: func(_ mask.Root, _ []string, at string, raw json.RawMessage) json.RawMessage {
			if value.KindOf(raw) == value.Null || len(raw) == 0 {
				return raw
			}
			note(at)
			return value.Quote(mask.Marker)
		},
		text: func(_, at, s string) string {
			if s == "" {
				return s
			}
			note(at)
			return mask.Marker
		},
	}
	return t.visit(reflect.ValueOf(&fact).Elem(), mask.Other, "", "").Interface().(T), told
}

// with is the mask with what a view holds besides.
func (v *veil) with(view any) *mask.Mask {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	before, found := v.s.values.Size(), v.s.values.Found()
	collectFrom(view, v.s.rules, v.s.values)
	v.held = v.held || v.s.values.Found() > found
	if v.s.mask == nil || v.s.values.Size() != before || v.s.size != before {
		v.s.mask, v.s.size = mask.New(v.s.rules, v.s.values), v.s.values.Size()
	}
	v.mask = v.s.mask
	return v.mask
}

// shorten replaces long documents of a view by references, as views that are
// not masked have them from the start.
func shorten[T any](view T, full bool) T {
	if full {
		return view
	}
	short := shortener(false)
	t := tailor{
		doc:  func(_ mask.Root, _ []string, _ string, raw json.RawMessage) json.RawMessage { return short(raw) },
		text: func(_, _, s string) string { return s },
	}
	return t.visit(reflect.ValueOf(&view).Elem(), mask.Other, "", "").Interface().(T)
}
