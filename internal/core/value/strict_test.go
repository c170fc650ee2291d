package value_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
)

// Text that is ambiguous, and text that only looks like it.
func TestStrict(t *testing.T) {
	wide := func(last string) string {
		var b strings.Builder
		for n := range 100 {
			fmt.Fprintf(&b, `"k%d":%d,`, n, n)
		}
		return `{"in":{` + b.String() + last + `}}`
	}
	for text, want := range map[string]string{
		`{"amount":1,"to":{"amount":2}}`:           "",
		`[{"a":1},{"a":2}]`:                        "",
		`{"Amount":1,"amount":2}`:                  `amount: this key differs from "Amount" only in case`,
		`{"\u212Aey":1,"a":{"KEY":1},"key":2}`:     `key: this key differs from`,
		wide(`"K3":1`):                             `in.K3: this key differs from "k3" only in case`,
		`"words"`:                                  "",
		`{"a":{},"b":[],"c":[[],{}]}`:              "",
		`{"amount":5000,"amount":1}`:               "amount: this key is given twice",
		`{"amount":1,"\u0061mount":5000}`:          "amount: this key is given twice",
		`{"a\/b":1,"a/b":2}`:                       "a/b",
		`{"to":[1,{"x":{"iban":"1","iban":"2"}}]}`: "to[1].x.iban: this key is given twice",
		`{"a":{"b":1},"c":2,"a":3}`:                "a: this key is given twice",
		wide(`"z":1`):                              "",
		wide(`"k3":1`):                             "in.k3: this key is given twice",
		wide(`"z":{"k3":1}`):                       "",
		`{"text":"\ud83d\ude00 é 漢"}`:              "",
		`{"text":"\\ud83d"}`:                       "",
		`{"text":"\ud83d"}`:                        "text: this text has half of a surrogate pair",
		`{"text":["ok","\ude00"]}`:                 "text[1]: this text has half of a surrogate pair",
		`{"text":"\ud83dx\ude00"}`:                 "text: this text has half",
		`{"text":"\\ud83d\ude00"}`:                 "text: this text has half",
		"{\"text\":\"a\xffb\"}":                    "text: this text is not valid UTF-8",
		"{\"a\xff\":1}":                            "this text is not valid UTF-8",
		`{"n":[1e308,-1.5e-300,0e999,0.0]}`:        "",
		`{"n":12345678901234567890123456789}`:      "",
		`{"n":[1,1e400]}`:                          "n[1]: this number is outside the range",
		`-1E+309`:                                  "this number is outside the range",
		`{"n":1e-400}`:                             "n: this number is outside the range",
		`{"n":` + strings.Repeat("9", 310) + `}`:   "n: this number is outside the range",
	} {
		doc, err := value.Strict([]byte(text))
		if doc == nil || (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v is not invalid", text, err)
		}
	}
	if doc, err := value.Strict([]byte(`{"a":`)); doc != nil || err == nil {
		t.Errorf("%s, %v", doc, err)
	}
}

// Input that Strict accepts means the same to parsers that keep the first of equal keys and to those that
// keep the last, and Compact returns the same.
func TestStrictProperty(t *testing.T) {
	keys := []string{`"a"`, `"b"`, `"\u0061"`, `"A"`, `""`}
	var gen func(depth int) *rapid.Generator[string]
	gen = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			kind := rapid.IntRange(0, 3).Draw(t, "kind")
			if depth == 0 || kind == 0 {
				return rapid.SampledFrom([]string{`1`, `"x"`, ` null `, `1e400`, `"\ud800"`}).Draw(t, "leaf")
			}
			var parts []string
			for range rapid.IntRange(0, 4).Draw(t, "n") {
				part := gen(depth-1).Draw(t, "part")
				if kind > 1 {
					part = rapid.SampledFrom(keys).Draw(t, "key") + " : " + part
				}
				parts = append(parts, part)
			}
			if kind == 1 {
				return "[" + strings.Join(parts, ",") + "]"
			}
			return "{" + strings.Join(parts, ",") + "}"
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		text := gen(4).Draw(t, "document")
		doc, err := value.Strict([]byte(text))
		compact, bad := value.Compact([]byte(text))
		if bad != nil || string(doc) != string(compact) {
			t.Fatalf("%s: %s, Compact %s (%v)", text, doc, compact, bad)
		}
		if got := twoReadings(compact); got != (err != nil) {
			t.Fatalf("%s: %v, and another reader finds %v", text, err, got)
		}
		var f *fault.Error
		if err != nil && (!errors.As(err, &f) || len(f.Problems) != 1) {
			t.Fatalf("%s: %v", text, err)
		}
	})
}

// twoReadings is a slow parser of its own.
func twoReadings(raw json.RawMessage) bool {
	switch value.KindOf(raw) {
	case value.KindObject:
		d := json.NewDecoder(strings.NewReader(string(raw)))
		_, _ = d.Token()
		seen := map[string]bool{}
		for d.More() {
			key, _ := d.Token()
			var v json.RawMessage
			if d.Decode(&v) != nil || seen[strings.ToLower(key.(string))] || twoReadings(v) {
				return true
			}
			seen[strings.ToLower(key.(string))] = true
		}
	case value.KindArray:
		for _, v := range value.Elements(raw) {
			if twoReadings(v) {
				return true
			}
		}
	default:
		return string(raw) == `1e400` || string(raw) == `"\ud800"`
	}
	return false
}
