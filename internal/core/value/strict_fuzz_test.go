package value

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// Input that Strict accepts is unambiguous: encoding/json agrees that it is JSON, no object has a duplicate
// key, and Strict is idempotent.
func FuzzStrict(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":1,"A":2}`, `{"ſ":1,"s":2}`, `{"K":1,"k":2}`, "{\"\xff\":1}",
		`{"\ud800":1}`, `[{"a":{"b":1,"b":1}}]`,
		` { "a" : [ 1 , 2 ] } `, `1E400`, `-0`, `"\u0000"`, `{"":{"":0}}`, "\ufeff{}", `{} {}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		was := bytes.Clone(raw)
		doc, err := Strict(raw)
		if !bytes.Equal(was, raw) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			return
		}
		if !json.Valid(doc) || !utf8.Valid(doc) {
			t.Fatalf("took %q as %q", raw, doc)
		}
		again, err := Strict(doc)
		if err != nil || !bytes.Equal(again, doc) {
			t.Fatalf("%q, taken again, is %q: %v", doc, again, err)
		}
		oneOfEachKey(t, json.NewDecoder(bytes.NewReader(doc)))
	})
}

// oneOfEachKey reads a document token by token and fails at a duplicate key.
func oneOfEachKey(t *testing.T, d *json.Decoder) {
	t.Helper()
	d.UseNumber()
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch token {
	case json.Delim('{'):
		seen := map[string]bool{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			if seen[key.(string)] {
				t.Fatalf("duplicate key %q", key)
			}
			seen[key.(string)] = true
			oneOfEachKey(t, d)
		}
	case json.Delim('['):
		for d.More() {
			oneOfEachKey(t, d)
		}
	default:
		return
	}
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
}
