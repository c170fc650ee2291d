package audit

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// equal compares two JSON values by their meaning.
func equal(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	return reflect.DeepEqual(parse(a), parse(b))
}

func parse(raw json.RawMessage) (v any) {
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return string(raw)
	}
	return v
}

func write(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// patch is JSON merge patch, RFC 7396.
func patch(doc, changes json.RawMessage) json.RawMessage {
	return write(patched(parse(doc), parse(changes)))
}

func patched(doc, changes any) any {
	c, ok := changes.(map[string]any)
	if !ok {
		return changes
	}
	d, ok := doc.(map[string]any)
	if !ok {
		d = map[string]any{}
	}
	out := maps.Clone(d)
	for k, v := range c {
		if v == nil {
			delete(out, k)
		} else {
			out[k] = patched(out[k], v)
		}
	}
	return out
}

// fill is a proposal after people submitted data for it.
func fill(proposed, data json.RawMessage) json.RawMessage {
	p, ok := parse(proposed).(map[string]any)
	d, also := parse(data).(map[string]any)
	if !ok || !also {
		return data
	}
	out := maps.Clone(p)
	maps.Copy(out, d)
	return write(out)
}

// holds is the value of a condition on some data.
type holds int

const (
	no holds = iota
	yes
	doubt // the condition is invalid for the data
)

// test evaluates "FIELD OP NUMBER" on the fields of a value; "" is always true.
func test(condition string, data json.RawMessage) holds {
	if condition == "" {
		return yes
	}
	words := strings.Fields(condition)
	if len(words) != 3 {
		panic("the auditor cannot read the condition " + condition)
	}
	limit, err := strconv.ParseFloat(words[2], 64)
	if err != nil {
		panic("the auditor cannot read the condition " + condition)
	}
	return compare(data, words[0], words[1], limit)
}

func compare(data json.RawMessage, field, op string, limit float64) holds {
	obj, ok := parse(data).(map[string]any)
	if !ok {
		return no
	}
	got, ok := obj[field]
	if !ok || got == nil {
		return no
	}
	x, ok := got.(float64)
	if !ok {
		return doubt
	}
	if ordered(x, op, limit) {
		return yes
	}
	return no
}

func ordered(x float64, op string, y float64) bool {
	switch op {
	case ">":
		return x > y
	case ">=":
		return x >= y
	case "<":
		return x < y
	case "<=":
		return x <= y
	}
	panic("the auditor does not know the operator " + op)
}

// element is one element of a JSON list.
func element(raw json.RawMessage, k int) (json.RawMessage, bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || k < 0 || k >= len(list) {
		return nil, false
	}
	return list[k], true
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }
