package value

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestCutAnywhere: invalid JSON ends a walk. It never crashes the process, and nothing beyond it is read.
func TestCutAnywhere(t *testing.T) {
	docs := []string{
		`{"a":[1,{"b":"x\"\\"},[]],"c":{"d":null},"e":-1.5e+10}`,
		` [ 1 , "two\u00fF" , { } , [ [ ] ] , true , false , null ] `,
		`{ "a" : 1 , "a" : 2 }`, `"text \ud83d\ude00"`, `-0.0E-1`, `{"":{"":""}}`, "[\"\xff\"]",
	}
	for _, doc := range docs {
		for end := range len(doc) + 1 {
			for _, more := range []string{"", "}", "]", ",", ":", `"`, `\`, "\x00"} {
				hostile := raw(strings.Clone(doc[:end]) + more)
				walkAll(hostile[:len(hostile):len(hostile)])
			}
		}
	}
}

// walkAll reads a document in every available way.
func walkAll(doc json.RawMessage) {
	for k, v := range Members(doc) {
		_, _ = k, v
	}
	for _, e := range Elements(doc) {
		_, _ = Text(e)
	}
	for _, path := range [][]string{{}, {"a"}, {"a", "1", "b"}, {"0"}, {"3", "0"}, {""}} {
		_, _ = Get(doc, path...)
	}
	_, _ = Text(doc)
	_ = KindOf(doc)
	_, _ = Strict(doc)
	_ = Diff(doc, raw(`{"a":[1,{"b":2}]}`))
	_ = Diff(raw(`[1,[2,{"a":3}]]`), doc)
	if json.Valid(doc) {
		_ = Canonical(doc)
	}
}

func TestHexDigits(t *testing.T) {
	for in, want := range map[string]string{`"\u00FF"`: "ÿ", `"\u00ff"`: "ÿ", `"\uABCD"`: "\uabcd", `"\uEf09"`: "\uef09",
		`"\u0A0a"`: "\u0a0a"} {
		if got, ok := Text(raw(in)); !ok || got != want {
			t.Errorf("%s: %q", in, got)
		}
		if _, err := Strict(raw(in)); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
	for _, in := range []string{`"\u00FG"`, `"\u00fg"`, `"\u00@0"`, "\"\\u00`0\"", `"\u00/0"`, `"\u00:0"`} {
		if _, err := Strict(raw(in)); err == nil {
			t.Errorf("%s is JSON", in)
		}
	}
	if _, err := Strict(raw("[\"\xff\"]")); err == nil || !strings.Contains(fmt.Sprint(err), "UTF-8") {
		t.Errorf("%v", err)
	}
}

// TestDiffStops: a diff lists at most a thousand changes.
func TestDiffStops(t *testing.T) {
	many := func(n, v int) json.RawMessage {
		return raw("[" + strings.TrimSuffix(strings.Repeat(fmt.Sprint(v, ","), n), ",") + "]")
	}
	for n, want := range map[int]int{999: 999, 1000: 1000, 1001: 1000, 3000: 1000} {
		if got := len(Diff(many(n, 1), many(n, 2))); got != want {
			t.Errorf("%d changes of %d", got, n)
		}
	}
	if got := Diff(raw(`{"a":1.0,"b":2}`), raw(`{"b":2,"a":1.0}`)); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
