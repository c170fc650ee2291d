package template

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/phrase"
	"github.com/assent-run/assent/internal/core/value"
)

// Values are nil, bool, string, int64, float64, json.Number (numbers of which Go's own would lose digits), list and
// object.
type (
	object map[string]any
	list   []any
)

// String implements fmt.Stringer: lists and objects print as the JSON they came from.
func (o object) String() string { return shown(map[string]any(o)) }
func (l list) String() string   { return shown([]any(l)) }

// shownMax is the number of characters shown of a list or an object.
const shownMax = 80

func shown(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return Missing
	}
	return phrase.Clip(string(raw), shownMax)
}

func printed(v any) string {
	switch v := v.(type) {
	case nil:
		return Missing
	case string:
		return v
	}
	return fmt.Sprint(v)
}

// depthMax is the depth visible to a template.
const depthMax = 20

func dataOf(raw json.RawMessage, depth int) any {
	switch value.KindOf(raw) {
	case value.KindObject:
		out := object{}
		for k, v := range value.Members(raw) {
			if depth < depthMax {
				out[k] = dataOf(v, depth+1)
			}
		}
		return out
	case value.KindArray:
		out := list{}
		for _, e := range value.Elements(raw) {
			if depth < depthMax {
				out = append(out, dataOf(e, depth+1))
			}
		}
		return out
	case value.String:
		s, _ := value.Text(raw)
		return s
	case value.Number:
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil && strconv.FormatInt(n, 10) == string(raw) {
			return n
		}
		if f, err := strconv.ParseFloat(string(raw), 64); err == nil && fmt.Sprint(f) == string(raw) {
			return f
		}
		return json.Number(raw)
	case value.Bool:
		return string(raw) == "true"
	}
	return nil
}

// truth reports whether a value is present and neither zero nor empty.
func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case int64:
		return v != 0
	case float64:
		return v != 0
	case json.Number:
		f, err := v.Float64()
		return err != nil || f != 0
	case list:
		return len(v) > 0
	case object:
		return len(v) > 0
	}
	return false
}

var errArguments = errors.New("the function does not take these arguments")

func apply(name string, args []any) (any, error) {
	switch name {
	case "and", "or": // command returns the value that decides; without one, the last
		if len(args) == 0 {
			return nil, errArguments
		}
		for _, v := range args {
			if truth(v) == (name == "or") {
				return v, nil
			}
		}
		return args[len(args)-1], nil
	case "not":
		if len(args) != 1 {
			return nil, errArguments
		}
		return !truth(args[0]), nil
	case "eq":
		if len(args) < 2 {
			return nil, errArguments
		}
		return anyEqual(args[0], args[1:])
	case "ne", "lt", "le", "gt", "ge":
		if len(args) != 2 {
			return nil, errArguments
		}
		return compared(name, args[0], args[1])
	case "len":
		if len(args) != 1 {
			return nil, errArguments
		}
		return length(args[0])
	case "index":
		if len(args) == 0 {
			return nil, errArguments
		}
		return indexed(args[0], args[1:])
	}
	// printf: the parser knows no other function.
	layout, ok := first(args).(string)
	if !ok {
		return nil, errArguments
	}
	for i, v := range args {
		if v == nil {
			args[i] = Missing
		}
	}
	return fmt.Sprintf(layout, args[1:]...), nil
}

func first(args []any) any {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

func anyEqual(a any, others []any) (any, error) {
	for _, b := range others {
		if a == nil || b == nil {
			if a == nil && b == nil {
				return true, nil
			}
			continue
		}
		if x, ok := a.(bool); ok {
			y, ok := b.(bool)
			if !ok {
				return nil, errArguments
			}
			if x == y {
				return true, nil
			}
			continue
		}
		order, err := order(a, b)
		if err != nil {
			return nil, err
		}
		if order == 0 {
			return true, nil
		}
	}
	return false, nil
}

func compared(name string, a, b any) (any, error) {
	if name == "ne" {
		equal, err := anyEqual(a, []any{b})
		if err != nil {
			return nil, err
		}
		return equal == false, nil
	}
	order, err := order(a, b)
	if err != nil {
		return nil, err
	}
	switch name {
	case "lt":
		return order < 0, nil
	case "le":
		return order <= 0, nil
	case "gt":
		return order > 0, nil
	}
	return order >= 0, nil
}

// order compares two texts or two numbers.
func order(a, b any) (int, error) {
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), nil
		}
		return 0, errArguments
	}
	if x, ok := a.(int64); ok {
		if y, ok := b.(int64); ok {
			return cmp.Compare(x, y), nil
		}
	}
	x, ok := number(a)
	y, also := number(b)
	if !ok || !also {
		return 0, errArguments
	}
	return cmp.Compare(x, y), nil
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

func length(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return int64(0), nil
	case string:
		return int64(len(v)), nil
	case list:
		return int64(len(v)), nil
	case object:
		return int64(len(v)), nil
	}
	return nil, errArguments
}

func indexed(v any, keys []any) (any, error) {
	for _, key := range keys {
		switch in := v.(type) {
		case nil:
			return nil, nil
		case list:
			i, ok := key.(int64)
			if !ok || i < 0 || i >= int64(len(in)) {
				return nil, errArguments
			}
			v = in[i]
		case object:
			k, ok := key.(string)
			if !ok {
				return nil, errArguments
			}
			v = in[k]
		default:
			return nil, errArguments
		}
	}
	return v, nil
}
