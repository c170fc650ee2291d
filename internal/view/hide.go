package view

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/holds"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/mask"
)

// Under prefixes the paths with the place of a part in a response.
func (m Masking) Under(at string) Masking {
	for i := range m.Paths {
		m.Paths[i] = at + m.Paths[i]
	}
	return m
}

// How views and events are masked. Both consist of documents (json.RawMessage), texts (string) and words of ours, and
// the tags of their fields tell them apart; see package holds. A field without a tag is masked.

var (
	rawType    = reflect.TypeFor[json.RawMessage]()
	changeType = reflect.TypeFor[value.Change]()
	timeType   = reflect.TypeFor[time.Time]()
)

// tailor walks a view or a fact and builds an altered copy. It never writes to its input: views share lists with the
// runs they show.
type tailor struct {
	step string // whose results these are
	doc  func(kind holds.Kind, root mask.Root, path []string, at string, v json.RawMessage) json.RawMessage
	text func(kind holds.Kind, at, s string) string
}

// alter is a view or a fact as altered by the tailor.
func alter[T any](t tailor, v T) T {
	kind := holds.Text
	if _, ok := any(v).(json.RawMessage); ok {
		kind = holds.Payload
	}
	return t.visit(reflect.ValueOf(&v).Elem(), spot{kind: kind}).Interface().(T)
}

// spot is a place in a view, and its type.
type spot struct {
	kind holds.Kind
	root mask.Root
	name string // of the field
	at   string // as a JSON pointer
}

func (t *tailor) visit(v reflect.Value, in spot) reflect.Value {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		return t.visit(v.Elem(), in)
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(t.visit(v.Elem(), in))
		return out
	case reflect.Struct:
		return t.object(v, in.at)
	case reflect.Slice:
		return t.slice(v, in)
	case reflect.Map:
		return t.members(v, in)
	case reflect.String:
		if in.kind != holds.ID {
			return reflect.ValueOf(t.text(in.kind, in.at, v.String())).Convert(v.Type())
		}
	}
	return v
}

func (t *tailor) slice(v reflect.Value, in spot) reflect.Value {
	switch {
	case v.IsNil():
		return v
	case v.Type() == rawType:
		if in.kind == holds.Config {
			return v
		}
		return reflect.ValueOf(t.doc(in.kind, in.root, nil, in.at, v.Interface().(json.RawMessage)))
	case v.Type().Elem().Kind() == reflect.Uint8:
		return reflect.ValueOf([]byte(t.text(holds.Text, in.at, string(v.Bytes())))).Convert(v.Type())
	}
	out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		one := in
		one.at += "/" + strconv.Itoa(i)
		out.Index(i).Set(t.visit(v.Index(i), one))
	}
	return out
}

func (t *tailor) members(v reflect.Value, in spot) reflect.Value {
	if v.IsNil() || in.kind == holds.ID && v.Type().Elem().Kind() != reflect.Struct ||
		v.Type().Key().Kind() != reflect.String {
		return v
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for entry := v.MapRange(); entry.Next(); {
		key := entry.Key().String()
		one := spot{kind: in.kind, at: in.at + "/" + pointerKey(key)}
		if in.name == "outputs" {
			one.root = mask.StepOutput(key)
		} else if key == "input" {
			one.root = mask.Input
		}
		out.SetMapIndex(entry.Key(), t.visit(entry.Value(), one))
	}
	return out
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func pointerKey(key string) string { return pointerEscapes.Replace(key) }

func (t *tailor) object(v reflect.Value, at string) reflect.Value {
	if v.Type() == timeType {
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
		held, _ := holds.Of(field)
		switch {
		case field.Anonymous && name == "":
			out.Field(i).Set(t.visit(v.Field(i), spot{kind: held.Kind, at: at}))
			continue
		case name == "-":
			continue
		case name == "":
			name = field.Name
		}
		out.Field(i).Set(t.visit(v.Field(i), spot{held.Kind, t.rootOf(v.Type(), name), name, at + "/" + name}))
	}
	return out
}

// stepOf is the step that something is about.
func stepOf(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case Step:
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

// rootOf is the document of a run that a field shows.
func (t *tailor) rootOf(of reflect.Type, name string) mask.Root {
	switch of {
	case reflect.TypeFor[Run](), reflect.TypeFor[run.RunStarted](), reflect.TypeFor[run.Edits](),
		reflect.TypeFor[run.RunCompleted]():
		switch name {
		case "input":
			return mask.Input
		case "output":
			return mask.Output
		case "context":
			return mask.Context
		}
	case reflect.TypeFor[Step](), reflect.TypeFor[Try](), reflect.TypeFor[run.Result]():
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
	c.From = t.doc(holds.Payload, mask.Other, path, at+"/from", c.From)
	c.To = t.doc(holds.Payload, mask.Other, path, at+"/to", c.To)
	c.Path = t.text(holds.Text, at+"/path", c.Path)
	return reflect.ValueOf(c)
}

// collectFrom collects the values in the sensitive places of a view or a fact.
func collectFrom(v any, rules *mask.Rules, values *mask.Values) {
	t := tailor{
		doc: func(_ holds.Kind, root mask.Root, path []string, _ string, raw json.RawMessage) json.RawMessage {
			if path == nil {
				rules.Collect(root, raw, values)
			}
			return raw
		},
		text: func(_ holds.Kind, _, s string) string { return s },
	}
	alter(t, v)
}

// pathsShown bounds how many places a response lists.
const pathsShown = 200

// Hide is a view, or a fact, as the reader may see it, and the places that were masked. It also covers the sensitive
// values of the view itself: they may not be stored yet.
func Hide[T any](v *Veil, view T) (T, Masking) {
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
		doc: func(kind holds.Kind, root mask.Root, path []string, at string, raw json.RawMessage) json.RawMessage {
			if kind == holds.Amount && v.held && len(raw) > 0 { // the place it comes from is unknown
				note(at)
				return value.Quote(mask.Marker)
			}
			return m.At(root, path, raw, func(within string) { note(at + within) })
		},
		text: func(kind holds.Kind, at, s string) string {
			shown := s
			switch kind {
			case holds.Digest:
				if v.held && s != "" && s != run.RemovedText {
					shown = mask.Marker
				}
			case holds.Line:
				shown = m.Line(s)
			default:
				shown = m.Text(s)
			}
			if shown != s {
				note(at)
			}
			return shown
		},
	}
	return alter(t, view), told
}

// Blind masks every document and every text of a fact, and returns where they were.
func Blind[T any](fact T) (T, Masking) {
	told := Masking{Masked: true, Paths: []string{}}
	note := func(at string) {
		if len(told.Paths) < pathsShown {
			told.Paths = append(told.Paths, at)
		}
	}
	t := tailor{
		doc: func(_ holds.Kind, _ mask.Root, _ []string, at string, raw json.RawMessage) json.RawMessage {
			if value.KindOf(raw) == value.Null || len(raw) == 0 {
				return raw
			}
			note(at)
			return value.Quote(mask.Marker)
		},
		text: func(_ holds.Kind, at, s string) string {
			if s == "" {
				return s
			}
			note(at)
			return mask.Marker
		},
	}
	return alter(t, fact), told
}

// with is the mask extended by the sensitive values of a view.
func (v *Veil) with(view any) *mask.Mask {
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

// Shorten replaces long documents of a view by references, as unmasked views have them from the start.
func Shorten[T any](view T, full bool) T {
	if full {
		return view
	}
	short := Shortener(false)
	t := tailor{
		doc: func(_ holds.Kind, _ mask.Root, _ []string, _ string, raw json.RawMessage) json.RawMessage {
			return short(raw)
		},
		text: func(_ holds.Kind, _, s string) string { return s },
	}
	return alter(t, view)
}

// Masking lists what was masked in a response.
type Masking struct {
	// Whether values are masked for you; they are shown as •••.
	Masked bool `json:"masked,omitempty"`
	// The masked values, as JSON pointers; the first 200.
	Paths []string `json:"masked_paths,omitempty" holds:"id"`
}
