package value

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
)

func raw(s string) json.RawMessage { return json.RawMessage(s) }

// odd are values that a round trip through Go's own types would change.
var odd = []string{
	`9007199254740993`, `1E400`, `-0`, `-0.0`, `0.10`, `1e-400`, `123456789012345678901234567890.10`,
	`"\u0000"`, `"\ud800"`, `"\udc00\ud800"`, `"\u00e9"`, `"é"`, `"<a href='x'>&</a>"`, "\"\u2028\u2029\"", `"\u2028"`,
	`"\/"`, `"/"`, "\"\x7f\"", `"😀"`, `"\ud83d\ude00"`, "\"\xff\"",
	`{"z":1,"a":2,"m":0.50}`, `{"a":1,"a":2}`, `{"\u0061":1}`, `{"":{}}`, `{"\ud800":1,"\ud801":2}`, `{"__proto__":1E400}`,
	`[]`, `{}`, `[[[]]]`, `[1.0,1,1e0]`, `null`, `true`, `false`, `""`,
}

// withoutDuplicates are the odd values without duplicate keys.
func oncePerKey() []string {
	var out []string
	for _, o := range odd {
		if o != `{"a":1,"a":2}` {
			out = append(out, o)
		}
	}
	return out
}

func TestFidelity(t *testing.T) {
	same := func(t *testing.T, what string, got []byte, want string) {
		t.Helper()
		if string(got) != want {
			t.Errorf("%s: %q became %q", what, want, got)
		}
	}
	for _, o := range odd {
		c, err := Compact(raw(o))
		if err != nil {
			t.Fatalf("Compact(%q): %v", o, err)
		}
		same(t, "Compact", c, o)
		c, err = Compact(raw(" [\n" + o + "\t]\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "Compact with whitespace", c, "["+o+"]")

		doc := Object(Member{"first", raw(o)}, Member{"list", Array(raw("1"), raw(o))})
		got, _ := Get(doc, "first")
		same(t, "Object, Get", got, o)
		got, _ = Get(doc, "list", "1")
		same(t, "Array, Get", got, o)
		same(t, "Elements", Elements(Array(raw(o)))[0], o)
		for k, v := range Members(doc) {
			if k == "first" {
				same(t, "Members", v, o)
			}
		}
		got, _ = Get(Merge(doc, raw(`{"x":1}`), doc), "first")
		same(t, "Merge", got, o)
		got, _ = Get(MergePatch(doc, raw(`{"x":1,"list":null}`)), "first")
		same(t, "MergePatch, untouched", got, o)
		same(t, "MergePatch, into nothing", MergePatch(nil, Array(raw(o))), "["+o+"]")
		for _, ch := range Diff(raw(`{"k":"?"}`), Object(Member{"k", raw(o)})) {
			same(t, "Diff", ch.To, o)
		}
		m, err := Marshal(struct{ V json.RawMessage }{raw(o)})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "Marshal", m, `{"V":`+o+`}`)
	}
	for _, o := range oncePerKey() {
		if KindOf(raw(o)) != KindObject {
			same(t, "Canonical", Canonical(raw(o)), o)
			continue
		}
		var members []Member
		for k, v := range Members(raw(o)) {
			members = append(members, Member{k, v})
		}
		again := Object(members...)
		if !Equal(again, raw(o)) {
			t.Errorf("Members, Object: %s became %s", o, again)
		}
	}
}

func TestCompact(t *testing.T) {
	in := raw(`{"a":[1,2]}`)
	out, err := Compact(in)
	if err != nil || &out[0] != &in[0] || len(out) != len(in) {
		t.Errorf("compact input was copied: %s %v", out, err)
	}
	if out, _ := Compact(raw(" \t{ \"a b\" :\r\n[ 1 , 2 ] , \"c\" : { } }\n ")); string(out) != `{"a b":[1,2],"c":{}}` {
		t.Errorf("got %s", out)
	}
	for in, want := range map[string]string{
		``:               "not valid JSON at byte 0: it ends where a value should be",
		`{"a" 1}`:        "not valid JSON at byte 5: found '1' where ':' should be",
		`[1,]`:           "not valid JSON at byte 3: found ']' where a value should be",
		`{"a":1,}`:       "not valid JSON at byte 7: found '}' where a key should be",
		`[1 2]`:          "not valid JSON at byte 3: found '2' where ',' or ']' should be",
		`{"a":1`:         "not valid JSON at byte 6: it ends where ',' or '}' should be",
		`01`:             "not valid JSON at byte 1: found '1' after the end of the value",
		`-`:              "not valid JSON at byte 1: it ends where a digit should be",
		`1.`:             "not valid JSON at byte 2: it ends where a digit should be",
		`1e+`:            "not valid JSON at byte 3: it ends where a digit should be",
		`nul`:            `not valid JSON at byte 3: it ends where the rest of "null" should be`,
		`"a`:             "not valid JSON at byte 2: it ends where the rest of a string should be",
		"\"a\nb\"":       "not valid JSON at byte 2: found the control character byte 0x0a in a string; escape it",
		`"\x"`:           `not valid JSON at byte 2: found 'x' where an escape such as n, u or \ should be`,
		`"\u12g4"`:       "not valid JSON at byte 5: found 'g' where a hexadecimal digit should be",
		`"\`:             "not valid JSON at byte 2: it ends where the rest of a string should be",
		"\ufeff{}":       "not valid JSON at byte 0: found byte 0xef where a value should be",
		`{} {}`:          "not valid JSON at byte 3: found '{' after the end of the value",
		"[\x001]":        "not valid JSON at byte 1: found byte 0x00 where a value should be",
		"\"0123456\x01x": "not valid JSON at byte 8: found the control character byte 0x01 in a string; escape it",
	} {
		_, err := Compact(raw(in))
		if !fault.Is(err, fault.Invalid) || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", in, err, want)
		}
		if json.Valid([]byte(in)) || Valid([]byte(in)) {
			t.Errorf("%q is accepted", in)
		}
	}
}

func TestDepth(t *testing.T) {
	nest := func(open, end string, n int) []byte {
		return []byte(strings.Repeat(open, n) + "1" + strings.Repeat(end, n))
	}
	for _, b := range [][2]string{{"[", "]"}, {`{"k":`, "}"}} {
		if !Valid(nest(b[0], b[1], DepthMax)) {
			t.Errorf("%d levels of %s are refused", DepthMax, b[0])
		}
		_, err := Compact(nest(b[0], b[1], DepthMax+1))
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "deeper than 1000 levels") {
			t.Errorf("%d levels of %s: %v", DepthMax+1, b[0], err)
		}
	}
	// Siblings do not add up.
	if !Valid([]byte("[" + strings.Repeat("[],{},", 2000) + "0]")) {
		t.Error("siblings count as depth")
	}
	// Unchecked input may be deeper still: nothing may overflow the stack.
	deep := nest(`{"a":`, "}", 1_000_000)
	Canonical(deep)
	MergePatch(deep, deep)
	Diff(deep, append([]byte(" "), nest(`{"a":`, "", 1_000_000)...))
	Get(deep, "a", "a")
}

func TestKindOf(t *testing.T) {
	for in, want := range map[string]Kind{
		``: Missing, " \n": Missing, `?`: Missing, `null`: Null, ` true`: Bool, `false`: Bool,
		`-1`: Number, `0`: Number, `"x"`: String, `[1]`: KindArray, "\n{}": KindObject,
	} {
		if got := KindOf(raw(in)); got != want {
			t.Errorf("KindOf(%q) = %s, want %s", in, got, want)
		}
	}
	if Kind(200).String() == "" {
		t.Error("unknown kinds have no name")
	}
}

func TestGet(t *testing.T) {
	doc := ` { "a" : [ 10 , {"b":"x,]}\"", "B":2} ], "a.b":3, "dup":1, "dup":2, "\u0063":4, "n":null, "":5, "0":6 } `
	for _, c := range []struct {
		path string
		want string
	}{
		{"a 0", `10`}, {"a 1 b", `"x,]}\""`}, {"a 1 B", `2`}, {"a.b", `3`}, {"dup", `2`}, {"c", `4`},
		{"n", `null`}, {"0", `6`},
		{"a 2", ``}, {"a -1", ``}, {"a 00", ``}, {"a +0", ``}, {"a 99999999999999999999", ``}, {"A", ``},
		{"n x", ``}, {"a 0 0", ``},
	} {
		got, ok := Get(raw(doc), strings.Fields(c.path)...)
		if string(got) != c.want || ok != (c.want != "") {
			t.Errorf("Get %s = %q %v, want %q", c.path, got, ok, c.want)
		}
	}
	if got, _ := Get(raw(doc), ""); string(got) != "5" {
		t.Errorf("empty key: %q", got)
	}
	if got, ok := Get(raw(" 1 ")); !ok || string(got) != "1" {
		t.Errorf("no path: %q", got)
	}
	if _, ok := Get(nil); ok {
		t.Error("nothing was found in nothing")
	}
	// Appending to a result must not write into the document.
	in := raw(`{"a":1,"b":2}`)
	a, _ := Get(in, "a")
	_ = append(a, "999"...)
	if string(in) != `{"a":1,"b":2}` {
		t.Errorf("document was overwritten: %s", in)
	}
}

func TestMembersAndElements(t *testing.T) {
	var got []string
	for k, v := range Members(raw(`{"b":1,"a":[2, 3],"b":{"c":4}}`)) {
		got = append(got, k+"="+string(v))
	}
	if want := []string{"b=1", "a=[2, 3]", `b={"c":4}`}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	for range Members(raw(`{"a":1,"b":2}`)) {
		break
	}
	for range Members(raw(`[1]`)) {
		t.Error("an array has members")
	}
	if e := Elements(raw(` [ 1 , [2,3] , "]" ] `)); len(e) != 3 || string(e[1]) != "[2,3]" || string(e[2]) != `"]"` {
		t.Errorf("got %s", e)
	}
	if e := Elements(raw(`[]`)); e == nil || len(e) != 0 {
		t.Errorf("got %v", e)
	}
	if Elements(raw(`{}`)) != nil || Elements(nil) != nil {
		t.Error("elements of no array")
	}
	if o := Object(Member{"a\"\n", nil}, Member{"b", raw("1")}); string(o) != `{"a\"\n":null,"b":1}` {
		t.Errorf("got %s", o)
	}
	if a := Array(nil, raw("1")); string(a) != `[null,1]` || string(Array()) != "[]" || string(Object()) != "{}" {
		t.Errorf("got %s", a)
	}
}

func TestTextAndQuote(t *testing.T) {
	for in, want := range map[string]string{
		`"a"`: "a", `"\u00e9\n\/"`: "é\n/", `"\ud83d\ude00"`: "😀", `"\ud800"`: "\ufffd", `"\ud800\u0041"`: "\ufffdA",
		"\"\xff\"": "\ufffd", `" \b\f\r\t\"\\"`: " \b\f\r\t\"\\", ` "x" `: "x", `""`: "", `"\ud83d\ud83d\ude00"`: "\ufffd😀",
		"\"\xed\xbd\xbd0\"": "\ufffd\ufffd\ufffd0",
	} {
		got, ok := Text(raw(in))
		var std string
		if err := json.Unmarshal([]byte(in), &std); err != nil || std != want {
			t.Fatalf("the table is wrong: %q %v", std, err)
		}
		if !ok || got != want {
			t.Errorf("Text(%s) = %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{``, `1`, `null`, `"`, `"a`, `["a"]`, `"a\"`} {
		if s, ok := Text(raw(in)); ok {
			t.Errorf("Text(%s) = %q", in, s)
		}
	}
	if q := Quote("<&>\u2028é\x00\x1f\"\\\n\xff"); string(q) != "\"<&>\u2028é\\u0000\\u001f\\\"\\\\\\n\ufffd\"" {
		t.Errorf("got %s", q)
	}
}

func TestDigest(t *testing.T) {
	a, b := Digest([]byte("ab"), []byte("c")), Digest([]byte("a"), []byte("bc"))
	if a == b || a == Digest([]byte("abc")) || Digest() == Digest(nil) || Digest(nil) == Digest(nil, nil) {
		t.Error("boundaries can be shifted")
	}
	// Stored digests must stay comparable forever.
	if want := "sha256:601d5476e2ccfe2c87a2bba7a322659734a05749d5b5aa781f513e4912db0d5f"; a != want {
		t.Errorf("got %s, want %s", a, want)
	}
}

func TestMarshal(t *testing.T) {
	got, err := Marshal(map[string]any{"s": "<&>", "r": raw("{ \"b\": 1E400,\n\"a\":\"<\" }"), "n": json.RawMessage(nil)})
	if err != nil || string(got) != `{"n":null,"r":{"b":1E400,"a":"<"},"s":"<&>"}` {
		t.Errorf("got %s %v", got, err)
	}
	if _, err := Marshal(func() {}); err == nil {
		t.Error("a function was marshalled")
	}
	if _, err := Marshal(raw("{")); err == nil {
		t.Error("a broken RawMessage was marshalled")
	}
}
