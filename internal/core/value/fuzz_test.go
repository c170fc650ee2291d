package value

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tooDeep detects the one kind of input that encoding/json accepts (up to 10,000 levels) and we do not.
func tooDeep(in []byte) bool {
	_, err := Compact(in)
	return err != nil && strings.Contains(err.Error(), "nests deeper")
}

func FuzzAgainstEncodingJSON(f *testing.F) {
	for _, o := range odd {
		f.Add([]byte(o), []byte(`{"a":`+o+`}`))
	}
	for _, s := range []string{`{"a":1,}`, `[1 2]`, "\"\x01\"", `{"a":{"b":null}}`, ` { "b" : 1 , "a" : [ ] } `, `"\u12"`,
		`-`, `1.e`, `{"a"`, "{\"\xed\xa0\x80\\udc00\":1}"} {
		f.Add([]byte(s), []byte(`{"a":null,"b":{"c":1}}`))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		checkTotal(a, b)
		if json.Valid(a) != Valid(a) && !tooDeep(a) {
			t.Fatalf("json.Valid says %v, Valid says %v", json.Valid(a), Valid(a))
		}
		c, err := Compact(a)
		if (err == nil) != Valid(a) {
			t.Fatalf("Compact and Valid disagree: %v", err)
		}
		if err != nil {
			return
		}
		var std bytes.Buffer
		if err := json.Compact(&std, a); err != nil || !bytes.Equal(std.Bytes(), c) {
			t.Fatalf("Compact gives %q, encoding/json %q (%v)", c, std.Bytes(), err)
		}
		checkOne(t, c)
		if d, err := Compact(b); err == nil {
			checkTwo(t, c, d)
		}
	})
}

// checkTotal calls everything with bytes that may not be JSON at all.
func checkTotal(a, b json.RawMessage) {
	Get(a, "a", "0")
	Get(a, string(b))
	Elements(a)
	Merge(a, b)
	MergePatch(a, b)
	Diff(a, b)
	Canonical(a)
	Equal(a, b)
	Text(a)
	Quote(string(a))
	KindOf(a)
	for k, v := range Members(a) {
		Object(Member{k, v})
	}
}

func checkOne(t *testing.T, c json.RawMessage) {
	canonical := Canonical(c)
	if !Valid(canonical) || !bytes.Equal(Canonical(canonical), canonical) {
		t.Fatalf("Canonical(%q) = %q is not stable", c, canonical)
	}
	if Digest(canonical) != Digest(Canonical(append([]byte(" "), c...))) {
		t.Fatal("whitespace changes the digest")
	}
	if d := Diff(c, canonical); len(d) != 0 && KindOf(c) != Missing {
		t.Fatalf("Diff(%q, canonical) = %v", c, d)
	}
	if s, ok := Text(c); ok {
		var std string
		if err := json.Unmarshal(c, &std); err != nil || std != s {
			t.Fatalf("Text(%q) = %q, encoding/json %q", c, s, std)
		}
		if again, ok := Text(Quote(s)); !ok || again != s {
			t.Fatalf("Quote(%q) reads as %q", s, again)
		}
	}
	var members []Member
	for k, v := range Members(c) {
		if !Valid(v) {
			t.Fatalf("member %q is %q", k, v)
		}
		members = append(members, Member{k, v})
	}
	if KindOf(c) == KindObject {
		if again := Object(members...); !Equal(again, c) {
			t.Fatalf("Object(Members(%q)) = %q", c, again)
		}
		for _, m := range members {
			last := members[lastIndex(members, m.Key)].Value
			if got, ok := Get(c, m.Key); !ok || !bytes.Equal(got, last) {
				t.Fatalf("Get(%q, %q) = %q", c, m.Key, got)
			}
		}
	}
	if KindOf(c) == KindArray {
		if again := Array(Elements(c)...); !bytes.Equal(again, c) {
			t.Fatalf("Array(Elements(%q)) = %q", c, again)
		}
	}
	var path Path
	for _, m := range members {
		path = append(path, m.Key)
	}
	if again, err := ParsePath(path.String()); err != nil || !slices.Equal(again, path) {
		t.Fatalf("path %q printed as %s: %q %v", []string(path), path, again, err)
	}
}

func lastIndex(members []Member, key string) int {
	for i := len(members) - 1; ; i-- {
		if members[i].Key == key {
			return i
		}
	}
}

func checkTwo(t *testing.T, c, d json.RawMessage) {
	for _, out := range []json.RawMessage{Merge(c, d), MergePatch(c, d), MergePatch(nil, d)} {
		if !Valid(out) {
			t.Fatalf("%q and %q make %q", c, d, out)
		}
	}
	if (len(Diff(c, d)) == 0) != Equal(c, d) {
		t.Fatalf("Diff(%q, %q) = %v, Equal %v", c, d, Diff(c, d), Equal(c, d))
	}
	if once := MergePatch(c, d); !Equal(MergePatch(once, d), once) && !tooDeep(once) {
		t.Fatalf("patching %q with %q twice is not patching once", c, d)
	}
}

// document draws JSON with whitespace, escapes, duplicates and odd numbers.
func document(depth int) *rapid.Generator[string] {
	leaf := rapid.SampledFrom([]string{`null`, `true`, `false`, `0`, `-0`, `1.0`, `1E400`, `9007199254740993`, `""`,
		`"a"`, `"\u0061"`, `"\ud800"`, `"<é>"`})
	if depth == 0 {
		return leaf
	}
	key := rapid.SampledFrom([]string{`"a"`, `"b"`, `"c"`, `"\u0061"`, `""`, `"d/~"`})
	ws := rapid.SampledFrom([]string{"", "", "", " ", "\n\t"})
	return rapid.Custom(func(t *rapid.T) string {
		var parts []string
		switch rapid.IntRange(0, 3).Draw(t, "shape") {
		case 0:
			return leaf.Draw(t, "leaf")
		case 1:
			for range rapid.IntRange(0, 3).Draw(t, "n") {
				parts = append(parts, ws.Draw(t, "ws")+document(depth-1).Draw(t, "e")+ws.Draw(t, "ws"))
			}
			return "[" + strings.Join(parts, ",") + "]"
		}
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			parts = append(parts, ws.Draw(t, "ws")+key.Draw(t, "k")+ws.Draw(t, "ws")+":"+ws.Draw(t, "ws")+
				document(depth-1).Draw(t, "v"))
		}
		return "{" + strings.Join(parts, ",") + ws.Draw(t, "ws") + "}"
	})
}

func decode(t *rapid.T, in []byte) any {
	dec := json.NewDecoder(bytes.NewReader(in))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q: %v", in, err)
	}
	return v
}

func naivePatch(target, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	out := map[string]any{}
	if m, ok := target.(map[string]any); ok {
		for k, v := range m {
			out[k] = v
		}
	}
	for k, v := range p {
		if v == nil {
			delete(out, k)
		} else {
			out[k] = naivePatch(out[k], v)
		}
	}
	return out
}

func TestMergePatchProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, patch := raw(document(4).Draw(t, "doc")), raw(document(4).Draw(t, "patch"))
		got := MergePatch(doc, patch)
		want := naivePatch(decode(t, doc), decode(t, patch))
		if !reflect.DeepEqual(decode(t, got), want) {
			t.Fatalf("%s + %s = %s, want %v", doc, patch, got, want)
		}
	})
}

func TestMergeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := raw(document(2).Draw(t, "a")), raw(document(2).Draw(t, "b"))
		want := map[string]any{}
		for _, o := range []json.RawMessage{a, b} {
			if m, ok := decode(t, o).(map[string]any); ok {
				for k, v := range m {
					want[k] = v
				}
			}
		}
		if got := decode(t, Merge(a, b)); !reflect.DeepEqual(got, any(want)) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestCanonicalProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := raw(document(4).Draw(t, "doc"))
		c := Canonical(doc)
		if !reflect.DeepEqual(decode(t, c), decode(t, doc)) {
			t.Fatalf("%s means something else than %s", c, doc)
		}
		if !Equal(c, doc) || len(Diff(c, doc)) != 0 {
			t.Fatalf("%s is not equal to %s", c, doc)
		}
	})
}

func TestGetProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := raw(document(4).Draw(t, "doc"))
		var walk func(path Path, v any)
		walk = func(path Path, v any) {
			got, ok := Get(doc, path...)
			if !ok || !reflect.DeepEqual(decode(t, got), v) {
				t.Fatalf("%s in %s is %s, want %v", path, doc, got, v)
			}
			if m, ok := v.(map[string]any); ok {
				for k, e := range m {
					walk(append(slices.Clone(path), k), e)
				}
			}
		}
		walk(nil, decode(t, doc))
	})
}
