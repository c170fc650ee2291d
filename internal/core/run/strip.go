package run

import (
	"encoding/json"
	"reflect"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/holds"
	"github.com/assent-run/assent/internal/core/plan"
)

// Removed replaces a deleted document, and RemovedText a deleted text.
var Removed = json.RawMessage(`{"$removed":true}`)

const RemovedText = "[removed]"

var rawJSON = reflect.TypeFor[json.RawMessage]()

// Strip returns a fact without payloads, that is, without content that people and agents sent. The tags of
// its fields define what that is; see package holds. A stripped log folds into a run with the same steps,
// approvals, times and people. Strip is idempotent.
//
// The audit log stores digests of stripped facts, so the tag of a released field must not change what Strip
// does with it.
func Strip(f Fact) Fact { return strip(reflect.ValueOf(f), holds.Field{}).Interface().(Fact) }

// StripApproval is Strip for an approval as shown in lists.
func StripApproval(a *gate.Approval) *gate.Approval {
	return strip(reflect.ValueOf(a), holds.Field{}).Interface().(*gate.Approval)
}

func strip(v reflect.Value, f holds.Field) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(strip(v.Elem(), f))
		return out
	case reflect.Struct:
		return stripStruct(v, f)
	case reflect.Slice:
		return stripSlice(v, f)
	case reflect.Map:
		return stripMap(v, f)
	case reflect.String:
		return stripText(v, f)
	case reflect.Interface:
		return reflect.Zero(v.Type()) // nothing declares its content
	}
	return v
}

func stripStruct(v reflect.Value, f holds.Field) reflect.Value {
	if f.Removal == holds.Kept {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	for i := range v.NumField() {
		if field := v.Type().Field(i); field.IsExported() {
			held, _ := holds.Of(field)
			out.Field(i).Set(strip(v.Field(i), held))
		}
	}
	return out
}

func stripText(v reflect.Value, f holds.Field) reflect.Value {
	switch {
	case f.Kind == holds.Source:
		if source, err := plan.ParseSource(v.String()); err == nil && source.Path != nil {
			return v
		}
		return reflect.ValueOf(`"` + RemovedText + `"`) // it still compiles
	case f.Removal == holds.Kept || v.Len() == 0:
		return v
	case f.Removal == holds.Blank:
		return reflect.Zero(v.Type())
	}
	return reflect.ValueOf(RemovedText).Convert(v.Type())
}

func stripSlice(v reflect.Value, f holds.Field) reflect.Value {
	switch {
	case v.IsNil():
		return v
	case v.Type() == rawJSON:
		switch {
		case f.Removal == holds.Blank:
			return reflect.Zero(v.Type())
		case f.Removal == holds.Kept || v.Len() == 0:
			return v
		}
		return reflect.ValueOf(Removed)
	case v.Type().Elem().Kind() == reflect.Uint8:
		return reflect.Zero(v.Type())
	}
	out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		out.Index(i).Set(strip(v.Index(i), f))
	}
	return out
}

// stripMap keeps the names of steps, agents and roles, but not labels, which people choose. Structs in a map
// have tags of their own.
func stripMap(v reflect.Value, f holds.Field) reflect.Value {
	if v.IsNil() {
		return v
	}
	if f.Kind != holds.ID && f.Kind != holds.Payload {
		return reflect.Zero(v.Type())
	}
	if v.Type().Elem().Kind() == reflect.Struct {
		f = holds.Field{}
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for entry := v.MapRange(); entry.Next(); {
		out.SetMapIndex(entry.Key(), strip(entry.Value(), f))
	}
	return out
}
