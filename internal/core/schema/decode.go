package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

const (
	// A value weighs 8 plus its depth: the memory cost of one error about it. 10 MB of ordinary records stay
	// well below the limit.
	weightOfValue     = 8
	instanceWeightMax = 16_000_000

	// Numbers are compared as fractions of big integers. Beyond these limits that takes too long: 1e999999 is
	// short to write.
	numberLenMax = 1000
	exponentMax  = 1000
	expandedMax  = 10_000_000 // digits of all numbers in a value, exponents written out
)

// decode parses raw without losing digits, and rejects values too large to check. The last of equal keys
// counts.
func decode(raw json.RawMessage, weightMax int) (any, []fault.Problem) {
	if _, err := value.Compact(raw); err != nil {
		return nil, []fault.Problem{{Message: err.Error()}}
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, []fault.Problem{{Message: err.Error()}}
	}
	w := weigher{left: weightMax, digits: expandedMax}
	w.walk(doc, nil)
	return doc, w.problems
}

type weigher struct {
	left, digits int
	problems     []fault.Problem
}

func (w *weigher) walk(v any, path []string) {
	if len(w.problems) > 0 {
		return
	}
	if w.left -= weightOfValue + len(path); w.left < 0 {
		w.problems = []fault.Problem{{Message: "it contains too many values to be checked"}}
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			w.walk(e, append(path, k))
		}
	case []any:
		for i, e := range v {
			w.walk(e, append(path, strconv.Itoa(i)))
		}
	case json.Number:
		n, ok := expanded(string(v))
		if !ok {
			w.problems = []fault.Problem{{Path: value.Path(path).Pointer(),
				Message: fmt.Sprintf("the number %s is too large or too precise to be checked", short(string(v)))}}
			return
		}
		if w.digits -= n; w.digits < 0 {
			w.problems = []fault.Problem{{Message: "it contains too many numbers with large exponents to be checked"}}
		}
	}
}

// expanded returns how many digits an exponent adds to a number.
func expanded(lit string) (int, bool) {
	if len(lit) > numberLenMax {
		return 0, false
	}
	i := strings.IndexAny(lit, "eE")
	if i < 0 {
		return 0, true
	}
	e, err := strconv.Atoi(lit[i+1:])
	if err != nil || e > exponentMax || e < -exponentMax {
		return 0, false
	}
	return max(e, -e), true
}

// rational parses a number exactly, within the limits.
func rational(lit string) (*big.Rat, bool) {
	if _, ok := expanded(lit); !ok {
		return nil, false
	}
	return new(big.Rat).SetString(lit)
}

// decimal formats a fraction as the decimal it came from.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	if n, exact := r.FloatPrec(); exact {
		return r.FloatString(n)
	}
	return r.FloatString(20)
}

func countValues(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n += countValues(e)
		}
	case []any:
		for _, e := range v {
			n += countValues(e)
		}
	}
	return n
}

// at resolves a JSON pointer; nil if the path does not exist.
func at(doc any, pointer string) any {
	if pointer == "" {
		return doc
	}
	if pointer[0] != '/' {
		return nil
	}
	var segs []string
	for _, seg := range strings.Split(pointer[1:], "/") {
		segs = append(segs, strings.ReplaceAll(strings.ReplaceAll(seg, "~1", "/"), "~0", "~"))
	}
	return lookup(doc, segs)
}

func lookup(doc any, segs []string) any {
	for _, seg := range segs {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[seg]
		case []any:
			i, err := strconv.Atoi(seg)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			doc = v[i]
		default:
			return nil
		}
	}
	return doc
}

// refTo finds the first reference in doc that may have led to target.
func refTo(doc any, target string) string {
	var found string
	visit(doc, nil, func(v map[string]any, path []string) bool {
		for _, kw := range []string{"$dynamicRef", "$recursiveRef", "$ref", "$schema"} {
			ref, _ := v[kw].(string)
			if ref != "" && strings.HasSuffix(unescapeURL(target), unescapeURL(strings.TrimPrefix(ref, "./"))) {
				found = value.Path(append(path, kw)).Pointer()
				return false
			}
		}
		return true
	})
	return found
}

// visit calls f for every object in doc, keys in order, until f returns stop.
func visit(doc any, path []string, f func(v map[string]any, path []string) bool) bool {
	switch v := doc.(type) {
	case map[string]any:
		if !f(v, path) {
			return false
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			if !visit(v[k], append(path, k), f) {
				return false
			}
		}
	case []any:
		for i, e := range v {
			if !visit(e, append(path, strconv.Itoa(i)), f) {
				return false
			}
		}
	}
	return true
}

func unescapeURL(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// escapeFragment escapes a JSON pointer for a URL.
func escapeFragment(pointer string) string {
	segs := strings.Split(pointer, "/")
	for i := range segs {
		segs[i] = url.PathEscape(segs[i])
	}
	return strings.Join(segs, "/")
}
