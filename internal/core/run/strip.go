package run

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
)

// Removed stands for a document that was removed, and RemovedText for a text.
var Removed = json.RawMessage(`{"$removed":true}`)

const RemovedText = "[removed]"

// kept are the names of fields of facts and approvals that tell what happened
// and not what was said: ids, parts of the plan, people, words of ours. Every
// other text goes, also of fields that somebody adds tomorrow.
var kept = func() map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(`
		id run workflow step agent gate tool operation owner by on_behalf_of role roles call requester kind type mime_type policy code key
		cost_usd estimated_cost_usd approval rule child parent retry_of status was needs needed_by redo assignees also to from want definition
		family action option value limit act queue steps failed`) {
		out[name] = true
	}
	return out
}()

// intact are types that hold nothing that people or agents sent: they come from
// documents, or say who answers.
var intact = map[reflect.Type]bool{
	reflect.TypeFor[time.Time](): true, reflect.TypeFor[Actor](): true, reflect.TypeFor[gate.Terms](): true, reflect.TypeFor[Spot](): true,
	reflect.TypeFor[plan.Agent](): true, reflect.TypeFor[Parent](): true, reflect.TypeFor[PayloadsRemoved](): true, reflect.TypeFor[gate.Subject](): true,
	reflect.TypeFor[gate.Delegation](): true,
}

var (
	rawJSON  = reflect.TypeFor[json.RawMessage]()
	plain    = reflect.TypeFor[string]()
	planStep = reflect.TypeFor[plan.Step]()
	ruleType = reflect.TypeFor[gate.Rule]()
)

// Strip is a fact without what people and agents sent. What is left folds into a
// run with the same steps, approvals, times and people. Stripping it again
// changes nothing.
func Strip(f Fact) Fact { return strip(reflect.ValueOf(f), "").Interface().(Fact) }

// StripApproval is Strip for an approval as lists show it.
func StripApproval(a *gate.Approval) *gate.Approval {
	return strip(reflect.ValueOf(a), "").Interface().(*gate.Approval)
}

func strip(v reflect.Value, name string) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || intact[v.Type().Elem()] {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(strip(v.Elem(), name))
		return out
	case reflect.Struct:
		return stripStruct(v)
	case reflect.Slice:
		return stripSlice(v, name)
	case reflect.Map:
		return stripMap(v)
	case reflect.String:
		if v.Type() == plain && v.Len() > 0 && !kept[name] {
			return reflect.ValueOf(RemovedText)
		}
	}
	return v
}

func stripStruct(v reflect.Value) reflect.Value {
	if intact[v.Type()] {
		return v
	}
	if v.Type() == planStep {
		return reflect.ValueOf(stripStep(v.Interface().(plan.Step)))
	}
	if v.Type() == ruleType {
		r := v.Interface().(gate.Rule)
		if r.Reason != "" {
			r.Reason = RemovedText // it may tell what it looked at
		}
		return reflect.ValueOf(r)
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		out.Field(i).Set(strip(v.Field(i), name))
	}
	return out
}

func stripSlice(v reflect.Value, name string) reflect.Value {
	if v.IsNil() {
		return v
	}
	if v.Type() == rawJSON {
		if v.Len() == 0 || name == "args_schema" || name == "input_schema" || name == "notify" {
			return v
		}
		return reflect.ValueOf(Removed)
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return v
	}
	out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		out.Index(i).Set(strip(v.Index(i), name))
	}
	return out
}

// stripMap keeps names that may be steps and agents, and no labels: people choose
// those.
func stripMap(v reflect.Value) reflect.Value {
	if v.IsNil() || v.Type().Key().Kind() != reflect.String {
		return v
	}
	if v.Type().Elem().Kind() == reflect.String {
		return reflect.Zero(v.Type())
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for entry := v.MapRange(); entry.Next(); {
		out.SetMapIndex(entry.Key(), strip(entry.Value(), ""))
	}
	return out
}

// stripStep keeps what a step is and does, and none of the values that somebody
// wrote into a plan while it ran. It still compiles.
func stripStep(s plan.Step) plan.Step {
	s.If, s.Sample = "", nil
	if s.With != nil {
		with := make(plan.Mapping, len(s.With))
		for i, f := range s.With {
			if source, err := plan.ParseSource(f.Source); err != nil || source.Path == nil {
				f.Source = `"` + RemovedText + `"`
			}
			with[i] = f
		}
		s.With = with
	}
	if s.Human != nil {
		h := *s.Human
		h.When = ""
		if h.Title != "" {
			h.Title = RemovedText
		}
		if h.Description != "" {
			h.Description = RemovedText
		}
		s.Human = &h
	}
	return s
}
